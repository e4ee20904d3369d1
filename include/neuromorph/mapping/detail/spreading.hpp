// SPDX-License-Identifier: BSL-1.0
/// \file
/// Places in a region, of graphs of any size: clusters are annealed, and level by level each goes to the middle of its
/// neighbours, while all are spread evenly again.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_SPREADING_HPP
#define NEUROMORPH_MAPPING_DETAIL_SPREADING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/annealer.hpp>
#include <neuromorph/mapping/detail/draw.hpp>
#include <neuromorph/mapping/detail/hexagons.hpp>
#include <neuromorph/mapping/detail/netlist.hpp>
#include <neuromorph/mapping/detail/placing.hpp>
#include <neuromorph/mapping/machine_graph.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

/// Who is connected to whom, and how strongly.
struct WeightedGraph {
  std::vector<std::uint32_t> first{0}; ///< [node], and one more
  std::vector<Item> to{};
  std::vector<std::uint32_t> weight{}; ///< beside `to`; empty where all are 1
  std::vector<std::uint32_t> size{};   ///< [node]

  [[nodiscard]] Item nodes() const noexcept { return static_cast<Item>(first.size() - 1); }
  [[nodiscard]] std::uint32_t weight_of(std::uint32_t at) const noexcept { return weight.empty() ? 1 : weight[at]; }
};

/// A graph of items whose numbers are in breadth-first order, so that neighbours are near in memory.
struct OrderedGraph {
  WeightedGraph graph{};
  std::vector<Item> item{}; ///< [node]
};

/// \pre fewer than 2^32 pairs of a source and a target
[[nodiscard]] inline OrderedGraph ordered_graph_of(const Placing& placing) {
  const MachineGraph& graph = placing.graph();
  const Item count = placing.items();
  const NetWeights weights(graph);
  // Where as many edges come to each as leave it, those that leave say enough.
  std::vector<std::uint32_t> out(count), in(count);
  bool are_alike = true;
  for (Partition partition = 0; partition < graph.partitions(); ++partition) {
    const Item from = placing.item(graph.source(partition));
    const auto targets = graph.targets(partition);
    are_alike =
        are_alike && &graph.options(partition) == &graph.options(0) && targets.size() == graph.targets(0).size();
    for (const Vertex target : targets)
      if (const Item to = placing.item(target); to != from) ++out[from], ++in[to];
  }
  const bool is_mutual = out == in;
  std::vector<std::uint32_t> first(std::size_t{count} + 1);
  std::uint32_t sum = 0;
  for (Item item = 0; item < count; ++item) sum += out[item] + (is_mutual ? 0 : in[item]), first[item] = sum;
  first[count] = sum;
  std::vector<Item> to(sum);
  std::vector<std::uint32_t> weight(are_alike ? 0 : sum);
  for (Partition partition = graph.partitions(); partition-- > 0;) {
    const Item from = placing.item(graph.source(partition));
    const auto targets = graph.targets(partition);
    const std::uint32_t each =
        are_alike ? 1
                  : (std::max)(1U, weights.of(graph.options(partition).packets_per_step) /
                                       static_cast<std::uint32_t>((std::min)(targets.size() + 1, std::size_t{65535})));
    for (std::size_t at = targets.size(); at-- > 0;) {
      const Item other = placing.item(targets[at]);
      if (other == from) continue;
      to[--first[from]] = other;
      if (!are_alike) weight[first[from]] = each;
      if (is_mutual) continue;
      to[--first[other]] = from;
      if (!are_alike) weight[first[other]] = each;
    }
  }
  // Breadth first.
  OrderedGraph made;
  std::vector<Item> node(count, UINT32_MAX);
  made.item.reserve(count);
  for (Item begin = 0; begin < count; ++begin) {
    if (node[begin] != UINT32_MAX) continue;
    node[begin] = static_cast<Item>(made.item.size()), made.item.push_back(begin);
    for (std::size_t at = node[begin]; at < made.item.size(); ++at) {
      const Item from = made.item[at];
      for (std::uint32_t edge = first[from]; edge < first[from + 1]; ++edge)
        if (node[to[edge]] == UINT32_MAX)
          node[to[edge]] = static_cast<Item>(made.item.size()), made.item.push_back(to[edge]);
    }
  }
  made.graph.first.resize(std::size_t{count} + 1), made.graph.size.resize(count);
  made.graph.to.resize(sum), made.graph.weight.resize(weight.size());
  std::uint32_t end = 0;
  for (Item at = 0; at < count; ++at) {
    const Item from = made.item[at];
    made.graph.size[at] = placing.is_fixed(from) ? 0 : placing.cores(from);
    for (std::uint32_t edge = first[from]; edge < first[from + 1]; ++edge, ++end) {
      made.graph.to[end] = node[to[edge]];
      if (!weight.empty()) made.graph.weight[end] = weight[edge];
    }
    made.graph.first[at + 1] = end;
  }
  return made;
}

/// Nodes of about four: each with neighbours that are in none yet, the strongest first.
class Coarser {
public:
  /// Clusters that are known.
  /// \param of  [node], below `clusters`, each of which has a node
  Coarser(const WeightedGraph& graph, std::vector<Item> of, Item clusters) : of_(std::move(of)) {
    join(graph, clusters);
  }
  explicit Coarser(const WeightedGraph& graph) : of_(graph.nodes(), none) {
    std::vector<Item> count;
    for (Item node = 0; node < graph.nodes(); ++node) {
      if (of_[node] != none) continue;
      Item members[most] = {node};
      unsigned found = 1;
      while (found < most) { // the strongest that is left
        Item best = none;
        std::uint32_t strongest = 0;
        for (std::uint32_t edge = graph.first[node]; edge < graph.first[node + 1]; ++edge) {
          const Item other = graph.to[edge];
          if (of_[other] != none || graph.weight_of(edge) <= strongest ||
              std::find(members, members + found, other) != members + found)
            continue;
          best = other, strongest = graph.weight_of(edge);
        }
        if (best == none) break;
        members[found++] = best;
      }
      if (found == 1) { // to a neighbour that is not too large
        Item best = none;
        std::uint32_t strongest = 0;
        for (std::uint32_t edge = graph.first[node]; edge < graph.first[node + 1]; ++edge) {
          const Item cluster = of_[graph.to[edge]];
          if (cluster == none || count[cluster] >= 2 * most) continue;
          const std::uint32_t strength = graph.weight_of(edge) * 64 / count[cluster];
          if (strength > strongest) best = cluster, strongest = strength;
        }
        if (best != none) {
          of_[node] = best, ++count[best];
          continue;
        }
      }
      for (unsigned at = 0; at < found; ++at) of_[members[at]] = static_cast<Item>(count.size());
      count.push_back(found);
    }
    join(graph, static_cast<Item>(count.size()));
  }
  [[nodiscard]] std::vector<Item>& clusters() noexcept { return of_; }
  [[nodiscard]] WeightedGraph& joined() noexcept { return joined_; }

private:
  static constexpr Item none = UINT32_MAX;
  static constexpr unsigned most = 4;

  void join(const WeightedGraph& graph, Item clusters) {
    std::vector<std::uint32_t> first(std::size_t{clusters} + 1);
    for (const Item cluster : of_) ++first[cluster];
    std::uint32_t sum = 0;
    for (std::uint32_t& one : first) sum += one, one = sum;
    std::vector<Item> member(of_.size());
    for (Item node = graph.nodes(); node-- > 0;) member[--first[of_[node]]] = node;
    joined_.first.reserve(std::size_t{clusters} + 1), joined_.size.resize(clusters);
    std::vector<std::uint32_t> place(clusters, none);
    for (Item cluster = 0; cluster < clusters; ++cluster) {
      const auto begin = static_cast<std::uint32_t>(joined_.to.size());
      for (std::uint32_t at = first[cluster]; at < first[cluster + 1]; ++at) {
        const Item node = member[at];
        joined_.size[cluster] += graph.size[node];
        for (std::uint32_t edge = graph.first[node]; edge < graph.first[node + 1]; ++edge) {
          const Item other = of_[graph.to[edge]];
          if (other == cluster) continue;
          if (place[other] >= begin && place[other] != none)
            joined_.weight[place[other]] += graph.weight_of(edge);
          else
            place[other] = static_cast<std::uint32_t>(joined_.to.size()), joined_.to.push_back(other),
            joined_.weight.push_back(graph.weight_of(edge));
        }
      }
      joined_.first.push_back(static_cast<std::uint32_t>(joined_.to.size()));
    }
  }

  std::vector<Item> of_;
  WeightedGraph joined_{};
};

/// Part of a machine that is filled.
struct Region {
  std::int32_t x = 0, y = 0, width = 1, height = 1; ///< in chips
  bool wraps_x = false, wraps_y = false;            ///< whether it is all of an axis that wraps
};
/// About square, with room for all and no more than a little.
[[nodiscard]] inline Region region_of(const Placing& placing, std::uint64_t load) {
  const Machine& machine = placing.machine();
  std::uint64_t room = 0;
  for (Chip chip = 0; chip < machine.grid_chips(); ++chip) room += placing.room(chip);
  const auto width = static_cast<std::int32_t>(machine.width()), height = static_cast<std::int32_t>(machine.height());
  const std::uint64_t wanted = (std::min)(room, load + load / (placing.is_plain() ? 50 : 8));
  // Sums of room over rectangles from 0, 0 on.
  std::vector<std::uint64_t> sum((machine.width() + std::size_t{1}) * (machine.height() + std::size_t{1}));
  const auto at = [&](std::int32_t x, std::int32_t y) -> std::uint64_t& {
    return sum[static_cast<std::size_t>(y) * (machine.width() + std::size_t{1}) + static_cast<std::size_t>(x)];
  };
  for (std::int32_t y = 0; y < height; ++y)
    for (std::int32_t x = 0; x < width; ++x)
      at(x + 1, y + 1) = at(x, y + 1) + at(x + 1, y) - at(x, y) +
                         placing.room(machine.chip_at(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)));
  Region best{0, 0, width, height};
  std::int32_t least = INT32_MAX;
  for (std::int32_t across = 1; across <= width; ++across) {
    std::int32_t low = 1, high = height; // the fewest rows that have room
    if (at(across, height) < wanted) continue;
    while (low < high) {
      const std::int32_t middle = (low + high) / 2;
      if (at(across, middle) >= wanted)
        high = middle;
      else
        low = middle + 1;
    }
    const std::int32_t extent = across + low; // an axis that wraps counts half where all of it is taken
    const std::int32_t cost = extent - (machine.wraps().wraps_x && across == width ? across / 2 : 0) -
                              (machine.wraps().wraps_y && low == height ? low / 2 : 0);
    if (cost < least) least = cost, best.width = across, best.height = low;
  }
  best.wraps_x = machine.wraps().wraps_x && best.width == width;
  best.wraps_y = machine.wraps().wraps_y && best.height == height;
  return best;
}

/// Coordinates in parts of a chip, from the corner of a region on.
struct Cloud {
  static constexpr std::int32_t unit = 1024;
  std::vector<std::int32_t> x{}, y{}; ///< [node]
};

class Spreading {
public:
  Spreading(const Placing& placing, Region region, std::uint64_t seed)
      : placing_(placing), region_(region), seed_(seed), span_x_(region.width * Cloud::unit),
        span_y_(region.height * Cloud::unit) {
    // Room of all rows and columns of the region up to one, for what is spread.
    row_room_.resize(static_cast<std::size_t>(region.height) + 1),
        column_room_.resize(static_cast<std::size_t>(region.width) + 1);
    for (std::int32_t y = 0; y < region.height; ++y)
      for (std::int32_t x = 0; x < region.width; ++x) {
        const std::uint32_t room = placing.room(chip(x, y));
        row_room_[static_cast<std::size_t>(y) + 1] += room, column_room_[static_cast<std::size_t>(x) + 1] += room;
      }
    std::partial_sum(row_room_.begin(), row_room_.end(), row_room_.begin());
    std::partial_sum(column_room_.begin(), column_room_.end(), column_room_.begin());
  }

  [[nodiscard]] Cloud spread(const WeightedGraph& graph, unsigned starts, unsigned rounds) {
    std::vector<WeightedGraph> levels;
    std::vector<std::vector<Item>> clusters;
    while ((levels.empty() ? graph : levels.back()).nodes() > most_top) {
      const WeightedGraph& below = levels.empty() ? graph : levels.back();
      Coarser made(below);
      if (made.joined().nodes() * 10ULL > below.nodes() * 9ULL) break;
      levels.push_back(std::move(made.joined())), clusters.push_back(std::move(made.clusters()));
    }
    Cloud cloud = topmost(levels.empty() ? graph : levels.back(), starts);
    const auto rounds_of = [&](std::size_t level) { // more where nodes are fewer
      return (std::min)(most_rounds, rounds << (std::min)(level, std::size_t{8}));
    };
    even_out(levels.empty() ? graph : levels.back(), cloud, rounds_of(levels.size()));
    for (std::size_t level = levels.size(); level-- > 0;) {
      const WeightedGraph& below = level == 0 ? graph : levels[level - 1];
      Cloud fine{std::vector<std::int32_t>(below.nodes()), std::vector<std::int32_t>(below.nodes())};
      for (Item node = 0; node < below.nodes(); ++node)
        fine.x[node] = cloud.x[clusters[level][node]], fine.y[node] = cloud.y[clusters[level][node]];
      cloud = std::move(fine);
      relax(below, cloud, false);
      even_out(below, cloud, rounds_of(level));
    }
    return cloud;
  }

private:
  static constexpr Item most_top = 128;
  static constexpr unsigned most_rounds = 64, relaxes = 8, blend = 4; // blend: quarters of what would make bins even
  static constexpr std::int32_t bin_nodes = 16;

  [[nodiscard]] Chip chip(std::int32_t x, std::int32_t y) const noexcept {
    return placing_.machine().chip_at(static_cast<std::uint32_t>(region_.x + x),
                                      static_cast<std::uint32_t>(region_.y + y));
  }

  [[nodiscard]] Cloud topmost(const WeightedGraph& graph, unsigned starts) {
    Netlist netlist;
    std::uint64_t load = 0;
    std::uint32_t most_weight = 1;
    for (const std::uint32_t weight : graph.weight) most_weight = (std::max)(most_weight, weight);
    unsigned shift = 0;
    while (most_weight >> shift > 65535) ++shift;
    netlist.size = graph.size;
    netlist.is_fixed.resize(graph.nodes());
    for (Item node = 0; node < graph.nodes(); ++node) {
      netlist.size[node] = (std::max)(1U, netlist.size[node]), load += netlist.size[node];
      for (std::uint32_t edge = graph.first[node]; edge < graph.first[node + 1]; ++edge) {
        if (graph.to[edge] == node) continue;
        netlist.pins.items.push_back(node), netlist.pins.items.push_back(graph.to[edge]), netlist.pins.end_list();
        netlist.weight.push_back((graph.weight_of(edge) >> shift) + 1);
      }
    }
    netlist.list_nets();
    // Fields for about one node each.
    std::int32_t columns = 1, rows = 1;
    while (static_cast<std::uint64_t>(columns) * static_cast<std::uint64_t>(rows) < graph.nodes())
      if (columns * region_.height < rows * region_.width)
        ++columns;
      else
        ++rows;
    Fields fields{
        static_cast<std::uint32_t>(columns), static_cast<std::uint32_t>(rows), {region_.wraps_x, region_.wraps_y}};
    const auto count = static_cast<std::uint64_t>(columns) * static_cast<std::uint64_t>(rows);
    std::uint64_t room = load / count;
    for (const std::uint32_t size : netlist.size) room = (std::max)(room, std::uint64_t{size});
    fields.room.assign(count, static_cast<std::uint32_t>((std::min)(room + room / 8, std::uint64_t{UINT32_MAX})));
    std::vector<Steps> best;
    std::int64_t least = INT64_MAX;
    for (unsigned start = 0; start < starts; ++start) {
      std::vector<std::uint32_t> order(count);
      std::iota(order.begin(), order.end(), 0U);
      Draw(seed_ + start).shuffle(order);
      std::vector<Steps> at(graph.nodes());
      for (Item node = 0; node < graph.nodes(); ++node) at[node] = fields.place(order[node]);
      Annealer annealer(netlist, fields, std::move(at), seed_ + start);
      std::uint64_t root = 1;
      while ((root + 1) * (root + 1) * (root + 1) <= graph.nodes()) ++root;
      annealer.anneal(graph.nodes() * root, [] { return false; });
      if (annealer.cost() < least) least = annealer.cost(), best = annealer.places();
    }
    Cloud cloud{std::vector<std::int32_t>(graph.nodes()), std::vector<std::int32_t>(graph.nodes())};
    for (Item node = 0; node < graph.nodes(); ++node)
      cloud.x[node] = (2 * best[node].x + 1) * (span_x_ / (2 * columns)),
      cloud.y[node] = (2 * best[node].y + 1) * (span_y_ / (2 * rows));
    return cloud;
  }

  /// Each to the middle of its neighbours, one after another.
  void relax(const WeightedGraph& graph, Cloud& cloud, bool is_backward) const {
    const std::int32_t half_x = region_.wraps_x ? span_x_ / 2 : INT32_MAX,
                       half_y = region_.wraps_y ? span_y_ / 2 : INT32_MAX;
    const bool has_weights = !graph.weight.empty();
    const Item count = graph.nodes();
    for (Item at = 0; at < count; ++at) {
      const Item node = is_backward ? count - 1 - at : at;
      const std::uint32_t begin = graph.first[node], end = graph.first[node + 1];
      if (begin == end) continue;
      const std::int32_t x = cloud.x[node], y = cloud.y[node];
      std::int64_t sum_x = 0, sum_y = 0, weights = 0;
      for (std::uint32_t edge = begin; edge < end; ++edge) {
        std::int32_t dx = cloud.x[graph.to[edge]] - x, dy = cloud.y[graph.to[edge]] - y;
        dx += (dx < -half_x ? span_x_ : 0) - (dx > half_x ? span_x_ : 0);
        dy += (dy < -half_y ? span_y_ : 0) - (dy > half_y ? span_y_ : 0);
        const std::int64_t weight = has_weights ? graph.weight[edge] : 1;
        sum_x += weight * dx, sum_y += weight * dy, weights += weight;
      }
      if (weights == 0) continue;
      cloud.x[node] = wrapped(x + static_cast<std::int32_t>(sum_x / weights), span_x_, region_.wraps_x);
      cloud.y[node] = wrapped(y + static_cast<std::int32_t>(sum_y / weights), span_y_, region_.wraps_y);
    }
  }
  [[nodiscard]] static std::int32_t wrapped(std::int32_t at, std::int32_t span, bool wraps) noexcept {
    if (wraps) return at < 0 ? at + span : at >= span ? at - span : at;
    return at < 0 ? 0 : at >= span ? span - 1 : at;
  }

  void even_out(const WeightedGraph& graph, Cloud& cloud, unsigned rounds) {
    for (unsigned round = 0; round < rounds; ++round) {
      if (round != 0)
        for (unsigned again = 0; again < relaxes; ++again) relax(graph, cloud, (round + again) % 2 == 0);
      // Bins of several nodes, so that what neighbours are moved by is about the same.
      shift(graph, cloud.x, cloud.y, span_x_, span_y_, true);
      shift(graph, cloud.y, cloud.x, span_y_, span_x_, false);
    }
  }
  [[nodiscard]] static std::int32_t bins_of(Item all, std::int32_t length, std::int32_t breadth,
                                            std::int32_t each) noexcept {
    std::int64_t bins = 1; // a side has as many as make squares of so many nodes
    while ((bins + 1) * (bins + 1) * breadth * each <= std::int64_t{length} * all) ++bins;
    return static_cast<std::int32_t>((std::min)(bins, std::int64_t{length}));
  }
  /// Along one axis, so that bins come to hold as much as there is room; between the middles of rows of bins by both.
  void shift(const WeightedGraph& graph, std::vector<std::int32_t>& along, const std::vector<std::int32_t>& across,
             std::int32_t span_along, std::int32_t span_across, bool is_x) {
    const Item count = graph.nodes();
    const std::int32_t columns = bins_of(count, span_along, span_across, bin_nodes);
    const std::int32_t rows = bins_of(count, span_across, span_along, bin_nodes);
    const auto bin = [](std::int32_t at, std::int32_t bins, std::int32_t span) {
      return static_cast<std::size_t>(std::int64_t{at} * bins / span);
    };
    const auto across_bins = static_cast<std::size_t>(columns);
    load_.assign(across_bins * static_cast<std::size_t>(rows), 0);
    for (Item node = 0; node < count; ++node)
      load_[bin(across[node], rows, span_across) * across_bins + bin(along[node], columns, span_along)] +=
          graph.size[node];
    // Where each border of a bin goes.
    const std::size_t borders = across_bins + 1;
    border_.resize(borders * static_cast<std::size_t>(rows));
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
      std::uint64_t sum = 0, passed = 0;
      for (std::size_t at = 0; at < across_bins; ++at) sum += load_[row * across_bins + at];
      // A little in each bin, so that none has no width.
      const std::uint64_t extra = sum / (8 * across_bins) + 1, all = sum + extra * across_bins;
      for (std::size_t at = 0; at <= across_bins; ++at) {
        const auto before = static_cast<std::int64_t>(at) * span_along / columns;
        const auto even = static_cast<std::int64_t>(room_at(passed, all, is_x));
        border_[row * borders + at] =
            static_cast<std::int32_t>(before + (even - before) * static_cast<std::int64_t>(blend) / 4);
        if (at < across_bins) passed += load_[row * across_bins + at] + extra;
      }
    }
    for (Item node = 0; node < count; ++node) {
      const std::int64_t at = along[node];
      const std::size_t column = bin(along[node], columns, span_along);
      const std::int64_t low = static_cast<std::int64_t>(column) * span_along / columns,
                         high = static_cast<std::int64_t>(column + 1) * span_along / columns;
      const auto in_row = [&](std::int64_t row) {
        const std::size_t first = static_cast<std::size_t>(row) * borders + column;
        return border_[first] + (at - low) * (border_[first + 1] - border_[first]) / (high - low);
      };
      // Between the middles of two rows, in 1/256.
      const bool wraps = is_x ? region_.wraps_y : region_.wraps_x;
      const std::int64_t place = (std::int64_t{across[node]} * rows * 256) / span_across - 128;
      std::int64_t row = place < 0 ? -1 : place / 256, part = place - row * 256, next = row + 1;
      if (row < 0) row = wraps ? rows - 1 : 0;
      if (next >= rows) next = wraps ? 0 : rows - 1;
      const std::int64_t to = (in_row(row) * (256 - part) + in_row(next) * part) / 256;
      along[node] =
          static_cast<std::int32_t>((std::min)((std::max)(to, std::int64_t{0}), std::int64_t{span_along} - 1));
    }
  }
  /// Where a share of all room of an axis ends.
  [[nodiscard]] std::int64_t room_at(std::uint64_t passed, std::uint64_t all, bool is_x) const noexcept {
    const std::vector<std::uint64_t>& sum = is_x ? column_room_ : row_room_;
    const std::uint64_t wanted = passed * sum.back() / all; // below 2^26 * 2^32
    const auto at = static_cast<std::size_t>(std::upper_bound(sum.begin(), sum.end() - 1, wanted) - sum.begin());
    const std::uint64_t before = sum[at - 1], of_chip = sum[at] - before;
    const std::uint64_t rest = passed * sum.back() - before * all; // in parts of 1 / all
    if (of_chip == 0) return static_cast<std::int64_t>(at - 1) * Cloud::unit;
    return static_cast<std::int64_t>(at - 1) * Cloud::unit +
           static_cast<std::int64_t>(rest / (std::max)(std::uint64_t{1}, of_chip * all / Cloud::unit));
  }

  const Placing& placing_;
  Region region_;
  std::uint64_t seed_;
  std::int32_t span_x_, span_y_;
  std::vector<std::uint64_t> row_room_{}, column_room_{};
  std::vector<std::uint64_t> load_{};  // [row][bin]
  std::vector<std::int32_t> border_{}; // [row][border of a bin]
};

/// Nodes to chips of a region: halves of it, again and again, each with those of its side.
class Halving {
public:
  /// \pre there is room for all, and each takes a core
  Halving(Placing& placing, const OrderedGraph& ordered, const Region& region, const Cloud& cloud)
      : placing_(placing), ordered_(ordered), region_(region), cloud_(cloud) {
    const auto width = static_cast<std::size_t>(region.width), height = static_cast<std::size_t>(region.height);
    sum_.assign((width + 1) * (height + 1), 0);
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x)
        sum_[(y + 1) * (width + 1) + x + 1] = sum_[(y + 1) * (width + 1) + x] + sum_[y * (width + 1) + x + 1] -
                                              sum_[y * (width + 1) + x] + placing.room(chip(x, y));
    for (Item node = 0; node < ordered.graph.nodes(); ++node)
      if (ordered.graph.size[node] != 0) nodes_.push_back(node);
  }
  void place() {
    halve(nodes_, {0, 0, static_cast<std::size_t>(region_.width), static_cast<std::size_t>(region_.height)});
  }

private:
  struct Part {
    std::size_t x, y, end_x, end_y;
  };
  [[nodiscard]] Chip chip(std::size_t x, std::size_t y) const noexcept {
    return placing_.machine().chip_at(static_cast<std::uint32_t>(region_.x) + static_cast<std::uint32_t>(x),
                                      static_cast<std::uint32_t>(region_.y) + static_cast<std::uint32_t>(y));
  }
  [[nodiscard]] std::uint64_t room(const Part& part) const noexcept {
    const std::size_t stride = static_cast<std::size_t>(region_.width) + 1;
    return sum_[part.end_y * stride + part.end_x] + sum_[part.y * stride + part.x] -
           sum_[part.end_y * stride + part.x] - sum_[part.y * stride + part.end_x];
  }
  void halve(std::span<Item> nodes, const Part& part) {
    if (nodes.empty()) return;
    const std::size_t width = part.end_x - part.x, height = part.end_y - part.y;
    if (width == 1 && height == 1) {
      for (const Item node : nodes) placing_.put(ordered_.item[node], chip(part.x, part.y));
      return;
    }
    Part first = part, second = part;
    const bool is_x = width >= height;
    if (is_x)
      first.end_x = second.x = part.x + width / 2;
    else
      first.end_y = second.y = part.y + height / 2;
    const std::uint64_t room_first = room(first), room_second = room(second), count = nodes.size();
    std::uint64_t of_first = (count * room_first + (room_first + room_second) / 2) / (room_first + room_second);
    of_first = (std::max)(of_first, count > room_second ? count - room_second : 0);
    of_first = (std::min)((std::min)(of_first, room_first), count);
    const std::vector<std::int32_t>& key = is_x ? cloud_.x : cloud_.y;
    const auto middle = nodes.begin() + static_cast<std::ptrdiff_t>(of_first);
    std::nth_element(nodes.begin(), middle, nodes.end(), [&](Item one, Item other) {
      return key[one] != key[other] ? key[one] < key[other] : one < other;
    });
    halve(nodes.first(of_first), first);
    halve(nodes.subspan(of_first), second);
  }

  Placing& placing_;
  const OrderedGraph& ordered_;
  const Region& region_;
  const Cloud& cloud_;
  std::vector<std::uint64_t> sum_{};
  std::vector<Item> nodes_{};
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
