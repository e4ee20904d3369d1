// SPDX-License-Identifier: BSL-1.0
/// \file
/// Ordered covering: a table whose entries stand with the fewest free bits first, where a merge takes the place that its free
/// bits give it. What it may not cover below it or leave covered above it is taken out of it.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_ORDERED_COVERING_HPP
#define NEUROMORPH_MAPPING_DETAIL_ORDERED_COVERING_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/table_items.hpp>
#include <neuromorph/mapping/detail/ternary_index.hpp>
#include <neuromorph/mapping/mapped.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

/// \source A. Mundy, J. Heathcote, J. D. Garside, On-chip order-exploiting routing table minimization for a multicast supercomputer
///         network, HPSR 2016. Here entries of one route may cover each other, and items that are left out stand below all others
class OrderedCovering {
public:
  /// \pre items of different routes have no keys in common
  void make(const TableItems& table, std::size_t target) {
    items_ = table.items(), left_out_.clear(), rows_.clear();
    next_.assign(items_.size(), none);
    for (std::uint32_t at = 0; at < items_.size(); ++at)
      if (items_[at].is_needed)
        rows_.push_back({items_[at].keys, items_[at].route, items_[at].from, at});
      else
        left_out_.push_back(at);
    std::stable_sort(rows_.begin(), rows_.end(),
                     [](const Row& a, const Row& b) { return free_bits(a) < free_bits(b); });
    while (rows_.size() > target && merge_once()) {}
  }
  void write(std::vector<TableEntry>& entries) const {
    entries.clear();
    for (const Row& one : rows_) entries.push_back({one.keys, one.route, one.from});
  }

private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  struct Row {
    KeyMask keys{};
    Route route = 0, from = 0;
    std::uint32_t first = none; ///< its items
  };
  [[nodiscard]] static int free_bits(const KeyMask& keys) noexcept { return std::popcount(~keys.mask); }
  [[nodiscard]] static int free_bits(const Row& row) noexcept { return free_bits(row.keys); }

  /// The merge that leaves out most entries, of all entries of a route that may be merged.
  bool merge_once() {
    order_.clear();
    for (std::uint32_t at = 0; at < rows_.size(); ++at) order_.push_back(std::uint64_t{rows_[at].route} << 32 | at);
    std::sort(order_.begin(), order_.end());
    best_.clear();
    for (std::size_t from = 0, past; from < order_.size(); from = past) {
      for (past = from; past < order_.size() && order_[past] >> 32 == order_[from] >> 32;) ++past;
      if (past - from < (std::max<std::size_t>)(2, best_.size() + 1)) continue;
      members_.clear();
      for (std::size_t at = from; at < past; ++at) members_.push_back(static_cast<std::uint32_t>(order_[at]));
      refine();
      if (members_.size() > (std::max<std::size_t>)(1, best_.size())) best_ = members_;
    }
    if (best_.empty()) return false;
    members_ = best_;
    place();
    Row merged{keys_, rows_[members_[0]].route, 0};
    for (const std::uint32_t one : members_) {
      std::uint32_t last = rows_[one].first;
      while (next_[last] != none) last = next_[last];
      next_[last] = merged.first, merged.first = rows_[one].first, merged.from |= rows_[one].from;
      rows_[one].first = none;
    }
    rows_.insert(rows_.begin() + static_cast<std::ptrdiff_t>(place_), merged);
    std::erase_if(rows_, [](const Row& row) { return row.first == none; });
    return true;
  }
  /// What the members are together, and before which row that stands.
  void place() {
    keys_ = rows_[members_[0]].keys;
    for (const std::uint32_t one : members_) keys_ = joined(keys_, rows_[one].keys);
    const int free = free_bits(keys_);
    place_ = static_cast<std::size_t>(
        std::partition_point(rows_.begin(), rows_.end(), [&](const Row& row) { return free_bits(row) <= free; }) -
        rows_.begin());
  }
  void refine() {
    // Up: a member that moves down must not come behind a row that has some of its keys.
    for (bool has_changed = true; has_changed && members_.size() > 1;) {
      place();
      has_changed = std::erase_if(members_, [&](std::uint32_t member) {
                      for (std::size_t at = member + 1; at < place_; ++at)
                        if (rows_[at].route != rows_[member].route && overlap(rows_[at].keys, rows_[member].keys))
                          return true;
                      return false;
                    }) != 0;
    }
    // Down: it must not have keys of items below it. Of those with the fewest ways to be avoided, the way that costs least.
    while (members_.size() > 1) {
      place();
      std::uint32_t ones = 0, zeros = 0; // bits that a member may ask for to avoid that item
      int fewest = 33;
      const auto see = [&](const TableItem& item) {
        if (!overlap(keys_, item.keys)) return;
        const std::uint32_t ways = ~keys_.mask & item.keys.mask;
        if (std::popcount(ways) >= fewest) return;
        fewest = std::popcount(ways), ones = ways & ~item.keys.key, zeros = ways & item.keys.key;
      };
      const Route route = rows_[members_[0]].route;
      for (std::size_t at = place_; at < rows_.size(); ++at)
        if (rows_[at].route != route)
          for (std::uint32_t item = rows_[at].first; item != none; item = next_[item]) see(items_[item]);
      for (const std::uint32_t item : left_out_)
        if (items_[item].route != route) see(items_[item]);
      if (fewest == 33) return;
      std::uint32_t best_bit = 0;
      std::size_t least = members_.size();
      for (std::uint32_t left = ones | zeros; left != 0; left &= left - 1) {
        const std::uint32_t bit = left & ~(left - 1);
        std::size_t lost = 0;
        for (const std::uint32_t one : members_) lost += !has(rows_[one], bit, (ones & bit) != 0);
        if (lost < least) least = lost, best_bit = bit;
      }
      if (best_bit == 0) return members_.clear();
      std::erase_if(members_, [&](std::uint32_t one) { return !has(rows_[one], best_bit, (ones & best_bit) != 0); });
    }
  }
  [[nodiscard]] static bool has(const Row& row, std::uint32_t bit, bool is_one) noexcept {
    return (row.keys.mask & bit) != 0 && ((row.keys.key & bit) != 0) == is_one;
  }

  std::span<const TableItem> items_ = {};
  std::vector<Row> rows_ = {};
  std::vector<std::uint32_t> left_out_ = {}, next_ = {}; ///< items; [item]: the next of its row
  std::vector<std::uint64_t> order_ = {};
  std::vector<std::uint32_t> members_ = {}, best_ = {}; ///< rows, ascending
  KeyMask keys_ = {};
  std::size_t place_ = 0;
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
