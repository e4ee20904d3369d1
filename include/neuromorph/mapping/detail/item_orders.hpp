// SPDX-License-Identifier: BSL-1.0
/// \file
/// Who is connected to whom among the items of a placement, and orders in which neighbours are near.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_ITEM_ORDERS_HPP
#define NEUROMORPH_MAPPING_DETAIL_ITEM_ORDERS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/placing.hpp>
#include <neuromorph/mapping/machine_graph.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

/// The items at the other ends of edges, from either end; some more than once.
class Neighbours {
public:
  explicit Neighbours(const Placing& placing) : first_(placing.items() + 1), to_() {
    const MachineGraph& graph = placing.graph();
    const auto each_edge = [&](auto act) {
      for (Partition partition = 0; partition < graph.partitions(); ++partition) {
        const Item from = placing.item(graph.source(partition));
        for (const Vertex target : graph.targets(partition))
          if (const Item to = placing.item(target); to != from) act(from, to);
      }
    };
    each_edge([&](Item from, Item to) { ++first_[from], ++first_[to]; });
    std::size_t sum = 0;
    for (std::size_t& one : first_) sum += one, one = sum;
    to_.resize(sum); // from the ends of lists to their beginnings, which first_ has then
    each_edge([&](Item from, Item to) { to_[--first_[from]] = to, to_[--first_[to]] = from; });
  }
  [[nodiscard]] Item items() const noexcept { return static_cast<Item>(first_.size() - 1); }
  [[nodiscard]] std::span<const Item> of(Item item) const noexcept {
    return std::span(to_).subspan(first_[item], first_[item + 1] - first_[item]);
  }
  [[nodiscard]] std::size_t degree(Item item) const noexcept { return first_[item + 1] - first_[item]; }

private:
  std::vector<std::size_t> first_;
  std::vector<Item> to_;
};

/// All items, part by part of the graph, each part from an item at its edge on.
/// \param by_degree  of the neighbours of one, those with few come first (Cuthill and McKee)
[[nodiscard]] inline std::vector<Item> breadth_first(const Neighbours& neighbours, bool by_degree) {
  const Item count = neighbours.items();
  std::vector<Item> order;
  order.reserve(count);
  std::vector<std::uint8_t> state(count); // 1: met while an edge was sought; 2: in the order
  const auto spread = [&](Item from, std::uint8_t mark) {
    const std::size_t begin = order.size();
    order.push_back(from), state[from] = mark;
    for (std::size_t at = begin; at < order.size(); ++at) {
      const std::size_t met = order.size();
      for (const Item other : neighbours.of(order[at]))
        if (state[other] < mark) state[other] = mark, order.push_back(other);
      if (by_degree)
        std::sort(order.begin() + static_cast<std::ptrdiff_t>(met), order.end(), [&](Item one, Item another) {
          const std::size_t a = neighbours.degree(one), b = neighbours.degree(another);
          return a != b ? a < b : one < another;
        });
    }
  };
  for (Item item = 0; item < count; ++item) {
    if (state[item] != 0) continue;
    const std::size_t begin = order.size();
    spread(item, 1);
    const Item farthest = order.back();
    order.resize(begin);
    spread(farthest, 2);
  }
  return order;
}
[[nodiscard]] inline std::vector<Item> reverse_cuthill_mckee(const Neighbours& neighbours) {
  std::vector<Item> order = breadth_first(neighbours, true);
  std::reverse(order.begin(), order.end());
  return order;
}

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
