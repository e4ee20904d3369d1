// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: this membrane takes no conductances; membrane::LifConductance, Izhikevich and AdEx do
// lines: 10
#include <neuromorph/kernels/neurons/inputs/conductance.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/membranes/lif_conductance.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>

using namespace neuromorph;

#ifdef NEUROMORPH_KO
using Membrane = membrane::Lif;
#else
using Membrane = membrane::LifConductance<>;
#endif
auto made = Neuron<Membrane, synapse::Exponential<2>, input::Conductance<2>>::make({}, 0.1);
