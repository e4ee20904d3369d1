// SPDX-License-Identifier: BSL-1.0
/// \file
/// Neurons of networks that were trained elsewhere, by the numbers of their recurrence; tools/nir_import names them.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_MODELS_TRAINED_HPP
#define NEUROMORPH_KERNELS_NEURONS_MODELS_TRAINED_HPP

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/neurons/membranes/recurrence.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/resets/subtraction.hpp>
#include <neuromorph/kernels/neurons/synapse_types/recurrence.hpp>
#include <neuromorph/kernels/neurons/thresholds/none.hpp>
#include <neuromorph/rounding.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// A neuron fires where its membrane comes to its threshold; for one that must exceed it give a threshold of a unit more.
namespace trained {
/// \tparam Synapses  synapse::Sums (NIR's LIF and IF), synapse::Recurrence<...> (CubaLIF)
/// \tparam Reset     reset::ToValue, Subtraction, TwiceTestedSubtraction
template <class Synapses, class Reset>
using Neuron = neuromorph::Neuron<membrane::Recurrence, Synapses, threshold::Fixed, Reset, rounding::Nearest>;
/// Never fires (LI, CubaLI, I).
template <class Synapses>
using Readout = neuromorph::Neuron<membrane::Recurrence, Synapses, threshold::None, reset::None, rounding::Nearest>;
} // namespace trained

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
