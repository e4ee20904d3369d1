// SPDX-License-Identifier: BSL-1.0
// The LIF compositions that are timed, and their cell: that of the CUBA network.
#ifndef BENCHMARKS_HOST_LIF_CELL_HPP
#define BENCHMARKS_HOST_LIF_CELL_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <neuromorph/kernels/neurons/models/lif.hpp>

#include "neurons.hpp"

namespace bench {

inline constexpr Weights lif_weights{0.0162, 0.090}; // nA

/// Excitation and inhibition have 5 and 10 ms; of one time constant, 5 ms.
template <class Model>
typename Model::Made made_lif() {
  typename Model::Parameters given{};
  given.membrane = {
      .tau_ms = 20.0, .c_nf = 0.2, .v_rest_mv = -49.0, .v_initial_mv = -60.0}; // rest with the constant drive
  given.threshold = {-50.0};
  given.reset = {-60.0};
  given.refractory = {5.0};
  const unsigned bits = Model::Synapses::input_in_pairs ? 12 : Model::Refractory::has_queue ? 24 : 16;
  const std::array<nm::ReceptorWeights, 2> weights{
      nm::ReceptorWeights{.largest = lif_weights.excitatory, .bits = bits},
      nm::ReceptorWeights{.largest = lif_weights.inhibitory, .bits = bits}};
  if constexpr (Model::receptors == 2)
    given.synapses.weights = weights;
  else
    given.synapses.weights[0] = weights[1]; // of both signs
  if constexpr (Model::receptors == 1)
    given.synapses.tau_ms = {5.0};
  else if constexpr (requires { given.synapses.tau_ms[0]; })
    given.synapses.tau_ms = {5.0, 10.0};
  else
    given.synapses.tau_ms = 5.0;
  return Model::make(given, neuron_dt_ms).value();
}

} // namespace bench

#endif
