// SPDX-License-Identifier: BSL-1.0
/// \file
/// Swaps between chips that are near where an item's neighbours are: short wires of large graphs, pass by pass.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_POLISH_HPP
#define NEUROMORPH_MAPPING_DETAIL_POLISH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/annealer.hpp>
#include <neuromorph/mapping/detail/draw.hpp>
#include <neuromorph/mapping/detail/placing.hpp>
#include <neuromorph/mapping/detail/spreading.hpp>
#include <neuromorph/mapping/machine.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

/// \pre items take a core each, and memory cannot run out
class Polish {
public:
  Polish(const Placing& placing, const OrderedGraph& ordered, std::uint64_t seed)
      : ordered_(ordered), graph_(ordered.graph), width_(static_cast<std::int32_t>(placing.machine().width())),
        height_(static_cast<std::int32_t>(placing.machine().height())), draw_(seed) {
    const Machine& machine = placing.machine();
    half_x_ = machine.wraps().wraps_x ? width_ / 2 : INT32_MAX,
    half_y_ = machine.wraps().wraps_y ? height_ / 2 : INT32_MAX;
    const Item count = graph_.nodes();
    slots_of_.resize(machine.grid_chips() + std::size_t{1});
    place_.resize(count), slot_.assign(count, none);
    std::vector<std::uint32_t> used(machine.grid_chips());
    for (Item node = 0; node < count; ++node) {
      const Chip chip = placing.chip(ordered.item[node]);
      place_[node] = at(machine.is_virtual(chip) ? machine.device(chip).chip : chip);
      if (graph_.size[node] != 0) ++used[chip];
    }
    for (Chip chip = 0; chip < machine.grid_chips(); ++chip)
      slots_of_[chip + std::size_t{1}] = slots_of_[chip] + used[chip] + placing.room(chip);
    slots_.assign(slots_of_.back(), none);
    std::fill(used.begin(), used.end(), 0U);
    for (Item node = 0; node < count; ++node)
      if (graph_.size[node] != 0) {
        const Chip chip = number(place_[node]);
        slot_[node] = slots_of_[chip] + used[chip]++;
        slots_[slot_[node]] = node;
      }
  }

  /// Of all edges, by their weights.
  [[nodiscard]] std::int64_t length() const noexcept {
    std::int64_t sum = 0;
    for (Item node = 0; node < graph_.nodes(); ++node) sum += length(node, place_[node]);
    return sum;
  }
  /// \param heat  what a swap may cost, in 1/256 of a link
  /// \return by how much the sum of lengths fell
  std::int64_t pass(std::uint32_t heat, bool is_backward) {
    std::int64_t gained = 0;
    const Item count = graph_.nodes();
    for (Item one = 0; one < count; ++one) {
      const Item node = is_backward ? count - 1 - one : one;
      if (slot_[node] != none) gained += improve(node, heat);
    }
    return gained;
  }
  /// Moves items to where they came to lie.
  void put(Placing& placing) const {
    for (Item node = 0; node < graph_.nodes(); ++node)
      if (slot_[node] != none) placing.take(ordered_.item[node]);
    for (Item node = 0; node < graph_.nodes(); ++node)
      if (slot_[node] != none) placing.put(ordered_.item[node], number(place_[node]));
  }

private:
  static constexpr std::uint32_t none = UINT32_MAX;

  [[nodiscard]] Steps at(Chip chip) const noexcept {
    return {static_cast<std::int32_t>(chip % static_cast<std::uint32_t>(width_)),
            static_cast<std::int32_t>(chip / static_cast<std::uint32_t>(width_))};
  }
  [[nodiscard]] Chip number(Steps place) const noexcept { return static_cast<Chip>(place.y * width_ + place.x); }
  [[nodiscard]] Steps between(Steps from, Steps to) const noexcept {
    std::int32_t x = to.x - from.x, y = to.y - from.y;
    x += (x < -half_x_ ? width_ : 0) - (x > half_x_ ? width_ : 0);
    y += (y < -half_y_ ? height_ : 0) - (y > half_y_ ? height_ : 0);
    return {x, y};
  }
  /// Of the edges of a node if it were there.
  [[nodiscard]] std::int64_t length(Item node, Steps place) const noexcept {
    std::int64_t sum = 0;
    for (std::uint32_t edge = graph_.first[node]; edge < graph_.first[node + 1]; ++edge)
      sum += std::int64_t{graph_.weight_of(edge)} * between(place, place_[graph_.to[edge]]).length();
    return sum;
  }
  [[nodiscard]] std::int64_t common(Item from, Item to) const noexcept {
    std::int64_t sum = 0;
    for (std::uint32_t edge = graph_.first[from]; edge < graph_.first[from + 1]; ++edge)
      if (graph_.to[edge] == to) sum += graph_.weight_of(edge);
    return sum;
  }

  std::int64_t improve(Item node, std::uint32_t heat) {
    const std::uint32_t begin = graph_.first[node], end = graph_.first[node + 1];
    if (begin == end) return 0;
    const Steps here = place_[node];
    std::int64_t now = 0, sum_x = 0, sum_y = 0, weights = 0;
    for (std::uint32_t edge = begin; edge < end; ++edge) {
      const std::int64_t weight = graph_.weight_of(edge);
      const Steps to = between(here, place_[graph_.to[edge]]);
      now += weight * to.length(), sum_x += weight * to.x, sum_y += weight * to.y, weights += weight;
    }
    if (now == 0) return 0;
    // The middle of its neighbours, and the chips around it.
    const auto mean_of = [&](std::int64_t sum) {
      const std::int64_t twice = 2 * sum + weights, whole = twice / (2 * weights);
      return static_cast<std::int32_t>(twice < 0 && whole * 2 * weights != twice ? whole - 1 : whole);
    };
    const Steps middle{mean_of(sum_x), mean_of(sum_y)};
    const std::uint64_t bits = draw_.bits();
    const std::int64_t spare =
        heat == 0 ? 0 : static_cast<std::int64_t>((std::uint64_t{heat} * logarithms.drawn(bits)) >> 16);
    std::int64_t best = 0;
    std::uint32_t best_slot = none;
    for (std::int32_t dy = -1; dy <= 1; ++dy)
      for (std::int32_t dx = -1; dx <= 1; ++dx) {
        Steps to{here.x + middle.x + dx, here.y + middle.y + dy};
        if (!inside(to.x, width_, half_x_) || !inside(to.y, height_, half_y_) || to == here) continue;
        const Chip chip = number(to);
        const std::uint32_t slots = slots_of_[chip + std::size_t{1}] - slots_of_[chip];
        if (slots == 0) continue;
        const std::uint32_t slot =
            slots_of_[chip] + (slots == 1 ? 0 : static_cast<std::uint32_t>((bits >> 32) * slots >> 32));
        const Item other = slots_[slot];
        std::int64_t delta = length(node, to) - now;
        if (other != none) {
          if (delta >= spare && delta > 8 * weights) continue;
          delta += length(other, here) - length(other, to);
          const std::int64_t both = common(node, other) + common(other, node);
          if (both != 0) delta += both * between(here, to).length();
        }
        if (best_slot == none || delta < best) best = delta, best_slot = slot;
      }
    if (best_slot == none || best * 256 >= spare + (heat == 0 ? 0 : 1)) return 0;
    const std::uint32_t from = slot_[node];
    const Item other = slots_[best_slot];
    const Chip chip =
        static_cast<Chip>(std::upper_bound(slots_of_.begin(), slots_of_.end(), best_slot) - slots_of_.begin() - 1);
    if (other != none) place_[other] = here, slot_[other] = from;
    slots_[from] = other;
    slots_[best_slot] = node, slot_[node] = best_slot, place_[node] = at(chip);
    return -best;
  }
  [[nodiscard]] static bool inside(std::int32_t& at, std::int32_t size, std::int32_t half) noexcept {
    if (half != INT32_MAX) at = at < 0 ? at + size : at >= size ? at - size : at;
    return at >= 0 && at < size;
  }

  const OrderedGraph& ordered_;
  const WeightedGraph& graph_;
  std::int32_t width_, height_, half_x_ = 0, half_y_ = 0;
  Draw draw_;
  std::vector<std::uint32_t> slots_of_{}; // [chip], and one more
  std::vector<Item> slots_{};             // [slot]
  std::vector<std::uint32_t> slot_{};     // [node]
  std::vector<Steps> place_{};            // [node]
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
