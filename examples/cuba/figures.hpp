// SPDX-License-Identifier: BSL-1.0
// Two figures as SVG files: spikes with the population's rate under them, and membranes over time.
#ifndef EXAMPLES_CUBA_FIGURES_HPP
#define EXAMPLES_CUBA_FIGURES_HPP

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "../support/axes.hpp"
#include "../support/output.hpp"
#include "../support/svg.hpp"
#include "network.hpp"

namespace cuba {

/// What the figures are drawn from; filled while the simulation runs.
struct Recording {
  struct Spike {
    std::uint32_t step_number, neuron;
  };
  std::vector<Spike> spikes;
  static constexpr std::uint32_t traced = 40; // first neurons, of which the busiest are drawn
  static constexpr double traced_ms = 400.0;
  std::array<std::vector<std::int32_t>, traced> membranes; // words, per step
};

inline constexpr const char* excitatory_colour = "#1f5fa8";
inline constexpr const char* inhibitory_colour = "#c8442c";

/// Spikes of one neuron in ten over the last second, and the rate of all in bins of 2 ms under them.
inline std::string draw_raster(const std::string& path, const Network& network, const Recording& recording,
                               std::uint32_t last_step) {
  support::Svg svg(path, 960, 620);
  if (!svg.is_open()) return svg.close();
  const double dt = network.dt_ms;
  const double end_ms = last_step * dt;
  const double begin_ms = end_ms > 1000.0 ? end_ms - 1000.0 : 0.0;
  const std::uint32_t excitatory = excitatory_count(network.neurons);
  const std::uint32_t every = network.neurons > 1000 ? network.neurons / 1000 : 1;

  svg.text(80, 30, "start",
           "CUBA network: " + std::to_string(network.neurons) + " neurons, " + std::to_string(network.words.size()) +
               " synapses",
           " font-size=\"17\" font-weight=\"bold\"");
  svg.text(80, 50, "start", "spikes of one neuron in " + std::to_string(every), " fill=\"#777\"");
  svg.text(760, 50, "end", "excitatory", " fill=\"#1f5fa8\"");
  svg.text(860, 50, "end", "inhibitory", " fill=\"#c8442c\"");

  const support::Panel raster{80, 62, 850, 350, begin_ms, end_ms, 0, static_cast<double>(network.neurons)};
  support::axes(svg, raster, false, "neuron");
  for (const bool inhibitory : {false, true}) {
    std::fprintf(svg.file(), "<path fill=\"none\" stroke-width=\"1.6\" stroke=\"%s\" d=\"",
                 inhibitory ? inhibitory_colour : excitatory_colour);
    for (const auto& spike : recording.spikes) {
      const double ms = spike.step_number * dt;
      if (ms < begin_ms || spike.neuron % every != 0 || (spike.neuron >= excitatory) != inhibitory) continue;
      std::fprintf(svg.file(), "M%.1f %.1fv2", raster.x(ms), raster.y(spike.neuron) - 1.0);
    }
    std::fputs("\"/>\n", svg.file());
  }

  constexpr double bin_ms = 2.0;
  std::vector<std::uint32_t> bins(static_cast<std::size_t>((end_ms - begin_ms) / bin_ms) + 1);
  for (const auto& spike : recording.spikes)
    if (spike.step_number * dt >= begin_ms)
      ++bins[static_cast<std::size_t>((spike.step_number * dt - begin_ms) / bin_ms)];
  double highest = 1.0;
  const double to_hz = 1000.0 / bin_ms / network.neurons;
  for (const auto count : bins) highest = count * to_hz > highest ? count * to_hz : highest;
  const support::Panel rate{80, 440, 850, 120, begin_ms, end_ms, 0, highest * 1.05};
  support::axes(svg, rate, true, "rate / Hz");
  std::fprintf(svg.file(), "<path fill=\"#8aa6c4\" stroke=\"none\" d=\"M%.1f %.1f", rate.x(begin_ms), rate.y(0));
  const std::size_t whole_bins = bins.size() - 1; // the last one is not full
  for (std::size_t bin = 0; bin < whole_bins; ++bin)
    std::fprintf(svg.file(), "V%.1fH%.1f", rate.y(bins[bin] * to_hz),
                 rate.x(begin_ms + bin_ms * static_cast<double>(bin + 1)));
  std::fprintf(svg.file(), "V%.1fZ\"/>\n", rate.y(0));
  svg.text(505, 602, "middle", "time / ms");
  return svg.close();
}

/// Membranes of the three busiest of the traced neurons; a spike is drawn up to 0 mV.
inline std::string draw_membranes(const std::string& path, const Network& network, const Recording& recording) {
  support::Svg svg(path, 960, 520);
  if (!svg.is_open()) return svg.close();
  std::array<std::uint32_t, Recording::traced> spikes{};
  const double end_ms = static_cast<double>(recording.membranes[0].size()) * network.dt_ms;
  for (const auto& spike : recording.spikes)
    if (spike.neuron < Recording::traced && spike.step_number * network.dt_ms <= end_ms) ++spikes[spike.neuron];
  svg.text(80, 30, "start", "Membrane potential of three neurons", " font-size=\"17\" font-weight=\"bold\"");
  svg.text(930, 30, "end", "threshold -50 mV", " fill=\"#c8442c\"");
  for (int row = 0; row < 3; ++row) {
    std::uint32_t busiest = 0;
    for (std::uint32_t neuron = 0; neuron < Recording::traced; ++neuron)
      busiest = spikes[neuron] > spikes[busiest] ? neuron : busiest;
    spikes[busiest] = 0;
    const support::Panel panel{80, 46 + 145.0 * row, 850, 125, 0, end_ms, -75.0, 16.0};
    support::axes(svg, panel, row == 2, "mV");
    const double threshold = panel.y(cell.threshold.v_mv);
    svg.line(panel.left, threshold, panel.left + panel.width, threshold, inhibitory_colour,
             " stroke-dasharray=\"3 3\"");
    std::fprintf(svg.file(), "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.2\" d=\"", excitatory_colour);
    bool was_active = true;
    double x = panel.x(0.0);
    char command = 'M';
    for (const std::int32_t word : recording.membranes[busiest]) {
      x += panel.width * network.dt_ms / end_ms;
      const bool active = word < 0;
      const double mv = Model::value(network.made, nm::place_of<Model>.membrane.v, word);
      if (was_active && !active) std::fprintf(svg.file(), "L%.1f %.1f", x, panel.y(0.0));
      std::fprintf(svg.file(), "%c%.1f %.1f", command, x, panel.y(mv > -75.0 ? mv : -75.0));
      command = 'L';
      was_active = active;
    }
    std::fputs("\"/>\n", svg.file());
    svg.text(panel.left + panel.width - 4, panel.top + 14, "end", "neuron " + std::to_string(busiest));
  }
  svg.text(505, 508, "middle", "time / ms");
  return svg.close();
}

/// One line per spike: time in ms, neuron.
inline std::string write_spikes(const std::string& path, const Network& network, const Recording& recording) {
  support::File file(path);
  if (file.is_open())
    for (const auto& spike : recording.spikes)
      std::fprintf(file.get(), "%.10g %u\n", spike.step_number * network.dt_ms, unsigned(spike.neuron));
  return file.close();
}

inline constexpr std::array output_files{"spikes.txt", "raster.svg", "membrane.svg"};

/// \return empty if all files were written
inline std::string write_all(const std::string& folder, const Network& network, const Recording& recording,
                             std::uint32_t last_step) {
  auto complaint = write_spikes(folder + "/" + output_files[0], network, recording);
  if (complaint.empty()) complaint = draw_raster(folder + "/" + output_files[1], network, recording, last_step);
  if (complaint.empty()) complaint = draw_membranes(folder + "/" + output_files[2], network, recording);
  return complaint;
}

} // namespace cuba

#endif
