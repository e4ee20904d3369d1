// SPDX-License-Identifier: BSL-1.0
// In a file of its own, because it is compiled with -fno-tree-vectorize.
#include "plain_lif.hpp"

namespace bench {

std::size_t plain_lif_step(PlainLif& neurons, PlainLifConstants const& with, double* excitatory_input,
                           double* inhibitory_input, std::uint32_t* spikes) {
  const std::size_t count = neurons.v.size();
  std::size_t fired = 0;
  for (std::size_t at = 0; at < count; ++at) {
    if (neurons.refractory[at] > 0) {
      if (--neurons.refractory[at] == 0) neurons.v[at] = with.reset;
    } else {
      neurons.v[at] = neurons.v[at] * with.membrane + neurons.excitatory_na[at] * with.from_excitatory -
                      neurons.inhibitory_na[at] * with.from_inhibitory;
      if (neurons.v[at] >= with.threshold) {
        neurons.v[at] = with.reset;
        neurons.refractory[at] = with.refractory_steps;
        spikes[fired++] = static_cast<std::uint32_t>(at);
      }
    }
    neurons.excitatory_na[at] = neurons.excitatory_na[at] * with.excitatory + excitatory_input[at];
    neurons.inhibitory_na[at] = neurons.inhibitory_na[at] * with.inhibitory + inhibitory_input[at];
    excitatory_input[at] = 0.0;
    inhibitory_input[at] = 0.0;
  }
  return fired;
}

} // namespace bench
