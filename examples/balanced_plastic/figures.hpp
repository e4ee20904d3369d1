// SPDX-License-Identifier: BSL-1.0
// Three figures as SVG files: spikes of the last second, rates over time, and the weights in the end.
#ifndef EXAMPLES_BALANCED_PLASTIC_FIGURES_HPP
#define EXAMPLES_BALANCED_PLASTIC_FIGURES_HPP

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "../support/axes.hpp"
#include "../support/output.hpp"
#include "../support/svg.hpp"
#include "network.hpp"

namespace balanced {

inline constexpr std::array<const char*, 3> output_files{"raster.svg", "rates.svg", "weights.svg"};
inline constexpr const char* excitatory_colour = "#1f5fa8";
inline constexpr const char* inhibitory_colour = "#c8442c";

/// What the figures are drawn from.
struct Recording {
  struct Spike {
    std::uint32_t step, neuron;
  };
  static constexpr std::size_t bins = 50;
  std::vector<Spike> spikes;
  std::array<std::array<std::uint32_t, bins>, 2>
      weights{}; // of excitatory and of inhibitory synapses, by share of the range

  void add(std::uint32_t step, std::uint32_t neuron) { spikes.push_back({step, neuron}); }
  void add_weights(Far& far) {
    for (std::uint32_t source_core = 0; source_core < cores; ++source_core)
      for (std::uint32_t source = 0; source < neurons_of_core; ++source) {
        const std::uint32_t begin = far.first[source_core][source], end = far.first[source_core][source + 1];
        const Pair::Row row{std::span(far.words).subspan(begin, end - begin)};
        for (const std::uint32_t state : row.states())
          ++weights[is_excitatory(source_core) ? 0 : 1][static_cast<std::size_t>(std::uint64_t{state} * bins >> 32)];
      }
  }
};

inline void draw_bars(const support::Svg& svg, const support::Panel& panel, const char* colour,
                      const std::vector<double>& bars) {
  std::fprintf(svg.file(), "<path fill=\"%s\" fill-opacity=\"0.6\" d=\"M%.1f %.1f", colour, panel.left,
               panel.top + panel.height);
  for (std::size_t bar = 0; bar < bars.size(); ++bar)
    std::fprintf(svg.file(), "V%.1fH%.1f", panel.y(bars[bar]),
                 panel.left + panel.width * static_cast<double>(bar + 1) / static_cast<double>(bars.size()));
  std::fprintf(svg.file(), "V%.1fZ\"/>\n", panel.top + panel.height);
}

inline std::string draw_raster(const std::string& path, const Recording& recording, std::uint32_t steps) {
  support::Svg svg(path, 960, 460);
  if (!svg.is_open()) return svg.close();
  svg.text(80, 30, "start", "Balanced network: spikes of the last second", " font-size=\"17\" font-weight=\"bold\"");
  svg.key(640, 22, excitatory_colour, "excitatory");
  svg.key(760, 22, inhibitory_colour, "inhibitory");
  const std::uint32_t begin = steps > steps_per_second ? steps - steps_per_second : 0;
  const support::Panel panel{80, 46,     850, 350, begin / double{steps_per_second}, steps / double{steps_per_second},
                             0,  neurons};
  support::axes(svg, panel, true, "neuron");
  for (const bool inhibitory : {false, true}) {
    std::fprintf(svg.file(), "<path fill=\"none\" stroke-width=\"1.6\" stroke=\"%s\" d=\"",
                 inhibitory ? inhibitory_colour : excitatory_colour);
    for (const auto& spike : recording.spikes)
      if (spike.step > begin && (spike.neuron >= excitatory_cores * neurons_of_core) == inhibitory)
        std::fprintf(svg.file(), "M%.1f %.1fv2", panel.x(spike.step / double{steps_per_second}),
                     panel.y(spike.neuron) - 1.0);
    std::fputs("\"/>\n", svg.file());
  }
  svg.text(505, 440, "middle", "time / s");
  return svg.close();
}

inline std::string draw_rates(const std::string& path, const Recording& recording, std::uint32_t steps) {
  support::Svg svg(path, 960, 360);
  if (!svg.is_open()) return svg.close();
  svg.text(80, 30, "start", "Rates over time", " font-size=\"17\" font-weight=\"bold\"");
  svg.key(640, 22, excitatory_colour, "excitatory");
  svg.key(760, 22, inhibitory_colour, "inhibitory");
  const std::size_t bins = steps < 1000 ? 1 : steps < 50 * steps_per_second ? steps / 100 : steps / steps_per_second;
  std::array<std::vector<double>, 2> rates{std::vector<double>(bins), std::vector<double>(bins)};
  const double per_bin = static_cast<double>(steps) / static_cast<double>(bins);
  for (const auto& spike : recording.spikes) {
    const bool inhibitory = spike.neuron >= excitatory_cores * neurons_of_core;
    const double of = (inhibitory ? 1 : excitatory_cores) * neurons_of_core * per_bin / steps_per_second;
    rates[inhibitory ? 1 : 0][static_cast<std::size_t>((spike.step - 1) / per_bin)] += 1.0 / of;
  }
  double highest = 1.0;
  for (const auto& of : rates)
    for (const double rate : of) highest = rate > highest ? rate : highest;
  const support::Panel panel{80, 46, 850, 250, 0, steps / double{steps_per_second}, 0, highest * 1.05};
  support::axes(svg, panel, true, "rate / Hz");
  draw_bars(svg, panel, excitatory_colour, rates[0]);
  draw_bars(svg, panel, inhibitory_colour, rates[1]);
  svg.text(505, 340, "middle", "time / s");
  return svg.close();
}

inline std::string draw_weights(const std::string& path, const Recording& recording) {
  support::Svg svg(path, 960, 360);
  if (!svg.is_open()) return svg.close();
  svg.text(80, 30, "start", "Weights onto excitatory neurons, as shares of their range",
           " font-size=\"17\" font-weight=\"bold\"");
  for (std::size_t kind = 0; kind < 2; ++kind) {
    std::vector<double> shares;
    double all = 0.0, highest = 0.0;
    for (const std::uint32_t count : recording.weights[kind]) all += count;
    for (const std::uint32_t count : recording.weights[kind]) {
      shares.push_back(100.0 * count / all);
      highest = shares.back() > highest ? shares.back() : highest;
    }
    const support::Panel panel{80 + 450.0 * static_cast<double>(kind), 60, 400, 240, 0, 1, 0, highest * 1.05};
    support::axes(svg, panel, true, kind == 0 ? "synapses / %" : "");
    draw_bars(svg, panel, kind == 0 ? excitatory_colour : inhibitory_colour, shares);
    svg.text(panel.left + 200, 340, "middle", kind == 0 ? "excitatory, by pairs" : "inhibitory, by Vogels' rule");
  }
  return svg.close();
}

inline std::string write_all(const std::string& folder, const Recording& recording, std::uint32_t steps) {
  if (auto wrong = draw_raster(folder + "/raster.svg", recording, steps); !wrong.empty()) return wrong;
  if (auto wrong = draw_rates(folder + "/rates.svg", recording, steps); !wrong.empty()) return wrong;
  if (auto wrong = draw_weights(folder + "/weights.svg", recording); !wrong.empty()) return wrong;
  std::printf("written %s/raster.svg, rates.svg, weights.svg\n", folder.c_str());
  return {};
}

} // namespace balanced

#endif
