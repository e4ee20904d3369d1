// SPDX-License-Identifier: BSL-1.0
/// \file
/// Whole loops over rows of words, in plain C++: what they mean, for every backend that has them in assembly.
///
/// A loop knows words and addresses, not neurons: which fields a word has is said by its template arguments and its
/// name, and kernels/ chooses. Two events on one element always both count, in the order of the row.
#ifndef NEUROMORPH_TARGET_WORD_LOOPS_HPP
#define NEUROMORPH_TARGET_WORD_LOOPS_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Base of target::Generic.
struct WordLoops {
  /// ring[(word + offset) mod 2^AddressBits] += weight, the bits of the word above its address; sums modulo 2^32.
  ///
  /// \tparam AddressBits  8..24
  /// \tparam IsSigned  whether weights carry a sign
  /// \param ring   [2^AddressBits]
  /// \param row  [count] words, any count
  template <unsigned AddressBits, bool IsSigned>
  static constexpr void add_row_wrap(std::int32_t* ring, const std::uint32_t* row, std::size_t count,
                                     std::uint32_t offset) noexcept {
    // In groups, so that the loop's own instructions are few.
    for (; count >= 8; count -= 8, row += 8) {
      add_one<AddressBits, IsSigned>(ring, row[0], offset);
      add_one<AddressBits, IsSigned>(ring, row[1], offset);
      add_one<AddressBits, IsSigned>(ring, row[2], offset);
      add_one<AddressBits, IsSigned>(ring, row[3], offset);
      add_one<AddressBits, IsSigned>(ring, row[4], offset);
      add_one<AddressBits, IsSigned>(ring, row[5], offset);
      add_one<AddressBits, IsSigned>(ring, row[6], offset);
      add_one<AddressBits, IsSigned>(ring, row[7], offset);
    }
    for (; count != 0; --count) add_one<AddressBits, IsSigned>(ring, *row++, offset);
  }

  /// The same into 16-bit elements, held at 65535. Weights are magnitudes.
  ///
  /// \tparam IsComplement  the bits above the address are 65535 - weight, at most 65535; AddressBits is then at most 16
  /// \param ring  [2^AddressBits]
  /// \returns how many events were held
  template <unsigned AddressBits, bool IsComplement>
  [[nodiscard]] static constexpr std::uint32_t add_row_wrap_saturating(std::uint16_t* ring, const std::uint32_t* row,
                                                                       std::size_t count,
                                                                       std::uint32_t offset) noexcept {
    std::uint32_t held = 0;
    for (; count >= 4; count -= 4, row += 4) {
      held += add_one_saturating<AddressBits, IsComplement>(ring, row[0], offset);
      held += add_one_saturating<AddressBits, IsComplement>(ring, row[1], offset);
      held += add_one_saturating<AddressBits, IsComplement>(ring, row[2], offset);
      held += add_one_saturating<AddressBits, IsComplement>(ring, row[3], offset);
    }
    for (; count != 0; --count) held += add_one_saturating<AddressBits, IsComplement>(ring, *row++, offset);
    return held;
  }

  /// Events without wrap-around: the upper half of a word is the distance of an element from `slot` in bytes, a
  /// multiple of 4; the lower half a signed weight.
  static constexpr void add_rowlet(std::int32_t* slot, const std::uint32_t* row, std::size_t count) noexcept {
    for (std::size_t at = 0; at < count; ++at) {
      std::int32_t& cell = slot[row[at] >> 18];
      cell = sum(cell, static_cast<std::int16_t>(row[at]));
    }
  }

  /// The same into 16-bit elements, held at 65535: the upper half of a word is 65535 - weight, the lower half the
  /// distance in bytes, even and below 32768.
  /// \returns how many events were held
  [[nodiscard]] static constexpr std::uint32_t add_rowlet_saturating(std::uint16_t* slot, const std::uint32_t* row,
                                                                     std::size_t count) noexcept {
    std::uint32_t held = 0;
    for (std::size_t at = 0; at < count; ++at) held += add_held(slot[(row[at] & 0x7FFF) >> 1], 65535 - (row[at] >> 16));
    return held;
  }

  /// Two events in two words: a word of two signed weights, then a word of their two distances from `slot` in bytes.
  /// \param row  [2 * pairs]; the events of the upper halves come first
  static constexpr void add_pairs(std::int32_t* slot, const std::uint32_t* row, std::size_t pairs) noexcept {
    for (std::size_t at = 0; at < 2 * pairs; at += 2) {
      std::int32_t& upper = slot[row[at + 1] >> 18];
      upper = sum(upper, static_cast<std::int32_t>(row[at]) >> 16);
      std::int32_t& lower = slot[(row[at + 1] & 0xFFFF) >> 2];
      lower = sum(lower, static_cast<std::int16_t>(row[at]));
    }
  }

  /// Events of one weight: each half of a word of `row`, the lower first, is the distance of an element from `slot` in
  /// bytes, a multiple of 4.
  /// \param row  [(count + 1) / 2]
  static constexpr void add_uniform(std::int32_t* slot, const std::uint32_t* row, std::size_t count,
                                    std::int32_t weight) noexcept {
    const auto one = [&](std::uint32_t distance) { slot[distance >> 2] = sum(slot[distance >> 2], weight); };
    for (; count >= 2; count -= 2) {
      const std::uint32_t both = *row++;
      one(both & 0xFFFF), one(both >> 16);
    }
    if (count != 0) one(*row & 0xFFFF);
  }

  /// slot[k] += weight k.
  /// \param weights  [(count + 1) / 2] two signed weights a word, the lower half first
  static constexpr void add_dense(std::int32_t* slot, const std::uint32_t* weights, std::size_t count) noexcept {
    for (; count >= 2; count -= 2) {
      const std::uint32_t both = *weights++;
      slot[0] = sum(slot[0], static_cast<std::int16_t>(both));
      slot[1] = sum(slot[1], static_cast<std::int32_t>(both) >> 16);
      slot += 2;
    }
    if (count != 0) *slot = sum(*slot, static_cast<std::int16_t>(*weights));
  }

  /// Copies `count` words between buffers that do not overlap, and sets those at `from` to zero.
  static constexpr void take_words(std::int32_t* to, std::int32_t* from, std::size_t count) noexcept {
    for (std::size_t at = 0; at < count; ++at) {
      to[at] = from[at];
      from[at] = 0;
    }
  }

  static constexpr void clear_words(std::uint32_t* to, std::size_t count) noexcept {
    for (std::size_t at = 0; at < count; ++at) to[at] = 0;
  }

  /// Copies `Words` words between buffers that do not overlap, without a loop on backends that can.
  template <std::size_t Words>
  static constexpr void copy_block(std::uint32_t* to, const std::uint32_t* from) noexcept {
    for (std::size_t at = 0; at < Words; ++at) to[at] = from[at];
  }

protected:
  [[nodiscard]] static constexpr std::int32_t sum(std::int32_t a, std::int32_t b) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  }

  /// One event of add_row_wrap.
  template <unsigned AddressBits, bool IsSigned>
  static constexpr void add_one(std::int32_t* ring, std::uint32_t word, std::uint32_t offset) noexcept {
    constexpr std::uint32_t mask = (std::uint32_t{1} << AddressBits) - 1;
    std::int32_t& cell = ring[(word + offset) & mask];
    cell = sum(cell, IsSigned ? static_cast<std::int32_t>(word) >> AddressBits
                              : static_cast<std::int32_t>(word >> AddressBits));
  }

  /// One event of add_row_wrap_saturating; whether it was held.
  template <unsigned AddressBits, bool IsComplement>
  [[nodiscard]] static constexpr bool add_one_saturating(std::uint16_t* ring, std::uint32_t word,
                                                         std::uint32_t offset) noexcept {
    constexpr std::uint32_t mask = (std::uint32_t{1} << AddressBits) - 1;
    const std::uint32_t bits = word >> AddressBits;
    return add_held(ring[(word + offset) & mask], IsComplement ? 65535 - bits : bits);
  }

  /// Whether the cell was held at 65535.
  [[nodiscard]] static constexpr bool add_held(std::uint16_t& cell, std::uint32_t weight) noexcept {
    const std::uint32_t total = cell + weight;
    cell = static_cast<std::uint16_t>(total > 65535 ? 65535 : total);
    return total > 65535;
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
