// SPDX-License-Identifier: BSL-1.0
/// \file
/// What is broken of a machine: chips, cores and links in one direction or both, from lists or drawn by a seed.
///
///     const auto faults = mapping::draw_faults(machine, {.chips = 0.05, .links = 0.1, .one_way = 0.3}, seed);
///     if (const auto done = mapping::add_faults(machine, faults); !done) std::puts(done.sentence().c_str());
///
/// Faults may be added at any time. What was mapped before no longer holds, as the digest of the machine tells.
// host-only
#ifndef NEUROMORPH_MAPPING_FAULTS_HPP
#define NEUROMORPH_MAPPING_FAULTS_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/detail/draw.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

struct CoreFault {
  Chip chip = no_chip;
  unsigned core = 0;
  friend bool operator==(const CoreFault&, const CoreFault&) = default;
};
struct LinkFault {
  Chip chip = no_chip;
  Link link = Link::east;
  bool is_one_way = false; ///< packets still come in by it
  friend bool operator==(const LinkFault&, const LinkFault&) = default;
};
struct Faults {
  std::vector<Chip> chips = {};
  std::vector<CoreFault> cores = {};
  std::vector<LinkFault> links = {};
  friend bool operator==(const Faults&, const Faults&) = default;
};

/// Breaks them. What is broken already stays so. A machine that refuses is as it was.
/// \errors index_out_of_range: a chip or core that no machine of this size and kind has
[[nodiscard]] inline Refusal add_faults(Machine& machine, const Faults& faults) {
  const auto refused = [](std::size_t where, std::uint32_t value, const char* parameter, std::string why) {
    return Refusal{{Error::index_out_of_range, static_cast<std::uint32_t>(where), value, parameter},
                   "fault " + std::to_string(where),
                   std::move(why)};
  };
  const auto no_such = [&](std::size_t where, Chip chip) {
    return refused(where, chip, "chip",
                   "there is no chip number " + std::to_string(chip) + ": the machine has " +
                       std::to_string(machine.chips()));
  };
  for (std::size_t at = 0; at < faults.chips.size(); ++at)
    if (faults.chips[at] >= machine.chips()) return no_such(at, faults.chips[at]);
  for (std::size_t at = 0; at < faults.cores.size(); ++at) {
    if (faults.cores[at].chip >= machine.chips()) return no_such(at, faults.cores[at].chip);
    if (faults.cores[at].core >= machine.kind().cores)
      return refused(at, faults.cores[at].core, "core",
                     machine.name(faults.cores[at].chip) + " has no core " + std::to_string(faults.cores[at].core) +
                         ", but " + std::to_string(machine.kind().cores));
  }
  for (std::size_t at = 0; at < faults.links.size(); ++at) {
    if (faults.links[at].chip >= machine.chips()) return no_such(at, faults.links[at].chip);
    if (unsigned(faults.links[at].link) >= link_count)
      return refused(at, unsigned(faults.links[at].link), "link", "links are 0 to 5");
  }
  for (const Chip chip : faults.chips) machine.remove_chip(chip);
  for (const CoreFault& one : faults.cores) machine.remove_core(one.chip, one.core);
  for (const LinkFault& one : faults.links)
    one.is_one_way ? machine.remove_link(one.chip, one.link) : machine.remove_link_both(one.chip, one.link);
  return {};
}

/// Of what works. Numbers are rounded: so many are drawn exactly.
struct FaultShares {
  double chips = 0.0;
  double cores = 0.0;           ///< of the users' ones of chips that are left
  double links = 0.0;           ///< of those between chips that are left, each counted once
  double one_way = 0.0;         ///< of the broken links
  bool spares_ethernet = false; ///< no chip with Ethernet is broken
};

/// \errors parameter_out_of_range: a share that is not in 0..1
/// \cost   O(chips)
[[nodiscard]] inline Answer<Faults> draw_faults(const Machine& machine, const FaultShares& shares, std::uint64_t seed) {
  const std::pair<const char*, double> all[] = {
      {"chips", shares.chips}, {"cores", shares.cores}, {"links", shares.links}, {"one_way", shares.one_way}};
  for (const auto& [parameter, share] : all)
    if (!(share >= 0.0 && share <= 1.0))
      return Refusal{{Error::parameter_out_of_range, 0, share, parameter}, "faults", "a share is 0 to 1"};
  const auto share_of = [](std::size_t count, double share) {
    return static_cast<std::size_t>(static_cast<double>(count) * share + 0.5);
  };
  // Kinds of faults are drawn apart, so that more of one does not make others of another where those have the same choice.
  detail::Draw of_chips(seed), of_cores(detail::mixed(seed ^ 1)), of_links(detail::mixed(seed ^ 2));
  Faults faults;

  std::vector<std::uint8_t> is_left(machine.grid_chips(), 0);
  std::vector<Chip> chips;
  std::size_t working = 0;
  for (Chip chip = 0; chip < machine.grid_chips(); ++chip) {
    if (!machine.has(chip)) continue;
    is_left[chip] = 1, ++working;
    if (!shares.spares_ethernet || machine.ethernet_of(chip) != chip) chips.push_back(chip);
  }
  const std::size_t broken = (std::min)(share_of(working, shares.chips), chips.size());
  of_chips.pick(chips, broken);
  faults.chips.assign(chips.begin(), chips.begin() + static_cast<std::ptrdiff_t>(broken));
  for (const Chip chip : faults.chips) is_left[chip] = 0;

  if (shares.cores > 0.0) {
    std::vector<CoreFault> cores;
    for (Chip chip = 0; chip < machine.grid_chips(); ++chip)
      for (std::uint32_t left = is_left[chip] != 0 ? machine.cores(chip) : 0; left != 0; left &= left - 1)
        cores.push_back({chip, static_cast<unsigned>(std::countr_zero(left))});
    const std::size_t count = share_of(cores.size(), shares.cores);
    of_cores.pick(cores, count);
    faults.cores.assign(cores.begin(), cores.begin() + static_cast<std::ptrdiff_t>(count));
  }
  if (shares.links > 0.0) {
    std::vector<LinkFault> links;
    for (Chip chip = 0; chip < machine.grid_chips(); ++chip)
      for (unsigned link = 0; is_left[chip] != 0 && link < link_count / 2; ++link) {
        const Chip other = machine.neighbour(chip, Link(link));
        if (other == no_chip || machine.is_virtual(other) || is_left[other] == 0) continue;
        if (machine.sender(chip, Link(link)) == other) links.push_back({chip, Link(link), false});
      }
    const std::size_t count = share_of(links.size(), shares.links), one_way = share_of(count, shares.one_way);
    of_links.pick(links, count);
    links.resize(count);
    for (std::size_t at = 0; at < one_way; ++at) {
      links[at].is_one_way = true;
      if (of_links.below(2) == 0) continue;
      links[at].chip = machine.neighbour(links[at].chip, links[at].link);
      links[at].link = opposite(links[at].link);
    }
    faults.links = std::move(links);
  }
  return faults;
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
