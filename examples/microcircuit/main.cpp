// SPDX-License-Identifier: BSL-1.0
// Runs the cortical microcircuit, prints its activity beside what was published, and draws it.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/host/svg.hpp>
#include <neuromorph/network/engine.hpp>
#include <neuromorph/network/progress.hpp>
#include <neuromorph/network/raster.hpp>
#include <neuromorph/network/recording.hpp>
#include <neuromorph/network/statistics.hpp>

#include "../support/program.hpp"
#include "../support/ranks.hpp"
#include "network.hpp"
#include "options.hpp"

namespace {

using namespace microcircuit;
namespace network = nm::network;
using AllStatistics = std::vector<network::Statistics>;

constexpr std::array output_files{"raster.svg", "rates.svg"};
constexpr double bytes_of_all = 3e9, settling_ms = 500.0;

/// Bytes that the system can give; below 0 where it does not say.
double available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  double kilobytes = 0.0;
  while (file >> word)
    if (word == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024.0;
  return -1.0;
}
/// The largest scale that fits, in hundredths; 0 where none does.
double largest_scale() {
  const double bytes = available_bytes();
  if (bytes < 0.0 || bytes >= bytes_of_all) return 1.0;
  const double scale = std::floor(100.0 * bytes / bytes_of_all) / 100.0;
  return scale < 0.02 ? 0.0 : scale;
}

/// Rates as bars, what was published as marks.
std::string draw_rates(const AllStatistics& all, const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return path + ": cannot write it";
  const neuromorph::host::Svg svg(file, 560, 300);
  double highest = 10.0;
  for (const network::Statistics& one : all) highest = (std::max)(highest, one.rate_hz.value_or(0.0));
  const neuromorph::host::Panel panel{70, 40, 460, 210, 0.0, double(populations), 0.0, highest * 1.05};
  for (int mark = 0; 2.0 * mark <= panel.y_last; ++mark) {
    const double hz = 2.0 * mark;
    svg.line(panel.left, panel.y(hz), panel.left + panel.width, panel.y(hz), "#eee");
    svg.text(panel.left - 8, panel.y(hz) + 4, "end", neuromorph::host::number(hz));
  }
  svg.vertical_text(24, panel.top + panel.height / 2, "rate / Hz");
  for (std::size_t at = 0; at < populations; ++at) {
    const double left = panel.x(double(at) + 0.15), right = panel.x(double(at) + 0.85);
    const double top = panel.y(all[at].rate_hz.value_or(0.0));
    std::fprintf(file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", left, top,
                 right - left, panel.y(0.0) - top,
                 at % 2 == 0 ? neuromorph::host::excitatory_colour : neuromorph::host::inhibitory_colour);
    for (const double hz : published_hz[at]) svg.line(left - 4, panel.y(hz), right + 4, panel.y(hz), "#000");
    svg.text((left + right) / 2, panel.top + panel.height + 18, "middle", names[at]);
  }
  svg.line(panel.left, panel.y(0.0), panel.left + panel.width, panel.y(0.0), "#333");
  svg.text(panel.left, 24, "start", "Mean rates; lines: published runs");
  svg.end();
  const bool has_failed = std::ferror(file) != 0;
  return std::fclose(file) != 0 || has_failed ? path + ": cannot write all of it" : "";
}

void print(const AllStatistics& all) {
  std::printf("population  neurons  rate / Hz  published            CV          synchrony\n");
  for (std::size_t at = 0; at < populations; ++at) {
    const network::Statistics& one = all[at];
    std::printf("%-10s  %7u  %9.3f  %5.3f, %5.3f, %5.3f  %-10.3f  %9.2f\n", names[at], one.neurons,
                one.rate_hz.value_or(NAN), published_hz[at][0], published_hz[at][1], published_hz[at][2],
                one.cv.value_or(NAN), one.synchrony.value_or(NAN));
  }
  std::printf("%-51s  %.1f to %.1f  %9s\n", "published for all", least_cv, most_cv,
              ("below " + std::to_string(int(synchrony_below))).c_str());
}

/// \return why not; empty if it ran
/// \param all  on rank 0
std::string simulate(const Options& options, double scale, std::uint64_t seed, network::Transport* ranks,
                     AllStatistics& all) {
  const auto begun = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(); };
  const auto net = describe({scale, !options.is_reduced, options.has_current, seed});
  auto made = network::Engine::make(net, {.threads = options.threads, .measures = true, .transport = ranks});
  if (!made) return made.sentence();
  network::Engine& engine = made.value();
  const auto made_totals = engine.totals();
  if (!made_totals) return made_totals.sentence();
  const double synapses = double(made_totals.value().synapses);
  const double bytes = double(engine.rows().bytes());
  std::printf("seed %llu: %.1f million synapses in %.2f bytes each%s, ready after %.1f s on %u threads%s\n",
              static_cast<unsigned long long>(seed), synapses * 1e-6, bytes / double(engine.rows().total()),
              engine.ranks() == 1 ? "" : " on rank 0", seconds(), engine.threads(),
              engine.ranks() == 1 ? "" : (" of each of " + std::to_string(engine.ranks()) + " ranks").c_str());
  auto recorder = network::MemoryRecorder::make(net, network::all_spikes(net));
  if (!recorder) return recorder.sentence();
  const bool is_first = engine.rank() == 0;
  if (is_first)
    if (const auto refused = engine.record(recorder.value()); !refused) return refused.sentence();
  const auto steps = static_cast<std::uint64_t>(options.duration_s * 1e4 + 0.5);
  const double begin = seconds();
  network::Progress progress(steps, net.settings().dt_ms, {.stream = is_first ? stderr : nullptr});
  const auto spikes = [&] { // of all ranks
    std::uint64_t sum = 0;
    for (const auto& one : recorder.value().recording().populations) sum += one.spikes.size();
    return sum;
  };
  for (constexpr std::uint64_t piece = 100; engine.time() < steps; progress.at(engine.time(), spikes()))
    if (const auto refused = engine.run((std::min)(piece, steps - engine.time())); !refused) return refused.sentence();
  progress.clear();
  const double took = seconds() - begin;
  if (const auto refused = engine.finish(); !refused) return refused.sentence();
  const auto made_sums = engine.totals();
  if (!made_sums) return made_sums.sentence();
  if (!is_first) return {};
  const network::Engine::Totals& sums = made_sums.value();
  const network::Recording& recording = recorder.value().recording();
  const double settled = options.duration_s > 0.9 ? settling_ms : 0.0;
  all = network::statistics(recording, {.begin_ms = settled});
  print(all);
  const auto& counts = sums.counts;
  const auto phases = engine.phases();
  const double one = 1.0 / options.duration_s;
  std::printf("%.2f s a biological second: update %.2f, delivery %.2f, exchange %.2f, recording %.2f\n", took * one,
              phases.update * one, phases.delivery * one, phases.exchange * one, phases.recording * one);
  std::printf("%.3f ns a synaptic event, %llu events, %llu of the background; held at an end: %llu words\n",
              took * 1e9 / double((std::max)(counts.events, std::uint64_t{1})),
              static_cast<unsigned long long>(counts.events), static_cast<unsigned long long>(counts.background),
              static_cast<unsigned long long>(counts.saturations));
  std::printf("digest %016llx\n\n", static_cast<unsigned long long>(sums.digest));
  if (options.output.empty() || seed != options.seed) return {};
  const std::string raster = options.output + "/" + output_files[0], rates = options.output + "/" + output_files[1];
  if (const auto refused = network::draw_raster(recording, raster,
                                                {.title = "Cortical microcircuit",
                                                 .begin_ms = settled,
                                                 .end_ms = (std::min)(settled + 400.0, options.duration_s * 1e3)});
      !refused)
    return refused.sentence();
  if (std::string why = draw_rates(all, rates); !why.empty()) return why;
  std::printf("written %s\nwritten %s\n\n", raster.c_str(), rates.c_str());
  return {};
}

support::Ended run(const Options& given, network::Transport* ranks) {
  Options options = given;
  double scale = options.scale;
  if (scale == 0.0) {
    scale = largest_scale();
    if (scale == 0.0) return std::string("there is no memory for a fiftieth of the network, 60 MB");
    if (scale < 1.0)
      std::printf("The whole network takes 3 GB, which are not free: it has %.0f %% of its neurons.\n", 100.0 * scale);
  }
  if (options.judges) options.duration_s = 10.5;
  unsigned faults = 0;
  for (std::uint64_t turn = 0; turn < (options.judges ? 5U : 1U); ++turn) {
    AllStatistics all;
    if (std::string why = simulate(options, scale, options.seed + turn, ranks, all); !why.empty()) return why;
    if (!options.judges || (ranks != nullptr && ranks->rank() != 0)) continue;
    for (std::size_t at = 0; at < populations; ++at)
      if (const std::string fault = fault_of(at, all[at].rate_hz, all[at].cv, all[at].synchrony); !fault.empty())
        std::puts(fault.c_str()), ++faults;
  }
  if (options.judges)
    std::puts(faults == 0 ? "all rates, CVs and synchronies are as published" : "the activity is not as published");
  return faults == 0 ? 0 : 1;
}

} // namespace

int main(int count, char** words) {
  Options early; // copies must be made, and MPI begun, before all else
  const bool is_well = parse(count, words, early).empty() && !early.help;
  auto ranks = support::ranks_of(count, words, is_well ? early.ranks : 1);
  if (!ranks) return std::fprintf(stderr, "microcircuit: %s\n", ranks.sentence().c_str()), 2;
  network::Transport* const world = ranks.value().get();
  // One rank prints, and says what is wrong with the words; all say why they cannot go on.
  if (world != nullptr && world->rank() != 0 && (!is_well || std::freopen("/dev/null", "w", stdout) == nullptr))
    return 2;
  return support::run_program<Options>("microcircuit", count, words, help_text, output_files, parse,
                                       [&](const Options& options) { return run(options, world); });
}
