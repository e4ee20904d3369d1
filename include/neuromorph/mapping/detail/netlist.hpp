// SPDX-License-Identifier: BSL-1.0
/// \file
/// Items and nets as flat lists, and fields that they are placed on: chips, or squares of chips.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_NETLIST_HPP
#define NEUROMORPH_MAPPING_DETAIL_NETLIST_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/half_perimeter.hpp>
#include <neuromorph/mapping/detail/hexagons.hpp>
#include <neuromorph/mapping/detail/placing.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/mapping/mapped.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

/// Where items can be: a rectangle of fields with so much room each.
struct Fields {
  std::uint32_t width = 1, height = 1;
  Wraps wraps{};
  std::vector<std::uint32_t> room{};  ///< [field]
  std::vector<std::uint64_t> sdram{}; ///< [field]; empty where it cannot run out
  std::vector<Board> board{};         ///< [field]; empty where no item is bound to one

  [[nodiscard]] std::uint32_t at(Steps place) const noexcept {
    return static_cast<std::uint32_t>(place.y) * width + static_cast<std::uint32_t>(place.x);
  }
  [[nodiscard]] Steps place(std::uint32_t field) const noexcept {
    return {static_cast<std::int32_t>(field % width), static_cast<std::int32_t>(field / width)};
  }
};

struct Netlist {
  Lists<Item> pins{};                   ///< [net] its items, each once
  std::vector<std::uint32_t> weight{};  ///< [net]
  Lists<std::uint32_t> nets{};          ///< [item]
  std::vector<std::uint32_t> size{};    ///< [item] room that it takes
  std::vector<std::uint64_t> sdram{};   ///< [item]; empty where it cannot run out
  std::vector<Board> board{};           ///< [item] that it is bound to; empty where none is
  std::vector<std::uint8_t> is_fixed{}; ///< [item]

  [[nodiscard]] Item items() const noexcept { return static_cast<Item>(size.size()); }
  /// Makes `nets` of `pins`.
  void list_nets() {
    nets.first.assign(items() + 1, 0);
    for (const Item item : pins.items) ++nets.first[item];
    std::size_t sum = 0;
    for (std::size_t& one : nets.first) sum += one, one = sum;
    nets.items.resize(sum);
    for (std::size_t net = pins.size(); net-- > 0;)
      for (const Item item : pins[net]) nets.items[--nets.first[item]] = static_cast<std::uint32_t>(net);
  }
};

/// Packets as whole numbers of which the largest has 16 bits at most; none is 0.
class NetWeights {
public:
  explicit NetWeights(const MachineGraph& graph) {
    double most = 0.0;
    for (Partition partition = 0; partition < graph.partitions(); ++partition)
      most = (std::max)(most, graph.options(partition).packets_per_step);
    while (most * scale_ > 65535.0 && scale_ > 1e-300) scale_ /= 2;
    while (most > 0.0 && most * scale_ < 128.0 && scale_ < 1e300) scale_ *= 2;
  }
  [[nodiscard]] std::uint32_t of(double packets) const noexcept {
    const double scaled = packets * scale_ + 0.5;
    return scaled >= 65535.0 ? 65535 : scaled >= 1.0 ? static_cast<std::uint32_t>(scaled) : 1;
  }

private:
  double scale_ = 256.0;
};

/// Of all items of a placement, and of its chips with the room that is left when those that are fixed have theirs.
[[nodiscard]] inline Netlist netlist_of(const Placing& placing) {
  const MachineGraph& graph = placing.graph();
  Netlist made;
  const Item count = placing.items();
  made.size.resize(count), made.is_fixed.resize(count);
  if (!placing.is_plain()) made.sdram.resize(count), made.board.assign(count, no_board);
  for (Item item = 0; item < count; ++item) {
    made.size[item] = placing.cores(item), made.is_fixed[item] = placing.is_fixed(item);
    if (placing.is_plain()) continue;
    made.sdram[item] = placing.sdram(item);
    if (const Group* const of = placing.group(item); of != nullptr) made.board[item] = of->board;
  }
  const NetWeights weights(graph);
  std::vector<Partition> seen(count, 0);
  made.pins.items.reserve(graph.edges() + graph.partitions());
  for (Partition partition = 0; partition < graph.partitions(); ++partition) {
    const std::size_t begin = made.pins.items.size();
    const auto add = [&](Vertex vertex) {
      const Item item = placing.item(vertex);
      if (seen[item] != partition + 1) seen[item] = partition + 1, made.pins.items.push_back(item);
    };
    add(graph.source(partition));
    for (const Vertex target : graph.targets(partition)) add(target);
    if (made.pins.items.size() - begin < 2) {
      made.pins.items.resize(begin);
      continue;
    }
    made.pins.end_list();
    made.weight.push_back(weights.of(graph.options(partition).packets_per_step));
  }
  made.list_nets();
  return made;
}
[[nodiscard]] inline Fields fields_of(const Placing& placing) {
  const Machine& machine = placing.machine();
  Fields made{machine.width(), machine.height(), machine.wraps()};
  made.room.resize(machine.grid_chips());
  if (!placing.is_plain()) made.sdram.resize(machine.grid_chips()), made.board.resize(machine.grid_chips());
  for (Chip chip = 0; chip < machine.grid_chips(); ++chip) {
    made.room[chip] = placing.room(chip);
    if (!placing.is_plain()) made.sdram[chip] = placing.sdram_left(chip), made.board[chip] = machine.board_of(chip);
  }
  return made;
}

/// Places to which all fit: each where it is, or as near as there is room, the larger ones first.
/// \return whether all have one
[[nodiscard]] inline bool make_legal(const Netlist& netlist, const Fields& fields, std::vector<Steps>& places) {
  std::vector<std::uint32_t> room = fields.room;
  std::vector<std::uint64_t> sdram = fields.sdram;
  std::uint32_t largest = 0;
  for (Item item = 0; item < netlist.items(); ++item)
    if (netlist.is_fixed[item] == 0) largest = (std::max)(largest, netlist.size[item]);
  const Hexagons hexagons(fields.width, fields.height, fields.wraps);
  const auto put = [&](Item item, std::uint32_t field) {
    if (room[field] < netlist.size[item]) return false;
    if (!sdram.empty() && sdram[field] < netlist.sdram[item]) return false;
    if (!netlist.board.empty() && netlist.board[item] != no_board && netlist.board[item] != fields.board[field])
      return false;
    room[field] -= netlist.size[item];
    if (!sdram.empty()) sdram[field] -= netlist.sdram[item];
    places[item] = fields.place(field);
    return true;
  };
  std::vector<std::vector<Item>> by_size(std::size_t{largest} + 1);
  for (Item item = 0; item < netlist.items(); ++item)
    if (netlist.is_fixed[item] == 0) by_size[netlist.size[item]].push_back(item);
  for (std::uint32_t size = largest + 1; size-- > 0;)
    for (const Item item : by_size[size]) {
      bool has_place = put(item, fields.at(places[item]));
      const Steps from = places[item];
      for (std::uint32_t radius = 1; !has_place && radius <= fields.width + fields.height; ++radius)
        hexagons.each_at(radius, from, [&](Chip field) {
          if (!has_place) has_place = put(item, field);
        });
      if (!has_place) return false;
    }
  return true;
}

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
