// SPDX-License-Identifier: BSL-1.0
/// \file
/// Where routers find each vertex: a chip of the rectangle, and the bit of its route. An external device is behind a link.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_STOPS_HPP
#define NEUROMORPH_MAPPING_DETAIL_STOPS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/mapping/mapped.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

/// "partition 3, spikes, of vertex 5, retina".
[[nodiscard]] inline std::string name_of(const MachineGraph& graph, Partition partition) {
  const std::string& identifier = graph.options(partition).identifier;
  return "partition " + std::to_string(partition) + (identifier.empty() ? "" : ", " + identifier) + ", of " +
         graph.name(graph.source(partition));
}

[[nodiscard]] inline Refusal no_such_vertex(const MachineGraph& graph, Partition partition, Vertex vertex) {
  return {{Error::index_out_of_range, partition, vertex, "vertex"},
          "partition " + std::to_string(partition),
          "vertex " + std::to_string(vertex) + " is none of the graph's " + std::to_string(graph.vertices())};
}

class Stops {
public:
  /// Where packets of a vertex come to their first router, and by which link; no_chip where a device leads nowhere.
  struct Entry {
    Chip chip = no_chip;
    std::uint8_t by = RouteNode::from_core;
  };

  /// Looks at all placements.
  [[nodiscard]] Refusal find(const MachineGraph& graph, const Machine& machine, const Placements& placements) {
    machine_ = &machine, placements_ = &placements;
    const std::size_t count = graph.vertices();
    if (placements.chip.size() != count || placements.core.size() != count)
      return {{Error::lengths_differ, 0, placements.chip.size(), "placements"},
              "placements",
              std::to_string(placements.chip.size()) + " chips and " + std::to_string(placements.core.size()) +
                  " cores are given for " + std::to_string(count) + " vertices"};
    find_devices();
    packed_.resize(count);
    for (Vertex vertex = 0; vertex < count; ++vertex) {
      const Chip chip = placements.chip[vertex];
      const unsigned core = placements.core[vertex];
      if (chip < machine.grid_chips()) [[likely]] {
        if (core < most_cores && (machine.cores(chip) >> core & 1) != 0 && machine.has(chip)) [[likely]] {
          packed_[vertex] = chip << 5 | (link_count + core);
          continue;
        }
        return refused(graph, vertex);
      }
      if (!machine.has(chip)) return refused(graph, vertex);
      const Door& door = doors_[chip - machine.grid_chips()];
      packed_[vertex] = door.out == no_chip ? nowhere : door.out << 5 | unsigned(door.link);
    }
    return {};
  }

  /// Whether packets can get to it at all: a device may only send.
  [[nodiscard]] bool has(Vertex vertex) const noexcept { return packed_[vertex] != nowhere; }
  /// \pre has(vertex)
  [[nodiscard]] Chip chip(Vertex vertex) const noexcept { return packed_[vertex] >> 5; }
  /// \pre has(vertex)
  [[nodiscard]] Route route(Vertex vertex) const noexcept { return Route{1} << (packed_[vertex] & 31); }
  [[nodiscard]] Entry entry(Vertex vertex) const noexcept {
    const Chip chip = placements_->chip[vertex];
    if (chip < machine_->grid_chips()) return {chip, RouteNode::from_core};
    const Door& door = doors_[chip - machine_->grid_chips()];
    return {door.in, static_cast<std::uint8_t>(door.link)};
  }

  /// Why the tree of a partition does not come to a sink's chip; no_chip where it comes to none.
  [[nodiscard]] Refusal unreachable(const MachineGraph& graph, Partition partition, Chip sink) const {
    Vertex target = graph.vertices();
    for (const Vertex one : graph.targets(partition))
      if (sink == no_chip ? !has(one) : has(one) && chip(one) == sink) {
        target = one;
        break;
      }
    const Chip source_chip = placements_->chip[graph.source(partition)];
    std::string why = "no way of links leads from " + machine_->name(source_chip);
    if (target != graph.vertices())
      why += " to " + machine_->name(placements_->chip[target]) + " with its target " + graph.name(target);
    else
      why += " to any other";
    return {{Error::unmappable, partition, target, "partition"}, name_of(graph, partition), why};
  }

private:
  /// Where packets go out to a device and come in from it.
  struct Door {
    Chip out = no_chip, in = no_chip;
    Link link = Link::east; // of the real chip
  };
  static constexpr std::uint32_t nowhere = 0xFFFFFFFF;

  void find_devices() {
    doors_.assign(machine_->devices().size(), {});
    for (std::size_t at = 0; at < doors_.size(); ++at) {
      const Device& device = machine_->devices()[at];
      const Chip chip = machine_->grid_chips() + static_cast<Chip>(at);
      if (machine_->neighbour(device.chip, device.link) == chip) doors_[at].out = device.chip;
      if (machine_->neighbour(chip, opposite(device.link)) == device.chip) doors_[at].in = device.chip;
      doors_[at].link = device.link;
    }
  }
  [[nodiscard]] Refusal refused(const MachineGraph& graph, Vertex vertex) const {
    const Chip chip = placements_->chip[vertex];
    const unsigned core = placements_->core[vertex];
    if (chip >= machine_->chips())
      return {{Error::index_out_of_range, vertex, chip, "chip"},
              graph.name(vertex),
              "it is placed on chip number " + std::to_string(chip) + " of " + std::to_string(machine_->chips())};
    const std::string place = machine_->name(chip);
    if (!machine_->has(chip))
      return {{Error::unmappable, vertex, chip, "chip"},
              graph.name(vertex),
              "it is placed on " + place + ", which is missing"};
    if (core >= most_cores)
      return {{Error::index_out_of_range, vertex, core, "core"},
              graph.name(vertex),
              "it is placed on core " + std::to_string(core) + " of " + place + ", and a route has bits for " +
                  std::to_string(most_cores)};
    return {{Error::unmappable, vertex, core, "core"},
            graph.name(vertex),
            "it is placed on core " + std::to_string(core) + " of " + place + ", which no user has"};
  }

  const Machine* machine_ = nullptr;
  const Placements* placements_ = nullptr;
  std::vector<std::uint32_t> packed_{}; // [vertex]: chip << 5 | bit of the route
  std::vector<Door> doors_{};           // [device]
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
