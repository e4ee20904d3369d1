// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: refractory::InMembrane hides the membrane from its other words: take refractory::Counted
#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/refractory/counted.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>

using namespace neuromorph;
#ifdef NEUROMORPH_KO
using Held = refractory::InMembrane;
#else
using Held = refractory::Counted;
#endif
auto made = Neuron<membrane::Izhikevich, synapse::Difference, Held>::make({}, 0.1);
