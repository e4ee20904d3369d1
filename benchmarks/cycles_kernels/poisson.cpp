// SPDX-License-Identifier: BSL-1.0
// Poisson values of rate 1.6, the random source's time included, stored as bytes: cycles per value. The mean of
// many calls, because escapes come as they come, and of keys that end in ".worst" the longest.
#include <array>
#include <cstdint>
#include <span>

#include <neuromorph/kernels/random/byte_table.hpp>
#include <neuromorph/kernels/random/jkiss64.hpp>
#include <neuromorph/kernels/random/pair_table.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/word_table.hpp>
#include <neuromorph/target/generic.hpp>

#include "measure.hpp"

using namespace neuromorph;

namespace {
constexpr const auto& words = word_table<Poisson(1.6)>;
constexpr const auto& bytes = byte_table<Poisson(1.6)>;
constexpr const auto& pairs = pair_table<Poisson(1.6)>;
static_assert(sizeof bytes <= 512);

// Whole blocks of all three tables.
constexpr std::size_t many = 1152;
alignas(4) std::array<std::uint8_t, many> found, expected;
Jkiss64 jkiss64, second_jkiss64;
Sfc32 small, second_small;

template <class Table, class Source>
[[gnu::noinline]] void fill(const Table& table, Source& source, std::uint8_t* values, std::size_t count) {
  table.fill(source, std::span(values, count));
}
template <class Table, class Source>
[[gnu::noinline]] void fill_generic(const Table& table, Source& source, std::uint8_t* values, std::size_t count) {
  table.template fill<target::Generic>(source, std::span(values, count));
}
} // namespace

bool run() {
  bool right = true;
  const auto compare = [&] {
    right = right && found == expected && jkiss64 == second_jkiss64 && small == second_small;
  };
  const auto values = [] { return fresh(found.data()); };

  for (int call = 0; call < 10; ++call) {
    MEASURE("poisson.1..6.word", 1152, fill(*fresh(&words), *fresh(&jkiss64), values(), fresh(many)));
    MEASURE("poisson.1..6.word.generic", 1152,
            fill_generic(*fresh(&words), *fresh(&second_jkiss64), fresh(expected.data()), fresh(many)));
    compare();
    MEASURE("poisson.1..6.bytes", 1152, fill(*fresh(&bytes), *fresh(&jkiss64), values(), fresh(many)));
    MEASURE("poisson.1..6.bytes.generic", 1152,
            fill_generic(*fresh(&bytes), *fresh(&second_jkiss64), fresh(expected.data()), fresh(many)));
    compare();
    MEASURE("poisson.1..6.pairs", 1152, fill(*fresh(&pairs), *fresh(&jkiss64), values(), fresh(many)));
    MEASURE("poisson.1..6.pairs.generic", 1152,
            fill_generic(*fresh(&pairs), *fresh(&second_jkiss64), fresh(expected.data()), fresh(many)));
    compare();
  }

  // Calls for so many neurons, which are no whole blocks; the worst are stored at an even address and at an odd one in
  // turn.
#define MEASURE_CALLS(size, suffix, offset)                                                                            \
  for (int call = 0; call < 40; ++call) {                                                                              \
    constexpr std::size_t count = size;                                                                                \
    const std::size_t at = offset * static_cast<std::size_t>(call % 2);                                                \
    MEASURE("poisson.1..6.word." #size suffix, size,                                                                   \
            fill(*fresh(&words), *fresh(&jkiss64), values() + at, fresh(count)));                                      \
    fill_generic(words, second_jkiss64, expected.data() + at, count);                                                  \
    compare();                                                                                                         \
    MEASURE("poisson.1..6.bytes." #size suffix, size,                                                                  \
            fill(*fresh(&bytes), *fresh(&jkiss64), values() + at, fresh(count)));                                      \
    fill_generic(bytes, second_jkiss64, expected.data() + at, count);                                                  \
    compare();                                                                                                         \
    MEASURE("poisson.1..6.pairs." #size suffix, size,                                                                  \
            fill(*fresh(&pairs), *fresh(&jkiss64), values() + at, fresh(count)));                                      \
    fill_generic(pairs, second_jkiss64, expected.data() + at, count);                                                  \
    compare();                                                                                                         \
  }
  MEASURE_CALLS(10, "", 0)
  MEASURE_CALLS(32, "", 0)
  MEASURE_CALLS(100, "", 0)
  MEASURE_CALLS(256, "", 0)
  MEASURE_CALLS(1000, "", 0)
  MEASURE_CALLS(10, ".worst", 1)
  MEASURE_CALLS(32, ".worst", 1)
  MEASURE_CALLS(100, ".worst", 1)
  MEASURE_CALLS(256, ".worst", 1)
  MEASURE_CALLS(1000, ".worst", 1)

  // Another source: its words in blocks, then a loop that looks them up.
  for (int call = 0; call < 10; ++call) {
    MEASURE("poisson.1..6.word.small", 1152, fill(*fresh(&words), *fresh(&small), values(), fresh(many)));
    fill_generic(words, second_small, expected.data(), many);
    compare();
    MEASURE("poisson.1..6.bytes.small", 1152, fill(*fresh(&bytes), *fresh(&small), values(), fresh(many)));
    fill_generic(bytes, second_small, expected.data(), many);
    compare();
    MEASURE("poisson.1..6.pairs.small", 1152, fill(*fresh(&pairs), *fresh(&small), values(), fresh(many)));
    fill_generic(pairs, second_small, expected.data(), many);
    compare();
  }
  return right;
}
