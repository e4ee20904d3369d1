// SPDX-License-Identifier: BSL-1.0
// A network of the shape of a cortex through the whole tool chain, by phase: six regions, each a square of columns, each column six layers of
// an excitatory and an inhibitory population of 256 neurons, 64 on a core, 100 synapses to a neuron. `execution.cortex [--json FILE] [BOARDS...]`
// \source A. Rowley et al., Front. Neurosci. 13:231 (2019), figure 14: 50, 72 and 98 boards. Its connectivity is not published; this one is drawn.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/execution/application.hpp>
#include <neuromorph/execution/simulation.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/mapping/boards.hpp>

#include "../figures.hpp"

namespace {

namespace execution = neuromorph::execution;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace offer = neuromorph::offer;
namespace runtime = neuromorph::runtime;

constexpr std::uint32_t regions = 6, layers = 6, population = 256, a_core = 64, fan_in = 100, slots = 16;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
constexpr std::uint32_t mixed(std::uint32_t word) {
  word = (word ^ word >> 16) * 0x7FEB352DU;
  word = (word ^ word >> 15) * 0x846CA68BU;
  return word ^ word >> 16;
}

struct Settings {
  std::uint32_t key, neurons, seed;
  using Fields = runtime::Fields<&Settings::key, &Settings::neurons, &Settings::seed>;
};
using SettingsRegion = runtime::Region<Settings>;
/// Of a neuron elsewhere: its synapses here.
struct Row {
  std::uint32_t key, first, count;
  using Fields = runtime::Fields<&Row::key, &Row::first, &Row::count>;
};
using RowsRegion = runtime::Region<runtime::Nothing, Row>;
/// Weight << 16 | delay << 8 | neuron.
using SynapsesRegion = runtime::Region<runtime::Nothing, std::uint32_t>;

/// Leaky neurons in whole numbers, with noise that is drawn for each; it records a bit for each neuron at each tick.
struct Neurons {
  using Regions = runtime::Regions<SettingsRegion, RowsRegion, SynapsesRegion>;
  using Offers = offer::List<offer::Tick, offer::Packet, offer::Counters>;
  enum Counter : unsigned { spikes, synaptic_events, strange };
  static constexpr std::size_t counters = 3;
  std::array<std::array<std::int16_t, a_core>, slots> input{};
  std::array<std::int32_t, a_core> membrane{};
  std::uint32_t now = 0;
  using Fields = runtime::Fields<&Neurons::input, &Neurons::membrane, &Neurons::now>;

  neuromorph::Status start(auto& core) {
    for (const auto& status :
         {core.template region<0>().status, core.template region<1>().status, core.template region<2>().status})
      if (!status) return status;
    return {};
  }
  void tick(auto& core, std::uint32_t time) {
    const Settings& settings = *core.template region<0>().head;
    now = time;
    auto& arrives = input[time % slots];
    std::array<std::uint32_t, a_core / 32> fired{};
    for (std::uint32_t neuron = 0; neuron < settings.neurons; ++neuron) {
      std::int32_t& v = membrane[neuron];
      const auto noise = static_cast<std::int32_t>(mixed(settings.seed + neuron + 64 * time) >> 24);
      v = v - v / 16 + arrives[neuron] + noise;
      arrives[neuron] = 0;
      if (v < 2400) continue;
      v = 0, fired[neuron / 32] |= std::uint32_t{1} << neuron % 32;
      core.count(spikes), core.send(settings.key + neuron);
    }
    static_cast<void>(core.record(0, fired)); // there is room
  }
  void packet(auto& core, std::uint32_t key) {
    const auto rows = core.template region<1>().elements;
    const auto row = std::lower_bound(rows.begin(), rows.end(), key,
                                      [](const Row& one, std::uint32_t wanted) { return one.key < wanted; });
    if (row == rows.end() || row->key != key) return core.count(strange);
    const auto synapses = core.template region<2>().elements.subspan(row->first, row->count);
    for (const std::uint32_t one : synapses) {
      auto& to = input[(now + 1 + (one >> 8 & 7)) % slots][one & 0xFF];
      to = static_cast<std::int16_t>(to + static_cast<std::int16_t>(one >> 16));
    }
    core.count(synaptic_events, row->count);
  }
};

struct Cortex {
  explicit Cortex(std::uint32_t columns_a_side) : side(columns_a_side) {
    // Who sends to a population: all of its column, its own kind and layer in the columns beside it, and in the next region.
    const std::uint32_t columns = side * side, all = regions * columns * layers * 2;
    targets.resize(all);
    sources.resize(all);
    for (std::uint32_t to = 0; to < all; ++to) {
      const std::uint32_t kind = to % (2 * layers), column = to / (2 * layers) % columns,
                          region = to / (2 * layers) / columns;
      const std::uint32_t x = column % side, y = column / side;
      const auto at = [&](std::uint32_t of_region, std::uint32_t of_column, std::uint32_t of_kind) {
        return (of_region * columns + of_column) * 2 * layers + of_kind;
      };
      for (std::uint32_t one = 0; one < 2 * layers; ++one) sources[to].push_back(at(region, column, one));
      if (kind % 2 == 0) {
        for (const auto& [right, down] : {std::pair(1U, 0U), {side - 1, 0U}, {0U, 1U}, {0U, side - 1}})
          sources[to].push_back(at(region, (y + down) % side * side + (x + right) % side, kind));
        sources[to].push_back(at((region + 1) % regions, column, kind));
      }
      std::sort(sources[to].begin(), sources[to].end());
      sources[to].erase(std::unique(sources[to].begin(), sources[to].end()), sources[to].end());
      for (const std::uint32_t from : sources[to]) targets[from].push_back(to);
    }
  }
  [[nodiscard]] mapping::ApplicationGraph graph() const {
    mapping::ApplicationGraph made;
    for (std::uint32_t one = 0; one < targets.size(); ++one)
      made.add({.name = "population",
                .atoms = population,
                .fixed = {.dtcm_bytes = 4096, .sdram_bytes = 40000},
                .atoms_per_core = a_core});
    for (std::uint32_t one = 0; one < targets.size(); ++one)
      made.connect(one, std::span<const mapping::AppVertex>(targets[one]), {.packets_per_step = 0.01});
    return made;
  }
  /// The data of a slice: its synapses, drawn for each neuron, by where they come from.
  [[nodiscard]] std::vector<std::vector<std::uint8_t>> data(const execution::SliceOf& of) const {
    const std::uint32_t self = of.parts.vertex_of[of.vertex];
    const mapping::Slice& slice = of.slice();
    const auto& from = sources[self];
    std::vector<std::pair<std::uint32_t, std::uint32_t>> synapses; // key, word
    synapses.reserve(std::size_t{slice.count} * fan_in);
    for (std::uint32_t neuron = 0; neuron < slice.count; ++neuron)
      for (std::uint32_t one = 0; one < fan_in; ++one) {
        const std::uint32_t draw = mixed(mixed(self * population + slice.first + neuron) + one),
                            other = from[draw % from.size()], atom = draw >> 12 & (population - 1);
        const auto weight =
            static_cast<std::uint16_t>(other % 2 == 0 ? 40 + (draw >> 20 & 15) : 65536 - 160 - (draw >> 20 & 31));
        synapses.emplace_back(of.keys(other, atom / a_core).key + atom % a_core,
                              std::uint32_t{weight} << 16 | (draw >> 25 & 7) << 8 | neuron);
      }
    std::sort(synapses.begin(), synapses.end());
    std::vector<Row> rows;
    std::vector<std::uint32_t> words;
    for (const auto& [key, word] : synapses) {
      if (rows.empty() || rows.back().key != key) rows.push_back({key, static_cast<std::uint32_t>(words.size()), 0});
      ++rows.back().count, words.push_back(word);
    }
    std::vector<std::vector<std::uint8_t>> made(3);
    made[0].resize(SettingsRegion::bytes()), made[1].resize(RowsRegion::bytes(rows.size())),
        made[2].resize(SynapsesRegion::bytes(words.size()));
    static_cast<void>(
        SettingsRegion::write(made[0], {of.keys(self).key, slice.count, mixed(of.vertex) | 1}).ok()); // there is room
    static_cast<void>(RowsRegion::write(made[1], {}, rows).ok()),
        static_cast<void>(SynapsesRegion::write(made[2], {}, words).ok());
    return made;
  }
  std::uint32_t side;
  std::vector<std::vector<std::uint32_t>> targets{}, sources{}; // [population]
};

struct Phase {
  std::string name;
  double seconds;
};
/// Empty where something went wrong.
std::vector<Phase> measure(unsigned boards) {
  std::uint32_t side = 1;
  while (regions * (side + 1) * (side + 1) * layers * 2 * (population / a_core) <= boards * 48 * 17) ++side;
  std::vector<Phase> made;
  const auto refuse = [&](const std::string& why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    made.clear();
    return made;
  };
  const auto is = mapping::machine_of_boards(boards);
  if (!is) return refuse(is.sentence());
  machine::Programs programs;
  programs.add<Neurons>("neurons");
  machine::Monitors monitors(is.value(), {});
  machine::Applications applications(monitors, programs, {.threads = 2});
  execution::InProcessLink link(monitors, applications);
  execution::SimulationOptions options{.threads = 2, .most_cycle = 1000};
  options.mapping.is_proved = true;
  execution::Simulation simulation(link, options);
  double begun = now();
  const Cortex cortex(side);
  std::vector<execution::SliceProgram> slices(
      cortex.targets.size(), {.image = simulation.add_image("neurons", machine::image_of("neurons")),
                              .regions = [&](const execution::SliceOf& of) { return cortex.data(of); },
                              .recordings = {[](std::uint64_t ticks, const mapping::Slice&) { return 8 * ticks; }},
                              .counters = Neurons::counters});
  const auto parts = execution::add_application(simulation, cortex.graph(), slices, is.value());
  if (!parts) return refuse(parts.sentence());
  made.push_back({"description", now() - begun});
  begun = now();
  constexpr std::uint64_t ticks = 100;
  if (const auto refusal = simulation.run(ticks); !refusal) return refuse(refusal.sentence());
  const double whole = now() - begun;
  double before = 0.0;
  for (const auto& one : simulation.workflow().times()) {
    if (made.back().name != one.phase) made.push_back({one.phase, 0.0});
    made.back().seconds += one.seconds, before += one.seconds;
  }
  made.push_back({"running and reading", whole - before});
  // Each spike came to each synapse that it has.
  std::uint64_t spikes = 0, events = 0, strange = 0;
  const std::size_t cores = parts.value()->slices.size();
  for (mapping::Vertex vertex = 0; vertex < cores; ++vertex) {
    const auto& counted = simulation.provenance(vertex).counters;
    spikes += counted[Neurons::spikes], events += counted[Neurons::synaptic_events],
        strange += counted[Neurons::strange];
  }
  std::printf("%u boards: %zu cores, %zu neurons, %zu synapses; %.2f Hz, %llu synaptic events in %llu ticks, %llu "
              "packets that found no synapse on a core\n",
              boards, cores, cores * a_core, cores * a_core * fan_in,
              double(spikes) / double(cores * a_core) / double(ticks) * 1e3, static_cast<unsigned long long>(events),
              static_cast<unsigned long long>(ticks), static_cast<unsigned long long>(strange));
  for (const std::string& one : simulation.anomalies()) return refuse(one);
  if (spikes == 0 || events < 50 * spikes) return refuse("spikes have not come to their synapses");
  return made;
}

} // namespace

int main(int count, char** words) {
  std::vector<unsigned> boards;
  const char* json = nullptr;
  for (int at = 1; at < count; ++at)
    if (std::strcmp(words[at], "--json") == 0 && at + 1 < count)
      json = words[++at];
    else
      boards.push_back(static_cast<unsigned>(std::strtoul(words[at], nullptr, 10)));
  if (boards.empty()) boards = {50, 72, 98};
  std::vector<figures::Figure> all;
  std::vector<std::vector<Phase>> columns;
  for (const unsigned one : boards) {
    columns.push_back(measure(one));
    if (columns.back().empty()) return 1;
    double sum = 0.0;
    for (const Phase& phase : columns.back()) sum += phase.seconds;
    all.push_back({"execution/cortex_" + std::to_string(one), "value", sum});
  }
  std::printf("| seconds |");
  for (const unsigned one : boards) std::printf(" %u boards |", one);
  std::printf("\n|---|");
  for (std::size_t one = 0; one < boards.size(); ++one) std::printf("---:|");
  for (std::size_t phase = 0; phase < columns[0].size(); ++phase) {
    std::printf("\n| %s |", columns[0][phase].name.c_str());
    for (const auto& one : columns) std::printf(" %.2f |", one[phase].seconds);
  }
  std::printf("\n");
  if (json != nullptr)
    if (const std::string why = figures::write(json, all); !why.empty())
      return std::fprintf(stderr, "%s\n", why.c_str()), 1;
  return 0;
}
