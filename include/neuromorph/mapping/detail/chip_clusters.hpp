// SPDX-License-Identifier: BSL-1.0
/// \file
/// Clusters of as many nodes as a chip has room for: each begins where the last ones ended, and takes the node with the most edges into
/// it, again and again. Large graphs are placed by them, chip by chip, instead of node by node.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_CHIP_CLUSTERS_HPP
#define NEUROMORPH_MAPPING_DETAIL_CHIP_CLUSTERS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/placing.hpp>
#include <neuromorph/mapping/detail/spreading.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

struct ChipClusters {
  std::vector<Item> of{}; ///< [node]
  Item count = 0;
};

/// \param most  of a cluster, at least 1; nodes of size 0 are in clusters of their own
/// \cost  O(edges), times the nodes of a cluster
[[nodiscard]] inline ChipClusters chip_clusters(const WeightedGraph& graph, std::uint32_t most) {
  constexpr Item none = UINT32_MAX;
  const Item nodes = graph.nodes();
  ChipClusters made{std::vector<Item>(nodes, none), 0};
  struct Candidate {
    Item node;
    std::uint32_t weight; ///< of its edges into the cluster
  };
  std::vector<Candidate> candidates;
  std::vector<std::uint32_t> place(nodes, none); // among the candidates
  for (Item seed = 0; seed < nodes; ++seed) {
    if (made.of[seed] != none) continue;
    const Item cluster = made.count++;
    candidates.clear();
    Item next = seed;
    for (std::uint32_t size = 1;; ++size) {
      made.of[next] = cluster;
      if (graph.size[seed] == 0 || size == most) break;
      for (std::uint32_t edge = graph.first[next]; edge < graph.first[next + 1]; ++edge) {
        const Item other = graph.to[edge];
        if (made.of[other] != none || graph.size[other] == 0) continue;
        if (place[other] == none)
          place[other] = static_cast<std::uint32_t>(candidates.size()), candidates.push_back({other, 0});
        candidates[place[other]].weight += graph.weight_of(edge);
      }
      // The strongest; of several the first in breadth-first order, so that nothing is left between clusters.
      std::size_t best = candidates.size();
      for (std::size_t at = 0; at < candidates.size(); ++at)
        if (best == candidates.size() || candidates[at].weight > candidates[best].weight ||
            (candidates[at].weight == candidates[best].weight && candidates[at].node < candidates[best].node))
          best = at;
      if (best == candidates.size()) break;
      next = candidates[best].node;
      place[next] = none;
      if (best + 1 != candidates.size())
        candidates[best] = candidates.back(), place[candidates[best].node] = static_cast<std::uint32_t>(best);
      candidates.pop_back();
    }
    for (const Candidate& one : candidates) place[one.node] = none;
  }
  return made;
}

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
