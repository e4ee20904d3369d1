// SPDX-License-Identifier: BSL-1.0
/// \file
/// Orders of the places of a rectangle in which those that follow each other are near.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_CURVES_HPP
#define NEUROMORPH_MAPPING_DETAIL_CURVES_HPP

#include <algorithm>
#include <cstdint>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/hexagons.hpp>
#include <neuromorph/mapping/machine.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

/// Hilbert's curve through a rectangle of any size. Each step is of one place, or of one diagonal where sides are odd.
/// \source J. Cerveny, generalized Hilbert curve for rectangular domains: halves of the longer side, or three parts of it
class HilbertCurve {
public:
  [[nodiscard]] static std::vector<Chip> through(std::uint32_t width, std::uint32_t height) {
    HilbertCurve curve(width);
    curve.order_.reserve(std::size_t{width} * height);
    const Steps right{static_cast<std::int32_t>(width), 0}, up{0, static_cast<std::int32_t>(height)};
    if (width >= height)
      curve.fill({0, 0}, right, up);
    else
      curve.fill({0, 0}, up, right);
    return std::move(curve.order_);
  }

private:
  explicit HilbertCurve(std::uint32_t width) noexcept : width_(static_cast<std::int32_t>(width)) {}

  [[nodiscard]] static Steps unit(Steps side) noexcept {
    return {(side.x > 0) - (side.x < 0), (side.y > 0) - (side.y < 0)};
  }
  [[nodiscard]] static std::int32_t length(Steps side) noexcept {
    return (std::max)(side.x + side.y, -side.x - side.y);
  }
  [[nodiscard]] static Steps plus(Steps one, Steps other) noexcept { return {one.x + other.x, one.y + other.y}; }
  [[nodiscard]] static Steps minus(Steps one, Steps other) noexcept { return {one.x - other.x, one.y - other.y}; }
  /// The first part of a side: of an even length where both can be.
  [[nodiscard]] static Steps half(Steps side) noexcept {
    const Steps one = unit(side);
    const std::int32_t all = length(side);
    std::int32_t part = all / 2;
    if (part % 2 != 0 && all > 2) ++part;
    return {one.x * part, one.y * part};
  }

  /// Enters at a corner and leaves at the other end of `along`.
  void fill(Steps from, Steps along, Steps across) {
    const std::int32_t long_side = length(along), short_side = length(across);
    const Steps step = unit(along), side_step = unit(across);
    if (short_side == 1 || long_side == 1) {
      const Steps way = short_side == 1 ? step : side_step;
      for (std::int32_t left = short_side == 1 ? long_side : short_side; left != 0; --left, from = plus(from, way))
        order_.push_back(static_cast<Chip>(from.y * width_ + from.x));
      return;
    }
    const Steps first = half(along);
    if (2 * long_side > 3 * short_side) {
      fill(from, first, across);
      fill(plus(from, first), minus(along, first), across);
      return;
    }
    const Steps first_across = half(across), rest = minus(along, first);
    fill(from, first_across, first);
    fill(plus(from, first_across), along, minus(across, first_across));
    const Steps end = plus(from, plus(minus(along, step), minus(first_across, side_step)));
    fill(end, {-first_across.x, -first_across.y}, {-rest.x, -rest.y});
  }

  std::int32_t width_;
  std::vector<Chip> order_{};
};

/// The chips of the rectangle by their distance from one of them, rings in the order of the links.
[[nodiscard]] inline std::vector<Chip> by_distance(const Machine& machine, Chip centre) {
  const Hexagons hexagons(machine);
  const Steps from = hexagons.at(centre);
  std::vector<Chip> order;
  order.reserve(machine.grid_chips());
  std::vector<std::uint8_t> was_met(machine.grid_chips());
  for (std::uint32_t radius = 0; order.size() < machine.grid_chips(); ++radius) {
    const auto meet = [&](Chip chip) {
      if (was_met[chip] == 0) was_met[chip] = 1, order.push_back(chip);
    };
    if (radius == 0)
      meet(centre);
    else
      hexagons.each_at(radius, from, meet);
  }
  return order;
}

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
