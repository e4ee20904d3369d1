// SPDX-License-Identifier: BSL-1.0
/// \file
/// Items with positions in a plane, put on chips in tiles that are about square.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_BY_POSITION_HPP
#define NEUROMORPH_MAPPING_DETAIL_BY_POSITION_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/placing.hpp>
#include <neuromorph/mapping/machine.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

/// Sorts items by their keys, in the order in which they are where these are equal.
class RadixSort {
public:
  void operator()(std::span<Item> items, std::span<const std::uint32_t> key, std::uint32_t most_key) {
    constexpr unsigned bits = 11;
    other_.resize((std::max)(other_.size(), items.size()));
    for (unsigned shift = 0; shift < 32 && (most_key >> shift) != 0; shift += bits) {
      std::array<std::uint32_t, 1U << bits> count{};
      for (const Item item : items) ++count[key[item] >> shift & (count.size() - 1)];
      std::uint32_t sum = 0;
      for (std::uint32_t& one : count) sum += std::exchange(one, sum);
      for (const Item item : items) other_[count[key[item] >> shift & (count.size() - 1)]++] = item;
      std::copy_n(other_.begin(), items.size(), items.begin());
    }
  }

private:
  std::vector<Item> other_{};
};

/// Rows of tiles by y, tiles of a row by x; a row of tiles is a row of chips.
class ByPosition {
public:
  /// \param x, y  [item] in units of which an axis has 2^16 at most
  ByPosition(Placing& placing, std::vector<std::uint32_t> x, std::vector<std::uint32_t> y)
      : placing_(placing), machine_(placing.machine()), x_(std::move(x)), y_(std::move(y)) {}

  /// Leaves those without a chip for which there is no room in their rows.
  void put() {
    std::vector<Item> free;
    std::uint64_t cores = 0;
    for (Item item = 0; item < placing_.items(); ++item)
      if (placing_.chip(item) == no_chip) free.push_back(item), cores += placing_.cores(item);
    if (free.empty()) return;
    std::uint32_t least_y = UINT32_MAX, most_y = 0, least_x = UINT32_MAX, most_x = 0;
    for (const Item item : free) {
      least_y = (std::min)(least_y, y_[item]), most_y = (std::max)(most_y, y_[item]);
      least_x = (std::min)(least_x, x_[item]), most_x = (std::max)(most_x, x_[item]);
    }
    // The room of rows of chips, and of all that follow one.
    std::vector<std::uint64_t> room(machine_.height()), later(machine_.height() + 1);
    for (Chip chip = 0; chip < machine_.grid_chips(); ++chip) room[machine_.y(chip)] += placing_.room(chip);
    for (std::uint32_t row = machine_.height(); row-- > 0;) later[row] = later[row + 1] + room[row];
    const std::uint64_t whole = (std::max)(std::uint64_t{1}, *std::max_element(room.begin(), room.end()));
    // Tiles are square where there are as many rows as height is to width, by the area of one.
    const double height = static_cast<double>(most_y - least_y) + 1.0,
                 width = static_cast<double>(most_x - least_x) + 1.0;
    const double chips = static_cast<double>(cores) / (static_cast<double>(whole) / machine_.width());
    const double wanted = std::floor(std::sqrt(chips * height / width) + 0.5);
    const std::uint64_t fewest = (cores + whole - 1) / whole;
    const auto rows = static_cast<std::uint32_t>((std::min)(
        std::uint64_t{machine_.height()}, (std::max)(fewest, static_cast<std::uint64_t>((std::max)(1.0, wanted)))));

    RadixSort sort;
    sort(free, y_, most_y);
    std::size_t begin = 0;
    std::uint64_t left = cores;
    for (std::uint32_t row = 0; row < machine_.height() && begin < free.size(); ++row) {
      // To its border by position, and beyond it where later rows have too little room.
      const std::uint64_t border = least_y + (std::uint64_t{most_y} - least_y + 1) * (row + 1) / rows;
      std::uint64_t taken = 0;
      std::size_t end = begin;
      for (; end < free.size(); ++end) {
        const unsigned needs = placing_.cores(free[end]);
        if (taken + needs > room[row]) break;
        if (y_[free[end]] >= border && row + 1 < rows && left - taken <= later[row + 1]) break;
        taken += needs;
      }
      left -= taken;
      const std::span<Item> of_row(free.data() + begin, end - begin);
      sort(of_row, x_, most_x);
      put_row(of_row, row, taken);
      begin = end;
    }
  }

private:
  /// As many on each chip, of as few chips as have room.
  void put_row(std::span<const Item> items, std::uint32_t row, std::uint64_t cores) {
    const Chip first = machine_.chip_at(0, row), end = first + machine_.width();
    std::uint64_t chips = 0, room = 0;
    for (Chip chip = first; chip < end && room < cores; ++chip)
      if (placing_.room(chip) != 0) ++chips, room += placing_.room(chip);
    if (chips == 0) return;
    std::uint64_t spare = room - cores;
    std::size_t at = 0;
    for (Chip chip = first; chip < end && at < items.size(); ++chip) {
      if (placing_.room(chip) == 0) continue;
      const std::uint64_t left_free = chips == 0 ? 0 : spare / chips;
      spare -= left_free, chips -= chips == 0 ? 0 : 1;
      for (; at < items.size() && placing_.room(chip) > left_free && placing_.fits(items[at], chip); ++at)
        placing_.put(items[at], chip);
    }
  }

  Placing& placing_;
  const Machine& machine_;
  std::vector<std::uint32_t> x_, y_;
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
