// SPDX-License-Identifier: BSL-1.0
// Measures placers: netlists in the style of the published ones by annealing and in levels, and a million vertices.
//
//     benchmarks/mapping.placement [--seeds 20] [--side 1024] [--json figures.json]
#include "netlists.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <time.h>

#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/mapping/placement.hpp>

namespace {

namespace mapping = neuromorph::mapping;
using mapping::Placer;

/// Of this thread, so that what else the machine does is left out.
double seconds() {
  struct timespec time {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Figure {
  std::string name;
  double value;
};
std::string write(const std::string& path, const std::vector<Figure>& figures) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return "cannot write " + path + ": " + std::strerror(errno);
  std::fputs("{\"benchmarks\": [", file);
  for (std::size_t at = 0; at < figures.size(); ++at)
    std::fprintf(file,
                 "%s\n {\"name\": \"%s\", \"run_name\": \"%s\", \"run_type\": \"iteration\", \"iterations\": 1, "
                 "\"value\": %.6g}",
                 at == 0 ? "" : ",", figures[at].name.c_str(), figures[at].name.c_str(), figures[at].value);
  std::fputs("\n]}\n", file);
  const bool has_failed = std::ferror(file) != 0;
  return std::fclose(file) != 0 || has_failed ? "cannot write all of " + path : "";
}

struct Measured {
  double mean = 0.0, best = HUGE_VAL, seconds = 0.0;
  std::string why{};
};
Measured measure(const netlists::Made& made, const mapping::Machine& machine, mapping::PlacementOptions options,
                 std::uint32_t seeds) {
  Measured of;
  options.positions = made.positions;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    options.seed = seed;
    const double begin = seconds();
    const auto placed = place(made.graph, machine, made.constraints, options);
    of.seconds += (seconds() - begin) / seeds;
    if (!placed) {
      of.why = placed.sentence();
      return of;
    }
    const double cost = placement_cost(made.graph, machine, placed.value());
    of.mean += cost / seeds, of.best = (std::min)(of.best, cost);
  }
  return of;
}

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

bool print(const char* what, const Measured& of) {
  if (!of.why.empty()) {
    std::printf("  %-34s %s\n", what, of.why.c_str());
    return false;
  }
  std::printf("  %-34s mean %12.0f  best %12.0f  %8.3f s\n", what, of.mean, of.best, of.seconds);
  std::fflush(stdout);
  return true;
}

} // namespace

int main(int count, char** words) {
  std::uint32_t seeds = 20, side = 1024;
  std::string json;
  for (int at = 1; at < count; at += 2) {
    const std::string_view option = words[at];
    if (at + 1 == count || (option != "--seeds" && option != "--side" && option != "--json")) {
      std::fprintf(stderr, "usage: %s [--seeds n] [--side n] [--json file]\n", words[0]);
      return 1;
    }
    if (option == "--json")
      json = words[at + 1];
    else if (const unsigned long value = std::strtoul(words[at + 1], nullptr, 10); value >= 1 && value <= 4096)
      (option == "--seeds" ? seeds : side) = static_cast<std::uint32_t>(value);
  }
  std::vector<Figure> figures;
  const auto netlist = [&](const char* name, const netlists::Made& made, const mapping::Machine& machine) {
    std::printf("%s: %u vertices, %u nets, %zu edges, on %u x %u chips, %u seeds\n", name, made.graph.vertices(),
                made.graph.partitions(), made.graph.edges(), machine.width(), machine.height(), seeds);
    bool is_good = print("along Hilbert's curve", measure(made, machine, {.placer = Placer::hilbert}, 1)) &&
                   print("reverse Cuthill-McKee", measure(made, machine, {.placer = Placer::reverse_cuthill_mckee}, 1));
    const Measured levels = measure(made, machine, {.placer = Placer::multilevel}, seeds);
    is_good = print("in levels", levels) && is_good;
    const Measured annealed = measure(made, machine, {.placer = Placer::annealing}, seeds);
    is_good = print("annealing", annealed) && is_good;
    for (const bool is_as_long : {false, true}) {
      const double effort = (is_as_long ? 100.0 : 10.0) * annealed.seconds / levels.seconds;
      const auto percent = static_cast<std::uint32_t>((std::min)((std::max)(effort, 1.0), 1e5));
      const std::string what = "in levels, effort " + std::to_string(percent);
      is_good = print(what.c_str(), measure(made, machine, {.placer = Placer::multilevel, .effort = percent}, seeds)) &&
                is_good;
    }
    figures.push_back({"map/netlist_" + std::string(name) + "/seconds", levels.seconds});
    figures.push_back({"map/netlist_" + std::string(name) + "/cost", levels.mean});
    return is_good;
  };
  const mapping::Wraps torus{.wraps_x = true, .wraps_y = true};
  bool is_good = netlist("cortical", netlists::cortical(), mapping::machine_of_triads(2, 1, torus).value());
  is_good = netlist("parser", netlists::parser(), mapping::machine_of_triads(1, 1, torus).value()) && is_good;
  is_good = netlist("conway", netlists::grid({.width = 50, .height = 50, .shuffle_by = 7}),
                    mapping::machine_of_triads(1, 2, torus).value()) &&
            is_good;

  for (const unsigned neighbours : {4U, 8U}) {
    const netlists::Made made =
        netlists::grid({.width = side, .height = side, .wraps = false, .neighbours = neighbours, .shuffle_by = 7});
    const auto machine = mapping::Machine::grid<OneCore>(side, side).value();
    std::printf("%u x %u vertices, one a chip, %u neighbours\n", side, side, neighbours);
    const Measured manual = measure(made, machine, {.placer = Placer::by_position}, 1);
    const Measured levels = measure(made, machine, {.placer = Placer::multilevel}, 1);
    is_good = print("by position", manual) && print("in levels", levels) && is_good;
    std::printf("  wire over the manual one: %.3f\n", levels.mean / manual.mean);
    if (neighbours != 4) continue;
    figures.push_back({"map/place_million/seconds", levels.seconds});
    figures.push_back({"map/place_million/cost", levels.mean / manual.mean});
  }
  if (!json.empty())
    if (const std::string why = write(json, figures); !why.empty()) {
      std::fprintf(stderr, "%s\n", why.c_str());
      return 1;
    }
  return is_good ? 0 : 1;
}
