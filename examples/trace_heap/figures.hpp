// SPDX-License-Identifier: BSL-1.0
// Three figures as SVG files: memory over time, what each advance gave back, and how much single calls do.
#ifndef EXAMPLES_TRACE_HEAP_FIGURES_HPP
#define EXAMPLES_TRACE_HEAP_FIGURES_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "../support/axes.hpp"
#include "../support/svg.hpp"
#include "run.hpp"

namespace trace_heap {
namespace detail {

constexpr const char* alive_colour = "#c9ced6";
constexpr const char* unfreed_colour = "#555";
constexpr const char* bold = " font-size=\"17\" font-weight=\"bold\"";
constexpr const char* pale = " fill=\"#777\"";

/// Calls `each` for solid lines first, then for broken ones, so that one on another leaves that to be seen.
template <class Each>
void for_each_line(const std::vector<Run>& runs, Each each) {
  for (const std::size_t odd : {0U, 1U})
    for (std::size_t at = odd; at < runs.size(); at += 2) each(runs[at], odd == 0 ? "" : " stroke-dasharray=\"6 6\"");
}

inline void keys(const support::Svg& svg, double x, double y, const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    svg.key(x, y, run.colour, run.name);
    x += static_cast<double>(std::string(run.name).size()) * 7 + 36;
  }
}

/// A line through value(step), one point in ten steps.
template <class Value>
void curve(const support::Svg& svg, const support::Panel& panel, std::uint32_t steps, const char* colour,
           const char* more, Value value) {
  std::fprintf(svg.file(), "<path fill=\"none\" stroke-width=\"1.6\" stroke=\"%s\"%s d=\"", colour, more);
  for (std::uint32_t step = 10; step <= steps; step += 10)
    std::fprintf(svg.file(), "%c%.1f %.1f", step == 10 ? 'M' : 'L', panel.x(step * 0.001),
                 panel.y(std::min(value(step), panel.y_last)));
  std::fputs("\"/>\n", svg.file());
}
template <class Value>
void area(const support::Svg& svg, const support::Panel& panel, std::uint32_t steps, Value value) {
  std::fprintf(svg.file(), "<path fill=\"%s\" d=\"M%.1f %.1f", alive_colour, panel.x(0), panel.y(0));
  for (std::uint32_t step = 10; step <= steps; step += 10)
    std::fprintf(svg.file(), "L%.1f %.1f", panel.x(step * 0.001), panel.y(std::min(value(step), panel.y_last)));
  std::fprintf(svg.file(), "V%.1fZ\"/>\n", panel.y(0));
}

inline std::string draw_occupancy(const std::string& path, const Stream& stream, const std::vector<Run>& runs) {
  support::Svg svg(path, 960, 660);
  if (!svg.is_open()) return svg.close();
  constexpr double kb = event_bytes * 0.001;
  const double seconds = stream.steps() * 0.001;
  const auto unfreed = [&](std::uint32_t step) { return stream.so_far(step) * kb; };
  const auto alive = [&](std::uint32_t step) { return stream.alive(step) * kb; };
  double highest = 1;
  for (std::uint32_t step = 1; step <= stream.steps(); ++step) highest = std::max(highest, alive(step));

  svg.text(80, 30, "start", "Events in memory: 255 neurons, 500 ms window", bold);
  svg.text(80, 50, "start", "bytes of the events themselves, 8 each", pale);
  const double buffers = 16 * neurons * kb;
  const support::Panel all{80, 66, 850, 150, 0, seconds, 0, std::max(buffers * 1.06, unfreed(stream.steps()) * 1.06)};
  support::axes(svg, all, false, "KB");
  area(svg, all, stream.steps(), alive);
  curve(svg, all, stream.steps(), unfreed_colour, "", unfreed);
  svg.line(all.left, all.y(buffers), all.left + all.width, all.y(buffers), "#c8442c", " stroke-dasharray=\"5 4\"");
  svg.text(all.left + 6, all.y(buffers) + 15, "start", "16 places for each neuron", " fill=\"#c8442c\"");
  svg.text(all.x(seconds * 0.62), all.y(unfreed(stream.steps() * 62 / 100)) - 12, "end", "never freed");
  svg.text(all.x(seconds * 0.62), all.y(alive(stream.steps())) - 6, "end", "alive");

  const support::Panel part{80, 276, 850, 320, 0, seconds, 0, highest * 1.3};
  keys(svg, 80, 246, runs);
  support::axes(svg, part, true, "KB");
  area(svg, part, stream.steps(), alive);
  svg.text(part.left + part.width / 2, part.y(highest * 0.25), "middle", "alive");
  for_each_line(runs, [&](const Run& run, const char* more) {
    curve(svg, part, stream.steps(), run.colour, more,
          [&](std::uint32_t step) { return run.in_memory[step - 1] * kb; });
  });
  svg.text(505, 640, "middle", "time / s");
  return svg.close();
}

/// A row for each collector, a column for each rate of its advances.
inline std::string draw_reclaimed(const std::string& path, const std::vector<Run>& runs) {
  constexpr double row_height = 92, column_width = 186, pitch = 232, first_row = 98;
  support::Svg svg(path, 990, static_cast<int>(first_row + row_height * static_cast<double>(runs.size()) + 40));
  if (!svg.is_open()) return svg.close();
  svg.text(80, 30, "start", "Bytes that each advance of the store gives back", bold);
  svg.text(80, 50, "start", "from 0.8 to 1 s; in brackets, advances of the whole run that gave back nothing", pale);
  double top = first_row;
  for (const Run& run : runs) {
    std::uint32_t most = 40;
    for (const auto& bytes : run.reclaimed)
      for (const std::uint32_t each : bytes) most = std::max(most, each);
    for (std::size_t with = 0; with < periods.size(); ++with) {
      const support::Panel panel{80 + pitch * static_cast<double>(with),
                                 top,
                                 column_width,
                                 row_height - 30,
                                 drawn_from,
                                 drawn_to,
                                 0,
                                 most * 1.1};
      if (&run == runs.data())
        svg.text(panel.left + panel.width / 2, first_row - 24, "middle", support::number(1.0 / periods[with]) + " kHz");
      support::axes(svg, panel, &run == &runs.back(), with == 0 ? "bytes" : "");
      std::fprintf(svg.file(), "<path fill=\"none\" stroke-width=\"1.1\" stroke=\"%s\" d=\"", run.colour);
      double step = std::ceil(static_cast<double>(drawn_from) / periods[with]) * periods[with];
      for (const std::uint32_t bytes : run.reclaimed[with]) {
        if (bytes != 0) std::fprintf(svg.file(), "M%.1f %.1fV%.1f", panel.x(step), panel.y(0), panel.y(bytes));
        step += periods[with];
      }
      std::fputs("\"/>\n", svg.file());
      char idle[32];
      std::snprintf(idle, sizeof idle, " (%.0f %%)",
                    100.0 * run.idle[with] / std::max<std::uint32_t>(run.advances[with], 1));
      svg.text(panel.left + panel.width, top - 4, "end", run.name + std::string(idle));
    }
    top += row_height;
  }
  svg.text(505, top + 18, "middle", "time / ms");
  return svg.close();
}

/// How many calls do how much, both on logarithmic axes.
inline std::string draw_work(const std::string& path, const std::vector<Run>& runs) {
  support::Svg svg(path, 960, 480);
  if (!svg.is_open()) return svg.close();
  std::uint32_t most = 100;
  std::size_t calls = 100;
  for (const Run& run : runs) {
    calls = std::max(calls, run.work.size());
    if (!run.work.empty()) most = std::max(most, run.work.back());
  }
  svg.text(80, 30, "start", "Calls that give back and move at least so many bytes", bold);
  svg.text(80, 50, "start", "share of all advances, one each ms, and of all records", pale);
  keys(svg, 80, 64, runs);
  const double decades = std::ceil(std::log10(static_cast<double>(calls)));
  const support::Panel panel{80, 92, 850, 320, std::log10(6.0), std::log10(most * 1.3), -decades, 0};
  for (int decade = 0; decade <= static_cast<int>(decades); ++decade) {
    const double y = panel.y(-decade);
    svg.line(panel.left, y, panel.left + panel.width, y, "#eee");
    svg.text(panel.left - 8, y + 4, "end", support::number(100 * std::pow(10.0, -decade)) + " %");
  }
  for (std::uint32_t mark = 8; mark < most * 1.3; mark *= 2) {
    const double x = panel.x(std::log10(static_cast<double>(mark)));
    svg.line(x, panel.top, x, panel.top + panel.height, "#eee");
    svg.text(x, panel.top + panel.height + 18, "middle", std::to_string(mark));
  }
  svg.line(panel.left, panel.top, panel.left, panel.top + panel.height, "#333");
  svg.line(panel.left, panel.top + panel.height, panel.left + panel.width, panel.top + panel.height, "#333");
  for_each_line(runs, [&](const Run& run, const char* more) {
    std::fprintf(svg.file(), "<path fill=\"none\" stroke-width=\"1.8\" stroke=\"%s\"%s d=\"", run.colour, more);
    char command = 'M';
    double x = panel.left;
    for (std::size_t at = 0; at < run.work.size(); ++at) {
      if (run.work[at] == 0 || (at != 0 && run.work[at] == run.work[at - 1])) continue;
      const double share = static_cast<double>(run.work.size() - at) / static_cast<double>(run.work.size());
      const double y = panel.y(std::log10(share));
      const double to = panel.x(std::log10(static_cast<double>(run.work[at])));
      std::fprintf(svg.file(), "%c%.1f %.1fH%.1f", command, x, y, to);
      command = 'L';
      x = to;
    }
    std::fprintf(svg.file(), "V%.1f\"/>\n", panel.top + panel.height);
  });
  svg.text(505, 460, "middle", "bytes given back and moved in one call");
  return svg.close();
}

} // namespace detail

inline constexpr std::array output_files{"occupancy.svg", "reclaimed.svg", "work.svg", "table.txt"};

/// \return empty if all files were written
inline std::string draw(const std::string& folder, const Stream& stream, const std::vector<Run>& runs) {
  auto complaint = detail::draw_occupancy(folder + "/" + output_files[0], stream, runs);
  if (complaint.empty()) complaint = detail::draw_reclaimed(folder + "/" + output_files[1], runs);
  if (complaint.empty()) complaint = detail::draw_work(folder + "/" + output_files[2], runs);
  return complaint;
}

} // namespace trace_heap

#endif
