// SPDX-License-Identifier: BSL-1.0
/// \file
/// From trees and keys to what each router is loaded with.
///
///     auto tables = mapping::make_tables(machine, routes, keys);
///     if (!tables) return std::puts(tables.sentence().c_str()), 1;
///     for (const mapping::TableEntry& entry : tables.value()[chip]) load(entry.keys, entry.route);
///
/// Entries of a chip that are neighbours by key and have the same route are one where no other key of the chip lies between.
/// What comes in by one link and leaves by the opposite one alone needs no entry. A table is compressed where it is too long.
// host-only
#ifndef NEUROMORPH_MAPPING_TABLES_HPP
#define NEUROMORPH_MAPPING_TABLES_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/compression.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/mapped.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

struct TableOptions {
  bool merge = true;          ///< entries that are neighbours by key
  bool default_routes = true; ///< leaves out entries that do what the router does without them
  /// Of tables that are too long, until they fit: `target` and `default_routes` are not looked at.
  CompressionOptions compression = {};
};

namespace detail {

[[nodiscard]] constexpr bool has_holes(std::uint32_t mask) noexcept { return (~mask & (~mask + 1)) != 0; }
[[nodiscard]] inline std::string in_words(const Machine& machine, Chip chip) {
  return "chip (" + std::to_string(machine.x(chip)) + ", " + std::to_string(machine.y(chip)) + ")";
}

/// Partitions by key, those of one key in the order of their numbers.
/// \return empty where they are in that order already
[[nodiscard]] inline std::vector<std::uint32_t> by_key(const Keys& keys) {
  bool is_sorted = true;
  for (std::size_t at = 1; at < keys.size() && is_sorted; ++at) is_sorted = keys[at - 1].key <= keys[at].key;
  if (is_sorted) return {};
  std::vector<std::uint64_t> pairs(keys.size()), other(keys.size()); // key and number
  for (std::size_t at = 0; at < keys.size(); ++at) pairs[at] = std::uint64_t{keys[at].key} << 32 | at;
  for (unsigned shift = 32; shift < 64; shift += 11) {
    std::vector<std::uint32_t> to((1U << 11) + 1);
    for (const std::uint64_t one : pairs) ++to[(one >> shift & 0x7FF) + 1];
    for (std::size_t at = 1; at < to.size(); ++at) to[at] += to[at - 1];
    for (const std::uint64_t one : pairs) other[to[one >> shift & 0x7FF]++] = one;
    pairs.swap(other);
  }
  std::vector<std::uint32_t> order(keys.size());
  for (std::size_t at = 0; at < keys.size(); ++at) order[at] = static_cast<std::uint32_t>(pairs[at]);
  return order;
}

/// The entries of one chip, from one for each partition to what is loaded.
class ChipTable {
public:
  explicit ChipTable(const TableOptions& options) : options_(options) {}

  /// \param entries  ascending by key
  /// \return which entry contradicts the one before it, or their number
  [[nodiscard]] std::size_t read(std::span<const TableEntry> entries) {
    raw_.clear(), merged_.clear(), loaded_ = 0;
    bool holes = false;
    for (std::size_t at = 0; at < entries.size(); ++at) {
      const TableEntry& one = entries[at];
      holes = holes || has_holes(one.keys.mask);
      if (!raw_.empty()) {
        TableEntry& last = raw_.back();
        if (last.keys == one.keys) {
          if (last.route != one.route && last.from != one.from) return at;
          last.route |= one.route, last.from |= one.from;
          continue;
        }
        if (((one.keys.key ^ last.keys.key) & last.keys.mask & one.keys.mask) == 0) return at;
        if (!holes && (last.keys.key | ~last.keys.mask) >= one.keys.key) return at;
      }
      raw_.push_back(one);
    }
    for (std::size_t at = 0, past; at < raw_.size(); at = past) {
      past = at + 1;
      if (options_.merge && !holes) {
        while (past < raw_.size() && raw_[past].route == raw_[at].route) ++past;
        merge(at, past);
      } else {
        add(raw_[at], is_default(raw_[at]));
      }
    }
    return entries.size();
  }
  /// All of them, those that are left out included.
  [[nodiscard]] std::span<const TableEntry> merged() const noexcept { return merged_; }
  [[nodiscard]] std::size_t loaded() const noexcept { return loaded_; }
  void load(TableEntry* to) const {
    for (const TableEntry& one : merged_)
      if (!options_.default_routes || !is_default(one)) *to++ = one;
  }

private:
  void add(const TableEntry& one, bool is_left_out) {
    merged_.push_back(one);
    loaded_ += !options_.default_routes || !is_left_out;
  }
  /// Covers a run of entries of one route by as few aligned blocks as possible that touch neither the entry before nor the one behind.
  /// Blocks are nested or apart, so that each entry is in one largest block, and those of a run are taken one after the other.
  void merge(std::size_t at, std::size_t past) {
    const std::uint64_t before = at == 0 ? 0 : std::uint64_t{raw_[at - 1].keys.key | ~raw_[at - 1].keys.mask} + 1;
    const std::uint64_t behind = past == raw_.size() ? std::uint64_t{1} << 32 : raw_[past].keys.key;
    while (at < past) {
      TableEntry block = raw_[at];
      for (++at; at < past; ++at) {
        const std::uint32_t differ = block.keys.key ^ (raw_[at].keys.key | ~raw_[at].keys.mask);
        const std::uint32_t mask = block.keys.mask & (differ == 0 ? ~0U : ~((std::bit_floor(differ) << 1) - 1));
        const std::uint32_t key = block.keys.key & mask;
        if (key < before || std::uint64_t{key | ~mask} >= behind) break;
        block.keys = {key, mask}, block.from |= raw_[at].from;
      }
      add(block, is_default(block));
    }
  }

  TableOptions options_;
  std::vector<TableEntry> raw_ = {}, merged_ = {};
  std::size_t loaded_ = 0;
};

} // namespace detail

/// \param  routes  [partition]; nodes are on chips of the rectangle
/// \param  keys    [partition]; those of partitions that meet on a chip are the same or have none in common. Where two partitions
///                 have the same keys, packets of both go where either has targets. They must come to a chip from the same side
///                 or go on to the same targets there
/// \return what is loaded, [chip of the rectangle], in the order in which routers look; ascending by key
/// \errors lengths_differ where there are not as many keys as trees; index_out_of_range for a node on no chip; key_outside_mask;
///         keys_overlap and parameters_contradict for partitions that meet on a chip; unmappable where a table is too long
/// \cost   O(nodes of all trees)
[[nodiscard]] inline Answer<Tables> make_tables(const Machine& machine, const Routes& routes, const Keys& keys,
                                                const TableOptions& options = {}) {
  if (routes.size() != keys.size())
    return Refusal{{Error::lengths_differ, static_cast<std::uint32_t>(routes.size()), keys.size(), "keys"},
                   "tables",
                   "there are " + std::to_string(routes.size()) + " trees and " + std::to_string(keys.size()) +
                       " keys"};
  for (std::size_t at = 0; at < keys.size(); ++at)
    if ((keys[at].key & ~keys[at].mask) != 0)
      return Refusal{{Error::key_outside_mask, static_cast<std::uint32_t>(at), keys[at].key, "key"},
                     "partition " + std::to_string(at),
                     "its keys " + detail::in_words(keys[at]) + " have bits outside their mask"};

  Tables tables;
  const std::uint32_t chips = machine.grid_chips();
  tables.first.assign(std::size_t{chips} + 1, 0);
  for (const RouteNode& node : routes.items) {
    if (node.chip >= chips) {
      const auto item = static_cast<std::size_t>(&node - routes.items.data());
      const auto tree = std::upper_bound(routes.first.begin(), routes.first.end(), item) - routes.first.begin() - 1;
      return Refusal{{Error::index_out_of_range, static_cast<std::uint32_t>(tree), node.chip, "chip"},
                     "partition " + std::to_string(tree),
                     "its tree has a node on chip " + std::to_string(node.chip) + ", and the machine has " +
                         std::to_string(chips)};
    }
    ++tables.first[node.chip + 1];
  }
  for (std::size_t chip = 0; chip < chips; ++chip) tables.first[chip + 1] += tables.first[chip];
  tables.items.resize(routes.items.size());
  {
    const std::vector<std::uint32_t> order = detail::by_key(keys);
    std::vector<std::size_t> to(tables.first.begin(), tables.first.end() - 1);
    for (std::size_t at = 0; at < keys.size(); ++at) {
      const std::size_t partition = order.empty() ? at : order[at];
      if (!order.empty()) { // trees lie about in memory
        const std::size_t soon = (std::min)(at + 8, keys.size() - 1), later = (std::min)(at + 16, keys.size() - 1);
        __builtin_prefetch(routes.items.data() + routes.first[order[soon]]);
        __builtin_prefetch(routes.first.data() + order[later]);
        __builtin_prefetch(keys.data() + order[later]);
      }
      for (const RouteNode& node : routes[partition])
        tables.items[to[node.chip]++] = {keys[partition], node.route,
                                         node.from < link_count ? route_to(Link(node.from)) : from_cores};
    }
  }

  detail::ChipTable table(options);
  Compressor compressor;
  std::size_t end = 0; // of what is loaded, which never reaches what is read next
  for (Chip chip = 0; chip < chips; ++chip) {
    const std::span<const TableEntry> entries = tables[chip];
    tables.first[chip] = end;
    if (entries.empty()) continue;
    if (const std::size_t at = table.read(entries); at < entries.size()) {
      const bool is_same = entries[at].keys == entries[at - 1].keys;
      return Refusal{{is_same ? Error::parameters_contradict : Error::keys_overlap, chip, entries[at].keys.key, "keys"},
                     detail::in_words(machine, chip),
                     is_same ? "packets of two partitions with the keys " + detail::in_words(entries[at].keys) +
                                   " come to it from different sides and go on to different targets"
                             : "partitions that meet there have the keys " + detail::in_words(entries[at - 1].keys) +
                                   " and " + detail::in_words(entries[at].keys) + ", some of which are the same"};
    }
    const std::size_t room = machine.router_entries(chip);
    if (table.loaded() > room) {
      CompressionOptions how = options.compression;
      how.target = room, how.default_routes = options.default_routes;
      const Compressed made = compressor.compress(table.merged(), how);
      if (made.entries.size() > room)
        return Refusal{{Error::unmappable, chip, made.entries.size(), "entries"},
                       detail::in_words(machine, chip),
                       "its router needs " + std::to_string(made.entries.size()) + " entries, compressed from " +
                           std::to_string(table.loaded()) + ", and has room for " + std::to_string(room)};
      std::copy(made.entries.begin(), made.entries.end(), tables.items.begin() + static_cast<std::ptrdiff_t>(end));
      end += made.entries.size();
      continue;
    }
    table.load(tables.items.data() + end);
    end += table.loaded();
  }
  tables.first[chips] = end;
  tables.items.resize(end);
  return tables;
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
