// SPDX-License-Identifier: BSL-1.0
/// \file
/// All phases of mapping in one call, proved: placements, routes, keys, tables, tags and fixed routes of a graph on a machine.
///
///     auto made = mapping::map(graph, machine);
///     if (!made) return std::puts(made.sentence().c_str()), 1;
///     const mapping::Mapping& mapped = made.value();
///     std::puts(mapped.text(machine).c_str()); // what each phase took, and what is proved
///
/// A mapping is of one graph on one machine: `check_is_of` refuses it for any other, and for these once they have changed.
// host-only
#ifndef NEUROMORPH_MAPPING_MAP_HPP
#define NEUROMORPH_MAPPING_MAP_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/host/text_table.hpp>
#include <neuromorph/mapping/constraints.hpp>
#include <neuromorph/mapping/fixed_routes.hpp>
#include <neuromorph/mapping/keys.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/mapping/mapped.hpp>
#include <neuromorph/mapping/partitioning.hpp>
#include <neuromorph/mapping/placement.hpp>
#include <neuromorph/mapping/proof/proof.hpp>
#include <neuromorph/mapping/routing.hpp>
#include <neuromorph/mapping/tables.hpp>
#include <neuromorph/mapping/tags.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

struct MapOptions {
  PlacementOptions placement = {};
  RoutingOptions routing = {};
  std::optional<SpreadingOptions> spreading = {}; ///< of trees over links; none: they stay as they are grown
  KeyOptions keys = {};
  TableOptions tables = {};
  TagOptions tags = {};
  std::optional<FixedRouteOptions> fixed_routes = {}; ///< none: there are none
  proof::Options proof = {};
  bool is_proved = true; ///< tables that are not as demanded are refused
  /// Called when a phase begins, and in between while it places, with the seconds since the first one began.
  std::function<void(const char* phase, double seconds)> progress = {};
};

struct Mapping {
  struct Phase {
    const char* name = "";
    double seconds = 0.0;
  };

  std::vector<Partition> partition_of = {}; ///< [partition of the graph]: in routes and keys; empty: its own number
  Placements placements = {};
  Keys keys = {};
  Routes routes = {};
  Tables tables = {};
  Tags tags = {};
  FixedRoutes fixed_routes = {};
  std::optional<Spread> spread = {}; ///< what spreading did
  std::optional<proof::Report> proof = {};
  std::vector<Phase> phases = {}; ///< in their order
  std::uint64_t graph_digest = 0, machine_digest = 0;

  /// Keys of a partition of the graph.
  [[nodiscard]] const KeyMask& keys_of(Partition partition) const noexcept {
    return keys[partition_of.empty() ? partition : partition_of[partition]];
  }
  [[nodiscard]] double seconds() const noexcept {
    double sum = 0.0;
    for (const Phase& one : phases) sum += one.seconds;
    return sum;
  }
  /// Phases with their times, and what is proved.
  [[nodiscard]] std::string text(const Machine& machine) const;
};

namespace detail {

[[nodiscard]] inline proof::Machine machine_of_proof(const Machine& machine) {
  proof::Machine made;
  made.width = machine.width(), made.height = machine.height();
  const std::uint32_t count = machine.grid_chips();
  made.neighbours.resize(std::size_t{count} * link_count), made.is_there.resize(count), made.entries.resize(count);
  for (Chip chip = 0; chip < count; ++chip) {
    made.is_there[chip] = machine.has(chip);
    made.entries[chip] = machine.router_entries(chip);
    for (unsigned link = 0; link < link_count; ++link) {
      const Chip other = machine.neighbour(chip, Link(link));
      made.neighbours[std::size_t{chip} * link_count + link] = other < count ? other : proof::none;
    }
  }
  return made;
}

} // namespace detail

/// What the graph demands of routers, whatever way packets take.
/// \pre placements and keys are of this graph, placements on this machine
[[nodiscard]] inline proof::Demand demand_of(const MachineGraph& graph, const Machine& machine,
                                             const Placements& placements, const Keys& keys) {
  // The real chip, and the direction there, of a vertex.
  const auto place = [&](Vertex vertex) -> std::pair<Chip, unsigned> {
    const Chip chip = placements.chip[vertex];
    if (!machine.is_virtual(chip)) return {chip, link_count + placements.core[vertex]};
    return {machine.device(chip).chip, unsigned(machine.device(chip).link)};
  };
  proof::Demand demand;
  demand.streams.reserve(graph.partitions()), demand.packets.reserve(graph.partitions());
  demand.first_sink.reserve(std::size_t{graph.partitions()} + 1), demand.sinks.reserve(graph.edges());
  constexpr std::size_t unseen = ~std::size_t{0};
  std::vector<std::size_t> sink_of(machine.grid_chips(), unseen);
  for (Partition partition = 0; partition < graph.partitions(); ++partition) {
    const auto [from_chip, from] = place(graph.source(partition));
    demand.streams.push_back({keys[partition].key, keys[partition].mask, from_chip, from});
    demand.packets.push_back(graph.options(partition).packets_per_step);
    const std::size_t first = demand.sinks.size();
    for (const Vertex target : graph.targets(partition)) {
      const auto [chip, direction] = place(target);
      if (sink_of[chip] == unseen) sink_of[chip] = demand.sinks.size(), demand.sinks.push_back({chip, 0});
      demand.sinks[sink_of[chip]].route |= Route{1} << direction;
    }
    for (std::size_t at = first; at < demand.sinks.size(); ++at) sink_of[demand.sinks[at].chip] = unseen;
    demand.first_sink.push_back(demand.sinks.size());
  }
  return demand;
}

/// Whether tables deliver what the graph demands, for every key.
/// \errors as proof::prove
[[nodiscard]] inline Answer<proof::Report> prove(const MachineGraph& graph, const Machine& machine,
                                                 const Placements& placements, const Keys& keys, const Tables& tables,
                                                 const proof::Options& options = {}) {
  proof::Tables loaded;
  loaded.first = tables.first;
  loaded.entries.reserve(tables.items.size());
  for (const TableEntry& one : tables.items) loaded.entries.push_back({one.keys.key, one.keys.mask, one.route});
  return proof::prove(detail::machine_of_proof(machine), demand_of(graph, machine, placements, keys), loaded, options);
}

namespace detail {

template <class MakeKeys>
[[nodiscard]] Answer<Mapping> map_graph(const MachineGraph& given, const Machine& machine,
                                        const Constraints& constraints, const MapOptions& options,
                                        MakeKeys make_keys_of) {
  using Clock = std::chrono::steady_clock;
  Mapping made;
  made.graph_digest = given.digest(), made.machine_digest = machine.digest();
  const auto first = Clock::now();
  auto begun = first;
  const auto end_phase = [&](const char* name) {
    const auto now = Clock::now();
    made.phases.push_back({name, std::chrono::duration<double>(now - begun).count()});
    begun = now;
  };
  const auto tell = [&](const char* phase) {
    if (options.progress) options.progress(phase, std::chrono::duration<double>(Clock::now() - first).count());
  };
  PlacementOptions placement = options.placement;
  if (options.progress)
    placement.progress = [&] {
      if (options.placement.progress) options.placement.progress();
      tell("placement");
    };
  tell("placement");
  auto placed = place(given, machine, constraints, placement);
  if (!placed) return placed.refusal();
  made.placements = std::move(placed).value();
  end_phase("placement");
  tell("keys");
  auto keys = make_keys_of(made.placements);
  if (!keys) return keys.refusal();
  made.keys = std::move(keys).value();
  end_phase("keys");
  // Partitions that share keys have one tree.
  Joined joined_graph;
  const bool is_joined = !constraints.same_keys.empty();
  if (is_joined) {
    joined_graph = joined(given, constraints);
    Keys of_joined(joined_graph.graph.partitions());
    for (Partition at = 0; at < given.partitions(); ++at) of_joined[joined_graph.partition_of[at]] = made.keys[at];
    made.keys = std::move(of_joined), made.partition_of = std::move(joined_graph.partition_of);
  }
  const MachineGraph& graph = is_joined ? joined_graph.graph : given;
  tell("routes");
  auto routes = route(graph, machine, made.placements, options.routing);
  if (!routes) return routes.refusal();
  made.routes = std::move(routes).value();
  end_phase("routes");
  if (options.spreading) {
    tell("spreading");
    auto done = spread(graph, machine, made.routes, *options.spreading);
    if (!done) return done.refusal();
    made.spread = done.value();
    end_phase("spreading");
  }
  tell("tables");
  auto tables = make_tables(machine, made.routes, made.keys, options.tables);
  if (!tables) return tables.refusal();
  made.tables = std::move(tables).value();
  end_phase("tables");
  tell("tags and fixed routes");
  auto tags = assign_tags(given, machine, made.placements, constraints, options.tags);
  if (!tags) return tags.refusal();
  made.tags = std::move(tags).value();
  if (options.fixed_routes) {
    auto fixed = mapping::fixed_routes(machine, *options.fixed_routes);
    if (!fixed) return fixed.refusal();
    made.fixed_routes = std::move(fixed).value();
  }
  end_phase("tags and fixed routes");
  if (options.is_proved) {
    tell("proof");
    auto proof = prove(graph, machine, made.placements, made.keys, made.tables, options.proof);
    if (!proof) return proof.refusal();
    made.proof = std::move(proof).value();
    end_phase("proof");
    if (!made.proof->is_proved())
      return Refusal{{Error::unmappable, 0, made.proof->difference_count, "tables"},
                     "tables",
                     made.proof->text(machine_of_proof(machine))};
  }
  return made;
}

} // namespace detail

/// \errors those of the phases: place, make_keys, route, make_tables, assign_tags, fixed_routes, proof::prove; unmappable: the tables
///         are not as demanded, which is an error of this library, or routers are too small
[[nodiscard]] inline Answer<Mapping> map(const MachineGraph& graph, const Machine& machine,
                                         const Constraints& constraints = {}, const MapOptions& options = {}) {
  return detail::map_graph(graph, machine, constraints, options, [&](const Placements& placements) {
    return make_keys(graph, machine, placements, constraints, options.keys);
  });
}
/// The same for what an application graph was cut into, with a zone of keys for each of its partitions.
[[nodiscard]] inline Answer<Mapping> map(const Partitioned& of, const Machine& machine,
                                         const MapOptions& options = {}) {
  return detail::map_graph(of.graph, machine, of.constraints, options,
                           [&](const Placements&) { return make_keys(of, options.keys); });
}

/// \errors parameters_contradict: the graph or the machine is not the one that was mapped, or has been changed since
[[nodiscard]] inline Refusal check_is_of(const Mapping& mapped, const MachineGraph& graph, const Machine& machine) {
  const auto refuse = [](const char* what) {
    return Refusal{{Error::parameters_contradict, 0, 0, what},
                   "mapping",
                   std::string("it is of another ") + what + ", or this one has changed since: map it again"};
  };
  if (mapped.graph_digest != graph.digest()) return refuse("graph");
  if (mapped.machine_digest != machine.digest()) return refuse("machine");
  return {};
}

inline std::string Mapping::text(const Machine& machine) const {
  host::TextTable table;
  const auto in_ms = [](double seconds) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3f ms", seconds * 1000.0);
    return std::string(text.data());
  };
  for (const Phase& one : phases) table.add({one.name, in_ms(one.seconds)});
  table.add({"all", in_ms(seconds())});
  std::string words = table.text();
  if (spread) words += spread->text() + "\n";
  return proof ? words + proof->text(detail::machine_of_proof(machine)) : words + "nothing was proved\n";
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
