// SPDX-License-Identifier: BSL-1.0
// Fixed routes: every packet that follows them comes to the core of an Ethernet chip, as soon as it can.
#include <neuromorph/mapping/fixed_routes.hpp>

#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/mapping/faults.hpp>

#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

using neuromorph::Error;
namespace mapping = neuromorph::mapping;
using mapping::Chip;
using mapping::Link;
using mapping::link_count;
using mapping::Machine;
using mapping::no_chip;

/// Links until an Ethernet chip's core, or one more than there are chips.
std::uint32_t walked(const Machine& machine, const mapping::FixedRoutes& routes, Chip chip, unsigned core) {
  for (std::uint32_t steps = 0; steps <= machine.grid_chips(); ++steps) {
    const mapping::Route route = routes.route[chip];
    if (!std::has_single_bit(route)) break;
    if (route == mapping::route_to_core(core)) return machine.ethernet_of(chip) == chip ? steps : ~0U;
    if (std::countr_zero(route) >= 6) break;
    chip = machine.neighbour(chip, Link(std::countr_zero(route)));
    if (chip == no_chip || machine.is_virtual(chip)) break;
  }
  return ~0U;
}
/// By repeated relaxation over all links: links from each chip to an Ethernet chip, of its own board over that alone, or of any.
std::vector<std::uint32_t> distances(const Machine& machine, bool is_any) {
  std::vector<std::uint32_t> far(machine.grid_chips(), ~0U);
  for (Chip chip = 0; chip < machine.grid_chips(); ++chip)
    if (machine.has(chip) && machine.ethernet_of(chip) == chip) far[chip] = 0;
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (Chip chip = 0; chip < machine.grid_chips(); ++chip)
      for (unsigned link = 0; link < link_count; ++link) {
        const Chip to = machine.neighbour(chip, Link(link));
        if (to == no_chip || machine.is_virtual(to) || far[to] == ~0U) continue;
        if (!is_any && machine.board_of(to) != machine.board_of(chip)) continue;
        if (far[to] + 1 < far[chip]) far[chip] = far[to] + 1, is_changed = true;
      }
  }
  return far;
}

} // namespace

TEST_CASE("fixed routes: on whole machines each chip comes to its own board's Ethernet chip by a shortest way") {
  std::vector<Machine> machines{mapping::board_of_4().value(), mapping::board_of_48().value(),
                                mapping::machine_of_boards(2).value(), mapping::machine_of_size(24, 16).value(),
                                mapping::machine_of_size(36, 36).value()};
  for (const Machine& machine : machines)
    for (const std::uint8_t core : {std::uint8_t{1}, std::uint8_t{17}}) {
      const auto made = mapping::fixed_routes(machine, {.core = core});
      REQUIRE(made);
      const auto far = distances(machine, false);
      std::uint32_t most = 0;
      for (Chip chip = 0; chip < machine.grid_chips(); ++chip) {
        if (!machine.has(chip)) {
          CHECK(made.value().route[chip] == 0);
          CHECK(made.value().ethernet[chip] == no_chip);
          continue;
        }
        const std::uint32_t steps = walked(machine, made.value(), chip, core);
        CHECK(steps == far[chip]);
        CHECK(made.value().links[chip] == steps);
        CHECK(made.value().ethernet[chip] == machine.ethernet_of(chip));
        most = steps > most ? steps : most;
      }
      CHECK(most == (machine.width() == 2 ? 1 : 7)); // to 7, 7 of a board by north east alone
    }
}

TEST_CASE("fixed routes: on broken machines all that is connected gets there, within its board where it can") {
  std::minstd_rand draw(Catch::rngSeed() | 1);
  std::uint32_t refusals = 0, outside = 0;
  for (int turn = 0; turn < 300; ++turn) {
    Machine machine = turn % 2 == 0 ? mapping::machine_of_boards(1 + static_cast<std::uint32_t>(turn) % 7).value()
                                    : mapping::machine_of_size(24, 12).value();
    const auto seed = draw();
    const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(draw() % bound); };
    mapping::FaultShares shares{.chips = below(11) * 0.02, .links = below(16) * 0.02, .one_way = below(5) * 0.25};
    if (turn % 3 == 0) REQUIRE(machine.add_device(machine.ethernet(0), Link::south_west, "x").ok() == (turn % 2 == 0));
    REQUIRE(mapping::add_faults(machine, mapping::draw_faults(machine, shares, seed).value()));
    INFO("seed " << seed << ", turn " << turn);
    const auto any = distances(machine, true), own = distances(machine, false);
    Chip lost = no_chip;
    for (Chip chip = machine.grid_chips(); chip-- != 0;)
      if (machine.has(chip) && any[chip] == ~0U) lost = chip;
    const auto made = mapping::fixed_routes(machine);
    if (lost != no_chip) {
      ++refusals;
      REQUIRE_FALSE(made);
      CHECK(made.status().error == Error::unmappable);
      if (made.sentence().find("missing") == std::string::npos) CHECK(made.status().where == lost);
      continue;
    }
    REQUIRE(made);
    for (Chip chip = 0; chip < machine.grid_chips(); ++chip) {
      if (!machine.has(chip)) continue;
      const std::uint32_t steps = walked(machine, made.value(), chip, 1);
      CHECK(steps == made.value().links[chip]);
      if (own[chip] != ~0U) {
        CHECK(steps == own[chip]);
        CHECK(made.value().ethernet[chip] == machine.ethernet_of(chip));
      } else {
        ++outside;
        CHECK(steps != ~0U);
        CHECK(steps >= any[chip]);
      }
    }
  }
  CHECK(refusals > 10);
  CHECK(outside > 10);
}

TEST_CASE("fixed routes: what has no way is named") {
  Machine machine = mapping::board_of_48().value();
  const Chip chip = machine.chip_at(4, 4);
  for (unsigned link = 0; link < link_count; ++link) machine.remove_link(chip, Link(link)); // it still receives
  CHECK(mapping::fixed_routes(machine).sentence() ==
        "fixed routes: chip 4, 4 has no way over working links to any Ethernet chip");
  for (unsigned link = 0; link < link_count; ++link) machine.remove_link(machine.chip_at(2, 2), Link(link));
  CHECK(mapping::fixed_routes(machine).sentence() ==
        "fixed routes: chip 2, 2 has no way over working links to any Ethernet chip, nor has 1 other");
  machine = mapping::board_of_48().value();
  machine.remove_core(0, 1);
  CHECK(mapping::fixed_routes(machine).sentence() ==
        "fixed routes: chip 0, 0, which has the Ethernet of its board, has no core 1 to lead to");
  CHECK(mapping::fixed_routes(machine, {.core = 2}).ok());
  CHECK_FALSE(mapping::fixed_routes(machine, {.core = 18}).ok());
  CHECK_FALSE(mapping::fixed_routes(machine, {.core = 40}).ok());
  machine.remove_chip(0);
  CHECK(mapping::fixed_routes(machine).sentence() == "fixed routes: all Ethernet chips are missing");
  CHECK(mapping::fixed_routes(Machine::grid<mapping::SpiNNaker1>(4, 4).value()).sentence() ==
        "fixed routes: the machine has no chip with Ethernet");
  // A board that has lost its Ethernet chip takes another's.
  machine = mapping::machine_of_boards(2).value();
  machine.remove_chip(machine.ethernet(1));
  const auto made = mapping::fixed_routes(machine);
  REQUIRE(made);
  for (Chip one = 0; one < machine.grid_chips(); ++one)
    if (machine.has(one)) {
      CHECK(made.value().ethernet[one] == 0);
      CHECK(walked(machine, made.value(), one, 1) == made.value().links[one]);
    }
}
