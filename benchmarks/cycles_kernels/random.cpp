// SPDX-License-Identifier: BSL-1.0
// Random sources in blocks, stored: cycles per value.
#include <array>
#include <cstdint>
#include <span>

#include <neuromorph/kernels/jkiss64.hpp>
#include <neuromorph/kernels/sfc32.hpp>

#include "measure.hpp"

using namespace neuromorph;

namespace {
std::array<std::uint32_t, 1000> found, expected;
Jkiss64 jkiss64;
Sfc32 small;

template <class Source>
[[gnu::noinline]] void fill(Source& source, std::span<std::uint32_t> words) {
  source.fill(words);
}
template <class Source>
[[gnu::noinline]] void fill_generic(Source& source, std::span<std::uint32_t> words) {
  source.UniformBits<Source>::fill(words);
}
} // namespace

bool run() {
  const auto of = [](auto& words, std::size_t count) {
    return std::span<std::uint32_t>{fresh(words.data()), fresh(count)};
  };
  Jkiss64 second_jkiss64;
  MEASURE("random.jkiss64", 1000, fill(*fresh(&jkiss64), of(found, 1000)));
  MEASURE("random.jkiss64.generic", 1000, fill_generic(*fresh(&second_jkiss64), of(expected, 1000)));
  bool right = found == expected && jkiss64 == second_jkiss64;
  MEASURE("random.jkiss64.100", 100, fill(*fresh(&jkiss64), of(found, 100)));
  Sfc32 second_small;
  MEASURE("random.small", 1000, fill(*fresh(&small), of(found, 1000)));
  MEASURE("random.small.generic", 1000, fill_generic(*fresh(&second_small), of(expected, 1000)));
  right = right && found == expected && small == second_small;
  MEASURE("random.small.100", 100, fill(*fresh(&small), of(found, 100)));
  return right;
}
