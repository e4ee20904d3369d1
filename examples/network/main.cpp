// SPDX-License-Identifier: BSL-1.0
// Runs networks from their description to the raster.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

#include <neuromorph/network/engine.hpp>
#include <neuromorph/network/progress.hpp>
#include <neuromorph/network/raster.hpp>
#include <neuromorph/network/recording.hpp>
#include <neuromorph/network/report.hpp>
#include <neuromorph/network/statistics.hpp>

#include "../support/program.hpp"
#include "networks.hpp"
#include "options.hpp"

namespace {

using namespace networks;

constexpr std::array output_files{"cuba.svg", "layers.svg"};

/// \return why not; empty if it ran
std::string simulate(const std::string& title, const Network& net, const Options& options, const char* file) {
  auto made = Engine::make(net, {.threads = options.threads});
  if (!made) return made.sentence();
  Engine& engine = made.value();
  const auto report = nm::network::report(net, engine.rows(), options.threads);
  if (!report) return report.sentence();
  std::string text = report.value().text();
  if (net.projections().size() > 8) text.resize(text.find('\n') + 1); // its tables have a line for each
  std::printf("%s: %s\n", title.c_str(), text.c_str());

  auto recorder = MemoryRecorder::make(net, all_spikes(net));
  if (!recorder) return recorder.sentence();
  if (const auto refused = engine.record(recorder.value()); !refused) return refused.sentence();
  const double dt_ms = net.settings().dt_ms;
  const auto steps = static_cast<std::uint64_t>(options.duration_s * 1000.0 / dt_ms + 0.5);
  Progress progress(steps, dt_ms);
  for (constexpr std::uint64_t piece = 100; engine.time() < steps; progress.at(engine.time(), engine.counts().spikes))
    if (const auto refused = engine.run((std::min)(piece, steps - engine.time())); !refused) return refused.sentence();
  progress.clear();
  if (const auto refused = engine.finish(); !refused) return refused.sentence();

  const Recording& recording = recorder.value().recording();
  print_statistics(recording, {.begin_ms = options.duration_s >= 0.5 ? 200.0 : 0.0});
  const auto counts = engine.counts();
  std::printf("%llu synaptic events, %llu of the background; held at an end: %llu words, %llu sums\n",
              static_cast<unsigned long long>(counts.events), static_cast<unsigned long long>(counts.background),
              static_cast<unsigned long long>(counts.saturations),
              static_cast<unsigned long long>(counts.input_saturations) +
                  static_cast<unsigned long long>(counts.background_saturations));
  std::printf("digest %016llx\n", static_cast<unsigned long long>(engine.digest()));
  if (!options.output.empty()) {
    const std::string path = options.output + "/" + file;
    if (const auto refused = draw_raster(recording, path, {.title = title}); !refused) return refused.sentence();
    std::printf("written %s\n", path.c_str());
  }
  std::puts("");
  return {};
}

support::Ended run(const Options& options) {
  std::string why = simulate("CUBA", cuba(options.seed), options, output_files[0]);
  if (why.empty())
    why = simulate("Cortical microcircuit", layers(options.scale, options.seed), options, output_files[1]);
  return why;
}

} // namespace

int main(int count, char** words) {
  return support::run_program<Options>("network", count, words, help_text, output_files, parse, run);
}
