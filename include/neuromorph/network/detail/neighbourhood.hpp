// SPDX-License-Identifier: BSL-1.0
/// \file
/// Which pairs of neurons are near enough to be connected, and with what chance: what a connector by distance draws from.
///
/// A chance is a whole number of words, with the same bits whatever the compiler contracts to fused multiply-adds. Distances
/// along an axis have 26 bits, so that their squares are exact, and all else is quotients, a square root, and exp_of.
// host-only
#ifndef NEUROMORPH_NETWORK_DETAIL_NEIGHBOURHOOD_HPP
#define NEUROMORPH_NETWORK_DETAIL_NEIGHBOURHOOD_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/network/connectors.hpp>
#include <neuromorph/network/detail/normal.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {
namespace detail {

/// A number from 0 on with 26 significant bits, to nearest; below 1e-100 it is 0, as its square would be.
[[nodiscard]] inline double with_exact_square(double value) noexcept {
  if (value < 1e-100) return 0.0;
  constexpr std::uint64_t dropped = (std::uint64_t{1} << 27) - 1;
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(value) + (dropped + 1) / 2) & ~dropped);
}

class Neighbourhood {
public:
  using Place = std::array<double, 3>;

  Neighbourhood() = default;
  /// \pre what ProjectionPlan checks: of a probability, a scale, periods and places
  Neighbourhood(const ByDistance& given, const std::vector<Place>& sources, const std::vector<Place>& targets)
      : given_(given) {
    const double within = with_exact_square(given.within);
    most_square_ = within * within;
    double reach = given.within;
    if (given.profile != Profile::constant) {
      const double deepest = given.profile == Profile::gaussian ? std::sqrt(2.0 * most_depth) : most_depth;
      reach = (std::min)(reach, deepest * given.scale);
    }
    reach *= 1.001; // above all that rounding does
    sources_.reserve(sources.size());
    for (const Place& place : sources) sources_.push_back(on_axes(place));
    sort_into_cells(targets, reach);
    for (std::uint32_t step = 0; step <= steps; ++step)
      words_[step] = words_at(static_cast<double>(step) / steps_of_one);
  }

  /// Whether each target is near to each source, as far as is looked.
  [[nodiscard]] bool is_one_cell() const noexcept { return cells_[0] * cells_[1] * cells_[2] == 1; }

  /// Calls `found(target)` for each target that a source is connected to; in ascending order, if is_one_cell().
  /// \param word_of  gives the random word of a target
  template <class WordOf, class Found>
  void each(std::uint32_t source, WordOf word_of, Found found) const {
    const Place& from = sources_[source];
    std::array<Near, 3> around;
    for (std::size_t axis = 0; axis < 3; ++axis) around[axis] = cells_near(axis, from[axis]);
    for (std::uint32_t z = 0; z < around[2].count; ++z)
      for (std::uint32_t y = 0; y < around[1].count; ++y)
        for (std::uint32_t x = 0; x < around[0].count; ++x) {
          const std::size_t cell =
              (std::size_t{around[2].cells[z]} * cells_[1] + around[1].cells[y]) * cells_[0] + around[0].cells[x];
          for (std::uint32_t at = first_[cell]; at < first_[cell + 1]; ++at) {
            const double square = square_between(from, targets_[at].place);
            if (square > most_square_) continue;
            const double depth = depth_at(square);
            if (depth > most_depth) continue;
            if (connects(depth, word_of(targets_[at].number))) found(targets_[at].number);
          }
        }
  }

private:
  static constexpr double most_depth = 23.0; // e^-23 of 2^32 words is none
  static constexpr std::uint32_t steps_of_one = 4, steps = 23 * steps_of_one;
  static constexpr std::uint64_t margin = 8; // in words: more than exp_of is off

  struct Target {
    Place place;
    std::uint32_t number;
  };
  struct Near {
    std::array<std::uint32_t, 3> cells;
    std::uint32_t count;
  };

  /// The chance is e^-depth of that at distance 0.
  [[nodiscard]] double depth_at(double square) const noexcept {
    switch (given_.profile) {
    case Profile::constant: return 0.0;
    case Profile::gaussian: return square / given_.scale / given_.scale / 2.0;
    case Profile::exponential: return std::sqrt(square) / given_.scale;
    }
    return 0.0;
  }
  /// How many of 2^32 words connect a pair.
  [[nodiscard]] std::uint64_t words_at(double depth) const noexcept {
    return static_cast<std::uint64_t>(given_.probability / exp_of(depth) * 4294967296.0 + 0.5);
  }
  /// The exponential decides where chances at depths around do not.
  [[nodiscard]] bool connects(double depth, std::uint64_t word) const noexcept {
    const auto step = static_cast<std::size_t>(depth * steps_of_one);
    if (word >= words_[step] + margin) return false;
    if (step != steps && word + margin < words_[step + 1]) return true;
    return word < words_at(depth);
  }
  /// From 0 to the period, on an axis that has one. fmod is exact.
  [[nodiscard]] Place on_axes(Place place) const noexcept {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (const double period = given_.period[axis]; period > 0.0) {
        place[axis] = std::fmod(place[axis], period);
        if (place[axis] < 0.0) place[axis] += period;
      }
    return place;
  }
  [[nodiscard]] double square_between(const Place& from, const Place& to) const noexcept {
    double square = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double apart = from[axis] < to[axis] ? to[axis] - from[axis] : from[axis] - to[axis];
      if (const double period = given_.period[axis]; period > 0.0 && apart > period / 2.0) apart = period - apart;
      apart = with_exact_square(apart);
      square += apart * apart;
    }
    return square;
  }

  /// Cells are at least as wide as the reach, so what is near is in the same cell or beside it.
  void sort_into_cells(const std::vector<Place>& places, double reach) {
    std::vector<Place> on;
    on.reserve(places.size());
    for (const Place& place : places) on.push_back(on_axes(place));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double low = 0.0, high = given_.period[axis];
      if (high == 0.0 && !on.empty()) {
        low = high = on[0][axis];
        for (const Place& place : on) low = (std::min)(low, place[axis]), high = (std::max)(high, place[axis]);
      }
      low_[axis] = low, extent_[axis] = high - low;
      const double wide = reach > 0.0 ? (std::min)(extent_[axis] / reach, 1024.0) : 1024.0;
      cells_[axis] = extent_[axis] > 0.0 ? static_cast<std::uint32_t>(wide) : 1;
    }
    while (std::size_t{cells_[0]} * cells_[1] * cells_[2] > on.size() + 1)
      *std::max_element(cells_.begin(), cells_.end()) /= 2;
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (cells_[axis] < 3) cells_[axis] = 1;
    first_.assign(std::size_t{cells_[0]} * cells_[1] * cells_[2] + 1, 0);
    const auto cell_of = [&](const Place& place) {
      std::size_t cell = 0;
      for (std::size_t axis = 3; axis-- > 0;) {
        const double at = cells_[axis] == 1 ? 0.0 : (place[axis] - low_[axis]) / extent_[axis] * cells_[axis];
        cell = cell * cells_[axis] + (std::min)(static_cast<std::uint32_t>(at), cells_[axis] - 1);
      }
      return cell;
    };
    for (const Place& place : on) ++first_[cell_of(place) + 1];
    for (std::size_t cell = 1; cell < first_.size(); ++cell) first_[cell] += first_[cell - 1];
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    targets_.resize(on.size());
    for (std::uint32_t target = 0; target < on.size(); ++target)
      targets_[next[cell_of(on[target])]++] = {on[target], target};
  }
  [[nodiscard]] Near cells_near(std::size_t axis, double coordinate) const noexcept {
    const std::uint32_t count = cells_[axis];
    if (count == 1) return {{0, 0, 0}, 1};
    const double at = std::floor((coordinate - low_[axis]) / extent_[axis] * count);
    const auto cell = static_cast<std::int64_t>((std::max)(-2.0, (std::min)(at, count + 1.0)));
    Near around{{0, 0, 0}, 0};
    for (std::int64_t beside = cell - 1; beside <= cell + 1; ++beside) {
      const bool is_closed = given_.period[axis] > 0.0;
      if (!is_closed && (beside < 0 || beside >= count)) continue;
      around.cells[around.count++] = static_cast<std::uint32_t>((beside + 2 * std::int64_t{count}) % count);
    }
    return around;
  }

  ByDistance given_;
  double most_square_ = 0.0;
  std::array<std::uint64_t, steps + 1> words_{}; // by depth
  std::vector<Place> sources_;
  Place low_{}, extent_{};
  std::array<std::uint32_t, 3> cells_{1, 1, 1};
  std::vector<std::uint32_t> first_; // [cells + 1], of targets_
  std::vector<Target> targets_;
};

} // namespace detail
} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
