// SPDX-License-Identifier: BSL-1.0
/// \file
/// Places in a plane from distances along edges. Of two corners that are opposite, how much nearer one of them is says how far a node
/// lies along that diagonal; two diagonals are two coordinates. Exact for sheets and meshes, useless for graphs that have no corners:
/// compare what comes of it with another placer's.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_LANDMARKS_HPP
#define NEUROMORPH_MAPPING_DETAIL_LANDMARKS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/spreading.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

class Landmarks {
public:
  Landmarks(const WeightedGraph& graph, const Region& region) : graph_(graph), region_(region) {}

  /// \return no coordinates where the graph is not all of one piece
  /// \cost   O(nodes + edges), nine times
  [[nodiscard]] Cloud cloud() {
    const Item count = graph_.nodes();
    if (count < 2) return {};
    queue_.resize(count), sum_.assign(count, 0);
    std::vector<std::int32_t> at = distances_from(0);
    if (end_ != count) return {};
    // Two that are far apart, then one that is far from both. It may lie in the middle of a side, and what is farthest from it does
    // not; nor what is farthest from that.
    const std::vector<std::int32_t> first = distances_from(farthest(at));
    add(first);
    const std::vector<std::int32_t> second = distances_from(farthest(first));
    add(second);
    for (Item node = 0; node < count; ++node) at[node] = (std::min)(first[node], second[node]);
    at = distances_from(farthest(at));
    const std::vector<std::int32_t> third = distances_from(farthest(at));
    const std::vector<std::int32_t> fourth = distances_from(farthest(third));
    // Which are opposite: the coordinates in which edges are short and nodes far apart.
    Cloud best;
    double least = 0.0;
    const std::vector<std::int32_t>* const pairs[][4] = {
        {&first, &second, &third, &fourth}, {&first, &third, &second, &fourth}, {&first, &fourth, &second, &third}};
    for (const auto& pair : pairs) {
      Cloud made{std::vector<std::int32_t>(count), std::vector<std::int32_t>(count)};
      for (Item node = 0; node < count; ++node) {
        const std::int32_t along = (*pair[0])[node] - (*pair[1])[node], across = (*pair[2])[node] - (*pair[3])[node];
        made.x[node] = along + across, made.y[node] = along - across;
      }
      const double quotient = roughness(made.x) + roughness(made.y);
      if (best.x.empty() || quotient < least) least = quotient, best = std::move(made);
    }
    fit(best);
    return best;
  }

private:
  [[nodiscard]] std::vector<std::int32_t> distances_from(Item first) {
    std::vector<std::int32_t> distance(graph_.nodes(), -1);
    distance[first] = 0, queue_[0] = first, end_ = 1;
    for (std::size_t at = 0; at < end_; ++at)
      for (std::uint32_t edge = graph_.first[queue_[at]]; edge < graph_.first[queue_[at] + 1]; ++edge)
        if (const Item other = graph_.to[edge]; distance[other] < 0)
          distance[other] = distance[queue_[at]] + 1, queue_[end_++] = other;
    return distance;
  }
  void add(const std::vector<std::int32_t>& distance) {
    for (Item node = 0; node < graph_.nodes(); ++node) sum_[node] += distance[node];
  }
  /// Of several, the one that is farther from earlier landmarks; of these, one with the fewest neighbours, as corners have.
  [[nodiscard]] Item farthest(const std::vector<std::int32_t>& distance) const {
    const auto degree = [&](Item node) { return graph_.first[node + 1] - graph_.first[node]; };
    Item best = 0;
    for (Item node = 1; node < graph_.nodes(); ++node)
      if (std::tuple(distance[node], sum_[node], degree(best)) > std::tuple(distance[best], sum_[best], degree(node)))
        best = node;
    return best;
  }
  /// Squares of what edges span, by the variance of nodes.
  [[nodiscard]] double roughness(const std::vector<std::int32_t>& at) const {
    std::int64_t sum = 0, squares = 0, edges = 0;
    for (Item node = 0; node < graph_.nodes(); ++node) {
      sum += at[node], squares += std::int64_t{at[node]} * at[node];
      for (std::uint32_t edge = graph_.first[node]; edge < graph_.first[node + 1]; ++edge) {
        const std::int64_t apart = at[node] - at[graph_.to[edge]];
        edges += apart * apart;
      }
    }
    const double count = graph_.nodes(), mean = static_cast<double>(sum) / count;
    const double variance = static_cast<double>(squares) / count - mean * mean;
    return variance > 0.0 ? static_cast<double>(edges) / variance : HUGE_VAL;
  }
  /// Onto the region, the longer side on its longer side.
  void fit(Cloud& cloud) const {
    const auto range = [](const std::vector<std::int32_t>& of) {
      const auto [least, most] = std::minmax_element(of.begin(), of.end());
      return std::pair(*least, std::int64_t{*most} - *least + 1);
    };
    auto x = range(cloud.x), y = range(cloud.y);
    if ((x.second < y.second) != (region_.width < region_.height)) std::swap(cloud.x, cloud.y), std::swap(x, y);
    const auto to = [](std::vector<std::int32_t>& of, std::pair<std::int32_t, std::int64_t> from, std::int32_t side) {
      for (std::int32_t& one : of)
        one = static_cast<std::int32_t>((std::int64_t{one} - from.first) * side * Cloud::unit / from.second);
    };
    to(cloud.x, x, region_.width), to(cloud.y, y, region_.height);
  }

  const WeightedGraph& graph_;
  const Region& region_;
  std::vector<Item> queue_{};
  std::vector<std::int32_t> sum_{}; ///< [node]: of distances from landmarks so far
  std::size_t end_ = 0;             ///< of what was reached
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
