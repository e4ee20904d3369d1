// SPDX-License-Identifier: BSL-1.0
/// \file
/// What routers do with sets of keys: the first entry that meets a set, or the parts into which entries split it.
// host-only
#ifndef NEUROMORPH_MAPPING_PROOF_DETAIL_LOOKUP_HPP
#define NEUROMORPH_MAPPING_PROOF_DETAIL_LOOKUP_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/proof/problem.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace proof {
namespace detail {

/// The keys k with (k & mask) == key.
struct Cube {
  std::uint32_t key = 0, mask = 0;
};
/// Whether a key is in both. An entry whose key has bits that its mask lacks has no keys.
[[nodiscard]] constexpr bool meet(const Cube& cube, const Entry& entry) noexcept {
  return ((cube.key ^ entry.key) & cube.mask & entry.mask) == 0 && (entry.key & ~entry.mask) == 0;
}
[[nodiscard]] constexpr bool is_inside(const Cube& cube, const Entry& entry) noexcept {
  return (entry.mask & ~cube.mask) == 0;
}
/// \pre they meet
[[nodiscard]] constexpr Cube both(const Cube& cube, std::uint32_t key, std::uint32_t mask) noexcept {
  return {cube.key | (key & mask), cube.mask | mask};
}
/// Adds what of a cube is not in (key, mask), in cubes without a key in common.
/// \pre they meet
inline void subtract(Cube cube, std::uint32_t key, std::uint32_t mask, std::vector<Cube>& to) {
  for (std::uint32_t bits = mask & ~cube.mask; bits != 0; bits &= bits - 1) {
    const std::uint32_t one = bits & (~bits + 1);
    to.push_back({cube.key | (~key & one), cube.mask | one});
    cube.key |= key & one, cube.mask |= one;
  }
}

/// Keys that a router treats alike, by an entry or, with `none`, by its default.
struct Part {
  Cube cube = {};
  std::uint32_t entry = none;
};

/// Finds the entry for a set of keys. In long tables only those are looked at that agree with it in the bits which all masks have:
/// others match none of its keys.
class Lookup {
public:
  static constexpr std::uint32_t split = none - 1; ///< not all keys have the same entry, or none

  explicit Lookup(const Tables& tables) : tables_(&tables), places_(tables.first.size() - 1) {
    for (std::size_t chip = 0; chip < places_.size(); ++chip)
      if (tables[chip].size() > short_table) add_index(chip);
  }

  /// \return the number of the entry that all keys of the cube meet first, `none` where they meet none, or `split`
  [[nodiscard]] std::uint32_t find(std::size_t chip, const Cube& cube) const noexcept {
    const Place& place = places_[chip];
    const Entry* const entries = tables_->entries.data() + tables_->first[chip];
    if (place.shift != 0 && (place.common & ~cube.mask) == 0) {
      std::uint32_t at = heads_[place.head + bucket(cube.key & place.common, place.shift)];
      const std::uint32_t* const next = next_.data() + place.next;
      for (; at != none; at = next[at])
        if (meet(cube, entries[at])) return is_inside(cube, entries[at]) ? at : split;
      return none;
    }
    const auto count = static_cast<std::uint32_t>(tables_->first[chip + 1] - tables_->first[chip]);
    for (std::uint32_t at = 0; at < count; ++at)
      if (meet(cube, entries[at])) return is_inside(cube, entries[at]) ? at : split;
    return none;
  }

  /// The cube by the entries that its keys meet first.
  /// \return whether there are no more parts than `most`; else they are not all
  [[nodiscard]] bool find_parts(std::size_t chip, const Cube& cube, std::size_t most, std::vector<Part>& parts) const {
    parts.clear();
    std::vector<Cube> left{cube}, still;
    const std::span<const Entry> entries = (*tables_)[chip];
    for (std::uint32_t at = 0; at < entries.size() && !left.empty(); ++at) {
      const Entry& entry = entries[at];
      if (!meet(cube, entry)) continue;
      still.clear();
      for (const Cube& one : left) {
        if (!meet(one, entry)) {
          still.push_back(one);
          continue;
        }
        parts.push_back({both(one, entry.key, entry.mask), at});
        subtract(one, entry.key, entry.mask, still);
      }
      left.swap(still);
      if (parts.size() + left.size() > most) return false;
    }
    for (const Cube& one : left) parts.push_back({one, none});
    return true;
  }

private:
  static constexpr std::size_t short_table = 24; ///< to that length all are looked at
  struct Place {
    std::uint32_t common = 0; ///< bits that all masks have
    std::uint32_t shift = 0;  ///< 0: no index
    std::size_t head = 0, next = 0;
  };

  [[nodiscard]] static std::uint32_t bucket(std::uint32_t key, std::uint32_t shift) noexcept {
    return (key * 0x9E3779B1U) >> shift;
  }
  void add_index(std::size_t chip) {
    const std::span<const Entry> entries = (*tables_)[chip];
    Place& place = places_[chip];
    place.common = ~0U;
    for (const Entry& entry : entries) place.common &= entry.mask;
    if (place.common == 0) return;
    const auto bits = static_cast<std::uint32_t>((std::min)(std::bit_width(entries.size()), std::size_t{24}));
    place.shift = 32 - bits;
    place.head = heads_.size(), place.next = next_.size();
    heads_.resize(heads_.size() + (std::size_t{1} << bits), none);
    next_.resize(next_.size() + entries.size());
    for (std::size_t at = entries.size(); at-- != 0;) { // so that a bucket's entries ascend
      std::uint32_t& head = heads_[place.head + bucket(entries[at].key & place.common, place.shift)];
      next_[place.next + at] = head;
      head = static_cast<std::uint32_t>(at);
    }
  }

  const Tables* tables_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> heads_ = {}, next_ = {};
};

} // namespace detail
} // namespace proof
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
