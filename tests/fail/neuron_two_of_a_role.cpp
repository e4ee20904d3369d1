// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a Neuron has two parts of one role, of which one would not be used
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/resets/subtraction.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>

using namespace neuromorph;
#ifdef NEUROMORPH_KO
using Model = Neuron<membrane::Lif, synapse::Difference, reset::Subtraction, reset::None>;
#else
using Model = Neuron<membrane::Lif, synapse::Difference, reset::Subtraction>;
#endif
auto made = Model::make({}, 0.1);
