// SPDX-License-Identifier: BSL-1.0
// Packets that take time: single ones by the clock, ways against those of tables, and traffic far beyond what links carry, of which every
// packet is accounted for at any time; drops, their register, those that are sent again; runs of cores against runs without time.
#include <neuromorph/machine/fabric.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include <neuromorph/machine/native.hpp>
#include <neuromorph/machine/run.hpp>
#include <neuromorph/machine/table_walk.hpp>
#include <neuromorph/machine/timed_run.hpp>
#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/mapping/map.hpp>

#include "examples/life/cell.hpp"
#include "examples/mapping/conway.hpp"

#include "tests/support/catch.hpp"

namespace {

namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
using machine::CoreAt;
using machine::Fabric;
using machine::FabricAccount;
using machine::Nanoseconds;
using machine::Packet;
using mapping::Chip;

struct Draw {
  std::mt19937 generator;
  std::uint32_t operator()(std::uint32_t below) { return static_cast<std::uint32_t>(generator()) % below; }
};
struct Came {
  CoreAt at;
  std::uint32_t key;
  Nanoseconds time;
};

Packet packet_of(std::uint32_t key, bool has_payload = false) {
  Packet made;
  made.key = key, made.has_payload = has_payload;
  return made;
}
mapping::Machine grid(std::uint32_t width, std::uint32_t height, bool wraps = false) {
  return mapping::Machine::grid<mapping::SpiNNaker1>(width, height, {.wraps_x = wraps, .wraps_y = wraps}).value();
}
std::vector<Came> run(Fabric& fabric, Nanoseconds end) {
  std::vector<Came> came;
  fabric.run_until(end, [&](const CoreAt& at, const Packet& packet, Nanoseconds time) {
    came.push_back({at, packet.key, time});
  });
  return came;
}
bool all_are_balanced(const Fabric& fabric) {
  FabricAccount sum;
  for (const auto& [key, one] : fabric.accounts()) {
    if (!one.is_balanced()) return false;
    sum.injected += one.injected, sum.copied += one.copied, sum.delivered += one.delivered, sum.dropped += one.dropped,
        sum.in_flight += one.in_flight;
  }
  return sum == fabric.account() && sum.is_balanced();
}

/// Random tables over keys 0 to 63, in which packets may circle.
void fill_tables(Draw& draw, Fabric& fabric, const mapping::Machine& of, unsigned most_links) {
  for (Chip chip = 0; chip < of.grid_chips(); ++chip)
    for (std::uint32_t at = 0; at < 24; ++at) {
      const std::uint32_t mask = draw(4) == 0 ? draw(64) : 63, key = draw(64) & mask;
      std::uint32_t route = draw(2) == 0 ? 1U << (6 + draw(18)) : 0;
      for (unsigned links = draw(most_links + 1); links-- > 0;) route |= 1U << draw(6);
      REQUIRE(fabric.router(chip).set(at, {{key, mask}, route, 0}));
    }
}

} // namespace

TEST_CASE("fabric: a packet takes as long as its hops, and those that follow it as long as the link is taken") {
  const mapping::Machine of = grid(4, 1);
  Fabric fabric(of);
  for (Chip chip = 0; chip < 3; ++chip) REQUIRE(fabric.router(chip).set(0, {{1, ~0U}, 1, 0}));
  REQUIRE(fabric.router(3).set(0, {{1, ~0U}, 1U << (6 + 4), 0}));
  for (unsigned one = 0; one < 3; ++one) fabric.send({0, 1}, packet_of(1), 100);
  CHECK(fabric.account(1) == FabricAccount{.injected = 3, .in_flight = 3});
  auto came = run(fabric, 1600);
  CHECK(came.empty());
  came = run(fabric, 100000);
  REQUIRE(came.size() == 3);
  for (std::size_t at = 0; at < 3; ++at) {
    CHECK((came[at].at == CoreAt{3, 4} && came[at].key == 1));
    CHECK(came[at].time == 1600 + 500 * static_cast<Nanoseconds>(at)); // one in the buffer at the end of each link
  }
  CHECK(fabric.account(1) == FabricAccount{.injected = 3, .delivered = 3});
  CHECK((fabric.carried(0, mapping::Link::east) == 3 && fabric.is_idle()));
  // With more room at their ends, links are what takes time.
  for (const bool has_payload : {false, true}) {
    Fabric wide(of, {.timing = {.buffer = 8}});
    for (Chip chip = 0; chip < 3; ++chip) REQUIRE(wide.router(chip).set(0, {{1, ~0U}, 1, 0}));
    REQUIRE(wide.router(3).set(0, {{1, ~0U}, 1U << 10, 0}));
    for (unsigned one = 0; one < 3; ++one) wide.send({0, 1}, packet_of(1, has_payload), 0);
    came = run(wide, 100000);
    REQUIRE(came.size() == 3);
    for (std::size_t at = 0; at < 3; ++at)
      CHECK(came[at].time == 1500 + (has_payload ? 300 : 167) * static_cast<Nanoseconds>(at));
  }
  // Beyond a board it is farther; a device is at the end of a link.
  mapping::Machine boards = mapping::machine_of_triads(1, 1, {.wraps_x = true, .wraps_y = true}).value();
  Fabric between(boards);
  const Chip edge = boards.chip_at(7, 3), next = boards.neighbour(edge, mapping::Link::east);
  REQUIRE(boards.board_of(edge) != boards.board_of(next));
  REQUIRE(between.router(edge).set(0, {{1, ~0U}, 1, 0}));
  REQUIRE(between.router(next).set(0, {{1, ~0U}, 64, 0}));
  between.send({edge, 1}, packet_of(1), 0);
  came = run(between, 2000);
  CHECK((came.size() == 1 && came[0].time == 900));
  mapping::Machine with_eye = grid(2, 1);
  const auto eye = with_eye.add_device(0, mapping::Link::west, "eye");
  REQUIRE(eye);
  Fabric seeing(with_eye);
  REQUIRE(seeing.router(0).set(0, {{2, ~0U}, mapping::route_to(mapping::Link::west), 0}));
  REQUIRE(seeing.router(1).set(0, {{3, ~0U}, 64U << 5, 0}));
  seeing.send({0, 1}, packet_of(2), 0);
  seeing.send({eye.value(), 0}, packet_of(3), 0); // straight on
  came = run(seeing, 2000);
  REQUIRE(came.size() == 2);
  CHECK((came[0].at == CoreAt{eye.value(), 0} && came[1].at == CoreAt{1, 5} && came[1].time == 500));
}

TEST_CASE("fabric: packets that meet nobody come where tables lead them, as a walk without time does") {
  Draw draw{std::mt19937(3)};
  for (unsigned round = 0; round < 20; ++round) {
    mapping::MachineGraph graph;
    const std::uint32_t width = 2 + draw(5), height = 2 + draw(5);
    const bool wraps = draw(2) == 0;
    const mapping::Machine of = grid(width, height, wraps);
    const std::uint32_t count = 2 + draw(of.grid_chips() * 3);
    for (std::uint32_t at = 0; at < count; ++at) graph.add({});
    for (std::uint32_t at = 0; at < count; ++at) {
      std::vector<mapping::Vertex> targets(1 + draw(8));
      for (auto& one : targets) one = draw(count);
      graph.connect(at, targets);
    }
    const auto mapped = mapping::map(graph, of);
    REQUIRE(mapped);
    machine::TableWalk walk(of, mapped.value().tables);
    Fabric fabric(of);
    REQUIRE(fabric.load(mapped.value().tables));
    for (std::uint32_t at = 0; at < count; ++at) {
      const Chip chip = mapped.value().placements.chip[at];
      const std::uint32_t key = mapped.value().keys_of(at).key;
      fabric.send({chip, mapped.value().placements.core[at]}, packet_of(key), fabric.now());
      std::vector<std::pair<Chip, unsigned>> expected, got;
      std::vector<CoreAt> to;
      walk.deliveries(chip, key, to);
      for (const CoreAt& one : to) expected.emplace_back(one.chip, one.core);
      for (const Came& one : run(fabric, fabric.now() + 100000)) got.emplace_back(one.at.chip, one.at.core);
      std::sort(expected.begin(), expected.end()), std::sort(got.begin(), got.end());
      REQUIRE(got == expected);
    }
    CHECK((fabric.account().dropped == 0 && fabric.is_idle() && all_are_balanced(fabric)));
  }
}

TEST_CASE("fabric: beyond what links carry, every packet of every key is accounted for, at any time") {
  Draw draw{std::mt19937(4)};
  std::uint64_t waited = 0, unrouted = 0, reinjected = 0, lost = 0, overflow = 0;
  for (unsigned round = 0; round < 12; ++round) {
    const std::uint32_t width = 1 + draw(5), height = 1 + draw(5);
    const bool wraps = draw(2) == 0;
    const mapping::Machine of = grid(width, height, wraps);
    machine::FabricOptions options;
    options.timing.buffer = 1 + draw(4), options.seed = round;
    if (draw(2) == 0)
      options.reinjecting =
          machine::Reinjecting{.reaction = 1 + draw(3000), .period = 1 + draw(20000), .queue = 1 + draw(20)};
    std::uint64_t digest[2];
    for (std::uint64_t& one : digest) {
      Draw own{std::mt19937(100 + round)};
      Fabric fabric(of, options);
      fill_tables(own, fabric, of, 1 + round % 3);
      if (own(2) == 0) fabric.set_lossy(own(of.grid_chips()), mapping::Link(own(6)), 0.3);
      std::map<std::uint32_t, std::uint64_t> sent, came;
      Nanoseconds at = 0;
      for (unsigned burst = 0; burst < 60; ++burst) {
        for (unsigned packets = own(200); packets-- > 0;) {
          const std::uint32_t key = own(64);
          fabric.send({own(of.grid_chips()), static_cast<std::uint8_t>(1 + own(17))}, packet_of(key, own(2) == 0),
                      at + own(2000));
          ++sent[key];
        }
        if (own(4) == 0) fabric.set_link(own(of.grid_chips()), mapping::Link(own(6)), own(2) == 0);
        at += own(3000);
        fabric.run_until(at, [&](const CoreAt& to, const Packet& packet, Nanoseconds time) {
          if (time >= at || to.chip >= of.grid_chips()) FAIL("a packet comes when and where it may not");
          ++came[packet.key];
        });
        REQUIRE(all_are_balanced(fabric));
        for (const auto& [key, count] : sent)
          REQUIRE((fabric.account(key).injected == count && fabric.account(key).delivered == came[key]));
      }
      CHECK(fabric.account().in_flight != 0); // it is busy until the end
      one = fabric.digest();
      waited += fabric.causes().waited, unrouted += fabric.causes().unrouted, reinjected += fabric.causes().reinjected;
      lost += fabric.causes().lost, overflow += fabric.causes().overflow;
      const machine::DropCauses& why = fabric.causes();
      CHECK(fabric.account().dropped == why.waited + why.unrouted + why.lost + why.overflow);
    }
    CHECK(digest[0] == digest[1]);
  }
  CHECK((waited > 1000 && unrouted > 1000 && reinjected > 50 && lost > 10 && overflow > 10));
}

TEST_CASE("fabric: a packet waits as long as the router is told, then one register has it, or it is sent again") {
  const mapping::Machine of = grid(3, 1);
  for (const bool again : {false, true}) {
    machine::FabricOptions options;
    if (again) options.reinjecting.emplace();
    Fabric fabric(of, options);
    REQUIRE(fabric.router(0).set(0, {{0, 0}, 1U | 1U << 8, 0})); // to the east, and to core 2
    REQUIRE(fabric.router(1).set(0, {{0, 0}, 1U << 7, 0}));
    fabric.set_link(0, mapping::Link::east, false);
    fabric.send({0, 1}, packet_of(5), 0);
    fabric.send({0, 3}, packet_of(6), 10);
    // 240 cycles at 133 MHz; core 2 has its copy at once.
    CHECK(run(fabric, 1804).size() == 1);
    CHECK(fabric.account(5) == FabricAccount{.injected = 1, .copied = 1, .delivered = 1, .in_flight = 1});
    CHECK(run(fabric, 1805).size() == 1); // of the next, which has waited behind it
    CHECK(fabric.account(5).dropped == (again ? 0 : 1));
    CHECK(fabric.router(0).read(machine::router_register::dump_key) == 5);
    CHECK(fabric.router(0).read(machine::router_register::dump_outputs) == 1);
    CHECK(run(fabric, 5000).empty());
    if (!again) {
      // The second found the register full.
      CHECK((fabric.causes().waited == 2 && fabric.router(0).missed() == 1));
      CHECK(fabric.router(0).read(machine::router_register::dump_status) == 0xC0000000);
      CHECK(fabric.account() == FabricAccount{.injected = 2, .copied = 2, .delivered = 2, .dropped = 2});
      continue;
    }
    CHECK((fabric.causes().waited == 0 && fabric.account().in_flight == 2));
    fabric.set_link(0, mapping::Link::east, true);
    const auto came = run(fabric, 100000);
    REQUIRE(came.size() == 2);
    CHECK((came[0].at == CoreAt{1, 1} && came[0].key == 5 && came[0].time == 1804 + 1000 + 10000 + 500));
    CHECK((came[1].key == 6 && came[1].time == came[0].time + 10000));
    CHECK(fabric.causes() == machine::DropCauses{.reinjected = 2});
    CHECK(fabric.account() == FabricAccount{.injected = 2, .copied = 2, .delivered = 4});
    // Another wait.
    REQUIRE(fabric.router(0).write(machine::router_register::control, 0x00000001));
    fabric.set_link(0, mapping::Link::east, false);
    const Nanoseconds begun = fabric.now();
    fabric.send({0, 1}, packet_of(7), begun);
    CHECK(run(fabric, begun + 2).size() == 1);
    CHECK(fabric.router(0).read(machine::router_register::dump_key) == 7);
  }
}

TEST_CASE("fabric: life in time is life, and chips whose clocks drift lose nothing that is not counted") {
  mapping::Machine of = mapping::machine_of_boards(1).value();
  const auto graph = conway::graph(20, 20);
  const auto mapped = mapping::map(graph, of);
  REQUIRE(mapped);
  const mapping::Mapping& all = mapped.value();
  const auto cells_of = [&](machine::NativeCores<life::Cell>& cells) {
    for (mapping::Vertex cell = 0; cell < 400; ++cell) {
      std::vector<std::uint8_t> bytes(life::CellRegion::bytes());
      REQUIRE(life::CellRegion::write(bytes, {all.keys_of(cell).key, cell * 7 % 5 < 2 ? 1U : 0U}).ok());
      REQUIRE(cells.load<0>(cell, bytes).ok());
      cells.make_room(cell, 0, 2);
    }
  };
  const auto place = [&](mapping::Vertex cell) { return CoreAt{all.placements.chip[cell], all.placements.core[cell]}; };
  machine::NativeCores<life::Cell> cells(400), timed_cells(400), drifting_cells(400);
  cells_of(cells), cells_of(timed_cells), cells_of(drifting_cells);
  machine::TableWalk walk(of, all.tables);
  machine::Run plain(walk);
  machine::TimedRun timed(of), drifting(of, {.most_drift = 200000});
  REQUIRE((timed.fabric().load(all.tables) && drifting.fabric().load(all.tables)));
  for (mapping::Vertex cell = 0; cell < 400; ++cell) {
    REQUIRE(plain.attach(place(cell), cells, cell).ok());
    REQUIRE(timed.attach(place(cell), timed_cells, cell).ok());
    REQUIRE(drifting.attach(place(cell), drifting_cells, cell).ok());
  }
  CHECK(timed.attach(place(3), timed_cells, 3).sentence().find("something is in it already") != std::string::npos);
  CHECK(timed.attach({0, 25}, timed_cells, 400).status.error == neuromorph::Error::index_out_of_range);
  REQUIRE(plain.start().ok());
  REQUIRE(timed.start().ok());
  REQUIRE(drifting.start().ok());
  for (unsigned tick = 0; tick < 40; ++tick) {
    REQUIRE(plain.ticks(1).ok());
    timed.until((tick + 1) * Nanoseconds{1000000});
    REQUIRE(timed.digest() == plain.digest());
    REQUIRE((timed.fabric().is_idle() && all_are_balanced(timed.fabric())));
  }
  CHECK(timed.account().taken == plain.account().taken);
  CHECK(timed.fabric().causes() == machine::DropCauses{});
  plain.pause(), timed.pause();
  CHECK(timed.digest() == plain.digest());
  // A chip's ticks are its own.
  drifting.until(40 * Nanoseconds{1000000});
  CHECK(all_are_balanced(drifting.fabric()));
  CHECK(drifting.account().copies == drifting.fabric().account().delivered);
  CHECK(drifting.digest() != plain.digest());
  CHECK((drifting.time_of(0, 1) != 1000000 && drifting.time_of(0, 1) != drifting.time_of(1, 1)));
  for (Chip chip = 0; chip < of.grid_chips(); ++chip) {
    CHECK(drifting.time_of(chip, 1000) >= 800000000);
    CHECK(drifting.time_of(chip, 1000) <= 1200000000);
    CHECK(std::abs(drifting.time_of(chip, 1000) - 1000 * drifting.time_of(chip, 1)) <= 1000);
  }
}

namespace {
struct Finisher {
  using Regions = neuromorph::runtime::Regions<>;
  using Offers = neuromorph::offer::List<neuromorph::offer::Tick, neuromorph::offer::Pause>;
  std::uint32_t ticks = 0, pauses = 0;
  using Fields = neuromorph::runtime::Fields<&Finisher::ticks, &Finisher::pauses>;
  neuromorph::Status start(auto&) { return {}; }
  void tick(auto& core, std::uint32_t time) {
    if (++ticks; time == 3) core.finish();
  }
  void pause(auto&) { ++pauses; }
};
} // namespace

TEST_CASE("fabric: a core that finishes is paused, once, before its next tick") {
  const mapping::Machine of = mapping::machine_of_boards(1).value();
  machine::NativeCores<Finisher> cores(1);
  machine::TimedRun run(of);
  REQUIRE(run.attach({0, 1}, cores, 0).ok());
  REQUIRE(run.start().ok());
  run.until(4 * Nanoseconds{1000000});
  CHECK((run.state({0, 1}) == machine::CoreState::running && cores.vertex(0).ticks == 4));
  run.until(9 * Nanoseconds{1000000});
  run.pause();
  CHECK((run.state({0, 1}) == machine::CoreState::paused && cores.vertex(0).ticks == 4 && cores.vertex(0).pauses == 1));
}
