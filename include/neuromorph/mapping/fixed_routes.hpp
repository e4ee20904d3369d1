// SPDX-License-Identifier: BSL-1.0
/// \file
/// Fixed routes: one word of each router, by which packets without a key come to a core of an Ethernet chip.
///
///     auto made = mapping::fixed_routes(machine, {.core = 2});
///     for (Chip chip = 0; chip < machine.grid_chips(); ++chip) load(chip, made.value().route[chip]);
///
/// Each chip leads to the Ethernet chip of its board, by a shortest way over chips of that board. One that has no such way leads
/// to a chip that has one, of any board, and on with it. They are trees: no packet goes in a circle.
// host-only
#ifndef NEUROMORPH_MAPPING_FIXED_ROUTES_HPP
#define NEUROMORPH_MAPPING_FIXED_ROUTES_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

struct FixedRouteOptions {
  std::uint8_t core = 1; ///< of the Ethernet chips
};

struct FixedRoutes {
  std::vector<Route> route = {};         ///< [chip of the rectangle], a single bit; 0 for those that are missing
  std::vector<Chip> ethernet = {};       ///< [chip] to which it comes, or no_chip
  std::vector<std::uint32_t> links = {}; ///< [chip] that it takes until there
};

/// \errors unmappable: there is no Ethernet chip, one has no such core, or a chip has no way to any
/// \cost   O(chips)
[[nodiscard]] inline Answer<FixedRoutes> fixed_routes(const Machine& machine, const FixedRouteOptions& options = {}) {
  const auto refused = [](Chip chip, std::string why) {
    return Refusal{{Error::unmappable, chip, chip, "chip"}, "fixed routes", std::move(why)};
  };
  const std::uint32_t count = machine.grid_chips();
  FixedRoutes made;
  made.route.assign(count, 0), made.ethernet.assign(count, no_chip), made.links.assign(count, 0);
  std::vector<Chip> reached; // in the order of their distance
  reached.reserve(count);
  for (Board board = 0; board < machine.boards(); ++board) {
    const Chip ethernet = machine.ethernet(board);
    if (!machine.has(ethernet) || made.route[ethernet] != 0) continue;
    if (options.core >= most_cores || (machine.cores(ethernet) >> options.core & 1) == 0)
      return refused(ethernet, machine.name(ethernet) + ", which has the Ethernet of its board, has no core " +
                                   std::to_string(options.core) + " to lead to");
    made.route[ethernet] = route_to_core(options.core), made.ethernet[ethernet] = ethernet;
    reached.push_back(ethernet);
  }
  if (reached.empty())
    return refused(0,
                   machine.boards() == 0 ? "the machine has no chip with Ethernet" : "all Ethernet chips are missing");
  // Ways grow from the Ethernet chips against the direction of packets: on their boards, then from all that is reached over any.
  for (const bool is_any : {false, true})
    for (std::size_t next = 0; next < reached.size(); ++next) {
      const Chip chip = reached[next];
      for (unsigned link = 0; link < link_count; ++link) {
        const Chip from = machine.sender(chip, Link(link));
        if (from == no_chip || machine.is_virtual(from) || made.route[from] != 0) continue;
        if (!is_any && machine.ethernet_of(from) != made.ethernet[chip]) continue;
        made.route[from] = route_to(opposite(Link(link)));
        made.ethernet[from] = made.ethernet[chip], made.links[from] = made.links[chip] + 1;
        reached.push_back(from);
      }
    }
  std::uint32_t left = 0;
  Chip first = no_chip;
  for (Chip chip = count; chip-- != 0;)
    if (machine.has(chip) && made.route[chip] == 0) ++left, first = chip;
  if (left != 0)
    return refused(first, machine.name(first) + " has no way over working links to any Ethernet chip" +
                              (left == 1   ? ""
                               : left == 2 ? ", nor has 1 other"
                                           : ", nor have " + std::to_string(left - 1) + " others"));
  return made;
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
