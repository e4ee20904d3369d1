// SPDX-License-Identifier: BSL-1.0
// The cortical microcircuit at full size through the whole tool chain on two boards of native cores: how long it takes from its description to
// the first step, and whether each spike is that of the host's engine. `execution.microcircuit [--json FILE] [STEPS]`; 100 000 steps are 10 s.
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <neuromorph/digest.hpp>
#include <neuromorph/execution/adapter/network.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/network/engine.hpp>

#include "../figures.hpp"
#include "examples/microcircuit/network.hpp"

namespace {

namespace execution = neuromorph::execution;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace network = neuromorph::network;
using OnCores = execution::NetworkOnCores<microcircuit::Model>;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::uint64_t digest_of(const network::Recording& of) {
  neuromorph::Digest digest;
  for (const network::RecordedPopulation& one : of.populations) {
    digest.add(static_cast<std::uint32_t>(one.spikes.size()));
    one.spikes.each([&digest](std::uint64_t step, std::uint32_t neuron) {
      digest.add(static_cast<std::uint32_t>(step)), digest.add(neuron);
    });
  }
  return digest.value();
}

int refuse(const std::string& why) {
  std::fprintf(stderr, "execution.microcircuit: %s\n", why.c_str());
  return 1;
}

int measure(std::uint64_t steps, const char* json) {
  constexpr unsigned boards = 2, threads = 2;
  const double begun = now();
  const auto net = microcircuit::describe({});
  const auto board = mapping::machine_of_boards(boards);
  if (!board) return refuse(board.sentence());
  machine::Programs programs;
  OnCores::add_to(programs);
  machine::Monitors monitors(board.value(), {});
  machine::Applications applications(monitors, programs, {.threads = threads});
  execution::InProcessLink link(monitors, applications);
  // Where each hears all, no place is better than another.
  execution::Simulation simulation(
      link, {.mapping = {.placement = {.placer = mapping::Placer::hilbert}}, .threads = threads});
  const auto cores = OnCores::make(simulation, net, board.value(), {.threads = threads});
  if (!cores) return refuse(cores.sentence());
  const double described = now() - begun;
  if (const auto refusal = simulation.run(1); !refusal) return refuse(refusal.sentence());
  const double start = now() - begun;
  std::printf("%zu cores, %" PRIu64 " synapses; seconds on %u threads:\n", cores.value().parts().slices.size(),
              cores.value().synapses(), threads);
  std::printf("| description, with all synapses | %.1f |\n", described);
  const char* phase = "";
  double sum = 0.0;
  const auto& times = simulation.workflow().times();
  for (std::size_t at = 0; at < times.size(); ++at) {
    phase = times[at].phase.c_str(), sum += times[at].seconds;
    if (at + 1 < times.size() && times[at + 1].phase == phase) continue;
    std::printf("| %s | %.1f |\n", phase, sum);
    sum = 0.0;
  }
  std::printf("| all until the first step is recorded | %.1f |\n", start);
  std::fflush(stdout);
  if (steps > 1)
    if (const auto refusal = simulation.run(steps - 1); !refusal) return refuse(refusal.sentence());
  const double took = now() - begun - start;
  for (const std::string& one : simulation.anomalies()) return refuse(one);
  const auto counts = cores.value().counts();
  const std::uint64_t digest = digest_of(cores.value().recording());
  std::printf("%" PRIu64 " steps in %" PRIu64 " cycles of at most %" PRIu64 ": %.1f s; %" PRIu64 " spikes, %" PRIu64
              " synaptic events, digest of spikes %016" PRIx64 "\n",
              steps, simulation.cycles(), simulation.ticks_of_a_cycle(), took, counts.spikes, counts.events, digest);
  std::fflush(stdout);
  if (const auto refusal = simulation.close(); !refusal) return refuse(refusal.sentence());

  auto engine = network::Engine::make(net, {.threads = threads});
  if (!engine) return refuse(engine.sentence());
  auto recorder = network::MemoryRecorder::make(net, network::all_spikes(net));
  if (!recorder) return refuse(recorder.sentence());
  if (const auto refusal = engine.value().record(recorder.value()); !refusal) return refuse(refusal.sentence());
  if (const auto refusal = engine.value().run(steps); !refusal) return refuse(refusal.sentence());
  const std::uint64_t wanted = digest_of(recorder.value().recording());
  std::printf("the host's engine: digest of spikes %016" PRIx64 "\n", wanted);
  if (digest != wanted) return refuse("the spikes are not those of the host's engine");
  if (counts.spikes != engine.value().counts().spikes || counts.events != engine.value().counts().events)
    return refuse("the counts are not those of the host's engine");
  if (json == nullptr) return 0;
  const std::string why = figures::write(json, {{"execution/microcircuit_start", "value", start}});
  return why.empty() ? 0 : refuse(why);
}

} // namespace

int main(int count, char** words) {
  const char* json = nullptr;
  std::uint64_t steps = 1000;
  for (int at = 1; at < count; ++at)
    if (std::strcmp(words[at], "--json") == 0 && at + 1 < count)
      json = words[++at];
    else
      steps = std::strtoull(words[at], nullptr, 10);
  if (steps == 0) return refuse("steps are a number from 1 on");
  return measure(steps, json);
}
