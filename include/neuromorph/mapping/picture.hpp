// SPDX-License-Identifier: BSL-1.0
/// \file
/// A report of a mapped graph as a picture: the machine with how full chips are, load of links, tables, faults, lengths of nets.
///
///     const std::string svg = mapping::picture(made.value(), machine);
///
/// Chips are hexagons, as each has six neighbours: x to the east, y to the north west. Machines too large for hexagons are drawn
/// as rows, and what a link has as the colour of its chip.
// host-only
#ifndef NEUROMORPH_MAPPING_PICTURE_HPP
#define NEUROMORPH_MAPPING_PICTURE_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/host/svg.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/report.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

namespace detail {

/// Builds the text of a picture.
class Picture {
public:
  static constexpr std::size_t shades = 9;
  static constexpr const char *broken = "#d62728", *between = "#e69a1e";

  Picture(const MapReport& made, const Machine& machine) : made_(made), machine_(machine) {
    const double wide = machine.width() + (machine.height() - 1) / 2.0, high = machine.height() * row;
    side_ = (std::min)({40.0, panel / wide, panel * 0.86 / high});
    map_width_ = side_ * wide, map_height_ = side_ * high;
  }

  [[nodiscard]] std::string drawn() {
    const double wide = (std::max)(map_width_, 380.0), step = wide + 60, top = 84;
    const double second = top + map_height_ + 100, width = 2 * step + 20;
    const double chart = (std::max)(map_height_, 200.0);
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
        "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#333\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
        width, second + chart + 60, width, second + chart + 60);
    text(30, 26,
         std::to_string(made_.vertices) + " vertices and " + std::to_string(made_.net_count) + " nets on " +
             std::to_string(made_.chips) + " chips of " + std::to_string(machine_.width()) + " x " +
             std::to_string(machine_.height()),
         " font-size=\"16\"");
    key(30, 36, broken,
        "missing or broken: " + std::to_string(made_.faults.chips) + " chips, " + std::to_string(made_.faults.cores) +
            " cores, " + std::to_string(made_.faults.links) + " links, " + std::to_string(made_.faults.one_way_links) +
            " in one direction");
    if (side_ >= least_hexagon && machine_.boards() != 0) key(30 + step, 36, between, "edges of boards");

    map(30, top, "cores in use", machine_.kind().cores - machine_.kind().monitors, false,
        [&](Chip chip) { return static_cast<double>(made_.cores_used[chip]); });
    const double most = made_.most_load();
    map(30 + step, top, "packets of a step, by link", most, true, [&](Chip chip) {
      double load = 0.0;
      for (unsigned link = 0; link < link_count; ++link) load = (std::max)(load, load_of(chip, link));
      return load;
    });
    map(30, second, "entries of tables", made_.entries_of_chip, false,
        [&](Chip chip) { return static_cast<double>(made_.entries[chip]); });
    lengths({30 + step + 50, second + 14, wide - 60, chart - 10, 0, 1, 0, 1});
    text_ += "</svg>\n";
    return std::move(text_);
  }

private:
  static constexpr double panel = 560;                 ///< of a map, at most
  static constexpr double row = 0.8660254037844386;    ///< distance of rows, as that of chips in them is 1
  static constexpr double radius = 0.5773502691896258; ///< of a hexagon
  static constexpr double turn = 1.0471975511965976;   ///< from a link to the next one
  static constexpr double least_hexagon = 5;

  template <class... Values>
  void add(const char* format, Values... values) {
    char line[512];
    std::snprintf(line, sizeof line, format, values...);
    text_ += line;
  }
  void text(double x, double y, const std::string& words, const char* more = "") {
    add("<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, more);
    text_ += host::escaped(words) + "</text>\n";
  }
  void key(double x, double y, const char* colour, const std::string& words) {
    add("<path fill=\"%s\" d=\"M%.1f %.1fh12v12h-12z\"/>\n", colour, x, y);
    text(x + 16, y + 11, words);
  }
  [[nodiscard]] static std::string shade(std::size_t number) {
    constexpr std::array<std::array<int, 3>, 3> ends{{{0xEC, 0xF1, 0xF7}, {0x4A, 0x9A, 0xC8}, {0x0B, 0x2C, 0x5C}}};
    const double at = 2.0 * static_cast<double>(number) / (shades - 1);
    const std::size_t low = at < 1.0 ? 0 : 1;
    const double share = at - static_cast<double>(low);
    char colour[8] = "#";
    for (std::size_t part = 0; part < 3; ++part)
      std::snprintf(colour + 1 + 2 * part, 3, "%02x",
                    static_cast<unsigned>(std::lround(ends[low][part] * (1 - share) + ends[low + 1][part] * share)));
    return colour;
  }
  /// 0 for nothing, else by eighths of the most.
  [[nodiscard]] static std::size_t shade_of(double value, double most) noexcept {
    if (!(value > 0.0) || !(most > 0.0)) return 0;
    return (std::min)(shades - 1, 1 + static_cast<std::size_t>(value / most * (shades - 1) * 0.999999));
  }
  [[nodiscard]] double load_of(Chip chip, unsigned link) const noexcept {
    return made_.load[std::size_t{chip} * link_count + link];
  }
  [[nodiscard]] double x_of(double left, Chip chip) const noexcept {
    return left + side_ * (machine_.x(chip) + 0.5 + (machine_.height() - 1 - machine_.y(chip)) / 2.0);
  }
  [[nodiscard]] double y_of(double top, Chip chip) const noexcept {
    return top + side_ * row * (machine_.height() - 1 - machine_.y(chip) + 0.5);
  }

  template <class Value>
  void map(double left, double top, const char* title, double most, bool shows_links, Value value) {
    text(left, top - 12, title, " font-weight=\"bold\"");
    const bool has_hexagons = side_ >= least_hexagon;
    std::array<std::string, shades + 1> cells; // the last is of what is missing
    for (Chip chip = 0; chip < machine_.grid_chips();) {
      if (!is_meant_to_be(machine_, chip)) {
        ++chip;
        continue;
      }
      const auto class_of = [&](Chip one) {
        if (!machine_.has(one)) return shades;
        return shows_links && has_hexagons ? std::size_t{0} : shade_of(value(one), most);
      };
      const std::size_t of = class_of(chip);
      if (has_hexagons) {
        hexagon(cells[of], x_of(left, chip), y_of(top, chip));
        ++chip;
        continue;
      }
      const Chip begin = chip; // a row of the same colour is one rectangle
      do ++chip;
      while (machine_.x(chip) != 0 && is_meant_to_be(machine_, chip) && class_of(chip) == of);
      append(cells[of], "M%.2f %.2fh%.2fv%.2fh%.2fz", x_of(left, begin) - side_ / 2, y_of(top, begin) - side_ * row / 2,
             side_ * (chip - begin), side_ * row, -side_ * (chip - begin));
    }
    for (std::size_t at = 0; at < shades; ++at)
      path(cells[at], " fill=\"" + (shows_links && has_hexagons ? std::string("#f4f4f4") : shade(at)) + "\"");
    path(cells[shades], has_hexagons ? std::string(" fill=\"#fff\" stroke=\"") + broken + "\" stroke-dasharray=\"2 2\""
                                     : std::string(" fill=\"") + broken + "\"");
    if (has_hexagons) {
      if (shows_links) links(left, top, most);
      edges(left, top);
      if (!shows_links) dead_cores(left, top);
    }
    scale(left, top + map_height_ + 12, most);
  }
  void hexagon(std::string& to, double x, double y) const {
    const double half = side_ * 0.47, high = side_ * radius * 0.94;
    append(to, "M%.1f %.1fl%.1f %.1fv%.1fl%.1f %.1fl%.1f %.1fv%.1fz", x, y - high, half, high / 2, high, -half,
           high / 2, -half, -high / 2, -high);
  }
  /// From the middle of a chip to that of its edge, each direction beside the other. What is broken is drawn last.
  void links(double left, double top, double most) {
    std::array<std::string, shades + 1> lines;
    for (Chip chip = 0; chip < machine_.grid_chips(); ++chip)
      for (unsigned link = 0; machine_.has(chip) && link < link_count; ++link) {
        const bool is_out = is_broken(machine_, chip, Link(link));
        if (!is_out && machine_.neighbour(chip, Link(link)) == no_chip) continue;
        const double angle = link * turn, x = std::cos(angle), y = -std::sin(angle), aside = side_ * 0.07;
        append(lines[is_out ? shades : shade_of(load_of(chip, link), most)], "M%.1f %.1fl%.1f %.1f",
               x_of(left, chip) - y * aside + x * side_ * 0.1, y_of(top, chip) + x * aside + y * side_ * 0.1,
               x * side_ * 0.4, y * side_ * 0.4);
      }
    const double wide = (std::max)(1.0, side_ * 0.09);
    for (std::size_t at = 0; at <= shades; ++at) {
      char more[96];
      std::snprintf(more, sizeof more, " fill=\"none\" stroke-width=\"%.1f\" stroke=\"%s\"", wide,
                    at == shades ? broken
                    : at == 0    ? "#d9d9d9"
                                 : shade(at).c_str());
      path(lines[at], more);
    }
  }
  /// Between boards, and round them.
  void edges(double left, double top) {
    std::string lines;
    for (Chip chip = 0; machine_.boards() != 0 && chip < machine_.grid_chips(); ++chip)
      for (unsigned link = 0; machine_.board_of(chip) != no_board && link < link_count; ++link) {
        const Chip other = machine_.beside(chip, Link(link));
        if (other != no_chip && machine_.board_of(other) == machine_.board_of(chip)) continue;
        const double from = (link - 0.5) * turn, to = (link + 0.5) * turn;
        append(lines, "M%.1f %.1fL%.1f %.1f", x_of(left, chip) + side_ * radius * std::cos(from),
               y_of(top, chip) - side_ * radius * std::sin(from), x_of(left, chip) + side_ * radius * std::cos(to),
               y_of(top, chip) - side_ * radius * std::sin(to));
      }
    path(lines, " fill=\"none\" stroke=\"" + std::string(between) + "\" stroke-width=\"1\"");
  }
  void dead_cores(double left, double top) {
    std::string dots;
    const std::uint32_t whole = machine_.kind().cores - machine_.kind().monitors;
    for (Chip chip = 0; chip < machine_.grid_chips(); ++chip)
      if (machine_.has(chip) && machine_.core_count(chip) < whole)
        append(dots, "M%.1f %.1fh%.1fv%.1fh%.1fz", x_of(left, chip) - side_ * 0.12, y_of(top, chip) - side_ * 0.12,
               side_ * 0.24, side_ * 0.24, -side_ * 0.24);
    path(dots, std::string(" fill=\"") + broken + "\"");
  }
  void scale(double left, double top, double most) {
    for (std::size_t at = 0; at < shades; ++at)
      add("<path fill=\"%s\" d=\"M%.1f %.1fh22v12h-22z\"/>\n", shade(at).c_str(), left + 22.0 * static_cast<double>(at),
          top);
    text(left, top + 27, "0");
    text(left + 22.0 * shades, top + 27, most > 0.0 ? in_digits(most) : "0", " text-anchor=\"end\"");
  }
  /// How many nets have which length.
  void lengths(host::Panel at) {
    text(at.left - 50, at.top - 22, "nets by their length in links", " font-weight=\"bold\"");
    const std::size_t longest = made_.nets.empty() ? 0 : made_.nets.size() - 1, wide = longest / 40 + 1;
    std::uint64_t most = 1;
    std::array<std::uint64_t, 42> bars{};
    for (std::size_t length = 0; length < made_.nets.size(); ++length)
      most = (std::max)(most, bars[length / wide] += made_.nets[length]);
    const std::size_t right = longest / wide * wide + wide;
    at.x_last = static_cast<double>(right), at.y_last = static_cast<double>(most) * 1.05;
    std::string drawn;
    for (std::size_t bar = 0; bar <= longest / wide; ++bar) {
      const double x = at.x(static_cast<double>(bar * wide)), y = at.y(static_cast<double>(bars[bar]));
      const double step = at.width / at.x_last * static_cast<double>(wide);
      if (bars[bar] != 0)
        append(drawn, "M%.1f %.1fh%.1fV%.1fh%.1fz", x + step * 0.05, at.top + at.height, step * 0.9, y, -step * 0.9);
    }
    path(drawn, " fill=\"" + shade(5) + "\"");
    const auto marks = [](double last) {
      std::vector<double> made;
      const double distance = (std::max)(1.0, host::tick_distance(last));
      while (static_cast<double>(made.size()) * distance <= last)
        made.push_back(static_cast<double>(made.size()) * distance);
      return made;
    };
    for (const double mark : marks(at.x_last))
      text(at.x(mark), at.top + at.height + 17, host::number(mark), " text-anchor=\"middle\"");
    for (const double mark : marks(at.y_last)) {
      add("<path d=\"M%.1f %.1fh-4\" stroke=\"#333\"/>\n", at.left, at.y(mark));
      text(at.left - 8, at.y(mark) + 4, host::number(mark), " text-anchor=\"end\"");
    }
    add("<path d=\"M%.1f %.1fv%.1fh%.1f\" stroke=\"#333\" fill=\"none\"/>\n", at.left, at.top, at.height, at.width);
  }

  template <class... Values>
  static void append(std::string& to, const char* format, Values... values) {
    char line[160];
    std::snprintf(line, sizeof line, format, values...);
    to += line;
  }
  void path(const std::string& lines, const std::string& more) {
    if (lines.empty()) return;
    text_ += "<path" + more + " d=\"" + lines + "\"/>\n";
  }

  const MapReport& made_;
  const Machine& machine_;
  double side_ = 0, map_width_ = 0, map_height_ = 0;
  std::string text_ = {};
};

} // namespace detail

/// SVG, as it stands in a file.
/// \param machine  that of the report
/// \cost  O(chips): 3 kB for each board, at most some MB
[[nodiscard]] inline std::string picture(const MapReport& made, const Machine& machine) {
  return detail::Picture(made, machine).drawn();
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
