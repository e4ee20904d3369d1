// SPDX-License-Identifier: BSL-1.0
// Routes: every tree is walked by an independent checker; lengths are compared with those of a plain search in breadth.
#include <neuromorph/mapping/routing.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include <neuromorph/mapping/detail/draw.hpp>

namespace {

using namespace neuromorph::mapping;
using detail::Draw;
using neuromorph::Error;

/// Links from a chip to each other one by a search in breadth; -1 where none leads.
std::vector<int> distances(const Machine& machine, Chip from) {
  std::vector<int> far(machine.grid_chips(), -1);
  std::vector<Chip> queue{from};
  far[from] = 0;
  for (std::size_t at = 0; at < queue.size(); ++at)
    for (unsigned link = 0; link < link_count; ++link) {
      const Chip other = machine.neighbour(queue[at], Link(link));
      if (other == no_chip || machine.is_virtual(other) || far[other] >= 0) continue;
      far[other] = far[queue[at]] + 1;
      queue.push_back(other);
    }
  return far;
}

/// What is wrong with the tree of a partition, or nothing: it knows the machine and the demand, and follows packets.
std::string wrong(const MachineGraph& graph, const Machine& machine, const Placements& placements, const Routes& routes,
                  Partition partition) {
  const auto nodes = routes[partition];
  if (nodes.empty()) return "a tree is empty";
  std::map<Chip, RouteNode> tree;
  for (const RouteNode& node : nodes) {
    if (!machine.has(node.chip) || machine.is_virtual(node.chip)) return "a chip of a tree is not there";
    if (!tree.emplace(node.chip, node).second) return "a chip is in a tree twice";
  }
  std::map<Chip, std::size_t> order;
  for (const RouteNode& node : nodes) order.emplace(node.chip, order.size());
  // Where packets begin.
  const Chip source = placements.chip[graph.source(partition)];
  Chip root = source;
  unsigned from = RouteNode::from_core;
  if (machine.is_virtual(source)) {
    root = no_chip;
    for (unsigned link = 0; link < link_count; ++link)
      if (machine.neighbour(source, Link(link)) != no_chip)
        root = machine.neighbour(source, Link(link)), from = (link + 3) % 6;
  }
  if (nodes[0].chip != root) return "a tree does not begin at its source";
  if (nodes[0].from != from) return "the first packets come from elsewhere";
  // Each packet, until none is left.
  std::set<std::pair<Chip, unsigned>> delivered, demanded;
  std::set<Chip> visited{root};
  std::vector<Chip> packets{root};
  while (!packets.empty()) {
    const Chip chip = packets.back();
    packets.pop_back();
    if (tree.count(chip) == 0) return "a packet comes to a chip without a node";
    const RouteNode& node = tree.at(chip);
    if (node.route == 0) return "packets end without a target";
    for (unsigned bit = 0; bit < 32; ++bit) {
      if ((node.route >> bit & 1) == 0) continue;
      if (bit >= link_count) {
        delivered.emplace(chip, bit - link_count);
        continue;
      }
      const Chip other = machine.neighbour(chip, Link(bit));
      if (other == no_chip) return "a link of a tree is missing";
      if (machine.is_virtual(other)) {
        delivered.emplace(other, 0);
        continue;
      }
      if (!visited.insert(other).second) return "two ways lead to a chip";
      if (tree.count(other) == 0) return "a packet comes to a chip without a node";
      if (tree.at(other).from != (bit + 3) % 6) return "packets come in by another link than is said";
      if (order.at(other) < order.at(chip)) return "a chip stands before one that leads to it";
      packets.push_back(other);
    }
  }
  if (visited.size() != nodes.size()) return "a node is not reached";
  for (const Vertex target : graph.targets(partition))
    demanded.emplace(placements.chip[target], placements.core[target]);
  if (delivered != demanded) return "others are delivered than are demanded";
  return {};
}
std::string wrong(const MachineGraph& graph, const Machine& machine, const Placements& placements,
                  const Routes& routes) {
  if (routes.size() != graph.partitions()) return "there is not a tree for each partition";
  if (routes.first.back() != routes.items.size()) return "nodes belong to no tree";
  for (Partition partition = 0; partition < graph.partitions(); ++partition) {
    const std::string words = wrong(graph, machine, placements, routes, partition);
    if (!words.empty()) return "partition " + std::to_string(partition) + ": " + words;
  }
  return {};
}
bool same(const Routes& one, const Routes& other) {
  return one.first == other.first && one.items.size() == other.items.size() &&
         std::equal(one.items.begin(), one.items.end(), other.items.begin(), [](const auto& a, const auto& b) {
           return a.chip == b.chip && a.route == b.route && a.from == b.from;
         });
}

/// Of a size to 16 x 16.
Machine any_grid(Draw& draw) {
  const std::uint32_t width = 1 + draw.below(16), height = 1 + draw.below(16), wraps = draw.below(4);
  return Machine::grid<SpiNNaker1>(width, height, {(wraps & 1) != 0, wraps > 1}).value();
}
Machine grid(std::uint32_t width, std::uint32_t height, Wraps wraps) {
  return Machine::grid<SpiNNaker1>(width, height, wraps).value();
}
/// Chips and links of it are missing, each in a direction of its own, in so many of a thousand.
void damage(Machine& machine, Draw& draw, std::uint32_t chips, std::uint32_t links) {
  for (Chip chip = 0; chip < machine.grid_chips(); ++chip) {
    for (unsigned link = 0; link < link_count; ++link)
      if (draw.below(1000) < links) machine.remove_link(chip, Link(link));
    if (draw.below(1000) < chips) machine.remove_chip(chip);
  }
}

struct Demand {
  MachineGraph graph{};
  Placements placements{};
};
/// Vertices on cores of chips that are there, each with a partition; each of at most so many targets.
Demand demand(const Machine& machine, Draw& draw, std::uint32_t vertices, std::uint32_t most_targets) {
  Demand made;
  std::vector<Chip> chips;
  for (Chip chip = 0; chip < machine.chips(); ++chip)
    if (machine.has(chip)) chips.push_back(chip);
  if (chips.empty()) return made;
  for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
    const Chip chip = chips[draw.below(static_cast<std::uint32_t>(chips.size()))];
    made.graph.add({});
    made.placements.chip.push_back(chip);
    made.placements.core.push_back(machine.is_virtual(chip) ? std::uint8_t{0}
                                                            : static_cast<std::uint8_t>(1 + draw.below(17)));
  }
  for (Vertex source = 0; source < vertices; ++source) {
    std::vector<Vertex> targets(1 + draw.below(most_targets)); // the source and duplicates among them
    for (Vertex& target : targets) target = draw.below(vertices);
    made.graph.connect(source, targets, {.identifier = "spikes"});
  }
  return made;
}

} // namespace

TEST_CASE("routing: every tree is right, whatever is missing, wraps, or is asked for") {
  std::uint32_t routed = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    Draw draw(seed);
    Machine machine = any_grid(draw);
    const std::uint32_t faults = seed % 3 == 0 ? 0 : draw.below(300);
    damage(machine, draw, faults / 2, faults);
    for (int device = 0; device < 3; ++device) {
      const Chip chip = draw.below(machine.grid_chips());
      (void)machine.add_device(chip, Link(draw.below(6)), "device");
    }
    const std::uint32_t vertices = 1 + draw.below(20), most_targets = 1 + draw.below(30);
    const Demand made = demand(machine, draw, vertices, most_targets);
    const RoutingOptions options{.algorithm = draw.below(4) == 0 ? RoutingAlgorithm::order_of_dimensions
                                                                 : RoutingAlgorithm::nearest_neighbour,
                                 .radius = draw.below(3) == 0 ? draw.below(4) : 20};
    const auto routes = route(made.graph, machine, made.placements, options);
    // Whether all can be reached, by plain searches.
    Partition first_cut = made.graph.partitions();
    Vertex cut = 0;
    for (Partition partition = 0; partition < made.graph.partitions() && first_cut == made.graph.partitions();
         ++partition) {
      Chip root = made.placements.chip[made.graph.source(partition)];
      if (machine.is_virtual(root)) root = machine.device(root).chip;
      const std::vector<int> far = distances(machine, root);
      for (const Vertex target : made.graph.targets(partition)) {
        Chip chip = made.placements.chip[target];
        if (machine.is_virtual(chip)) chip = machine.device(chip).chip;
        if (far[chip] < 0 && first_cut == made.graph.partitions()) first_cut = partition, cut = target;
      }
    }
    if (first_cut == made.graph.partitions()) {
      INFO(routes.sentence());
      REQUIRE(routes.ok());
      REQUIRE(wrong(made.graph, machine, made.placements, routes.value()) == "");
      ++routed;
    } else {
      REQUIRE(!routes.ok());
      CHECK(routes.status().error == Error::unmappable);
      CHECK(routes.status().where == first_cut);
      const auto named = static_cast<Vertex>(routes.status().value.whole());
      const auto targets = made.graph.targets(first_cut);
      CHECK(std::find(targets.begin(), targets.end(), named) != targets.end());
      if (targets.size() == 1) CHECK(named == cut);
      ++refused;
    }
  }
  CHECK(routed > 300);
  CHECK(refused > 40);
}

TEST_CASE("routing: a way to one target is a shortest one, with any faults and wraps") {
  std::uint32_t longer_than_healthy = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    Draw draw(seed);
    const Machine healthy = any_grid(draw);
    Machine machine = healthy;
    const std::uint32_t faults = draw.below(300);
    if (seed % 4 != 0) damage(machine, draw, faults / 2, faults);
    const Demand made = demand(machine, draw, 40, 1);
    for (const RoutingAlgorithm algorithm :
         {RoutingAlgorithm::nearest_neighbour, RoutingAlgorithm::order_of_dimensions})
      for (Partition partition = 0; partition < made.graph.partitions(); ++partition) {
        Demand one;
        for (Vertex vertex = 0; vertex < made.graph.vertices(); ++vertex) one.graph.add({});
        one.placements = made.placements;
        one.graph.connect(partition, made.graph.targets(partition));
        const auto routes = route(one.graph, machine, one.placements, {.algorithm = algorithm});
        const Chip from = made.placements.chip[partition], to = made.placements.chip[made.graph.targets(partition)[0]];
        const int links = distances(machine, from)[to];
        REQUIRE(routes.ok() == (links >= 0));
        if (!routes) continue;
        REQUIRE(wrong(one.graph, machine, one.placements, routes.value()) == "");
        REQUIRE(routes.value().items.size() == static_cast<std::size_t>(links) + 1);
        if (links > distances(healthy, from)[to]) ++longer_than_healthy;
      }
  }
  CHECK(longer_than_healthy > 100); // so that detours were tried
}

TEST_CASE("routing: without faults trees are those that the rule for nearest neighbours gives, taken word by word") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Draw draw(seed);
    const Machine machine = any_grid(draw);
    const detail::Hexagons hexagons(machine);
    const std::uint32_t vertices = 2 + draw.below(60), most_targets = 1 + draw.below(60);
    const std::uint32_t radius = draw.below(2) == 0 ? 20 : draw.below(6);
    const Demand made = demand(machine, draw, vertices, most_targets);
    const auto routes = route(made.graph, machine, made.placements, {.radius = radius});
    REQUIRE(routes.ok());
    for (Partition partition = 0; partition < made.graph.partitions(); ++partition) {
      const Chip root = made.placements.chip[made.graph.source(partition)];
      const std::vector<int> from_root = distances(machine, root);
      std::set<Chip> sinks;
      for (const Vertex target : made.graph.targets(partition)) sinks.insert(made.placements.chip[target]);
      std::vector<Chip> tree{root};
      const auto find = [&](Chip chip) { return std::find(tree.begin(), tree.end(), chip); };
      for (unsigned link = 0; link < link_count; ++link) {
        const Chip other = machine.neighbour(root, Link(link));
        if (other != no_chip && sinks.count(other) != 0 && find(other) == tree.end()) tree.push_back(other);
      }
      std::vector<std::pair<int, Chip>> order;
      for (const Chip chip : sinks) order.emplace_back(from_root[chip], chip);
      std::sort(order.begin(), order.end());
      for (const auto& [links, chip] : order) {
        if (find(chip) != tree.end()) continue;
        const std::vector<int> far = distances(machine, chip);
        Chip near = root;
        int least = static_cast<int>(radius) + 1;
        for (const Chip one : tree)
          if (far[one] < least) near = one, least = far[one];
        detail::Legs legs = detail::legs_of(hexagons.steps(hexagons.at(near), hexagons.at(chip)));
        if (legs.count[1] > legs.count[0]) legs = legs.turned();
        std::vector<Chip> way;
        for (unsigned leg = 0; leg < 2; ++leg)
          for (std::uint32_t step = 0; step < legs.count[leg]; ++step) {
            near = machine.neighbour(near, legs.link[leg]);
            way.push_back(near);
            if (find(near) != tree.end()) way.clear();
          }
        tree.insert(tree.end(), way.begin(), way.end());
      }
      std::vector<Chip> found;
      for (const RouteNode& node : routes.value()[partition]) found.push_back(node.chip);
      REQUIRE(found == tree);
    }
  }
}

TEST_CASE("routing: a broken sink is joined by a shortest way from all of the tree") {
  // A line of targets to the east, then one above its middle whose link from below is missing.
  Machine machine = grid(16, 16, {});
  machine.remove_link(machine.chip_at(8, 0), Link::north);
  machine.remove_link(machine.chip_at(7, 0), Link::north_east);
  Demand made;
  for (const auto& [x, y] : {std::pair{0U, 0U}, {4U, 0U}, {8U, 0U}, {12U, 0U}, {8U, 1U}}) {
    made.graph.add({});
    made.placements.chip.push_back(machine.chip_at(x, y)), made.placements.core.push_back(1);
  }
  made.graph.connect(0, std::vector<Vertex>{1, 2, 3, 4});
  const auto routes = route(made.graph, machine, made.placements);
  REQUIRE(routes.ok());
  CHECK(wrong(made.graph, machine, made.placements, routes.value()) == "");
  CHECK(routes.value().items.size() == 13 + 2);
}

TEST_CASE("routing: the same for any number of threads and any order of targets") {
  Draw draw(7);
  Machine machine = grid(16, 12, {.wraps_x = true, .wraps_y = false});
  damage(machine, draw, 20, 30);
  Demand made = demand(machine, draw, 200, 6);
  for (std::uint32_t more = 0; more < 20000; ++more) { // several blocks
    std::vector<Vertex> targets(1 + draw.below(4));
    for (Vertex& target : targets) target = draw.below(200);
    made.graph.connect(draw.below(200), targets);
  }
  const auto routes = route(made.graph, machine, made.placements);
  REQUIRE(routes.ok());
  CHECK(wrong(made.graph, machine, made.placements, routes.value()) == "");
  for (const unsigned threads : {0U, 2U, 3U, 8U}) {
    const auto others = route(made.graph, machine, made.placements, {.threads = threads});
    REQUIRE(others.ok());
    CHECK(same(routes.value(), others.value()));
  }
  MachineGraph turned;
  for (Vertex vertex = 0; vertex < 200; ++vertex) turned.add({});
  for (Partition partition = 0; partition < made.graph.partitions(); ++partition) {
    std::vector<Vertex> targets(made.graph.targets(partition).begin(), made.graph.targets(partition).end());
    draw.shuffle(targets);
    targets.push_back(targets.front());
    turned.connect(made.graph.source(partition), targets);
  }
  CHECK(same(routes.value(), route(turned, machine, made.placements).value()));
  // Of several refusals the first partition's, on any number of threads.
  for (unsigned link = 0; link < link_count; ++link) machine.remove_link_both(made.placements.chip[0], Link(link));
  const auto refused = route(made.graph, machine, made.placements);
  REQUIRE(!refused.ok());
  for (const unsigned threads : {2U, 3U, 8U})
    CHECK(route(made.graph, machine, made.placements, {.threads = threads}).sentence() == refused.sentence());
}

TEST_CASE("routing: the longer leg comes first, and nearest neighbours share ways") {
  const Machine machine = grid(20, 20, {});
  Demand made;
  const auto place = [&](std::uint32_t x, std::uint32_t y) {
    made.placements.chip.push_back(machine.chip_at(x, y)), made.placements.core.push_back(1);
    return made.graph.add({});
  };
  const Vertex source = place(0, 0), high = place(3, 10), beside = place(4, 10);
  made.graph.connect(source, std::vector<Vertex>{high});
  made.graph.connect(source, std::vector<Vertex>{high, beside});
  const auto routes = route(made.graph, machine, made.placements);
  const auto dimensions =
      route(made.graph, machine, made.placements, {.algorithm = RoutingAlgorithm::order_of_dimensions});
  const auto alone = route(made.graph, machine, made.placements, {.radius = 0});
  for (const auto* one : {&routes, &dimensions, &alone})
    REQUIRE(wrong(made.graph, machine, made.placements, one->value()) == "");
  CHECK(routes.value()[0][0].route == route_to(Link::north)); // seven, then three to the north east
  CHECK(routes.value()[0][7].route == route_to(Link::north_east));
  CHECK(dimensions.value()[0][0].route == route_to(Link::north_east));
  CHECK(dimensions.value()[0][3].route == route_to(Link::north));
  CHECK(routes.value()[1].size() == 12);
  CHECK(alone.value()[1].size() > 12);
}

TEST_CASE("routing: what is not where it is placed, and what cannot be reached, is named") {
  Machine machine = grid(4, 3, {});
  MachineGraph graph;
  const Vertex source = graph.add({}, "retina"), target = graph.add({}, "cortex");
  graph.connect(source, std::vector<Vertex>{source});
  graph.connect(source, std::vector<Vertex>{source, target}, {.identifier = "spikes"});
  const Placements good{{0, 6}, {1, 2}};
  REQUIRE(route(graph, machine, good).ok());
  const auto says = [&](const Machine& on, const Placements& placements, Error error, const std::string& words) {
    const auto routes = route(graph, on, placements);
    REQUIRE(!routes.ok());
    CHECK(routes.status().error == error);
    CHECK(routes.sentence() == words);
  };
  says(machine, {{0}, {1, 2}}, Error::lengths_differ, "placements: 1 chips and 2 cores are given for 2 vertices");
  says(machine, {{0, 6}, {1, 2, 3}}, Error::lengths_differ, "placements: 2 chips and 3 cores are given for 2 vertices");
  says(machine, {{0, 12}, {1, 2}}, Error::index_out_of_range, "vertex 1, cortex: it is placed on chip number 12 of 12");
  says(machine, {{0, no_chip}, {1, 2}}, Error::index_out_of_range,
       "vertex 1, cortex: it is placed on chip number 4294967295 of 12");
  says(machine, {{0, 6}, {0, 2}}, Error::unmappable,
       "vertex 0, retina: it is placed on core 0 of chip 0, 0, which no user has");
  says(machine, {{0, 6}, {1, 26}}, Error::index_out_of_range,
       "vertex 1, cortex: it is placed on core 26 of chip 2, 1, and a route has bits for 26");
  Machine cut = machine;
  for (unsigned link = 0; link < link_count; ++link) {
    const Chip other = machine.neighbour(6, Link(link));
    if (other != no_chip) cut.remove_link(other, opposite(Link(link)));
  }
  says(cut, good, Error::unmappable,
       "partition 1, spikes, of vertex 0, retina: no way of links leads from chip 0, 0 to chip 2, 1 with its target "
       "vertex 1, cortex");
  Machine gone = machine;
  gone.remove_chip(6);
  says(gone, good, Error::unmappable, "vertex 1, cortex: it is placed on chip 2, 1, which is missing");
  Machine fewer = machine;
  fewer.remove_core(6, 2);
  says(fewer, good, Error::unmappable, "vertex 1, cortex: it is placed on core 2 of chip 2, 1, which no user has");
  MachineGraph wild = graph;
  wild.connect(source, std::vector<Vertex>{target, 9});
  CHECK(route(wild, machine, good).sentence() == "partition 2: vertex 9 is none of the graph's 2");
  MachineGraph wilder = graph;
  wilder.connect(7, std::vector<Vertex>{target});
  CHECK(route(wilder, machine, good).sentence() == "partition 2: vertex 7 is none of the graph's 2");
  CHECK(route(wilder, machine, good).status().error == Error::index_out_of_range);
}

TEST_CASE("routing: devices send and receive behind the link of their chip") {
  Machine machine = grid(4, 4, {});
  const Chip retina = machine.add_device(machine.chip_at(0, 1), Link::west, "retina").value();
  const Chip motor = machine.add_device(machine.chip_at(3, 1), Link::east, "motor").value();
  MachineGraph graph;
  const Vertex eye = graph.add({}, "eye"), arm = graph.add({}, "arm"), cell = graph.add({}, "cell");
  Placements placements{{retina, motor, machine.chip_at(1, 1)}, {0, 0, 3}};
  graph.connect(eye, std::vector<Vertex>{arm, cell});
  graph.connect(cell, std::vector<Vertex>{arm});
  graph.connect(eye, std::vector<Vertex>{eye});
  const auto routes = route(graph, machine, placements);
  REQUIRE(routes.ok());
  REQUIRE(wrong(graph, machine, placements, routes.value()) == "");
  CHECK(routes.value()[0].size() == 4);
  CHECK(routes.value()[0][0].from == unsigned(Link::west));
  CHECK(routes.value()[0][3].route == route_to(Link::east));
  CHECK(routes.value()[2].size() == 1);
  CHECK(routes.value()[2][0].route == route_to(Link::west));
  // A device that may only send, or only receive.
  Machine sends = machine;
  sends.remove_link(machine.chip_at(0, 1), Link::west);
  CHECK(
      route(graph, sends, placements).sentence() ==
      "partition 2, of vertex 0, eye: no way of links leads from device 0, retina to device 0, retina with its target "
      "vertex 0, eye");
  Machine receives = machine;
  receives.remove_link(retina, Link::east);
  CHECK(route(graph, receives, placements).sentence() ==
        "partition 0, of vertex 0, eye: no way of links leads from device 0, retina to any other");
}

TEST_CASE("routing: no targets are a tree of its source alone") {
  const Machine machine = grid(2, 2, {});
  MachineGraph graph;
  graph.add({});
  graph.connect(0, {});
  const auto routes = route(graph, machine, {{3}, {1}});
  REQUIRE(routes.ok());
  REQUIRE(routes.value().items.size() == 1);
  CHECK(routes.value().items[0].route == 0);
  CHECK(route(MachineGraph{}, machine, {}).value().size() == 0);
}

TEST_CASE("routing: spreading lowers the most packets of a link, and keeps trees right") {
  std::uint32_t lowered = 0, large = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Draw draw(seed);
    // Small trees are grown again as a whole, of large ones branches are led elsewhere.
    const bool is_large = seed % 4 == 0;
    Machine machine = is_large ? grid(24, 24, {.wraps_x = draw.below(2) != 0}) : any_grid(draw);
    const std::uint32_t faults = draw.below(100);
    damage(machine, draw, faults / 4, faults);
    for (int device = 0; device < 2; ++device) {
      const Chip chip = draw.below(machine.grid_chips());
      (void)machine.add_device(chip, Link(draw.below(6)), "device");
    }
    Demand made = demand(machine, draw, is_large ? 100 : 30, is_large ? 25 : 5);
    MachineGraph graph;
    for (Vertex vertex = 0; vertex < made.graph.vertices(); ++vertex) graph.add({});
    for (Partition partition = 0; partition < made.graph.partitions(); ++partition)
      graph.connect(made.graph.source(partition), made.graph.targets(partition),
                    {.packets_per_step = draw.below(5) == 0 ? 0.0 : 0.25 * (1 + draw.below(40))});
    auto routes = route(graph, machine, made.placements);
    if (!routes) continue;
    const Routes before = routes.value();
    const double longest = 1.0 + 0.05 * draw.below(5);
    const auto done = spread(graph, machine, routes.value(), {.longest = longest});
    REQUIRE(done.ok());
    REQUIRE(wrong(graph, machine, made.placements, routes.value()) == "");
    // By counting.
    const auto most = [&](const Routes& of) {
      std::map<std::pair<Chip, unsigned>, double> loads;
      double found = 0.0;
      for (Partition partition = 0; partition < graph.partitions(); ++partition)
        for (const RouteNode& node : of[partition])
          for (unsigned link = 0; link < link_count; ++link)
            if ((node.route >> link & 1) != 0)
              found = (std::max)(found, loads[{node.chip, link}] += graph.options(partition).packets_per_step);
      return found;
    };
    CHECK(done.value().most_before == most(before));
    CHECK(done.value().most_after == most(routes.value()));
    CHECK(done.value().most_after <= done.value().most_before);
    CHECK(done.value().links_before == before.items.size() - graph.partitions());
    CHECK(done.value().links_after == routes.value().items.size() - graph.partitions());
    CHECK(static_cast<double>(done.value().links_after) <= longest * static_cast<double>(done.value().links_before));
    if (done.value().most_after < done.value().most_before) ++lowered;
    CHECK(same(before, routes.value()) == (done.value().moved == 0));
    if (done.value().most_after == done.value().most_before) CHECK(done.value().moved == 0);
    if (is_large && done.value().moved != 0) ++large;
    auto again = before; // the same each time
    REQUIRE(spread(graph, machine, again, {.longest = longest}).ok());
    CHECK(same(again, routes.value()));
  }
  CHECK(lowered > 20);
  CHECK(large > 8);
}

TEST_CASE("routing: spreading finds the ways beside a line that all take") {
  // Eight sources at one place send to one place: six links are enough for any load.
  const Machine machine = grid(8, 8, {.wraps_x = true, .wraps_y = true});
  MachineGraph graph;
  Placements placements;
  for (std::uint8_t core = 1; core <= 12; ++core) {
    graph.add({});
    placements.chip.push_back(core <= 6 ? machine.chip_at(0, 0) : machine.chip_at(4, 0));
    placements.core.push_back(core);
  }
  for (Vertex source = 0; source < 6; ++source) graph.connect(source, std::vector<Vertex>{source + 6});
  auto routes = route(graph, machine, placements);
  const auto done = spread(graph, machine, routes.value(), {.longest = 2.0});
  REQUIRE(done.ok());
  CHECK(wrong(graph, machine, placements, routes.value()) == "");
  CHECK(done.value().most_before == 6.0);
  CHECK(done.value().most_after == 1.0);
  CHECK(done.value().text().find("most packets of a link in a step: 1, before 6") == 0);
  // Not where it may not be longer: four links in one way, or the other way round.
  auto tight = route(graph, machine, placements);
  const auto little = spread(graph, machine, tight.value(), {.longest = 1.0});
  CHECK(little.value().most_after == 3.0);
  CHECK(little.value().links_after == little.value().links_before);
}

TEST_CASE("routing: spreading refuses what it cannot count") {
  const Machine machine = grid(2, 2, {});
  MachineGraph graph;
  graph.add({});
  graph.connect(0, std::vector<Vertex>{0}, {.identifier = "spikes", .packets_per_step = -1.0});
  Routes none, one = route(graph, machine, {{0}, {1}}).value();
  CHECK(spread(graph, machine, none).sentence() == "routes: 0 trees are given for 1 partitions");
  CHECK(spread(graph, machine, none).status().error == Error::lengths_differ);
  CHECK(spread(graph, machine, one).sentence() ==
        "partition 0, spikes, of vertex 0: its packets of a step are 0 to 10^6, and not -1.000000");
  CHECK(spread(graph, machine, one, {.longest = 0.5}).status().error == Error::parameter_out_of_range);
  MachineGraph empty;
  CHECK(spread(empty, machine, none).value().moved == 0);
}
