// SPDX-License-Identifier: BSL-1.0
// Steps of populations of PyNN's IF_cond_exp, as neuron.hpp says.
#include <array>

#include <neuromorph/kernels/neurons/models/pynn.hpp>

#include "neuron.hpp"

bool run() {
  static constexpr std::array<ReceptorWeights, 2> weights{ReceptorWeights{.largest = 0.02},
                                                          ReceptorWeights{.largest = 0.02}};
  static constinit auto made =
      pynn::IfCondExp::make(
          {.membrane = {.c_nf = 0.25, .i_offset_na = 0.1}, .synapses = {{5.0, 10.0}, weights}, .input = {{0.0, -80.0}}},
          0.1)
          .value();
  bool right = true;
  NEURON_SIZES("neuron.if_cond_exp", pynn::IfCondExp, *fresh(&made));
  return right;
}
