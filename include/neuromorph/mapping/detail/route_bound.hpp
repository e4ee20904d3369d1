// SPDX-License-Identifier: BSL-1.0
/// \file
/// How many entries a table needs at least, proved part by part.
///
/// Whoever takes from a table all entries but those of some routes has a table for the keys of these routes. So routes are put into
/// parts, what a part needs for some of its keys is found exactly, and parts are added up. Keys that could be left out
/// count in the part that has their route, and are nobody's concern in others: an entry may have keys of both kinds.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_ROUTE_BOUND_HPP
#define NEUROMORPH_MAPPING_DETAIL_ROUTE_BOUND_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/exact_cover.hpp>
#include <neuromorph/mapping/detail/table_items.hpp>
#include <neuromorph/mapping/detail/ternary_index.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

class RouteBound {
public:
  /// Routes with an item that must be matched, and whose keys no item before it has.
  [[nodiscard]] static std::size_t routes(const TableItems& table) {
    std::size_t count = 0;
    for (const TableItems::Group& group : table.groups()) {
      bool is_needed = false;
      for (std::uint32_t at = group.first; at < group.needed_end && !is_needed; ++at) {
        const TableItem& item = table.items()[at];
        is_needed = true;
        if (table.overlaps())
          for (const TableItem& other : table.items())
            is_needed =
                is_needed && (other.route == item.route || other.at > item.at || !overlap(other.keys, item.keys));
      }
      count += is_needed;
    }
    return count;
  }

  /// \param effort  states that are looked at for a part, at most
  [[nodiscard]] std::size_t find(const TableItems& table, std::uint64_t effort) {
    std::size_t bound = routes(table);
    if (table.overlaps()) return bound;
    table_ = &table, effort_ = effort, groups_.clear();
    for (const TableItems::Group& group : table.groups())
      if (group.needed_end - group.first >= 2) groups_.push_back(group);
    std::stable_sort(groups_.begin(), groups_.end(), [](const TableItems::Group& a, const TableItems::Group& b) {
      return a.needed_end - a.first > b.needed_end - b.first;
    });
    for (std::size_t at = 0; at < groups_.size(); at += of_part)
      bound += part({groups_.data() + at, (std::min)(of_part, groups_.size() - at)});
    return bound;
  }

private:
  static constexpr std::uint32_t most = 6;  ///< items of a route that are looked at
  static constexpr std::size_t of_part = 5; ///< routes

  /// \return how many entries more than routes a part needs
  std::size_t part(std::span<const TableItems::Group> groups) {
    const auto items = table_->items();
    asked_.clear();
    for (const TableItems::Group& group : groups) {
      const std::uint32_t size = group.needed_end - group.first, taken = (std::min)(size, most);
      for (std::uint32_t at = 0; at < taken; ++at) {
        const TableItem& item = items[group.first + at * size / taken];
        asked_.push_back({item.keys, item.route, true});
      }
    }
    std::size_t least = solve();
    for (const TableItems::Group& group : groups) {
      std::size_t room = ExactCover::most_of_group - most;
      for (std::uint32_t at = group.needed_end; at < group.end && room != 0; ++at) {
        if (asked_.size() == ExactCover::most_items) break;
        asked_.push_back({items[at].keys, items[at].route, false});
        const std::size_t more = solve();
        if (more > least)
          least = more, --room;
        else
          asked_.pop_back();
      }
    }
    return least - groups.size();
  }
  [[nodiscard]] std::size_t solve() {
    sorted_ = asked_;
    std::stable_sort(sorted_.begin(), sorted_.end(),
                     [](const CoveredItem& a, const CoveredItem& b) { return a.group < b.group; });
    exact_.make(sorted_, effort_);
    return exact_.least();
  }

  const TableItems* table_ = nullptr;
  std::uint64_t effort_ = 0;
  std::vector<TableItems::Group> groups_ = {};
  std::vector<CoveredItem> asked_ = {}, sorted_ = {};
  ExactCover exact_ = {};
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
