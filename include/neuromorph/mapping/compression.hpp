// SPDX-License-Identifier: BSL-1.0
/// \file
/// Fewer entries that do the same.
///
///     const auto fewer = mapping::compress(tables[chip], {.target = 1023});
///     std::printf("%zu entries, and no table has fewer than %zu\n", fewer.entries.size(), fewer.bound);
///
/// Kept is, for each key that an entry of the table matches, the route of the first that does. Where entries are left out because
/// their packets go straight on, the new table matches their keys with no other route. What becomes of keys that no entry
/// matched is not kept: they must not be sent, or stand in the table. The order of entries counts in what comes out.
// host-only
#ifndef NEUROMORPH_MAPPING_COMPRESSION_HPP
#define NEUROMORPH_MAPPING_COMPRESSION_HPP

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/exact_cover.hpp>
#include <neuromorph/mapping/detail/merges.hpp>
#include <neuromorph/mapping/detail/ordered_covering.hpp>
#include <neuromorph/mapping/detail/route_bound.hpp>
#include <neuromorph/mapping/detail/table_items.hpp>
#include <neuromorph/mapping/mapped.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

/// How entries are merged.
enum class Merging : std::uint8_t {
  none,             ///< what is hidden or default is left out
  in_turn,          ///< routes with few entries first, each entry with those behind it, where an order is left for all
  searched,         ///< as before, and then moved about
  ordered_covering, ///< as published; `in_turn` where entries overlap
  exact,            ///< the fewest of all where the table is small; else `searched`
};

struct CompressionOptions {
  Merging merging = Merging::searched;
  std::size_t target = 0;        ///< it is enough to have no more entries than this
  bool default_routes = true;    ///< leaves out entries that do what the router does without them
  std::uint64_t moves = 30000;   ///< of a search
  std::uint64_t exact = 1000000; ///< states of an exact one, at most
  std::uint64_t bound = 0;       ///< states for each part of the proof of a bound; 0: counts routes
  double seconds = 1e9;          ///< of a search; where it ends by time, another run may end elsewhere
  std::uint64_t seed = 1;
};

struct Compressed {
  std::vector<TableEntry> entries{};
  std::size_t bound = 0; ///< no table that has each entry whole in one of its own is shorter; 0: nobody has looked
};

/// Compresses tables one after another, in memory that is taken once.
class Compressor {
public:
  /// \return for each key that an entry matches, the route of the first that does
  /// \cost with n entries: `in_turn` up to n^2 / 64 words for each pair of a route; `searched` as many for each move, mostly n / 64
  [[nodiscard]] Compressed compress(std::span<const TableEntry> table, const CompressionOptions& options = {}) {
    using Clock = detail::Merges::Clock;
    const auto deadline =
        options.seconds < 1e6
            ? Clock::now() + std::chrono::nanoseconds(static_cast<std::int64_t>(options.seconds * 1e9))
            : (Clock::time_point::max)();
    Compressed made;
    items_.read(table, options.default_routes);
    if (options.merging == Merging::none || items_.needed() <= options.target) {
      for (const detail::TableItem& one : items_.items())
        if (one.is_needed) made.entries.push_back({one.keys, one.route, one.from});
      if (options.target != 0) return made;
    }
    items_.sort();
    made.bound = options.bound == 0 ? detail::RouteBound::routes(items_) : bound_.find(items_, options.bound);
    if (options.merging == Merging::none) return made;
    if (options.merging == Merging::exact && find_exact(made, options.exact)) return made;
    if (options.merging == Merging::ordered_covering && !items_.overlaps()) {
      covering_.make(items_, options.target);
      covering_.write(made.entries);
      return made;
    }
    merges_.make(items_);
    merges_.take_in_turn(options.target);
    if ((options.merging == Merging::searched || options.merging == Merging::exact) &&
        merges_.entries() > options.target)
      merges_.search(options.moves, options.seed, (std::max)(options.target, made.bound), deadline);
    merges_.write(made.entries);
    return made;
  }

private:
  /// \return whether the fewest are known
  bool find_exact(Compressed& made, std::uint64_t effort) {
    if (items_.overlaps()) return false;
    asked_.clear(), alone_.clear(), which_.clear();
    for (const detail::TableItems::Group& group : items_.groups()) {
      const bool is_alone = group.needed_end - group.first == 1; // stands first, and troubles nobody
      if (is_alone) alone_.push_back(group.first);
      const std::uint32_t first = group.first + is_alone;
      if (group.end - first > detail::ExactCover::most_of_group) return false;
      for (std::uint32_t at = first; at < group.end; ++at) {
        asked_.push_back({items_.items()[at].keys, items_.items()[at].route, items_.items()[at].is_needed});
        which_.push_back(at);
      }
      if (asked_.size() > detail::ExactCover::most_items) return false;
    }
    if (!exact_.make(asked_, effort)) return false;
    made.bound = alone_.size() + exact_.least();
    made.entries.clear();
    for (const std::uint32_t one : alone_)
      made.entries.push_back({items_.items()[one].keys, items_.items()[one].route, items_.items()[one].from});
    for (const detail::ExactCover::Set set : exact_.entries()) {
      made.entries.push_back({asked_[static_cast<std::size_t>(std::countr_zero(set))].keys, 0, 0});
      for (std::size_t at = 0; at < which_.size(); ++at)
        if ((set >> at & 1) != 0) {
          const detail::TableItem& item = items_.items()[which_[at]];
          TableEntry& last = made.entries.back();
          last = {detail::joined(last.keys, item.keys), item.route, last.from | item.from};
        }
    }
    return true;
  }

  detail::TableItems items_ = {};
  detail::Merges merges_ = {};
  detail::OrderedCovering covering_ = {};
  detail::ExactCover exact_ = {};
  detail::RouteBound bound_ = {};
  std::vector<detail::CoveredItem> asked_ = {};
  std::vector<std::uint32_t> alone_ = {}, which_ = {}; ///< items
};

[[nodiscard]] inline Compressed compress(std::span<const TableEntry> table, const CompressionOptions& options = {}) {
  return Compressor().compress(table, options);
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
