// SPDX-License-Identifier: BSL-1.0
// Bounds of trees against trees found by trying all, and what a report counts against counting by hand.
#include <neuromorph/mapping/routing_report.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include <neuromorph/mapping/detail/cut_bound.hpp>
#include <neuromorph/mapping/detail/draw.hpp>
#include <neuromorph/mapping/detail/hexagons.hpp>
#include <neuromorph/mapping/routing.hpp>

namespace {

using namespace neuromorph::mapping;
using detail::Draw;
using detail::Hexagons;
using detail::SteinerBound;
using neuromorph::Error;

Machine grid(std::uint32_t width, std::uint32_t height, Wraps wraps) {
  return Machine::grid<SpiNNaker1>(width, height, wraps).value();
}
Wraps any_wraps(Draw& draw) {
  const std::uint32_t wraps = draw.below(4);
  return {(wraps & 1) != 0, wraps > 1};
}
std::vector<std::uint32_t> distances(const Machine& machine, Chip from) {
  std::vector<std::uint32_t> far(machine.grid_chips(), UINT32_MAX);
  std::vector<Chip> queue{from};
  far[from] = 0;
  for (std::size_t at = 0; at < queue.size(); ++at)
    for (unsigned link = 0; link < link_count; ++link) {
      const Chip other = machine.neighbour(queue[at], Link(link));
      if (other == no_chip || far[other] != UINT32_MAX) continue;
      far[other] = far[queue[at]] + 1;
      queue.push_back(other);
    }
  return far;
}
/// Links of a shortest tree, by trying every set of chips of a machine of up to 16: the smallest that is in one piece.
std::uint32_t shortest_tree(const Machine& machine, const std::vector<Chip>& chips) {
  std::vector<std::uint32_t> beside(machine.grid_chips(), 0);
  for (Chip chip = 0; chip < machine.grid_chips(); ++chip)
    for (unsigned link = 0; link < link_count; ++link) {
      const Chip other = machine.neighbour(chip, Link(link));
      if (other != no_chip) beside[chip] |= 1U << other;
    }
  std::uint32_t wanted = 0, least = UINT32_MAX;
  for (const Chip chip : chips) wanted |= 1U << chip;
  for (std::uint32_t set = 1; set < 1U << machine.grid_chips(); ++set) {
    const auto size = static_cast<std::uint32_t>(std::popcount(set));
    if ((set & wanted) != wanted || size > least) continue;
    std::uint32_t reached = wanted & (0 - wanted);
    for (std::uint32_t before = 0; before != reached;) {
      before = reached;
      for (std::uint32_t rest = before; rest != 0; rest &= rest - 1)
        reached |= beside[static_cast<unsigned>(std::countr_zero(rest))] & set;
    }
    if (reached == set) least = size;
  }
  return least - 1;
}
std::vector<Chip> some(const Machine& machine, Draw& draw, std::uint32_t most) {
  std::vector<Chip> all(machine.grid_chips());
  for (Chip chip = 0; chip < all.size(); ++chip) all[chip] = chip;
  const std::size_t count = (std::min)(all.size(), std::size_t{1} + draw.below(most));
  draw.pick(all, count);
  all.resize(count);
  return all;
}

} // namespace

TEST_CASE("hexagons: distances and ways are those of a search in breadth, for every size and wrap") {
  for (std::uint32_t width = 1; width <= 9; ++width)
    for (std::uint32_t height = 1; height <= 9; ++height)
      for (const Wraps wraps : {Wraps{false, false}, Wraps{true, false}, Wraps{false, true}, Wraps{true, true}}) {
        CAPTURE(width, height, wraps.wraps_x, wraps.wraps_y);
        const Machine machine = grid(width, height, wraps);
        const Hexagons hexagons(machine);
        bool right = true;
        for (Chip from = 0; from < machine.grid_chips(); from += 1 + from % 3) {
          const auto far = distances(machine, from);
          for (Chip to = 0; to < machine.grid_chips(); ++to) {
            const detail::Steps steps = hexagons.steps(hexagons.at(from), hexagons.at(to));
            right = right && hexagons.distance(hexagons.at(from), hexagons.at(to)) == far[to] &&
                    steps.length() == far[to] && hexagons.chip(hexagons.at(to)) == to;
            const detail::Legs legs = detail::legs_of(steps);
            Chip at = from;
            for (unsigned leg = 0; leg < 2; ++leg)
              for (std::uint32_t step = 0; step < legs.count[leg]; ++step) at = machine.neighbour(at, legs.link[leg]);
            right = right && at == to && legs.count[0] + legs.count[1] == far[to];
          }
        }
        REQUIRE(right);
      }
}

TEST_CASE("hexagons: a ring has each chip so far away once on a plane, and all of them where it wraps") {
  const Hexagons plane(9, 9, {}), torus(9, 9, {.wraps_x = true, .wraps_y = true});
  for (std::uint32_t radius = 1; radius < 9; ++radius)
    for (const Hexagons* one : {&plane, &torus}) {
      std::vector<Chip> found, expected;
      one->each_at(radius, {4, 3}, [&](Chip chip) { found.push_back(chip); });
      for (Chip chip = 0; chip < 81; ++chip)
        if (one->distance({4, 3}, one->at(chip)) == radius) expected.push_back(chip);
      std::sort(found.begin(), found.end());
      if (one == &plane)
        CHECK(found == expected);
      else
        CHECK(std::includes(found.begin(), found.end(), expected.begin(), expected.end()));
    }
}

TEST_CASE("steiner bound: never above a shortest tree, and it where it says so") {
  std::uint32_t exact = 0, below = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    Draw draw(seed);
    const std::uint32_t width = 1 + draw.below(6), height = 1 + draw.below((std::min)(6U, 14 / width));
    const Machine machine = grid(width, height, any_wraps(draw));
    const std::vector<Chip> chips = some(machine, draw, 8);
    const std::uint32_t shortest = shortest_tree(machine, chips);
    for (const std::uint32_t more : {0U, 1U, 3U}) {
      const auto bound = SteinerBound(machine).of(chips, shortest + more);
      REQUIRE(bound.links <= shortest);
      if (bound.is_exact) REQUIRE(bound.links == shortest);
      ++(bound.links == shortest ? exact : below);
      if (machine.wraps() == Wraps{} && chips.size() <= 6) CHECK(bound.is_exact);
    }
  }
  CHECK(exact > 1100);
  CHECK(below < 100);
}

TEST_CASE("cut bound: never above a shortest tree, with faults in one direction, and mostly it") {
  std::uint32_t exact = 0, below = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Draw draw(seed);
    const std::uint32_t width = 1 + draw.below(6), height = 1 + draw.below((std::min)(6U, 14 / width));
    Machine machine = grid(width, height, any_wraps(draw));
    std::vector<Chip> chips = some(machine, draw, 8);
    if (chips.size() < 2) continue;
    const std::uint32_t shortest = shortest_tree(machine, chips);
    const std::span<const Chip> sinks = std::span(chips).subspan(1);
    detail::CutBound cuts(machine);
    CHECK(!cuts.has_faults());
    for (const std::uint32_t more : {0U, 4U}) {
      const std::uint32_t bound = cuts.of(chips[0], sinks, shortest + more);
      REQUIRE(bound <= shortest);
      ++(bound == shortest ? exact : below);
    }
    // The root to which the least tree is found does not matter without faults; with faults each sink must be within reach.
    for (Chip chip = 0; chip < machine.grid_chips(); ++chip)
      for (unsigned link = 0; link < link_count; ++link)
        if (draw.below(10) == 0) machine.remove_link(chip, Link(link));
    const auto far = distances(machine, chips[0]);
    std::uint32_t most = 0;
    for (const Chip chip : chips) most = (std::max)(most, far[chip]);
    if (most == UINT32_MAX) continue;
    detail::CutBound broken(machine);
    const std::uint32_t bound = broken.of(chips[0], sinks, 1000);
    CHECK(bound >= most); // cuts round the farthest alone are as many as there are links to it
    MachineGraph graph;
    Placements placements;
    std::vector<Vertex> targets;
    for (const Chip chip : chips) {
      targets.push_back(graph.add({}));
      placements.chip.push_back(chip), placements.core.push_back(1);
    }
    graph.connect(0, targets);
    CHECK(bound <= route(graph, machine, placements).value().items.size() - 1);
  }
  CHECK(exact > 390);
  CHECK(below < 130);
}

TEST_CASE("steiner bound: known figures") {
  const auto bound = [](std::uint32_t size, Wraps wraps, std::vector<std::pair<std::uint32_t, std::uint32_t>> places,
                        std::uint32_t known) {
    std::vector<Chip> chips;
    for (const auto& [x, y] : places) chips.push_back(y * size + x);
    return SteinerBound(size, size, wraps).of(chips, known).links;
  };
  const Wraps none{}, both{.wraps_x = true, .wraps_y = true};
  CHECK(bound(40, none, {{0, 0}}, 0) == 0);
  CHECK(bound(40, none, {{0, 0}, {10, 10}}, 30) == 10);
  CHECK(bound(40, none, {{0, 10}, {10, 0}}, 30) == 20);
  CHECK(bound(40, both, {{0, 39}, {0, 0}}, 30) == 1);
  CHECK(bound(40, both, {{35, 0}, {5, 0}, {0, 35}, {0, 5}}, 30) == 20);
  CHECK(bound(40, none, {{10, 0}, {10, 20}, {0, 10}, {20, 10}}, 60) == 40);                    // a cross is best
  CHECK(bound(40, none, {{5, 5}, {6, 5}, {7, 5}, {8, 5}, {9, 5}, {10, 5}, {11, 5}}, 20) == 6); // more than six chips
  CHECK(bound(256, none, {{0, 0}, {255, 0}, {0, 255}}, 2000) >= 510 * 3 / 4);                  // too large to search
}

TEST_CASE("routing report: lengths, bounds and loads are those counted by hand") {
  Machine machine = grid(6, 4, {});
  const Chip motor = machine.add_device(machine.chip_at(5, 0), Link::east, "motor").value();
  MachineGraph graph;
  Placements placements;
  for (const auto& [x, y] : {std::pair{0U, 0U}, {3U, 0U}, {5U, 0U}, {3U, 3U}}) {
    graph.add({});
    placements.chip.push_back(machine.chip_at(x, y)), placements.core.push_back(1);
  }
  const Vertex arm = graph.add({}, "arm");
  placements.chip.push_back(motor), placements.core.push_back(0);
  graph.connect(0, std::vector<Vertex>{1, 2, arm}, {.packets_per_step = 2.0});
  graph.connect(0, std::vector<Vertex>{3}, {.packets_per_step = 0.5});
  graph.connect(1, std::vector<Vertex>{1});
  graph.connect(1, std::vector<Vertex>{2}, {.packets_per_step = 4.0});
  const auto routes = route(graph, machine, placements);
  const auto report = routing_report(graph, machine, routes.value());
  REQUIRE(report.ok());
  const RoutingReport& all = report.value();
  CHECK(all.links == 5 + 3 + 0 + 2);
  CHECK(all.bound == all.links);
  CHECK(all.shortest == 4);
  CHECK(all.chips == 2 + 1 + 1 + 1);
  CHECK(all.farthest == 5);
  CHECK(all.trees[1].farthest == 3);
  CHECK(all.links_used == 5 + 3 + 1);
  CHECK(all.most_load == 6.0);
  CHECK(all.most_at == machine.chip_at(3, 0));
  CHECK(all.mean_load == (3 * 2.0 + 2 * 6.0 + 2.0 + 3 * 0.5) / 9);
  CHECK(all.loads[machine.chip_at(5, 0) * link_count + unsigned(Link::east)] == 2.0); // to the device
  CHECK(all.text().find("the most leave chip 3, 0 by its link east") != std::string::npos);
  CHECK(all.text().find(" 10\nat least, by bounds ") != std::string::npos);
  // Detours that nothing can be shorter than.
  machine.remove_link(machine.chip_at(1, 1), Link::north_east);
  machine.remove_link(machine.chip_at(0, 0), Link::east);
  const auto broken = route(graph, machine, placements);
  const auto after = routing_report(graph, machine, broken.value());
  CHECK(after.value().links == 12);
  CHECK(after.value().bound == 12);
  Routes none;
  CHECK(routing_report(graph, machine, none).sentence() == "routes: 0 trees are given for 4 partitions");
  CHECK(routing_report(graph, machine, none).status().error == Error::lengths_differ);
}
