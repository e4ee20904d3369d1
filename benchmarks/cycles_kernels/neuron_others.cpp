// SPDX-License-Identifier: BSL-1.0
// Steps of populations of PyNN's Izhikevich and EIF_cond_alpha_isfa_ista, and of Izhikevich's neuron with stochastic rounding,
// as neuron.hpp says.
#include <neuromorph/kernels/neurons/models/pynn.hpp>

#include "neuron.hpp"

namespace {
constexpr ReceptorWeights weight{.largest = 0.02}, psc{.largest = 0.5};
using Stochastic = Neuron<membrane::Izhikevich, synapse::Exponential<2>, rounding::Stochastic>;
} // namespace

bool run() {
  bool right = true;
  static constinit auto izhikevich =
      pynn::Izhikevich::make({.membrane = {}, .synapses = {{{{.largest = 5.0}, {.largest = 5.0}}}}}, 0.1).value();
  NEURON_SIZES_BY_EVENTS("neuron.izhikevich_delta", pynn::Izhikevich, *fresh(&izhikevich), 40000);
  static constinit auto stochastic =
      Stochastic::make({.membrane = {}, .synapses = {{5.0, 10.0}, {{psc, psc}}}}, 0.1).value();
  NEURON_SIZES("neuron.izhikevich_stochastic", Stochastic, *fresh(&stochastic));
  static constinit auto adex = pynn::EifCondAlphaIsfaIsta::make({.membrane = {},
                                                                 .synapses = {{5.0, 10.0}, {{weight, weight}}},
                                                                 .input = {{0.0, -80.0}},
                                                                 .threshold = {-40.0},
                                                                 .reset = {-70.6},
                                                                 .refractory = {5.0}},
                                                                0.1)
                                   .value();
  NEURON_SIZES_BY_EVENTS("neuron.eif_cond_alpha_isfa_ista", pynn::EifCondAlphaIsfaIsta, *fresh(&adex), 30000);
  return right;
}
