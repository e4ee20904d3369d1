// SPDX-License-Identifier: BSL-1.0
/// \file
/// Which keys each partition sends, so that no two send one, and those that go the same way can be told by a few bits.
///
///     auto keys = mapping::make_keys(graph, machine, placements); // by chips, for a graph of machine vertices
///     auto keys = mapping::make_keys(graph, zones, constraints);  // by the user's zones
///
/// A zone is a power of two of keys, those of its partitions follow each other: one entry of a table can be for all of them. Keys
/// that a user has fixed are left out. `joined` makes one partition of those that share keys, as they need one tree.
// host-only
#ifndef NEUROMORPH_MAPPING_KEYS_HPP
#define NEUROMORPH_MAPPING_KEYS_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/constraints.hpp>
#include <neuromorph/mapping/detail/key_overlap.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/mapping/mapped.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

enum class KeyMasks : std::uint8_t {
  automatic, ///< the first of these for which there are keys enough
  fixed,     ///< zones have one size and partitions one mask, so that bits of a key have one meaning everywhere
  flexible,  ///< one mask for each zone, and zones as large as they need
  packed,    ///< one for each partition, as large as it needs
};

struct KeyOptions {
  KeyMasks masks = KeyMasks::automatic;
  std::uint32_t first = 0, last = 0xFFFFFFFF; ///< of all keys that may be given; fixed ones can be others
};

/// [partition] a number; those with the same are of one zone, and zones are in the order of numbers.
using Zones = std::vector<std::uint32_t>;

/// Bits of a key that say one thing, for keys that a user lays out.
struct KeyField {
  static constexpr unsigned any = 32;
  static constexpr std::uint32_t absent = 0xFFFFFFFF;

  std::string name = {};
  unsigned bits = 0;                      ///< 0: as many as its values need
  unsigned lowest = any;                  ///< place of its last bit; any: where there is room
  std::vector<std::uint32_t> values = {}; ///< [partition]; absent: keys of this one do not have the field
};
struct FieldKeys {
  Keys keys = {};
  std::vector<KeyField> fields =
      {}; ///< as given, with their bits and places; the last is that of a partition's own keys
};

namespace detail {

/// The least number of bits for so many values.
[[nodiscard]] constexpr unsigned bits_for(std::uint64_t values) noexcept {
  return values <= 1 ? 0 : static_cast<unsigned>(std::bit_width(values - 1));
}
[[nodiscard]] constexpr std::uint32_t mask_of(unsigned bits) noexcept {
  return bits >= 32 ? 0 : ~std::uint32_t{0} << bits;
}

/// How far along Hilbert's curve a place of a square of 2^bits a side is.
[[nodiscard]] constexpr std::uint32_t along_hilbert(unsigned bits, std::uint32_t x, std::uint32_t y) noexcept {
  std::uint32_t along = 0;
  while (bits-- != 0) {
    const std::uint32_t right = x >> bits & 1, up = y >> bits & 1;
    along = along << 2 | (3 * right ^ up);
    if (up == 0) {
      if (right != 0) x = ~x, y = ~y;
      std::swap(x, y);
    }
  }
  return along;
}

/// Keys that nobody has, from which blocks of powers of two are cut.
class KeyRoom {
public:
  KeyRoom(std::uint32_t first, std::uint32_t last, std::span<const KeyMask> taken) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    for (const KeyMask& one : taken)
      if (is_range(one.mask))
        ranges.emplace_back(one.key, one.key + (std::uint64_t{~one.mask} + 1));
      else
        scattered_.push_back(one);
    std::sort(ranges.begin(), ranges.end());
    std::uint64_t at = first;
    const std::uint64_t end = std::uint64_t{last} + 1;
    for (const auto& [begin, behind] : ranges) {
      if (begin > at && at < end) free_.emplace_back(at, (std::min)(begin, end));
      at = (std::max)(at, behind);
    }
    if (at < end) free_.emplace_back(at, end);
  }

  /// Cuts the largest blocks first, those of one size in their order.
  /// \param bits   [block] their sizes, as powers of two; `none` for one that is not wanted
  /// \param first  [block] the first key of each
  /// \returns whether there was room for all
  static constexpr std::uint8_t none = 0xFF;
  [[nodiscard]] bool cut(std::span<const std::uint8_t> bits, std::vector<std::uint32_t>& first) {
    first.assign(bits.size(), 0);
    std::array<std::size_t, 33> count{};
    for (const std::uint8_t one : bits)
      if (one != none) ++count[one];
    std::vector<std::pair<std::uint64_t, std::uint64_t>> left;
    for (std::size_t size = count.size(); size-- != 0;) {
      if (count[size] == 0) continue;
      const std::uint64_t step = std::uint64_t{1} << size;
      left.clear();
      std::size_t block = 0, range = 0;
      std::uint64_t at = free_.empty() ? 0 : free_[0].first, begin = at;
      for (; count[size] != 0; --count[size], ++block) {
        while (bits[block] != size) ++block;
        for (;;) {
          if (range == free_.size()) return false;
          at = beside_scattered((at + step - 1) & ~(step - 1), static_cast<unsigned>(size));
          if (at + step <= free_[range].second) break;
          if (begin < free_[range].second) left.emplace_back(begin, free_[range].second);
          if (++range < free_.size()) at = begin = free_[range].first;
        }
        if (begin < at) left.emplace_back(begin, at);
        first[block] = static_cast<std::uint32_t>(at);
        at = begin = at + step;
      }
      if (range < free_.size() && begin < free_[range].second) left.emplace_back(begin, free_[range].second);
      for (++range; range < free_.size(); ++range) left.push_back(free_[range]);
      free_.swap(left);
    }
    return true;
  }

private:
  /// The first place from there on at which a block shares no key with what masks with holes have taken.
  [[nodiscard]] std::uint64_t beside_scattered(std::uint64_t at, unsigned bits) const noexcept {
    for (std::size_t one = 0; one < scattered_.size() && at >> 32 == 0;) {
      const KeyMask block{static_cast<std::uint32_t>(at), mask_of(bits)};
      if (!overlap(block, scattered_[one])) {
        ++one;
        continue;
      }
      const std::uint32_t common = block.mask & scattered_[one].mask;
      if (common == 0) return std::uint64_t{1} << 32; // it has keys in each block of this size
      const std::uint64_t lowest = common & (~common + 1);
      at = (at | (lowest - 1)) + 1, one = 0;
    }
    return at;
  }

  std::vector<std::pair<std::uint64_t, std::uint64_t>> free_{}; // first, and one behind the last; ascending
  std::vector<KeyMask> scattered_{};
};

/// [partition] the first of those that share its keys; empty where none do.
[[nodiscard]] inline std::vector<Partition> first_of_those_that_share(Partition partitions,
                                                                      const std::vector<std::vector<Partition>>& same) {
  if (same.empty()) return {};
  std::vector<Partition> first_of(partitions);
  std::iota(first_of.begin(), first_of.end(), Partition{0});
  const auto root = [&](Partition at) {
    while (first_of[at] != at) at = first_of[at] = first_of[first_of[at]];
    return at;
  };
  for (const auto& group : same)
    for (const Partition partition : group) {
      const Partition one = root(partition), other = root(group.front());
      first_of[(std::max)(one, other)] = (std::min)(one, other);
    }
  for (Partition at = 0; at < partitions; ++at) first_of[at] = root(at);
  return first_of;
}

/// Partitions that have fixed keys, share them, or get theirs from a zone.
class KeyDemand {
public:
  KeyDemand(const MachineGraph& graph, const Constraints& constraints) : graph_(graph), constraints_(constraints) {}

  /// \errors as make_keys
  [[nodiscard]] Refusal look() {
    const Partition end = graph_.partitions();
    const auto none_such = [&](const char* parameter, Partition partition) {
      return Refusal{{Error::index_out_of_range, partition, partition, parameter},
                     parameter,
                     "partition " + std::to_string(partition) + " is named, and the graph has " + std::to_string(end)};
    };
    for (const auto& group : constraints_.same_keys)
      for (const Partition partition : group)
        if (partition >= end) return none_such("same_keys", partition);
    for (const FixedKeys& one : constraints_.fixed_keys)
      if (one.partition >= end) return none_such("fixed_keys", one.partition);
    first_of_ = first_of_those_that_share(end, constraints_.same_keys);
    for (const auto& group : constraints_.same_keys)
      for (const Partition partition : group)
        if (graph_.source(partition) != graph_.source(group.front()))
          return refused(partition, Error::parameters_contradict, "same_keys", graph_.source(partition),
                         "must have the same keys as " + graph_.partition_name(group.front()) +
                             ", and routers could not tell packets of two sources by them");
    if (constraints_.fixed_keys.empty()) return {};

    fixed_at_.assign(end, none);
    for (const FixedKeys& one : constraints_.fixed_keys) {
      const Partition of = first_of(one.partition);
      if ((one.keys.key & ~one.keys.mask) != 0)
        return refused(one.partition, Error::key_outside_mask, "fixed_keys", one.keys.key,
                       "its fixed keys " + in_words(one.keys) + " have bits outside their mask");
      if (fixed_at_[of] == none) {
        fixed_at_[of] = static_cast<std::uint32_t>(fixed_.size());
        fixed_.push_back(one.keys), fixed_by_.push_back(one.partition);
      } else if (!(fixed_[fixed_at_[of]] == one.keys)) {
        const Partition by = fixed_by_[fixed_at_[of]];
        return refused(one.partition, Error::parameters_contradict, "fixed_keys", one.keys.key,
                       "must have the keys " + in_words(one.keys) + " and " + in_words(fixed_[fixed_at_[of]]) +
                           (by == one.partition ? std::string() : ", those of " + graph_.partition_name(by)));
      }
    }
    for (Partition partition = 0; partition < end; ++partition) {
      const std::uint32_t at = fixed_at_[first_of(partition)];
      if (at == none) continue;
      const auto zeros = 32 - static_cast<unsigned>(std::popcount(fixed_[at].mask));
      if (std::uint64_t{1} << zeros < graph_.options(partition).keys)
        return refused(partition, Error::unmappable, "keys", graph_.options(partition).keys,
                       "sends " + std::to_string(graph_.options(partition).keys) + " keys, and its fixed keys " +
                           in_words(fixed_[at]) + " are " + std::to_string(std::uint64_t{1} << zeros));
    }
    if (const Overlap two = find_overlap(fixed_); two.is_there())
      return shared(fixed_by_[two.first], fixed_[two.first], fixed_by_[two.second], fixed_[two.second]);
    return {};
  }
  [[nodiscard]] Refusal shared(Partition one, const KeyMask& keys, Partition other, const KeyMask& others) const {
    return refused(other, Error::keys_overlap, "keys", keys.key | others.key,
                   "its keys " + in_words(others) + " and " + in_words(keys) + " of " + graph_.partition_name(one) +
                       " have " + hexadecimal(keys.key | others.key) + " in common");
  }
  [[nodiscard]] Refusal refused(Partition partition, Error error, const char* parameter, GivenValue value,
                                std::string why) const {
    return {{error, partition, value, parameter}, graph_.partition_name(partition), std::move(why)};
  }

  /// The first of those that share its keys.
  [[nodiscard]] Partition first_of(Partition partition) const noexcept {
    return first_of_.empty() ? partition : first_of_[partition];
  }
  [[nodiscard]] bool is_fixed(Partition partition) const noexcept {
    return !fixed_at_.empty() && fixed_at_[partition] != none;
  }
  [[nodiscard]] const std::vector<KeyMask>& fixed() const noexcept { return fixed_; }
  /// Bits that the keys of one, or of those that share them, need; none where they come from elsewhere.
  [[nodiscard]] std::vector<std::uint8_t> bits() const {
    std::vector<std::uint8_t> bits(graph_.partitions());
    if (first_of_.empty() && fixed_at_.empty()) {
      for (Partition at = 0; at < bits.size(); ++at) bits[at] = bits_of(at);
      return bits;
    }
    for (Partition at = 0; at < bits.size(); ++at) bits[first_of(at)] = (std::max)(bits[first_of(at)], bits_of(at));
    for (Partition at = 0; at < bits.size(); ++at)
      if (first_of(at) != at || is_fixed(at)) bits[at] = KeyRoom::none;
    return bits;
  }
  void finish(Keys& keys) const {
    for (std::size_t at = 0; at < fixed_.size(); ++at) keys[first_of(fixed_by_[at])] = fixed_[at];
    if (!first_of_.empty())
      for (Partition at = 0; at < keys.size(); ++at) keys[at] = keys[first_of_[at]];
  }

private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  [[nodiscard]] std::uint8_t bits_of(Partition partition) const noexcept {
    return static_cast<std::uint8_t>(bits_for(graph_.options(partition).keys));
  }

  const MachineGraph& graph_;
  const Constraints& constraints_;
  std::vector<Partition> first_of_{};     // [partition]; empty where none share
  std::vector<std::uint32_t> fixed_at_{}; // [partition], of those that are the first; empty where none is fixed
  std::vector<KeyMask> fixed_{};
  std::vector<Partition> fixed_by_{};
};

[[nodiscard]] inline Answer<Keys> keys_of_zones(const MachineGraph& graph, const KeyDemand& demand,
                                                const std::vector<std::uint8_t>& bits, Lists<Partition>& zones,
                                                const KeyOptions& options) {
  if (options.first > options.last)
    return Refusal{{Error::parameters_contradict, 0, options.first, "first"},
                   "keys",
                   "the first key, " + hexadecimal(options.first) + ", is behind the last, " +
                       hexadecimal(options.last)};
  const std::size_t count = zones.size();
  std::vector<std::uint8_t> each(count), size(count);
  std::vector<std::uint64_t> sums(count);
  unsigned most_each = 0, most_in_zone = 0;
  for (std::size_t zone = 0; zone < count; ++zone) {
    unsigned most = 0;
    for (const Partition partition : zones[zone])
      most = (std::max)(most, unsigned{bits[partition]}), sums[zone] += std::uint64_t{1} << bits[partition];
    each[zone] = static_cast<std::uint8_t>(most);
    most_each = (std::max)(most_each, most);
    most_in_zone = (std::max)(most_in_zone, bits_for(zones[zone].size()));
  }
  Keys keys(graph.partitions());
  std::vector<std::uint32_t> first;
  std::string why;
  const auto fit = [&](KeyMasks masks) {
    bool is_possible = true;
    std::uint64_t all = 0;
    for (std::size_t zone = 0; zone < count; ++zone) {
      const bool is_empty = zones[zone].empty();
      unsigned wanted = most_each + most_in_zone;
      if (masks == KeyMasks::flexible) wanted = each[zone] + bits_for(zones[zone].size());
      if (masks == KeyMasks::packed) wanted = bits_for(sums[zone]);
      is_possible = is_possible && (wanted <= 32 || is_empty);
      const bool is_left_out = is_empty && masks != KeyMasks::fixed;
      size[zone] = is_left_out ? KeyRoom::none : static_cast<std::uint8_t>((std::min)(wanted, 32U));
      if (!is_left_out) all += std::uint64_t{1} << size[zone];
    }
    KeyRoom room(options.first, options.last, demand.fixed());
    if (is_possible && room.cut(size, first)) return true;
    // Empty zones are left out before masks change.
    bool has_empty = false;
    if (masks == KeyMasks::fixed)
      for (std::size_t zone = 0; zone < count; ++zone)
        if (zones[zone].empty()) {
          all -= std::uint64_t{1} << size[zone];
          size[zone] = KeyRoom::none, has_empty = true;
        }
    if (has_empty && is_possible) {
      KeyRoom again(options.first, options.last, demand.fixed());
      if (again.cut(size, first)) return true;
    }
    why = (is_possible ? "zones of " + std::to_string(all) + " keys in all" : "a zone of more than 2^32 keys") +
          " do not fit between " + hexadecimal(options.first) + " and " + hexadecimal(options.last) +
          (demand.fixed().empty() ? "" : " beside fixed keys");
    return false;
  };
  KeyMasks masks = options.masks;
  if (masks == KeyMasks::automatic) {
    for (masks = KeyMasks::fixed; !fit(masks) && masks != KeyMasks::packed;) masks = KeyMasks(unsigned(masks) + 1);
    if (masks == KeyMasks::packed && !fit(masks))
      return Refusal{{Error::unmappable, 0, graph.partitions(), "keys"}, "keys", why};
  } else if (!fit(masks)) {
    return Refusal{{Error::unmappable, 0, graph.partitions(), "keys"}, "keys", why};
  }
  for (std::size_t zone = 0; zone < count; ++zone) {
    std::uint32_t at = first[zone];
    const auto members = zones[zone];
    if (masks == KeyMasks::packed) { // large ones first: each then begins where a block of its size may
      std::stable_sort(members.begin(), members.end(),
                       [&](Partition one, Partition other) { return bits[one] > bits[other]; });
      for (const Partition partition : members)
        keys[partition] = {at, mask_of(bits[partition])}, at += ~mask_of(bits[partition]) + 1;
      continue;
    }
    const std::uint32_t mask = mask_of(masks == KeyMasks::fixed ? most_each : each[zone]);
    for (const Partition partition : members) keys[partition] = {at, mask}, at += ~mask + 1;
  }
  demand.finish(keys);
  return keys;
}

} // namespace detail

/// Keys by zones, such as one for each partition of an application vertex.
/// \param zones  [partition]
/// \errors lengths_differ: zones; index_out_of_range: a constraint names no partition; key_outside_mask; keys_overlap: two fixed
///         ones; parameters_contradict: two constraints, or first and last; unmappable: there are not keys enough
/// \cost   O(partitions log partitions)
[[nodiscard]] inline Answer<Keys> make_keys(const MachineGraph& graph, const Zones& zones,
                                            const Constraints& constraints = {}, const KeyOptions& options = {}) {
  if (zones.size() != graph.partitions())
    return Refusal{{Error::lengths_differ, 0, zones.size(), "zones"},
                   "keys",
                   "there are " + std::to_string(zones.size()) + " zones' numbers, and the graph has " +
                       std::to_string(graph.partitions()) + " partitions"};
  detail::KeyDemand demand(graph, constraints);
  if (Refusal refusal = demand.look(); !refusal) return refusal;
  const auto bits = demand.bits();
  std::vector<std::uint64_t> order;
  order.reserve(zones.size());
  for (Partition at = 0; at < zones.size(); ++at)
    if (bits[at] != detail::KeyRoom::none) order.push_back(std::uint64_t{zones[at]} << 32 | at);
  if (!std::is_sorted(order.begin(), order.end())) std::sort(order.begin(), order.end());
  Lists<Partition> of_zones;
  of_zones.items.reserve(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) {
    if (at != 0 && order[at] >> 32 != order[at - 1] >> 32) of_zones.end_list();
    of_zones.items.push_back(static_cast<Partition>(order[at]));
  }
  if (!order.empty()) of_zones.end_list();
  return detail::keys_of_zones(graph, demand, bits, of_zones, options);
}

/// Keys by chips along Hilbert's curve, and by cores on each: what comes from one quarter of a machine, of such a quarter, ...
/// has the same first bits.
/// \errors lengths_differ: placements; index_out_of_range: a chip or a constraint's partition that is not there; as with zones:
///         key_outside_mask, keys_overlap, parameters_contradict, unmappable
/// \cost   O(partitions + chips), sorting on each chip aside
[[nodiscard]] inline Answer<Keys> make_keys(const MachineGraph& graph, const Machine& machine, const Placements& placed,
                                            const Constraints& constraints = {}, const KeyOptions& options = {}) {
  if (placed.chip.size() != graph.vertices() || placed.core.size() != graph.vertices())
    return Refusal{{Error::lengths_differ, 0, placed.chip.size(), "chip"},
                   "placements",
                   "are of " + std::to_string(placed.chip.size()) + " vertices, and the graph has " +
                       std::to_string(graph.vertices())};
  for (Vertex vertex = 0; vertex < graph.vertices(); ++vertex)
    if (placed.chip[vertex] >= machine.chips())
      return Refusal{{Error::index_out_of_range, vertex, placed.chip[vertex], "chip"},
                     graph.name(vertex),
                     "is on " + machine.name(placed.chip[vertex]) + ", which is not there"};
  detail::KeyDemand demand(graph, constraints);
  if (Refusal refusal = demand.look(); !refusal) return refusal;
  const auto bits = demand.bits();

  // Squares along the longer side, and the curve in each of them; devices behind all of them.
  const unsigned side = detail::bits_for((std::min)(machine.width(), machine.height()));
  const std::uint32_t longer = (std::max)(machine.width(), machine.height());
  const std::uint32_t squares = ((longer - 1) >> side) + 1, devices = machine.chips() - machine.grid_chips();
  std::vector<std::uint32_t> zone_of(machine.chips());
  for (Chip chip = 0; chip < machine.grid_chips(); ++chip) {
    const std::uint32_t x = machine.x(chip), y = machine.y(chip), inside = (1U << side) - 1;
    const std::uint32_t square = (x >> side) + (y >> side); // one of them is 0
    zone_of[chip] = square << 2 * side | detail::along_hilbert(side, x & inside, y & inside);
  }
  std::uint32_t zones = std::bit_ceil(squares) << 2 * side;
  for (std::uint32_t device = 0; device < devices; ++device) zone_of[machine.grid_chips() + device] = zones++;

  Lists<Partition> of_zones;
  of_zones.first.assign(std::size_t{zones} + 1, 0);
  const auto zone = [&](Partition partition) { return zone_of[placed.chip[graph.source(partition)]]; };
  std::size_t count = 0;
  for (Partition at = 0; at < graph.partitions(); ++at)
    if (bits[at] != detail::KeyRoom::none) ++of_zones.first[zone(at) + 1], ++count;
  for (std::size_t at = 1; at < of_zones.first.size(); ++at) of_zones.first[at] += of_zones.first[at - 1];
  of_zones.items.resize(count);
  std::vector<std::size_t> place(of_zones.first.begin(), of_zones.first.end() - 1);
  for (Partition at = 0; at < graph.partitions(); ++at)
    if (bits[at] != detail::KeyRoom::none) of_zones.items[place[zone(at)]++] = at;
  const auto core = [&](Partition partition) { return placed.core[graph.source(partition)]; };
  for (std::size_t at = 0; at < of_zones.size(); ++at) {
    const auto members = of_zones[at];
    const auto is_before = [&](Partition one, Partition other) {
      return core(one) != core(other) ? core(one) < core(other) : one < other;
    };
    if (!std::is_sorted(members.begin(), members.end(), is_before))
      std::sort(members.begin(), members.end(), is_before);
  }
  return detail::keys_of_zones(graph, demand, bits, of_zones, options);
}

/// Whether keys are enough for each partition, as constraints want them, and no two have one in common but those that share.
/// \errors as make_keys; lengths_differ: keys
[[nodiscard]] inline Refusal verify(const MachineGraph& graph, const Constraints& constraints, const Keys& keys) {
  if (keys.size() != graph.partitions())
    return {{Error::lengths_differ, 0, keys.size(), "keys"},
            "keys",
            "are for " + std::to_string(keys.size()) + " partitions, and the graph has " +
                std::to_string(graph.partitions())};
  detail::KeyDemand demand(graph, constraints);
  if (Refusal refusal = demand.look(); !refusal) return refusal;
  for (const FixedKeys& one : constraints.fixed_keys)
    if (!(keys[one.partition] == one.keys))
      return demand.refused(one.partition, Error::parameters_contradict, "fixed_keys", keys[one.partition].key,
                            "has the keys " + detail::in_words(keys[one.partition]) + ", and must have " +
                                detail::in_words(one.keys));
  std::vector<KeyMask> different;
  std::vector<Partition> of;
  for (Partition at = 0; at < keys.size(); ++at) {
    if ((keys[at].key & ~keys[at].mask) != 0)
      return demand.refused(at, Error::key_outside_mask, "key", keys[at].key,
                            "its keys " + detail::in_words(keys[at]) + " have bits outside their mask");
    const auto count = std::uint64_t{1} << (32 - static_cast<unsigned>(std::popcount(keys[at].mask)));
    if (count < graph.options(at).keys)
      return demand.refused(at, Error::unmappable, "keys", graph.options(at).keys,
                            "sends " + std::to_string(graph.options(at).keys) + " keys and has " +
                                std::to_string(count) + ", " + detail::in_words(keys[at]));
    const Partition first = demand.first_of(at);
    if (!(keys[first] == keys[at]))
      return demand.refused(at, Error::parameters_contradict, "same_keys", keys[at].key,
                            "has the keys " + detail::in_words(keys[at]) + ", and must have those of " +
                                graph.partition_name(first) + ", " + detail::in_words(keys[first]));
    if (first == at) different.push_back(keys[at]), of.push_back(at);
  }
  if (const detail::Overlap two = detail::find_overlap(different); two.is_there())
    return demand.shared(of[two.first], different[two.first], of[two.second], different[two.second]);
  return {};
}

namespace detail {

/// Finds places for fields, and keys by them.
class KeyLayout {
public:
  KeyLayout(const MachineGraph& graph, std::vector<KeyField> fields, KeyField own) : graph_(graph) {
    own.values.clear();
    own_ = fields.size();
    made_.fields = std::move(fields);
    made_.fields.push_back(std::move(own));
  }

  [[nodiscard]] Answer<FieldKeys> laid_out(const KeyDemand& demand) {
    if (Refusal refusal = measure(); !refusal) return refusal;
    if (Refusal refusal = find_places(); !refusal) return refusal;
    const KeyField& own = made_.fields[own_];
    const std::uint32_t mask = ~(own.bits == 0 ? 0 : ~mask_of(own.bits) << own.lowest);
    made_.keys.assign(graph_.partitions(), {0, mask});
    for (std::size_t at = 0; at < own_; ++at)
      if (const KeyField& field = made_.fields[at]; field.bits != 0)
        for (Partition partition = 0; partition < graph_.partitions(); ++partition)
          if (field.values[partition] != KeyField::absent)
            made_.keys[partition].key |= field.values[partition] << field.lowest;
    demand.finish(made_.keys);
    return std::move(made_);
  }
  /// "x 3, y 4", of the fields that a partition has.
  [[nodiscard]] static std::string values_of(const std::vector<KeyField>& fields, Partition partition) {
    std::string words;
    for (const KeyField& field : fields)
      if (!field.values.empty() && field.values[partition] != KeyField::absent)
        words += (words.empty() ? "" : ", ") + field.name + " " + std::to_string(field.values[partition]);
    return words.empty() ? "no field" : words;
  }

private:
  [[nodiscard]] static Refusal refused(Error error, std::size_t at, GivenValue value, const char* parameter,
                                       const KeyField& field, std::string why) {
    return {{error, static_cast<std::uint32_t>(at), value, parameter}, "field " + field.name, std::move(why)};
  }
  /// Their lengths, and which of them partitions have together.
  [[nodiscard]] Refusal measure() {
    auto& fields = made_.fields;
    if (fields.size() > 64)
      return refused(Error::parameter_out_of_range, 64, fields.size(), "fields", fields[64],
                     "is one too many: there may be 64 with that of a partition's own keys");
    std::vector<std::uint64_t> has(graph_.partitions(), std::uint64_t{1} << own_);
    for (std::size_t at = 0; at < fields.size(); ++at) {
      KeyField& field = fields[at];
      if (at != own_ && field.values.size() != graph_.partitions())
        return refused(Error::lengths_differ, at, field.values.size(), "values", field,
                       "has " + counted(field.values.size(), "value", "values") + ", and the graph has " +
                           counted(graph_.partitions(), "partition", "partitions"));
      std::uint32_t highest = 0;
      Partition by = 0;
      for (Partition partition = 0; partition < graph_.partitions(); ++partition) {
        const std::uint32_t value =
            at == own_ ? (std::max)(graph_.options(partition).keys, 1U) - 1 : field.values[partition];
        if (at != own_ && value == KeyField::absent) continue;
        has[partition] |= std::uint64_t{1} << at;
        if (value > highest) highest = value, by = partition;
      }
      const unsigned needed = bits_for(std::uint64_t{highest} + 1);
      if (field.bits == 0) field.bits = needed;
      if (needed > field.bits)
        return refused(Error::parameter_out_of_range, at, highest, "values", field,
                       "has " + counted(field.bits, "bit", "bits") + ", and " + graph_.partition_name(by) + " has " +
                           (at == own_ ? counted(highest + std::uint64_t{1}, "key", "keys") : std::to_string(highest)) +
                           " there");
      if (field.bits > 32 || (field.lowest != KeyField::any && field.lowest + field.bits > 32))
        return refused(
            Error::parameter_out_of_range, at, field.bits, "bits", field,
            "is of " + counted(field.bits, "bit", "bits") +
                (field.lowest == KeyField::any ? std::string() : " from bit " + std::to_string(field.lowest)) +
                ", and a key has 32");
    }
    together_.assign(fields.size(), 0);
    std::sort(has.begin(), has.end());
    has.erase(std::unique(has.begin(), has.end()), has.end());
    for (const std::uint64_t set : has)
      for (std::uint64_t left = set; left != 0; left &= left - 1)
        together_[static_cast<std::size_t>(std::countr_zero(left))] |= set;
    return {};
  }
  [[nodiscard]] static std::uint32_t bits_of(const KeyField& field) noexcept {
    return field.bits == 0 ? 0 : ~mask_of(field.bits) << field.lowest;
  }
  [[nodiscard]] Refusal find_places() {
    auto& fields = made_.fields;
    std::vector<std::uint8_t> is_placed(fields.size());
    const auto taken = [&](std::size_t at, std::string& by) {
      std::uint32_t bits = 0;
      for (std::size_t other = 0; other < fields.size(); ++other)
        if (other != at && is_placed[other] != 0 && (together_[at] >> other & 1) != 0 && fields[other].bits != 0)
          bits |= bits_of(fields[other]), by += (by.empty() ? "" : ", ") + fields[other].name;
      return bits;
    };
    for (std::size_t at = 0; at < fields.size(); ++at) {
      if (fields[at].lowest == KeyField::any) continue;
      for (std::size_t other = 0; other < at; ++other)
        if (is_placed[other] != 0 && (together_[at] >> other & 1) != 0 &&
            (bits_of(fields[at]) & bits_of(fields[other])) != 0)
          return refused(Error::parameters_contradict, at, fields[at].lowest, "lowest", fields[at],
                         "has bits of the field " + fields[other].name + ", and there are keys that have both");
      is_placed[at] = 1;
    }
    // From the end of a key up: a partition's own keys, then the last field.
    for (std::size_t at = fields.size(); at-- != 0;) {
      if (is_placed[at] != 0) continue;
      std::string by;
      const std::uint32_t bits = taken(at, by);
      KeyField& field = fields[at];
      const std::uint32_t length = field.bits == 0 ? 0 : ~mask_of(field.bits);
      unsigned lowest = 0;
      while (lowest + field.bits <= 32 && lowest < 32 && (length << lowest & bits) != 0) ++lowest;
      if (lowest + field.bits > 32 || (lowest == 32 && field.bits != 0))
        return refused(Error::unmappable, at, field.bits, "bits", field,
                       "of " + counted(field.bits, "bit", "bits") + " has no room: of 32 bits " +
                           std::to_string(std::popcount(bits)) + " are those of " + by);
      field.lowest = lowest, is_placed[at] = 1;
    }
    return {};
  }

  const MachineGraph& graph_;
  FieldKeys made_{};
  std::size_t own_ = 0;
  std::vector<std::uint64_t> together_{}; // [field] those that some partition has with it, and itself
};

} // namespace detail

/// Keys of bit fields that a user names. Fields that no partition has together may have the same bits.
/// \param fields  the first of them in the highest bits, where places are not given
/// \param own     of the keys of a partition, 0 to PartitionOptions::keys - 1; without values
/// \errors as make_keys; lengths_differ: values; parameter_out_of_range: a value or place outside a field or key, too many fields;
///         parameters_contradict: fields on the same bits; unmappable: no room for a field; keys_overlap: two partitions that
///         fields do not tell apart
[[nodiscard]] inline Answer<FieldKeys> lay_out_keys(const MachineGraph& graph, std::vector<KeyField> fields,
                                                    KeyField own = {.name = "own keys"},
                                                    const Constraints& constraints = {}) {
  detail::KeyDemand demand(graph, constraints);
  if (Refusal refusal = demand.look(); !refusal) return refusal;
  auto made = detail::KeyLayout(graph, std::move(fields), std::move(own)).laid_out(demand);
  if (!made) return made;
  Refusal kept = verify(graph, constraints, made.value().keys);
  if (kept) return made;
  if (kept.status.error == Error::keys_overlap && !demand.is_fixed(demand.first_of(kept.status.where)))
    kept.why += "; it has " + detail::KeyLayout::values_of(made.value().fields, kept.status.where);
  return kept;
}
/// The fields x, y and core of where a partition's packets come from.
/// \pre placements are of this graph and machine
[[nodiscard]] inline std::vector<KeyField> fields_of_place(const MachineGraph& graph, const Machine& machine,
                                                           const Placements& placed) {
  std::vector<KeyField> fields{{.name = "x"}, {.name = "y"}, {.name = "core"}};
  for (Partition partition = 0; partition < graph.partitions(); ++partition) {
    const Vertex source = graph.source(partition);
    const Chip chip = placed.chip[source];
    // A device's own number is one of a row above all chips.
    const bool is_virtual = machine.is_virtual(chip);
    fields[0].values.push_back(is_virtual ? chip - machine.grid_chips() : machine.x(chip));
    fields[1].values.push_back(is_virtual ? machine.height() : machine.y(chip));
    fields[2].values.push_back(placed.core[source]);
  }
  return fields;
}

/// A graph in which partitions that must have the same keys are one, with the targets of all.
struct Joined {
  MachineGraph graph = {};
  std::vector<Partition> partition_of = {}; ///< [partition before]
};
/// \pre each names partitions of the graph, of one source, as `check` and `make_keys` ask for
[[nodiscard]] inline Joined joined(const MachineGraph& graph, const Constraints& constraints) {
  Joined made;
  for (Vertex vertex = 0; vertex < graph.vertices(); ++vertex)
    made.graph.add(graph.resources(vertex), graph.given_name(vertex));
  const auto first_of = detail::first_of_those_that_share(graph.partitions(), constraints.same_keys);
  std::vector<std::vector<Partition>> others(first_of.empty() ? 0 : graph.partitions());
  for (Partition at = 0; at < first_of.size(); ++at)
    if (first_of[at] != at) others[first_of[at]].push_back(at);
  made.partition_of.resize(graph.partitions());
  std::vector<Vertex> targets;
  for (Partition at = 0; at < graph.partitions(); ++at) {
    if (!first_of.empty() && first_of[at] != at) {
      made.partition_of[at] = made.partition_of[first_of[at]];
      continue;
    }
    if (first_of.empty() || others[at].empty()) {
      made.partition_of[at] = made.graph.connect(graph.source(at), graph.targets(at), graph.options(at));
      continue;
    }
    PartitionOptions options = graph.options(at);
    targets.assign(graph.targets(at).begin(), graph.targets(at).end());
    for (const Partition other : others[at]) {
      targets.insert(targets.end(), graph.targets(other).begin(), graph.targets(other).end());
      options.packets_per_step += graph.options(other).packets_per_step;
      options.keys = (std::max)(options.keys, graph.options(other).keys);
    }
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    made.partition_of[at] = made.graph.connect(graph.source(at), targets, options);
  }
  return made;
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
