// SPDX-License-Identifier: BSL-1.0
/// \file
/// A graph whose vertices are of many atoms, such as the neurons of a population, which `partitioning.hpp` cuts to fit cores.
///
///     mapping::ApplicationGraph graph;
///     const auto cells = graph.add({.name = "cells", .atoms = 2500, .fixed = {.dtcm_bytes = 2000}, .per_atom = {.dtcm_bytes = 40}});
///     graph.connect(cells, {cells}, {.identifier = "spikes"});
///
/// A vertex can be one of a machine graph, which stays as it is, and the device behind a virtual chip. Vertices and partitions are
/// numbers from 0 in the order in which they were added; `constraints` is of these numbers.
// host-only
#ifndef NEUROMORPH_MAPPING_APPLICATION_GRAPH_HPP
#define NEUROMORPH_MAPPING_APPLICATION_GRAPH_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/constraints.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/machine_graph.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

using AppVertex = std::uint32_t;
using AppPartition = std::uint32_t;

/// Columns and rows of atoms.
struct Tile {
  std::uint32_t width = 0, height = 0;
  friend bool operator==(const Tile&, const Tile&) = default;
};
/// Atoms that one core has: `count` of them from `first` on. In tiles they are numbered tile by tile, and row by row in each.
struct Slice {
  std::uint32_t first = 0, count = 0;
  std::uint32_t x = 0, y = 0; ///< of the first, where a vertex is cut into tiles
  Tile tile = {};             ///< then of count atoms; else 0 x 0
  friend bool operator==(const Slice&, const Slice&) = default;
};

struct ApplicationVertex {
  std::string name = {};
  std::uint32_t atoms = 1;
  Resources fixed = {}, per_atom = {}; ///< what a slice takes: fixed + per_atom * count
  /// What a slice takes, if that is not enough. More atoms from the same one on must not take less.
  std::function<Resources(const Slice&)> resources = {};
  std::uint32_t most_atoms = (std::numeric_limits<std::uint32_t>::max)(); ///< that the program can do on a core
  std::uint32_t atoms_per_core = 0; ///< so many on each, and on the last what is left; 0: as many as fit
  Tile shape = {};                  ///< of its atoms, to be cut into tiles; 0 x 0: it has one dimension
  Tile tile = {};                   ///< those on a core; 0 x 0: of the shape that needs the fewest cores
};

/// Resources of a slice.
[[nodiscard]] inline Resources resources_of(const ApplicationVertex& vertex, const Slice& slice) {
  if (vertex.resources) return vertex.resources(slice);
  const auto sum = [&](std::uint32_t Resources::*part) {
    const std::uint64_t all = vertex.fixed.*part + std::uint64_t{vertex.per_atom.*part} * slice.count;
    constexpr std::uint32_t most = (std::numeric_limits<std::uint32_t>::max)();
    return all > most ? most : static_cast<std::uint32_t>(all);
  };
  return {.dtcm_bytes = sum(&Resources::dtcm_bytes),
          .sdram_bytes = sum(&Resources::sdram_bytes),
          .sdram_per_step = sum(&Resources::sdram_per_step),
          .cycles_per_step = sum(&Resources::cycles_per_step),
          .ip_tags = sum(&Resources::ip_tags),
          .reverse_tags = sum(&Resources::reverse_tags)};
}

struct AppPartitionOptions {
  std::string identifier = {};   ///< of the kind of message
  double packets_per_step = 1.0; ///< expected of an atom
  std::uint32_t keys = 1;        ///< how many different ones an atom sends
};
/// Whether any atom of one slice sends to any of another.
using EdgeFilter = std::function<bool(const Slice& source, const Slice& target)>;
struct AppEdge {
  AppVertex target = 0;
  EdgeFilter is_connected = {}; ///< empty: all slices are
};

class ApplicationGraph {
public:
  Constraints constraints = {}; ///< of vertices and partitions here; they hold for all machine vertices made of these

  AppVertex add(ApplicationVertex vertex) {
    vertices_.push_back(std::move(vertex));
    return vertices() - 1;
  }
  /// One that is on one core as it is.
  AppVertex add_machine_vertex(const Resources& resources, std::string name = {}) {
    return add({.name = std::move(name), .fixed = resources});
  }
  /// All vertices and partitions of a machine graph. Those of number n become first + n.
  /// \returns the first
  AppVertex add(const MachineGraph& graph) {
    const AppVertex first = vertices();
    for (Vertex vertex = 0; vertex < graph.vertices(); ++vertex)
      add_machine_vertex(graph.resources(vertex), graph.given_name(vertex));
    for (Partition partition = 0; partition < graph.partitions(); ++partition) {
      const PartitionOptions& options = graph.options(partition);
      const AppPartition made = add_partition(
          first + graph.source(partition),
          {.identifier = options.identifier, .packets_per_step = options.packets_per_step, .keys = options.keys});
      for (const Vertex target : graph.targets(partition)) add_edge(made, first + target);
    }
    return first;
  }
  /// Something outside of the machine behind a virtual chip.
  AppVertex add_device(Chip chip, std::uint32_t atoms = 1, std::string name = {}) {
    const AppVertex made = add({.name = std::move(name), .atoms = atoms});
    constraints.devices.push_back({.vertex = made, .chip = chip});
    return made;
  }

  AppPartition add_partition(AppVertex source, AppPartitionOptions options = {}) {
    partitions_.push_back({source, std::move(options), {}});
    return partitions() - 1;
  }
  void add_edge(AppPartition partition, AppVertex target, EdgeFilter is_connected = {}) {
    partitions_[partition].edges.push_back({target, std::move(is_connected)});
  }
  AppPartition connect(AppVertex source, std::span<const AppVertex> targets, AppPartitionOptions options = {}) {
    const AppPartition made = add_partition(source, std::move(options));
    for (const AppVertex target : targets) add_edge(made, target);
    return made;
  }

  AppPartition connect(AppVertex source, std::initializer_list<AppVertex> targets, AppPartitionOptions options = {}) {
    return connect(source, std::span<const AppVertex>(targets.begin(), targets.size()), std::move(options));
  }

  [[nodiscard]] std::uint32_t vertices() const noexcept { return static_cast<std::uint32_t>(vertices_.size()); }
  [[nodiscard]] std::uint32_t partitions() const noexcept { return static_cast<std::uint32_t>(partitions_.size()); }
  [[nodiscard]] const ApplicationVertex& vertex(AppVertex vertex) const noexcept { return vertices_[vertex]; }
  [[nodiscard]] ApplicationVertex& vertex(AppVertex vertex) noexcept { return vertices_[vertex]; }
  [[nodiscard]] AppVertex source(AppPartition partition) const noexcept { return partitions_[partition].source; }
  [[nodiscard]] const AppPartitionOptions& options(AppPartition partition) const noexcept {
    return partitions_[partition].options;
  }
  [[nodiscard]] const std::vector<AppEdge>& edges(AppPartition partition) const noexcept {
    return partitions_[partition].edges;
  }
  /// "application vertex 3, retina"
  [[nodiscard]] std::string name(AppVertex vertex) const {
    const std::string number = "application vertex " + std::to_string(vertex);
    return vertex >= vertices() || vertices_[vertex].name.empty() ? number : number + ", " + vertices_[vertex].name;
  }
  /// "partition 5, spikes, of application vertex 3, retina"
  [[nodiscard]] std::string partition_name(AppPartition partition) const {
    const std::string& identifier = options(partition).identifier;
    return "partition " + std::to_string(partition) + (identifier.empty() ? "" : ", " + identifier + ",") + " of " +
           name(source(partition));
  }

private:
  struct OutgoingPartition {
    AppVertex source;
    AppPartitionOptions options;
    std::vector<AppEdge> edges;
  };
  std::vector<ApplicationVertex> vertices_;
  std::vector<OutgoingPartition> partitions_;
};

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
