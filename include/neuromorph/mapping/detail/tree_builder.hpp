// SPDX-License-Identifier: BSL-1.0
/// \file
/// Grows the tree of one partition after the other on a machine with faults.
///
/// Its memory is one mark for each chip, which a new tree does not have to clear. A tree depends on the set of its sinks, not on
/// their order nor on trees before it.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_TREE_BUILDER_HPP
#define NEUROMORPH_MAPPING_DETAIL_TREE_BUILDER_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/hexagons.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/mapped.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

/// Each link costs the same: ways are shortest.
struct LinksAlike {
  static constexpr std::uint32_t least = 1;
  [[nodiscard]] static constexpr std::uint32_t of(Chip, Link) noexcept { return 1; }
};

class TreeBuilder {
public:
  /// \param radius within so many links a sink looks for the nearest chip of the tree; else it is led to from the source
  TreeBuilder(const Machine& machine, std::uint32_t radius, bool in_order_of_dimensions)
      : machine_(&machine), hexagons_(machine), grid_chips_(machine.grid_chips()), radius_(radius),
        in_order_of_dimensions_(in_order_of_dimensions), sink_at_(machine.chips()), node_at_(machine.chips()) {}

  /// Forgets the tree before.
  void begin() noexcept {
    sinks_.clear();
    next(sinks_stamp_, sink_at_);
  }
  /// \pre a chip of the rectangle
  void add(Chip chip, Route route) {
    if (chip != last_chip_ || sinks_.empty()) {
      Mark& mark = sink_at_[chip];
      if (mark.stamp != sinks_stamp_) {
        mark = {sinks_stamp_, static_cast<std::uint32_t>(sinks_.size())};
        sinks_.push_back({chip, 0});
      }
      last_chip_ = chip, last_ = mark.at;
    }
    sinks_[last_].route |= route;
  }
  /// \return false when a sink cannot be reached: `unreached()`
  [[nodiscard]] bool build(Chip root, std::uint8_t from) {
    nodes_.clear();
    nodes_.push_back({root, 0, from});
    std::size_t left = sinks_.size();
    if (sink_at_[root].stamp == sinks_stamp_) nodes_[0].route = sinks_[sink_at_[root].at].route, --left;
    if (left == 0) return true;
    // Neighbours, which are all of most graphs of cells: what the rest would do with them, too.
    for (unsigned link = 0; link < link_count && left != 0; ++link) {
      const Chip chip = machine_->neighbour(root, Link(link));
      if (chip == no_chip || sink_at_[chip].stamp != sinks_stamp_ || is_node_of_few(chip)) continue;
      nodes_[0].route |= route_to(Link(link));
      nodes_.push_back({chip, sinks_[sink_at_[chip].at].route, came_by(Link(link))});
      --left;
    }
    if (left == 0) return true;
    mark_nodes();
    order_sinks(hexagons_.at(root));
    for (const std::uint64_t one : order_) {
      const Chip chip = static_cast<Chip>(one & 0xFFFFFFFF);
      if (!join(chip)) return unreached_ = chip, false;
    }
    return true;
  }
  /// The same where links cost differently: each sink is joined by the cheapest way from the tree.
  template <class Costs>
  [[nodiscard]] bool build(Chip root, std::uint8_t from, const Costs& costs) {
    nodes_.clear();
    nodes_.push_back({root, 0, from});
    if (sink_at_[root].stamp == sinks_stamp_) nodes_[0].route = sinks_[sink_at_[root].at].route;
    mark_nodes();
    order_sinks(hexagons_.at(root));
    for (const std::uint64_t one : order_) {
      const Chip chip = static_cast<Chip>(one & 0xFFFFFFFF);
      const Route route = sinks_[sink_at_[chip].at].route;
      if (is_node(chip))
        nodes_[node_at_[chip].at].route |= route;
      else if (!search(chip, route, costs))
        return unreached_ = chip, false;
    }
    return true;
  }
  /// A tree without one of its links: what hangs on it is joined again by the cheapest way, from what is left.
  /// \param child  the node to which the link leads; not the first
  template <class Costs>
  [[nodiscard]] bool build_without(std::span<const RouteNode> tree, std::uint32_t child, const Costs& costs) {
    next(nodes_stamp_, node_at_);
    for (std::uint32_t at = 0; at < tree.size(); ++at) node_at_[tree[at].chip] = {nodes_stamp_, at};
    const auto before = [&](std::uint32_t at) {
      return node_at_[machine_->beside(tree[at].chip, Link(tree[at].from))].at;
    };
    // Up to where something else begins, and down to where something else ends: what lies between serves this link alone.
    std::uint32_t top = before(child), above = child;
    parts_.assign(tree.size(), Part::left);
    for (; top != 0 && std::has_single_bit(tree[top].route); top = before(top))
      parts_[top] = Part::dropped, above = top;
    std::uint32_t bottom = child;
    while (std::has_single_bit(tree[bottom].route) && tree[bottom].route < 1U << link_count) {
      const Chip other = machine_->neighbour(tree[bottom].chip, Link(std::countr_zero(tree[bottom].route)));
      if (other >= grid_chips_) break;
      parts_[bottom] = Part::dropped;
      bottom = node_at_[other].at;
    }
    parts_[bottom] = Part::cut_off;
    for (std::uint32_t at = bottom + 1; at < tree.size(); ++at)
      if (parts_[before(at)] == Part::cut_off) parts_[at] = Part::cut_off;

    next(nodes_stamp_, node_at_);
    nodes_.clear(), places_.clear();
    for (std::uint32_t at = 0; at < tree.size(); ++at) {
      if (parts_[at] == Part::left) {
        node_at_[tree[at].chip] = {nodes_stamp_, static_cast<std::uint32_t>(nodes_.size())};
        nodes_.push_back(tree[at]);
        places_.push_back(hexagons_.at(tree[at].chip));
        if (at == top) nodes_.back().route &= ~route_to(opposite(Link(tree[above].from)));
      } else if (parts_[at] == Part::cut_off && at != bottom) {
        node_at_[tree[at].chip] = {nodes_stamp_, in_the_way};
      }
    }
    if (!search(tree[bottom].chip, tree[bottom].route, costs)) return false;
    for (std::uint32_t at = bottom + 1; at < tree.size(); ++at)
      if (parts_[at] == Part::cut_off) nodes_.push_back(tree[at]);
    return true;
  }
  /// Each before those that it leads to.
  [[nodiscard]] std::span<const RouteNode> nodes() const noexcept { return nodes_; }
  [[nodiscard]] Chip unreached() const noexcept { return unreached_; }

private:
  struct Sink {
    Chip chip;
    Route route;
  };
  struct Mark {
    std::uint32_t stamp = 0, at = 0;
  };
  struct Reached {
    std::uint32_t stamp = 0, cost = 0;
    Chip before = no_chip;
    std::uint32_t by = 0; ///< the link of the chip before
  };
  enum class Part : std::uint8_t { left, dropped, cut_off };
  struct Hop {
    Chip chip;
    Link by;
  };

  static constexpr std::uint32_t in_the_way = 0xFFFFFFFF; ///< instead of a node: a chip of what is joined again

  [[nodiscard]] static constexpr std::uint8_t came_by(Link link) noexcept {
    return static_cast<std::uint8_t>(opposite(link));
  }
  template <class Marks>
  static void next(std::uint32_t& stamp, Marks& marks) noexcept {
    if (++stamp != 0) return;
    std::fill(marks.begin(), marks.end(), typename Marks::value_type{});
    stamp = 1;
  }

  // Of a tree of neighbours of its root, whose nodes are not marked.
  [[nodiscard]] bool is_node_of_few(Chip chip) const noexcept {
    for (const RouteNode& node : nodes_)
      if (node.chip == chip) return true;
    return false;
  }
  [[nodiscard]] bool is_node(Chip chip) const noexcept { return node_at_[chip].stamp == nodes_stamp_; }
  void mark_nodes() {
    next(nodes_stamp_, node_at_);
    places_.clear();
    for (std::uint32_t at = 0; at < nodes_.size(); ++at) {
      node_at_[nodes_[at].chip] = {nodes_stamp_, at};
      places_.push_back(hexagons_.at(nodes_[at].chip));
    }
  }
  /// Those that are no nodes, the nearest first.
  void order_sinks(Steps root) {
    order_.clear();
    for (const Sink& sink : sinks_)
      if (!is_node(sink.chip))
        order_.push_back(std::uint64_t{hexagons_.distance(root, hexagons_.at(sink.chip))} << 32 | sink.chip);
    std::sort(order_.begin(), order_.end());
  }

  [[nodiscard]] bool join(Chip chip) {
    const Route route = sinks_[sink_at_[chip].at].route;
    if (is_node(chip)) {
      nodes_[node_at_[chip].at].route |= route;
      return true;
    }
    const Steps to = hexagons_.at(chip);
    const std::uint32_t begin_at = in_order_of_dimensions_ ? 0 : nearest(to);
    Legs legs = legs_of(hexagons_.steps(places_[begin_at], to));
    if (!in_order_of_dimensions_ && legs.count[1] > legs.count[0]) legs = legs.turned();
    return walk(begin_at, chip, route, legs) || (legs.count[1] != 0 && walk(begin_at, chip, route, legs.turned())) ||
           search(chip, route, LinksAlike{});
  }
  /// The first of the nearest nodes within the radius; the root, 0, where there is none.
  [[nodiscard]] std::uint32_t nearest(Steps to) const noexcept {
    const auto count = static_cast<std::uint32_t>(nodes_.size());
    std::uint32_t best = count;
    // Round it where the tree is large; each chip of the tree where it is small.
    std::uint32_t ring = 1;
    for (; ring <= radius_ && std::uint64_t{3} * ring * (ring + 1) < count; ++ring) {
      hexagons_.each_at(ring, to, [&](Chip chip) {
        if (is_node(chip)) best = (std::min)(best, node_at_[chip].at);
      });
      if (best != count) return best;
    }
    if (ring > radius_) return 0;
    std::uint32_t least = radius_ + 1;
    best = 0;
    for (std::uint32_t at = 0; at < count; ++at) {
      const std::uint32_t distance = hexagons_.distance(places_[at], to);
      if (distance < least) least = distance, best = at;
    }
    return best;
  }
  /// Straight on; where the way meets the tree it begins there.
  [[nodiscard]] bool walk(std::uint32_t node, Chip to, Route route, const Legs& legs) {
    hops_.clear();
    Chip chip = nodes_[node].chip;
    for (unsigned leg = 0; leg < 2; ++leg)
      for (std::uint32_t step = 0; step < legs.count[leg]; ++step) {
        chip = machine_->neighbour(chip, legs.link[leg]);
        if (chip >= grid_chips_) return false;
        if (is_node(chip))
          hops_.clear(), node = node_at_[chip].at;
        else
          hops_.push_back({chip, legs.link[leg]});
      }
    if (chip != to) return false; // links that lead elsewhere than those of a plain machine
    append(node, route);
    return true;
  }
  /// The hops become nodes behind one of the tree, the last one with a route.
  void append(std::uint32_t node, Route route) {
    for (const Hop& hop : hops_) {
      nodes_[node].route |= route_to(hop.by);
      node = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({hop.chip, 0, came_by(hop.by)});
      places_.push_back(hexagons_.at(hop.chip));
      node_at_[hop.chip] = {nodes_stamp_, node};
    }
    nodes_[node].route |= route;
  }

  /// A*, from all of the tree, or from what of it is near enough.
  template <class Costs>
  [[nodiscard]] bool search(Chip chip, Route route, const Costs& costs) {
    if (reached_.empty()) reached_.resize(machine_->grid_chips());
    const Steps to = hexagons_.at(chip);
    for (std::uint32_t reach = 4;; reach *= 2) {
      next(search_stamp_, reached_);
      queue_.clear();
      const auto start = [&](Chip one) {
        if (!is_node(one) || node_at_[one].at == in_the_way || reached_[one].stamp == search_stamp_) return;
        reached_[one] = {search_stamp_, 0, no_chip, 0};
        queue_.push_back(queued(0, costs.least * hexagons_.distance(hexagons_.at(one), to), one));
      };
      const bool all = std::uint64_t{12} * reach * (reach + 1) >= nodes_.size();
      if (all)
        for (const RouteNode& node : nodes_) start(node.chip);
      else
        for (std::uint32_t ring = 1; ring <= reach; ++ring) hexagons_.each_at(ring, to, start);
      std::make_heap(queue_.begin(), queue_.end(), std::greater<>{});
      // What is further away cannot be nearer by links: a way that costs no more than this is the best one.
      const std::uint32_t limit = all ? most_cost : reach * costs.least;
      if (explore(chip, to, limit, costs)) return append(back_from(chip), route), true;
      if (all) return false;
    }
  }
  template <class Costs>
  [[nodiscard]] bool explore(Chip goal, Steps to, std::uint32_t limit, const Costs& costs) {
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end(), std::greater<>{});
      const std::uint64_t first = queue_.back();
      queue_.pop_back();
      const auto chip = static_cast<Chip>(first & 0xFFFFFF);
      if (chip == goal) return true;
      const std::uint32_t cost = reached_[chip].cost;
      if (queued(cost, costs.least * hexagons_.distance(hexagons_.at(chip), to), chip) != first)
        continue; // a worse way
      for (unsigned link = 0; link < link_count; ++link) {
        const Chip other = machine_->neighbour(chip, Link(link));
        if (other >= grid_chips_ || is_node(other)) continue;
        const std::uint32_t total = (std::min)(cost + costs.of(chip, Link(link)), most_cost);
        Reached& reached = reached_[other];
        if (reached.stamp == search_stamp_ && reached.cost <= total) continue;
        const std::uint32_t rest = costs.least * hexagons_.distance(hexagons_.at(other), to);
        if (total + rest > limit) continue;
        reached = {search_stamp_, total, chip, link};
        queue_.push_back(queued(total, rest, other));
        std::push_heap(queue_.begin(), queue_.end(), std::greater<>{});
      }
    }
    return false;
  }
  /// Makes the hops of the way that was found; returns the node at which it begins.
  [[nodiscard]] std::uint32_t back_from(Chip chip) {
    hops_.clear();
    for (; reached_[chip].before != no_chip; chip = reached_[chip].before)
      hops_.push_back({chip, Link(reached_[chip].by)});
    std::reverse(hops_.begin(), hops_.end());
    return node_at_[chip].at;
  }
  /// The least comes first: by its cost with the rest of the way, then by the rest, then by its number.
  static constexpr std::uint32_t most_cost = (1U << 24) - 1;
  [[nodiscard]] static constexpr std::uint64_t queued(std::uint32_t cost, std::uint32_t rest, Chip chip) noexcept {
    return std::uint64_t{(std::min)(cost + rest, most_cost)} << 40 | std::uint64_t{(std::min)(rest, 0xFFFFU)} << 24 |
           chip;
  }

  const Machine* machine_;
  Hexagons hexagons_;
  Chip grid_chips_;
  std::uint32_t radius_;
  bool in_order_of_dimensions_;
  std::vector<Sink> sinks_{};
  std::vector<Mark> sink_at_, node_at_; // [chip]
  std::uint32_t sinks_stamp_ = 0, nodes_stamp_ = 0, search_stamp_ = 0, last_ = 0;
  Chip last_chip_ = no_chip, unreached_ = no_chip;
  std::vector<RouteNode> nodes_{};
  std::vector<Steps> places_{};        // of the nodes
  std::vector<std::uint64_t> order_{}; // of sinks: distance and chip
  std::vector<Hop> hops_{};
  std::vector<Part> parts_{};          // [node of a tree that is changed]
  std::vector<Reached> reached_{};     // [chip], from the first search on
  std::vector<std::uint64_t> queue_{}; // a heap
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
