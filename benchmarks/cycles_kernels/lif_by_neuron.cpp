// SPDX-License-Identifier: BSL-1.0
// Lif with constants of each neuron (lif_exact.hpp).
#include "lif_exact.hpp"

using namespace lif_exact;

bool run() {
  bool right = true;
  MEASURE_LIF("lif.two.per_neuron", LifByNeuron<2>);
  MEASURE_LIF("lif.one.per_neuron", LifByNeuron<1>);
  return right;
}
