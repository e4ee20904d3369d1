// SPDX-License-Identifier: BSL-1.0
// What the tests of discrete tables share: tables made while loading, and the definition of an outcome.
#ifndef TESTS_SUPPORT_DISCRETE_TABLES_HPP
#define TESTS_SUPPORT_DISCRETE_TABLES_HPP

#include <cstdint>
#include <vector>

#include <neuromorph/kernels/random/byte_table.hpp>
#include <neuromorph/kernels/random/pair_table.hpp>
#include <neuromorph/kernels/random/word_table.hpp>

namespace discrete_tables {

using namespace neuromorph;

constexpr std::uint32_t upper(std::uint64_t number) { return static_cast<std::uint32_t>(number >> 32); }
constexpr std::uint32_t lower(std::uint64_t number) { return static_cast<std::uint32_t>(number); }

std::vector<std::uint64_t> bounds_of(const auto& bounds) {
  std::vector<std::uint64_t> list;
  for (std::uint32_t k = 0; k < bounds.last; ++k) list.push_back(std::uint64_t{bounds.high[k]} << 32 | bounds.low[k]);
  return list;
}

// The definition: how many bounds are at most the number, and whether its lower half is looked at.
inline std::uint32_t outcome_of(const std::vector<std::uint64_t>& bounds, std::uint64_t number) {
  std::uint32_t outcome = 0;
  while (outcome < bounds.size() && bounds[outcome] <= number) ++outcome;
  return outcome;
}
inline bool is_open(const std::vector<std::uint64_t>& bounds, std::uint32_t key) {
  for (const std::uint64_t bound : bounds)
    if (upper(bound) == key) return true;
  return false;
}

// Tables made while loading, as most here are: those made while compiling take seconds each.
template <auto description>
const WordTable<256>& loaded_words() {
  static const WordTable<256> table(description.cumulative().value());
  return table;
}
template <auto description>
const ByteTable<256>& loaded_bytes() {
  static const ByteTable<256> table(description.cumulative().value());
  return table;
}
template <auto description>
const PairTable<256, 2600>& loaded_pairs() {
  static const PairTable<256, 2600> table(description.cumulative().value());
  return table;
}

} // namespace discrete_tables

#endif
