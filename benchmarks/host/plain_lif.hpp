// SPDX-License-Identifier: BSL-1.0
// The LIF model as a plain loop over doubles: the baseline. Compiled without vectorisation.
#ifndef BENCHMARKS_HOST_PLAIN_LIF_HPP
#define BENCHMARKS_HOST_PLAIN_LIF_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

/// Exact propagators over one step; membranes in mV relative to the resting potential.
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

} // namespace bench

#endif
