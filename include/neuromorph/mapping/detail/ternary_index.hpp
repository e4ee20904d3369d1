// SPDX-License-Identifier: BSL-1.0
/// \file
/// Finds all of many sets of keys that have a key in common with a given one, some tens of them at a time.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_TERNARY_INDEX_HPP
#define NEUROMORPH_MAPPING_DETAIL_TERNARY_INDEX_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/mapped.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

/// The fewest bits fixed such that both are in it.
[[nodiscard]] constexpr KeyMask joined(const KeyMask& a, const KeyMask& b) noexcept {
  const std::uint32_t mask = a.mask & b.mask & ~(a.key ^ b.key);
  return {a.key & mask, mask};
}
/// Whether all of b is in a.
[[nodiscard]] constexpr bool contains(const KeyMask& a, const KeyMask& b) noexcept {
  return (a.mask & ~b.mask) == 0 && ((a.key ^ b.key) & a.mask) == 0;
}

/// Sets of bits, one for each item; all have as many words.
using Bits = std::uint64_t;
[[nodiscard]] constexpr std::size_t words_for(std::size_t items) noexcept {
  return ((items + 63) / 64 + 3) & ~std::size_t{3}; // in fours
}
[[nodiscard]] constexpr bool is_in(const Bits* set, std::size_t item) noexcept {
  return (set[item / 64] >> item % 64 & 1) != 0;
}
constexpr void insert(Bits* set, std::size_t item) noexcept { set[item / 64] |= Bits{1} << item % 64; }
constexpr void erase(Bits* set, std::size_t item) noexcept { set[item / 64] &= ~(Bits{1} << item % 64); }
constexpr void erase(Bits* set, std::size_t from, std::size_t to) noexcept {
  for (; from < to && from % 64 != 0; ++from) erase(set, from);
  for (; from + 64 <= to; from += 64) set[from / 64] = 0;
  for (; from < to; ++from) erase(set, from);
}

/// For each bit of keys in which items differ, the items that may have a zero there, and those that may have a one.
class TernaryIndex {
public:
  void make(std::span<const KeyMask> items) {
    words_ = words_for(items.size());
    std::uint32_t differ = 0;
    for (const KeyMask& one : items) differ |= (one.key ^ items[0].key) | (one.mask ^ items[0].mask);
    looked_at_ = differ;
    planes_.assign(2 * words_ * static_cast<std::size_t>(std::popcount(differ)), 0);
    all_.assign(words_, 0);
    for (std::size_t at = 0; at < items.size(); ++at) {
      insert(all_.data(), at);
      Bits* plane = planes_.data();
      for (std::uint32_t left = differ; left != 0; left &= left - 1, plane += 2 * words_) {
        const std::uint32_t bit = left & ~(left - 1);
        if ((items[at].mask & bit) == 0)
          insert(plane, at), insert(plane + words_, at);
        else
          insert((items[at].key & bit) != 0 ? plane + words_ : plane, at);
      }
    }
    plane_of_.fill(0);
    std::size_t plane = 0;
    for (std::uint32_t left = differ; left != 0; left &= left - 1)
      plane_of_[static_cast<std::size_t>(std::countr_zero(left))] = static_cast<std::uint32_t>(2 * words_ * plane++);
  }
  [[nodiscard]] std::size_t words() const noexcept { return words_; }

  /// Items that have a key in common with a set that differs from them in no bit in which they are all alike.
  void find(const KeyMask& with, Bits* found) const noexcept {
    const Bits* used[32];
    std::size_t count = 0;
    for (std::uint32_t left = looked_at_ & with.mask; left != 0; left &= left - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(left));
      used[count++] = planes_.data() + plane_of_[bit] + ((with.key >> bit & 1) != 0 ? words_ : 0);
    }
    for (std::size_t word = 0; word < words_; word += 4) {
      Bits a = all_[word], b = all_[word + 1], c = all_[word + 2], d = all_[word + 3];
      for (std::size_t at = 0; at < count; ++at) {
        const Bits* const plane = used[at] + word;
        a &= plane[0], b &= plane[1], c &= plane[2], d &= plane[3];
      }
      found[word] = a, found[word + 1] = b, found[word + 2] = c, found[word + 3] = d;
    }
  }

private:
  std::size_t words_ = 0;
  std::uint32_t looked_at_ = 0;
  std::vector<Bits> planes_ = {}, all_ = {};
  std::array<std::uint32_t, 32> plane_of_ = {};
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
