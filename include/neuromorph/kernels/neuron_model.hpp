// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a neuron model must offer: integration constants from physical parameters, views of its state, one
/// step.
#ifndef NEUROMORPH_KERNELS_NEURON_MODEL_HPP
#define NEUROMORPH_KERNELS_NEURON_MODEL_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// A model keeps `psp_count` synaptic words and one membrane word per neuron and steps a whole population at
/// once.
template <class Model>
concept NeuronModel = requires(typename Model::State state, const typename Model::Parameters& parameters,
                               const std::array<std::int32_t*, Model::receptors>& input,
                               std::span<std::uint32_t> spikes) {
  { Model::psp_count } -> std::convertible_to<std::size_t>;
  { state.membrane } -> std::convertible_to<std::span<std::int32_t>>;
  { state.psp } -> std::convertible_to<std::array<std::span<std::int32_t>, Model::psp_count>>;
  { Model::step(state, parameters, input, std::uint32_t{}, spikes).status } -> std::convertible_to<Status>;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
