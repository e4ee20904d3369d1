// SPDX-License-Identifier: BSL-1.0
/// \file
/// An application graph in a simulation: each of its vertices is a program, on as many cores as its slices need.
///
///     mapping::ApplicationGraph graph;
///     const auto cells = graph.add({.name = "cells", .atoms = 2500, .per_atom = {.dtcm_bytes = 100}});
///     graph.connect(cells, {cells}, {.keys = 1});
///     const execution::SliceProgram programs[] = {{.image = image, .regions = [](const execution::SliceOf& of) { ... }}};
///     auto parts = execution::add_application(simulation, graph, programs, machine);
///     if (!parts) return std::puts(parts.sentence().c_str()), 1;
///     simulation.run(1000);
///     simulation.recorded(parts.value()->vertex_with(cells, 17), 0);
// host-only
#ifndef NEUROMORPH_EXECUTION_APPLICATION_HPP
#define NEUROMORPH_EXECUTION_APPLICATION_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/execution/simulation.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/application_graph.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/map.hpp>
#include <neuromorph/mapping/partitioning.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

/// What the data of a slice may be made from.
struct SliceOf {
  const Mapped& mapped;
  const mapping::Partitioned& parts;
  mapping::Vertex vertex; ///< of the machine graph

  [[nodiscard]] const mapping::Slice& slice() const noexcept { return parts.slices[vertex]; }
  /// What a slice of a vertex sends by a partition of the application graph: the first key is its first atom's.
  /// \return no keys at all, 1 of mask 0, where it sends to nobody
  [[nodiscard]] mapping::KeyMask keys(mapping::AppPartition partition, std::uint32_t slice) const noexcept {
    const mapping::Partition made = parts.partitions[partition][slice];
    return made == mapping::no_partition ? mapping::KeyMask{1, 0} : mapping::KeyMask{mapped.mapping.keys_of(made)};
  }
  /// The same of this slice itself.
  /// \pre the partition is of its vertex
  [[nodiscard]] mapping::KeyMask keys(mapping::AppPartition partition) const noexcept {
    return keys(partition, vertex - parts.first[parts.vertex_of[vertex]]);
  }
};
/// The program of an application vertex.
struct SliceProgram {
  std::size_t image = 0; ///< of the simulation
  /// Regions of a slice, whole words each.
  std::function<std::vector<std::vector<std::uint8_t>>(const SliceOf& of)> regions = {};
  /// Of each channel: the bytes that so many ticks need, at most, of a slice.
  std::vector<std::function<std::uint64_t(std::uint64_t ticks, const mapping::Slice& slice)>> recordings = {};
  std::size_t counters = 0;
  bool finishes = false;
};

/// Adds the slices of all vertices, which then are the vertices of the simulation by the same numbers. Its mapping gives each partition of the
/// application graph a zone of keys, as long as nothing else is added.
/// \param programs  [application vertex]
/// \param machine   for which slices are cut; the one on which it runs may be another, with as much on each chip
/// \pre             the simulation has no vertices yet
/// \errors lengths_differ: not a program for each vertex; parameters_contradict: the simulation has vertices; those of mapping::partition
[[nodiscard]] inline Answer<std::shared_ptr<const mapping::Partitioned>>
add_application(Simulation& simulation, const mapping::ApplicationGraph& graph, std::span<const SliceProgram> programs,
                const mapping::Machine& machine, const mapping::CutOptions& options = {}) {
  if (simulation.graph().vertices() != 0)
    return Refusal{{Error::parameters_contradict, 0, simulation.graph().vertices(), "vertices"},
                   "",
                   "an application graph comes into an empty simulation, and this one has " +
                       std::to_string(simulation.graph().vertices()) + " vertices"};
  if (programs.size() != graph.vertices())
    return Refusal{{Error::lengths_differ, 0, programs.size(), "programs"},
                   "",
                   std::to_string(programs.size()) + " programs are given for " + std::to_string(graph.vertices()) +
                       " vertices"};
  auto cut = mapping::partition(graph, machine, options);
  if (!cut) return cut.refusal();
  const auto parts = std::make_shared<mapping::Partitioned>(std::move(cut).value());
  for (mapping::Vertex vertex = 0; vertex < parts->slices.size(); ++vertex) {
    const SliceProgram& program = programs[parts->vertex_of[vertex]];
    const mapping::Slice& slice = parts->slices[vertex];
    VertexProgram made{.name = parts->names[parts->vertex_of[vertex]],
                       .resources = parts->graph.resources(vertex),
                       .counters = program.counters,
                       .finishes = program.finishes};
    if (program.regions)
      made.regions = [regions = program.regions, parts, vertex](const Mapped& of) {
        return regions({of, *parts, vertex});
      };
    for (const auto& recording : program.recordings)
      made.recordings.emplace_back([recording, slice](std::uint64_t ticks) { return recording(ticks, slice); });
    simulation.add(program.image, std::move(made));
  }
  for (mapping::Partition partition = 0; partition < parts->graph.partitions(); ++partition)
    simulation.graph().connect(parts->graph.source(partition), parts->graph.targets(partition),
                               parts->graph.options(partition));
  simulation.constraints() = parts->constraints;
  parts->graph = std::as_const(simulation).graph(); // with what recordings take
  simulation.workflow().add(
      {.name = "mapping",
       .phase = "mapping",
       .needs = {"machine"},
       .makes = {"mapping"},
       .run = [&simulation, parts](Values& values) {
         const mapping::Machine& found = simulation.found().machine;
         const mapping::MapOptions& how = simulation.options().mapping;
         mapping::Partitioned now = *parts;
         now.constraints = simulation.constraints();
         const bool is_as_it_was = std::as_const(simulation).graph().digest() == now.graph.digest();
         auto mapped = is_as_it_was ? mapping::map(now, found, how)
                                    : mapping::map(std::as_const(simulation).graph(), found, now.constraints, how);
         if (!mapped) return mapped.refusal();
         values.set("mapping", std::move(mapped).value());
         return Refusal{};
       }});
  return std::shared_ptr<const mapping::Partitioned>(parts);
}

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
