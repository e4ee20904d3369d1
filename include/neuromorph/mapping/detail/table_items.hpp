// SPDX-License-Identifier: BSL-1.0
/// \file
/// A table as compression sees it: entries by route, without those that no packet meets; which may be left out, and which overlap.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_TABLE_ITEMS_HPP
#define NEUROMORPH_MAPPING_DETAIL_TABLE_ITEMS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/ternary_index.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/mapped.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

/// Stands in `TableEntry::from` for the cores of the chip: a tree does not say of which of them it comes.
inline constexpr Route from_cores = ~Route{0} << link_count;

/// Whether a packet of the entry goes where it would go without one.
[[nodiscard]] constexpr bool is_default(const TableEntry& entry) noexcept {
  const Route links = entry.from & ~from_cores;
  return (entry.from & from_cores) == 0 && links != 0 && (links & (links - 1)) == 0 &&
         entry.route == (links < 8 ? links << 3 : links >> 3);
}

namespace detail {

/// An entry of the table that is compressed.
struct TableItem {
  KeyMask keys{};
  Route route = 0, from = 0;
  std::uint32_t at = 0;   ///< in the table
  bool is_needed = false; ///< it cannot be left out
};

class TableItems {
public:
  /// Items of one route.
  struct Group {
    std::uint32_t first = 0, needed_end = 0, end = 0; ///< those that are needed come first
  };

  /// Leaves out what no packet meets.
  void read(std::span<const TableEntry> table, bool has_defaults) {
    items_.clear(), overlaps_ = false, needed_ = 0;
    bool is_alike = true; // all masks
    for (std::size_t at = 0; at < table.size(); ++at) {
      const TableEntry& one = table[at];
      if ((one.keys.key & ~one.keys.mask) != 0) continue; // matches nothing
      is_alike = is_alike && one.keys.mask == table[0].keys.mask;
      items_.push_back(
          {one.keys, one.route, one.from, static_cast<std::uint32_t>(at), !has_defaults || !is_default(one)});
    }
    is_alike ? leave_out_twins() : compare_all();
    for (const TableItem& one : items_) needed_ += one.is_needed;
  }
  /// Puts items of one route together; before that they stand as in the table.
  void sort() {
    by_route_.clear();
    for (std::size_t at = 0; at < items_.size(); ++at)
      by_route_.push_back(std::uint64_t{items_[at].route} << 32 | (items_[at].is_needed ? 0U : 1U << 31) | at);
    std::sort(by_route_.begin(), by_route_.end());
    sorted_.clear(), groups_.clear();
    for (const std::uint64_t one : by_route_) {
      const TableItem& item = items_[one & 0x7FFFFFFF];
      const auto at = static_cast<std::uint32_t>(sorted_.size());
      if (groups_.empty() || sorted_.back().route != item.route) groups_.push_back({at, at, at});
      sorted_.push_back(item);
      groups_.back().needed_end += item.is_needed;
      ++groups_.back().end;
    }
    items_.swap(sorted_);
  }

  [[nodiscard]] std::span<const TableItem> items() const noexcept { return items_; }
  [[nodiscard]] std::span<const Group> groups() const noexcept { return groups_; }
  /// Whether items of different routes have keys in common: the first in the table counts.
  [[nodiscard]] bool overlaps() const noexcept { return overlaps_; }
  [[nodiscard]] std::size_t needed() const noexcept { return needed_; }
  /// Whether all keys of both are those of items of the table before the item: what an entry does with them is no matter.
  [[nodiscard]] bool is_hidden(const KeyMask& keys, const TableItem& item) const noexcept {
    if (!overlaps_) return false;
    const KeyMask both{(keys.key & keys.mask) | (item.keys.key & item.keys.mask), keys.mask | item.keys.mask};
    for (const TableItem& one : items_)
      if (one.at < item.at && contains(one.keys, both)) return true;
    return false;
  }

private:
  /// With one mask, items are the same or apart.
  void leave_out_twins() {
    std::size_t size = 16;
    while (size < 2 * items_.size()) size *= 2;
    slots_.assign(size, 0);
    std::size_t kept = 0;
    for (const TableItem& one : items_) {
      std::size_t slot = (one.keys.key * std::uint64_t{0x9E3779B97F4A7C15} >> 32) & (size - 1);
      while (slots_[slot] != 0 && items_[slots_[slot] - 1].keys.key != one.keys.key) slot = (slot + 1) & (size - 1);
      if (slots_[slot] != 0) continue;
      items_[kept++] = one;
      slots_[slot] = static_cast<std::uint32_t>(kept);
    }
    items_.resize(kept);
  }
  void compare_all() {
    std::size_t kept = 0;
    for (const TableItem& one : items_) {
      bool is_hidden = false;
      for (std::size_t at = 0; at < kept && !is_hidden; ++at) is_hidden = contains(items_[at].keys, one.keys);
      if (!is_hidden) items_[kept++] = one;
    }
    items_.resize(kept);
    for (std::size_t at = 0; at < kept; ++at)
      for (std::size_t later = at + 1; later < kept; ++later)
        if (items_[at].route != items_[later].route && overlap(items_[at].keys, items_[later].keys)) {
          overlaps_ = true;
          items_[at].is_needed = true; // the later one would take its keys
        }
  }

  std::vector<TableItem> items_ = {}, sorted_ = {};
  std::vector<Group> groups_ = {};
  std::vector<std::uint64_t> by_route_ = {};
  std::vector<std::uint32_t> slots_ = {};
  std::size_t needed_ = 0;
  bool overlaps_ = false;
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
