// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: refractory::InQueue resets a neuron when its period ends: it needs reset::ToValue; take refractory::Counted
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/refractory/counted.hpp>
#include <neuromorph/kernels/neurons/refractory/in_queue.hpp>
#include <neuromorph/kernels/neurons/resets/subtraction.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>

using namespace neuromorph;
#ifdef NEUROMORPH_KO
using Held = refractory::InQueue;
#else
using Held = refractory::Counted;
#endif
auto made = Neuron<membrane::Lif, synapse::Difference, reset::Subtraction, Held>::make({}, 0.1);
