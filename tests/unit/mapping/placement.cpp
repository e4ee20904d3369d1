// SPDX-License-Identifier: BSL-1.0
// Placers against what they promise: each constraint, on machines with faults; costs against distances by a search.
#include <neuromorph/mapping/placement.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <queue>
#include <string>
#include <vector>

#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/mapping/detail/annealer.hpp>
#include <neuromorph/mapping/detail/draw.hpp>
#include <neuromorph/mapping/detail/net_levels.hpp>

#include "tests/support/catch.hpp"

namespace {

namespace mapping = neuromorph::mapping;
using mapping::Chip;
using mapping::Constraints;
using mapping::Machine;
using mapping::MachineGraph;
using mapping::Placements;
using mapping::Placer;
using mapping::Vertex;
using neuromorph::Error;
using Draw = mapping::detail::Draw;

constexpr Placer all_placers[] = {Placer::hilbert,   Placer::breadth_first, Placer::reverse_cuthill_mckee,
                                  Placer::radial,    Placer::by_position,   Placer::annealing,
                                  Placer::multilevel};

struct OneCore {
  static constexpr mapping::ChipKind kind{.cores = 2,
                                          .monitors = 1,
                                          .clock_mhz = 200,
                                          .itcm_bytes = 32768,
                                          .dtcm_bytes = 65536,
                                          .sdram_bytes = 123469792,
                                          .router_entries = 1023,
                                          .tags = 8};
};

/// Links from a chip to each by a breadth-first search.
std::vector<std::uint32_t> distances(const Machine& machine, Chip from) {
  std::vector<std::uint32_t> found(machine.grid_chips(), UINT32_MAX);
  std::queue<Chip> next;
  found[from] = 0, next.push(from);
  for (; !next.empty(); next.pop())
    for (unsigned link = 0; link < mapping::link_count; ++link)
      if (const Chip to = machine.neighbour(next.front(), mapping::Link(link));
          to != mapping::no_chip && found[to] == UINT32_MAX)
        found[to] = found[next.front()] + 1, next.push(to);
  return found;
}

MachineGraph random_graph(Draw& draw, std::uint32_t vertices, std::uint32_t partitions, std::uint32_t most_sdram) {
  MachineGraph graph;
  for (Vertex vertex = 0; vertex < vertices; ++vertex)
    graph.add({.sdram_bytes = draw.below(most_sdram + 1), .sdram_per_step = draw.below(3)});
  for (std::uint32_t at = 0; at < partitions; ++at) {
    std::vector<Vertex> targets(draw.below(6));
    for (Vertex& one : targets) one = draw.below(vertices);
    const Vertex source = draw.below(vertices);
    const double packets = 0.25 * draw.below(9);
    graph.connect(source, targets, {.packets_per_step = packets});
  }
  return graph;
}

std::vector<mapping::Position> random_positions(Draw& draw, std::uint32_t count) {
  std::vector<mapping::Position> positions(count);
  for (auto& one : positions) {
    one.x = draw.below(1000);
    one.y = draw.below(1000);
  }
  return positions;
}

void break_some(Draw& draw, Machine& machine, std::uint32_t percent) {
  for (Chip chip = 0; chip < machine.grid_chips(); ++chip) {
    if (draw.below(100) < percent) machine.remove_chip(chip);
    if (draw.below(100) < percent) machine.remove_core(chip, 1 + draw.below(17));
    if (draw.below(100) < percent) machine.remove_link(chip, mapping::Link(draw.below(mapping::link_count)));
  }
}

/// What is wrong with placements; empty if nothing is. It knows nothing of how they were made.
std::string faults_of(const MachineGraph& graph, const Machine& machine, const Constraints& constraints,
                      const Placements& placements) {
  if (placements.chip.size() != graph.vertices() || placements.core.size() != graph.vertices()) return "sizes";
  std::vector<std::uint8_t> is_device(graph.vertices());
  for (const auto& one : constraints.devices) {
    is_device[one.vertex] = 1;
    if (placements.chip[one.vertex] != one.chip || placements.core[one.vertex] != 0) return "device";
  }
  std::vector<std::uint32_t> used(machine.chips());
  std::vector<std::uint64_t> bytes(machine.chips());
  for (const auto& one : constraints.reserved_cores)
    for (Chip chip = 0; chip < machine.grid_chips(); ++chip)
      if (one.chip == mapping::no_chip || one.chip == chip) used[chip] |= 1U << one.core;
  for (Vertex vertex = 0; vertex < graph.vertices(); ++vertex) {
    if (is_device[vertex] != 0) continue;
    const Chip chip = placements.chip[vertex];
    if (!machine.has(chip) || machine.is_virtual(chip)) return graph.name(vertex) + " is on no chip";
    const std::uint32_t bit = 1U << placements.core[vertex];
    if ((machine.cores(chip) & bit) == 0) return graph.name(vertex) + " has a core that is missing";
    if ((used[chip] & bit) != 0) return graph.name(vertex) + " has a core that is in use";
    used[chip] |= bit;
    bytes[chip] += mapping::sdram_of(graph.resources(vertex), constraints.steps);
  }
  for (const auto& one : constraints.shared_sdram)
    if (!one.vertices.empty())
      bytes[placements.chip[one.vertices[0]]] += one.bytes + std::uint64_t{one.bytes_per_step} * constraints.steps;
  for (Chip chip = 0; chip < machine.grid_chips(); ++chip)
    if (bytes[chip] > machine.sdram_bytes(chip)) return machine.name(chip) + " has too little memory";
  for (const auto& one : constraints.on_chip)
    if (placements.chip[one.vertex] != one.chip) return "on_chip";
  for (const auto& one : constraints.on_core)
    if (placements.chip[one.vertex] != one.chip || placements.core[one.vertex] != one.core) return "on_core";
  for (const auto& one : constraints.on_board)
    if (machine.ethernet_of(placements.chip[one.vertex]) != one.ethernet) return "on_board";
  for (const auto& group : constraints.same_chip)
    for (const Vertex vertex : group)
      if (placements.chip[vertex] != placements.chip[group[0]]) return "same_chip";
  for (const auto& one : constraints.shared_sdram)
    for (const Vertex vertex : one.vertices)
      if (placements.chip[vertex] != placements.chip[one.vertices[0]]) return "shared_sdram";
  return {};
}

} // namespace

TEST_CASE("placement: the cost of two is their distance by a search, with and without wraps") {
  for (std::uint32_t width = 1; width < 9; ++width)
    for (std::uint32_t height = 1; height < 9; ++height)
      for (unsigned wraps = 0; wraps < 4; ++wraps) {
        const auto machine =
            Machine::grid<mapping::SpiNNaker1>(width, height, {(wraps & 1) != 0, (wraps & 2) != 0}).value();
        MachineGraph graph;
        graph.add({}), graph.add({});
        graph.connect(0, std::vector<Vertex>{1}, {.packets_per_step = 2.5});
        const Chip from = (width * height) / 3;
        const auto expected = distances(machine, from);
        for (Chip to = 0; to < machine.grid_chips(); ++to) {
          INFO(width << " x " << height << ", wraps " << wraps << ", to " << to);
          REQUIRE(placement_cost(graph, machine, {{from, to}, {1, 2}}) == 2.5 * expected[to]);
        }
      }
}

TEST_CASE("placement: the cost of more is a bound for every tree, and no less than the distance of any two") {
  Draw draw(7);
  for (unsigned round = 0; round < 400; ++round) {
    const std::uint32_t width = 2 + draw.below(6);
    const std::uint32_t height = 2 + draw.below(6);
    const unsigned wraps = draw.below(4);
    const auto machine =
        Machine::grid<mapping::SpiNNaker1>(width, height, {(wraps & 1) != 0, (wraps & 2) != 0}).value();
    const std::uint32_t count = 3 + draw.below(3);
    MachineGraph graph;
    Placements placements;
    std::vector<Vertex> targets;
    for (Vertex vertex = 0; vertex < count; ++vertex) {
      graph.add({});
      placements.chip.push_back(draw.below(width * height));
      if (vertex != 0) targets.push_back(vertex);
    }
    placements.core.assign(count, 1);
    graph.connect(0, targets);
    const double cost = placement_cost(graph, machine, placements);
    double star = HUGE_VAL, widest = 0.0;
    for (Chip hub = 0; hub < machine.grid_chips(); ++hub) {
      const auto to = distances(machine, hub);
      double sum = 0.0;
      for (const Chip chip : placements.chip) sum += to[chip];
      star = (std::min)(star, sum);
      if (std::find(placements.chip.begin(), placements.chip.end(), hub) != placements.chip.end())
        for (const Chip chip : placements.chip) widest = (std::max)(widest, double(to[chip]));
    }
    INFO("round " << round << ", " << width << " x " << height << ", wraps " << wraps);
    if (wraps == 0) {
      CHECK(cost <= star);
      if (count == 3) CHECK(4 * cost >= 3 * star); // a tree of three has one hub; a triangle of k, k and k needs 2 k
    }
    CHECK(cost >= widest);
  }
}

TEST_CASE("placement: each placer keeps all constraints on machines with faults") {
  Draw draw(11);
  unsigned placed = 0, refused = 0;
  for (unsigned round = 0; round < 60; ++round) {
    auto machine = mapping::machine_of_triads(1, 1, {round % 2 == 0, round % 3 == 0}).value();
    break_some(draw, machine, 8);
    const std::uint32_t vertices = 50 + draw.below(900);
    const auto graph = random_graph(draw, vertices, vertices, round % 4 == 0 ? 20'000'000 : 100);
    Constraints constraints{.steps = 1000};
    const auto vertex = [&] { return draw.below(vertices); };
    const auto chip = [&] {
      Chip one = draw.below(machine.grid_chips());
      while (machine.core_count(one) < 16) one = draw.below(machine.grid_chips());
      return one;
    };
    if (auto device = machine.add_device(0, mapping::Link::south, "retina"); device && round % 5 == 0)
      constraints.devices.push_back({vertex(), device.value()});
    for (std::uint32_t at = draw.below(4); at != 0; --at) {
      const Vertex one = vertex();
      constraints.on_chip.push_back({one, chip()});
    }
    for (std::uint32_t at = draw.below(4); at != 0; --at) {
      const Vertex one = vertex();
      const Chip on = chip();
      constraints.on_core.push_back({one, on, std::uint8_t(31 - std::countl_zero(machine.cores(on)))});
    }
    for (std::uint32_t at = draw.below(20); at != 0; --at) {
      const Vertex one = vertex();
      constraints.on_board.push_back({one, machine.ethernet(draw.below(machine.boards()))});
    }
    for (std::uint32_t at = draw.below(4); at != 0; --at) {
      const Vertex one = vertex();
      constraints.near_chip.push_back({one, draw.below(machine.grid_chips())});
    }
    for (std::uint32_t at = draw.below(12); at != 0; --at) {
      std::vector<Vertex> group(1 + draw.below(9));
      for (Vertex& one : group) one = vertex();
      constraints.same_chip.push_back(group);
    }
    if (draw.below(2) != 0) {
      const Vertex one = vertex();
      constraints.shared_sdram.push_back({{one, (one + 1) % vertices}, draw.below(10'000'000), 3});
    }
    if (draw.below(3) == 0) constraints.reserved_cores.push_back({mapping::no_chip, 1});
    const auto positions = random_positions(draw, vertices);
    const bool is_possible = check(graph, machine, constraints).ok();
    for (const Placer placer : all_placers) {
      if (placer >= Placer::annealing && round % 5 != 0) continue; // these take longer
      const auto made = place(graph, machine, constraints, {.placer = placer, .effort = 10, .positions = positions});
      INFO("round " << round << ", " << name(placer) << ": " << made.sentence());
      ++(made.ok() ? placed : refused);
      if (made) {
        REQUIRE(is_possible);
        REQUIRE(faults_of(graph, machine, constraints, made.value()) == "");
        const auto again = place(graph, machine, constraints, {.placer = placer, .effort = 10, .positions = positions});
        REQUIRE(again.value().chip == made.value().chip);
        REQUIRE(again.value().core == made.value().core);
      }
    }
  }
  CHECK(placed > 150); // so many are not all refused
  CHECK(refused > 10);
}

TEST_CASE("placement: a mesh comes out as it is, in whatever order its vertices come, and one with holes nearly so") {
  Draw draw(17);
  for (const std::uint32_t neighbours : {4U, 8U})
    for (const auto& [width, height] : {std::pair{40U, 40U}, std::pair{60U, 25U}, std::pair{25U, 60U}})
      for (const std::uint32_t holes : {0U, 3U}) { // percent
        std::vector<Vertex> vertex_of(width * height), order(width * height);
        for (Vertex at = 0; at < order.size(); ++at) order[at] = at;
        draw.shuffle(order);
        MachineGraph graph;
        constexpr Vertex none = 0xFFFFFFFF;
        for (const Vertex cell : order) vertex_of[cell] = draw.below(100) < holes ? none : graph.add({});
        for (const Vertex cell : order) {
          if (vertex_of[cell] == none) continue;
          std::vector<Vertex> targets;
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
              if ((dx == 0 && dy == 0) || (neighbours == 4 && dx != 0 && dy != 0)) continue;
              const std::uint32_t x = cell % width + static_cast<std::uint32_t>(dx),
                                  y = cell / width + static_cast<std::uint32_t>(dy);
              if (x < width && y < height && vertex_of[y * width + x] != none)
                targets.push_back(vertex_of[y * width + x]);
            }
          graph.connect(vertex_of[cell], targets);
        }
        const auto machine = Machine::grid<OneCore>(width, height).value();
        const auto placed = mapping::place(graph, machine, {}, {.placer = Placer::multilevel});
        REQUIRE(placed);
        CHECK(faults_of(graph, machine, {}, placed.value()) == "");
        // Of a net inside: 3 links of four neighbours, 4 of eight.
        const double cost = placement_cost(graph, machine, placed.value()) / graph.vertices();
        INFO(neighbours << " neighbours, " << width << " x " << height << ", " << holes << " % holes: " << cost);
        const bool is_exact = holes == 0 && (neighbours == 4 || width == height);
        CHECK(cost <= (neighbours == 4 ? 3.0 : 4.0) * (is_exact ? 1.0 : neighbours == 4 ? 1.3 : 2.2));
      }
}

TEST_CASE("placement: large graphs go chip by chip, on machines that are full, and on such as have faults") {
  Draw draw(23);
  // A torus of cells that is all of the machine, in no order; then fewer of them, with faults.
  for (const bool is_full : {true, false}) {
    Machine machine = Machine::grid<mapping::SpiNNaker1>(36, 36, {true, true}).value();
    if (!is_full) break_some(draw, machine, 3);
    const std::uint32_t width = 9 * 17, height = is_full ? 144 : 133;
    std::vector<Vertex> vertex_of(width * height), cell_of(width * height);
    for (Vertex at = 0; at < vertex_of.size(); ++at) vertex_of[at] = at;
    draw.shuffle(vertex_of);
    for (Vertex cell = 0; cell < vertex_of.size(); ++cell) cell_of[vertex_of[cell]] = cell;
    MachineGraph graph;
    for (Vertex at = 0; at < vertex_of.size(); ++at) graph.add({});
    for (Vertex at = 0; at < vertex_of.size(); ++at) {
      std::vector<Vertex> targets;
      for (std::uint32_t dy : {height - 1, 0U, 1U})
        for (std::uint32_t dx : {width - 1, 0U, 1U})
          if (dx + dy != 0)
            targets.push_back(
                vertex_of[(cell_of[at] / width + dy) % height * width + (cell_of[at] % width + dx) % width]);
      graph.connect(at, targets);
    }
    const auto placed = mapping::place(graph, machine, {}, {.placer = Placer::multilevel});
    INFO(placed.sentence());
    REQUIRE(placed);
    CHECK(faults_of(graph, machine, {}, placed.value()) == "");
    const double cost = placement_cost(graph, machine, placed.value());
    const auto in_order = mapping::place(graph, machine, {}, {.placer = Placer::breadth_first});
    CHECK(cost * 2.0 < placement_cost(graph, machine, in_order.value()));
    const auto again = mapping::place(graph, machine, {}, {.placer = Placer::multilevel});
    CHECK(again.value().chip == placed.value().chip);
    const auto longer = mapping::place(graph, machine, {}, {.placer = Placer::multilevel, .effort = 300});
    CHECK(faults_of(graph, machine, {}, longer.value()) == "");
    CHECK(placement_cost(graph, machine, longer.value()) < cost);
  }
}

TEST_CASE("placement: clusters of a chip's size have all nodes, no more than there is room, and hang together") {
  Draw draw(29);
  for (int round = 0; round < 200; ++round) {
    mapping::detail::WeightedGraph graph;
    const std::uint32_t count = 1 + draw.below(80), most = 1 + draw.below(9);
    std::vector<std::vector<std::uint32_t>> edges(count);
    for (std::uint32_t edge = draw.below(200); edge-- > 0;) {
      const std::uint32_t one = draw.below(count);
      const std::uint32_t other = draw.below(count);
      if (one != other) edges[one].push_back(other), edges[other].push_back(one);
    }
    for (std::uint32_t node = 0; node < count; ++node) {
      graph.to.insert(graph.to.end(), edges[node].begin(), edges[node].end());
      graph.first.push_back(static_cast<std::uint32_t>(graph.to.size()));
      graph.size.push_back(draw.below(10) == 0 ? 0 : 1);
    }
    const auto made = mapping::detail::chip_clusters(graph, most);
    std::vector<std::vector<std::uint32_t>> members(made.count);
    for (std::uint32_t node = 0; node < count; ++node) {
      REQUIRE(made.of[node] < made.count);
      members[made.of[node]].push_back(node);
    }
    for (const auto& cluster : members) {
      REQUIRE((!cluster.empty() && cluster.size() <= most));
      if (graph.size[cluster[0]] == 0) REQUIRE(cluster.size() == 1);
      std::vector<std::uint32_t> reached{cluster[0]};
      for (std::size_t at = 0; at < reached.size(); ++at)
        for (const std::uint32_t other : edges[reached[at]])
          if (made.of[other] == made.of[cluster[0]] &&
              std::find(reached.begin(), reached.end(), other) == reached.end())
            reached.push_back(other);
      REQUIRE(reached.size() == cluster.size());
    }
  }
}

TEST_CASE("placement: what finds no room is named, with what is left") {
  const auto machine = Machine::grid<mapping::SpiNNaker1>(2, 1).value();
  // Two chips have 34 cores, and three groups of 11 do not fit them.
  MachineGraph large;
  for (Vertex vertex = 0; vertex < 33; ++vertex) large.add({.sdram_bytes = 100});
  Constraints constraints;
  for (Vertex first = 0; first < 33; first += 11) {
    std::vector<Vertex> group(11);
    for (Vertex at = 0; at < 11; ++at) group[at] = first + at;
    constraints.same_chip.push_back(group);
  }
  for (const Placer placer : all_placers) {
    const std::vector<mapping::Position> positions(33);
    const auto made = place(large, machine, constraints, {.placer = placer, .effort = 10, .positions = positions});
    REQUIRE(!made);
    CHECK(made.status().error == Error::unmappable);
    INFO(made.sentence());
    CHECK(made.sentence().find(
              "and 10 more that must be on its chip need 11 cores and 1100 bytes of SDRAM of one chip, "
              "and the most that is left on one is 6 cores and 123468692 bytes, on chip 0, 0") != std::string::npos);
  }
  MachineGraph heavy;
  for (Vertex vertex = 0; vertex < 3; ++vertex) heavy.add({.sdram_bytes = 80'000'000}, "map");
  const auto made = place(heavy, machine, {}, {.placer = Placer::hilbert});
  REQUIRE(!made);
  const auto three = Machine::grid<mapping::SpiNNaker1>(3, 1).value();
  CHECK(place(heavy, three, {}, {.placer = Placer::hilbert}).ok());
  heavy.add({.sdram_bytes = 50'000'000}, "last");
  const auto last = place(heavy, three, {}, {.placer = Placer::hilbert});
  REQUIRE(!last);
  CHECK(last.sentence() ==
        "vertex 3, last: needs 1 core and 50000000 bytes of SDRAM of one chip, and the most that is left "
        "on one with so many cores is 43469792 bytes");
}

TEST_CASE("placement: options that are wrong are refused in words") {
  const auto machine = Machine::grid<mapping::SpiNNaker1>(2, 2).value();
  MachineGraph graph;
  graph.add({}), graph.add({});
  const auto short_of = place(graph, machine, {}, {.placer = Placer::by_position});
  REQUIRE(!short_of);
  CHECK(short_of.status().error == Error::lengths_differ);
  CHECK(short_of.sentence() == "placement: there are 0 positions, and the graph has 2 vertices");
  const mapping::Position bad[] = {{0.0, 1.0}, {0.0, NAN}};
  const auto no_number = place(graph, machine, {}, {.placer = Placer::by_position, .positions = bad});
  REQUIRE(!no_number);
  CHECK(no_number.status().error == Error::parameter_out_of_range);
  CHECK(no_number.sentence() == "vertex 1: its position is no number, or beyond 1e150");
  const auto centre = place(graph, machine, {}, {.placer = Placer::radial, .centre = 4});
  REQUIRE(!centre);
  CHECK(centre.status().error == Error::index_out_of_range);
  CHECK(centre.sentence() == "placement: chip number 4 cannot be the centre: it is not of the machine's rectangle");
}

TEST_CASE("placement: Hilbert's curve meets each place of a rectangle once, and never jumps") {
  for (std::uint32_t width = 1; width < 40; ++width)
    for (std::uint32_t height = 1; height < 40; ++height) {
      const auto curve = mapping::detail::HilbertCurve::through(width, height);
      std::vector<std::uint8_t> was_met(width * height);
      REQUIRE(curve.size() == was_met.size());
      for (std::size_t at = 0; at < curve.size(); ++at) {
        REQUIRE(curve[at] < was_met.size());
        REQUIRE(was_met[curve[at]]++ == 0);
        if (at == 0) continue;
        const auto step = [&](std::uint32_t one, std::uint32_t other) {
          return one > other ? one - other : other - one;
        };
        REQUIRE(step(curve[at] % width, curve[at - 1] % width) <= 1);
        REQUIRE(step(curve[at] / width, curve[at - 1] / width) <= 1);
      }
    }
}

TEST_CASE("placement: clusters keep within their limits, and cost what is in them costs there") {
  namespace detail = mapping::detail;
  Draw draw(3);
  for (int round = 0; round < 200; ++round) {
    detail::Netlist fine;
    const std::uint32_t count = 2 + draw.below(60);
    const bool has_sdram = draw.below(2) != 0;
    for (std::uint32_t item = 0; item < count; ++item) {
      fine.size.push_back(draw.below(5)), fine.is_fixed.push_back(draw.below(8) == 0);
      if (!has_sdram) continue;
      fine.sdram.push_back(draw.below(1000)),
          fine.board.push_back(draw.below(3) == 0 ? draw.below(2) : mapping::no_board);
    }
    for (std::uint32_t net = draw.below(80); net-- > 0;) {
      std::vector<std::uint32_t> pins(count);
      for (std::uint32_t item = 0; item < count; ++item) pins[item] = item;
      draw.shuffle(pins);
      pins.resize((std::min)(count, 2 + draw.below(draw.below(4) == 0 ? 60 : 4)));
      fine.pins.items.insert(fine.pins.items.end(), pins.begin(), pins.end()), fine.pins.end_list();
      fine.weight.push_back(draw.below(20) == 0 ? 1U << 30 : 1 + draw.below(1000));
    }
    fine.list_nets();
    const detail::ClusterLimits limits{.size = 4 + draw.below(16), .sdram = has_sdram ? 1000 + draw.below(4000) : 0};
    detail::NetCoarser coarser(fine, limits, draw);
    const detail::Netlist& coarse = coarser.netlist();
    INFO("round " << round << ", " << count << " items in " << coarse.items() << " clusters");
    REQUIRE(coarser.clusters().size() == count);
    for (std::uint32_t cluster = 0; cluster < coarse.items(); ++cluster) {
      std::uint32_t members = 0, size = 0;
      std::uint64_t sdram = 0;
      mapping::Board board = mapping::no_board;
      for (std::uint32_t item = 0; item < count; ++item) {
        if (coarser.clusters()[item] != cluster) continue;
        ++members, size += fine.size[item];
        CHECK(fine.is_fixed[item] == coarse.is_fixed[cluster]);
        if (!has_sdram) continue;
        sdram += fine.sdram[item];
        const bool is_bound = fine.board[item] != mapping::no_board;
        CHECK((!is_bound || board == mapping::no_board || board == fine.board[item]));
        if (is_bound) board = fine.board[item];
      }
      CHECK(members >= 1);
      CHECK((members == 1 || (size <= limits.size && coarse.is_fixed[cluster] == 0)));
      CHECK(size == coarse.size[cluster]);
      if (!has_sdram) continue;
      CHECK((members == 1 || sdram <= limits.sdram));
      CHECK(sdram == coarse.sdram[cluster]);
      CHECK(board == coarse.board[cluster]);
    }
    // A net of a cluster each is those of its items, whose weights it has.
    std::uint64_t across = 0, weights = 0;
    for (std::uint32_t net = 0; net < fine.pins.size(); ++net) {
      bool leaves = false;
      for (const std::uint32_t item : fine.pins[net])
        leaves |= coarser.clusters()[item] != coarser.clusters()[fine.pins[net][0]];
      across += leaves ? fine.weight[net] : 0;
    }
    for (const std::uint32_t weight : coarse.weight) weights += weight;
    const bool is_held = std::ranges::count(coarse.weight, UINT32_MAX) != 0;
    CHECK((is_held ? weights <= across : weights == across));
    if (is_held) continue;
    detail::Fields fields{8, 6, {.wraps_x = draw.below(2) != 0, .wraps_y = draw.below(2) != 0}};
    fields.room.assign(48, 1000), fields.board.assign(48, 0);
    std::vector<detail::Steps> of_clusters(coarse.items()), of_items(count);
    for (detail::Steps& one : of_clusters) one = fields.place(draw.below(48));
    for (std::uint32_t item = 0; item < count; ++item) of_items[item] = of_clusters[coarser.clusters()[item]];
    if (has_sdram) fields.sdram.assign(48, 1000000);
    CHECK(detail::Annealer(coarse, fields, of_clusters, 1).cost() ==
          detail::Annealer(fine, fields, of_items, 1).cost());
  }
}
