// SPDX-License-Identifier: BSL-1.0
/// \file
/// Rows of bits added up: how many of some rows have each bit, 512 of them at a time.
///
/// Counts are sliced: one word has bit k of the counts of 64 targets. Four rows and two levels make one carry of the third by
/// three full adders, so a row costs some three operations on 512 bits.
// host-only
#ifndef NEUROMORPH_NETWORK_DETAIL_BIT_ROWS_HPP
#define NEUROMORPH_NETWORK_DETAIL_BIT_ROWS_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/network/rows.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {
namespace detail {

inline constexpr std::size_t halves_of_line = neurons_of_line / 16;

/// Bits of 512 targets, in the order of memory.
using BitLine = std::uint64_t __attribute__((vector_size(64)));

[[gnu::always_inline]] inline void load_line(BitLine& line, const std::uint16_t* from) noexcept {
  std::memcpy(&line, from, sizeof line);
}

/// Bit k of the counts is in levels[k].
/// \pre fewer than 2^Levels rows, Levels from 3 to 7
template <unsigned Levels>
void add_up(std::span<const std::uint16_t* const> rows, std::size_t at, std::array<BitLine, Levels>& levels) noexcept {
  const auto add =
      [](BitLine & level, const BitLine& a, const BitLine& b, BitLine& carry) __attribute__((always_inline)) {
    const BitLine either = a ^ b;
    carry = (a & b) | (either & level);
    level ^= either;
  };
  std::array<BitLine, Levels> sums{};
  const auto add_carry = [&](const BitLine& from, unsigned level) __attribute__((always_inline)) {
    BitLine carry = from;
    for (; level < Levels; ++level) {
      const BitLine next = sums[level] & carry;
      sums[level] ^= carry;
      carry = next;
    }
  };
  std::size_t row = 0;
  for (; row + 4 <= rows.size(); row += 4) {
    BitLine a, b, c, d, first, second, carry;
    load_line(a, rows[row] + at), load_line(b, rows[row + 1] + at);
    load_line(c, rows[row + 2] + at), load_line(d, rows[row + 3] + at);
    for (std::size_t one = 0; one < 4; ++one) __builtin_prefetch(rows[row + one] + at + 4 * halves_of_line);
    add(sums[0], a, b, first);
    add(sums[0], c, d, second);
    add(sums[1], first, second, carry);
    add_carry(carry, 2);
  }
  for (; row < rows.size(); ++row) {
    BitLine a;
    load_line(a, rows[row] + at);
    add_carry(a, 0);
  }
  levels = sums;
}

/// Of 16 targets.
using BitCounts = std::uint16_t __attribute__((vector_size(32)));

/// Calls `visit(first target, number of groups, counts)` for each line in which a row has a bit, with the counts of groups of 16
/// targets; returns the sum of all.
/// \param rows     fewer than 2^Levels
/// \param targets  a multiple of 16
template <unsigned Levels, class Visit>
std::uint64_t count_bits(std::span<const std::uint16_t* const> rows, std::size_t targets, Visit visit) noexcept {
  constexpr BitCounts bit_of{1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                             1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
  std::uint64_t sum = 0;
  for (std::size_t first = 0; first < targets; first += neurons_of_line) {
    alignas(64) std::array<BitLine, Levels> levels;
    add_up<Levels>(rows, first / 16, levels);
    std::uint64_t counted = 0;
    for (unsigned level = 0; level < Levels; ++level)
      for (std::size_t word = 0; word < 8; ++word)
        counted += static_cast<std::uint64_t>(std::popcount(static_cast<std::uint64_t>(levels[level][word]))) << level;
    if (counted == 0) continue;
    sum += counted;
    std::array<std::array<std::uint16_t, halves_of_line>, Levels> halves;
    std::memcpy(&halves, &levels, sizeof halves);
    const std::size_t groups = (std::min)(halves_of_line, (targets - first) / 16);
    std::array<BitCounts, halves_of_line> counts;
    for (std::size_t group = 0; group < groups; ++group) {
      BitCounts all{};
      for (unsigned level = 0; level < Levels; ++level) {
        const std::uint16_t half = halves[level][group], value = static_cast<std::uint16_t>(1U << level);
        const BitCounts bits =
            BitCounts{} + half; // of a variable: gcc refuses expressions where it checks shifts or bounds
        all |= ((bits & bit_of) != 0) & (BitCounts{} + value);
      }
      counts[group] = all;
    }
    visit(first, groups, counts);
  }
  return sum;
}

} // namespace detail
} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
