// SPDX-License-Identifier: BSL-1.0
/// \file
/// IP tags and reverse tags: which Ethernet chip sends a vertex's messages out of the machine, or hands it those that come in.
///
///     auto tags = mapping::assign_tags(graph, machine, placements, constraints);
///     for (const auto& use : tags.value().ip_of(vertex)) send_with(tags.value().ip[use.tag].number);
///
/// Vertices ask by their resources, and say more of it in Constraints::ip_tags and reverse_tags. IP tags with the same host,
/// port and header are one where they are on one board; a tag of which nothing is said is shared with nobody. A vertex has its
/// tags on its own board, or on the nearest one with room. All find a place where all different ones together do, unless
/// boards, numbers or ports that are asked for are in the way.
// host-only
#ifndef NEUROMORPH_MAPPING_TAGS_HPP
#define NEUROMORPH_MAPPING_TAGS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/constraints.hpp>
#include <neuromorph/mapping/detail/hexagons.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/mapping/mapped.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

/// As it is loaded into an Ethernet chip.
struct LoadedIpTag {
  Chip ethernet = no_chip;
  std::uint8_t number = 0;
  std::string host = {}; ///< empty where nobody said one, with port 0
  std::uint16_t port = 0;
  bool strips_header = true;
};
struct LoadedReverseTag {
  Chip ethernet = no_chip;
  std::uint8_t number = 0;
  std::uint16_t port = 0; ///< of the board
  Vertex vertex = 0;
  Chip chip = no_chip; ///< of the vertex
  std::uint8_t core = 0, sdp_port = 1;
};
/// That a vertex has a tag.
struct TagUse {
  static constexpr std::uint32_t unasked = 0xFFFFFFFF;
  Vertex vertex = 0;
  std::uint32_t tag = 0;           ///< position in Tags::ip or Tags::reverse
  std::uint32_t request = unasked; ///< position in the constraints; unasked where only its resources count it
};
struct Tags {
  std::vector<LoadedIpTag> ip = {}; ///< by boards, then by numbers; so are the others
  std::vector<LoadedReverseTag> reverse = {};
  std::vector<TagUse> ip_uses = {}, reverse_uses = {}; ///< by vertices

  [[nodiscard]] std::span<const TagUse> ip_of(Vertex vertex) const noexcept { return of(ip_uses, vertex); }
  [[nodiscard]] std::span<const TagUse> reverse_of(Vertex vertex) const noexcept { return of(reverse_uses, vertex); }

private:
  [[nodiscard]] static std::span<const TagUse> of(const std::vector<TagUse>& uses, Vertex vertex) noexcept {
    const auto is_before = [](const TagUse& use, Vertex wanted) { return use.vertex < wanted; };
    const auto first = std::lower_bound(uses.begin(), uses.end(), vertex, is_before);
    auto last = first;
    while (last != uses.end() && last->vertex == vertex) ++last;
    return {first, last};
  }
};

struct TagOptions {
  std::uint16_t first_port = 12288; ///< of those that reverse tags get which asked for none
  std::uint32_t reserved = 0;       ///< the last so many numbers of each board are somebody else's
};

namespace detail {

class TagAssigner {
public:
  TagAssigner(const MachineGraph& graph, const Machine& machine, const Placements& placements,
              const Constraints& constraints, const TagOptions& options)
      : graph_(graph), machine_(machine), placements_(placements), constraints_(constraints), options_(options),
        places_(machine), numbers_(machine.kind().tags - (std::min)(machine.kind().tags, options.reserved)) {}

  [[nodiscard]] Answer<Tags> assigned() {
    if (placements_.chip.size() != graph_.vertices() || placements_.core.size() != graph_.vertices())
      return Refusal{{Error::lengths_differ, 0, placements_.chip.size(), "placements"},
                     "tags",
                     std::to_string(placements_.chip.size()) + " vertices are placed, and the graph has " +
                         std::to_string(graph_.vertices())};
    if (Refusal refusal = collect(); !refusal) return refusal;
    if (demands_.empty()) return Tags{};
    on_boards_.resize(machine_.boards());
    group();
    for (const auto step : {&TagAssigner::place_fixed, &TagAssigner::place_free})
      if (Refusal refusal = (this->*step)(); !refusal) return refusal;
    return loaded();
  }

private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  struct Demand {
    Vertex vertex = 0;
    bool is_reverse = false;
    std::uint32_t request = TagUse::unasked;
    Board own = no_board;    ///< of the vertex
    Board wanted = no_board; ///< the only one that will do
    std::uint8_t number = IpTag::any;
    std::uint16_t port = 0;      ///< of a reverse tag
    std::uint32_t group = 0;     ///< of those that can share
    std::uint32_t placed = none; ///< position in placed_
  };
  struct Placed {
    Board board = no_board;
    std::uint8_t number = IpTag::any; ///< any until the end
    std::uint32_t demand = 0;         ///< the first that it is for
  };
  struct OnBoard {
    std::vector<std::uint32_t> placed = {};
    std::vector<std::uint16_t> ports = {};
  };

  [[nodiscard]] Refusal refused(const Demand& demand, std::string why, Error error = Error::unmappable) const {
    std::string tag = demand.is_reverse ? "reverse tag" : "IP tag";
    if (demand.is_reverse && demand.port != 0) tag += " of port " + std::to_string(demand.port);
    if (!demand.is_reverse && demand.request != TagUse::unasked) {
      const IpTag& asked = constraints_.ip_tags[demand.request];
      tag += " to " + asked.host + ", port " + std::to_string(asked.port);
    }
    return {{error, demand.vertex, demand.is_reverse, demand.is_reverse ? "reverse_tags" : "ip_tags"},
            graph_.name(demand.vertex) + ": " + tag,
            std::move(why)};
  }
  [[nodiscard]] std::string board_name(Board board) const {
    const Chip ethernet = machine_.ethernet(board);
    return "board " + std::to_string(machine_.x(ethernet)) + ", " + std::to_string(machine_.y(ethernet));
  }

  /// All that is asked for, in the order of requests, then that of vertices.
  [[nodiscard]] Refusal collect() {
    std::vector<std::uint32_t> asked(graph_.vertices(), 0);
    const auto take = [&](const auto& requests, bool is_reverse, auto counted_in) -> Refusal {
      std::fill(asked.begin(), asked.end(), 0);
      for (std::uint32_t at = 0; at < requests.size(); ++at) {
        const auto& one = requests[at];
        Demand demand{.vertex = one.vertex, .is_reverse = is_reverse, .request = at, .number = one.tag};
        if (one.vertex >= graph_.vertices())
          return {{Error::index_out_of_range, at, one.vertex, is_reverse ? "reverse_tags" : "ip_tags"},
                  "tags",
                  "vertex " + std::to_string(one.vertex) + " asks for one, and the graph has " +
                      std::to_string(graph_.vertices())};
        if constexpr (requires { one.sdp_port; }) demand.port = one.port;
        if (++asked[one.vertex] > graph_.resources(one.vertex).*counted_in)
          return refused(demand,
                         "this is number " + std::to_string(asked[one.vertex]) + ", and its resources count " +
                             std::to_string(graph_.resources(one.vertex).*counted_in),
                         Error::parameters_contradict);
        if (one.tag != IpTag::any && one.tag >= numbers_)
          return refused(demand,
                         "there is no number " + std::to_string(one.tag) + ": a board has " + std::to_string(numbers_),
                         Error::index_out_of_range);
        if (one.ethernet != no_chip) {
          demand.wanted = one.ethernet < machine_.grid_chips() ? machine_.board_of(one.ethernet) : no_board;
          if (demand.wanted == no_board || machine_.ethernet(demand.wanted) != one.ethernet)
            return refused(demand, machine_.name(one.ethernet) + " has no Ethernet", Error::index_out_of_range);
        }
        demands_.push_back(demand);
      }
      for (Vertex vertex = 0; vertex < graph_.vertices(); ++vertex)
        for (std::uint32_t more = graph_.resources(vertex).*counted_in; more > asked[vertex]; --more)
          demands_.push_back({.vertex = vertex, .is_reverse = is_reverse});
      return {};
    };
    if (Refusal refusal = take(constraints_.ip_tags, false, &Resources::ip_tags); !refusal) return refusal;
    if (Refusal refusal = take(constraints_.reverse_tags, true, &Resources::reverse_tags); !refusal) return refusal;
    for (Demand& demand : demands_) {
      const Chip chip = placements_.chip[demand.vertex];
      if (!machine_.has(chip)) return refused(demand, "its vertex is on " + machine_.name(chip) + ", which is missing");
      if (machine_.is_virtual(chip))
        return refused(demand, "its vertex is a device, which sends and gets no datagrams");
      if (machine_.boards() == 0) return refused(demand, "the machine has no chip with Ethernet");
      if (numbers_ == 0) return refused(demand, "the machine's Ethernet chips have no tags");
      demand.own = machine_.board_of(chip);
    }
    return {};
  }

  /// Those that can share have one group.
  void group() {
    std::vector<std::uint32_t> order(constraints_.ip_tags.size());
    for (std::uint32_t at = 0; at < order.size(); ++at) order[at] = at; // demands of requests come first
    const auto key = [&](std::uint32_t at) {
      const IpTag& asked = constraints_.ip_tags[at];
      return std::tie(asked.host, asked.port, asked.strips_header);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    for (Demand& demand : demands_) demand.group = groups_++;
    for (std::size_t at = 1; at < order.size(); ++at)
      if (!constraints_.ip_tags[order[at]].host.empty() && key(order[at - 1]) == key(order[at]))
        demands_[order[at]].group = demands_[order[at - 1]].group;
  }

  [[nodiscard]] bool works(Board board) const noexcept {
    return board != no_board && machine_.has(machine_.ethernet(board));
  }
  [[nodiscard]] bool has_room(Board board) const noexcept {
    return works(board) && on_boards_[board].placed.size() < numbers_;
  }
  [[nodiscard]] std::uint32_t placed_at(Board board, std::uint8_t number) const noexcept {
    for (const std::uint32_t at : on_boards_[board].placed)
      if (placed_[at].number == number) return at;
    return none;
  }
  [[nodiscard]] bool is_port_free(Board board, std::uint16_t port) const noexcept {
    const auto& ports = on_boards_[board].ports;
    return port == 0 || std::find(ports.begin(), ports.end(), port) == ports.end();
  }
  [[nodiscard]] bool can_be(const Demand& demand, Board board) const noexcept {
    return has_room(board) && is_port_free(board, demand.port) &&
           (demand.number == IpTag::any || placed_at(board, demand.number) == none);
  }
  /// The one of its group on a board that it can share, or none.
  [[nodiscard]] std::uint32_t shared(const Demand& demand, Board board) const noexcept {
    if (board == no_board) return none;
    const auto found = of_group_.find(std::uint64_t{demand.group} << 32 | board);
    if (found == of_group_.end()) return none;
    if (demand.number == IpTag::any) return found->second.front();
    for (const std::uint32_t at : found->second)
      if (placed_[at].number == demand.number) return at;
    return none;
  }
  void place(std::uint32_t demand, Board board) {
    Demand& one = demands_[demand];
    one.placed = static_cast<std::uint32_t>(placed_.size());
    placed_.push_back({board, one.number, demand});
    on_boards_[board].placed.push_back(one.placed);
    if (one.port != 0) on_boards_[board].ports.push_back(one.port);
    of_group_[std::uint64_t{one.group} << 32 | board].push_back(one.placed);
  }
  /// The nearest board of which something is true, or no_board.
  template <class Will>
  [[nodiscard]] Board nearest(const Demand& demand, Will will) const {
    const Steps from = places_.at(placements_.chip[demand.vertex]);
    Board best = no_board;
    std::uint32_t least = none;
    for (Board board = 0; board < machine_.boards(); ++board) {
      if (!will(board)) continue;
      const std::uint32_t distance = places_.distance(from, places_.at(machine_.ethernet(board)));
      if (distance < least) least = distance, best = board;
    }
    return best;
  }
  [[nodiscard]] Refusal nowhere(const Demand& demand) const {
    std::uint32_t working = 0, full = 0;
    for (Board board = 0; board < machine_.boards(); ++board)
      working += works(board), full += works(board) && !has_room(board);
    std::string why = "of " + std::to_string(working) + " boards with Ethernet, " + std::to_string(full) +
                      " have all " + std::to_string(numbers_) + " tags in use";
    if (full < working)
      why += demand.number != IpTag::any ? ", and the others their number " + std::to_string(demand.number)
                                         : ", and the others have this port in use";
    return refused(demand, std::move(why));
  }

  /// Those of which a board or a number is given, the most exact ones first.
  [[nodiscard]] Refusal place_fixed() {
    for (const unsigned turn : {0U, 1U, 2U})
      for (std::uint32_t at = 0; at < demands_.size(); ++at) {
        Demand& demand = demands_[at];
        const bool has_board = demand.wanted != no_board, has_number = demand.number != IpTag::any;
        if (turn != (has_board && has_number ? 0U : has_board ? 1U : has_number ? 2U : 3U)) continue;
        const Board board =
            has_board                            ? demand.wanted
            : shared(demand, demand.own) != none ? demand.own
            : demand.own != no_board && can_be(demand, demand.own)
                ? demand.own
                : nearest(demand, [&](Board other) { return shared(demand, other) != none || can_be(demand, other); });
        if (board == no_board) return nowhere(demand);
        demand.placed = shared(demand, board);
        if (demand.placed != none) continue;
        if (!works(board)) return refused(demand, board_name(board) + " has lost its Ethernet chip");
        if (has_number && placed_at(board, demand.number) != none)
          return refused(demand, "number " + std::to_string(demand.number) + " of " + board_name(board) +
                                     " belongs to " +
                                     graph_.name(demands_[placed_[placed_at(board, demand.number)].demand].vertex));
        if (!has_room(board))
          return refused(demand, "all " + std::to_string(numbers_) + " tags of " + board_name(board) + " are in use");
        if (!is_port_free(board, demand.port))
          return refused(demand, "this port of " + board_name(board) + " is in use");
        place(at, board);
      }
    return {};
  }

  /// All others: at first one for each group, so that none is left without, then more of them on their own boards.
  [[nodiscard]] Refusal place_free() {
    std::vector<std::uint32_t> members(groups_, 0);
    std::vector<std::uint8_t> has_one(groups_, 0);
    for (const Demand& demand : demands_) {
      ++members[demand.group];
      if (demand.placed != none) has_one[demand.group] = 1;
    }
    for (const bool is_alone : {true, false}) // a group of many has many boards that would do
      for (std::uint32_t at = 0; at < demands_.size(); ++at) {
        const Demand& demand = demands_[at];
        if (has_one[demand.group] != 0 || (members[demand.group] == 1) != is_alone) continue;
        if (demand.own == no_board || !can_be(demand, demand.own)) continue;
        place(at, demand.own);
        has_one[demand.group] = 1;
      }
    for (std::uint32_t at = 0; at < demands_.size(); ++at) {
      const Demand& demand = demands_[at];
      if (has_one[demand.group] != 0) continue;
      const Board board = nearest(demand, [&](Board other) { return can_be(demand, other); });
      if (board == no_board) return nowhere(demand);
      place(at, board);
      has_one[demand.group] = 1;
    }
    for (std::uint32_t at = 0; at < demands_.size(); ++at) {
      Demand& demand = demands_[at];
      if (demand.placed != none) continue;
      demand.placed = shared(demand, demand.own);
      if (demand.placed == none && demand.own != no_board && can_be(demand, demand.own)) place(at, demand.own);
    }
    for (Demand& demand : demands_)
      if (demand.placed == none)
        demand.placed = shared(demand, nearest(demand, [&](Board other) { return shared(demand, other) != none; }));
    return {};
  }

  /// Numbers and ports for those that have none, and all of it in order.
  [[nodiscard]] Answer<Tags> loaded() {
    Tags tags;
    std::vector<std::uint32_t> position(placed_.size());
    for (Board board = 0; board < machine_.boards(); ++board) {
      OnBoard& on_board = on_boards_[board];
      std::uint8_t number = 0;
      for (const std::uint32_t at : on_board.placed) {
        if (placed_[at].number != IpTag::any) continue;
        while (placed_at(board, number) != none) ++number;
        placed_[at].number = number;
      }
      std::sort(on_board.placed.begin(), on_board.placed.end(),
                [&](std::uint32_t a, std::uint32_t b) { return placed_[a].number < placed_[b].number; });
      for (const std::uint32_t at : on_board.placed) {
        const Demand& demand = demands_[placed_[at].demand];
        const Chip ethernet = machine_.ethernet(board);
        if (!demand.is_reverse) {
          position[at] = static_cast<std::uint32_t>(tags.ip.size());
          LoadedIpTag made{.ethernet = ethernet, .number = placed_[at].number};
          if (demand.request != TagUse::unasked) {
            const IpTag& asked = constraints_.ip_tags[demand.request];
            made.host = asked.host, made.port = asked.port, made.strips_header = asked.strips_header;
          }
          tags.ip.push_back(std::move(made));
          continue;
        }
        position[at] = static_cast<std::uint32_t>(tags.reverse.size());
        LoadedReverseTag made{.ethernet = ethernet,
                              .number = placed_[at].number,
                              .port = demand.port,
                              .vertex = demand.vertex,
                              .chip = placements_.chip[demand.vertex],
                              .core = placements_.core[demand.vertex]};
        if (demand.request != TagUse::unasked) made.sdp_port = constraints_.reverse_tags[demand.request].sdp_port;
        for (std::uint32_t port = options_.first_port; made.port == 0; ++port) {
          if (port > 0xFFFF)
            return refused(demand, "no port from " + std::to_string(options_.first_port) + " on is free");
          if (port != 0 && is_port_free(board, static_cast<std::uint16_t>(port)))
            made.port = static_cast<std::uint16_t>(port);
        }
        on_board.ports.push_back(made.port);
        tags.reverse.push_back(made);
      }
    }
    for (const Demand& demand : demands_)
      (demand.is_reverse ? tags.reverse_uses : tags.ip_uses)
          .push_back({demand.vertex, position[demand.placed], demand.request});
    for (auto* uses : {&tags.ip_uses, &tags.reverse_uses})
      std::stable_sort(uses->begin(), uses->end(),
                       [](const TagUse& a, const TagUse& b) { return a.vertex < b.vertex; });
    return tags;
  }

  const MachineGraph& graph_;
  const Machine& machine_;
  const Placements& placements_;
  const Constraints& constraints_;
  TagOptions options_;
  Hexagons places_;
  std::uint32_t numbers_;
  std::uint32_t groups_ = 0;
  std::vector<Demand> demands_ = {};
  std::vector<Placed> placed_ = {};
  std::vector<OnBoard> on_boards_ = {};
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> of_group_ = {}; ///< [group and board], in placed_
};

} // namespace detail

/// Gives all vertices the tags that they ask for.
/// \errors lengths_differ; index_out_of_range: a vertex, number or chip with Ethernet that is not there; parameters_contradict:
///         more are described than a vertex's resources count; unmappable: no board has room, or a number or port is taken
[[nodiscard]] inline Answer<Tags> assign_tags(const MachineGraph& graph, const Machine& machine,
                                              const Placements& placements, const Constraints& constraints = {},
                                              const TagOptions& options = {}) {
  return detail::TagAssigner(graph, machine, placements, constraints, options).assigned();
}

/// How many different tags a graph has, which a machine has at least.
/// \pre constraints name vertices of the graph
[[nodiscard]] inline std::uint64_t different_tags(const MachineGraph& graph, const Constraints& constraints = {}) {
  std::uint64_t count = 0;
  for (Vertex vertex = 0; vertex < graph.vertices(); ++vertex)
    count += std::uint64_t{graph.resources(vertex).ip_tags} + graph.resources(vertex).reverse_tags;
  std::vector<std::tuple<std::string, std::uint16_t, bool>> shared;
  for (const IpTag& one : constraints.ip_tags)
    if (!one.host.empty()) shared.emplace_back(one.host, one.port, one.strips_header);
  std::sort(shared.begin(), shared.end());
  for (std::size_t at = 1; at < shared.size() && count != 0; ++at) count -= shared[at - 1] == shared[at];
  return count;
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
