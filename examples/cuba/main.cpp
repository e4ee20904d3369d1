// SPDX-License-Identifier: BSL-1.0
// Runs the CUBA benchmark network. The same source for the host and for the emulated ARM cores: equal command
// lines print equal digests everywhere.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>

#include <neuromorph/neuromorph.hpp>

#include "../support/program.hpp"
#include "figures.hpp"
#include "network.hpp"
#include "options.hpp"
#include "platform.hpp"
#include "simulation.hpp"

namespace {

using namespace cuba;

Ring ring;
Network network;

Complaint build(const Options& options) {
  network.neurons = options.neurons;
  if (auto complaint = set_time_step(network, options.dt_ms); !complaint.empty()) return complaint;
  if (options.connections.empty() || options.initial.empty())
    if (auto complaint = build_from_seed(network, options.seed); !complaint.empty()) return complaint;
  if (!options.connections.empty())
    if (auto complaint = read_connections(network, options.connections); !complaint.empty()) return complaint;
  if (!options.initial.empty()) return read_initial(network, options.initial);
  return {};
}

void print_progress(std::uint32_t step_number, std::uint32_t steps) {
  constexpr int width = 50;
  const int done = static_cast<int>(std::uint64_t{step_number} * width / steps);
  std::fprintf(stderr, "\r[%.*s%*s] %3u %%", done, "##################################################", width - done,
               "", static_cast<unsigned>(std::uint64_t{step_number} * 100 / steps));
}

void print_digest(const Simulation& simulation) {
  const std::uint64_t digest = simulation.digest();
  std::printf("step %8" PRIu32 "   %8.4f s   digest %08" PRIx32 "%08" PRIx32 "   %" PRIu32 " spikes\n",
              simulation.step_number(), simulation.step_number() * network.dt_ms / 1000.0,
              static_cast<std::uint32_t>(digest >> 32), static_cast<std::uint32_t>(digest),
              static_cast<std::uint32_t>(simulation.spikes()));
}

void print_state(const Simulation& simulation) {
  for (std::uint32_t neuron = 0; neuron < network.neurons; ++neuron) {
    const auto words = simulation.words(neuron);
    std::printf("state %" PRIu32 " %" PRId32 " %" PRId32 " %" PRId32 "\n", neuron, words[0], words[1], words[2]);
  }
}

void print_summary(const Simulation& simulation, double wall_s) {
  const std::uint32_t excitatory = excitatory_count(network.neurons);
  const auto e = simulation.firing(0, excitatory), i = simulation.firing(excitatory, network.neurons);
  const auto all = simulation.firing(0, network.neurons);
  const double simulated_s = simulation.step_number() * network.dt_ms / 1000.0;
  std::printf("rate             excitatory %.2f Hz, inhibitory %.2f Hz, all %.2f Hz\n", e.rate_hz, i.rate_hz,
              all.rate_hz);
  std::printf("CV of intervals  excitatory %.3f, inhibitory %.3f, all %.3f\n", e.cv, i.cv, all.cv);
  std::printf("spikes           %" PRIu32 "\n", static_cast<std::uint32_t>(simulation.spikes()));
  std::printf("synaptic events  %.0f\n", static_cast<double>(simulation.events()));
  std::printf("saturations      %" PRIu32 "\n", simulation.saturations());
  if (platform::has_wall_time)
    std::printf("wall time        %.3f s, %.1f times real time\n", wall_s, simulated_s / wall_s);
}

support::Ended run(const Options& options) {
  if (auto complaint = build(options); !complaint.empty()) return complaint;
  const auto steps = static_cast<std::uint32_t>(options.duration_s * 1000.0 / options.dt_ms + 0.5);
  const auto steps_per_second = static_cast<std::uint32_t>(1000.0 / options.dt_ms + 0.5);
  const std::uint32_t digest_every = options.digest_every != 0 ? options.digest_every : steps_per_second;
  const bool draw = !options.output.empty();
  const bool show_progress = platform::is_watched();

  std::printf("CUBA network     %" PRIu32 " neurons (%" PRIu32 " excitatory), %u synapses, dt %g ms, delay %" PRIu32
              " steps\n",
              network.neurons, excitatory_count(network.neurons), static_cast<unsigned>(network.words.size()),
              network.dt_ms, network.delay_steps);

  Simulation simulation(network, ring);
  Recording recording;
  double wall_s = 0.0;
  for (std::uint32_t step_number = 1; step_number <= steps; ++step_number) {
    const double start = platform::seconds();
    const auto fired = simulation.step();
    wall_s += platform::seconds() - start;
    simulation.observe(fired);
    if (step_number == options.flip_at) simulation.flip(options.flip_item);
    if (draw) {
      for (const auto neuron : fired) recording.spikes.push_back({step_number, neuron});
      if (step_number * network.dt_ms <= Recording::traced_ms)
        for (std::uint32_t neuron = 0; neuron < Recording::traced && neuron < network.neurons; ++neuron)
          recording.membranes[neuron].push_back(simulation.words(neuron)[0]);
    }
    if (show_progress && (step_number % 100 == 0 || step_number == steps)) print_progress(step_number, steps);
    const bool due = step_number % digest_every == 0 || step_number == steps;
    if (due && step_number >= options.digest_from) {
      if (show_progress) std::fprintf(stderr, "\r%60s\r", "");
      print_digest(simulation);
      std::fflush(stdout); // for whoever watches, also through a pipe
    }
    if (step_number == options.dump_at) print_state(simulation);
  }
  print_summary(simulation, wall_s);
  if (draw) {
    if (auto complaint = write_all(options.output, network, recording, steps); !complaint.empty()) return complaint;
    std::printf("written          %s/spikes.txt, raster.svg, membrane.svg\n", options.output.c_str());
  }
  return 0;
}

} // namespace

int main(int count, char** words) {
  return support::run_program<Options>("cuba", count, words, help_text, output_files, parse, run);
}
