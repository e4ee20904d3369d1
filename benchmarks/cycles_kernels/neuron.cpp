// SPDX-License-Identifier: BSL-1.0
// Steps of populations of LIF and of Izhikevich's neurons, as neuron.hpp says.
#include <array>

#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/models/lif.hpp>

#include "neuron.hpp"

namespace {
using Izhikevich = Neuron<membrane::Izhikevich, synapse::Exponential<2>, rounding::Nearest>;
} // namespace

bool run() {
  static constexpr std::array<ReceptorWeights, 2> weights{ReceptorWeights{.largest = 0.5},
                                                          ReceptorWeights{.largest = 0.5}};
  static constinit auto two =
      Lif<2>::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.15}, .synapses = {{5.0, 10.0}, weights}}, 0.1).value();
  static constinit auto one =
      Lif<1>::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.15}, .synapses = {5.0, weights}}, 0.1).value();
  static constinit auto izhikevich =
      Izhikevich::make(
          {.membrane = {.i_offset = 0.0}, .synapses = {{5.0, 10.0}, weights}, .threshold = {30.0}, .reset = {-65.0}},
          0.1)
          .value();
  bool right = true;
  NEURON_SIZES("neuron.lif1", Lif<1>, *fresh(&one));
  NEURON_SIZES("neuron.lif2", Lif<2>, *fresh(&two));
  static constinit auto compact1 =
      CompactLif<1>::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.15},
                           .synapses = {.tau_ms = {5.0}, .weights = {{{.largest = 0.5, .bits = 20}}}}},
                          0.1)
          .value();
  static constinit auto compact2 =
      CompactLif<2>::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.15},
                           .synapses = {.tau_ms = {5.0, 10.0},
                                        .weights = {{{.largest = 0.5, .bits = 20}, {.largest = 0.5, .bits = 20}}}}},
                          0.1)
          .value();
  NEURON_SIZES("neuron.compact_lif1", CompactLif<1>, *fresh(&compact1));
  NEURON_SIZES("neuron.compact_lif2", CompactLif<2>, *fresh(&compact2));
  NEURON_SIZES("neuron.izhikevich", Izhikevich, *fresh(&izhikevich));
  return right;
}
