// SPDX-License-Identifier: BSL-1.0
// Steps of populations of PyNN's cells with conductances but IF_cond_exp, as neuron.hpp says.
#include <neuromorph/kernels/neurons/models/pynn.hpp>

#include "neuron.hpp"

namespace {
constexpr ReceptorWeights weight{.largest = 0.02};
} // namespace

bool run() {
  bool right = true;
  static constinit auto alpha = pynn::IfCondAlpha::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.1},
                                                         .synapses = {{5.0, 10.0}, {{weight, weight}}},
                                                         .input = {{0.0, -80.0}}},
                                                        0.1)
                                    .value();
  NEURON_SIZES_BY_EVENTS("neuron.if_cond_alpha", pynn::IfCondAlpha, *fresh(&alpha), 30000);
  static constinit auto adex = pynn::EifCondExpIsfaIsta::make({.membrane = {},
                                                               .synapses = {{5.0, 10.0}, {{weight, weight}}},
                                                               .input = {{0.0, -80.0}},
                                                               .threshold = {-40.0},
                                                               .reset = {-70.6},
                                                               .refractory = {5.0}},
                                                              0.1)
                                   .value();
  NEURON_SIZES_BY_EVENTS("neuron.eif_cond_exp_isfa_ista", pynn::EifCondExpIsfaIsta, *fresh(&adex), 30000);
  return right;
}
