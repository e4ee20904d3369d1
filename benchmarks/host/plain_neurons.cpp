// SPDX-License-Identifier: BSL-1.0
// In a file of its own, because it is compiled with -fno-tree-vectorize.
#include "plain_neurons.hpp"

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

std::size_t plain_izhikevich_step(PlainIzhikevich& neurons, PlainIzhikevichConstants const& with,
                                  double* excitatory_input, double* inhibitory_input, std::uint32_t* spikes) {
  const std::size_t count = neurons.v.size();
  const double half = 0.5 * with.dt_ms;
  std::size_t fired = 0;
  for (std::size_t at = 0; at < count; ++at) {
    const double v = neurons.v[at], u = neurons.u[at];
    const double flow = with.drive + 140.0 + neurons.excitatory[at] * with.from_excitatory -
                        neurons.inhibitory[at] * with.from_inhibitory;
    const double v_half = v + half * ((0.04 * v + 5.0) * v + flow - u);
    const double u_half = u + half * with.a * (with.b * v - u);
    double v_after = v + with.dt_ms * ((0.04 * v_half + 5.0) * v_half + flow - u_half);
    double u_after = u + with.dt_ms * with.a * (with.b * v_half - u_half);
    if (v_after >= with.peak) {
      v_after = with.c;
      u_after += with.d;
      spikes[fired++] = static_cast<std::uint32_t>(at);
    }
    neurons.v[at] = v_after;
    neurons.u[at] = u_after;
    neurons.excitatory[at] = neurons.excitatory[at] * with.excitatory + excitatory_input[at];
    neurons.inhibitory[at] = neurons.inhibitory[at] * with.inhibitory + inhibitory_input[at];
    excitatory_input[at] = 0.0;
    inhibitory_input[at] = 0.0;
  }
  return fired;
}

} // namespace bench
