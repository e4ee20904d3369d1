// SPDX-License-Identifier: BSL-1.0
// A trained network says which way a bar moves, with the same spikes on every machine.
//
// bars.hpp below is written by tools/nir_import from bars.nir when this is built; train.py has trained it.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <neuromorph/budget.hpp>
#include <neuromorph/digest.hpp>
#include <trained_network.hpp>

#include "../support/program.hpp"
#include "bars.hpp"
#include "figure.hpp"
#include "options.hpp"

namespace {

using namespace trained;
using Network = trained_network::Network;

constexpr std::uint32_t bars = 400;

// Known before it is flashed, with 8 KB for the rest of a program.
static_assert(nm::fits<nm::chip::spinnaker, Network, 8 << 10> && nm::fits<nm::chip::nrf52840, Network, 8 << 10>);

support::Ended run(const Options& options) {
  static Network network;
  const auto neurons = static_cast<std::uint32_t>(network.hidden.count);
  nm::Sfc32 random;
  nm::Digest digest;
  std::array<std::uint32_t, directions> shown{}, right{};
  std::uint32_t seen = 0, fired = 0, all_right = 0;
  Inference first;
  for (std::uint32_t at = 0; at < bars; ++at) {
    const Bar bar = draw_bar(random);
    network.reset(); // between samples
    std::size_t says = 0;
    for (const auto& spikes : bar.spikes) {
      const auto membranes = network.step(spikes); // one step
      says = nm::layers::largest(membranes);
      seen += static_cast<std::uint32_t>(spikes.size()),
          fired += static_cast<std::uint32_t>(network.hidden.fired().size());
      digest.add(network.hidden.fired());
      for (const std::int32_t one : membranes) digest.add(static_cast<std::uint32_t>(one));
      if (at != 0) continue;
      first.hidden.emplace_back(network.hidden.fired().begin(), network.hidden.fired().end());
      first.read.emplace_back();
      for (std::size_t which = 0; which < directions; ++which) first.read.back()[which] = membranes[which] / 32768.0;
    }
    if (at == 0) first.bar = bar;
    ++shown[bar.direction];
    if (says == bar.direction) ++right[bar.direction], ++all_right;
  }
  for (std::size_t which = 0; which < directions; ++which)
    std::printf("%-6s %3u of %3u bars\n", names[which], static_cast<unsigned>(right[which]),
                static_cast<unsigned>(shown[which]));
  // Each spike of a pixel leads to all neurons, and one of a neuron to all neurons and all that read out.
  const std::uint32_t operations = seen * neurons + fired * (neurons + directions);
  std::printf("%u of %u right; each: %u spikes of pixels, %u of neurons, %u synaptic operations\n",
              static_cast<unsigned>(all_right), static_cast<unsigned>(bars), static_cast<unsigned>(seen / bars),
              static_cast<unsigned>(fired / bars), static_cast<unsigned>(operations / bars));
  std::printf("held %u, digest %08lx%08lx\n", static_cast<unsigned>(network.saturations()),
              static_cast<unsigned long>(digest.value() >> 32),
              static_cast<unsigned long>(digest.value() & 0xFFFFFFFF));
  if (all_right * 100 < bars * 97) return std::string("fewer than 97 % are right");
  if (options.output.empty()) return 0;
  const std::string path = options.output + "/" + output_files[0];
  return draw(path, first, neurons);
}

} // namespace

int main(int count, char** words) {
  return support::run_program<Options>("trained", count, words, help_text, output_files, support::parse_output<Options>,
                                       run);
}
