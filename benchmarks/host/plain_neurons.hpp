// SPDX-License-Identifier: BSL-1.0
// Neuron models as plain loops over doubles: baselines. Compiled without vectorisation.
#ifndef BENCHMARKS_HOST_PLAIN_NEURONS_HPP
#define BENCHMARKS_HOST_PLAIN_NEURONS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

/// LIF: exact propagators over one step; membranes in mV relative to the resting potential.
struct PlainLifConstants {
  double membrane, excitatory, inhibitory; // decay factors
  double from_excitatory, from_inhibitory; // mV per nA
  double reset, threshold;
  std::int32_t refractory_steps;
};

struct PlainLif {
  std::vector<double> v, excitatory_na, inhibitory_na;
  std::vector<std::int32_t> refractory;
};

/// One step; consumes and clears the inputs (nA), lists the neurons that fired and returns how many.
std::size_t plain_lif_step(PlainLif& neurons, PlainLifConstants const& with, double* excitatory_input,
                           double* inhibitory_input, std::uint32_t* spikes);

/// Izhikevich, by the midpoint method, with exponential synapses.
struct PlainIzhikevichConstants {
  double a, b, c, d, peak, drive; // drive in mV/ms
  double dt_ms;
  double excitatory, inhibitory;           // decay factors
  double from_excitatory, from_inhibitory; // mean of a current over a step for 1 at its begin
};

struct PlainIzhikevich {
  std::vector<double> v, u, excitatory, inhibitory;
};

/// As plain_lif_step; inputs in mV/ms.
std::size_t plain_izhikevich_step(PlainIzhikevich& neurons, PlainIzhikevichConstants const& with,
                                  double* excitatory_input, double* inhibitory_input, std::uint32_t* spikes);

} // namespace bench

#endif
