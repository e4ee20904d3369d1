// SPDX-License-Identifier: BSL-1.0
/// \file
/// Gives each vertex of a graph a chip and a core.
///
///     const auto placed = mapping::place(graph, machine, constraints, {.placer = mapping::Placer::multilevel});
///     if (!placed) return std::puts(placed.sentence().c_str()), 1;
///     std::printf("%.0f\n", mapping::placement_cost(graph, machine, placed.value()));
///
/// The same arguments give the same placements, on any machine and with any compiler, unless a time limit ends them.
// host-only
#ifndef NEUROMORPH_MAPPING_PLACEMENT_HPP
#define NEUROMORPH_MAPPING_PLACEMENT_HPP

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/constraints.hpp>
#include <neuromorph/mapping/detail/annealer.hpp>
#include <neuromorph/mapping/detail/by_position.hpp>
#include <neuromorph/mapping/detail/chip_clusters.hpp>
#include <neuromorph/mapping/detail/curves.hpp>
#include <neuromorph/mapping/detail/draw.hpp>
#include <neuromorph/mapping/detail/half_perimeter.hpp>
#include <neuromorph/mapping/detail/hexagons.hpp>
#include <neuromorph/mapping/detail/item_orders.hpp>
#include <neuromorph/mapping/detail/landmarks.hpp>
#include <neuromorph/mapping/detail/net_levels.hpp>
#include <neuromorph/mapping/detail/netlist.hpp>
#include <neuromorph/mapping/detail/placing.hpp>
#include <neuromorph/mapping/detail/polish.hpp>
#include <neuromorph/mapping/detail/spreading.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/mapping/mapped.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

enum class Placer : std::uint8_t {
  hilbert,               ///< vertices as they were added, along Hilbert's curve
  breadth_first,         ///< vertices breadth first, along Hilbert's curve
  reverse_cuthill_mckee, ///< vertices by Cuthill and McKee, backwards, along Hilbert's curve
  radial,                ///< vertices breadth first, chips by their distance from one
  by_position,           ///< where positions say, in tiles
  annealing,             ///< from disorder, by swaps that are ever less random
  multilevel,            ///< clusters first, then level by level what they are made of; for graphs of any size
};
[[nodiscard]] constexpr const char* name(Placer placer) noexcept {
  constexpr const char* names[] = {"hilbert",   "breadth_first", "reverse_cuthill_mckee", "radial", "by_position",
                                   "annealing", "multilevel"};
  return names[unsigned(placer)];
}

/// Of a vertex, in any unit.
struct Position {
  double x = 0.0, y = 0.0;
};

struct PlacementOptions {
  Placer placer = Placer::multilevel;
  std::uint64_t seed = 1; ///< of what is drawn
  std::uint32_t effort =
      100; ///< of annealing and multilevel: of moves, in percent of the usual; fewer where nets have thousands of pins
  double seconds = 0.0;                     ///< of these two, after which they take what they have; 0: no limit
  Chip centre = no_chip;                    ///< of Placer::radial; no_chip: the one in the middle
  std::span<const Position> positions = {}; ///< [vertex] of Placer::by_position
  std::function<void()> progress = {};      ///< called now and then by annealing and multilevel, while they work
};

/// The sum over all partitions of packets in a step, times the links that these take at least: half the perimeter of the
/// hexagon round the chips of source and targets, with wraps. It is the length of the shortest way where these are two, and
/// a lower bound for any tree where they are more. A device counts where its link is.
/// \pre  placements are of this graph and machine
/// \cost O(edges), times log of the targets of a partition where the machine wraps
[[nodiscard]] inline double placement_cost(const MachineGraph& graph, const Machine& machine,
                                           const Placements& placements) {
  detail::HalfPerimeter half_perimeter(machine.width(), machine.height(), machine.wraps());
  const detail::Hexagons hexagons(machine);
  std::vector<detail::Steps> places;
  const auto at = [&](Vertex vertex) {
    const Chip chip = placements.chip[vertex];
    return hexagons.at(machine.is_virtual(chip) ? machine.device(chip).chip : chip);
  };
  double sum = 0.0;
  for (Partition partition = 0; partition < graph.partitions(); ++partition) {
    places.assign(1, at(graph.source(partition)));
    for (const Vertex target : graph.targets(partition)) places.push_back(at(target));
    sum += graph.options(partition).packets_per_step * half_perimeter(places);
  }
  return sum;
}

namespace detail {

/// Positions of items in 2^16 parts of the longer side.
struct ItemPositions {
  std::vector<std::uint32_t> x, y;
};
[[nodiscard]] inline ItemPositions positions_of(const Placing& placing, std::span<const Position> of_vertices) {
  double least[2] = {HUGE_VAL, HUGE_VAL}, most[2] = {-HUGE_VAL, -HUGE_VAL};
  for (const Position& one : of_vertices) {
    least[0] = (std::min)(least[0], one.x), most[0] = (std::max)(most[0], one.x);
    least[1] = (std::min)(least[1], one.y), most[1] = (std::max)(most[1], one.y);
  }
  const double side = (std::max)(most[0] - least[0], most[1] - least[1]);
  const double scale = side > 0.0 ? 65535.0 / side : 0.0;
  ItemPositions made{std::vector<std::uint32_t>(placing.items()), std::vector<std::uint32_t>(placing.items())};
  for (Vertex vertex = static_cast<Vertex>(of_vertices.size()); vertex-- > 0;) { // the first of a group counts
    made.x[placing.item(vertex)] = static_cast<std::uint32_t>((of_vertices[vertex].x - least[0]) * scale);
    made.y[placing.item(vertex)] = static_cast<std::uint32_t>((of_vertices[vertex].y - least[1]) * scale);
  }
  return made;
}

[[nodiscard]] inline Refusal check_options(const MachineGraph& graph, const Machine& machine,
                                           const PlacementOptions& options) {
  if (options.placer == Placer::by_position) {
    if (options.positions.size() != graph.vertices())
      return {{Error::lengths_differ, 0, options.positions.size(), "positions"},
              "placement",
              "there are " + std::to_string(options.positions.size()) + " positions, and the graph has " +
                  std::to_string(graph.vertices()) + " vertices"};
    for (Vertex vertex = 0; vertex < graph.vertices(); ++vertex)
      for (const double one : {options.positions[vertex].x, options.positions[vertex].y})
        if (!((std::abs)(one) <= 1e150))
          return {{Error::parameter_out_of_range, vertex, one, "positions"},
                  graph.name(vertex),
                  "its position is no number, or beyond 1e150"};
  }
  if (options.centre != no_chip && options.centre >= machine.grid_chips())
    return {{Error::index_out_of_range, 0, options.centre, "centre"},
            "placement",
            machine.name(options.centre) + " cannot be the centre: it is not of the machine's rectangle"};
  return {};
}

/// Moves at each temperature: n^(4/3), by whole numbers.
[[nodiscard]] inline std::uint64_t moves_of(std::size_t items, std::uint64_t percent) noexcept {
  std::uint64_t root = 1;
  while ((root + 1) * (root + 1) * (root + 1) <= items) ++root;
  return (std::max)(std::uint64_t{1}, items * root * percent / 100);
}
/// Of the usual effort, in percent, what takes no longer on nets with many pins than on those of hundreds. Where each hears all, no place is
/// better than another, and a move looks at a million pins.
[[nodiscard]] inline std::uint64_t bounded(std::uint64_t percent, const Netlist& netlist) noexcept {
  constexpr std::uint64_t most = 16384; // pins that a move looks at
  std::uint64_t looks = 0;
  for (std::uint32_t net = 0; net < netlist.pins.size(); ++net) {
    const std::uint64_t pins = netlist.pins[net].size();
    looks += pins * pins;
  }
  looks /= (std::max)(Item{1}, netlist.items());
  return looks <= most ? percent : (std::max)(std::uint64_t{1}, percent * most / looks);
}
/// Whether it is later than the options' seconds from now on; without a clock where there is no limit. Tells of progress when asked.
class TimeLimit {
public:
  explicit TimeLimit(const PlacementOptions& options)
      : progress_(options.progress), is_limited_(options.seconds > 0.0),
        end_(std::chrono::steady_clock::now() +
             std::chrono::microseconds(static_cast<std::int64_t>((std::min)(options.seconds, 1e9) * 1e6))) {}
  [[nodiscard]] bool is_over() const {
    if (progress_) progress_();
    return is_limited_ && std::chrono::steady_clock::now() >= end_;
  }

private:
  const std::function<void()>& progress_;
  bool is_limited_;
  std::chrono::steady_clock::time_point end_;
};

/// Moves all that is not fixed to where it is in `places`, or as near as it fits.
inline void put_at(Placing& placing, std::span<const Steps> places) {
  for (Item item = 0; item < placing.items(); ++item)
    if (!placing.is_fixed(item) && placing.chip(item) != no_chip) placing.take(item);
  for (Item item = 0; item < placing.items(); ++item)
    if (!placing.is_fixed(item))
      placing.put(item, placing.machine().chip_at(static_cast<std::uint32_t>(places[item].x),
                                                  static_cast<std::uint32_t>(places[item].y)));
}
/// Of those that have a chip; of others 0, 0.
[[nodiscard]] inline std::vector<Steps> places_of(const Placing& placing) {
  const Machine& machine = placing.machine();
  const Hexagons hexagons(machine);
  std::vector<Steps> places(placing.items());
  for (Item item = 0; item < placing.items(); ++item) {
    const Chip chip = placing.chip(item);
    if (chip == no_chip) continue;
    places[item] = hexagons.at(machine.is_virtual(chip) ? machine.device(chip).chip : chip);
  }
  return places;
}

/// \pre only those that are fixed have a chip
[[nodiscard]] inline Refusal anneal(Placing& placing, const PlacementOptions& options, std::vector<Item> order,
                                    std::vector<Chip> chips) {
  const TimeLimit limit(options);
  const Netlist netlist = netlist_of(placing);
  const Fields fields = fields_of(placing);
  Draw draw(options.seed);
  draw.shuffle(chips), draw.shuffle(order);
  if (Refusal refusal = placing.fill_all(std::move(order), chips); !refusal) return refusal;
  Annealer annealer(netlist, fields, places_of(placing), options.seed);
  annealer.anneal(moves_of(annealer.movable(), bounded(options.effort, netlist)), [&] { return limit.is_over(); });
  put_at(placing, annealer.places());
  return {};
}

/// Anneals clusters of a chip at most from disorder, then refines what these are made of, and so on to the items.
/// \param places  [item] of those that are fixed; then of all
/// \return        whether all of them fit
[[nodiscard]] inline bool anneal_in_levels(const Netlist& netlist, const Fields& fields, std::vector<Steps>& places,
                                           std::uint64_t seed, std::uint64_t effort, const TimeLimit& limit) {
  constexpr Item fewest = 64; // as many can be annealed at once
  ClusterLimits limits{.sdram = 0};
  for (const std::uint32_t room : fields.room) limits.size = (std::max)(limits.size, room);
  for (const std::uint64_t bytes : fields.sdram) limits.sdram = (std::max)(limits.sdram, bytes);
  Draw draw(seed);
  std::vector<Netlist> levels;
  std::vector<std::vector<Item>> clusters;
  const auto level = [&](std::size_t at) -> const Netlist& { return at == 0 ? netlist : levels[at - 1]; };
  while (level(levels.size()).items() > fewest) {
    NetCoarser made(level(levels.size()), limits, draw);
    if (std::uint64_t{made.netlist().items()} * 10 > std::uint64_t{level(levels.size()).items()} * 9) break;
    levels.push_back(std::move(made.netlist())), clusters.push_back(std::move(made.clusters()));
  }
  // From places that are drawn, at the highest level of which all items find room.
  std::size_t at = levels.size();
  const auto begin = [&] {
    std::vector<Steps> drawn(level(at).items());
    for (Steps& one : drawn) one = fields.place(draw.below(static_cast<std::uint32_t>(fields.room.size())));
    for (Item item = 0; item < netlist.items(); ++item)
      if (netlist.is_fixed[item] != 0) {
        Item of = item;
        for (std::size_t below = 0; below < at; ++below) of = clusters[below][of];
        drawn[of] = places[item];
      }
    if (!make_legal(level(at), fields, drawn)) return false;
    places = std::move(drawn);
    return true;
  };
  while (!begin())
    if (at-- == 0) return false;
  for (bool is_first = true;; is_first = false) {
    Annealer annealer(level(at), fields, std::move(places), seed + at);
    const auto stop = [&] { return limit.is_over(); };
    if (is_first)
      annealer.anneal(moves_of(annealer.movable(), effort), stop);
    else
      annealer.refine((std::max)(std::uint64_t{1}, std::uint64_t{annealer.movable()} * effort * 3 / 100), 4, 256, stop);
    places = annealer.places();
    if (at == 0) return true;
    --at;
    std::vector<Steps> finer(level(at).items());
    for (Item item = 0; item < level(at).items(); ++item) finer[item] = places[clusters[at][item]];
    places = std::move(finer);
  }
}

/// Clusters of a chip's size are spread, and each node goes where its cluster is.
/// \pre the placing is plain, and there is room
inline void place_by_chips(Placing& placing, const OrderedGraph& ordered, const Region& region,
                           const PlacementOptions& options, unsigned room, unsigned rounds, const TimeLimit& limit) {
  const ChipClusters clusters = chip_clusters(ordered.graph, room);
  const Cloud of_clusters = [&] {
    Coarser coarse(ordered.graph, clusters.of, clusters.count);
    return Spreading(placing, region, options.seed).spread(coarse.joined(), 2, rounds);
  }();
  const Item count = ordered.graph.nodes();
  Cloud cloud{std::vector<std::int32_t>(count), std::vector<std::int32_t>(count)};
  for (Item node = 0; node < count; ++node)
    cloud.x[node] = of_clusters.x[clusters.of[node]], cloud.y[node] = of_clusters.y[clusters.of[node]];
  Halving(placing, ordered, region, cloud).place();
  const std::uint32_t passes = options.effort / 101; // one takes as long as all that is above
  if (passes == 0 || limit.is_over()) return;
  Polish polish(placing, ordered, options.seed);
  for (std::uint32_t pass = 0; pass < passes && !limit.is_over(); ++pass)
    if (polish.pass(0, pass % 2 != 0) == 0) break;
  polish.put(placing);
}

/// \pre only those that are fixed have a chip
[[nodiscard]] inline Refusal place_in_levels(Placing& placing, const PlacementOptions& options, std::vector<Item> order,
                                             std::span<const Chip> chips) {
  constexpr Item most_annealed = 20000; // beyond it, nets are too many to be looked at one by one
  const TimeLimit limit(options);
  std::uint64_t load = 0;
  for (Item item = 0; item < placing.items(); ++item)
    if (!placing.is_fixed(item)) load += placing.cores(item);
  if (load == 0) return {};
  const bool is_annealed = placing.items() <= most_annealed;
  const unsigned rounds = (std::min)(64U, (std::max)(2U, options.effort / 12));
  Netlist netlist;
  Fields fields;
  if (is_annealed || !placing.is_plain()) netlist = netlist_of(placing), fields = fields_of(placing);
  if (is_annealed && !placing.is_plain()) {
    std::vector<Steps> places = places_of(placing);
    if (anneal_in_levels(netlist, fields, places, options.seed, bounded(options.effort, netlist), limit)) {
      put_at(placing, places);
      return {};
    }
  }
  const OrderedGraph ordered = ordered_graph_of(placing);
  const Region region = region_of(placing, load);
  unsigned room = 0;
  for (Chip chip = 0; chip < placing.machine().grid_chips(); ++chip) room = (std::max)(room, placing.room(chip));
  if (placing.is_plain() && !is_annealed && room >= 4) {
    place_by_chips(placing, ordered, region, options, room, rounds, limit);
    return {};
  }
  const Cloud cloud = Spreading(placing, region, options.seed)
                          .spread(ordered.graph, placing.is_plain() ? 2U : 1U, is_annealed ? 8 : rounds);
  if (placing.is_plain()) {
    std::optional<Polish> best;
    for (const Cloud& one : {cloud, Landmarks(ordered.graph, region).cloud()}) {
      if (one.x.empty()) continue;
      for (Item item = 0; item < placing.items(); ++item)
        if (!placing.is_fixed(item) && placing.chip(item) != no_chip) placing.take(item);
      Halving(placing, ordered, region, one).place();
      Polish placed(placing, ordered, options.seed);
      if (!best || placed.length() < best->length()) best.emplace(std::move(placed));
    }
    Polish& polish = *best;
    const std::uint32_t passes = (std::max)(1U, options.effort / (is_annealed ? 20 : 50));
    for (std::uint32_t pass = 0; pass < passes && !limit.is_over(); ++pass)
      if (polish.pass(0, pass % 2 != 0) == 0) break;
    polish.put(placing);
  } else {
    std::vector<Steps> places(placing.items());
    for (Item node = 0; node < ordered.graph.nodes(); ++node)
      places[ordered.item[node]] = {region.x + cloud.x[node] / Cloud::unit, region.y + cloud.y[node] / Cloud::unit};
    if (make_legal(netlist, fields, places)) {
      const Hexagons hexagons(placing.machine());
      for (Item item = 0; item < placing.items(); ++item)
        if (!placing.is_fixed(item)) placing.put(item, hexagons.chip(places[item]));
    } else if (Refusal refusal = placing.fill_all(std::move(order), chips); !refusal) {
      return refusal;
    }
  }
  if (!is_annealed || limit.is_over()) return {};
  Annealer annealer(netlist, fields, places_of(placing), options.seed);
  annealer.refine((std::max)(std::uint64_t{1}, std::uint64_t{annealer.movable()} * bounded(options.effort, netlist) *
                                                   (placing.is_plain() ? 6U : 20U) / 1000),
                  4, placing.is_plain() ? 48U : 1024U, [&] { return limit.is_over(); });
  put_at(placing, annealer.places());
  return {};
}

} // namespace detail

/// \errors as `gather`; lengths_differ: not a position for each vertex; parameter_out_of_range: a position; index_out_of_range: a centre
///         that is not there; unmappable: a vertex or a group finds no room, by its name and with what is left
/// \cost   O(vertices + edges + chips) but for annealing, which has as many steps as its effort says
[[nodiscard]] inline Answer<Placements> place(const MachineGraph& graph, const Machine& machine,
                                              const Constraints& constraints = {},
                                              const PlacementOptions& options = {}) {
  if (Refusal refusal = detail::check_options(graph, machine, options); !refusal) return refusal;
  auto groups = gather(graph, machine, constraints);
  if (!groups) return groups.refusal();
  detail::Placing placing(graph, machine, std::move(groups).value(), constraints.steps);

  std::vector<detail::Item> order;
  std::vector<Chip> chips;
  if (options.placer == Placer::radial)
    chips = detail::by_distance(machine, options.centre != no_chip
                                             ? options.centre
                                             : machine.chip_at(machine.width() / 2, machine.height() / 2));
  else
    chips = detail::HilbertCurve::through(machine.width(), machine.height());
  if (options.placer == Placer::hilbert || options.placer == Placer::by_position ||
      options.placer == Placer::annealing || options.placer == Placer::multilevel) {
    order.resize(placing.items());
    std::iota(order.begin(), order.end(), detail::Item{0});
  } else {
    const detail::Neighbours neighbours(placing);
    order = options.placer == Placer::reverse_cuthill_mckee ? detail::reverse_cuthill_mckee(neighbours)
                                                            : detail::breadth_first(neighbours, false);
  }
  if (options.placer == Placer::by_position) {
    Refusal refusal = placing.put_fixed();
    if (refusal.ok()) refusal = placing.put_boards(order, chips);
    if (refusal.ok()) {
      detail::ItemPositions positions = detail::positions_of(placing, options.positions);
      detail::ByPosition(placing, std::move(positions.x), std::move(positions.y)).put();
      refusal = placing.fill(order, chips);
    }
    if (refusal.ok()) return placing.finished();
  }
  if (options.placer == Placer::annealing) {
    if (Refusal refusal = placing.put_fixed(); !refusal) return refusal;
    if (Refusal refusal = detail::anneal(placing, options, std::move(order), std::move(chips)); !refusal)
      return refusal;
    return placing.finished();
  }
  if (options.placer == Placer::multilevel) {
    if (Refusal refusal = placing.put_fixed(); !refusal) return refusal;
    if (Refusal refusal = detail::place_in_levels(placing, options, std::move(order), chips); !refusal) return refusal;
    return placing.finished();
  }
  if (Refusal refusal = placing.fill_all(std::move(order), chips); !refusal) return refusal;
  return placing.finished();
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
