// SPDX-License-Identifier: BSL-1.0
/// \file
/// The raster of a recording as an SVG file: a dot for each spike, population below population, and the rate under them.
///
/// However many spikes there are, the file has a bounded number of dots; what is left out the caption says.
// host-only
#ifndef NEUROMORPH_NETWORK_RASTER_HPP
#define NEUROMORPH_NETWORK_RASTER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/host/svg.hpp>
#include <neuromorph/network/detail/output_file.hpp>
#include <neuromorph/network/recording.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

struct RasterOptions {
  std::string title = {};
  double begin_ms = 0.0;
  double end_ms = 0.0;                  ///< 0: the end of the run
  std::size_t most_dots = 20'000;       ///< 15 bytes each
  double bin_ms = 2.0;                  ///< of the rate; wider where the figure has no room for so many
  std::vector<bool> is_inhibitory = {}; ///< by population; where there are none, every second one is
  bool replace = true;                  ///< a file of that name
};

namespace detail {

/// One neuron in `neurons` of each population, and of their spikes one in `spikes`.
struct Thinned {
  std::uint32_t neurons = 1;
  std::uint64_t spikes = 1, shown = 0, all = 0;
};

/// Calls `visit(population, step, neuron)` for the spikes of a part of a recording.
template <class Visit>
void each_spike(const Recording& recording, std::uint64_t first, std::uint64_t last, Visit visit) {
  for (std::size_t at = 0; at < recording.populations.size(); ++at)
    recording.populations[at].spikes.each([&](std::uint64_t step, std::uint32_t neuron) {
      if (step >= first && step <= last && neuron < recording.populations[at].neurons) visit(at, step, neuron);
    });
}

/// Fewer neurons, until their spikes are few enough; fewer spikes where even those of single neurons are too many.
[[nodiscard]] inline Thinned thin(const Recording& recording, std::uint64_t first, std::uint64_t last,
                                  std::size_t most) {
  const std::uint64_t limit = most == 0 ? 1 : most;
  std::uint32_t largest = 1;
  for (const RecordedPopulation& one : recording.populations) largest = (std::max)(largest, one.neurons);
  Thinned made;
  for (;;) {
    made.shown = 0;
    each_spike(recording, first, last, [&](std::size_t, std::uint64_t, std::uint32_t neuron) {
      if (neuron % made.neurons == 0) ++made.shown;
    });
    if (made.neurons == 1) made.all = made.shown;
    if (made.shown <= limit) return made;
    if (made.neurons >= largest) break;
    const std::uint64_t times = (made.shown + limit - 1) / limit; // two or more
    made.neurons = static_cast<std::uint32_t>((std::min)(made.neurons * times, std::uint64_t{largest}));
  }
  made.spikes = (made.shown + limit - 1) / limit;
  made.shown = (made.shown + made.spikes - 1) / made.spikes;
  return made;
}

[[nodiscard]] inline std::string caption_of(const Thinned& thinned) {
  if (thinned.shown == thinned.all) return "all " + std::to_string(thinned.all) + " spikes";
  std::string text = std::to_string(thinned.shown) + " of " + std::to_string(thinned.all) + " spikes: ";
  if (thinned.spikes != 1) text += "one in " + std::to_string(thinned.spikes) + " of ";
  if (thinned.neurons == 1) return text + "all neurons";
  return text + (thinned.spikes != 1 ? "" : "of ") + "one neuron in " + std::to_string(thinned.neurons) +
         " of each population";
}

/// Where names stand beside their bands, from top to bottom: not closer than a line; what then has no room goes.
[[nodiscard]] inline std::vector<std::pair<double, std::size_t>> places_of_names(const std::vector<double>& wanted,
                                                                                 double top, double bottom) {
  constexpr double line = 13.0;
  std::vector<std::pair<double, std::size_t>> places;
  const auto room = static_cast<std::size_t>((bottom - top) / line);
  const std::size_t every = (wanted.size() + room - 1) / room;
  for (std::size_t at = 0; at < wanted.size(); at += every)
    places.emplace_back((std::max)(wanted[at], places.empty() ? top : places.back().first + line), at);
  double limit = bottom;
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    place->first = (std::min)(place->first, limit);
    limit = place->first - line;
  }
  return places;
}

} // namespace detail

/// \errors file_failed; parameters_contradict: there is no time or no neuron to draw
/// \cost   a few passes over the spikes
[[nodiscard]] inline Refusal draw_raster(const Recording& recording, const std::string& path,
                                         const RasterOptions& options = {}) {
  const double dt_ms = recording.dt_ms, whole_ms = recording.duration_ms();
  const double begin_ms = options.begin_ms > 0.0 ? options.begin_ms : 0.0;
  const double end_ms = options.end_ms > 0.0 && options.end_ms < whole_ms ? options.end_ms : whole_ms;
  std::uint64_t neurons = 0;
  for (const RecordedPopulation& one : recording.populations) neurons += one.neurons;
  if (!(begin_ms + dt_ms / 2 < end_ms) || neurons == 0)
    return {{Error::parameters_contradict, 0, begin_ms, "begin_ms"},
            path,
            neurons == 0
                ? "there are no neurons to draw"
                : "from " + host::number(begin_ms) + " to " + host::number(end_ms) + " ms there is nothing to draw"};
  const auto first = static_cast<std::uint64_t>(begin_ms / dt_ms + 1e-6) + 1;
  const auto last = static_cast<std::uint64_t>(end_ms / dt_ms + 1e-6);

  auto created = detail::OutputFile::create(path, options.replace);
  if (!created) return created.refusal();
  detail::OutputFile& file = created.value();
  const host::Svg svg(file.file(), 960, 620);
  const detail::Thinned thinned = detail::thin(recording, first, last, options.most_dots);
  svg.text(110, 30, "start", host::escaped(options.title), " font-size=\"17\" font-weight=\"bold\"");
  svg.text(110, 50, "start", detail::caption_of(thinned), " fill=\"#777\"");

  // From top to bottom: neuron 0 of the first population is the first row.
  const host::Panel raster{110, 62, 830, 360, begin_ms, end_ms, static_cast<double>(neurons), 0};
  host::axes(svg, raster, false, "");
  const auto is_inhibitory = [&](std::size_t at) {
    return at < options.is_inhibitory.size() ? options.is_inhibitory[at] : options.is_inhibitory.empty() && at % 2 == 1;
  };
  std::vector<double> middles, bases;
  double row = 0.0;
  for (const RecordedPopulation& one : recording.populations) {
    bases.push_back(row);
    middles.push_back(raster.y(row + one.neurons / 2.0));
    if (row > 0.0) svg.line(raster.left, raster.y(row), raster.left + raster.width, raster.y(row), "#ddd");
    row += one.neurons;
  }
  for (const auto& [y, at] : detail::places_of_names(middles, raster.top, raster.top + raster.height)) {
    const std::string& name = recording.populations[at].name;
    svg.text(raster.left - 8, y + 4, "end", host::escaped(name.size() > 14 ? name.substr(0, 12) + ".." : name),
             is_inhibitory(at) ? " fill=\"#c8442c\"" : " fill=\"#1f5fa8\"");
  }

  const double wanted_bin = options.bin_ms < end_ms - begin_ms ? options.bin_ms : end_ms - begin_ms; // NaN: all of it
  const double bin = (std::max)({wanted_bin, (end_ms - begin_ms) / 400.0, dt_ms});
  const auto bin_steps = static_cast<std::uint64_t>(bin / dt_ms + 0.5);
  const double bin_ms = static_cast<double>(bin_steps) * dt_ms;
  std::vector<std::uint64_t> bins((last - first) / bin_steps + 1);
  std::size_t drawn = recording.populations.size();
  std::uint64_t number_of_spike = 0;
  detail::each_spike(recording, first, last, [&](std::size_t at, std::uint64_t step, std::uint32_t neuron) {
    ++bins[(step - first) / bin_steps];
    if (neuron % thinned.neurons != 0 || number_of_spike++ % thinned.spikes != 0) return;
    if (at != drawn)
      std::fprintf(svg.file(), "%s<path fill=\"none\" stroke-width=\"1.6\" stroke=\"%s\" d=\"",
                   drawn == recording.populations.size() ? "" : "\"/>\n",
                   is_inhibitory(at) ? host::inhibitory_colour : host::excitatory_colour);
    drawn = at;
    std::fprintf(svg.file(), "M%.1f %.1fv2", raster.x(static_cast<double>(step) * dt_ms),
                 raster.y(bases[at] + neuron + 0.5) - 1.0);
  });
  if (drawn != recording.populations.size()) std::fputs("\"/>\n", svg.file());

  const double to_hz = 1000.0 / bin_ms / static_cast<double>(neurons);
  double highest = 0.0;
  const std::size_t whole_bins = (last - first + 1) / bin_steps; // one that is not full has no rate
  for (std::size_t at = 0; at < whole_bins; ++at) highest = (std::max)(highest, static_cast<double>(bins[at]) * to_hz);
  const host::Panel rate{110, 450, 830, 110, begin_ms, end_ms, 0, highest > 0.0 ? highest * 1.05 : 1.0};
  host::axes(svg, rate, true, "rate / Hz");
  std::fprintf(svg.file(), "<path fill=\"#8aa6c4\" stroke=\"none\" d=\"M%.1f %.1f", rate.x(begin_ms), rate.y(0));
  for (std::size_t at = 0; at < whole_bins; ++at)
    std::fprintf(svg.file(), "V%.1fH%.1f", rate.y(static_cast<double>(bins[at]) * to_hz),
                 rate.x(static_cast<double>(first - 1) * dt_ms + bin_ms * static_cast<double>(at + 1)));
  std::fprintf(svg.file(), "V%.1fZ\"/>\n", rate.y(0));
  svg.text(525, 602, "middle", "time / ms; rate of all neurons in bins of " + host::number(bin_ms) + " ms");
  svg.end();
  return file.close();
}

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
