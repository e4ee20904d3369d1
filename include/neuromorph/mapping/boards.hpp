// SPDX-License-Identifier: BSL-1.0
/// \file
/// Machines of boards: of 4 chips (SpiNN-3), of 48 (SpiNN-5), and of many that tile the plane by threes, with and without wraps.
///
///     auto one = mapping::board_of_48();
///     auto torus = mapping::machine_of_triads(20, 20, {.wraps_x = true, .wraps_y = true}); // 240 x 240 chips
///     auto seven = mapping::machine_of_boards(7);
///     auto same = mapping::machine_of_size(16, 16); // three boards without wraps, as one knows by the size
///
/// Three boards of 48 chips, a triad, fill a pattern of 12 x 12 chips. An axis of n of them has 12 n chips with wraps, and
/// 12 n + 4 without, where the corners that no board fills are missing.
// host-only
#ifndef NEUROMORPH_MAPPING_BOARDS_HPP
#define NEUROMORPH_MAPPING_BOARDS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

/// A chip of a board, from its Ethernet chip on.
struct ChipOfBoard {
  std::uint8_t x = 0, y = 0;
};

/// SpiNN-5: a hexagon whose row y has x from max(0, y - 3) to min(7, y + 4).
inline constexpr std::uint32_t side_of_48 = 8;
[[nodiscard]] constexpr bool is_on_48(std::int64_t x, std::int64_t y) noexcept {
  return y >= 0 && y < side_of_48 && x >= (std::max)(std::int64_t{0}, y - 3) &&
         x <= (std::min)(std::int64_t{side_of_48 - 1}, y + 4);
}
inline constexpr std::uint32_t side_of_triad = 12;
inline constexpr std::uint32_t edge_without_wrap = 4;
inline constexpr std::array<ChipOfBoard, 3> ethernets_of_triad{ChipOfBoard{0, 0}, {4, 8}, {8, 4}};
/// Up to 256 chips an axis.
inline constexpr std::uint32_t most_triads = 21;

/// Where something can be connected to a board.
struct Connector {
  ChipOfBoard chip{};
  Link link = Link::east;
};
/// The connectors for devices ("SpiNNaker links").
inline constexpr Connector spinnaker_link_of_48{{0, 0}, Link::south_west};
inline constexpr std::array<Connector, 2> spinnaker_links_of_4{Connector{{0, 0}, Link::west}, {{1, 0}, Link::east}};

/// Where a link of one of the three FPGAs of a SpiNN-5 board ends: they are numbered along its edge, from chip 0, 0 to the
/// north by FPGA 1, on by 2, and back by 0.
/// \pre fpga < 3 and link < 16
/// \source SpiNNMachine, version 5
[[nodiscard]] constexpr Connector fpga_link_of_48(unsigned fpga, unsigned link) noexcept {
  unsigned left = (fpga + 2) % 3 * 16 + link;
  std::int64_t x = 0, y = 0;
  for (unsigned at = unsigned(Link::south_west);; at = (at + link_count - 1) % link_count) {
    while (is_on_48(x + link_x[at], y + link_y[at])) // inside: along to the next chip, and from its outermost link on
      x += link_x[at], y += link_y[at], at = (at + 2) % link_count;
    if (left-- == 0) return {{static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y)}, Link(at)};
  }
}

namespace detail {

/// Gives each chip a board by the pattern of triads, and removes those that are on none or on one that is left out.
/// \param left_out  whether the board is, by the number of its triad and of it in that
template <class LeftOut>
void tile(Machine& machine, std::uint32_t columns, std::uint32_t rows, LeftOut left_out) {
  const std::uint32_t width = machine.width(), height = machine.height();
  std::vector<std::uint8_t> is_there(machine.grid_chips(), 0);
  for (std::uint32_t triad = 0; triad < columns * rows; ++triad)
    for (std::uint32_t board = 0; board < 3; ++board) {
      if (left_out(triad, board)) continue;
      const std::uint32_t at_x = triad % columns * side_of_triad + ethernets_of_triad[board].x,
                          at_y = triad / columns * side_of_triad + ethernets_of_triad[board].y;
      const Chip ethernet = machine.chip_at(at_x, at_y);
      for (std::uint32_t y = 0; y < side_of_48; ++y)
        for (std::uint32_t x = 0; x < side_of_48; ++x) {
          if (!is_on_48(x, y)) continue;
          const Chip chip = machine.chip_at((at_x + x) % width, (at_y + y) % height);
          machine.set_ethernet_of(chip, ethernet);
          is_there[chip] = 1;
        }
    }
  for (Chip chip = 0; chip < machine.grid_chips(); ++chip)
    if (is_there[chip] == 0) machine.remove_chip(chip);
}
[[nodiscard]] constexpr std::uint32_t side_of(std::uint32_t triads, bool wraps) noexcept {
  return triads * side_of_triad + (wraps ? 0 : edge_without_wrap);
}
[[nodiscard]] inline Refusal refused_boards(std::uint64_t value, const char* parameter, std::string why) {
  return {{Error::parameter_out_of_range, 0, value, parameter}, "machine", std::move(why)};
}

} // namespace detail

/// SpiNN-3: 2 x 2 chips, with wraps from north to south; links across the other edges are for devices.
template <class Kind = SpiNNaker1>
[[nodiscard]] Answer<Machine> board_of_4() {
  auto made = Machine::grid<Kind>(2, 2, {.wraps_x = false, .wraps_y = true});
  if (made)
    for (Chip chip = 0; chip < 4; ++chip) made.value().set_ethernet_of(chip, 0);
  return made;
}

/// SpiNN-5: 48 of 8 x 8 chips.
template <class Kind = SpiNNaker1>
[[nodiscard]] Answer<Machine> board_of_48() {
  auto made = Machine::grid<Kind>(side_of_48, side_of_48);
  if (made) detail::tile(made.value(), 1, 1, [](std::uint32_t, std::uint32_t board) { return board != 0; });
  return made;
}

/// Three boards for each of columns * rows patterns of 12 x 12 chips.
/// \errors parameter_out_of_range: more than 21 or none in an axis
template <class Kind = SpiNNaker1>
[[nodiscard]] Answer<Machine> machine_of_triads(std::uint32_t columns, std::uint32_t rows, Wraps wraps = {}) {
  for (const std::uint32_t triads : {columns, rows})
    if (triads == 0 || triads > most_triads)
      return detail::refused_boards(triads, "triads",
                                    "an axis has 1 to 21 triads of boards, which are up to 256 chips, and not " +
                                        std::to_string(triads));
  auto made = Machine::grid<Kind>(detail::side_of(columns, wraps.wraps_x), detail::side_of(rows, wraps.wraps_y), wraps);
  if (made) detail::tile(made.value(), columns, rows, [](std::uint32_t, std::uint32_t) { return false; });
  return made;
}

/// A machine by its size, as its monitor tells it: 2 x 2, 8 x 8, or of triads: 12 n chips in an axis that wraps, 12 n + 4 in one
/// that does not.
/// \errors parameter_out_of_range
template <class Kind = SpiNNaker1>
[[nodiscard]] Answer<Machine> machine_of_size(std::uint32_t width, std::uint32_t height) {
  if (width == 2 && height == 2) return board_of_4<Kind>();
  if (width == side_of_48 && height == side_of_48) return board_of_48<Kind>();
  for (const std::uint32_t side : {width, height})
    if (side < side_of_triad || side > 256 || (side % side_of_triad != 0 && side % side_of_triad != edge_without_wrap))
      return detail::refused_boards(
          side, side == width ? "width" : "height",
          "boards make 2 x 2, 8 x 8, or up to 256 chips of 12 n or 12 n + 4 in each axis, and not " +
              std::to_string(width) + " x " + std::to_string(height));
  return machine_of_triads<Kind>(width / side_of_triad, height / side_of_triad,
                                 {.wraps_x = width % side_of_triad == 0, .wraps_y = height % side_of_triad == 0});
}

/// So many boards of 48 chips, without wraps: one alone, or the smallest rectangle of triads that is at most three times as long
/// as wide, of such the squarest one. Boards of it that are more than these are missing, from its end.
/// \errors parameter_out_of_range: none, or more than 3 * 21 * 21
template <class Kind = SpiNNaker1>
[[nodiscard]] Answer<Machine> machine_of_boards(std::uint32_t boards) {
  constexpr std::uint32_t most = 3 * most_triads * most_triads;
  if (boards == 0 || boards > most)
    return detail::refused_boards(boards, "boards",
                                  "a machine has 1 to " + std::to_string(most) + " boards of 48 chips, and not " +
                                      std::to_string(boards));
  if (boards == 1) return board_of_48<Kind>();
  const std::uint32_t triads = (boards + 2) / 3;
  std::uint32_t columns = most_triads, rows = most_triads;
  for (std::uint32_t wide = 1; wide <= most_triads; ++wide) {
    const std::uint32_t high = (triads + wide - 1) / wide;
    if (high > wide || wide > 3 * high) continue; // as wide as high at least
    if (wide * high < columns * rows || (wide * high == columns * rows && wide < columns)) columns = wide, rows = high;
  }
  auto made = Machine::grid<Kind>(detail::side_of(columns, false), detail::side_of(rows, false));
  if (made)
    detail::tile(made.value(), columns, rows,
                 [&](std::uint32_t triad, std::uint32_t board) { return triad * 3 + board >= boards; });
  return made;
}

/// The chip of a board, by its place from the Ethernet chip on, or no_chip beyond an edge of the machine.
/// \pre board < machine.boards()
[[nodiscard]] inline Chip chip_of_board(const Machine& machine, Board board, ChipOfBoard at) noexcept {
  const Chip ethernet = machine.ethernet(board);
  std::uint32_t x = machine.x(ethernet) + at.x, y = machine.y(ethernet) + at.y;
  if (machine.wraps().wraps_x) x %= machine.width();
  if (machine.wraps().wraps_y) y %= machine.height();
  return x < machine.width() && y < machine.height() ? machine.chip_at(x, y) : no_chip;
}

/// A device at a connector of a board, as Machine::add_device. Where boards are next to each other their link is there: one who
/// puts a device between them says so with remove_link_both first.
/// \errors index_out_of_range: there is no such board or chip; parameters_contradict: the link is in use
[[nodiscard]] inline Answer<Chip> add_device(Machine& machine, Board board, const Connector& connector,
                                             std::string name) {
  if (board >= machine.boards())
    return Refusal{{Error::index_out_of_range, 0, board, "board"},
                   "device " + name,
                   "there is no board " + std::to_string(board) + " to connect it to: the machine has " +
                       std::to_string(machine.boards())};
  return machine.add_device(chip_of_board(machine, board, connector.chip), connector.link, std::move(name));
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
