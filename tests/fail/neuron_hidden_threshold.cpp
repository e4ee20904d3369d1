// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: this reset or refractory period takes a membrane above zero for a neuron that has fired: it needs threshold::Fixed
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/resets/subtraction.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/neurons/thresholds/adaptive.hpp>

using namespace neuromorph;
#ifdef NEUROMORPH_KO
using Subtracting = reset::LateSubtraction;
#else
using Subtracting = reset::Subtraction;
#endif
auto made = Neuron<membrane::Lif, synapse::Difference, threshold::Adaptive, Subtracting>::make({}, 0.1);
