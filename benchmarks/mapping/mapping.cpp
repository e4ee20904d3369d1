// SPDX-License-Identifier: BSL-1.0
// Whole mappings, phase by phase, proved: Conway's life of 50 x 50 cells and of a million, and the cortical microcircuit.
// `mapping.whole [--json FILE]`.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <neuromorph/mapping/adapter/network.hpp>
#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/mapping/map.hpp>
#include <neuromorph/mapping/partitioning.hpp>

#include "../figures.hpp"
#include "examples/mapping/conway.hpp"
#include "examples/microcircuit/network.hpp"
#include "netlists.hpp"

namespace {

namespace nm = neuromorph;
namespace mapping = nm::mapping;

struct Best {
  double seconds = 1e9, worst_seconds = 0.0, proof_seconds = 1e9;
  std::size_t entries = 0;
  std::uint32_t longest = 0;
};

/// Fastest and slowest of so many, proof apart.
template <class Map>
bool measure(const char* name, int turns, const mapping::Machine& machine, Map map, std::vector<figures::Figure>& to) {
  Best best;
  for (int turn = 0; turn < turns; ++turn) {
    const auto made = map();
    if (!made) return std::fprintf(stderr, "%s: %s\n", name, made.sentence().c_str()), false;
    const mapping::Mapping& mapped = made.value();
    double proof = 0.0;
    for (const auto& phase : mapped.phases)
      if (std::strcmp(phase.name, "proof") == 0) proof = phase.seconds;
    const double seconds = mapped.seconds() - proof;
    if (seconds < best.seconds) best.seconds = seconds;
    if (seconds > best.worst_seconds) best.worst_seconds = seconds;
    if (proof < best.proof_seconds) best.proof_seconds = proof;
    best.entries = mapped.tables.items.size(), best.longest = mapped.proof->longest_table;
    if (turn + 1 == turns) std::printf("%s\n%s", name, mapped.text(machine).c_str());
  }
  std::printf("best of %d: %.3f ms, slowest %.3f, proof %.3f\n\n", turns, best.seconds * 1e3, best.worst_seconds * 1e3,
              best.proof_seconds * 1e3);
  const std::string key = std::string("map/") + name + "/";
  to.push_back({key + "seconds", "value", best.seconds});
  to.push_back({key + "entries", "value", static_cast<double>(best.entries)});
  to.push_back({key + "worst", "value", static_cast<double>(best.longest)});
  to.push_back({key + "proof_seconds", "value", best.proof_seconds});
  return true;
}

bool measure_all(std::vector<figures::Figure>& to) {
  auto boards = mapping::machine_of_triads(2, 1, {.wraps_x = true, .wraps_y = true});
  auto million = mapping::machine_of_triads(20, 20, {.wraps_x = true, .wraps_y = true});
  if (!boards || !million) return false;
  mapping::MapOptions by_position, breadth_first;
  breadth_first.placement.placer = mapping::Placer::breadth_first;
  by_position.placement.placer = mapping::Placer::by_position;
  {
    const auto graph = conway::graph(50, 50);
    const auto positions = conway::positions(50, 50);
    by_position.placement.positions = positions;
    if (!measure(
            "conway50", 20, boards.value(), [&] { return mapping::map(graph, boards.value(), {}, by_position); }, to))
      return false;
    if (!measure(
            "conway50_plain", 20, boards.value(),
            [&] { return mapping::map(graph, boards.value(), {}, breadth_first); }, to))
      return false;
  }
  {
    const auto graph = conway::graph(1020, 960);
    const auto positions = conway::positions(1020, 960);
    by_position.placement.positions = positions;
    if (!measure(
            "million", 3, million.value(), [&] { return mapping::map(graph, million.value(), {}, by_position); }, to))
      return false;
  }
  {
    const auto made = netlists::grid({.width = 1020, .height = 960, .shuffle_by = 1});
    if (!measure(
            "million_shuffled", 2, million.value(),
            [&] { return mapping::map(made.graph, million.value(), made.constraints); }, to))
      return false;
  }
  const auto net = microcircuit::describe({});
  const auto graph = mapping::application_graph(net, {.slow_down = 10.0});
  auto board = mapping::board_of_48();
  if (!graph || !board) return false;
  const auto cut = mapping::partition(graph.value(), board.value());
  auto two = mapping::machine_of_boards(2);
  if (!cut || !two) return false;
  return measure(
      "microcircuit", 5, two.value(), [&] { return mapping::map(cut.value(), two.value(), breadth_first); }, to);
}

} // namespace

int main(int count, char** words) {
  if (count != 1 && (count != 3 || std::strcmp(words[1], "--json") != 0))
    return std::fputs("mapping.whole: takes nothing, or --json FILE\n", stderr), 2;
  std::vector<figures::Figure> found;
  if (!measure_all(found)) return 1;
  if (count == 1) return 0;
  const std::string why = figures::write(words[2], found);
  if (!why.empty()) std::fprintf(stderr, "mapping.whole: %s\n", why.c_str());
  return why.empty() ? 0 : 2;
}
