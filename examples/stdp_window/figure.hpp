// SPDX-License-Identifier: BSL-1.0
// All windows in one figure: dots from the fixed-point rules, lines from the formulas.
#ifndef EXAMPLES_STDP_WINDOW_FIGURE_HPP
#define EXAMPLES_STDP_WINDOW_FIGURE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "../support/axes.hpp"
#include "../support/svg.hpp"
#include "windows.hpp"

namespace stdp_window {

inline void draw_window(const support::Svg& svg, const Window& window, double left, double top) {
  const auto [least, most] = std::minmax_element(window.closed.begin(), window.closed.end());
  const double room = (*most - *least) * 0.08;
  const support::Panel panel{left, top, 300, 150, -farthest, farthest, 100 * (*least - room), 100 * (*most + room)};
  support::axes(svg, panel, true, "dw, % of the range");
  if (panel.y_first < 0 && panel.y_last > 0)
    svg.line(panel.left, panel.y(0), panel.left + panel.width, panel.y(0), "#bbb", " stroke-dasharray=\"3 3\"");
  svg.line(panel.x(0), panel.top, panel.x(0), panel.top + panel.height, "#bbb", " stroke-dasharray=\"3 3\"");
  std::fputs("<path fill=\"none\" stroke=\"#f2a65e\" stroke-width=\"2.5\" d=\"", svg.file());
  for (std::size_t at = 0; at < window.closed.size(); ++at) {
    const double ms = static_cast<double>(at) - farthest;
    // Where the order changes, so may the sign: no line.
    const bool breaks = at == 0 || static_cast<int>(at) == farthest + 1;
    std::fprintf(svg.file(), "%c%.1f %.1f", breaks ? 'M' : 'L', panel.x(ms), panel.y(100 * window.closed[at]));
  }
  std::fputs("\"/>\n<path stroke=\"#16325c\" stroke-width=\"3.4\" stroke-linecap=\"round\" d=\"", svg.file());
  for (std::size_t at = 0; at < window.fixed.size(); at += 5)
    std::fprintf(svg.file(), "M%.1f %.1fh0", panel.x(static_cast<double>(at) - farthest),
                 panel.y(100 * window.fixed[at]));
  std::fputs("\"/>\n", svg.file());
  svg.text(left, top - 22, "start", window.name, " font-weight=\"bold\"");
  svg.text(left, top - 7, "start", window.about, " fill=\"#777\"");
}

/// \return empty if the file was written
inline std::string draw(const std::string& path, const std::vector<Window>& windows) {
  const std::size_t rows = (windows.size() + 2) / 3;
  const int height = 100 + static_cast<int>(rows) * 240;
  support::Svg svg(path, 1200, height);
  if (!svg.is_open()) return svg.close();
  svg.text(70, 32, "start", "Learning windows: one spike of the row, one event of the neuron",
           " font-size=\"17\" font-weight=\"bold\"");
  svg.key(70, 44, "#16325c", "deferred, in fixed point");
  svg.key(250, 44, "#f2a65e", "formula, in double");
  for (std::size_t at = 0; at < windows.size(); ++at) {
    const std::size_t row = at / 3, column = at % 3;
    draw_window(svg, windows[at], 70 + static_cast<double>(column) * 385, 110 + static_cast<double>(row) * 240);
  }
  svg.text(600, height - 18, "middle", "event less spike, ms", " fill=\"#777\"");
  return svg.close();
}

} // namespace stdp_window

#endif
