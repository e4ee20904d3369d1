// SPDX-License-Identifier: BSL-1.0
// All responses in one figure: a row for each model, a column for each kind of input.
#ifndef EXAMPLES_NEURONS_FIGURE_HPP
#define EXAMPLES_NEURONS_FIGURE_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "../support/axes.hpp"
#include "../support/svg.hpp"
#include "response.hpp"

namespace neurons {

/// A model's traces under both kinds of input, in fixed point and in double.
struct Row {
  std::string name, current, events; ///< what it is, and what drives it
  std::array<Trace, 2> fixed, reference;
};

namespace detail {

inline constexpr const char* fixed_colour = "#16325c";
inline constexpr const char* reference_colour = "#f2a65e";

/// A line through one value per step, without the points that it passes within a tenth of a pixel. Its numbers are whole
/// tenths of pixels, each relative to the one before: half the file.
inline void curve(const support::Svg& svg, const support::Panel& panel, const std::vector<double>& mv,
                  const char* colour, double width) {
  const auto x = [&](std::size_t at) { return 10.0 * panel.x(static_cast<double>(at + 1) * dt_ms); };
  const auto y = [&](std::size_t at) { return 10.0 * panel.y(mv[at]); };
  if (mv.empty()) return;
  std::fprintf(svg.file(), "<path transform=\"scale(.1)\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.0f\" d=\"M",
               colour, 10.0 * width);
  long last_x = 0, last_y = 0;
  const auto point = [&](std::size_t at) {
    const long to_x = std::lround(x(at)), to_y = std::lround(y(at));
    std::fprintf(svg.file(), at == 0 ? "%ld %ldl" : "%ld %ld ", to_x - last_x, to_y - last_y);
    last_x = to_x, last_y = to_y;
  };
  point(0);
  constexpr double off = 1.0;
  for (std::size_t from = 0; from + 1 < mv.size();) {
    double least = -1e9, most = 1e9; // slopes that pass all points since `from`
    std::size_t to = from + 1;
    for (; to < mv.size(); ++to) {
      const double run = x(to) - x(from), slope = (y(to) - y(from)) / run;
      if (to != from + 1 && (slope < least || slope > most)) break;
      least = std::max(least, slope - off / run), most = std::min(most, slope + off / run);
    }
    point(from = to - 1);
  }
  std::fputs("\"/>\n", svg.file());
}

inline void ticks(const support::Svg& svg, const support::Panel& panel, const std::vector<std::uint32_t>& spikes,
                  const char* colour, double width) {
  if (spikes.empty()) return;
  std::fprintf(svg.file(), "<path stroke=\"%s\" stroke-width=\"%.1f\" d=\"", colour, width);
  for (const auto spike : spikes) std::fprintf(svg.file(), "M%.1f %.1fv-9", panel.x(spike * dt_ms), panel.top - 2);
  std::fputs("\"/>\n", svg.file());
}

} // namespace detail

/// \return empty if the file was written
inline std::string draw(const std::string& path, const std::vector<Row>& rows) {
  constexpr double left = 78, width = 470, between = 34, first = 112, pitch = 104, height = 66;
  const double bottom = first + pitch * static_cast<double>(rows.size() - 1) + height;
  support::Svg svg(path, 1080, static_cast<int>(bottom) + 50);
  if (!svg.is_open()) return svg.close();
  svg.text(left, 30, "start", "Thirteen neurons made of parts", " font-size=\"17\" font-weight=\"bold\"");
  svg.text(left, 52, "start", "constant current from 50 to 230 ms", " fill=\"#777\"");
  svg.text(left + width + between, 52, "start", "Poisson input: 2 kHz excitation, 0.5 kHz inhibition",
           " fill=\"#777\"");
  const double keys = left + width + between;
  svg.line(keys, 26, keys + 24, 26, detail::fixed_colour, " stroke-width=\"1.2\"");
  svg.text(keys + 30, 30, "start", "fixed point, 0.1 ms");
  svg.line(keys + 168, 26, keys + 192, 26, detail::reference_colour, " stroke-width=\"4\"");
  svg.text(keys + 198, 30, "start", "double, 0.01 ms");
  svg.text(left + 2 * width + between, 30, "end", "marks: spikes");

  for (std::size_t at = 0; at < rows.size(); ++at) {
    const Row& row = rows[at];
    double lowest = 1e9, highest = -1e9;
    for (const Trace& trace : row.fixed)
      for (const double mv : trace.mv) lowest = std::min(lowest, mv), highest = std::max(highest, mv);
    const double margin = 0.06 * (highest - lowest);
    for (std::size_t column = 0; column < 2; ++column) {
      const support::Panel panel{left + static_cast<double>(column) * (width + between),
                                 first + pitch * static_cast<double>(at),
                                 width,
                                 height,
                                 0.0,
                                 steps * dt_ms,
                                 std::floor(lowest - margin),
                                 std::ceil(highest + margin)};
      svg.text(panel.left, panel.top - 18, "start", column == 0 ? row.name : "", " font-weight=\"bold\"");
      svg.text(panel.left + width, panel.top - 18, "end", column == 0 ? row.current : row.events,
               " font-size=\"11\" fill=\"#777\"");
      support::axes(svg, panel, at + 1 == rows.size(), column == 0 ? "mV" : "");
      detail::curve(svg, panel, row.reference[column].mv, detail::reference_colour, 3.4);
      detail::curve(svg, panel, row.fixed[column].mv, detail::fixed_colour, 1.0);
      detail::ticks(svg, panel, row.reference[column].spikes, detail::reference_colour, 4.0);
      detail::ticks(svg, panel, row.fixed[column].spikes, detail::fixed_colour, 1.2);
    }
  }
  for (std::size_t column = 0; column < 2; ++column)
    svg.text(left + static_cast<double>(column) * (width + between) + width / 2, bottom + 38, "middle", "time / ms");
  return svg.close();
}

} // namespace neurons

#endif
