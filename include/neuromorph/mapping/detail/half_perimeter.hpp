// SPDX-License-Identifier: BSL-1.0
/// \file
/// How many links a net takes at least: half of the perimeter of its hexagon.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_HALF_PERIMETER_HPP
#define NEUROMORPH_MAPPING_DETAIL_HALF_PERIMETER_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/hexagons.hpp>
#include <neuromorph/mapping/machine.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

/// The spans in x, in y and in x - y, of which each link changes two by one: half of their sum, rounded up. Of two places
/// that is their distance; of more it is a lower bound for every tree.
struct Spans {
  std::int32_t least_x = INT32_MAX, most_x = INT32_MIN, least_y = INT32_MAX, most_y = INT32_MIN;
  std::int32_t least_z = INT32_MAX, most_z = INT32_MIN;

  constexpr void add(std::int32_t x, std::int32_t y) noexcept {
    least_x = (std::min)(least_x, x), most_x = (std::max)(most_x, x);
    least_y = (std::min)(least_y, y), most_y = (std::max)(most_y, y);
    least_z = (std::min)(least_z, x - y), most_z = (std::max)(most_z, x - y);
  }
  /// \pre one was added
  [[nodiscard]] constexpr std::uint32_t half() const noexcept {
    return static_cast<std::uint32_t>(most_x - least_x + most_y - least_y + most_z - least_z + 1) / 2;
  }
};

/// Of places on a machine that may wrap: a torus is cut open where its net leaves the widest gaps. Of the two widest in each axis
/// those count that give the least, so that it is the distance of two places here, too.
class HalfPerimeter {
public:
  HalfPerimeter(std::uint32_t width, std::uint32_t height, Wraps wraps) noexcept
      : size_{static_cast<std::int32_t>(width), static_cast<std::int32_t>(height)}, wraps_{wraps.wraps_x,
                                                                                           wraps.wraps_y} {}

  /// \param places  one at least
  [[nodiscard]] std::uint32_t operator()(std::span<const Steps> places) {
    Spans plain;
    for (const Steps& one : places) plain.add(one.x, one.y);
    std::uint32_t least = plain.half();
    if ((!wraps_[0] && !wraps_[1]) || least <= 1) return least;
    const Cuts x = cuts(0, places), y = cuts(1, places);
    for (unsigned at_x = 0; at_x < x.count; ++at_x)
      for (unsigned at_y = 0; at_y < y.count; ++at_y) {
        Spans spans;
        for (const Steps& one : places)
          spans.add(one.x < x.at[at_x] ? one.x + size_[0] : one.x, one.y < y.at[at_y] ? one.y + size_[1] : one.y);
        least = (std::min)(least, spans.half());
      }
    return least;
  }

private:
  /// Where to begin: what is before it comes last.
  struct Cuts {
    std::array<std::int32_t, 2> at{};
    unsigned count = 1;
  };
  [[nodiscard]] Cuts cuts(unsigned axis, std::span<const Steps> places) {
    if (!wraps_[axis]) return {};
    sorted_.clear();
    for (const Steps& one : places) sorted_.push_back(axis == 0 ? one.x : one.y);
    std::sort(sorted_.begin(), sorted_.end());
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
    std::array<std::int32_t, 2> widest{-1, -1};
    Cuts found;
    for (std::size_t at = 0; at < sorted_.size(); ++at) {
      const std::int32_t gap = at == 0 ? sorted_[0] + size_[axis] - sorted_.back() : sorted_[at] - sorted_[at - 1];
      if (gap > widest[0])
        widest = {gap, widest[0]}, found.at = {sorted_[at], found.at[0]};
      else if (gap > widest[1])
        widest[1] = gap, found.at[1] = sorted_[at];
    }
    found.count = sorted_.size() == 1 ? 1 : 2;
    return found;
  }

  std::array<std::int32_t, 2> size_;
  std::array<bool, 2> wraps_;
  std::vector<std::int32_t> sorted_{};
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
