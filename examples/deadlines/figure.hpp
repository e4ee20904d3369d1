// SPDX-License-Identifier: BSL-1.0
// A Gantt chart of the first milliseconds as an SVG file.
#ifndef EXAMPLES_DEADLINES_FIGURE_HPP
#define EXAMPLES_DEADLINES_FIGURE_HPP

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

#include "../support/svg.hpp"
#include "schedule.hpp"

namespace deadlines {

inline constexpr std::array output_files{"gantt.svg"};

/// \return empty if the file was written
inline std::string draw(const std::string& path, const Simulation& simulation, Tick until, const std::string& title) {
  constexpr double left = 90, right = 20, top = 60, row = 44, bar = 22, width = 920;
  constexpr double bottom = top + row * service_count;
  support::Svg svg(path, static_cast<int>(left + width + right), static_cast<int>(bottom + 66));
  if (!svg.is_open()) return svg.close();
  const auto x = [&](Tick time) { return left + width * time / until; };
  svg.text(left, 24, "start", title, " font-size=\"15\"");
  const double key_y = 46;
  const auto key = [&](double at, const char* colour, const char* name) {
    std::fprintf(svg.file(), "<path fill=\"%s\" d=\"M%.1f %.1fh14v-10h-14z\"/>\n", colour, at, key_y);
    svg.text(at + 20, key_y, "start", name);
  };
  key(left, "#3b7dba", "finished in time");
  key(left + 150, "#c8442c", "finished late");
  svg.line(left + 284, key_y - 11, left + 284, key_y, "#333", " stroke-width=\"1.5\"");
  svg.text(left + 292, key_y, "start", "release");
  std::fprintf(svg.file(), "<path fill=\"#333\" d=\"M%.1f %.1fl4 7h-8z\"/>\n", left + 370, key_y - 8);
  svg.text(left + 380, key_y, "start", "deadline");
  for (Tick ms = 0; ms * 1000 <= until; ++ms) {
    svg.line(x(ms * 1000), top, x(ms * 1000), bottom, ms % 5 == 0 ? "#bbb" : "#eee");
    if (ms % 5 == 0) svg.text(x(ms * 1000), bottom + 18, "middle", std::to_string(ms));
  }
  svg.text(left + width / 2, bottom + 40, "middle", "virtual time, ms");
  for (std::size_t service = 0; service < service_count; ++service) {
    const double base = top + row * static_cast<double>(service + 1) - 8;
    svg.text(left - 10, base - 6, "end", names[service]);
    svg.line(left, base, left + width, base, "#999");
  }
  for (const Run& run : simulation) {
    const double base = top + row * (run.service + 1) - 8;
    const Tick finish = run.finish < until ? run.finish : until;
    if (run.start < until) // edged, so that one run can be told from the next
      std::fprintf(svg.file(), "<path fill=\"%s\" stroke=\"#fff\" d=\"M%.1f %.1fh%.2fv-%.0fh-%.2fz\"/>\n",
                   run.is_late() ? "#c8442c" : "#3b7dba", x(run.start), base, x(finish) - x(run.start), bar,
                   x(finish) - x(run.start));
    if (run.release < until)
      svg.line(x(run.release), base, x(run.release), base - bar - 6, "#333", " stroke-width=\"1.5\"");
    if (run.deadline <= until)
      std::fprintf(svg.file(), "<path fill=\"#333\" d=\"M%.1f %.1fl4 7h-8z\"/>\n", x(run.deadline), base);
  }
  return svg.close();
}

} // namespace deadlines

#endif
