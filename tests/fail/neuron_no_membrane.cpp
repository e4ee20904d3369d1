// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a Neuron has no membrane
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/resets/subtraction.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>

using namespace neuromorph;
#ifdef NEUROMORPH_KO
using Model = Neuron<synapse::Difference, reset::Subtraction>;
#else
using Model = Neuron<membrane::Lif, synapse::Difference, reset::Subtraction>;
#endif
auto made = Model::make({}, 0.1);
