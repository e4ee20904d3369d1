// SPDX-License-Identifier: BSL-1.0
/// \file
/// Routes: for each partition a tree of links from the chip of its source to those of its targets, round what is missing.
///
///     auto routes = mapping::route(graph, machine, placements, {.threads = 2});
///     if (!routes) return std::puts(routes.sentence().c_str()), 1;
///
/// A tree has a chip at most once. A link that is missing in one direction is used in the other.
// host-only
#ifndef NEUROMORPH_MAPPING_ROUTING_HPP
#define NEUROMORPH_MAPPING_ROUTING_HPP

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/host/parallel.hpp>
#include <neuromorph/mapping/detail/stops.hpp>
#include <neuromorph/mapping/detail/tree_builder.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/mapping/mapped.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

enum class RoutingAlgorithm : std::uint8_t {
  nearest_neighbour,  ///< sinks in order of distance, each from the nearest chip of the tree, by the longer leg first
  order_of_dimensions ///< each from the source: east or west, then north east or south west, then north or south
};

struct RoutingOptions {
  RoutingAlgorithm algorithm = RoutingAlgorithm::nearest_neighbour;
  std::uint32_t radius = 20; ///< in links, of nearest neighbours; a sink without one is led to from the source
  unsigned threads = 1;      ///< what comes out is the same for any number
};

/// A tree for each partition.
///
/// \errors Error::lengths_differ: placements are not those of the graph's vertices. Error::index_out_of_range: a vertex, chip or
///         core has no such number. Error::unmappable: a vertex is on a chip or core that is missing, or a target cannot be reached:
///         partition, source, target and chips are named
/// \cost   O(edges) where most targets are near; O(chips) of memory for each thread
/// \source nearest neighbours: J. Navaridas et al., SpiNNaker: enhanced multicast routing, Parallel Computing 45 (2015), section 3; the
///         way round faults is A* from all of the tree rather than a tree that is cut and joined again
[[nodiscard]] inline Answer<Routes> route(const MachineGraph& graph, const Machine& machine,
                                          const Placements& placements, const RoutingOptions& options = {}) {
  detail::Stops stops;
  if (Refusal refusal = stops.find(graph, machine, placements); !refusal) return refusal;

  constexpr std::uint32_t partitions_of_block = 4096;
  const std::uint32_t count = graph.partitions();
  const std::size_t blocks = (std::size_t{count} + partitions_of_block - 1) / partitions_of_block;
  const unsigned threads = (std::max)(1U, options.threads);
  std::vector<std::unique_ptr<detail::TreeBuilder>> builders(threads);
  std::vector<Refusal> refusals(blocks);
  const auto route_block = [&](std::size_t block, unsigned thread, std::vector<RouteNode>& nodes, std::size_t* ends) {
    auto& builder = builders[thread];
    if (!builder)
      builder = std::make_unique<detail::TreeBuilder>(machine, options.radius,
                                                      options.algorithm == RoutingAlgorithm::order_of_dimensions);
    const auto first = static_cast<Partition>(block * partitions_of_block);
    const Partition end = first + (std::min)(partitions_of_block, count - first);
    for (Partition partition = first; partition != end; ++partition) {
      builder->begin();
      for (const Vertex target : graph.targets(partition)) {
        if (target >= graph.vertices()) {
          refusals[block] = detail::no_such_vertex(graph, partition, target);
          return;
        }
        if (!stops.has(target)) {
          refusals[block] = stops.unreachable(graph, partition, no_chip);
          return;
        }
        builder->add(stops.chip(target), stops.route(target));
      }
      if (graph.source(partition) >= graph.vertices()) {
        refusals[block] = detail::no_such_vertex(graph, partition, graph.source(partition));
        return;
      }
      const detail::Stops::Entry from = stops.entry(graph.source(partition));
      if (from.chip == no_chip || !builder->build(from.chip, from.by)) {
        refusals[block] = stops.unreachable(graph, partition, from.chip == no_chip ? no_chip : builder->unreached());
        return;
      }
      nodes.insert(nodes.end(), builder->nodes().begin(), builder->nodes().end());
      *ends++ = nodes.size();
    }
  };

  Routes routes;
  routes.first.resize(std::size_t{count} + 1);
  if (threads == 1 || blocks < 2) {
    for (std::size_t block = 0; block < blocks; ++block) {
      // By what there is of the others, so that they need not move.
      if (block == 1) routes.items.reserve(routes.items.size() * blocks + routes.items.size() * blocks / 8);
      route_block(block, 0, routes.items, routes.first.data() + 1 + block * partitions_of_block);
      if (!refusals[block]) return std::move(refusals[block]);
    }
    return routes;
  }
  std::vector<std::vector<RouteNode>> of_blocks(blocks);
  host::in_parallel(threads, blocks, [&](std::size_t block, unsigned thread) {
    route_block(block, thread, of_blocks[block], routes.first.data() + 1 + block * partitions_of_block);
  });
  for (Refusal& refusal : refusals)
    if (!refusal) return std::move(refusal);
  std::vector<std::size_t> begins(blocks);
  std::size_t total = 0;
  for (std::size_t block = 0; block < blocks; ++block) begins[block] = total, total += of_blocks[block].size();
  routes.items.resize(total);
  host::in_parallel(threads, blocks, [&](std::size_t block, unsigned) {
    std::copy(of_blocks[block].begin(), of_blocks[block].end(),
              routes.items.begin() + static_cast<std::ptrdiff_t>(begins[block]));
    const std::size_t first = 1 + block * partitions_of_block,
                      end = (std::min)(first + partitions_of_block, routes.first.size());
    for (std::size_t at = first; at < end; ++at) routes.first[at] += begins[block];
    std::vector<RouteNode>().swap(of_blocks[block]);
  });
  return routes;
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
