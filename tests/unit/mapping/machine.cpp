// SPDX-License-Identifier: BSL-1.0
// Machines: rectangles of chips, boards against their published shapes, what is broken of them, and devices beside them.
#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/mapping/faults.hpp>
#include <neuromorph/mapping/machine.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

using neuromorph::Error;
namespace mapping = neuromorph::mapping;
using mapping::Board;
using mapping::Chip;
using mapping::Link;
using mapping::link_count;
using mapping::Machine;
using mapping::no_board;
using mapping::no_chip;

Machine grid(std::uint32_t width, std::uint32_t height, bool wraps_x = false, bool wraps_y = false) {
  return Machine::grid<mapping::SpiNNaker1>(width, height, {wraps_x, wraps_y}).value();
}
std::uint32_t count_chips(const Machine& machine) {
  std::uint32_t count = 0;
  for (Chip chip = 0; chip < machine.chips(); ++chip) count += machine.has(chip);
  return count;
}
/// Links of working chips, each direction counted.
std::uint32_t count_links(const Machine& machine) {
  std::uint32_t count = 0;
  for (Chip chip = 0; chip < machine.chips(); ++chip)
    for (unsigned link = 0; link < link_count; ++link) count += machine.neighbour(chip, Link(link)) != no_chip;
  return count;
}
/// Whether what leads there leads back, by the opposite link, and every one ends at a chip that is there.
bool is_symmetric(const Machine& machine) {
  for (Chip chip = 0; chip < machine.chips(); ++chip)
    for (unsigned link = 0; link < link_count; ++link) {
      const Chip other = machine.neighbour(chip, Link(link));
      if (other == no_chip) continue;
      if (!machine.has(chip) || !machine.has(other)) return false;
      if (machine.neighbour(other, mapping::opposite(Link(link))) != chip) return false;
    }
  return true;
}
/// Chips that are reached from the first that is there.
std::uint32_t count_reached(const Machine& machine) {
  std::vector<bool> is_reached(machine.chips(), false);
  std::vector<Chip> last;
  for (Chip chip = 0; chip < machine.chips() && last.empty(); ++chip)
    if (machine.has(chip)) last.push_back(chip), is_reached[chip] = true;
  std::uint32_t count = 0;
  while (!last.empty()) {
    const Chip chip = last.back();
    last.pop_back(), ++count;
    for (unsigned link = 0; link < link_count; ++link) {
      const Chip other = machine.neighbour(chip, Link(link));
      if (other != no_chip && !is_reached[other]) is_reached[other] = true, last.push_back(other);
    }
  }
  return count;
}
struct Own {
  static constexpr mapping::ChipKind kind{.cores = 4, .monitors = 0, .sdram_bytes = 7, .router_entries = 3};
};
/// The hexagon as it is drawn in the board's manual, the northmost row first.
constexpr const char* picture_of_48[8] = {"....####", "...#####", "..######", ".#######",
                                          "########", "#######.", "######..", "#####..."};
bool is_in_picture(std::uint32_t x, std::uint32_t y) { return picture_of_48[7 - y][x] == '#'; }

} // namespace

TEST_CASE("machine: neighbours of every size with and without wraps are those of the plane") {
  for (std::uint32_t width = 1; width <= 5; ++width)
    for (std::uint32_t height = 1; height <= 5; ++height)
      for (unsigned wraps = 0; wraps < 4; ++wraps) {
        const bool wraps_x = (wraps & 1) != 0, wraps_y = (wraps & 2) != 0;
        const Machine machine = grid(width, height, wraps_x, wraps_y);
        REQUIRE(machine.chips() == width * height);
        REQUIRE(machine.grid_chips() == width * height);
        INFO(width << " x " << height << " wraps " << wraps);
        const std::pair<int, int> steps[] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
        for (Chip chip = 0; chip < machine.chips(); ++chip) {
          const int x = static_cast<int>(chip % width), y = static_cast<int>(chip / width);
          REQUIRE(machine.x(chip) == chip % width);
          REQUIRE(machine.y(chip) == chip / width);
          REQUIRE(machine.chip_at(chip % width, chip / width) == chip);
          for (unsigned link = 0; link < link_count; ++link) {
            const int w = static_cast<int>(width), h = static_cast<int>(height);
            const int to_x = x + steps[link].first, to_y = y + steps[link].second;
            const bool is_out_x = to_x < 0 || to_x >= w, is_out_y = to_y < 0 || to_y >= h;
            const Chip expected = (is_out_x && !wraps_x) || (is_out_y && !wraps_y)
                                      ? no_chip
                                      : static_cast<Chip>((to_y + h) % h * w + (to_x + w) % w);
            REQUIRE(machine.neighbour(chip, Link(link)) == expected);
            REQUIRE(machine.beside(chip, Link(link)) == expected);
            REQUIRE(machine.sender(chip, Link(link)) == expected);
          }
        }
        CHECK(is_symmetric(machine));
      }
}

TEST_CASE("machine: chips have what their kind says, without the monitors' cores") {
  const Machine one = grid(3, 2);
  CHECK(one.cores(4) == 0x3FFFE);
  CHECK(one.core_count(4) == 17);
  CHECK(one.sdram_bytes(5) == 123469792);
  CHECK(one.router_entries(0) == 1023);
  CHECK(one.kind().clock_mhz == 200);
  CHECK(one.kind().tags == 8);
  const Machine two = Machine::grid<mapping::SpiNNaker2>(3, 2).value();
  CHECK(two.cores(0) == 0x3FFFFFC);
  CHECK(two.router_entries(3) == 16384);
  CHECK(two.kind().monitors == 2);
  CHECK_FALSE(one.digest() == two.digest());
  const Machine own = Machine::grid<Own>(1, 1).value();
  CHECK(own.cores(0) == 0xF);
  CHECK(own.sdram_bytes(0) == 7);
  CHECK(own.router_entries(0) == 3);
  CHECK(own.boards() == 0);
  CHECK(own.board_of(0) == no_board);
  CHECK(own.ethernet_of(0) == no_chip);
}

TEST_CASE("machine: a size or kind that cannot be is refused in words") {
  const auto none = Machine::grid<mapping::SpiNNaker1>(0, 7);
  REQUIRE_FALSE(none);
  CHECK(none.status().error == Error::parameter_out_of_range);
  CHECK(none.sentence() == "machine: a machine has 1 to 16777216 chips, and not 0 x 7");
  CHECK(Machine::grid<mapping::SpiNNaker1>(4096, 4096).ok());
  CHECK(Machine::grid<mapping::SpiNNaker1>(4097, 4096).sentence() ==
        "machine: a machine has 1 to 16777216 chips, and not 4097 x 4096");
  CHECK_FALSE(Machine::grid<mapping::SpiNNaker1>(0xFFFFFFFF, 0xFFFFFFFF));
  mapping::ChipKind kind = mapping::SpiNNaker1::kind;
  CHECK(Machine::grid(kind, 1, 1).ok());
  kind.cores = 27;
  CHECK(Machine::grid(kind, 1, 1).sentence() == "machine: a chip has 1 to 26 cores, and not 27");
  kind.cores = 2, kind.monitors = 2;
  CHECK(Machine::grid(kind, 1, 1).sentence() == "machine: of 2 cores 2 are monitors, and none is left for users");
  kind.monitors = 1, kind.router_entries = 0;
  CHECK(Machine::grid(kind, 1, 1).sentence() == "machine: a router has at least one entry for users");
}

TEST_CASE("boards: one of 48 chips is the published hexagon, and a connected one") {
  const Machine machine = mapping::board_of_48().value();
  REQUIRE(machine.width() == 8);
  REQUIRE(machine.height() == 8);
  for (Chip chip = 0; chip < 64; ++chip) {
    INFO(machine.name(chip));
    CHECK(machine.has(chip) == is_in_picture(machine.x(chip), machine.y(chip)));
    CHECK(machine.core_count(chip) == (machine.has(chip) ? 17 : 0));
    CHECK(machine.board_of(chip) == (machine.has(chip) ? 0 : no_board));
    CHECK(machine.ethernet_of(chip) == (machine.has(chip) ? 0 : no_chip));
  }
  CHECK(count_chips(machine) == 48);
  CHECK(machine.boards() == 1);
  CHECK(machine.ethernet(0) == 0);
  CHECK(is_symmetric(machine));
  CHECK(count_reached(machine) == 48);
  CHECK(count_links(machine) == 48 * 6 - 48); // 48 lead out of it: as many as its FPGAs have
}

TEST_CASE("boards: one of 4 chips wraps from north to south only") {
  const Machine machine = mapping::board_of_4().value();
  CHECK(count_chips(machine) == 4);
  CHECK(machine.boards() == 1);
  CHECK(is_symmetric(machine));
  // As published: of 24 links these are not connected.
  const std::set<std::tuple<unsigned, unsigned, unsigned>> down{{0, 0, 3}, {0, 0, 4}, {0, 1, 3}, {0, 1, 4},
                                                                {1, 0, 0}, {1, 0, 1}, {1, 1, 0}, {1, 1, 1}};
  for (Chip chip = 0; chip < 4; ++chip)
    for (unsigned link = 0; link < link_count; ++link) {
      INFO(machine.name(chip) << " " << mapping::name(Link(link)));
      CHECK((machine.neighbour(chip, Link(link)) == no_chip) ==
            down.contains({machine.x(chip), machine.y(chip), link}));
    }
  CHECK(machine.neighbour(0, Link::north) == 2);
  CHECK(machine.neighbour(0, Link::south) == 2);
  CHECK(machine.neighbour(2, Link::north_east) == 1); // 0, 1 to 1, 0
}

TEST_CASE("boards: triads of every size have three boards each, all chips on the board of the nearest hexagon") {
  for (std::uint32_t columns = 1; columns <= mapping::most_triads; ++columns)
    for (std::uint32_t rows = 1; rows <= mapping::most_triads; ++rows)
      for (unsigned wraps = 0; wraps < 4; ++wraps) {
        if (columns > 3 && rows > 3 && (columns * 21 + rows) % 29 != wraps) continue; // some of the larger ones
        const bool wraps_x = (wraps & 1) != 0, wraps_y = (wraps & 2) != 0;
        const Machine machine = mapping::machine_of_triads(columns, rows, {wraps_x, wraps_y}).value();
        INFO(columns << " x " << rows << " wraps " << wraps);
        const std::uint32_t width = 12 * columns + (wraps_x ? 0 : 4), height = 12 * rows + (wraps_y ? 0 : 4);
        REQUIRE(machine.width() == width);
        REQUIRE(machine.height() == height);
        REQUIRE(machine.boards() == 3 * columns * rows);
        REQUIRE(count_chips(machine) == 144 * columns * rows);
        REQUIRE(is_symmetric(machine));
        REQUIRE(count_reached(machine) == 144 * columns * rows);
        std::vector<std::uint32_t> chips_of(machine.boards(), 0);
        bool is_right = true;
        for (Chip chip = 0; chip < machine.chips(); ++chip) {
          if (!machine.has(chip)) {
            is_right &= machine.board_of(chip) == no_board;
            continue;
          }
          const Board board = machine.board_of(chip);
          const Chip ethernet = machine.ethernet(board);
          ++chips_of[board];
          const std::uint32_t x = (machine.x(chip) + width - machine.x(ethernet)) % width,
                              y = (machine.y(chip) + height - machine.y(ethernet)) % height;
          is_right &= x < 8 && y < 8 && is_in_picture(x, y);
          is_right &= machine.ethernet_of(chip) == ethernet;
          is_right &= mapping::chip_of_board(machine, board,
                                             {static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y)}) == chip;
        }
        CHECK(is_right);
        CHECK(chips_of == std::vector<std::uint32_t>(machine.boards(), 48));
        std::set<std::pair<std::uint32_t, std::uint32_t>> ethernets;
        for (Board board = 0; board < machine.boards(); ++board) {
          const Chip ethernet = machine.ethernet(board);
          is_right &= machine.board_of(ethernet) == board;
          ethernets.insert({machine.x(ethernet) % 12, machine.y(ethernet) % 12});
        }
        CHECK(is_right);
        CHECK(ethernets == std::set<std::pair<std::uint32_t, std::uint32_t>>{{0, 0}, {4, 8}, {8, 4}});
        if (wraps == 3) {
          CHECK(count_links(machine) == 6 * count_chips(machine));
          CHECK(machine.grid_chips() == count_chips(machine));
        }
        const auto by_size = mapping::machine_of_size(width, height);
        REQUIRE(by_size);
        CHECK(by_size.value() == machine);
        CHECK(by_size.value().digest() == machine.digest());
      }
  CHECK(mapping::machine_of_size(2, 2).value() == mapping::board_of_4().value());
  CHECK(mapping::machine_of_size(8, 8).value() == mapping::board_of_48().value());
}

TEST_CASE("boards: so many of them make one connected machine of the smallest rectangle") {
  CHECK(mapping::machine_of_boards(1).value() == mapping::board_of_48().value());
  for (std::uint32_t boards = 2; boards <= 1323; boards += boards < 60 ? 1 : 61) {
    const auto made = mapping::machine_of_boards(boards);
    REQUIRE(made);
    const Machine& machine = made.value();
    INFO(boards << " boards: " << machine.width() << " x " << machine.height());
    CHECK(machine.boards() == boards);
    CHECK(count_chips(machine) == 48 * boards);
    CHECK(count_reached(machine) == 48 * boards);
    CHECK(is_symmetric(machine));
    CHECK(machine.has(0));
    const std::uint32_t columns = machine.width() / 12, rows = machine.height() / 12, triads = (boards + 2) / 3;
    CHECK(columns >= rows);
    CHECK(columns <= 3 * rows);
    CHECK(columns * rows >= triads);
    for (std::uint32_t wide = 1; wide <= 21; ++wide)
      for (std::uint32_t high = (wide + 2) / 3; high <= wide; ++high) {
        if (wide * high < triads) continue;
        CHECK(wide * high >= columns * rows);
        if (wide * high == columns * rows) CHECK(wide >= columns);
      }
  }
  CHECK(mapping::machine_of_boards(1323).value() == mapping::machine_of_size(256, 256).value());
}

TEST_CASE("boards: sizes that no boards have are refused in words") {
  CHECK(mapping::machine_of_size(12, 13).sentence() ==
        "machine: boards make 2 x 2, 8 x 8, or up to 256 chips of 12 n or 12 n + 4 in each axis, and not 12 x 13");
  CHECK(mapping::machine_of_size(12, 13).status().error == Error::parameter_out_of_range);
  for (std::uint32_t side = 0; side < 300; ++side) {
    const bool is_a_size = side >= 12 && side <= 256 && (side % 12 == 0 || side % 12 == 4);
    CHECK(mapping::machine_of_size(side, 12).ok() == is_a_size);
    CHECK(mapping::machine_of_size(12, side).ok() == is_a_size);
  }
  CHECK_FALSE(mapping::machine_of_size(2, 8));
  CHECK_FALSE(mapping::machine_of_size(4, 4));
  CHECK(mapping::machine_of_triads(22, 1).sentence() ==
        "machine: an axis has 1 to 21 triads of boards, which are up to 256 chips, and not 22");
  CHECK_FALSE(mapping::machine_of_triads(1, 0));
  CHECK(mapping::machine_of_boards(1324).sentence() ==
        "machine: a machine has 1 to 1323 boards of 48 chips, and not 1324");
  CHECK_FALSE(mapping::machine_of_boards(0));
}

TEST_CASE("boards: links of FPGAs are where they are published to be") {
  // x, y, link, FPGA, its link
  constexpr unsigned published[48][5] = {
      {0, 0, 3, 1, 1},  {0, 0, 4, 1, 0},  {0, 0, 5, 0, 15}, {0, 1, 3, 1, 3},  {0, 1, 4, 1, 2},  {0, 2, 3, 1, 5},
      {0, 2, 4, 1, 4},  {0, 3, 2, 1, 8},  {0, 3, 3, 1, 7},  {0, 3, 4, 1, 6},  {1, 0, 4, 0, 14}, {1, 0, 5, 0, 13},
      {1, 4, 2, 1, 10}, {1, 4, 3, 1, 9},  {2, 0, 4, 0, 12}, {2, 0, 5, 0, 11}, {2, 5, 2, 1, 12}, {2, 5, 3, 1, 11},
      {3, 0, 4, 0, 10}, {3, 0, 5, 0, 9},  {3, 6, 2, 1, 14}, {3, 6, 3, 1, 13}, {4, 0, 0, 0, 6},  {4, 0, 4, 0, 8},
      {4, 0, 5, 0, 7},  {4, 7, 1, 2, 1},  {4, 7, 2, 2, 0},  {4, 7, 3, 1, 15}, {5, 1, 0, 0, 4},  {5, 1, 5, 0, 5},
      {5, 7, 1, 2, 3},  {5, 7, 2, 2, 2},  {6, 2, 0, 0, 2},  {6, 2, 5, 0, 3},  {6, 7, 1, 2, 5},  {6, 7, 2, 2, 4},
      {7, 3, 0, 0, 0},  {7, 3, 1, 2, 15}, {7, 3, 5, 0, 1},  {7, 4, 0, 2, 14}, {7, 4, 1, 2, 13}, {7, 5, 0, 2, 12},
      {7, 5, 1, 2, 11}, {7, 6, 0, 2, 10}, {7, 6, 1, 2, 9},  {7, 7, 0, 2, 8},  {7, 7, 1, 2, 7},  {7, 7, 2, 2, 6}};
  Machine machine = mapping::board_of_48().value();
  for (const auto& [x, y, link, fpga, fpga_link] : published) {
    const mapping::Connector found = mapping::fpga_link_of_48(fpga, fpga_link);
    INFO(fpga << " " << fpga_link);
    CHECK(found.chip.x == x);
    CHECK(found.chip.y == y);
    CHECK(unsigned(found.link) == link);
    CHECK(mapping::add_device(machine, 0, found, "fpga")); // free on a board that is alone
  }
  CHECK(count_links(machine) == 48 * 6 + 48);
  CHECK(is_symmetric(machine));
}

TEST_CASE("machine: a device is a chip behind a free link, which leads there and back") {
  Machine machine = mapping::board_of_48().value();
  const std::uint64_t before = machine.digest();
  const auto made = mapping::add_device(machine, 0, mapping::spinnaker_link_of_48, "retina");
  REQUIRE(made);
  const Chip device = made.value();
  CHECK(device == machine.grid_chips());
  CHECK(machine.chips() == 65);
  CHECK(machine.is_virtual(device));
  CHECK(machine.has(device));
  CHECK(machine.neighbour(0, Link::south_west) == device);
  CHECK(machine.sender(0, Link::south_west) == device);
  CHECK(machine.neighbour(device, Link::north_east) == 0);
  CHECK(machine.sender(device, Link::north_east) == 0);
  CHECK(machine.sender(device, Link::north) == no_chip);
  CHECK(machine.core_count(device) == 0);
  CHECK(machine.board_of(device) == 0);
  CHECK(machine.ethernet_of(device) == 0);
  CHECK(machine.name(device) == "device 0, retina");
  CHECK(machine.device(device) == mapping::Device{0, Link::south_west, "retina"});
  CHECK(machine.digest() != before);
  CHECK(is_symmetric(machine));

  const auto again = machine.add_device(0, Link::south_west, "motor");
  CHECK(again.status().error == Error::parameters_contradict);
  CHECK(again.sentence() ==
        "device motor: the link south west of chip 0, 0 is in use: it is connected to device 0, retina");
  CHECK(machine.add_device(0, Link::north, "motor").sentence() ==
        "device motor: the link north of chip 0, 0 is in use: it is connected to chip 0, 1");
  CHECK(machine.add_device(7, Link::north, "motor").sentence() ==
        "device motor: chip 7, 0 is not there to connect it to");
  CHECK(machine.add_device(device, Link::north, "motor").status().error == Error::index_out_of_range);
  CHECK(machine.add_device(no_chip, Link::north, "motor").status().error == Error::index_out_of_range);
  CHECK(mapping::add_device(machine, 1, mapping::spinnaker_link_of_48, "motor").sentence() ==
        "device motor: there is no board 1 to connect it to: the machine has 1");

  // One that still sends into the link uses it, too.
  machine.remove_link(0, Link::north);
  CHECK(machine.add_device(0, Link::north, "motor").sentence() ==
        "device motor: the link north of chip 0, 0 is in use: it is connected to chip 0, 1");
  machine.remove_link_both(0, Link::north);
  const auto second = machine.add_device(0, Link::north, "motor");
  REQUIRE(second);
  CHECK(machine.sender(machine.chip_at(0, 1), Link::south) == no_chip); // what leaves there is for the device
  CHECK(machine.sender(0, Link::north) == second.value());

  machine.remove_chip(0);
  CHECK(machine.neighbour(device, Link::north_east) == no_chip);
  CHECK(machine.neighbour(0, Link::south_west) == no_chip);
  CHECK(machine.has(device));
  CHECK(is_symmetric(machine));

  Machine small = mapping::board_of_4().value();
  for (const auto& connector : mapping::spinnaker_links_of_4) CHECK(mapping::add_device(small, 0, connector, "one"));
  Machine many = mapping::machine_of_triads(1, 1, {true, true}).value();
  CHECK(mapping::add_device(many, 1, mapping::spinnaker_link_of_48, "one").status().error ==
        Error::parameters_contradict);
  many.remove_link_both(many.ethernet(1), Link::south_west);
  const auto between = mapping::add_device(many, 1, mapping::spinnaker_link_of_48, "one");
  REQUIRE(between);
  CHECK(many.device(between.value()).chip == many.chip_at(4, 8));
}

TEST_CASE("machine: a link of one direction that is gone still brings packets from the other side") {
  Machine machine = grid(4, 4, true, true);
  const Chip chip = machine.chip_at(1, 1), east = machine.chip_at(2, 1);
  machine.remove_link(chip, Link::east);
  CHECK(machine.neighbour(chip, Link::east) == no_chip);
  CHECK(machine.sender(chip, Link::east) == east);
  CHECK(machine.neighbour(east, Link::west) == chip);
  CHECK(machine.sender(east, Link::west) == no_chip);
  machine.remove_chip(chip); // also what comes by links whose other direction is gone already
  CHECK_FALSE(machine.has(chip));
  for (Chip other = 0; other < machine.chips(); ++other)
    for (unsigned link = 0; link < link_count; ++link) {
      CHECK(machine.neighbour(other, Link(link)) != chip);
      CHECK(machine.sender(other, Link(link)) != chip);
    }
  CHECK(count_links(machine) == 16 * 6 - 12);
  CHECK(machine.cores(chip) == 0);
  CHECK(machine.sdram_bytes(chip) == 0);
  CHECK(machine.router_entries(chip) == 0);
}

TEST_CASE("machine: the digest is the same for the same machine and another one after any change") {
  const Machine start = mapping::machine_of_triads(1, 1, {true, true}).value();
  Machine machine = start;
  std::set<std::uint64_t> seen{start.digest()};
  const auto is_new = [&] { return seen.insert(machine.digest()).second; };
  CHECK(is_new() == false);
  machine.remove_core(5, 3);
  CHECK(is_new());
  machine.remove_core(5, 3);
  CHECK_FALSE(is_new());
  machine.remove_core(5, 4);
  CHECK(is_new());
  machine.remove_link(7, Link::east);
  CHECK(is_new());
  machine.remove_link(8, Link::west);
  CHECK(is_new());
  machine.set_sdram_bytes(9, 5);
  CHECK(is_new());
  machine.set_router_entries(9, 5);
  CHECK(is_new());
  machine.remove_chip(10);
  CHECK(is_new());
  machine.set_ethernet_of(11, 12);
  CHECK(is_new());
  Machine other = start;
  other.set_ethernet_of(11, 12);
  other.remove_link_both(8, Link::west);
  other.set_router_entries(9, 1), other.set_router_entries(9, 5);
  other.remove_core(10, 2);
  other.remove_chip(10);
  other.set_cores(5, start.cores(5) & ~(3U << 3));
  other.set_sdram_bytes(9, 5);
  CHECK(other == machine);
  CHECK(other.digest() == machine.digest());
  machine.remove_link_both(0, Link::south), other.remove_link_both(0, Link::south);
  REQUIRE(machine.add_device(0, Link::south, "retina"));
  CHECK(is_new());
  REQUIRE(other.add_device(0, Link::south, "motor"));
  CHECK(other.digest() != machine.digest());
  machine.remove_link(1, Link::north), other.remove_link(1, Link::north);
  CHECK(other.digest() != machine.digest());

  std::set<std::uint64_t> sizes;
  for (std::uint32_t width = 1; width < 5; ++width)
    for (std::uint32_t height = 1; height < 5; ++height)
      for (unsigned wraps = 0; wraps < 4; ++wraps)
        sizes.insert(grid(width, height, (wraps & 1) != 0, (wraps & 2) != 0).digest());
  CHECK(sizes.size() == 64);
}

TEST_CASE("faults: those of lists are broken, each as it says, and wrong ones leave all as it was") {
  Machine machine = grid(5, 4);
  const mapping::Faults faults{.chips = {7, 7},
                               .cores = {{1, 17}, {2, 1}},
                               .links = {{3, Link::north, true}, {9, Link::west, false}, {0, Link::south, false}}};
  REQUIRE(mapping::add_faults(machine, faults));
  CHECK_FALSE(machine.has(7));
  CHECK(machine.core_count(1) == 16);
  CHECK((machine.cores(2) & 2) == 0);
  CHECK(machine.neighbour(3, Link::north) == no_chip);
  CHECK(machine.neighbour(8, Link::south) == 3);
  CHECK(machine.neighbour(9, Link::west) == no_chip);
  CHECK(machine.neighbour(8, Link::east) == no_chip);
  Machine again = machine;
  REQUIRE(mapping::add_faults(again, faults));
  CHECK(again == machine);

  const auto refused = [&](const mapping::Faults& wrong) {
    const auto answer = mapping::add_faults(again, wrong);
    CHECK(answer.status.error == Error::index_out_of_range);
    CHECK(again == machine);
    return answer.sentence();
  };
  CHECK(refused({.chips = {0, 20}, .cores = {}, .links = {}}) ==
        "fault 1: there is no chip number 20: the machine has 20");
  CHECK(refused({.chips = {0}, .cores = {{1, 18}}, .links = {}}) == "fault 0: chip 1, 0 has no core 18, but 18");
  CHECK(refused({.chips = {0}, .cores = {{no_chip, 1}}, .links = {}}) ==
        "fault 0: there is no chip number 4294967295: the machine has 20");
  CHECK(refused({.chips = {0}, .cores = {}, .links = {{1, Link(6), false}}}) == "fault 0: links are 0 to 5");
  CHECK(refused({.chips = {0}, .cores = {}, .links = {{20, Link::east, false}}}) ==
        "fault 0: there is no chip number 20: the machine has 20");
}

TEST_CASE("faults: those by a seed are as many as their shares say, of what works, and always the same") {
  std::minstd_rand draw(Catch::rngSeed() | 1);
  for (int turn = 0; turn < 60; ++turn) {
    const std::uint64_t seed = draw();
    const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(draw() % bound); };
    const std::uint32_t width = 2 + below(20), height = 2 + below(20);
    Machine machine = turn % 3 == 0 ? mapping::machine_of_boards(1 + width % 9).value()
                                    : grid(width, height, turn % 2 == 0, turn % 4 < 2);
    if (turn % 2 == 1) // some are broken already
      REQUIRE(mapping::add_faults(
          machine, mapping::draw_faults(machine, {.chips = 0.1, .links = 0.1, .one_way = 0.5}, 5).value()));
    const mapping::FaultShares shares{.chips = below(11) * 0.01,
                                      .cores = below(11) * 0.01,
                                      .links = below(21) * 0.01,
                                      .one_way = below(5) * 0.25,
                                      .spares_ethernet = below(2) == 0};
    INFO("seed " << seed << ", turn " << turn);
    const mapping::Faults faults = mapping::draw_faults(machine, shares, seed).value();
    CHECK(faults == mapping::draw_faults(machine, shares, seed).value());
    const auto rounded = [](double share, std::size_t of) {
      return static_cast<std::size_t>(share * static_cast<double>(of) + 0.5);
    };
    const Machine before = machine;
    const std::size_t chips = count_chips(machine);
    CHECK(faults.chips.size() == rounded(shares.chips, chips));
    for (const Chip chip : faults.chips) {
      CHECK(machine.has(chip));
      if (shares.spares_ethernet) CHECK(machine.ethernet_of(chip) != chip);
      machine.remove_chip(chip);
    }
    CHECK(count_chips(machine) == chips - faults.chips.size()); // none twice
    std::size_t cores = 0, links = 0, cores_left = 0;
    for (Chip chip = 0; chip < machine.chips(); ++chip) {
      cores += machine.core_count(chip);
      for (unsigned link = 0; link < 3; ++link)
        links += machine.neighbour(chip, Link(link)) != no_chip && machine.sender(chip, Link(link)) != no_chip;
    }
    CHECK(faults.cores.size() == rounded(shares.cores, cores));
    CHECK(faults.links.size() == rounded(shares.links, links));
    const std::uint32_t links_before = count_links(machine);
    std::size_t one_way = 0;
    for (const auto& one : faults.links) {
      one_way += one.is_one_way;
      CHECK(machine.neighbour(one.chip, one.link) != no_chip);
      CHECK(machine.sender(one.chip, one.link) != no_chip);
      one.is_one_way ? machine.remove_link(one.chip, one.link) : machine.remove_link_both(one.chip, one.link);
    }
    CHECK(one_way == rounded(shares.one_way, faults.links.size()));
    CHECK(count_links(machine) == links_before - 2 * (faults.links.size() - one_way) - one_way);
    for (const auto& one : faults.cores) machine.remove_core(one.chip, one.core);
    for (Chip chip = 0; chip < machine.chips(); ++chip) cores_left += machine.core_count(chip);
    CHECK(cores_left == cores - faults.cores.size());
    Machine other = before;
    REQUIRE(mapping::add_faults(other, faults));
    CHECK(other == machine);
    CHECK(other.digest() == machine.digest());
  }
}

TEST_CASE("faults: a seed has the same ones on every machine that draws them, and another seed has others") {
  const Machine machine = mapping::machine_of_boards(3).value();
  const mapping::FaultShares shares{.chips = 0.05, .cores = 0.02, .links = 0.1, .one_way = 0.5};
  Machine broken = machine, other = machine;
  REQUIRE(mapping::add_faults(broken, mapping::draw_faults(machine, shares, 18).value()));
  REQUIRE(mapping::add_faults(other, mapping::draw_faults(machine, shares, 19).value()));
  CHECK(broken.digest() != other.digest());
  CHECK(broken.digest() == 0xE078078361C6B643);
  // Both directions of links are broken as often: the mean of 400 fair draws is within five deviations.
  std::size_t up = 0;
  const Machine large = grid(58, 58, true, true);
  const auto one_way = mapping::draw_faults(large, {.links = 0.04, .one_way = 1.0}, 3).value().links;
  REQUIRE(one_way.size() == 404);
  for (const auto& one : one_way) up += unsigned(one.link) < 3;
  CHECK(up > 152);
  CHECK(up < 252);
  CHECK(mapping::draw_faults(machine, {.chips = 1.5}, 1).sentence() == "faults: a share is 0 to 1");
  CHECK(mapping::draw_faults(machine, {.links = -0.1}, 1).status().error == Error::parameter_out_of_range);
  CHECK_FALSE(mapping::draw_faults(machine, {.one_way = 0.0 / static_cast<double>(machine.is_virtual(0))}, 1));
  CHECK(mapping::draw_faults(machine, {.chips = 1.0, .cores = 1.0, .links = 1.0}, 1).value().chips.size() == 144);
}
