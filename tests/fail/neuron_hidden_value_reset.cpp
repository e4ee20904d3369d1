// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: refractory::InMembrane keeps no membrane while it counts: it needs reset::ToValue; take refractory::Counted
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/refractory/counted.hpp>
#include <neuromorph/kernels/neurons/resets/subtraction.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>

using namespace neuromorph;
#ifdef NEUROMORPH_KO
using Held = refractory::InMembrane;
#else
using Held = refractory::Counted;
#endif
auto made = Neuron<membrane::Lif, synapse::Difference, reset::Subtraction, Held>::make({}, 0.1);
