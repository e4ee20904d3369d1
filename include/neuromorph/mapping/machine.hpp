// SPDX-License-Identifier: BSL-1.0
/// \file
/// A machine as mapping sees it: chips with cores, memory and router entries, and links between them, some of them missing.
///
///     auto made = mapping::Machine::grid<mapping::SpiNNaker1>(16, 16, {.wraps_x = true, .wraps_y = true});
///     if (!made) return std::puts(made.sentence().c_str()), 1;
///     mapping::Machine& machine = made.value();
///     machine.remove_link(machine.chip_at(3, 4), mapping::Link::north); // in this direction alone
///
/// A chip is a number, y * width + x; those of external devices come after these. What is missing is not there to algorithms.
// host-only
#ifndef NEUROMORPH_MAPPING_MACHINE_HPP
#define NEUROMORPH_MAPPING_MACHINE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

/// In the order of the router's bits.
enum class Link : std::uint8_t { east, north_east, north, west, south_west, south };
inline constexpr unsigned link_count = 6;
[[nodiscard]] constexpr Link opposite(Link link) noexcept { return Link((unsigned(link) + 3) % link_count); }
[[nodiscard]] constexpr const char* name(Link link) noexcept {
  constexpr const char* names[] = {"east", "north east", "north", "west", "south west", "south"};
  return names[unsigned(link)];
}
/// What a link adds to x and y.
inline constexpr int link_x[link_count] = {1, 1, 0, -1, -1, 0};
inline constexpr int link_y[link_count] = {0, 1, 1, 0, -1, -1};

using Chip = std::uint32_t;
inline constexpr Chip no_chip = 0xFFFFFFFF;

/// Where the copies of a packet go: links are bits 0 to 5, core p is bit 6 + p.
using Route = std::uint32_t;
[[nodiscard]] constexpr Route route_to(Link link) noexcept { return Route{1} << unsigned(link); }
[[nodiscard]] constexpr Route route_to_core(unsigned core) noexcept { return Route{1} << (link_count + core); }

/// What chips of a kind have when nothing of them is broken.
struct ChipKind {
  std::uint32_t cores = 0;          ///< all of them, at most 26
  std::uint32_t monitors = 1;       ///< the first of them, which are not for users
  std::uint32_t clock_mhz = 0;      ///< of a core
  std::uint32_t itcm_bytes = 0;     ///< of a core, for instructions
  std::uint32_t dtcm_bytes = 0;     ///< of a core, for data
  std::uint32_t sdram_bytes = 0;    ///< of a chip, for users
  std::uint32_t router_entries = 0; ///< for users
  std::uint32_t tags = 0;           ///< IP and reverse tags together, of an Ethernet chip
};
/// A kind of machine is a struct with its `ChipKind kind`; a user's own is one like these.
struct SpiNNaker1 {
  static constexpr ChipKind kind{.cores = 18,
                                 .monitors = 1,
                                 .clock_mhz = 200,
                                 .itcm_bytes = 32768,
                                 .dtcm_bytes = 65536,
                                 .sdram_bytes = 123469792,
                                 .router_entries = 1023,
                                 .tags = 8};
};

struct Wraps {
  bool wraps_x = false, wraps_y = false;
};

class Machine {
public:
  /// Chips in a rectangle, without boards.
  template <class Kind>
  [[nodiscard]] static Answer<Machine> grid(std::uint32_t width, std::uint32_t height, Wraps wraps = {}) {
    if (width == 0 || height == 0 || std::uint64_t{width} * height > most_chips)
      return Refusal{{Error::parameter_out_of_range, 0, width == 0 ? width : height, "chips"},
                     "machine",
                     "a machine has 1 to " + std::to_string(most_chips) + " chips, and not " + std::to_string(width) +
                         " x " + std::to_string(height)};
    return Machine(Kind::kind, width, height, wraps);
  }

  [[nodiscard]] std::uint32_t width() const noexcept { return width_; }
  [[nodiscard]] std::uint32_t height() const noexcept { return height_; }
  [[nodiscard]] const Wraps& wraps() const noexcept { return wraps_; }
  [[nodiscard]] const ChipKind& kind() const noexcept { return kind_; }

  /// Of the rectangle: chips that are missing have a number, too.
  [[nodiscard]] std::uint32_t grid_chips() const noexcept { return width_ * height_; }
  /// One more than the highest number: those of the rectangle and of devices.
  [[nodiscard]] std::uint32_t chips() const noexcept { return static_cast<std::uint32_t>(cores_.size()); }
  /// \pre inside the rectangle
  [[nodiscard]] Chip chip_at(std::uint32_t x, std::uint32_t y) const noexcept { return y * width_ + x; }
  /// \pre of the rectangle
  [[nodiscard]] std::uint32_t x(Chip chip) const noexcept { return chip % width_; }
  [[nodiscard]] std::uint32_t y(Chip chip) const noexcept { return chip / width_; }
  [[nodiscard]] bool has(Chip chip) const noexcept { return chip < chips() && is_there_[chip] != 0; }
  /// Whether it stands for an external device.
  [[nodiscard]] bool is_virtual(Chip chip) const noexcept { return chip >= grid_chips(); }

  /// A bit for each core that a user may have.
  [[nodiscard]] std::uint32_t cores(Chip chip) const noexcept { return cores_[chip]; }
  [[nodiscard]] unsigned core_count(Chip chip) const noexcept {
    return static_cast<unsigned>(std::popcount(cores_[chip]));
  }
  [[nodiscard]] std::uint32_t sdram_bytes(Chip chip) const noexcept { return sdram_[chip]; }
  [[nodiscard]] std::uint32_t router_entries(Chip chip) const noexcept { return entries_[chip]; }
  /// Where a packet comes to that leaves by the link, or no_chip.
  [[nodiscard]] Chip neighbour(Chip chip, Link link) const noexcept {
    return neighbours_[std::size_t{chip} * link_count + unsigned(link)];
  }

  void remove_link(Chip chip, Link link) noexcept {
    neighbours_[std::size_t{chip} * link_count + unsigned(link)] = no_chip;
  }
  void remove_core(Chip chip, unsigned core) noexcept { cores_[chip] &= ~(1U << core); }
  /// With its cores, and all links from and to it.
  void remove_chip(Chip chip) noexcept {
    is_there_[chip] = 0, cores_[chip] = 0, sdram_[chip] = 0, entries_[chip] = 0;
    for (unsigned link = 0; link < link_count; ++link) {
      const Chip other = neighbour(chip, Link(link));
      if (other != no_chip) remove_link(other, opposite(Link(link)));
      remove_link(chip, Link(link));
    }
  }

private:
  static constexpr std::uint32_t most_chips = 1U << 24;

  Machine(const ChipKind& kind, std::uint32_t width, std::uint32_t height, Wraps wraps)
      : kind_(kind), width_(width), height_(height), wraps_(wraps) {
    const std::size_t count = std::size_t{width} * height;
    is_there_.assign(count, 1);
    cores_.assign(count, ((1U << kind.cores) - 1) & ~((1U << kind.monitors) - 1));
    sdram_.assign(count, kind.sdram_bytes);
    entries_.assign(count, static_cast<std::uint32_t>(kind.router_entries));
    neighbours_.assign(count * link_count, no_chip);
    for (std::uint32_t at_y = 0; at_y < height; ++at_y)
      for (std::uint32_t at_x = 0; at_x < width; ++at_x)
        for (unsigned link = 0; link < link_count; ++link) {
          auto to_x = static_cast<std::int64_t>(at_x) + link_x[link],
               to_y = static_cast<std::int64_t>(at_y) + link_y[link];
          if (wraps.wraps_x) to_x = (to_x + width) % width;
          if (wraps.wraps_y) to_y = (to_y + height) % height;
          if (to_x < 0 || to_y < 0 || to_x >= width || to_y >= height) continue;
          neighbours_[std::size_t{chip_at(at_x, at_y)} * link_count + link] =
              chip_at(static_cast<std::uint32_t>(to_x), static_cast<std::uint32_t>(to_y));
        }
  }

  ChipKind kind_;
  std::uint32_t width_, height_;
  Wraps wraps_;
  std::vector<std::uint8_t> is_there_ = {};
  std::vector<std::uint32_t> cores_ = {}, sdram_ = {}, entries_ = {};
  std::vector<Chip> neighbours_ = {}; ///< [chip][link]
};

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
