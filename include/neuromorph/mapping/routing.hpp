// SPDX-License-Identifier: BSL-1.0
/// \file
/// Routes: for each partition a tree of links from the chip of its source to those of its targets, round what is missing.
///
///     auto routes = mapping::route(graph, machine, placements, {.threads = 2});
///     if (!routes) return std::puts(routes.sentence().c_str()), 1;
///     auto spread = mapping::spread(graph, machine, routes.value(), {}); // fewer packets on the fullest links
///     if (spread) std::puts(spread.value().text().c_str());
///
/// A tree has a chip at most once. A link that is missing in one direction is used in the other.
// host-only
#ifndef NEUROMORPH_MAPPING_ROUTING_HPP
#define NEUROMORPH_MAPPING_ROUTING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/host/parallel.hpp>
#include <neuromorph/mapping/detail/link_spreader.hpp>
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

struct SpreadingOptions {
  std::uint32_t rounds =
      16; ///< at most; each aims at an eighth less than the most, or at less of it where that cannot be had
  double longest = 1.1; ///< all trees together may become so many times as long
};
/// What spreading did; packets in a step.
struct Spread {
  double most_before = 0.0, most_after = 0.0;          ///< on a link, those to devices included
  std::uint64_t links_before = 0, links_after = 0;     ///< of all trees
  std::uint32_t moved = 0, partitions = 0, rounds = 0; ///< trees that are others now, of all of them

  [[nodiscard]] std::string text() const {
    char line[200];
    std::snprintf(
        line, sizeof line,
        "most packets of a link in a step: %.6g, before %.6g; links of all trees: %llu, before %llu; %u of %u "
        "trees moved in %u rounds",
        most_after, most_before, static_cast<unsigned long long>(links_after),
        static_cast<unsigned long long>(links_before), moved, partitions, rounds);
    return line;
  }
};

/// The second pass: trees over the links with the most packets in a step are grown again, over links that have fewer.
///
/// \param  routes  of the graph on the machine; changed where that lowers the most
/// \errors Error::lengths_differ: there is not a tree for each partition. Error::parameter_out_of_range: a number of packets is
///         negative, not a number or above 10^6, or `longest` is below 1 or not a number
/// \cost   O(nodes) for each round, and a search for each sink of a tree that is moved
/// \source costs after L. McMurchie, C. Ebeling, PathFinder, FPGA 1995; a tree is kept only where it lowers what is too much
[[nodiscard]] inline Answer<Spread> spread(const MachineGraph& graph, const Machine& machine, Routes& routes,
                                           const SpreadingOptions& options = {}) {
  if (routes.size() != graph.partitions())
    return Refusal{{Error::lengths_differ, 0, routes.size(), "routes"},
                   "routes",
                   std::to_string(routes.size()) + " trees are given for " + std::to_string(graph.partitions()) +
                       " partitions"};
  if (!(options.longest >= 1.0))
    return Refusal{{Error::parameter_out_of_range, 0, options.longest, "longest"},
                   "longest",
                   "trees do not become shorter: it is at least 1"};
  constexpr double most_packets = 1e6, unit = 1048576.0;
  std::vector<std::uint64_t> loads(graph.partitions());
  for (Partition partition = 0; partition < graph.partitions(); ++partition) {
    const double packets = graph.options(partition).packets_per_step;
    if (!(packets >= 0.0 && packets <= most_packets))
      return Refusal{{Error::parameter_out_of_range, partition, packets, "packets_per_step"},
                     detail::name_of(graph, partition),
                     "its packets of a step are 0 to 10^6, and not " + std::to_string(packets)};
    loads[partition] = static_cast<std::uint64_t>(packets * unit + 0.5);
  }
  Spread done;
  done.partitions = graph.partitions();
  if (graph.partitions() == 0) return done;
  detail::LinkSpreader spreader(machine, routes, std::move(loads));
  done.most_before = static_cast<double>(spreader.most()) / unit, done.links_before = spreader.links();
  const double most_links = static_cast<double>(done.links_before) * options.longest;
  spreader.run(options.rounds, most_links < 1e18 ? static_cast<std::uint64_t>(most_links) : std::uint64_t{1} << 60);
  done.most_after = static_cast<double>(spreader.most()) / unit, done.links_after = spreader.links();
  done.moved = spreader.moved(), done.rounds = spreader.rounds();
  if (done.moved != 0) routes = spreader.routes();
  return done;
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
