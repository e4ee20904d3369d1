// SPDX-License-Identifier: BSL-1.0
/// \file
/// Netlists of ever fewer items, for annealing from the large to the small: items that share nets are one, as long as it fits a field.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_NET_LEVELS_HPP
#define NEUROMORPH_MAPPING_DETAIL_NET_LEVELS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/draw.hpp>
#include <neuromorph/mapping/detail/netlist.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/mapped.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

/// What a cluster may take.
struct ClusterLimits {
  std::uint32_t size = 1;
  std::uint64_t sdram = UINT64_MAX;
};

/// Clusters of a netlist. Each item, in an order that is drawn, joins the cluster with which it shares most, where nets count by
/// their weight and the less the more items they have. Those that are fixed stay alone.
/// \source G. Karypis, V. Kumar, Multilevel k-way hypergraph partitioning, DAC 1999: first choice
class NetCoarser {
public:
  NetCoarser(const Netlist& netlist, const ClusterLimits& limits, Draw& draw)
      : netlist_(netlist), limits_(limits), cluster_(netlist.items(), none), score_(netlist.items()) {
    std::vector<Item> order(netlist.items());
    std::iota(order.begin(), order.end(), Item{0});
    draw.shuffle(order);
    for (const Item item : order)
      if (cluster_[item] == none) join(item);
    make();
  }
  [[nodiscard]] Netlist& netlist() noexcept { return made_; }
  [[nodiscard]] std::vector<Item>& clusters() noexcept { return cluster_; } ///< [item]

private:
  static constexpr Item none = UINT32_MAX;
  static constexpr std::size_t most_pins = 256; ///< of nets that tell who belongs together

  [[nodiscard]] std::uint64_t sdram(Item item) const noexcept {
    return netlist_.sdram.empty() ? 0 : netlist_.sdram[item];
  }
  [[nodiscard]] Board board(Item item) const noexcept {
    return netlist_.board.empty() ? no_board : netlist_.board[item];
  }

  /// A cluster that has begun is told by its number plus that of items, one that has not by its only item.
  void join(Item item) {
    const Item own = begin(item);
    if (netlist_.is_fixed[item] != 0) return;
    seen_.clear();
    for (const std::uint32_t net : netlist_.nets[item]) {
      const auto pins = netlist_.pins[net];
      if (pins.size() > most_pins) continue;
      const std::uint64_t share = (std::uint64_t{netlist_.weight[net]} << 8) / (pins.size() - 1) + 1;
      for (const Item other : pins) {
        if (other == item || netlist_.is_fixed[other] != 0) continue;
        const Item leader = cluster_[other] == none ? other : leader_[cluster_[other]];
        if (score_[leader] == 0) seen_.push_back(leader);
        score_[leader] += share;
      }
    }
    Item best = none;
    std::uint64_t most = 0;
    for (const Item leader : seen_) {
      const std::uint32_t others = cluster_[leader] == none ? netlist_.size[leader] : size_[cluster_[leader]];
      const std::uint64_t score = score_[leader] / (std::max)(others, 1U);
      score_[leader] = 0;
      if (score > most && fits(own, leader)) most = score, best = leader;
    }
    if (best == none) return;
    if (cluster_[best] != none) { // its own, which is the last one, goes
      const Item into = cluster_[best];
      cluster_[item] = into;
      size_[into] += size_[own], sdram_[into] += sdram_[own];
      if (board_[into] == no_board) board_[into] = board_[own];
      leader_.pop_back(), size_.pop_back(), sdram_.pop_back(), board_.pop_back();
    } else {
      cluster_[best] = own;
      size_[own] += netlist_.size[best], sdram_[own] += sdram(best);
      if (board_[own] == no_board) board_[own] = board(best);
    }
  }
  [[nodiscard]] Item begin(Item item) {
    cluster_[item] = static_cast<Item>(leader_.size());
    leader_.push_back(item), size_.push_back(netlist_.size[item]);
    sdram_.push_back(sdram(item)), board_.push_back(board(item));
    return cluster_[item];
  }
  [[nodiscard]] bool fits(Item own, Item leader) const noexcept {
    const Item cluster = cluster_[leader];
    const std::uint64_t size = cluster == none ? netlist_.size[leader] : size_[cluster];
    const std::uint64_t bytes = cluster == none ? sdram(leader) : sdram_[cluster];
    const Board bound = cluster == none ? board(leader) : board_[cluster];
    return size + size_[own] <= limits_.size && bytes + sdram_[own] <= limits_.sdram &&
           (bound == board_[own] || bound == no_board || board_[own] == no_board);
  }

  void make() {
    const std::size_t count = leader_.size();
    made_.size = size_, made_.is_fixed.resize(count);
    if (!netlist_.sdram.empty()) made_.sdram = sdram_;
    if (!netlist_.board.empty()) made_.board = board_;
    for (Item item = 0; item < netlist_.items(); ++item)
      if (netlist_.is_fixed[item] != 0) made_.is_fixed[cluster_[item]] = 1;
    // Nets of clusters, the source first, the others in order; those with the same are one.
    Lists<Item> nets;
    std::vector<std::uint32_t> weights;
    std::vector<std::uint64_t> hashes;
    std::vector<std::uint32_t> stamp(count, 0);
    for (std::uint32_t net = 0; net < netlist_.pins.size(); ++net) {
      const std::size_t first = nets.items.size();
      for (const Item item : netlist_.pins[net])
        if (stamp[cluster_[item]] != net + 1) stamp[cluster_[item]] = net + 1, nets.items.push_back(cluster_[item]);
      if (nets.items.size() - first < 2) {
        nets.items.resize(first);
        continue;
      }
      std::sort(nets.items.begin() + static_cast<std::ptrdiff_t>(first) + 1, nets.items.end());
      std::uint64_t hash = 0;
      for (std::size_t at = first; at < nets.items.size(); ++at)
        hash = (hash ^ nets.items[at]) * 0x9E3779B97F4A7C15U, hash ^= hash >> 29;
      nets.end_list();
      weights.push_back(netlist_.weight[net]), hashes.push_back(hash);
    }
    std::vector<std::uint32_t> order(weights.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t one, std::uint32_t other) {
      return hashes[one] != hashes[other] ? hashes[one] < hashes[other] : one < other;
    });
    for (std::size_t at = 0; at < order.size(); ++at) {
      const auto pins = nets[order[at]];
      const bool is_same = at != 0 && hashes[order[at]] == hashes[order[at - 1]] &&
                           std::equal(pins.begin(), pins.end(), nets[order[at - 1]].begin(), nets[order[at - 1]].end());
      if (is_same) {
        const std::uint64_t sum = std::uint64_t{made_.weight.back()} + weights[order[at]];
        made_.weight.back() = static_cast<std::uint32_t>((std::min)(sum, std::uint64_t{UINT32_MAX}));
        continue;
      }
      made_.pins.items.insert(made_.pins.items.end(), pins.begin(), pins.end()), made_.pins.end_list();
      made_.weight.push_back(weights[order[at]]);
    }
    made_.list_nets();
  }

  const Netlist& netlist_;
  ClusterLimits limits_;
  std::vector<Item> cluster_;        // [item]
  std::vector<std::uint64_t> score_; // [leader], between two items 0
  std::vector<Item> leader_{};       // [cluster] the first of it
  std::vector<std::uint32_t> size_{};
  std::vector<std::uint64_t> sdram_{};
  std::vector<Board> board_{};
  std::vector<Item> seen_{};
  Netlist made_{};
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
