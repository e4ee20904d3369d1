// SPDX-License-Identifier: BSL-1.0
/// \file
/// Fewer entries that do the same.
///
///     const auto fewer = mapping::compress(tables[chip], {.target = 1023});
///     std::printf("%zu entries, and no table has fewer than %zu\n", fewer.entries.size(), fewer.bound);
///
/// Kept is, for each key that an entry of the table matches, the route of the first that does; where entries are left out because
/// their packets go straight on, the new table matches their keys with no other route. What becomes of keys that no entry
/// matched is not kept: they must not be sent, or stand in the table. The order of entries counts in what comes out.
// host-only
#ifndef NEUROMORPH_MAPPING_COMPRESSION_HPP
#define NEUROMORPH_MAPPING_COMPRESSION_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/merges.hpp>
#include <neuromorph/mapping/detail/table_items.hpp>
#include <neuromorph/mapping/mapped.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

/// How entries are merged.
enum class Merging : std::uint8_t {
  none,     ///< what is hidden or default is left out
  in_turn,  ///< routes with few entries first, each entry with those behind it
  searched, ///< as above, and then moved about
};

struct CompressionOptions {
  Merging merging = Merging::searched;
  std::size_t target = 0;      ///< it is enough to have no more entries than this
  bool default_routes = true;  ///< leaves out entries that do what the router does without them
  std::uint64_t moves = 30000; ///< of a search
  double seconds = 1e9;        ///< of a search; where it ends by time, another run may end elsewhere
  std::uint64_t seed = 1;
};

struct Compressed {
  std::vector<TableEntry> entries{};
  std::size_t bound = 0; ///< no table that does the same is shorter
};

/// Compresses tables one after another, in memory that is taken once.
class Compressor {
public:
  /// \cost with n entries: in_turn some n^2 / 64 words for each pair of a route; searched as many for each move
  [[nodiscard]] Compressed compress(std::span<const TableEntry> table, const CompressionOptions& options = {}) {
    using Clock = detail::Merges::Clock;
    const auto deadline =
        options.seconds < 1e6
            ? Clock::now() + std::chrono::nanoseconds(static_cast<std::int64_t>(options.seconds * 1e9))
            : (Clock::time_point::max)();
    items_.make(table, options.default_routes);
    Compressed made;
    made.bound = bound();
    merges_.make(items_);
    if (options.merging != Merging::none) merges_.take_in_turn(options.target);
    if (options.merging == Merging::searched && merges_.entries() > options.target)
      merges_.search(options.moves, options.seed, (std::max)(options.target, made.bound), deadline);
    merges_.write(made.entries);
    return made;
  }

private:
  /// A route needs an entry if an item of it must be matched, and none before has its keys.
  [[nodiscard]] std::size_t bound() const {
    std::size_t count = 0;
    for (const detail::TableItems::Group& group : items_.groups()) {
      bool is_needed = false;
      for (std::uint32_t at = group.first; at < group.needed_end && !is_needed; ++at) {
        is_needed = true;
        if (items_.overlaps())
          for (const detail::TableItem& other : items_.items())
            is_needed = is_needed && (other.route == items_.items()[at].route || other.at > items_.items()[at].at ||
                                      !detail::overlap(other.keys, items_.items()[at].keys));
      }
      count += is_needed;
    }
    return count;
  }

  detail::TableItems items_ = {};
  detail::Merges merges_ = {};
};

[[nodiscard]] inline Compressed compress(std::span<const TableEntry> table, const CompressionOptions& options = {}) {
  return Compressor().compress(table, options);
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
