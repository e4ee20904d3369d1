// SPDX-License-Identifier: BSL-1.0
// One inference as a picture: spikes of the pixels and of the neurons, and the membranes that read out.
#ifndef EXAMPLES_TRAINED_FIGURE_HPP
#define EXAMPLES_TRAINED_FIGURE_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "../support/svg.hpp"
#include "bars.hpp"

namespace trained {

struct Inference {
  Bar bar;
  std::vector<std::vector<std::uint32_t>> hidden;   // by step
  std::vector<std::array<double, directions>> read; // likewise
};

/// Empty if it was written.
inline std::string draw(const std::string& path, const Inference& of, std::uint32_t neurons) {
  constexpr double left = 70, width = 560, gap = 26;
  const double pixels_high = 3.0 * pixels, hidden_high = 4.0 * neurons, read_high = 150;
  support::Svg svg(path, 760, static_cast<int>(40 + pixels_high + hidden_high + read_high + 3 * gap + 30));
  if (!svg.is_open()) return svg.close();
  constexpr const char* colours[directions] = {"#c0392b", "#2471a3", "#d68910", "#1e8449"};
  const double step_wide = width / steps;
  const auto x = [&](std::uint32_t step, double share) { return left + (step + share) * step_wide; };
  svg.text(left, 24, "start",
           std::string("A bar moves ") + names[of.bar.direction] + ": 24 ms, 48 neurons, 8-bit weights");
  double top = 40;
  const auto raster = [&](const auto& spikes, std::uint32_t count, double row, const char* colour, const char* name) {
    std::fprintf(svg.file(), "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#f7f7f7\"/>\n", left,
                 top, width, row * count);
    for (std::uint32_t step = 0; step < steps; ++step)
      for (const std::uint32_t one : spikes[step])
        svg.line(x(step, 0.5), top + row * one, x(step, 0.5), top + row * (one + 0.9), colour, " stroke-width=\"5\"");
    svg.vertical_text(left - 18, top + row * count / 2, name);
    top += row * count + gap;
  };
  raster(of.bar.spikes, pixels, 3.0, "#555", "pixels");
  raster(of.hidden, neurons, 4.0, "#6c3483", "neurons");
  double low = 0, high = 0;
  for (const auto& one : of.read)
    for (const double value : one) low = std::min(low, value), high = std::max(high, value);
  const auto y = [&](double value) { return top + read_high * (high - value) / (high - low); };
  svg.line(left, y(0), left + width, y(0), "#ccc");
  for (std::uint32_t which = 0; which < directions; ++which) {
    for (std::uint32_t step = 1; step < steps; ++step)
      svg.line(x(step - 1, 1), y(of.read[step - 1][which]), x(step, 1), y(of.read[step][which]), colours[which],
               " stroke-width=\"2\" stroke-linecap=\"round\"");
    svg.text(left + width + 8, y(of.read[steps - 1][which]) + 4, "start", names[which]);
  }
  svg.vertical_text(left - 18, top + read_high / 2, "membranes");
  for (std::uint32_t step = 0; step <= steps; step += 6)
    svg.text(x(step, 0), top + read_high + 22, "middle", std::to_string(step) + (step == steps ? " ms" : ""));
  return svg.close();
}

} // namespace trained

#endif
