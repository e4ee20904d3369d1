// SPDX-License-Identifier: BSL-1.0
// Steps of populations of PyNN's cells but those of neuron.cpp and neuron_conductance.cpp, as neuron.hpp says.
#include <neuromorph/kernels/neurons/models/pynn.hpp>

#include "neuron.hpp"

namespace {
constexpr ReceptorWeights up_to(double largest) { return {.largest = largest}; }
constexpr membrane::Lif::Parameters leaky{.c_nf = 0.25, .i_offset_na = 0.15};
} // namespace

bool run() {
  bool right = true;
  static constinit auto exp =
      pynn::IfCurrExp::make({.membrane = leaky, .synapses = {{5.0, 10.0}, {{up_to(1.0), up_to(1.0)}}}}, 0.1).value();
  NEURON_SIZES("neuron.if_curr_exp", pynn::IfCurrExp, *fresh(&exp));
  static constinit auto alpha =
      pynn::IfCurrAlpha::make({.membrane = leaky, .synapses = {{5.0, 10.0}, {{up_to(1.0), up_to(1.0)}}}}, 0.1).value();
  NEURON_SIZES_BY_EVENTS("neuron.if_curr_alpha", pynn::IfCurrAlpha, *fresh(&alpha), 40000);
  static constinit auto delta =
      pynn::IfCurrDelta::make({.membrane = leaky, .synapses = {{{up_to(5.0), up_to(5.0)}}}}, 0.1).value();
  NEURON_SIZES_BY_EVENTS("neuron.if_curr_delta", pynn::IfCurrDelta, *fresh(&delta), 40000);
  return right;
}
