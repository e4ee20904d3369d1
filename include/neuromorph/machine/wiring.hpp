// SPDX-License-Identifier: BSL-1.0
/// \file
/// Which chips, links and Ethernets of a machine work while it runs, and where packets come over those that do.
///
///     machine::Wiring wiring(boards);
///     wiring.set_link(chip, mapping::Link::east, false);
///     wiring.walk(from, machine::Sender::core, route_of, to); // what its routers say
///
/// Who keeps what it has answered asks again when its version has changed.
// host-only
#ifndef NEUROMORPH_MACHINE_WIRING_HPP
#define NEUROMORPH_MACHINE_WIRING_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/machine/chip.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/machine/faults.hpp>
#include <neuromorph/mapping/machine.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

/// Whose packets a lossy link counts: those of cores are followed by all processes of a machine, those of the system by one.
enum class Sender : std::uint8_t { core, system };

class Wiring {
public:
  /// \param of  outlives it
  explicit Wiring(const mapping::Machine& of) noexcept : machine_(of) {}

  /// Breaks a chip, or repairs it; what is in it stays.
  void set_chip(mapping::Chip chip, bool works) { change(broken_chips_, chip, works); }
  /// In this direction.
  void set_link(mapping::Chip chip, mapping::Link link, bool works) { change(broken_links_, place(chip, link), works); }
  /// An Ethernet that does not work takes nothing.
  void set_ethernet(mapping::Chip ethernet, bool works) { change(broken_ethernets_, ethernet, works); }
  /// A link that loses packets. Which ones depends on their numbers alone: those by this link since then, cores' and the system's counted
  /// apart.
  /// \param probability  of each packet; 0: it loses none
  /// \param mixed        what is drawn depends on it
  void set_lossy(mapping::Chip chip, mapping::Link link, double probability, std::uint64_t mixed) {
    if (probability > 0.0)
      lossy_links_[place(chip, link)] = {.probability = probability, .mixed = mixed};
    else
      lossy_links_.erase(place(chip, link));
    ++version_;
  }

  /// Changes with all that says where packets go.
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }
  /// What is here does not know of it: a router, for one.
  void have_routes_changed() noexcept { ++version_; }
  /// Whether a chip is there, and works.
  [[nodiscard]] bool has(mapping::Chip chip) const { return machine_.has(chip) && broken_chips_.count(chip) == 0; }
  /// Whether an Ethernet works, and its chip does.
  [[nodiscard]] bool has_ethernet(mapping::Chip ethernet) const {
    return has(ethernet) && broken_ethernets_.count(ethernet) == 0;
  }
  /// That to which a link leads, if both and the link work.
  [[nodiscard]] mapping::Chip neighbour(mapping::Chip chip, mapping::Link link) const {
    const mapping::Chip next = machine_.neighbour(chip, link);
    if (next == mapping::no_chip || (broken_links_.empty() && broken_chips_.empty())) return next;
    const bool is_broken = (!machine_.is_virtual(chip) && broken_links_.count(place(chip, link)) != 0) ||
                           broken_chips_.count(next) != 0 || broken_chips_.count(chip) != 0;
    return is_broken ? mapping::no_chip : next;
  }
  /// The link by which a chip reaches another one first, or link_count + 1 for none; link_count: it is there.
  [[nodiscard]] unsigned next_link(mapping::Chip from, mapping::Chip to) const {
    std::vector<std::uint8_t>& known = next_[to];
    if (known.empty()) { // a search from the goal, backwards
      known.assign(machine_.grid_chips(), mapping::link_count + 1);
      std::queue<mapping::Chip> todo;
      known[to] = mapping::link_count, todo.push(to);
      for (; !todo.empty(); todo.pop())
        for (unsigned link = 0; link < mapping::link_count; ++link) {
          const mapping::Chip before = neighbour(todo.front(), mapping::opposite(mapping::Link(link)));
          if (before == mapping::no_chip || machine_.is_virtual(before) || known[before] <= mapping::link_count)
            continue;
          if (neighbour(before, mapping::Link(link)) != todo.front()) continue; // a way there, and none back
          known[before] = static_cast<std::uint8_t>(link), todo.push(before);
        }
    }
    return known[from];
  }
  /// Whether packets of one key may come to others than the one before: then each walks for itself.
  [[nodiscard]] bool is_lossy() const noexcept { return !lossy_links_.empty(); }
  /// The probability with which a link loses a packet.
  [[nodiscard]] double loss(mapping::Chip chip, mapping::Link link) const {
    const auto found = lossy_links_.find(place(chip, link));
    return found == lossy_links_.end() ? 0.0 : found->second.probability;
  }
  /// Copies that lossy links have lost.
  [[nodiscard]] std::uint64_t lost_on_links() const noexcept { return lost_on_links_; }

  /// Over all chips to which a packet comes, each by each link once.
  /// \param route_of  route_of(chip, came): where it goes from a chip to which it came by a link, or by link_count from its own cores
  /// \param to        gets the cores to which it comes; a device is core 0 of its virtual chip
  template <class RouteOf>
  void walk(mapping::Chip from, Sender sender, RouteOf route_of, std::vector<CoreAt>& to) {
    std::vector<std::pair<mapping::Chip, unsigned>> steps{{from, mapping::link_count}};
    if (broken_chips_.count(machine_.is_virtual(from) ? machine_.device(from).chip : from) != 0) return;
    if (machine_.is_virtual(from))
      steps[0] = {machine_.device(from).chip, unsigned(mapping::opposite(machine_.device(from).link))};
    std::vector<std::uint8_t> been(machine_.grid_chips());
    for (std::size_t at = 0; at < steps.size(); ++at) {
      const auto [chip, came] = steps[at];
      const mapping::Route route = route_of(chip, came);
      for (unsigned core = 0; core < ChipParts::cores; ++core)
        if ((route & mapping::route_to_core(core)) != 0) to.push_back({chip, static_cast<std::uint8_t>(core)});
      for (unsigned link = 0; link < mapping::link_count; ++link) {
        if ((route >> link & 1U) == 0) continue;
        const mapping::Chip next = neighbour(chip, mapping::Link(link));
        if (next != mapping::no_chip && is_lossy() && is_lost(chip, mapping::Link(link), sender)) continue;
        if (next != mapping::no_chip && machine_.is_virtual(next)) to.push_back({next, 0});
        if (next == mapping::no_chip || machine_.is_virtual(next) || (unsigned{been[next]} >> link & 1U) != 0) continue;
        been[next] = static_cast<std::uint8_t>(been[next] | 1U << link);
        steps.emplace_back(next, link);
      }
    }
  }

private:
  struct Lossy {
    double probability;
    std::uint64_t mixed;
    std::array<std::uint64_t, 2> packets = {}; // of senders
  };

  [[nodiscard]] static std::uint32_t place(mapping::Chip chip, mapping::Link link) noexcept {
    return chip * mapping::link_count + unsigned(link);
  }
  void change(std::set<std::uint32_t>& broken, std::uint32_t which, bool works) {
    if (works)
      broken.erase(which);
    else
      broken.insert(which);
    next_.clear(), ++version_;
  }
  [[nodiscard]] bool is_lost(mapping::Chip chip, mapping::Link link, Sender sender) {
    const auto found = lossy_links_.find(place(chip, link));
    if (found == lossy_links_.end()) return false;
    Lossy& of = found->second;
    const auto whose = std::size_t(sender);
    if (!strikes(of.probability, of.mixed, place(chip, link) * of.packets.size() + whose, of.packets[whose]++))
      return false;
    ++lost_on_links_;
    return true;
  }

  const mapping::Machine& machine_;
  std::set<std::uint32_t> broken_chips_{}, broken_ethernets_{}; // by chip
  std::set<std::uint32_t> broken_links_{};                      // by place
  std::map<std::uint32_t, Lossy> lossy_links_{};                // by place
  std::uint64_t lost_on_links_ = 0, version_ = 0;
  mutable std::map<mapping::Chip, std::vector<std::uint8_t>> next_{}; // by goal
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
