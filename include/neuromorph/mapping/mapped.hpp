// SPDX-License-Identifier: BSL-1.0
/// \file
/// What the phases of mapping hand on: placements, routes, keys and tables, as flat lists.
///
/// Each phase reads those before it and makes its own; nothing here refers to how it was made. A list of lists is one array
/// and the beginnings in it.
// host-only
#ifndef NEUROMORPH_MAPPING_MAPPED_HPP
#define NEUROMORPH_MAPPING_MAPPED_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/machine.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

/// Lists one after the other: list n has the items from first[n] to before first[n + 1].
template <class Item>
struct Lists {
  std::vector<std::size_t> first{0};
  std::vector<Item> items{};

  [[nodiscard]] std::size_t size() const noexcept { return first.size() - 1; }
  [[nodiscard]] std::span<const Item> operator[](std::size_t list) const noexcept {
    return std::span(items).subspan(first[list], first[list + 1] - first[list]);
  }
  [[nodiscard]] std::span<Item> operator[](std::size_t list) noexcept {
    return std::span(items).subspan(first[list], first[list + 1] - first[list]);
  }
  /// Ends the list to which items were added behind the last one.
  void end_list() { first.push_back(items.size()); }
};

/// Where each vertex runs.
struct Placements {
  std::vector<Chip> chip{};         ///< [vertex]
  std::vector<std::uint8_t> core{}; ///< [vertex]; 0 on a virtual chip
};

/// What the router of a chip does with the packets of a partition.
struct RouteNode {
  static constexpr std::uint8_t from_core = link_count;
  Chip chip = no_chip;
  Route route = 0;
  std::uint8_t from = from_core; ///< the link of this chip by which they come, or from_core where their source is
};
/// [partition]: its tree, a node for each chip, the source's first, each before those that it leads to. Nodes of virtual chips are left
/// out: a device is behind the link of its real neighbour, and packets of a device come in by that link.
using Routes = Lists<RouteNode>;

/// The keys k with (k & mask) == key.
struct KeyMask {
  std::uint32_t key = 0, mask = 0xFFFFFFFF;
  [[nodiscard]] constexpr bool matches(std::uint32_t given) const noexcept { return (given & mask) == key; }
  friend constexpr bool operator==(const KeyMask&, const KeyMask&) = default;
};
namespace detail {
/// Whether they have a key in common.
[[nodiscard]] constexpr bool overlap(const KeyMask& one, const KeyMask& other) noexcept {
  return ((one.key ^ other.key) & one.mask & other.mask) == 0;
}
[[nodiscard]] inline std::string hexadecimal(std::uint32_t word) {
  std::string text = "0x00000000";
  for (std::size_t at = 0; at < 8; ++at) text[9 - at] = "0123456789abcdef"[word >> 4 * at & 15];
  return text;
}
[[nodiscard]] inline std::string in_words(const KeyMask& keys) {
  return hexadecimal(keys.key) + "/" + hexadecimal(keys.mask);
}
} // namespace detail
/// [partition]: all that it sends.
using Keys = std::vector<KeyMask>;

/// An entry of a router: the first that matches counts; without one a packet goes straight on, or is dropped where it came from a core.
struct TableEntry {
  KeyMask keys{};
  Route route = 0;
  Route from = 0; ///< from where its packets come: a bit for each link, and for each core as of a route; not loaded
};
/// [chip of the rectangle]
using Tables = Lists<TableEntry>;

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
