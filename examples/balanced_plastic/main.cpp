// SPDX-License-Identifier: BSL-1.0
// Five composed cores of 250 neurons in one process, in lockstep: after each step every core is told all spikes. Writes the
// spikes to a file, from which each of the cores runs alone on a board (board.cpp) with the same digests.
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <neuromorph/target/device/copy_engine.hpp>

#include "../support/program.hpp"
#include "digests.hpp"
#include "figures.hpp"
#include "network.hpp"
#include "options.hpp"

namespace {

using namespace balanced;

/// Nothing is sent: who keeps the cores in step asks each which neurons fired.
struct Asked {
  void operator()(std::uint32_t) const noexcept {}
};
using Engine = nm::target::CopyWords;
using HostCore = balanced::Core<Engine, Asked>;

struct Cored {
  Engine engine;
  HostCore core{made, engine, Asked{}, Rules(pair, vogels)};
  Far far{};
  nm::Digest spikes;
  std::uint32_t fired = 0; // in this second
};

std::string complaint(const nm::Status& status) {
  return std::string("building the network: ") + nm::describe(status.error);
}

/// Whether nothing was lost anywhere.
bool is_clean(const nm::Provenance& of) {
  return of.spikes_dropped + of.keys_unknown + of.rows_not_found + of.rows_too_long + of.rows_wrong + of.late_spikes +
             of.ring_saturations + of.neuron_saturations + of.traces_held + of.history_truncated + of.history_refused ==
         0;
}

support::Ended run(const Options& options) {
  std::vector<std::unique_ptr<Cored>> all;
  for (std::uint32_t core = 0; core < cores; ++core) {
    all.push_back(std::make_unique<Cored>());
    if (!build(core, all[core]->far)) return std::string("building the network: its rows do not fit");
    if (const auto status = load(core, all[core]->far, all[core]->core); !status) return complaint(status);
  }
  std::FILE* const file = options.spikes.empty() ? nullptr : std::fopen(options.spikes.c_str(), "wb");
  if (!options.spikes.empty() && file == nullptr) return support::cannot("write", options.spikes);
  std::printf("balanced network %" PRIu32 " neurons on %" PRIu32 " cores, %g s in steps of 1 ms\n", neurons, cores,
              options.duration_s);
  const auto steps = static_cast<std::uint32_t>(options.duration_s * steps_per_second + 0.5);
  Recording recording;
  const auto began = std::chrono::steady_clock::now();
  bool agrees = true;
  for (std::uint32_t step = 1; step <= steps; ++step) {
    std::vector<std::uint16_t> keys;
    for (std::uint32_t core = 0; core < cores; ++core) {
      Cored& of = *all[core];
      add_input(core, of.core);
      of.core.run_step();
      for (const std::uint32_t neuron : of.core.fired()) {
        of.spikes.add(step), of.spikes.add(neuron);
        keys.push_back(static_cast<std::uint16_t>(key_of(core, neuron)));
        recording.add(step, core * neurons_of_core + neuron);
      }
      of.fired += static_cast<std::uint32_t>(of.core.fired().size());
    }
    for (const auto& of : all) {
      for (const std::uint16_t key : keys) of->core.receive(key);
      of->core.run_spikes();
    }
    if (file != nullptr) {
      const auto put = [&](std::uint32_t word) {
        std::fputc(static_cast<int>(word & 255), file), std::fputc(static_cast<int>(word >> 8 & 255), file);
      };
      put(static_cast<std::uint32_t>(keys.size()));
      for (const std::uint16_t key : keys) put(key);
    }
    if (step % steps_per_second != 0) continue;
    const std::uint32_t second = step / steps_per_second;
    for (std::uint32_t core = 0; core < cores; ++core) {
      Cored& of = *all[core];
      const Digests digests{of.spikes.value(), digest_of_weights(core, of.far)};
      std::printf("second %3" PRIu32 " core %" PRIu32 " spikes %016" PRIx64 " weights %016" PRIx64 " fired %" PRIu32
                  "\n",
                  second, core, digests.spikes, digests.weights, of.fired);
      if (second <= expected.size() && !(digests == expected[second - 1][core])) agrees = false;
      of.fired = 0;
    }
    std::fflush(stdout);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (file != nullptr && (std::ferror(file) != 0) + std::fclose(file) != 0)
    return support::cannot_write_all_of(options.spikes);
  bool clean = true;
  for (std::uint32_t core = 0; core < cores; ++core) {
    const nm::Provenance of = all[core]->core.provenance();
    clean = clean && is_clean(of);
    std::printf("core %" PRIu32 "  %" PRIu32 " spikes received, %" PRIu32 " sent, %" PRIu32 " rows, %" PRIu32
                " written back, %" PRIu32 " flushed, at most %" PRIu32 " waiting, weights held at %" PRIu32
                " highest and %" PRIu32 " lowest\n",
                core, of.spikes_received, of.spikes_sent, of.rows_processed, of.write_backs, of.flushes,
                of.most_waiting, of.weights_held_at_highest, of.weights_held_at_lowest);
  }
  std::printf("wall time %.2f s, %.1f times real time\n", seconds, options.duration_s / seconds);
  if (!clean) std::printf("something was lost, held or late\n");
  if (!agrees) std::printf("the digests are not those of digests.hpp\n");
  if (!options.output.empty()) {
    for (std::uint32_t core = 0; core < excitatory_cores; ++core) recording.add_weights(all[core]->far);
    if (auto wrong = write_all(options.output, recording, steps); !wrong.empty()) return wrong;
  }
  return clean && agrees ? 0 : 1;
}

} // namespace

int main(int count, char** words) {
  return support::run_program<Options>("balanced_plastic", count, words, help_text, output_files, parse, run);
}
