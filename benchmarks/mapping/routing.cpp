// SPDX-License-Identifier: BSL-1.0
// Routing alone: how long it takes, how long the trees are beside what no tree can be shorter than, and how much longer faults
// make them. `mapping.routing [threads]`.
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/mapping/detail/draw.hpp>
#include <neuromorph/mapping/routing.hpp>
#include <neuromorph/mapping/routing_report.hpp>

namespace {

namespace mapping = neuromorph::mapping;
using mapping::Chip;
using mapping::Machine;
using mapping::MachineGraph;
using mapping::Placements;
using mapping::Vertex;
using mapping::detail::Draw;

struct Case {
  const char* name;
  Machine machine;
  MachineGraph graph{};
  Placements placements{};
};

Machine torus(std::uint32_t width, std::uint32_t height) {
  return Machine::grid<mapping::SpiNNaker1>(width, height, {.wraps_x = true, .wraps_y = true}).value();
}

/// Cells on a torus, each of which tells its eight neighbours.
void add_cells(MachineGraph& graph, std::uint32_t width, std::uint32_t height) {
  const std::uint32_t count = width * height;
  graph.reserve(count, count, std::size_t{count} * 8);
  for (Vertex cell = 0; cell < count; ++cell) graph.add({.dtcm_bytes = 1024});
  std::vector<Vertex> targets(8);
  for (Vertex cell = 0; cell < count; ++cell) {
    const std::uint32_t x = cell % width, y = cell / width;
    const std::uint32_t west = (x + width - 1) % width, east = (x + 1) % width;
    const std::uint32_t south = (y + height - 1) % height * width, north = (y + 1) % height * width, here = y * width;
    targets = {south + west, south + x, south + east, here + west, here + east, north + west, north + x, north + east};
    graph.connect(cell, targets, {.identifier = "state"});
  }
}

/// 4 x 4 cells on a chip.
Case conway() {
  Case made{"conway50", torus(13, 13)};
  add_cells(made.graph, 50, 50);
  for (Vertex cell = 0; cell < 2500; ++cell) {
    const std::uint32_t x = cell % 50, y = cell / 50;
    made.placements.chip.push_back(made.machine.chip_at(x / 4, y / 4));
    made.placements.core.push_back(static_cast<std::uint8_t>(1 + y % 4 * 4 + x % 4));
  }
  return made;
}

/// Bands of four rows, in which 17 cells, column by column, are on a chip.
Case million() {
  Case made{"million", torus(240, 240)};
  add_cells(made.graph, 1020, 960);
  for (Vertex cell = 0; cell < 1020 * 960; ++cell) {
    const std::uint32_t x = cell % 1020, y = cell / 1020, along = x * 4 + y % 4;
    made.placements.chip.push_back(made.machine.chip_at(along / 17, y / 4));
    made.placements.core.push_back(static_cast<std::uint8_t>(1 + along % 17));
  }
  return made;
}

/// As the cortical microcircuit is with 80 neurons on a core: each to all.
Case all_to_all() {
  constexpr std::uint32_t count = 965;
  Case made{"all_to_all", torus(8, 8)};
  std::vector<Vertex> all;
  for (Vertex vertex = 0; vertex < count; ++vertex) {
    all.push_back(made.graph.add({.dtcm_bytes = 1024}));
    made.placements.chip.push_back(vertex / 17);
    made.placements.core.push_back(static_cast<std::uint8_t>(1 + vertex % 17));
  }
  for (Vertex vertex = 0; vertex < count; ++vertex) made.graph.connect(vertex, all, {.identifier = "spikes"});
  return made;
}

/// Partitions with targets anywhere.
Case anywhere(const char* name, std::uint32_t size, std::uint32_t partitions, std::uint32_t fan_out) {
  Case made{name, torus(size, size)};
  Draw draw(1);
  for (Vertex vertex = 0; vertex < size * size; ++vertex) {
    made.graph.add({.dtcm_bytes = 1024});
    made.placements.chip.push_back(vertex);
    made.placements.core.push_back(1);
  }
  std::vector<Vertex> targets(fan_out);
  for (std::uint32_t partition = 0; partition < partitions; ++partition) {
    for (Vertex& target : targets) target = draw.below(size * size);
    made.graph.connect(draw.below(size * size), targets, {.identifier = "spikes"});
  }
  return made;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void measure(const Case& one, const mapping::RoutingOptions& options, unsigned repetitions) {
  double least = 1e9;
  mapping::Routes routes;
  for (unsigned repetition = 0; repetition < repetitions; ++repetition) {
    const double begin = now();
    auto made = mapping::route(one.graph, one.machine, one.placements, options);
    least = (std::min)(least, now() - begin);
    if (!made) std::printf("%s\n", made.sentence().c_str()), std::exit(1);
    routes = std::move(made).value();
  }
  double begin = now();
  const auto report = mapping::routing_report(one.graph, one.machine, routes);
  const double reported = now() - begin;
  std::printf("%s: %" PRIu32 " partitions, %zu edges: routed in %.6f s, reported in %.3f s\n%s", one.name,
              one.graph.partitions(), one.graph.edges(), least, reported, report.value().text().c_str());
  begin = now();
  const auto spread = mapping::spread(one.graph, one.machine, routes);
  std::printf("%s, in %.3f s\n\n", spread.value().text().c_str(), now() - begin);
}

/// Links from a chip to each other one; UINT32_MAX where none leads.
std::vector<std::uint32_t> distances(const Machine& machine, Chip from) {
  std::vector<std::uint32_t> far(machine.grid_chips(), UINT32_MAX);
  std::vector<Chip> queue{from};
  far[from] = 0;
  for (std::size_t at = 0; at < queue.size(); ++at)
    for (unsigned link = 0; link < mapping::link_count; ++link) {
      const Chip other = machine.neighbour(queue[at], mapping::Link(link));
      if (other == mapping::no_chip || far[other] != UINT32_MAX) continue;
      far[other] = far[queue[at]] + 1;
      queue.push_back(other);
    }
  return far;
}

/// Trees on machines of 2 x 2 to 24 x 24 chips, beside the same trees where nothing is missing. Up to 5 % of the chips are
/// missing, and up to 10 % of the links, each in a direction of its own.
int detours(std::uint32_t machines) {
  std::uint64_t trees = 0, cut = 0, links = 0, links_healthy = 0, failed = 0;
  double ratios = 0.0, worst = 0.0, worst_machine = 0.0, seconds = 0.0;
  for (std::uint64_t seed = 0; seed < machines; ++seed) {
    Draw draw(seed);
    const std::uint32_t width = 2 + draw.below(23), height = 2 + draw.below(23), wraps = draw.below(4);
    Machine machine =
        Machine::grid<mapping::SpiNNaker1>(width, height, {.wraps_x = (wraps & 1) != 0, .wraps_y = wraps > 1}).value();
    const Machine healthy = machine;
    const std::uint32_t chips_of_thousand = draw.below(51), links_of_thousand = draw.below(101);
    for (Chip chip = 0; chip < machine.grid_chips(); ++chip) {
      for (unsigned link = 0; link < mapping::link_count; ++link)
        if (draw.below(1000) < links_of_thousand) machine.remove_link(chip, mapping::Link(link));
      if (draw.below(1000) < chips_of_thousand) machine.remove_chip(chip);
    }
    MachineGraph graph;
    Placements placements;
    for (Chip chip = 0; chip < machine.grid_chips(); ++chip)
      if (machine.has(chip)) {
        graph.add({});
        placements.chip.push_back(chip), placements.core.push_back(1);
      }
    std::vector<Vertex> targets;
    for (int partition = 0; partition < 50 && graph.vertices() > 1; ++partition) {
      const Vertex source = draw.below(graph.vertices());
      const auto far = distances(machine, placements.chip[source]);
      targets.clear();
      for (std::uint32_t wanted = 1 + draw.below(10); wanted != 0; --wanted) {
        const Vertex target = draw.below(graph.vertices());
        if (far[placements.chip[target]] == UINT32_MAX)
          ++cut;
        else if (target != source)
          targets.push_back(target);
      }
      if (!targets.empty()) graph.connect(source, targets);
    }
    const double begin = now();
    const auto routes = mapping::route(graph, machine, placements);
    seconds += now() - begin;
    if (!routes) {
      std::printf("seed %" PRIu64 ": %s\n", seed, routes.sentence().c_str());
      ++failed;
      continue;
    }
    const auto plain = mapping::route(graph, healthy, placements).value();
    double of_machine = 0.0;
    for (mapping::Partition partition = 0; partition < graph.partitions(); ++partition) {
      const std::size_t now_links = routes.value()[partition].size() - 1, then = plain[partition].size() - 1;
      const double ratio = static_cast<double>(now_links) / static_cast<double>(then);
      ratios += ratio, of_machine += ratio, worst = (std::max)(worst, ratio);
      links += now_links, links_healthy += then, ++trees;
    }
    if (graph.partitions() != 0)
      worst_machine = (std::max)(worst_machine, of_machine / static_cast<double>(graph.partitions()));
  }
  std::printf(
      "%" PRIu32 " machines with faults: %" PRIu64 " trees, all of which are routed on all but %" PRIu64
      " machines; %" PRIu64 " targets were cut off\n"
      "times as long as without faults: mean of trees %.4f (goal 1.2), all links %.4f, worst tree %.2f, worst mean "
      "of a machine %.3f; routed in %.3f s\n",
      machines, trees, failed, cut, ratios / static_cast<double>(trees),
      static_cast<double>(links) / static_cast<double>(links_healthy), worst, worst_machine, seconds);
  return failed == 0 ? 0 : 1;
}

} // namespace

int main(int count, char** words) {
  const unsigned threads = count > 1 ? static_cast<unsigned>(std::atoi(words[1])) : 1;
  const mapping::RoutingOptions options{.threads = threads};
  measure(conway(), options, 200);
  measure(all_to_all(), options, 10);
  measure(anywhere("anywhere", 48, 2000, 20), options, 10);
  measure(million(), options, 5);
  return detours(1000);
}
