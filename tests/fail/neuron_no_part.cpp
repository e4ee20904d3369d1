// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a Neuron is given something that is no part
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/resets/subtraction.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>

using namespace neuromorph;
#ifdef NEUROMORPH_KO
using Model = Neuron<membrane::Lif, synapse::Difference, int>;
#else
using Model = Neuron<membrane::Lif, synapse::Difference, reset::Subtraction>;
#endif
auto made = Model::make({}, 0.1);
