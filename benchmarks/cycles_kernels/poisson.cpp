// SPDX-License-Identifier: BSL-1.0
// Poisson values of rate 1.6, the random source's time included, stored as bytes: cycles per value.
#include <array>
#include <cstdint>
#include <span>

#include <neuromorph/kernels/byte_table.hpp>
#include <neuromorph/kernels/jkiss64.hpp>
#include <neuromorph/kernels/pair_table.hpp>
#include <neuromorph/kernels/sfc32.hpp>
#include <neuromorph/kernels/word_table.hpp>
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

  // Escapes come as they come: the mean of ten calls.
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

  // Calls for 1000 and for 100 neurons, which are no whole blocks.
  for (int call = 0; call < 10; ++call) {
    constexpr std::size_t thousand = 1000, hundred = 100;
    MEASURE("poisson.1..6.word.1000", 1000, fill(*fresh(&words), *fresh(&jkiss64), values(), fresh(thousand)));
    MEASURE("poisson.1..6.bytes.1000", 1000, fill(*fresh(&bytes), *fresh(&jkiss64), values(), fresh(thousand)));
    MEASURE("poisson.1..6.pairs.1000", 1000, fill(*fresh(&pairs), *fresh(&jkiss64), values(), fresh(thousand)));
    MEASURE("poisson.1..6.word.100", 100, fill(*fresh(&words), *fresh(&jkiss64), values(), fresh(hundred)));
    MEASURE("poisson.1..6.bytes.100", 100, fill(*fresh(&bytes), *fresh(&jkiss64), values(), fresh(hundred)));
    MEASURE("poisson.1..6.pairs.100", 100, fill(*fresh(&pairs), *fresh(&jkiss64), values(), fresh(hundred)));
    for (const std::size_t count : {thousand, hundred}) {
      fill_generic(words, second_jkiss64, expected.data(), count);
      fill_generic(bytes, second_jkiss64, expected.data(), count);
      fill_generic(pairs, second_jkiss64, expected.data(), count);
    }
    compare();
  }

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
