// SPDX-License-Identifier: BSL-1.0
/// \file
/// Compositions for leaky integrate-and-fire neurons with exponential synaptic currents, by how their words are laid out.
///
/// All are integrated exactly and bit for bit the same everywhere. docs/neurons.md says which to take.
#ifndef NEUROMORPH_KERNELS_NEURONS_MODELS_LIF_HPP
#define NEUROMORPH_KERNELS_NEURONS_MODELS_LIF_HPP

#include <cstddef>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/refractory/in_queue.hpp>
#include <neuromorph/kernels/neurons/synapse_types/driven.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential_pair.hpp>
#include <neuromorph/rounding.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Two receptors, excitation and inhibition, of magnitudes; a word for the membrane and one for each time constant.
///
/// \tparam TimeConstants  1: both share one; 2: each has its own
/// \tparam Rounding       of the products
/// \source D. Lester et al., Streamlining SpiNNaker, 2018, chapter 2; closed form of S. Rotter and M. Diesmann, Biol. Cybern.
///         81, 1999
template <std::size_t TimeConstants = 2, class Rounding = rounding::Down>
requires(TimeConstants == 1 || TimeConstants == 2) using Lif =
    Neuron<membrane::Lif, std::conditional_t<TimeConstants == 1, synapse::Difference, synapse::Exponential<2>>,
           refractory::InMembrane, Rounding>;

/// Two words: both psps in one, 16 bits each. Input has 16 bits without a sign.
using PackedLif = Neuron<membrane::Lif, synapse::ExponentialPair, refractory::InMembrane>;

/// For cores that count cycles: the constant drive stands in a psp, the refractory period in a queue.
///
/// \tparam TimeConstants  1: one receptor, weights with a sign; 2: excitation and inhibition
template <std::size_t TimeConstants = 1>
using CompactLif =
    Neuron<membrane::Lif, synapse::Driven<TimeConstants, TimeConstants == 1 ? 8 : 9>, refractory::InQueue>;

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
