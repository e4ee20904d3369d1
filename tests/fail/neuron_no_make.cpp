// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a part that is_physical needs Parameters and the function make; see docs/neurons.md
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>

using namespace neuromorph;
struct Pulse : input::Current {
  static constexpr bool is_physical = true;
  struct Parameters {
    double gain = 1.0;
  };
#ifndef NEUROMORPH_KO
  static constexpr Status make(const Parameters&, const Making&, auto) { return {}; }
#endif
};
using Model = Neuron<membrane::Lif, synapse::Difference, Pulse>;
std::size_t words = Model::word_count;
