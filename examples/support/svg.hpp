// SPDX-License-Identifier: BSL-1.0
// A figure as an SVG file, written by plain printf so that emulated boards can do it, too.
#ifndef EXAMPLES_SUPPORT_SVG_HPP
#define EXAMPLES_SUPPORT_SVG_HPP

#include <cstdio>
#include <string>

#include "output.hpp"

namespace support {

/// Nothing may be drawn if it is not open.
class Svg {
public:
  Svg(const std::string& path, int width, int height) : file_(path) {
    if (!is_open()) return;
    std::fprintf(file(),
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                 "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#333\">\n"
                 "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                 width, height, width, height);
  }
  [[nodiscard]] bool is_open() const { return file_.is_open(); }
  [[nodiscard]] std::FILE* file() const { return file_.get(); }
  /// Ends the figure. Empty if all of it was written.
  [[nodiscard]] std::string close() {
    if (is_open()) std::fputs("</svg>\n", file());
    return file_.close();
  }

  void text(double x, double y, const char* anchor, const std::string& text, const char* more = "") const {
    std::fprintf(file(), "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>\n", x, y, anchor, more,
                 text.c_str());
  }
  void vertical_text(double x, double y, const std::string& label) const {
    std::fprintf(file(), "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\">%s</text>\n", x,
                 y, label.c_str());
  }
  void line(double x1, double y1, double x2, double y2, const char* colour, const char* more = "") const {
    std::fprintf(file(), "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\"%s/>\n", x1, y1, x2, y2, colour, more);
  }
  /// A square of a colour, and what it stands for.
  void key(double x, double y, const char* colour, const char* name) const {
    std::fprintf(file(), "<path fill=\"%s\" d=\"M%.1f %.1fh12v12h-12z\"/>\n", colour, x, y);
    text(x + 16, y + 11, "start", name);
  }

private:
  File file_;
};

} // namespace support

#endif
