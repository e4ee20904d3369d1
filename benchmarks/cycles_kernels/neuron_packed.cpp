// SPDX-License-Identifier: BSL-1.0
// Steps of populations of PackedLif, as neuron.hpp says.
#include <cstdint>

#include <neuromorph/kernels/neurons/models/lif.hpp>

#include "neuron.hpp"

bool run() {
  static constinit auto made =
      PackedLif::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.15}, .synapses = {.tau_ms = {5.0, 10.0}}}, 0.1)
          .value();
  bool right = true;
  const auto sized = [&]<std::size_t neurons>(auto step) {
    const auto& constants = *fresh(&made);
    auto& population = *new (neuron_place.data()) Population<PackedLif, neurons>(constants);
    std::uint32_t turn = 0, fired = 0;
    for (std::uint32_t step_number = 0; step_number < steps; ++step_number) {
      const std::uint32_t from = turn;
      for (; turn * 5 * steps < step_number * neurons; ++turn)
        population.words(0)[turn * 5] = -1, population.words(1)[turn * 5] = 30000;
      auto& ring = neuron_ring<std::uint16_t>;
      ring.slot(step_number, 0)[step_number % neurons] = 1; // too weak to matter
      fired += static_cast<std::uint32_t>(step(population, ring, step_number).size());
      for (std::uint32_t at = from; at < turn; ++at) population.words(1)[at * 5] = 0;
    }
    right = right && fired == turn && turn != 0;
  };
  sized.template operator()<32>(NEURON_STEP("neuron.packed_lif.32", 32));
  sized.template operator()<100>(NEURON_STEP("neuron.packed_lif.100", 100));
  sized.template operator()<256>(NEURON_STEP("neuron.packed_lif.256", 256));
  return right;
}
