// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a proof is about: a machine, what is demanded of it, and the tables that are loaded.
///
/// Plain data that knows nothing of how it came about, so that tables of any tool are judged alike. Directions are numbered as the
/// bits of a route: links 0 to 5, east, north east, north, west, south west, south; core p is 6 + p.
// host-only
#ifndef NEUROMORPH_MAPPING_PROOF_PROBLEM_HPP
#define NEUROMORPH_MAPPING_PROOF_PROBLEM_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace proof {

inline constexpr unsigned links = 6;
inline constexpr std::uint32_t link_bits = (1U << links) - 1;
inline constexpr std::uint32_t none = 0xFFFFFFFF;
[[nodiscard]] constexpr unsigned opposite(unsigned link) noexcept { return (link + 3) % links; }

/// "east", "core 3".
[[nodiscard]] inline std::string direction_name(unsigned direction) {
  constexpr const char* names[] = {"east", "north east", "north", "west", "south west", "south"};
  return direction < links ? names[direction] : "core " + std::to_string(direction - links);
}
/// "east, core 3 and core 5", or "nothing".
[[nodiscard]] inline std::string route_in_words(std::uint32_t route) {
  std::string words;
  while (route != 0) {
    const auto direction = static_cast<unsigned>(std::countr_zero(route));
    route &= route - 1;
    words += (words.empty() ? "" : route == 0 ? " and " : ", ") + direction_name(direction);
  }
  return words.empty() ? "nothing" : words;
}

/// Chips and the links between them.
struct Machine {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint32_t> neighbours =
      {};                                  ///< [chip][link], `none` where nothing is or a device; chip = y * width + x
  std::vector<std::uint8_t> is_there = {}; ///< [chip]
  std::vector<std::uint32_t> entries = {}; ///< [chip]: how many its router has room for; empty: not asked

  [[nodiscard]] std::uint32_t chips() const noexcept { return static_cast<std::uint32_t>(is_there.size()); }
  /// "chip (3, 4)".
  [[nodiscard]] std::string name(std::uint32_t chip) const {
    return width == 0 ? "chip " + std::to_string(chip)
                      : "chip (" + std::to_string(chip % width) + ", " + std::to_string(chip / width) + ")";
  }

  /// All chips and links of a rectangle.
  /// \pre width * height below 2^32
  [[nodiscard]] static Machine grid(std::uint32_t width, std::uint32_t height, bool wraps_x, bool wraps_y) {
    constexpr int link_x[links] = {1, 1, 0, -1, -1, 0}, link_y[links] = {0, 1, 1, 0, -1, -1};
    Machine made;
    made.width = width, made.height = height;
    const std::size_t count = std::size_t{width} * height;
    made.is_there.assign(count, 1);
    made.neighbours.assign(count * links, none);
    for (std::uint32_t y = 0; y < height; ++y)
      for (std::uint32_t x = 0; x < width; ++x)
        for (unsigned link = 0; link < links; ++link) {
          auto to_x = std::int64_t{x} + link_x[link], to_y = std::int64_t{y} + link_y[link];
          if (wraps_x) to_x = (to_x + width) % width;
          if (wraps_y) to_y = (to_y + height) % height;
          if (to_x < 0 || to_y < 0 || to_x >= width || to_y >= height) continue;
          made.neighbours[(std::size_t{y} * width + x) * links + link] =
              static_cast<std::uint32_t>(to_y * width + to_x);
        }
    return made;
  }
  /// A link in one direction.
  void remove_link(std::uint32_t chip, unsigned link) { neighbours[std::size_t{chip} * links + link] = none; }
  /// With the links from it and to it.
  void remove_chip(std::uint32_t chip) {
    is_there[chip] = 0;
    for (unsigned link = 0; link < links; ++link) remove_link(chip, link);
    for (std::uint32_t& neighbour : neighbours)
      if (neighbour == chip) neighbour = none;
  }
};

/// Packets with the keys k with (k & mask) == key that enter at one place.
struct Stream {
  std::uint32_t key = 0, mask = 0xFFFFFFFF;
  std::uint32_t chip = none;
  std::uint32_t from = links; ///< direction: a core, or a link behind which a device is
};
/// Cores, and links to devices, of a chip.
struct Sink {
  std::uint32_t chip = none;
  std::uint32_t route = 0;
};
/// Each packet of a stream is to come once to each of its sinks, and nowhere else.
struct Demand {
  std::vector<Stream> streams = {};
  std::vector<std::size_t> first_sink{0}; ///< [stream], and one more
  std::vector<Sink> sinks = {};
  std::vector<double> packets = {}; ///< [stream]: of a step, spread over its keys; empty: one each

  [[nodiscard]] std::span<const Sink> sinks_of(std::size_t stream) const noexcept {
    return std::span(sinks).subspan(first_sink[stream], first_sink[stream + 1] - first_sink[stream]);
  }
  void add(const Stream& stream, std::span<const Sink> of) {
    streams.push_back(stream);
    sinks.insert(sinks.end(), of.begin(), of.end());
    first_sink.push_back(sinks.size());
  }
};

/// The first that matches counts.
struct Entry {
  std::uint32_t key = 0, mask = 0xFFFFFFFF, route = 0;
  friend bool operator==(const Entry&, const Entry&) = default;
};
/// What is loaded into routers.
struct Tables {
  std::vector<std::size_t> first{0}; ///< [chip], and one more
  std::vector<Entry> entries = {};

  [[nodiscard]] std::span<const Entry> operator[](std::size_t chip) const noexcept {
    return std::span(entries).subspan(first[chip], first[chip + 1] - first[chip]);
  }
  /// Ends the table to which entries were added behind the last one.
  void end_table() { first.push_back(entries.size()); }
};

} // namespace proof
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
