// SPDX-License-Identifier: BSL-1.0
// Conway's life from its description to its results on a machine in the process: the phases of table 1 of A. Rowley et al., Front. Neurosci.
// 13:231 (2019), for N = 10 to 50. `execution.table1 [--json FILE]`. Cells are compared with a plain life.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/execution/simulation.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/mapping/boards.hpp>

#include "../figures.hpp"
#include "examples/life/cell.hpp"
#include "examples/life/plain.hpp"
#include "examples/mapping/conway.hpp"

namespace {

namespace execution = neuromorph::execution;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
using life::Cells, life::next_of;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Seconds of each phase, in their order, and of the ticks with reading what was recorded; empty where a cell is not as in the plain life.
using Phases = std::vector<std::pair<std::string, double>>;
Phases measure(std::uint32_t side, unsigned boards) {
  constexpr std::uint32_t ticks = 64;
  const auto made = mapping::machine_of_boards(boards);
  if (!made) return std::fprintf(stderr, "%s\n", made.sentence().c_str()), Phases{};
  machine::Programs programs;
  programs.add<life::Cell>("cell");
  machine::Monitors monitors(made.value(), {});
  machine::Applications applications(monitors, programs);
  execution::InProcessLink link(monitors, applications);
  execution::Simulation simulation(link);
  std::mt19937 draw(1);
  Cells alive(std::size_t{side} * side);
  for (auto& cell : alive) cell = draw() % 3 == 0;
  const auto image = simulation.add_image("cell", machine::image_of("cell"));
  for (std::uint32_t cell = 0; cell < side * side; ++cell)
    simulation.add(image, {.name = "cell",
                           .resources = {.dtcm_bytes = 1024, .sdram_bytes = 1024},
                           .regions = [cell, first = alive[cell]](
                                          const execution::Mapped& of) -> std::vector<std::vector<std::uint8_t>> {
                             std::vector<std::uint8_t> bytes(life::CellRegion::bytes());
                             static_cast<void>(life::CellRegion::write(bytes, {of.mapping.keys[cell].key, first}).ok());
                             return {bytes};
                           },
                           .recordings = {[](std::uint64_t of_ticks) { return (of_ticks + 31) / 32 * 4; }}});
  const mapping::MachineGraph graph = conway::graph(side, side);
  for (mapping::Partition partition = 0; partition < graph.partitions(); ++partition)
    simulation.graph().connect(graph.source(partition), graph.targets(partition));
  const double begin = now();
  if (const auto refusal = simulation.run(ticks); !refusal)
    return std::fprintf(stderr, "%s\n", refusal.sentence().c_str()), Phases{};
  const double whole = now() - begin;
  Phases phases;
  double before = 0.0;
  for (const auto& one : simulation.workflow().times()) {
    if (phases.empty() || phases.back().first != one.phase) phases.emplace_back(one.phase, 0.0);
    phases.back().second += one.seconds, before += one.seconds;
  }
  phases.emplace_back("running", whole - before);
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    for (std::uint32_t cell = 0; cell < side * side; ++cell)
      if ((simulation.recorded(cell, 0)[tick / 8] >> tick % 8 & 1) != alive[cell])
        return std::fprintf(stderr, "a cell is not as it should be\n"), Phases{};
    alive = next_of(alive, side, side);
  }
  return phases;
}

} // namespace

int main(int count, char** words) {
  const bool has_json = count == 3 && std::strcmp(words[1], "--json") == 0;
  if (count != 1 && !has_json) return std::fprintf(stderr, "usage: %s [--json FILE]\n", words[0]), 2;
  constexpr unsigned turns = 5;
  std::vector<Phases> columns;
  std::string head = "| |", rule = "|---|";
  for (const std::uint32_t side : {10U, 20U, 30U, 40U, 50U}) {
    Phases best;
    for (unsigned turn = 0; turn < turns; ++turn) { // the fastest of each phase
      const Phases one = measure(side, side <= 20 ? 1 : side <= 40 ? 3 : 6);
      if (one.empty()) return 1;
      if (best.empty()) best = one;
      for (std::size_t at = 0; at < one.size(); ++at) best[at].second = std::min(best[at].second, one[at].second);
    }
    columns.push_back(best);
    head += " " + std::to_string(side) + " x " + std::to_string(side) + " |", rule += "---:|";
  }
  std::printf("%s\n%s\n", head.c_str(), rule.c_str());
  double last = 0.0;
  for (std::size_t at = 0; at <= columns[0].size(); ++at) {
    std::printf("| %s |", at < columns[0].size() ? columns[0][at].first.c_str() : "all before the first tick");
    for (const Phases& one : columns) {
      double ms = at < one.size() ? one[at].second * 1e3 : 0.0;
      if (at == one.size())
        for (std::size_t phase = 0; phase + 1 < one.size(); ++phase) ms += one[phase].second * 1e3;
      std::printf(" %.1f |", ms);
      last = ms / 1e3;
    }
    std::printf("\n");
  }
  if (has_json)
    if (const std::string why = figures::write(words[2], {{"execution/table1_50", "value", last}}); !why.empty())
      return std::fprintf(stderr, "%s\n", why.c_str()), 1;
  return 0;
}
