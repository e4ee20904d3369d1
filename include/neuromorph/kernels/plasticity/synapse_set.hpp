// SPDX-License-Identifier: BSL-1.0
/// \file
/// Any set of the synapses of an array, one bit each: what masks are made from and looked at with.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_SYNAPSE_SET_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_SYNAPSE_SET_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/vector_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Where a synapse is in its array.
struct SynapsePlace {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  friend constexpr bool operator==(const SynapsePlace&, const SynapsePlace&) noexcept = default;
};

/// Bit i is lane i of a vector.
using LaneBits = std::uint16_t;
inline constexpr LaneBits all_lane_bits = 0xFFFF;

/// \tparam Rows, Columns  of the array; a row has ceil(Columns / 16) vectors, its last one may end before lane 15
///
///     constexpr auto left = SynapseSet<32, 32>::where([](auto, auto column) { return column < 16; });
///     constexpr auto rest = ~left;
///     for (const auto [row, column] : rest) ...
///
/// All of it is `constexpr`, and a set may be a template argument.
/// \cost 2 bytes per vector; operations O(vectors)
template <std::uint32_t Rows, std::uint32_t Columns>
class SynapseSet {
  static_assert(Rows >= 1 && Columns >= 1, "neuromorph: an array of synapses has at least one row and one column");
  static_assert(Rows <= 0xFFFF'FFFFU / ((Columns + 15U) / 16U),
                "neuromorph: an array of synapses has fewer than 2^32 vectors");

public:
  static constexpr std::uint32_t rows = Rows, columns = Columns;
  static constexpr VectorAddress vectors_per_row = (Columns - 1) / 16 + 1;
  static constexpr VectorAddress vectors = Rows * vectors_per_row;

  [[nodiscard]] static constexpr VectorAddress address(SynapsePlace place) noexcept {
    return place.row * vectors_per_row + place.column / 16;
  }
  [[nodiscard]] static constexpr unsigned lane(SynapsePlace place) noexcept { return place.column % 16; }
  [[nodiscard]] static constexpr SynapsePlace place(VectorAddress address, unsigned lane) noexcept {
    return {address / vectors_per_row, address % vectors_per_row * 16 + lane};
  }

  /// Empty.
  constexpr SynapseSet() noexcept = default;
  [[nodiscard]] static constexpr SynapseSet all() noexcept { return ~SynapseSet(); }

  /// The synapses for which `predicate(row, column)` is true.
  template <class Predicate>
  [[nodiscard]] static constexpr SynapseSet where(Predicate predicate) {
    SynapseSet set;
    for (std::uint32_t row = 0; row < Rows; ++row)
      for (std::uint32_t column = 0; column < Columns; ++column)
        if (predicate(row, column)) set.put({row, column});
    return set;
  }
  /// In any order; a synapse may be named more than once.
  /// \errors synapse_out_of_range: row, or column if the row is legal; where: its position in the list
  template <detail::RangeOf<const SynapsePlace> Range>
  [[nodiscard]] static constexpr Result<SynapseSet> from_list(const Range& places) noexcept {
    SynapseSet set;
    for (std::size_t at = 0; at < places.size(); ++at) {
      if (const Status status = check(places.data()[at], static_cast<std::uint32_t>(at)); !status) return status;
      set.put(places.data()[at]);
    }
    return set;
  }
  /// Row after row, one bit per synapse, the lowest bit of a byte first; every row begins with a new byte. Bits beyond
  /// the last column do not count.
  /// \errors lengths_differ: bits: not Rows ceil(Columns / 8) bytes
  template <detail::RangeOf<const std::uint8_t> Range>
  [[nodiscard]] static constexpr Result<SynapseSet> from_bitmap(const Range& bits) noexcept {
    constexpr std::size_t bytes_per_row = (std::size_t{Columns} + 7) / 8;
    if (bits.size() != bytes_per_row * Rows) return Status{Error::lengths_differ, 0, bits.size(), "bits"};
    SynapseSet set;
    for (std::uint32_t row = 0; row < Rows; ++row)
      for (std::uint32_t column = 0; column < Columns; ++column)
        if ((bits.data()[row * bytes_per_row + column / 8] >> column % 8 & 1) != 0) set.put({row, column});
    return set;
  }
  /// Row after row, one byte per synapse: in the set if it is not 0, as in the vectors of a mask.
  /// \errors lengths_differ: bytes: not Rows * Columns
  template <detail::RangeOf<const std::uint8_t> Range>
  [[nodiscard]] static constexpr Result<SynapseSet> from_bytes(const Range& bytes) noexcept {
    if (bytes.size() != std::size_t{Rows} * Columns) return Status{Error::lengths_differ, 0, bytes.size(), "bytes"};
    SynapseSet set;
    for (std::uint32_t row = 0; row < Rows; ++row)
      for (std::uint32_t column = 0; column < Columns; ++column)
        if (bytes.data()[std::size_t{row} * Columns + column] != 0) set.put({row, column});
    return set;
  }

  /// \errors synapse_out_of_range: row, or column if the row is legal
  constexpr Status insert(SynapsePlace place) noexcept {
    const Status status = check(place, 0);
    if (status) put(place);
    return status;
  }
  /// \errors as `insert`
  constexpr Status erase(SynapsePlace place) noexcept {
    const Status status = check(place, 0);
    if (status) words[address(place)] = static_cast<LaneBits>(words[address(place)] & ~(1U << lane(place)));
    return status;
  }
  /// False for what lies outside the array.
  [[nodiscard]] constexpr bool contains(SynapsePlace place) const noexcept {
    return place.row < Rows && place.column < Columns && (words[address(place)] >> lane(place) & 1) != 0;
  }

  [[nodiscard]] constexpr std::uint64_t count() const noexcept {
    std::uint64_t total = 0;
    for (const LaneBits word : words) total += static_cast<unsigned>(std::popcount(word));
    return total;
  }
  [[nodiscard]] constexpr bool empty() const noexcept { return *this == SynapseSet(); }
  /// Vectors of which all 16 lanes are in the set, and those of which only some are.
  [[nodiscard]] constexpr std::size_t full_vectors() const noexcept {
    std::size_t total = 0;
    for (const LaneBits word : words) total += word == all_lane_bits ? 1 : 0;
    return total;
  }
  [[nodiscard]] constexpr std::size_t partial_vectors() const noexcept {
    std::size_t total = 0;
    for (const LaneBits word : words) total += word != 0 && word != all_lane_bits ? 1 : 0;
    return total;
  }

  /// Union, intersection, difference, complement.
  [[nodiscard]] friend constexpr SynapseSet operator|(SynapseSet a, const SynapseSet& b) noexcept {
    for (std::size_t at = 0; at < vectors; ++at) a.words[at] = static_cast<LaneBits>(a.words[at] | b.words[at]);
    return a;
  }
  [[nodiscard]] friend constexpr SynapseSet operator&(SynapseSet a, const SynapseSet& b) noexcept {
    for (std::size_t at = 0; at < vectors; ++at) a.words[at] = static_cast<LaneBits>(a.words[at] & b.words[at]);
    return a;
  }
  [[nodiscard]] friend constexpr SynapseSet operator-(SynapseSet a, const SynapseSet& b) noexcept {
    for (std::size_t at = 0; at < vectors; ++at) a.words[at] = static_cast<LaneBits>(a.words[at] & ~b.words[at]);
    return a;
  }
  [[nodiscard]] constexpr SynapseSet operator~() const noexcept {
    constexpr auto last = static_cast<LaneBits>(all_lane_bits >> (vectors_per_row * 16 - Columns));
    SynapseSet result = *this;
    for (std::size_t at = 0; at < vectors; ++at)
      result.words[at] =
          static_cast<LaneBits>(~words[at] & (at % vectors_per_row == vectors_per_row - 1 ? last : 0xFFFF));
    return result;
  }
  friend constexpr bool operator==(const SynapseSet&, const SynapseSet&) noexcept = default;

  /// Ascending by row, then by column.
  class Iterator {
  public:
    constexpr Iterator(const SynapseSet& of_set, VectorAddress start) noexcept : set_(&of_set), at_(start), left_(0) {
      find();
    }
    [[nodiscard]] constexpr SynapsePlace operator*() const noexcept {
      return place(at_, static_cast<unsigned>(std::countr_zero(left_)));
    }
    constexpr Iterator& operator++() noexcept {
      left_ = static_cast<LaneBits>(left_ & (left_ - 1));
      if (left_ == 0) ++at_, find();
      return *this;
    }
    friend constexpr bool operator==(const Iterator&, const Iterator&) noexcept = default;

  private:
    constexpr void find() noexcept {
      while (at_ < vectors && set_->words[at_] == 0) ++at_;
      left_ = at_ < vectors ? set_->words[at_] : LaneBits{0};
    }
    const SynapseSet* set_;
    VectorAddress at_;
    LaneBits left_; // lanes of this vector from the current one on
  };
  [[nodiscard]] constexpr Iterator begin() const noexcept { return {*this, 0}; }
  [[nodiscard]] constexpr Iterator end() const noexcept { return {*this, vectors}; }

  /// One word per vector. Public only so that a set may be a template argument; lanes beyond the last column stay 0.
  std::array<LaneBits, vectors> words{};

private:
  [[nodiscard]] static constexpr Status check(SynapsePlace place, std::uint32_t where) noexcept {
    if (place.row >= Rows) return {Error::synapse_out_of_range, where, place.row, "row"};
    if (place.column >= Columns) return {Error::synapse_out_of_range, where, place.column, "column"};
    return {};
  }
  constexpr void put(SynapsePlace place) noexcept {
    words[address(place)] = static_cast<LaneBits>(words[address(place)] | 1U << lane(place));
  }
};

/// Whether no synapse is in both.
template <std::uint32_t Rows, std::uint32_t Columns>
[[nodiscard]] constexpr bool disjoint(const SynapseSet<Rows, Columns>& a, const SynapseSet<Rows, Columns>& b) noexcept {
  return (a & b).empty();
}

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
