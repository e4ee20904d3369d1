// SPDX-License-Identifier: BSL-1.0
/// \file
/// Figures as SVG: text, lines, and panels with axes, by plain printf, so that a board with a C library can draw them, too.
// host-only
#ifndef NEUROMORPH_HOST_SVG_HPP
#define NEUROMORPH_HOST_SVG_HPP

#include <cstdio>
#include <string>
#include <string_view>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace host {

/// A figure in a file that someone else opens and closes. Where that is not open nothing may be drawn.
class Svg {
public:
  Svg(std::FILE* file, int width, int height) : file_(file) {
    if (!is_open()) return;
    std::fprintf(file_,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                 "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#333\">\n"
                 "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                 width, height, width, height);
  }
  [[nodiscard]] bool is_open() const noexcept { return file_ != nullptr; }
  [[nodiscard]] std::FILE* file() const noexcept { return file_; }
  void end() const {
    if (is_open()) std::fputs("</svg>\n", file_);
  }

  /// \param text  as SVG has it: `escaped`, if it is not of the program
  void text(double x, double y, const char* anchor, const std::string& text, const char* more = "") const {
    std::fprintf(file_, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>\n", x, y, anchor, more,
                 text.c_str());
  }
  void vertical_text(double x, double y, const std::string& label) const {
    std::fprintf(file_, "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\">%s</text>\n", x, y,
                 label.c_str());
  }
  void line(double x1, double y1, double x2, double y2, const char* colour, const char* more = "") const {
    std::fprintf(file_, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\"%s/>\n", x1, y1, x2, y2, colour, more);
  }
  /// A square of a colour, and what it stands for.
  void key(double x, double y, const char* colour, const char* name) const {
    std::fprintf(file_, "<path fill=\"%s\" d=\"M%.1f %.1fh12v12h-12z\"/>\n", colour, x, y);
    text(x + 16, y + 11, "start", name);
  }

private:
  std::FILE* file_;
};

/// Any text as SVG has it.
[[nodiscard]] inline std::string escaped(std::string_view text) {
  std::string made;
  for (const char one : text) {
    if (one == '<')
      made += "&lt;";
    else if (one == '>')
      made += "&gt;";
    else if (one == '&')
      made += "&amp;";
    else
      made += static_cast<unsigned char>(one) < ' ' ? ' ' : one;
  }
  return made;
}

/// A rectangle of the page with its own axes.
struct Panel {
  double left, top, width, height;
  double x_first, x_last, y_first, y_last; ///< values at the left, right, bottom and top edge
  [[nodiscard]] double x(double value) const { return left + (value - x_first) / (x_last - x_first) * width; }
  [[nodiscard]] double y(double value) const { return top + height - (value - y_first) / (y_last - y_first) * height; }
};

/// A number as an axis has it.
[[nodiscard]] inline std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

[[nodiscard]] inline double tick_distance(double range) {
  double distance = 1e-3;
  for (int turn = 0; range / distance > 8.0; ++turn) distance *= turn % 3 == 1 ? 2.5 : 2.0;
  return distance;
}

/// A panel that begins at its top has no marks on the y axis.
/// \param y_label  empty: no numbers there, either
inline void axes(const Svg& svg, const Panel& panel, bool with_x, const std::string& y_label) {
  const double x_step = tick_distance(panel.x_last - panel.x_first);
  const auto first = static_cast<long long>(panel.x_first / x_step + 0.999);
  for (long long mark = first; static_cast<double>(mark) * x_step <= panel.x_last + 1e-9; ++mark) {
    const double at = static_cast<double>(mark) * x_step, x = panel.x(at);
    svg.line(x, panel.top, x, panel.top + panel.height, "#eee");
    if (with_x) svg.text(x, panel.top + panel.height + 18, "middle", number(at));
  }
  const double y_step = tick_distance(panel.y_last - panel.y_first) * 2;
  const auto lowest = static_cast<long long>(panel.y_last > panel.y_first ? panel.y_first / y_step - 0.001 : 1.0);
  for (long long mark = lowest; static_cast<double>(mark) * y_step <= panel.y_last + 1e-9; ++mark) {
    const double at = static_cast<double>(mark) * y_step, y = panel.y(at);
    if (at < panel.y_first - 1e-9) continue;
    svg.line(panel.left - 4, y, panel.left, y, "#333");
    if (!y_label.empty()) svg.text(panel.left - 8, y + 4, "end", number(at));
  }
  svg.line(panel.left, panel.top, panel.left, panel.top + panel.height, "#333");
  svg.line(panel.left, panel.top + panel.height, panel.left + panel.width, panel.top + panel.height, "#333");
  if (!y_label.empty()) svg.vertical_text(panel.left - 52, panel.top + panel.height / 2, y_label);
}

inline constexpr const char* excitatory_colour = "#1f5fa8";
inline constexpr const char* inhibitory_colour = "#c8442c";

} // namespace host
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
