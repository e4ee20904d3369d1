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
/// `boards.hpp` makes machines of boards, `faults.hpp` breaks them. `digest()` tells whether a machine is as it was.
// host-only
#ifndef NEUROMORPH_MAPPING_MACHINE_HPP
#define NEUROMORPH_MAPPING_MACHINE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
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
using Board = std::uint32_t;
inline constexpr Board no_board = 0xFFFFFFFF;

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
  friend bool operator==(const ChipKind&, const ChipKind&) = default;
};
inline constexpr std::uint32_t most_cores = 32 - link_count; ///< a route has a bit for each

/// A kind of machine is a struct with its `ChipKind kind`; a user's own is one like these.
/// \source SpiNNMan's usable SDRAM; entry 0 of 1024 is the monitor's; S. B. Furber et al., Proc. IEEE 102 (2014)
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
/// As far as it is known. Published: 16 384 entries; 152 cores, of which a route here has bits for 26; 150 or 300 MHz; 1 GiB that
/// the host's tools count on; 128 KiB in a core for instructions and data, halved here. Two cores are taken for monitors, though
/// those tools' newest form takes one. That it has the eight tags of SpiNNaker 1 is assumed.
/// \source SpiNNMachine, versions 201 and 248; C. Mayr, S. Hoeppner, S. Furber, arXiv:1911.02385
struct SpiNNaker2 {
  static constexpr ChipKind kind{.cores = 26,
                                 .monitors = 2,
                                 .clock_mhz = 300,
                                 .itcm_bytes = 65536,
                                 .dtcm_bytes = 65536,
                                 .sdram_bytes = 1U << 30,
                                 .router_entries = 16384,
                                 .tags = 8};
};

struct Wraps {
  bool wraps_x = false, wraps_y = false;
  friend bool operator==(const Wraps&, const Wraps&) = default;
};

/// What is connected to a link of a chip from outside of the machine.
struct Device {
  Chip chip = no_chip; ///< the real one
  Link link = Link::east;
  std::string name = {};
  friend bool operator==(const Device&, const Device&) = default;
};

namespace detail {
/// The chip of a user's struct, which is refused in words.
template <class Kind>
[[nodiscard]] constexpr ChipKind kind_of() noexcept {
  constexpr bool has_kind = requires { ChipKind{Kind::kind}; };
  static_assert(has_kind,
                "neuromorph: a kind of machine needs static constexpr mapping::ChipKind kind; see docs/mapping.md");
  if constexpr (has_kind) {
    constexpr ChipKind kind = Kind::kind;
    static_assert(
        kind.cores >= 1 && kind.cores <= most_cores,
        "neuromorph: a kind of machine has 1 to 26 cores, as a route has bits for so many; see docs/mapping.md");
    static_assert(kind.monitors < kind.cores,
                  "neuromorph: a kind of machine has more cores than monitors; see docs/mapping.md");
    static_assert(kind.router_entries >= 1,
                  "neuromorph: a kind of machine has at least one router entry for users; see docs/mapping.md");
    return kind;
  } else {
    return {};
  }
}
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t bits) noexcept {
  bits += 0x9E3779B97F4A7C15;
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9;
  bits = (bits ^ bits >> 27) * 0x94D049BB133111EB;
  return bits ^ bits >> 31;
}
} // namespace detail

class Machine {
public:
  static constexpr std::uint32_t most_chips = 1U << 24;

  /// Chips in a rectangle, without boards.
  /// \errors parameter_out_of_range
  template <class Kind>
  [[nodiscard]] static Answer<Machine> grid(std::uint32_t width, std::uint32_t height, Wraps wraps = {}) {
    return grid(detail::kind_of<Kind>(), width, height, wraps);
  }
  /// \param kind  as it was read from a file
  /// \errors parameter_out_of_range: too many or no chips, cores, or router entries
  [[nodiscard]] static Answer<Machine> grid(const ChipKind& kind, std::uint32_t width, std::uint32_t height,
                                            Wraps wraps = {}) {
    const auto refused = [](std::uint32_t value, const char* parameter, std::string why) {
      return Refusal{{Error::parameter_out_of_range, 0, value, parameter}, "machine", std::move(why)};
    };
    if (width == 0 || height == 0 || std::uint64_t{width} * height > most_chips)
      return refused(width == 0 ? width : height, "chips",
                     "a machine has 1 to " + std::to_string(most_chips) + " chips, and not " + std::to_string(width) +
                         " x " + std::to_string(height));
    if (kind.cores == 0 || kind.cores > most_cores)
      return refused(kind.cores, "cores", "a chip has 1 to 26 cores, and not " + std::to_string(kind.cores));
    if (kind.monitors >= kind.cores)
      return refused(kind.monitors, "monitors",
                     "of " + std::to_string(kind.cores) + " cores " + std::to_string(kind.monitors) +
                         " are monitors, and none is left for users");
    if (kind.router_entries == 0) return refused(0, "router_entries", "a router has at least one entry for users");
    return Machine(kind, width, height, wraps);
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
  /// "chip 3, 4", or "device 0, retina".
  [[nodiscard]] std::string name(Chip chip) const {
    if (chip < grid_chips()) return "chip " + std::to_string(x(chip)) + ", " + std::to_string(y(chip));
    if (chip >= chips()) return "chip number " + std::to_string(chip);
    return "device " + std::to_string(chip - grid_chips()) + ", " + device(chip).name;
  }

  /// A bit for each core that a user may have.
  [[nodiscard]] std::uint32_t cores(Chip chip) const noexcept { return cores_[chip]; }
  [[nodiscard]] unsigned core_count(Chip chip) const noexcept {
    return static_cast<unsigned>(std::popcount(cores_[chip]));
  }
  [[nodiscard]] std::uint32_t sdram_bytes(Chip chip) const noexcept { return sdram_[chip]; }
  [[nodiscard]] std::uint32_t router_entries(Chip chip) const noexcept { return entries_[chip]; }
  /// Where a packet comes to that leaves by the link, or no_chip.
  [[nodiscard]] Chip neighbour(Chip chip, Link link) const noexcept { return neighbours_[place(chip, link)]; }
  /// From where packets come in by the link, or no_chip. It is another one than the neighbour where one direction is broken.
  [[nodiscard]] Chip sender(Chip chip, Link link) const noexcept {
    const Chip other = beyond(chip, link);
    return other != no_chip && neighbour(other, opposite(link)) == chip ? other : no_chip;
  }
  /// Which chip would be there if nothing were broken or missing, or no_chip beyond an edge without wraps.
  /// \pre of the rectangle
  [[nodiscard]] Chip beside(Chip chip, Link link) const noexcept {
    auto to_x = static_cast<std::int64_t>(x(chip)) + link_x[unsigned(link)],
         to_y = static_cast<std::int64_t>(y(chip)) + link_y[unsigned(link)];
    if (wraps_.wraps_x) to_x = to_x < 0 ? width_ - 1 : to_x == width_ ? 0 : to_x;
    if (wraps_.wraps_y) to_y = to_y < 0 ? height_ - 1 : to_y == height_ ? 0 : to_y;
    if (to_x < 0 || to_y < 0 || to_x >= width_ || to_y >= height_) return no_chip;
    return chip_at(static_cast<std::uint32_t>(to_x), static_cast<std::uint32_t>(to_y));
  }

  /// Boards, each with a chip that has its Ethernet. A board whose Ethernet chip is missing is still counted.
  [[nodiscard]] std::uint32_t boards() const noexcept { return static_cast<std::uint32_t>(ethernets_.size()); }
  /// \pre board < boards()
  [[nodiscard]] Chip ethernet(Board board) const noexcept { return ethernets_[board]; }
  /// That a chip is on, a device's with its real chip; no_board where there is none.
  [[nodiscard]] Board board_of(Chip chip) const noexcept {
    if (is_virtual(chip)) chip = device(chip).chip;
    return board_of_.empty() ? no_board : board_of_[chip];
  }
  /// The Ethernet chip of its board, missing or not, or no_chip.
  [[nodiscard]] Chip ethernet_of(Chip chip) const noexcept {
    const Board board = board_of(chip);
    return board == no_board ? no_chip : ethernets_[board];
  }
  /// Says on whose board a chip is. Boards are numbered in the order in which their Ethernet chips are first named.
  /// \pre both of the rectangle
  void set_ethernet_of(Chip chip, Chip ethernet) {
    if (board_of_.empty()) board_of_.assign(grid_chips(), no_board);
    Board board = board_of_[ethernet];
    if (board == no_board || ethernets_[board] != ethernet) {
      board = boards();
      ethernets_.push_back(ethernet);
      change(board_of_[ethernet], board, 5, ethernet);
    }
    change(board_of_[chip], board, 5, chip);
  }

  /// Those of virtual chips: the first is of grid_chips().
  [[nodiscard]] const std::vector<Device>& devices() const noexcept { return devices_; }
  /// \pre is_virtual(chip) and chip < chips()
  [[nodiscard]] const Device& device(Chip chip) const noexcept { return devices_[chip - grid_chips()]; }
  /// A chip without cores that stands for a device at a free link, which leads to it and back.
  /// \errors index_out_of_range: there is no such chip; parameters_contradict: the link is in use
  [[nodiscard]] Answer<Chip> add_device(Chip chip, Link link, std::string name) {
    const std::string of = "device " + name;
    if (!has(chip) || is_virtual(chip))
      return Refusal{
          {Error::index_out_of_range, 0, chip, "chip"}, of, Machine::name(chip) + " is not there to connect it to"};
    Chip other = neighbour(chip, link);
    if (other == no_chip) other = sender(chip, link);
    if (other != no_chip)
      return Refusal{{Error::parameters_contradict, chip, unsigned(link), "link"},
                     of,
                     "the link " + std::string(mapping::name(link)) + " of " + Machine::name(chip) +
                         " is in use: it is connected to " + Machine::name(other)};
    const Chip made = chips();
    devices_.push_back({chip, link, std::move(name)});
    is_there_.push_back(1), cores_.push_back(0), sdram_.push_back(0), entries_.push_back(0);
    neighbours_.resize(neighbours_.size() + link_count, no_chip);
    change(neighbours_[place(chip, link)], made, 4, place(chip, link));
    change(neighbours_[place(made, opposite(link))], chip, 4, place(made, opposite(link)));
    std::uint64_t of_name = detail::mixed(made);
    for (const char letter : devices_.back().name)
      of_name = detail::mixed(of_name ^ static_cast<unsigned char>(letter));
    digest_ ^= of_name;
    return made;
  }

  /// In this direction alone.
  void remove_link(Chip chip, Link link) noexcept {
    change(neighbours_[place(chip, link)], no_chip, 4, place(chip, link));
  }
  /// In both directions.
  void remove_link_both(Chip chip, Link link) noexcept {
    const Chip from = sender(chip, link);
    if (from != no_chip) remove_link(from, opposite(link));
    remove_link(chip, link);
  }
  void remove_core(Chip chip, unsigned core) noexcept { set_cores(chip, cores_[chip] & ~(1U << core)); }
  /// With its cores, and all links from and to it.
  void remove_chip(Chip chip) noexcept {
    change(is_there_[chip], std::uint8_t{0}, 0, chip);
    set_cores(chip, 0), set_sdram_bytes(chip, 0), set_router_entries(chip, 0);
    for (unsigned link = 0; link < link_count; ++link) remove_link_both(chip, Link(link));
  }
  void set_cores(Chip chip, std::uint32_t bits) noexcept { change(cores_[chip], bits, 1, chip); }
  void set_sdram_bytes(Chip chip, std::uint32_t bytes) noexcept { change(sdram_[chip], bytes, 2, chip); }
  void set_router_entries(Chip chip, std::uint32_t count) noexcept { change(entries_[chip], count, 3, chip); }

  /// The same for machines that are the same, however they became so, and another one after any change. What is mapped on a
  /// machine keeps it, and is refused on one that has another.
  /// \cost O(1)
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_; }
  friend bool operator==(const Machine&, const Machine&) = default;

private:
  Machine(const ChipKind& kind, std::uint32_t width, std::uint32_t height, Wraps wraps)
      : kind_(kind), width_(width), height_(height), wraps_(wraps) {
    const std::size_t count = std::size_t{width} * height;
    is_there_.assign(count, 1);
    cores_.assign(count, ((1U << kind.cores) - 1) & ~((1U << kind.monitors) - 1));
    sdram_.assign(count, kind.sdram_bytes);
    entries_.assign(count, kind.router_entries);
    neighbours_.resize(count * link_count);
    Chip chip = 0;
    for (std::uint32_t at_y = 0; at_y < height; ++at_y)
      for (std::uint32_t at_x = 0; at_x < width; ++at_x, ++chip) {
        Chip* const to = &neighbours_[std::size_t{chip} * link_count];
        if (at_x != 0 && at_y != 0 && at_x + 1 != width && at_y + 1 != height)
          to[0] = chip + 1, to[1] = chip + width + 1, to[2] = chip + width, to[3] = chip - 1, to[4] = chip - width - 1,
          to[5] = chip - width;
        else
          for (unsigned link = 0; link < link_count; ++link) to[link] = beside(chip, Link(link));
      }
    for (const std::uint32_t one :
         {width, height, std::uint32_t{wraps.wraps_x}, std::uint32_t{wraps.wraps_y}, kind.cores, kind.monitors,
          kind.clock_mhz, kind.itcm_bytes, kind.dtcm_bytes, kind.sdram_bytes, kind.router_entries, kind.tags})
      digest_ = detail::mixed(digest_ ^ one);
  }

  [[nodiscard]] static std::size_t place(Chip chip, Link link) noexcept {
    return std::size_t{chip} * link_count + unsigned(link);
  }
  /// The chip or the device that the link is for, broken or not.
  [[nodiscard]] Chip beyond(Chip chip, Link link) const noexcept {
    if (is_virtual(chip)) return link == opposite(device(chip).link) ? device(chip).chip : no_chip;
    for (std::size_t at = 0; at < devices_.size(); ++at)
      if (devices_[at].chip == chip && devices_[at].link == link) return grid_chips() + static_cast<Chip>(at);
    return beside(chip, link);
  }
  /// What is changed leaves the digest with its old value and enters it with the new one.
  template <class Value>
  void change(Value& value, Value given, std::uint64_t what, std::uint64_t where) noexcept {
    if (value == given) return;
    const std::uint64_t item = detail::mixed(where << 3 | what);
    digest_ ^= detail::mixed(item ^ value) ^ detail::mixed(item ^ given);
    value = given;
  }

  ChipKind kind_;
  std::uint32_t width_, height_;
  Wraps wraps_;
  std::vector<std::uint8_t> is_there_ = {};
  std::vector<std::uint32_t> cores_ = {}, sdram_ = {}, entries_ = {};
  std::vector<Chip> neighbours_ = {}; ///< [chip][link]
  std::vector<Chip> ethernets_ = {};  ///< [board]
  std::vector<Board> board_of_ = {};  ///< [chip of the rectangle], or none where there are no boards
  std::vector<Device> devices_ = {};
  std::uint64_t digest_ = 0;
};

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
