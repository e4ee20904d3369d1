// SPDX-License-Identifier: BSL-1.0
/// \file
/// Distances and ways between chips of a machine without faults: on a plane of hexagons, a strip or a torus of them.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_HEXAGONS_HPP
#define NEUROMORPH_MAPPING_DETAIL_HEXAGONS_HPP

#include <algorithm>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/machine.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

/// A chip, or the steps from one to another: x to the east and y to the north. A step to the north east is one of both.
struct Steps {
  std::int32_t x = 0, y = 0;
  /// Of a shortest way on the plane: links that it takes.
  [[nodiscard]] constexpr std::uint32_t length() const noexcept {
    const auto magnitude = [](std::int32_t steps) { return static_cast<std::uint32_t>(steps < 0 ? -steps : steps); };
    return (std::max)((std::max)(magnitude(x), magnitude(y)), magnitude(x - y));
  }
  friend constexpr bool operator==(const Steps&, const Steps&) = default;
};

/// A way on the plane that bends once at most: so many links of each of two kinds.
struct Legs {
  Link link[2] = {};
  std::uint32_t count[2] = {};
  [[nodiscard]] constexpr Legs turned() const noexcept { return {{link[1], link[0]}, {count[1], count[0]}}; }
};
/// East or west first, then north east or south west, then north or south.
[[nodiscard]] constexpr Legs legs_of(Steps steps) noexcept {
  Legs legs;
  std::int32_t both = 0;
  if (steps.x > 0 && steps.y > 0) both = (std::min)(steps.x, steps.y);
  if (steps.x < 0 && steps.y < 0) both = (std::max)(steps.x, steps.y);
  const std::int32_t along[3] = {steps.x - both, both, steps.y - both}; // as are east, north east and north
  unsigned found = 0;
  for (unsigned kind = 0; kind < 3; ++kind)
    if (along[kind] != 0) {
      legs.link[found] = along[kind] > 0 ? Link(kind) : opposite(Link(kind));
      legs.count[found++] = static_cast<std::uint32_t>(along[kind] > 0 ? along[kind] : -along[kind]);
    }
  return legs;
}

/// The chips of a machine as places.
class Hexagons {
public:
  Hexagons(std::uint32_t width, std::uint32_t height, Wraps wraps) noexcept
      : width_(static_cast<std::int32_t>(width)), height_(static_cast<std::int32_t>(height)), wraps_(wraps) {}
  explicit Hexagons(const Machine& machine) noexcept : Hexagons(machine.width(), machine.height(), machine.wraps()) {}

  [[nodiscard]] Steps at(Chip chip) const noexcept {
    return {static_cast<std::int32_t>(chip % static_cast<std::uint32_t>(width_)),
            static_cast<std::int32_t>(chip / static_cast<std::uint32_t>(width_))};
  }
  /// Of a place that may be outside; no_chip where nothing wraps.
  [[nodiscard]] Chip chip(Steps place) const noexcept {
    if (!wrap(place.x, width_, wraps_.wraps_x) || !wrap(place.y, height_, wraps_.wraps_y)) return no_chip;
    return static_cast<Chip>(place.y) * static_cast<Chip>(width_) + static_cast<Chip>(place.x);
  }
  /// \pre both are inside
  [[nodiscard]] std::uint32_t distance(Steps from, Steps to) const noexcept {
    const Two x = two(to.x - from.x, width_, wraps_.wraps_x), y = two(to.y - from.y, height_, wraps_.wraps_y);
    std::uint32_t least = Steps{x.first, y.first}.length();
    if (wraps_.wraps_x) least = (std::min)(least, Steps{x.second, y.first}.length());
    if (wraps_.wraps_y) least = (std::min)(least, Steps{x.first, y.second}.length());
    if (wraps_.wraps_x && wraps_.wraps_y) least = (std::min)(least, Steps{x.second, y.second}.length());
    return least;
  }
  /// A shortest way; of several always the same one.
  [[nodiscard]] Steps steps(Steps from, Steps to) const noexcept {
    const Two x = two(to.x - from.x, width_, wraps_.wraps_x), y = two(to.y - from.y, height_, wraps_.wraps_y);
    Steps best{x.first, y.first};
    for (const Steps other : {Steps{x.second, y.first}, Steps{x.first, y.second}, Steps{x.second, y.second}})
      if (other.length() < best.length()) best = other;
    return best;
  }
  /// Calls with each chip so many links away, some of them more than once and some nearer where the machine wraps.
  template <class Call>
  void each_at(std::uint32_t radius, Steps centre, Call call) const {
    const auto edge = static_cast<std::int32_t>(radius);
    Steps place{centre.x, centre.y - edge};
    for (unsigned side = 0; side < link_count; ++side) {
      const unsigned along = (side + 1) % link_count; // from the south: to the north east first
      for (std::int32_t step = 0; step < edge; ++step) {
        const Chip one = chip(place);
        if (one != no_chip) call(one);
        place.x += link_x[along], place.y += link_y[along];
      }
    }
  }

private:
  struct Two {
    std::int32_t first, second;
  };
  /// The ways along an axis that may be shortest: to the east and to the west.
  [[nodiscard]] static Two two(std::int32_t steps, std::int32_t size, bool wraps) noexcept {
    if (!wraps) return {steps, steps};
    const std::int32_t up = steps < 0 ? steps + size : steps;
    return {up, up - size};
  }
  [[nodiscard]] static bool wrap(std::int32_t& at, std::int32_t size, bool wraps) noexcept {
    if (at >= 0 && at < size) return true;
    if (!wraps) return false;
    at %= size;
    if (at < 0) at += size;
    return true;
  }

  std::int32_t width_, height_;
  Wraps wraps_;
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
