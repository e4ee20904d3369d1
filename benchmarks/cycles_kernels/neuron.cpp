// SPDX-License-Identifier: BSL-1.0
// Steps of populations of LIF and of Izhikevich's neurons, as neuron.hpp says.
#include <array>

#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/refractory/in_queue.hpp>
#include <neuromorph/kernels/neurons/synapse_types/driven.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential_pair.hpp>

#include "neuron.hpp"

namespace {

using Lif2 = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::InMembrane>;
using Lif1 = Neuron<membrane::Lif, synapse::Difference, refractory::InMembrane>;
using Driven1 = Neuron<membrane::Lif, synapse::Driven<1>, refractory::InQueue>;
using Driven2 = Neuron<membrane::Lif, synapse::Driven<2, 9>, refractory::InQueue>;
using Izhikevich = Neuron<membrane::Izhikevich, synapse::Exponential<2>, rounding::Nearest>;

} // namespace

bool run() {
  static constexpr std::array<ReceptorWeights, 2> weights{ReceptorWeights{.largest = 0.5},
                                                          ReceptorWeights{.largest = 0.5}};
  static constinit auto two =
      Lif2::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.15}, .synapses = {{5.0, 10.0}, weights}}, 0.1).value();
  static constinit auto one =
      Lif1::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.15}, .synapses = {5.0, weights}}, 0.1).value();
  static constinit auto izhikevich =
      Izhikevich::make(
          {.membrane = {.i_offset = 0.0}, .synapses = {{5.0, 10.0}, weights}, .threshold = {30.0}, .reset = {-65.0}},
          0.1)
          .value();
  bool right = true;
  NEURON_SIZES("neuron.lif1", Lif1, *fresh(&one));
  NEURON_SIZES("neuron.lif2", Lif2, *fresh(&two));
  static constinit auto driven1 =
      Driven1::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.15},
                     .synapses = {.tau_ms = {5.0}, .weights = {{{.largest = 0.5, .bits = 20}}}}},
                    0.1)
          .value();
  static constinit auto driven2 =
      Driven2::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.15},
                     .synapses = {.tau_ms = {5.0, 10.0},
                                  .weights = {{{.largest = 0.5, .bits = 20}, {.largest = 0.5, .bits = 20}}}}},
                    0.1)
          .value();
  NEURON_SIZES("neuron.driven1", Driven1, *fresh(&driven1));
  NEURON_SIZES("neuron.driven2", Driven2, *fresh(&driven2));
  NEURON_SIZES("neuron.izhikevich", Izhikevich, *fresh(&izhikevich));
  return right;
}
