// SPDX-License-Identifier: BSL-1.0
/// \file
/// How many links any tree takes that joins some chips: exactly where they are few, else a number that is not above it.
///
/// It is the tree of the machine without faults; with faults it is only longer.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_STEINER_BOUND_HPP
#define NEUROMORPH_MAPPING_DETAIL_STEINER_BOUND_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/hexagons.hpp>
#include <neuromorph/mapping/machine.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

class SteinerBound {
public:
  SteinerBound(std::uint32_t width, std::uint32_t height, Wraps wraps) noexcept
      : hexagons_(width, height, wraps), width_(width), height_(height), wraps_(wraps) {}
  explicit SteinerBound(const Machine& machine) noexcept
      : SteinerBound(machine.width(), machine.height(), machine.wraps()) {}

  struct Bound {
    std::uint32_t links = 0;
    bool is_exact = false; ///< whether a tree of so many links is known to exist on the machine without faults
  };

  /// \param chips  each once, of the rectangle
  /// \param known  links of a tree that joins them
  /// \cost  O(chips^2) where more than six, and up to 2^20 steps where six or fewer and the tree may be too long
  [[nodiscard]] Bound of(std::span<const Chip> chips, std::uint32_t known) {
    const std::size_t count = chips.size();
    if (count < 2) return {0, true};
    places_.clear();
    for (const Chip chip : chips) places_.push_back(hexagons_.at(chip));
    std::uint32_t least = static_cast<std::uint32_t>(count) - 1;
    for (const Steps place : places_) least = (std::max)(least, hexagons_.distance(places_[0], place));
    if (count == 2) return {least, true};
    if (least < known) least = (std::max)(least, half_perimeter());
    if (least < known && count <= most_compared) least = (std::max)(least, from_spanning_tree());
    if (least >= known) return {least, true};
    if (count <= most_exact && work_ < most_work && lift(known)) return {(std::min)(exact(), known), true};
    return {least, false};
  }

private:
  static constexpr std::size_t most_exact = 6, most_compared = 64, most_cells = 4096;
  static constexpr std::uint64_t most_work = std::uint64_t{1} << 31; // of all calls together

  /// A link goes on by one in two of x, y and x - y, and a tree crosses all that lies between its chips in each.
  [[nodiscard]] std::uint32_t half_perimeter() {
    const auto ring = [](std::uint32_t size, bool wraps) { return wraps ? size : 0; };
    const std::uint32_t x = ring(width_, wraps_.wraps_x), y = ring(height_, wraps_.wraps_y);
    const std::uint64_t sum = std::uint64_t{extent(x, [](Steps at) { return at.x; })} +
                              extent(y, [](Steps at) { return at.y; }) +
                              extent(std::gcd(x, y), [](Steps at) { return at.x - at.y; });
    return static_cast<std::uint32_t>((sum + 1) / 2);
  }
  /// From the first to the last; on a ring of some size all but the widest gap.
  template <class Axis>
  [[nodiscard]] std::uint32_t extent(std::uint32_t ring, Axis axis) {
    along_.clear();
    for (const Steps place : places_) {
      std::int32_t at = axis(place);
      if (ring != 0) {
        at %= static_cast<std::int32_t>(ring);
        if (at < 0) at += static_cast<std::int32_t>(ring);
      }
      along_.push_back(at);
    }
    std::sort(along_.begin(), along_.end());
    const std::int32_t all = along_.back() - along_.front();
    if (ring == 0) return static_cast<std::uint32_t>(all);
    std::int32_t gap = static_cast<std::int32_t>(ring) - all;
    for (std::size_t at = 1; at < along_.size(); ++at) gap = (std::max)(gap, along_[at] - along_[at - 1]);
    return ring - static_cast<std::uint32_t>(gap);
  }
  /// Round a tree there is a way of twice its length; without its longest part it is a spanning tree of what it visits.
  [[nodiscard]] std::uint32_t from_spanning_tree() {
    const std::size_t count = places_.size();
    to_tree_.assign(count, UINT32_MAX);
    std::uint64_t sum = 0;
    std::size_t added = 0;
    for (std::size_t more = 1; more < count; ++more) {
      to_tree_[added] = 0; // it is in
      std::size_t next = 0;
      for (std::size_t at = 1; at < count; ++at) {
        if (to_tree_[at] == 0) continue;
        to_tree_[at] = (std::min)(to_tree_[at], hexagons_.distance(places_[added], places_[at]));
        if (next == 0 || to_tree_[at] < to_tree_[next]) next = at;
      }
      sum += to_tree_[next], added = next;
    }
    return static_cast<std::uint32_t>((sum * count + 2 * (count - 1) - 1) / (2 * (count - 1)));
  }

  /// Lays the chips out on the plane, where each has one place only that a tree of fewer links than are known can come to.
  [[nodiscard]] bool lift(std::uint32_t known) {
    const Steps root = places_[0];
    if ((wraps_.wraps_x && known > 2 * width_) || (wraps_.wraps_y && known > 2 * height_)) return false;
    Steps low{}, high{};
    for (Steps& place : places_) {
      place = hexagons_.steps(root, place);
      const std::int32_t over_x = wraps_.wraps_x ? 2 : 0, over_y = wraps_.wraps_y ? 2 : 0;
      for (std::int32_t x = -over_x; x <= over_x; ++x)
        for (std::int32_t y = -over_y; y <= over_y; ++y)
          if ((x != 0 || y != 0) &&
              Steps{place.x + x * static_cast<std::int32_t>(width_), place.y + y * static_cast<std::int32_t>(height_)}
                      .length() < known)
            return false;
      low = {(std::min)(low.x, place.x), (std::min)(low.y, place.y)};
      high = {(std::max)(high.x, place.x), (std::max)(high.y, place.y)};
    }
    for (Steps& place : places_) place = {place.x - low.x, place.y - low.y};
    columns_ = static_cast<std::size_t>(high.x - low.x) + 1, rows_ = static_cast<std::size_t>(high.y - low.y) + 1;
    return columns_ * rows_ <= most_cells;
  }
  /// \source S. E. Dreyfus, R. A. Wagner, The Steiner problem in graphs, Networks 1 (1971): trees from each cell to each set of
  ///         chips; a shortest tree need not leave the rectangle round them, as what lies outside can be folded into it
  [[nodiscard]] std::uint32_t exact() {
    const std::size_t others = places_.size() - 1, sets = std::size_t{1} << others, cells = columns_ * rows_;
    work_ += cells * sets * (others + 6);
    costs_.assign(sets * cells, unreached);
    for (std::size_t set = 1; set < sets; ++set) {
      std::uint16_t* const here = costs_.data() + set * cells;
      if (std::has_single_bit(set)) here[cell(places_[1 + static_cast<std::size_t>(std::countr_zero(set))])] = 0;
      for (std::size_t part = (set - 1) & set; part > (set ^ part); part = (part - 1) & set) {
        const std::uint16_t *const one = costs_.data() + part * cells, *const other =
                                                                           costs_.data() + (set ^ part) * cells;
        for (std::size_t at = 0; at < cells; ++at)
          here[at] = (std::min)(here[at], static_cast<std::uint16_t>(one[at] + other[at]));
      }
      relax(here);
    }
    return costs_[(sets - 1) * cells + cell(places_[0])];
  }
  [[nodiscard]] std::size_t cell(Steps at) const noexcept {
    return static_cast<std::size_t>(at.y) * columns_ + static_cast<std::size_t>(at.x);
  }
  /// Each cell no more than one more than those beside it. A shortest way takes links of two neighbouring directions: one pass
  /// has one of them or both.
  void relax(std::uint16_t* cost) const {
    const auto take = [](std::uint16_t& cost_here, std::uint16_t beside) {
      cost_here = (std::min)(cost_here, static_cast<std::uint16_t>(beside + 1));
    };
    for (std::size_t y = 0; y < rows_; ++y)
      for (std::size_t x = 0; x < columns_; ++x) {
        std::uint16_t& here = cost[y * columns_ + x];
        if (x > 0) take(here, cost[y * columns_ + x - 1]);
        if (y > 0) take(here, cost[(y - 1) * columns_ + x]);
        if (x > 0 && y > 0) take(here, cost[(y - 1) * columns_ + x - 1]);
      }
    for (std::size_t y = rows_; y-- > 0;)
      for (std::size_t x = columns_; x-- > 0;) {
        std::uint16_t& here = cost[y * columns_ + x];
        if (x + 1 < columns_) take(here, cost[y * columns_ + x + 1]);
        if (y + 1 < rows_) take(here, cost[(y + 1) * columns_ + x]);
        if (x + 1 < columns_ && y + 1 < rows_) take(here, cost[(y + 1) * columns_ + x + 1]);
      }
  }
  static constexpr std::uint16_t unreached = 0x3FFF; // of which two can be added

  Hexagons hexagons_;
  std::uint32_t width_, height_;
  Wraps wraps_;
  std::vector<Steps> places_{};
  std::vector<std::int32_t> along_{};
  std::vector<std::uint32_t> to_tree_{};
  std::vector<std::uint16_t> costs_{}; // [set][cell]
  std::size_t columns_ = 0, rows_ = 0;
  std::uint64_t work_ = 0;
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
