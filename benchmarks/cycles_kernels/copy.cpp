// SPDX-License-Identifier: BSL-1.0
// Blocks of words in data memory: cycles per block of 68 bytes, and per word of longer ones.
#include <array>
#include <cstdint>

#include <neuromorph/target/device/copy_engine.hpp>
#include <neuromorph/target/native.hpp>

#include "measure.hpp"

namespace target = neuromorph::target;
using target::Generic;
using target::Native;

namespace {
std::array<std::uint32_t, 1000> from, to;

[[gnu::noinline]] void block(std::uint32_t* into, const std::uint32_t* out_of) { Native::copy_block<17>(into, out_of); }
[[gnu::noinline]] void block_generic(std::uint32_t* into, const std::uint32_t* out_of) {
  Generic::copy_block<17>(into, out_of);
}
} // namespace

bool run() {
  for (std::uint32_t at = 0; at < from.size(); ++at) from[at] = at * 0x9E3779B9U;
  bool right = true;
  // In registers before, as in a loop over blocks.
  auto* const into = fresh(to.data());
  const auto* const out_of = fresh(static_cast<const std::uint32_t*>(from.data()));
  MEASURE("copy.block.68_bytes", 1, block(fresh(into), fresh(out_of)));
  const auto copied = [&](std::size_t count) {
    for (std::size_t at = 0; at < to.size(); ++at) right = right && to[at] == (at < count ? from[at] : 0);
    to.fill(0);
  };
  copied(17);
  MEASURE("copy.block.68_bytes.inline", 1, Native::copy_block<17>(fresh(into), fresh(out_of)));
  MEASURE("copy.block.68_bytes.run_time_length", 1,
          Native::copy_words(fresh(into), fresh(out_of), fresh<std::size_t>(17)));
  MEASURE("copy.block.68_bytes.generic", 1, block_generic(fresh(into), fresh(out_of)));
  copied(17);
  // Through an engine, as rows and traces are moved, the length known at run time.
#define MEASURE_COPY(size)                                                                                             \
  MEASURE("copy.words." #size, size,                                                                                   \
          target::CopyBlock<>::start(fresh(into), fresh(out_of), fresh<std::size_t>(4 * size)))
  MEASURE_COPY(10);
  MEASURE_COPY(32);
  MEASURE_COPY(100);
  MEASURE_COPY(256);
  MEASURE_COPY(1000);
  copied(1000);
  MEASURE("copy.words", 256, Native::copy_words(fresh(into), fresh(out_of), fresh<std::size_t>(256)));
  copied(256);
  MEASURE("copy.words.generic", 256, Generic::copy_words(fresh(into), fresh(out_of), fresh<std::size_t>(256)));
  MEASURE("copy.clear", 256, Native::clear_words(fresh(into), fresh<std::size_t>(256)));
  for (const std::uint32_t word : to) right = right && word == 0;
  return right;
}
