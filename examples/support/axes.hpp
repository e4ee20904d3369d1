// SPDX-License-Identifier: BSL-1.0
// Axes of a part of a figure.
#ifndef EXAMPLES_SUPPORT_AXES_HPP
#define EXAMPLES_SUPPORT_AXES_HPP

#include <cstdio>
#include <string>

#include "svg.hpp"

namespace support {

/// A rectangle of the page with its own axes.
struct Panel {
  double left, top, width, height;
  double x_first, x_last, y_first, y_last; // values at the left, right, bottom and top edge
  [[nodiscard]] double x(double value) const { return left + (value - x_first) / (x_last - x_first) * width; }
  [[nodiscard]] double y(double value) const { return top + height - (value - y_first) / (y_last - y_first) * height; }
};

inline std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

inline double tick_distance(double range) {
  double distance = 1e-3;
  for (int turn = 0; range / distance > 8.0; ++turn) distance *= turn % 3 == 1 ? 2.5 : 2.0;
  return distance;
}

/// \param y_label  empty: no numbers there, either
inline void axes(const Svg& svg, const Panel& panel, bool with_x, const std::string& y_label) {
  const double x_step = tick_distance(panel.x_last - panel.x_first);
  const auto first = static_cast<int>(panel.x_first / x_step + 0.999);
  for (int mark = first; mark * x_step <= panel.x_last + 1e-9; ++mark) {
    const double x = panel.x(mark * x_step);
    svg.line(x, panel.top, x, panel.top + panel.height, "#eee");
    if (with_x) svg.text(x, panel.top + panel.height + 18, "middle", number(mark * x_step));
  }
  const double y_step = tick_distance(panel.y_last - panel.y_first) * 2;
  for (int mark = static_cast<int>(panel.y_first / y_step - 0.001); mark * y_step <= panel.y_last + 1e-9; ++mark) {
    if (mark * y_step < panel.y_first - 1e-9) continue;
    const double y = panel.y(mark * y_step);
    svg.line(panel.left - 4, y, panel.left, y, "#333");
    if (!y_label.empty()) svg.text(panel.left - 8, y + 4, "end", number(mark * y_step));
  }
  svg.line(panel.left, panel.top, panel.left, panel.top + panel.height, "#333");
  svg.line(panel.left, panel.top + panel.height, panel.left + panel.width, panel.top + panel.height, "#333");
  if (!y_label.empty()) svg.vertical_text(panel.left - 52, panel.top + panel.height / 2, y_label);
}

} // namespace support

#endif
