// SPDX-License-Identifier: BSL-1.0
// All phases together: random graphs with every kind of constraint on random broken machines. Each key that is sent is walked through
// the tables as a router would, one by one. It must come to the cores and devices of the graph's targets, once, and nowhere else.
#include <neuromorph/mapping/map.hpp>

#include <bit>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/mapping/faults.hpp>

#include "tests/support/catch.hpp"

namespace {

namespace mapping = neuromorph::mapping;
using mapping::Chip;
using mapping::Constraints;
using mapping::Machine;
using mapping::MachineGraph;
using mapping::Mapping;
using mapping::Vertex;
using neuromorph::Error;

using Delivered = std::map<std::pair<Chip, unsigned>, unsigned>; // chip and core, or device and 0: how often

/// A packet, as the paper's section 2 says what a router does with it. \return false where it goes round for ever or is lost at a link.
bool walk(const Machine& machine, const mapping::Tables& tables, std::uint32_t key, Chip chip, unsigned from,
          unsigned left, Delivered& to) {
  if (left == 0) return false;
  if (machine.is_virtual(chip)) return ++to[{chip, 0}], true;
  if (!machine.has(chip)) return false;
  mapping::Route route = 0;
  bool is_found = false;
  for (const mapping::TableEntry& entry : tables[chip])
    if (entry.keys.matches(key)) {
      route = entry.route, is_found = true;
      break;
    }
  if (!is_found) {
    if (from >= mapping::link_count) return true; // dropped
    route = mapping::route_to(mapping::opposite(mapping::Link(from)));
  }
  for (unsigned core = 0; core < 18; ++core)
    if ((route & mapping::route_to_core(core)) != 0) ++to[{chip, core}];
  for (unsigned link = 0; link < mapping::link_count; ++link) {
    if ((route >> link & 1) == 0) continue;
    const Chip other = machine.neighbour(chip, mapping::Link(link));
    if (other == mapping::no_chip || !walk(machine, tables, key, other, (link + 3) % 6, left - 1, to)) return false;
  }
  return true;
}

std::string fault_of(const MachineGraph& graph, const Machine& machine, const Mapping& mapped) {
  std::set<std::pair<Chip, unsigned>> used;
  for (Vertex vertex = 0; vertex < graph.vertices(); ++vertex) {
    const Chip chip = mapped.placements.chip[vertex];
    if (!machine.has(chip)) return graph.name(vertex) + " is nowhere";
    if (machine.is_virtual(chip)) continue;
    if ((machine.cores(chip) >> mapped.placements.core[vertex] & 1) == 0) return graph.name(vertex) + " has no core";
    if (!used.insert({chip, mapped.placements.core[vertex]}).second) return graph.name(vertex) + " shares a core";
  }
  // Partitions that share keys have one tree to all of their targets.
  std::map<std::uint64_t, std::set<Vertex>> targets;
  const auto name_of = [&](mapping::Partition at) {
    return std::uint64_t{mapped.keys_of(at).key} << 32 | graph.source(at);
  };
  for (mapping::Partition at = 0; at < graph.partitions(); ++at)
    targets[name_of(at)].insert(graph.targets(at).begin(), graph.targets(at).end());
  for (mapping::Partition at = 0; at < graph.partitions(); ++at) {
    const mapping::KeyMask keys = mapped.keys_of(at);
    if (std::uint64_t{~keys.mask} + 1 < graph.options(at).keys) return "too few keys";
    Delivered wanted;
    for (const Vertex target : targets[name_of(at)]) {
      const Chip chip = mapped.placements.chip[target];
      wanted[{chip, machine.is_virtual(chip) ? 0U : unsigned{mapped.placements.core[target]}}] = 1;
    }
    for (std::uint32_t own = 0; own <= (std::min)(~keys.mask, 63U); ++own) {
      const Chip home = mapped.placements.chip[graph.source(at)];
      Delivered to;
      bool is_well = true;
      if (machine.is_virtual(home)) {
        const auto& device = machine.device(home);
        is_well = walk(machine, mapped.tables, keys.key | own, device.chip, unsigned(device.link), 1000, to);
      } else {
        is_well = walk(machine, mapped.tables, keys.key | own, home, mapping::link_count, 1000, to);
      }
      if (!is_well) return "partition " + std::to_string(at) + ": a packet is lost, or goes round";
      if (to != wanted) return "partition " + std::to_string(at) + ": packets come elsewhere";
    }
  }
  return {};
}

struct Problem {
  Machine machine;
  MachineGraph graph{};
  Constraints constraints{};
};

Problem random_problem(std::mt19937& draw) {
  const auto below = [&](std::size_t count) { return static_cast<std::uint32_t>(draw() % count); };
  const std::uint32_t kind = below(3), width = 2 + below(9), height = 2 + below(9);
  const bool wraps_x = below(2) == 1, wraps_y = below(2) == 1;
  auto made = kind == 0   ? mapping::board_of_48()
              : kind == 1 ? mapping::machine_of_boards(1 + below(4))
                          : Machine::grid<mapping::SpiNNaker1>(width, height, {.wraps_x = wraps_x, .wraps_y = wraps_y});
  Problem problem{std::move(made).value()};
  Machine& machine = problem.machine;
  if (below(2) == 1) {
    const auto faults = mapping::draw_faults(machine, {.chips = 0.04, .links = 0.06, .one_way = 0.5}, draw());
    REQUIRE(mapping::add_faults(machine, faults.value()).ok());
  }
  std::vector<Chip> chips, devices;
  for (Chip chip = 0; chip < machine.grid_chips(); ++chip)
    if (machine.has(chip) && machine.core_count(chip) > 4) chips.push_back(chip);
  for (std::uint32_t wanted = below(3); wanted != 0 && !chips.empty(); --wanted) {
    const Chip chip = chips[below(chips.size())];
    for (unsigned link = 0; link < mapping::link_count; ++link)
      if (machine.neighbour(chip, mapping::Link(link)) == mapping::no_chip) {
        const auto device = machine.add_device(chip, mapping::Link(link), "device");
        if (device) devices.push_back(device.value());
        break;
      }
  }
  MachineGraph& graph = problem.graph;
  const std::uint32_t vertices = 1 + below((std::min)(chips.size() * 6, std::size_t{120}));
  for (std::uint32_t at = 0; at < vertices; ++at) {
    const bool has_name = below(3) == 0;
    graph.add({.dtcm_bytes = 1000, .sdram_bytes = below(2'000'000)}, has_name ? "named" : "");
  }
  for (const Chip device : devices) {
    const Vertex vertex = graph.add({});
    problem.constraints.devices.push_back({.vertex = vertex, .chip = device});
  }
  for (std::uint32_t left = 1 + below(2 * vertices); left != 0; --left) {
    std::vector<Vertex> targets;
    const std::uint32_t most_targets = below(8) == 0 ? graph.vertices() : 5;
    for (std::uint32_t count = below(most_targets); count != 0; --count) targets.push_back(below(graph.vertices()));
    const std::uint32_t most_keys = below(4) == 0 ? 40 : 2;
    const Vertex source = below(graph.vertices());
    graph.connect(source, targets, {.packets_per_step = 0.5, .keys = 1 + below(most_keys)});
  }
  if (!chips.empty() && below(2) == 1) problem.constraints.on_chip.push_back({.vertex = 0, .chip = chips[0]});
  if (vertices > 8 && below(2) == 1) problem.constraints.same_chip.push_back({2, 5, 7});
  if (graph.partitions() > 6) {
    if (below(2) == 1) problem.constraints.fixed_keys.push_back({.partition = 3, .keys = {0xFF00, 0xFFFFFFC0}});
    for (mapping::Partition one = 4; one < graph.partitions(); ++one)
      if (graph.source(one) == graph.source(2) && one != 3 && below(2) == 1)
        problem.constraints.same_keys.push_back({2, one});
  }
  return problem;
}

} // namespace

TEST_CASE("map: every packet of random graphs on broken machines comes to its targets, once, and nowhere else") {
  const std::uint32_t first = 1;
  unsigned mapped_ones = 0;
  for (std::uint32_t seed = first; seed < first + 300; ++seed) {
    std::mt19937 draw(seed);
    const Problem problem = random_problem(draw);
    const mapping::Placer placers[] = {mapping::Placer::hilbert, mapping::Placer::breadth_first,
                                       mapping::Placer::reverse_cuthill_mckee, mapping::Placer::radial};
    mapping::MapOptions options;
    options.placement.placer = placers[seed % 4];
    options.routing.algorithm =
        seed % 3 == 0 ? mapping::RoutingAlgorithm::order_of_dimensions : mapping::RoutingAlgorithm::nearest_neighbour;
    options.tables.default_routes = seed % 5 != 0;
    if (seed % 7 == 0) options.spreading.emplace();
    const auto made = mapping::map(problem.graph, problem.machine, problem.constraints, options);
    INFO("seed " << seed << ": " << made.sentence());
    if (!made) {
      // Faults may cut a machine in two, or leave too little of it: that is said, and nothing else.
      CHECK(made.status().error == Error::unmappable);
      continue;
    }
    ++mapped_ones;
    CHECK(fault_of(problem.graph, problem.machine, made.value()) == "");
    CHECK(mapping::verify(problem.graph, problem.machine, problem.constraints, made.value().placements).ok());
    REQUIRE(made.value().proof);
    CHECK(made.value().proof->is_proved());
  }
  CHECK(mapped_ones > 200);
}

TEST_CASE("map: a graph or a machine that has changed since is refused") {
  MachineGraph graph;
  for (int at = 0; at < 20; ++at) graph.add({.sdram_bytes = 1000}, "cell");
  for (Vertex at = 0; at < 20; ++at) graph.connect(at, std::vector<Vertex>{(at + 1) % 20});
  Machine machine = mapping::board_of_48().value();
  const auto made = mapping::map(graph, machine);
  REQUIRE(made);
  CHECK(mapping::check_is_of(made.value(), graph, machine).ok());

  const auto refused = [&](const MachineGraph& other, const Machine& on) {
    return mapping::check_is_of(made.value(), other, on).sentence();
  };
  MachineGraph more = graph;
  more.add({.sdram_bytes = 1000});
  CHECK(refused(more, machine) == "mapping: it is of another graph, or this one has changed since: map it again");
  MachineGraph connected = graph;
  connected.connect(3, std::vector<Vertex>{4});
  CHECK(!refused(connected, machine).empty());
  for (const auto& options :
       {mapping::PartitionOptions{.packets_per_step = 2.0}, mapping::PartitionOptions{.keys = 2}}) {
    MachineGraph other;
    for (int at = 0; at < 20; ++at) other.add({.sdram_bytes = 1000}, "cell");
    for (Vertex at = 0; at < 20; ++at)
      other.connect(at, std::vector<Vertex>{(at + 1) % 20}, at == 19 ? options : mapping::PartitionOptions{});
    CHECK(refused(other, machine).find("another graph") != std::string::npos);
  }
  for (int what = 0; what < 3; ++what) {
    Machine other = machine;
    if (what == 0) other.remove_link(other.chip_at(1, 1), mapping::Link::east);
    if (what == 1) other.remove_core(other.chip_at(1, 1), 5);
    if (what == 2) other.remove_chip(other.chip_at(1, 1));
    CHECK(refused(graph, other) == "mapping: it is of another machine, or this one has changed since: map it again");
  }
  // Names say nothing of where packets go.
  MachineGraph renamed;
  for (int at = 0; at < 20; ++at) renamed.add({.sdram_bytes = 1000}, "neuron");
  for (Vertex at = 0; at < 20; ++at) renamed.connect(at, std::vector<Vertex>{(at + 1) % 20});
  CHECK(mapping::check_is_of(made.value(), renamed, machine).ok());
}

TEST_CASE("map: threads and repetition give the same bits") {
  std::mt19937 draw(77);
  for (int turn = 0; turn < 10; ++turn) {
    const Problem problem = random_problem(draw);
    const auto one = mapping::map(problem.graph, problem.machine, problem.constraints);
    const auto two = mapping::map(problem.graph, problem.machine, problem.constraints,
                                  {.routing = {.threads = 3}, .proof = {.threads = 3}});
    REQUIRE(one.ok() == two.ok());
    if (!one) {
      CHECK(one.sentence() == two.sentence());
      continue;
    }
    CHECK(one.value().placements.chip == two.value().placements.chip);
    CHECK(one.value().placements.core == two.value().placements.core);
    CHECK(one.value().keys == two.value().keys);
    REQUIRE(one.value().tables.first == two.value().tables.first);
    bool is_same = true;
    for (std::size_t at = 0; at < one.value().tables.items.size(); ++at) {
      const auto &a = one.value().tables.items[at], &b = two.value().tables.items[at];
      is_same = is_same && a.keys == b.keys && a.route == b.route;
    }
    CHECK(is_same);
  }
}

TEST_CASE("map: trees are spread where that is asked for, and phases are told in their order") {
  // All to one side of a ring: nearest ways share a link.
  MachineGraph graph;
  Machine machine = Machine::grid<mapping::SpiNNaker1>(4, 4).value();
  for (int at = 0; at < 32; ++at) graph.add({});
  for (Vertex at = 0; at < 16; ++at) graph.connect(at, std::vector<Vertex>{at + 16}, {.packets_per_step = 10.0});
  mapping::Constraints constraints;
  for (Vertex at = 0; at < 32; ++at) constraints.on_chip.push_back({.vertex = at, .chip = at < 16 ? 0U : 10U});
  std::vector<std::string> told;
  double last = 0.0;
  mapping::MapOptions options{.spreading = mapping::SpreadingOptions{.longest = 2.0}};
  options.progress = [&](const char* phase, double seconds) {
    CHECK(seconds >= last);
    last = seconds;
    if (told.empty() || told.back() != phase) told.emplace_back(phase);
  };
  const auto made = mapping::map(graph, machine, constraints, options);
  REQUIRE(made);
  REQUIRE(made.value().spread);
  CHECK(made.value().spread->most_before > made.value().spread->most_after);
  CHECK(made.value().text(machine).find("trees moved") != std::string::npos);
  CHECK(told == std::vector<std::string>{"placement", "keys", "routes", "spreading", "tables", "tags and fixed routes",
                                         "proof"});
  CHECK_FALSE(mapping::map(graph, machine, constraints).value().spread);
  options.spreading->longest = 0.5, last = 0.0;
  CHECK(mapping::map(graph, machine, constraints, options).sentence() ==
        "longest: trees do not become shorter: it is at least 1");

  // Long work is told of while it is done.
  MachineGraph many;
  for (int at = 0; at < 200; ++at) many.add({});
  for (Vertex at = 0; at < 200; ++at) many.connect(at, std::vector<Vertex>{(at * 7 + 1) % 200});
  unsigned calls = 0;
  mapping::MapOptions annealed{.placement = {.placer = mapping::Placer::annealing}};
  annealed.progress = [&](const char* phase, double) { calls += std::string(phase) == "placement"; };
  REQUIRE(mapping::map(many, machine, {}, annealed));
  CHECK(calls > 10);
}
