// SPDX-License-Identifier: BSL-1.0
/// \file
/// What placers share: things that are placed as one, the room on chips, and how what is left over finds its place.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_PLACING_HPP
#define NEUROMORPH_MAPPING_DETAIL_PLACING_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
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
namespace detail {

/// A vertex, or a group of vertices that must be on one chip.
using Item = std::uint32_t;

/// Items, chips, and which of the first are on which of the others.
class Placing {
public:
  Placing(const MachineGraph& graph, const Machine& machine, Groups groups, std::uint32_t steps)
      : graph_(graph), machine_(machine), groups_(std::move(groups)) {
    make_items(steps);
    room_.resize(machine.grid_chips()), sdram_.resize(machine.grid_chips());
    clear();
  }

  [[nodiscard]] const MachineGraph& graph() const noexcept { return graph_; }
  [[nodiscard]] const Machine& machine() const noexcept { return machine_; }
  [[nodiscard]] Item items() const noexcept { return static_cast<Item>(cores_.size()); }
  [[nodiscard]] Item item(Vertex vertex) const noexcept { return item_of_.empty() ? vertex : item_of_[vertex]; }
  [[nodiscard]] unsigned cores(Item item) const noexcept { return cores_[item]; }
  [[nodiscard]] std::uint64_t sdram(Item item) const noexcept {
    return sdram_of_.empty() ? same_sdram_ : sdram_of_[item];
  }
  [[nodiscard]] Chip chip(Item item) const noexcept { return chip_of_[item]; }
  [[nodiscard]] const Group* group(Item item) const noexcept {
    return group_of_.empty() || group_of_[item] == Groups::none ? nullptr : &groups_.groups[group_of_[item]];
  }
  /// Whether it has its chip by a constraint.
  [[nodiscard]] bool is_fixed(Item item) const noexcept {
    const Group* const of = group(item);
    return of != nullptr && (of->chip != no_chip || of->near_to != no_chip);
  }
  /// Whether all items that can be moved take one core and may be on any chip, and memory can run out on none.
  [[nodiscard]] bool is_plain() const noexcept { return is_plain_; }
  /// A core that is left.
  [[nodiscard]] unsigned room(Chip chip) const noexcept { return room_[chip]; }
  [[nodiscard]] std::uint64_t sdram_left(Chip chip) const noexcept { return sdram_[chip]; }
  [[nodiscard]] bool may_be_on(Item item, Chip chip) const noexcept {
    const Group* const of = group(item);
    return of == nullptr || of->board == no_board || machine_.board_of(chip) == of->board;
  }
  [[nodiscard]] bool fits(Item item, Chip chip) const noexcept {
    return cores_[item] <= room_[chip] && sdram(item) <= sdram_[chip] && may_be_on(item, chip);
  }
  /// \pre it fits and has no chip
  void put(Item item, Chip chip) noexcept {
    chip_of_[item] = chip;
    if (chip >= room_.size()) return; // a device
    room_[chip] = static_cast<std::uint8_t>(room_[chip] - cores_[item]);
    sdram_[chip] -= sdram(item);
  }
  /// \pre it has a chip of the rectangle
  void take(Item item) noexcept {
    const Chip chip = chip_of_[item];
    chip_of_[item] = no_chip;
    room_[chip] = static_cast<std::uint8_t>(room_[chip] + cores_[item]);
    sdram_[chip] += sdram(item);
  }
  /// Nothing has a chip any more.
  void clear() {
    chip_of_.assign(items(), no_chip);
    for (Chip chip = 0; chip < machine_.grid_chips(); ++chip) {
      room_[chip] = static_cast<std::uint8_t>(std::popcount(groups_.cores[chip]));
      sdram_[chip] = machine_.sdram_bytes(chip);
    }
  }

  /// Those that must be on a chip, then those that must be near one; boards come first among these.
  [[nodiscard]] Refusal put_fixed() {
    if (group_of_.empty()) return {};
    std::vector<Item> pulled;
    for (Item item = 0; item < items(); ++item) {
      const Group* const of = group(item);
      if (of == nullptr) continue;
      if (of->chip != no_chip)
        put(item, of->chip);
      else if (of->near_to != no_chip)
        pulled.push_back(item);
    }
    std::stable_partition(pulled.begin(), pulled.end(), [&](Item item) { return group(item)->board != no_board; });
    for (const Item item : pulled)
      if (const Chip found = nearest(item, group(item)->near_to); found != no_chip)
        put(item, found);
      else
        return refused(item);
    return {};
  }
  /// Those that must be on a board, so that others do not take their room; each on the first chip in an order.
  [[nodiscard]] Refusal put_boards(std::span<const Item> order, std::span<const Chip> chips) {
    if (group_of_.empty()) return {};
    for (const Item item : order) {
      const Group* const of = group(item);
      if (of == nullptr || of->board == no_board || chip_of_[item] != no_chip) continue;
      const auto at = std::find_if(chips.begin(), chips.end(), [&](Chip chip) { return fits(item, chip); });
      if (at == chips.end()) return refused(item);
      put(item, *at);
    }
    return {};
  }
  /// The nearest chip where it fits, or no_chip.
  [[nodiscard]] Chip nearest(Item item, Chip centre) const {
    if (fits(item, centre)) return centre;
    const Hexagons hexagons(machine_);
    const Steps from = hexagons.at(centre);
    for (std::uint32_t radius = 1; radius <= machine_.width() + machine_.height(); ++radius) {
      Chip found = no_chip;
      hexagons.each_at(radius, from, [&](Chip chip) {
        if (found == no_chip && fits(item, chip)) found = chip;
      });
      if (found != no_chip) return found;
    }
    return no_chip;
  }

  /// All that have no chip yet, each on the first chip of an order where it fits.
  [[nodiscard]] Refusal fill(std::span<const Item> order, std::span<const Chip> chips) {
    std::vector<std::uint32_t> next(chips.size() + 1); // the next chip that is not full, and shortcuts to it
    std::iota(next.begin(), next.end(), 0U);
    const auto open = [&](std::uint32_t at) {
      while (next[at] != at) at = next[at] = next[next[at]];
      return at;
    };
    struct Known { // before it, what needs as much does not fit
      std::uint64_t sdram = UINT64_MAX;
      std::uint32_t cores = 0, from = 0;
    };
    std::array<Known, 64> known{};
    for (const Item item : order) {
      if (chip_of_[item] != no_chip) continue;
      const std::uint64_t bytes = sdram(item);
      Known& at = known[(bytes * 31 + cores_[item]) % known.size()];
      if (at.sdram != bytes || at.cores != cores_[item]) at = {bytes, cores_[item], 0};
      std::uint32_t place = open(at.from);
      while (place < chips.size() && !fits(item, chips[place])) place = open(place + 1);
      at.from = place;
      if (place == chips.size()) return refused(item);
      put(item, chips[place]);
      if (room_[chips[place]] == 0) next[place] = place + 1;
    }
    return {};
  }
  /// The whole of a sequential placer. Where it leaves no room for something large, that comes first instead.
  /// \errors unmappable
  [[nodiscard]] Refusal fill_all(std::vector<Item> order, std::span<const Chip> chips) {
    Refusal refusal = fill_once(order, chips);
    if (refusal.ok() || is_plain_) return refusal;
    std::stable_sort(order.begin(), order.end(), [&](Item one, Item other) {
      return cores_[one] != cores_[other] ? cores_[one] > cores_[other] : sdram(one) > sdram(other);
    });
    Refusal again = fill_once(order, chips);
    if (again.ok()) return again;
    const std::uint64_t most = (std::max)(std::uint64_t{1}, widest_sdram());
    std::stable_sort(order.begin(), order.end(), [&](Item one, Item other) { // by the larger of its shares of a chip
      return share(one, most) > share(other, most);
    });
    return fill_once(order, chips);
  }

  /// Gives each its core: those that must have one, then each the lowest that is free.
  [[nodiscard]] Placements finished() const {
    Placements made;
    const Vertex count = graph_.vertices();
    made.chip.resize(count), made.core.assign(count, 0);
    std::vector<std::uint32_t> free = groups_.cores;
    const auto fixed = [&](auto&& act) {
      for (std::uint32_t of = 0; of < groups_.groups.size(); ++of)
        for (std::size_t at = groups_.vertices.first[of]; at < groups_.vertices.first[of + 1]; ++at)
          if (groups_.core[at] != Groups::any_core) act(groups_.vertices.items[at], groups_.core[at]);
    };
    std::vector<std::uint8_t> has_core(groups_.groups.empty() ? 0 : count);
    fixed([&](Vertex vertex, std::uint8_t core) {
      made.core[vertex] = core, has_core[vertex] = 1;
      free[chip_of_[item(vertex)]] &= ~(1U << core);
    });
    for (Vertex vertex = 0; vertex < count; ++vertex) {
      const Chip on = made.chip[vertex] = chip_of_[item(vertex)];
      if ((!has_core.empty() && has_core[vertex] != 0) || machine_.is_virtual(on)) continue;
      made.core[vertex] = static_cast<std::uint8_t>(std::countr_zero(free[on]));
      free[on] &= free[on] - 1;
    }
    return made;
  }

  /// That something has no place, and what is left.
  [[nodiscard]] Refusal refused(Item item) const {
    const Group* const of = group(item);
    Vertex first = item;
    std::size_t others = 0;
    if (!item_of_.empty()) {
      const auto at = std::find(item_of_.begin(), item_of_.end(), item);
      first = static_cast<Vertex>(at - item_of_.begin());
    }
    if (of != nullptr) others = groups_.vertices[group_of_[item]].size() - 1;
    const Board board = of == nullptr ? no_board : of->board;
    unsigned most_cores = 0;
    std::uint64_t most_sdram = 0, with_cores = 0;
    Chip widest = no_chip;
    bool has_cores = false;
    for (Chip chip = 0; chip < machine_.grid_chips(); ++chip) {
      if (!machine_.has(chip) || (board != no_board && machine_.board_of(chip) != board)) continue;
      if (widest == no_chip || room_[chip] > most_cores || (room_[chip] == most_cores && sdram_[chip] > most_sdram))
        most_cores = room_[chip], most_sdram = sdram_[chip], widest = chip;
      if (room_[chip] >= cores_[item]) has_cores = true, with_cores = (std::max)(with_cores, sdram_[chip]);
    }
    std::string why = others == 0 ? "needs " : "and " + std::to_string(others) + " more that must be on its chip need ";
    why +=
        counted(cores_[item], "core", "cores") + " and " + std::to_string(sdram(item)) + " bytes of SDRAM of one chip";
    if (board != no_board) why += " of the board of " + machine_.name(machine_.ethernet(board));
    if (has_cores)
      why += ", and the most that is left on one with so many cores is " + std::to_string(with_cores) + " bytes";
    else if (widest == no_chip)
      why += ", and there is none";
    else
      why += ", and the most that is left on one is " + counted(most_cores, "core", "cores") + " and " +
             std::to_string(most_sdram) + " bytes, on " + machine_.name(widest);
    return {{Error::unmappable, first, cores_[item], "cores"}, graph_.name(first), std::move(why)};
  }

private:
  void make_items(std::uint32_t steps) {
    const Vertex count = graph_.vertices();
    std::vector<std::uint64_t> of_kind;
    for (const Resources& kind : graph_.kinds()) of_kind.push_back(sdram_of(kind, steps));
    if (groups_.groups.empty()) {
      cores_.assign(count, 1);
      if (of_kind.size() == 1) {
        same_sdram_ = of_kind[0];
      } else {
        sdram_of_.resize(count);
        for (Vertex vertex = 0; vertex < count; ++vertex) sdram_of_[vertex] = of_kind[graph_.kind(vertex)];
      }
    } else {
      item_of_.resize(count);
      std::vector<Item> item_of_group(groups_.groups.size(), Groups::none);
      for (Vertex vertex = 0; vertex < count; ++vertex) {
        const std::uint32_t of = groups_.of(vertex);
        if (of != Groups::none && item_of_group[of] != Groups::none) {
          item_of_[vertex] = item_of_group[of];
          continue;
        }
        item_of_[vertex] = static_cast<Item>(cores_.size());
        group_of_.push_back(of);
        if (of == Groups::none) {
          cores_.push_back(1), sdram_of_.push_back(of_kind[graph_.kind(vertex)]);
        } else {
          item_of_group[of] = item_of_[vertex];
          cores_.push_back(static_cast<std::uint8_t>(groups_.groups[of].cores));
          sdram_of_.push_back(groups_.groups[of].sdram_bytes);
        }
      }
    }
    // Memory cannot run out where even as many of the largest as there are cores fit.
    std::uint64_t least = UINT64_MAX;
    for (Chip chip = 0; chip < machine_.grid_chips(); ++chip)
      if (machine_.has(chip)) least = (std::min)(least, std::uint64_t{machine_.sdram_bytes(chip)});
    bool are_single = true;
    for (Item item = 0; item < items() && !group_of_.empty(); ++item)
      if (const Group* const of = group(item); of != nullptr && !is_fixed(item))
        are_single = are_single && of->cores == 1 && of->board == no_board;
    is_plain_ = are_single && widest_sdram() <= least / most_cores;
  }
  [[nodiscard]] std::uint64_t widest_sdram() const noexcept {
    return sdram_of_.empty() ? same_sdram_ : *std::max_element(sdram_of_.begin(), sdram_of_.end());
  }
  [[nodiscard]] std::uint64_t share(Item item, std::uint64_t most_sdram) const noexcept {
    return (std::max)((std::uint64_t{cores_[item]} << 20) / machine_.kind().cores,
                      ((std::min)(sdram(item), std::uint64_t{UINT32_MAX}) << 20) / most_sdram);
  }
  [[nodiscard]] Refusal fill_once(std::span<const Item> order, std::span<const Chip> chips) {
    clear();
    if (Refusal refusal = put_fixed(); !refusal) return refusal;
    if (Refusal refusal = put_boards(order, chips); !refusal) return refusal;
    return fill(order, chips);
  }

  const MachineGraph& graph_;
  const Machine& machine_;
  Groups groups_;
  std::vector<Item> item_of_ = {};           // [vertex]; empty where each is one
  std::vector<std::uint32_t> group_of_ = {}; // [item]; empty where there are none
  std::vector<std::uint8_t> cores_ = {};     // [item]
  std::vector<std::uint64_t> sdram_of_ = {}; // [item]; empty where it is the same
  std::uint64_t same_sdram_ = 0;
  bool is_plain_ = false;
  std::vector<std::uint8_t> room_ = {};   // [chip of the rectangle] cores that are left
  std::vector<std::uint64_t> sdram_ = {}; // [chip of the rectangle] bytes that are left
  std::vector<Chip> chip_of_ = {};        // [item]
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
