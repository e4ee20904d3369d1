// SPDX-License-Identifier: BSL-1.0
/// \file
/// Takes branches of trees off the links with the most packets, one after the other, and joins them again by links with fewer.
///
/// The most of any link never rises. Loads are whole numbers of 2^-20 packets, so that all machines decide alike.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_LINK_SPREADER_HPP
#define NEUROMORPH_MAPPING_DETAIL_LINK_SPREADER_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/tree_builder.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/mapped.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

/// Up to half as much again for a link that becomes as full as is aimed at, and steeply more beyond. Searches are quick where
/// links that are far from full cost the same.
struct CostsByLoad {
  const std::vector<std::uint64_t>* loads;
  std::uint64_t more, sixteenth; ///< what the tree adds to a link, and a part of what is aimed at
  std::uint64_t alike;           ///< sixteenths to which links cost the same
  static constexpr std::uint32_t least = 16;
  [[nodiscard]] std::uint32_t of(Chip chip, Link link) const noexcept {
    const std::uint64_t full = ((*loads)[std::size_t{chip} * link_count + unsigned(link)] + more) / sixteenth;
    if (full < alike) return least;
    return static_cast<std::uint32_t>(full <= 16 ? 16 + full / 2
                                                 : (std::min)(24 + (full - 16) * 32, std::uint64_t{1024}));
  }
};

class LinkSpreader {
public:
  /// \param loads  [partition], in 2^-20 packets
  LinkSpreader(const Machine& machine, const Routes& routes, std::vector<std::uint64_t> loads)
      : machine_(&machine), routes_(&routes), packets_(std::move(loads)), builder_(machine, 0, false),
        loads_(std::size_t{machine.chips()} * link_count), moved_(routes.size(), not_moved), kept_(routes.size()) {
    for (std::size_t partition = 0; partition < routes.size(); ++partition) {
      load(routes[partition], packets_[partition], true);
      links_ += routes[partition].size() - 1;
    }
  }

  /// \param most_links  of all trees together
  void run(std::uint32_t rounds, std::uint64_t most_links) {
    unsigned fineness = 3;
    for (; rounds != 0 && fineness <= 9; --rounds, ++rounds_) {
      const std::uint64_t peak = most();
      if (peak < 2) break;
      // An eighth below the peak; less where that could not be had.
      const std::uint64_t aim = peak - (std::max)(peak >> fineness, std::uint64_t{1});
      for (std::size_t partition = 0; partition < routes_->size(); ++partition)
        if (packets_[partition] != 0) move(partition, aim, most_links);
      const std::uint64_t now = most();
      if (now < peak) undo_.clear(), ++rounds_lowered_;
      if (now > aim) fineness += 2;
    }
    take_back();
  }

  /// The most of any link, in 2^-20 packets.
  [[nodiscard]] std::uint64_t most() const noexcept { return *std::max_element(loads_.begin(), loads_.end()); }
  [[nodiscard]] std::uint64_t links() const noexcept { return links_; }
  [[nodiscard]] std::uint32_t rounds() const noexcept { return rounds_; }
  [[nodiscard]] std::uint32_t moved() const noexcept {
    return static_cast<std::uint32_t>(moved_.size()) -
           static_cast<std::uint32_t>(std::count(moved_.begin(), moved_.end(), not_moved));
  }
  [[nodiscard]] Routes routes() const {
    Routes made;
    made.first.reserve(routes_->first.size());
    made.items.reserve(links_ + routes_->size());
    for (std::size_t partition = 0; partition < routes_->size(); ++partition) {
      const auto nodes = tree(partition);
      made.items.insert(made.items.end(), nodes.begin(), nodes.end());
      made.end_list();
    }
    return made;
  }

private:
  static constexpr std::size_t not_moved = SIZE_MAX, most_regrown = 64;
  struct Undo {
    std::size_t partition;
    bool is_first; ///< it was as it was given
    std::vector<RouteNode> nodes;
  };
  struct Full {
    Chip from, to;
    Link by;
  };
  struct Excess {
    std::uint64_t sum = 0, most = 0;
  };

  [[nodiscard]] std::span<const RouteNode> tree(std::size_t partition) const noexcept {
    return moved_[partition] == not_moved ? (*routes_)[partition] : others_[moved_[partition]];
  }
  template <class Call>
  void each_link(std::span<const RouteNode> nodes, Call call) const {
    for (const RouteNode& node : nodes)
      for (Route links = node.route & ((1U << link_count) - 1); links != 0; links &= links - 1)
        call(std::size_t{node.chip} * link_count + static_cast<unsigned>(std::countr_zero(links)));
  }
  void load(std::span<const RouteNode> nodes, std::uint64_t packets, bool on) {
    each_link(nodes, [&](std::size_t link) { loads_[link] += on ? packets : std::uint64_t{0} - packets; });
  }
  [[nodiscard]] Excess excess(std::span<const RouteNode> nodes, std::uint64_t aim) const {
    Excess found;
    each_link(nodes, [&](std::size_t link) {
      found.most = (std::max)(found.most, loads_[link]);
      if (loads_[link] > aim) found.sum += loads_[link] - aim;
    });
    return found;
  }

  /// Each of its links with too much, from the source on; what took its place is looked at again in the next round.
  void move(std::size_t partition, std::uint64_t aim, std::uint64_t most_links) {
    full_.clear();
    for (const RouteNode& node : tree(partition))
      for (Route links = node.route & ((1U << link_count) - 1); links != 0; links &= links - 1) {
        const auto link = static_cast<unsigned>(std::countr_zero(links));
        if (loads_[std::size_t{node.chip} * link_count + link] <= aim) continue;
        const Chip other = machine_->neighbour(node.chip, Link(link));
        if (!machine_->is_virtual(other)) full_.push_back({node.chip, other, Link(link)});
      }
    if (full_.empty()) return;
    if (tree(partition).size() <= most_regrown) return regrow(partition, aim, most_links);
    for (const Full& full : full_)
      if (loads_[std::size_t{full.from} * link_count + unsigned(full.by)] > aim)
        leave(partition, full, aim, most_links);
  }
  void leave(std::size_t partition, const Full& full, std::uint64_t aim, std::uint64_t most_links) {
    const auto before = tree(partition);
    std::uint32_t child = 0; // there is none where the link has been left along with one before
    for (std::uint32_t at = 1; at < before.size(); ++at)
      if (before[at].chip == full.to && before[at].from == unsigned(opposite(full.by))) child = at;
    if (child == 0) return;
    change(partition, aim, most_links, 14,
           [&](const CostsByLoad& costs) { return builder_.build_without(before, child, costs); });
  }
  /// All of a small tree.
  void regrow(std::size_t partition, std::uint64_t aim, std::uint64_t most_links) {
    const auto before = tree(partition);
    builder_.begin();
    for (const RouteNode& node : before) {
      Route delivers = node.route;
      for (Route links = node.route & ((1U << link_count) - 1); links != 0; links &= links - 1) {
        const auto link = static_cast<unsigned>(std::countr_zero(links));
        if (!machine_->is_virtual(machine_->neighbour(node.chip, Link(link)))) delivers &= ~(1U << link);
      }
      if (delivers != 0) builder_.add(node.chip, delivers);
    }
    change(partition, aim, most_links, 0,
           [&](const CostsByLoad& costs) { return builder_.build(before[0].chip, before[0].from, costs); });
  }
  /// What is built is kept where it lowers what is too much, and all trees together do not become too long.
  template <class Build>
  void change(std::size_t partition, std::uint64_t aim, std::uint64_t most_links, std::uint64_t alike, Build build) {
    const auto before = tree(partition);
    const std::uint64_t packets = packets_[partition];
    const Excess excess_before = excess(before, aim);
    load(before, packets, false);
    const bool is_built = build(CostsByLoad{&loads_, packets, aim / 16 + 1, alike});
    const auto nodes = builder_.nodes();
    const std::uint64_t links = links_ - before.size() + nodes.size();
    if (is_built && links <= (std::max)(most_links, links_)) {
      load(nodes, packets, true);
      const Excess now = excess(nodes, aim);
      if (now.sum < excess_before.sum && now.most <= excess_before.most) {
        links_ = links;
        keep(partition);
        if (moved_[partition] == not_moved) moved_[partition] = others_.size(), others_.emplace_back();
        others_[moved_[partition]].assign(nodes.begin(), nodes.end());
        return;
      }
      load(nodes, packets, false);
    }
    load(before, packets, true);
  }

  /// For the case that nothing comes of it.
  void keep(std::size_t partition) {
    if (kept_[partition] == rounds_lowered_) return;
    kept_[partition] = rounds_lowered_;
    const auto nodes = tree(partition);
    const bool is_first = moved_[partition] == not_moved;
    undo_.push_back({partition, is_first,
                     is_first ? std::vector<RouteNode>{} : std::vector<RouteNode>(nodes.begin(), nodes.end())});
  }
  /// Back to what lowered the most.
  void take_back() {
    for (Undo& one : undo_) {
      load(tree(one.partition), packets_[one.partition], false);
      links_ -= tree(one.partition).size();
      if (one.is_first)
        moved_[one.partition] = not_moved;
      else
        others_[moved_[one.partition]] = std::move(one.nodes);
      load(tree(one.partition), packets_[one.partition], true);
      links_ += tree(one.partition).size();
    }
    undo_.clear();
  }

  const Machine* machine_;
  const Routes* routes_;
  std::vector<std::uint64_t> packets_; // [partition]
  TreeBuilder builder_;
  std::vector<std::uint64_t> loads_; // [chip][link]
  std::vector<std::size_t> moved_;   // [partition]: which of the others
  std::vector<std::vector<RouteNode>> others_{};
  std::vector<Full> full_{};
  std::vector<Undo> undo_{};        // since the most was lowered
  std::vector<std::uint32_t> kept_; // [partition]: in which of these times
  std::uint32_t rounds_lowered_ = 1;
  std::uint64_t links_ = 0;
  std::uint32_t rounds_ = 0;
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
