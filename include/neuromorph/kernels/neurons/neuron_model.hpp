// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a neuron model must offer: integration constants from physical parameters, views of its state, one
/// step.
#ifndef NEUROMORPH_KERNELS_NEURONS_NEURON_MODEL_HPP
#define NEUROMORPH_KERNELS_NEURONS_NEURON_MODEL_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/generic.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What one step of a population did.
struct StepCounts {
  std::uint32_t spikes = 0;
  std::uint32_t saturations = 0; ///< synaptic states that were held at the end of their range
};

/// The element of a model's synaptic words: what its State views, 32 or 16 bits.
template <class Model>
using PspElement = typename decltype(Model::State::psp)::value_type::element_type;

/// A model keeps `psp_count` synaptic words and one membrane word per neuron and steps a whole population at once. Its
/// `step` takes the backend as first template argument, adds `input` to what it has and leaves zeros in it.
///
/// What more a model may have, for a Population: `Extra<Neurons>` with `attach(State&)`, memory besides these words
/// that its State views; `psp_at_rest(parameters, tick)`, its synaptic words before the step of `tick` where they are
/// not 0.
template <class Model>
concept NeuronModel = requires(typename Model::State state, const typename Model::Parameters& parameters,
                               const std::array<std::int32_t*, Model::receptors>& input, std::uint32_t tick,
                               std::span<std::uint32_t> spikes) {
  { Model::psp_count } -> std::convertible_to<std::size_t>;
  { state.membrane } -> std::convertible_to<std::span<std::int32_t>>;
  { state.psp } -> std::convertible_to<std::array<std::span<PspElement<Model>>, Model::psp_count>>;
  requires std::same_as<PspElement<Model>, std::int32_t> || std::same_as<PspElement<Model>, std::int16_t>;
  { Model::template step<target::Generic>(state, parameters, input, tick, spikes) } -> std::same_as<Result<StepCounts>>;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
