// SPDX-License-Identifier: BSL-1.0
// Maps graphs to a machine, through all phases, and proves the tables.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <neuromorph/host/text_table.hpp>
#include <neuromorph/mapping/adapter/network.hpp>
#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/mapping/map.hpp>
#include <neuromorph/mapping/partitioning.hpp>
#include <neuromorph/mapping/picture.hpp>
#include <neuromorph/mapping/report.hpp>

#include "../microcircuit/network.hpp"
#include "../support/program.hpp"
#include "conway.hpp"
#include "options.hpp"

namespace {

using namespace mapped;
namespace nm = neuromorph;
namespace mapping = nm::mapping;

constexpr std::array output_files{"life.svg", "microcircuit.svg"};

// Placement, routing, key allocation, generation and compression of tables, and tags, of A. Rowley et al., SpiNNTools: The Execution
// Engine for the SpiNNaker Platform, Front. Neurosci. 13:231, 2019, table 1, in ms, for 10 x 10 to 50 x 50 cells.
constexpr std::array<std::uint32_t, 5> paper_sides{10, 20, 30, 40, 50};
struct PaperPhase {
  const char* name;
  std::array<double, 5> ms;
};
constexpr std::array<PaperPhase, 6> paper{{
    {"placement", {12.078, 37.719, 84.610, 145.805, 230.735}},
    {"keys", {100.638, 410.597, 906.178, 1608.309, 2515.832}},
    {"routes", {29.002, 128.009, 370.468, 747.004, 1682.054}},
    {"tables", {5.533, 30.833, 81.163, 285.620, 517.796}},
    {"tags and fixed routes", {12.715, 42.762, 96.990, 171.202, 275.011}},
    {"proof", {}},
}};

std::string digits(const char* format, double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string write(const std::string& folder, const char* file, const std::string& text) {
  const std::string path = folder + "/" + file;
  std::FILE* const to = std::fopen(path.c_str(), "w");
  const bool is_open = to != nullptr;
  const bool is_whole = is_open && std::fwrite(text.data(), 1, text.size(), to) == text.size();
  const bool is_closed = is_open && std::fclose(to) == 0;
  if (!is_whole || !is_closed) return "cannot write all of " + path;
  std::printf("written %s\n", path.c_str());
  return {};
}

/// What the mapping does to the machine, in words, and where a folder is given as a picture.
std::string show(const mapping::MachineGraph& graph, const mapping::Machine& machine, const mapping::Mapping& mapped,
                 const std::string& folder, const char* file) {
  const auto made = mapping::report(graph, machine, mapped.placements, mapped.routes, mapped.tables,
                                    {.longest_nets = 3, .partition_of = mapped.partition_of});
  if (!made) return made.sentence();
  std::printf("%s%s\n", mapped.text(machine).c_str(), made.value().text().c_str());
  return folder.empty() ? std::string() : write(folder, file, mapping::picture(made.value(), machine));
}

/// As many boards as it takes, and as they would be wired: a torus, but for the first.
nm::Answer<mapping::Machine> machine_for(std::uint32_t cells) {
  if (cells <= 800) return mapping::board_of_48();
  return mapping::machine_of_triads(2, 1, {.wraps_x = true, .wraps_y = true});
}

std::string map_life(const Options& options) {
  nm::host::TextTable table;
  table.add({"ms", "10 x 10", "paper", "20 x 20", "paper", "30 x 30", "paper", "40 x 40", "paper", "50 x 50", "paper"});
  std::array<std::vector<double>, paper.size()> taken;
  mapping::Mapping last;
  for (const std::uint32_t side : paper_sides) {
    const auto graph = conway::graph(side, side);
    const auto positions = conway::positions(side, side);
    auto machine = machine_for(graph.vertices());
    if (!machine) return machine.sentence();
    mapping::MapOptions how;
    how.placement = {.placer = mapping::Placer::by_position, .positions = positions};
    const mapping::Constraints constraints{.steps = 1000};
    std::array<double, paper.size()> best{};
    for (int turn = 0; turn < 5; ++turn) {
      const auto made = mapping::map(graph, machine.value(), constraints, how);
      if (!made) return made.sentence();
      for (std::size_t at = 0; at < paper.size(); ++at)
        if (const double ms = made.value().phases[at].seconds * 1000.0; turn == 0 || ms < best[at]) best[at] = ms;
      if (turn == 4 && side == paper_sides.back()) last = made.value();
    }
    for (std::size_t at = 0; at < paper.size(); ++at) taken[at].push_back(best[at]);
  }
  for (std::size_t at = 0; at < paper.size(); ++at) {
    std::vector<std::string> row{paper[at].name};
    for (std::size_t size = 0; size < paper_sides.size(); ++size) {
      row.push_back(digits("%.3f", taken[at][size]));
      row.push_back(paper[at].ms[size] == 0.0 ? "-" : digits("%.0f", paper[at].ms[size]));
    }
    table.add(row);
  }
  std::printf(
      "Conway's life, a cell on each core, the best of five, beside table 1 of the paper (2009 Xeon, 2.27 GHz):\n%s\n"
      "50 x 50 once more:\n",
      table.text().c_str());
  const std::uint32_t side = paper_sides.back();
  const auto machine = machine_for(side * side);
  if (!machine) return machine.sentence();
  return show(conway::graph(side, side), machine.value(), last, options.output, output_files[0]);
}

std::string map_million() {
  auto machine = mapping::machine_of_triads(20, 20, {.wraps_x = true, .wraps_y = true});
  if (!machine) return machine.sentence();
  const auto begun = std::chrono::steady_clock::now();
  const auto graph = conway::graph(1020, 960);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  const auto positions = conway::positions(1020, 960);
  mapping::MapOptions how;
  how.placement = {.placer = mapping::Placer::by_position, .positions = positions};
  const auto made = mapping::map(graph, machine.value(), {}, how);
  if (!made) return made.sentence();
  std::printf("Life on 979 200 cores of 240 x 240 chips, described in %.0f ms:\n%s\n", took.count() * 1000.0,
              made.value().text(machine.value()).c_str());
  return {};
}

std::string map_microcircuit(const Options& options) {
  const auto net = microcircuit::describe({.scale = options.scale, .seed = options.seed});
  const auto begun = std::chrono::steady_clock::now();
  // Its step of 0.1 ms takes a millisecond there.
  const auto graph = mapping::application_graph(net, {.slow_down = 10.0});
  if (!graph) return graph.sentence();
  auto kind = mapping::board_of_48();
  if (!kind) return kind.sentence();
  const auto cut = mapping::partition(graph.value(), kind.value());
  if (!cut) return cut.sentence();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  std::printf("The cortical microcircuit, a step of 0.1 ms in 1 ms, cut into slices in %.1f ms:\n%s\n",
              took.count() * 1000.0, cut.value().text().c_str());
  auto machine = mapping::machine_of_boards((cut.value().chips + 47) / 48);
  for (std::uint32_t boards = (cut.value().chips + 47) / 48 + 1; machine; ++boards) {
    const auto made = mapping::map(cut.value(), machine.value());
    if (!made && boards > 60) return made.sentence();
    if (made) {
      std::printf("on %u boards:\n", boards - 1);
      return show(cut.value().graph, machine.value(), made.value(), options.output, output_files[1]);
    }
    machine = mapping::machine_of_boards(boards);
  }
  return machine.sentence();
}

support::Ended run(const Options& options) {
  std::string why = map_life(options);
  if (why.empty() && options.million) why = map_million();
  if (why.empty()) why = map_microcircuit(options);
  return why;
}

} // namespace

int main(int count, char** words) {
  return support::run_program<Options>("mapping", count, words, help_text, output_files, parse, run);
}
