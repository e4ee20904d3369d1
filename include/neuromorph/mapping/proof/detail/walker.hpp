// SPDX-License-Identifier: BSL-1.0
/// \file
/// Follows sets of packets through all routers, and finds where what comes is not what is demanded.
///
/// A set is walked quickly while each chip treats its packets alike and is met once. Where a chip splits it, its parts are walked
/// from the beginning; where anything is odd, a second walk that counts arrivals says what.
// host-only
#ifndef NEUROMORPH_MAPPING_PROOF_DETAIL_WALKER_HPP
#define NEUROMORPH_MAPPING_PROOF_DETAIL_WALKER_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/proof/detail/lookup.hpp>
#include <neuromorph/mapping/proof/problem.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace proof {
namespace detail {

/// What a chip does with packets that come by a link, or from a core, `links`, and meet no entry.
[[nodiscard]] constexpr std::uint32_t default_route(unsigned from) noexcept {
  return from < links ? 1U << opposite(from) : 0;
}

/// What is wrong with keys at a chip.
struct Fault {
  enum class Kind : std::uint8_t { delivery, loop, too_many_parts };
  Kind kind = Kind::delivery;
  bool is_reached = false; ///< whether packets come to the chip
  std::uint32_t chip = none, entry = none;
  Cube keys = {};
  std::uint32_t expected = 0, delivered = 0, twice = 0;
};

class Walker {
public:
  Walker(const Machine& machine, const Tables& tables, const Lookup& lookup, std::size_t most_parts)
      : machine_(&machine), tables_(&tables), lookup_(&lookup), most_parts_(most_parts), scratch_(machine.chips()),
        loads_(std::size_t{machine.chips()} * links) {}

  /// Packets that enter at a chip and are to come once to each sink.
  /// \param weight  packets of a step, in any unit
  void walk(const Cube& cube, std::uint32_t chip, std::uint32_t from, std::span<const Sink> sinks,
            std::uint64_t weight) {
    expect(sinks);
    chip_ = chip, from_ = from < links ? from : links, sinks_ = sinks, faults_.clear();
    const auto whole = static_cast<unsigned>(std::popcount(cube.mask));
    todo_.clear();
    todo_.push_back(cube);
    for (std::size_t count = 0; !todo_.empty(); ++count) {
      const Cube one = todo_.back();
      todo_.pop_back();
      if (count >= most_parts_) return give_up(chip, one);
      Seen seen = walk_quickly(one);
      if (seen == Seen::odd) seen = walk_slowly(one);
      if (seen == Seen::too_many) return give_up(stopped_, one);
      if (seen == Seen::split) {
        for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) todo_.push_back(part->cube);
        continue;
      }
      ++cubes_;
      const unsigned narrower = static_cast<unsigned>(std::popcount(one.mask)) - whole;
      for (const std::size_t hop : hops_) loads_[hop] += weight >> narrower;
      crossings_ += hops_.size();
    }
  }
  /// Of the last walk.
  [[nodiscard]] const std::vector<Fault>& faults() const noexcept { return faults_; }
  /// [chip][link], of all walks.
  [[nodiscard]] const std::vector<std::uint64_t>& loads() const noexcept { return loads_; }
  /// Sets of keys that all chips treat alike, and links that they crossed.
  [[nodiscard]] std::uint64_t cubes() const noexcept { return cubes_; }
  [[nodiscard]] std::uint64_t crossings() const noexcept { return crossings_; }

private:
  enum class Seen { fine, split, odd, too_many };
  struct Scratch {
    std::uint32_t visit = 0, expect = 0, route = 0;
  };
  struct Coming {
    std::uint32_t chip, from;
  };
  struct Step {
    std::uint32_t entry = none, route = 0;
    bool is_by_default = false; ///< so that it depends on where packets come from
  };
  struct Node {
    std::uint32_t chip, entry, here; ///< here: cores, and links without a chip behind them
    std::uint32_t next[links], count;
    std::uint32_t gone = 0;     ///< how many of the next have been gone to
    std::uint32_t arrivals = 0; ///< 2 stands for more, too
    bool is_open = true;
  };

  void give_up(std::uint32_t chip, const Cube& keys) {
    faults_.push_back({Fault::Kind::too_many_parts, true, chip, none, keys});
  }
  void expect(std::span<const Sink> sinks) {
    if (++expected_ == 0) {
      for (Scratch& one : scratch_) one.expect = 0;
      expected_ = 1;
    }
    chips_ = 0;
    for (const Sink& sink : sinks) {
      if (sink.route == 0) continue;
      Scratch& at = scratch_[sink.chip];
      if (at.expect != expected_) ++chips_, at.expect = expected_, at.route = 0;
      at.route |= sink.route;
    }
  }
  [[nodiscard]] std::uint32_t expected_at(std::uint32_t chip) const noexcept {
    return scratch_[chip].expect == expected_ ? scratch_[chip].route : 0;
  }
  [[nodiscard]] std::uint32_t behind(std::uint32_t chip, unsigned link) const noexcept {
    return machine_->neighbours[std::size_t{chip} * links + link];
  }

  /// What a chip does with the packets; parts_ where it does not treat them alike.
  [[nodiscard]] Seen look(const Cube& cube, std::uint32_t chip, std::uint32_t from, Step& step) {
    const std::uint32_t entry = lookup_->find(chip, cube);
    if (entry != Lookup::split) {
      step.entry = entry, step.is_by_default = entry == none;
      step.route = entry == none ? default_route(from) : tables_->entries[tables_->first[chip] + entry].route;
      return Seen::fine;
    }
    stopped_ = chip;
    if (!lookup_->find_parts(chip, cube, most_parts_, parts_)) return Seen::too_many;
    step = {parts_.front().entry, route_of(chip, from, parts_.front()), false};
    for (const Part& part : parts_) {
      if (route_of(chip, from, part) != step.route) return Seen::split;
      if (part.entry == none) step.is_by_default = true;
    }
    return Seen::fine;
  }
  [[nodiscard]] std::uint32_t route_of(std::uint32_t chip, std::uint32_t from, const Part& part) const noexcept {
    return part.entry == none ? default_route(from) : tables_->entries[tables_->first[chip] + part.entry].route;
  }

  [[nodiscard]] Seen walk_quickly(const Cube& cube) {
    if (++visit_ == 0) {
      for (Scratch& one : scratch_) one.visit = 0;
      visit_ = 1;
    }
    bool is_odd = false;
    std::size_t met = 0;
    hops_.clear(), coming_.clear();
    coming_.push_back({chip_, from_});
    while (!coming_.empty()) {
      const Coming packet = coming_.back();
      coming_.pop_back();
      Scratch& at = scratch_[packet.chip];
      if (at.visit == visit_) {
        is_odd = true;
        continue;
      }
      at.visit = visit_;
      Step step;
      if (const Seen seen = look(cube, packet.chip, packet.from, step); seen != Seen::fine) return seen;
      std::uint32_t here = step.route & ~link_bits;
      for (std::uint32_t left = step.route & link_bits; left != 0; left &= left - 1) {
        const auto link = static_cast<unsigned>(std::countr_zero(left));
        const std::uint32_t next = behind(packet.chip, link);
        if (next == none) {
          here |= 1U << link;
          continue;
        }
        coming_.push_back({next, opposite(link)});
        hops_.push_back(std::size_t{packet.chip} * links + link);
      }
      if (here != expected_at(packet.chip))
        is_odd = true;
      else if (here != 0)
        ++met;
    }
    return is_odd || met != chips_ ? Seen::odd : Seen::fine;
  }

  /// The node of a chip, by where packets come from if that matters, made where there is none.
  [[nodiscard]] Seen node_at(const Cube& cube, std::uint32_t chip, std::uint32_t from, std::uint32_t& node) {
    Step step;
    if (const Seen seen = look(cube, chip, from, step); seen != Seen::fine) return seen;
    const std::uint64_t name = std::uint64_t{chip} * 8 + (step.is_by_default ? from : 7);
    const auto [found, is_new] = known_.try_emplace(name, static_cast<std::uint32_t>(nodes_.size()));
    node = found->second;
    if (!is_new) return Seen::fine;
    Node made{chip, step.entry, step.route & ~link_bits, {}, 0};
    for (std::uint32_t left = step.route & link_bits; left != 0; left &= left - 1) {
      const auto link = static_cast<unsigned>(std::countr_zero(left));
      if (behind(chip, link) == none)
        made.here |= 1U << link;
      else
        made.next[made.count++] = link;
    }
    nodes_.push_back(made);
    return Seen::fine;
  }
  /// Depth first, over chips and, where packets go straight on, the links by which they come.
  [[nodiscard]] Seen walk_slowly(const Cube& cube) {
    nodes_.clear(), known_.clear(), ended_.clear(), hops_.clear();
    std::vector<std::uint32_t> path(1);
    if (const Seen seen = node_at(cube, chip_, from_, path[0]); seen != Seen::fine) return seen;
    while (!path.empty()) {
      const std::uint32_t at = path.back();
      if (nodes_[at].gone == nodes_[at].count) {
        nodes_[at].is_open = false;
        ended_.push_back(at);
        path.pop_back();
        continue;
      }
      const std::uint32_t which = nodes_[at].gone++, link = nodes_[at].next[which];
      const std::uint32_t chip = behind(nodes_[at].chip, link);
      hops_.push_back(std::size_t{nodes_[at].chip} * links + link);
      std::uint32_t next = 0;
      const std::size_t count = nodes_.size();
      if (const Seen seen = node_at(cube, chip, opposite(link), next); seen != Seen::fine) return seen;
      nodes_[at].next[which] = next;
      if (nodes_.size() != count) {
        path.push_back(next);
      } else if (nodes_[next].is_open) {
        faults_.push_back({Fault::Kind::loop, true, chip, nodes_[next].entry, cube});
        return Seen::fine;
      }
    }
    // Each node comes after those that lead to it.
    nodes_[ended_.back()].arrivals = 1;
    for (auto at = ended_.rbegin(); at != ended_.rend(); ++at)
      for (std::uint32_t which = 0; which < nodes_[*at].count; ++which) {
        Node& next = nodes_[nodes_[*at].next[which]];
        next.arrivals = (std::min)(2U, next.arrivals + nodes_[*at].arrivals);
      }
    compare(cube);
    return Seen::fine;
  }
  void compare(const Cube& cube) {
    std::vector<Fault> chips;
    for (const Node& node : nodes_)
      chips.push_back(
          {Fault::Kind::delivery, true, node.chip, node.entry, cube, 0, node.here, node.arrivals > 1 ? node.here : 0});
    for (const Sink& sink : sinks_)
      if (sink.route != 0) chips.push_back({Fault::Kind::delivery, false, sink.chip, none, cube, sink.route, 0, 0});
    std::stable_sort(chips.begin(), chips.end(), [](const Fault& a, const Fault& b) { return a.chip < b.chip; });
    for (std::size_t at = 0; at < chips.size();) {
      Fault all = chips[at++];
      for (; at < chips.size() && chips[at].chip == all.chip; ++at) {
        const Fault& one = chips[at];
        if (one.delivered != 0) all.entry = one.entry;
        all.is_reached = all.is_reached || one.is_reached;
        all.twice |= one.twice | (all.delivered & one.delivered);
        all.delivered |= one.delivered, all.expected |= one.expected;
      }
      if (all.delivered != all.expected || all.twice != 0) faults_.push_back(all);
    }
  }

  const Machine* machine_;
  const Tables* tables_;
  const Lookup* lookup_;
  std::size_t most_parts_;
  std::vector<Scratch> scratch_; // [chip]
  std::vector<std::uint64_t> loads_;
  std::uint64_t cubes_ = 0, crossings_ = 0;
  std::uint32_t expected_ = 0, visit_ = 0; // which of the scratch is of this stream, of this walk
  std::size_t chips_ = 0;                  // of its sinks
  // Of the stream.
  std::uint32_t chip_ = 0, from_ = 0;
  std::span<const Sink> sinks_ = {};
  std::vector<Fault> faults_ = {};
  std::vector<Cube> todo_ = {};
  // Of a walk.
  std::vector<Coming> coming_ = {};
  std::vector<std::size_t> hops_ = {};
  std::vector<Part> parts_ = {};
  std::uint32_t stopped_ = 0; // the chip that has them
  std::vector<Node> nodes_ = {};
  std::unordered_map<std::uint64_t, std::uint32_t> known_ = {};
  std::vector<std::uint32_t> ended_ = {};
};

} // namespace detail
} // namespace proof
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
