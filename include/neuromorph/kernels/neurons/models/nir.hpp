// SPDX-License-Identifier: BSL-1.0
/// \file
/// Compositions by the names of the nodes of NIR.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_MODELS_NIR_HPP
#define NEUROMORPH_KERNELS_NEURONS_MODELS_NIR_HPP

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/neurons/membranes/integrator.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/resets/subtraction.hpp>
#include <neuromorph/kernels/neurons/synapse_types/delta.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/neurons/thresholds/none.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Nodes of NIR: one receptor, weights have a sign. NIR's v_leak is membrane.v_rest_mv. Where NIR has no unit, take its
/// numbers for ms, mV and nA.
namespace nir {
/// LIF: an event moves the membrane by R w dt / tau, which is its weight here.
using Lif = Neuron<membrane::Lif, synapse::Delta<1>>;
/// CubaLIF
using CubaLif = Neuron<membrane::Lif, synapse::Exponential<1>>;
/// LI: a LIF that never fires; reads out.
using Li = Neuron<membrane::Lif, synapse::Delta<1>, threshold::None, reset::None>;
/// CubaLI
using CubaLi = Neuron<membrane::Lif, synapse::Exponential<1>, threshold::None, reset::None>;
/// IF: no leak, reset by subtraction.
using If = Neuron<membrane::Integrator, synapse::Delta<1>, reset::Subtraction>;
/// I: no leak, never fires. C's complex numbers have a macro of that name.
using Integrator = Neuron<membrane::Integrator, synapse::Delta<1>, threshold::None, reset::None>;
} // namespace nir

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
