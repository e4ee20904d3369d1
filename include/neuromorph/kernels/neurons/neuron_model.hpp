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
#include <neuromorph/offer.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/generic.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace offer {
/// `template <std::size_t Neurons> struct Extra` with `attach(State&)`, of a model: memory besides its words, that its State
/// views.
struct ExtraMemory {
  int Extra;
  template <class Part>
  static auto find() -> decltype(&Part::Extra);
};
/// `psp_at_rest(parameters, step_number)`, of a model: its synaptic words before the step of that
/// number, where they are not 0.
struct PspAtRest {
  int psp_at_rest;
  template <class Part>
  static auto find() -> decltype(&Part::psp_at_rest);
};
} // namespace offer

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
/// What more a model has, for a Population, it says in `Offers`: ExtraMemory, PspAtRest.
template <class Model>
concept NeuronModel = requires(typename Model::State state, const typename Model::Parameters& parameters,
                               const std::array<std::int32_t*, Model::receptors>& input, std::uint32_t step_number,
                               std::span<std::uint32_t> spikes) {
  { Model::psp_count } -> std::convertible_to<std::size_t>;
  { state.membrane } -> std::convertible_to<std::span<std::int32_t>>;
  { state.psp } -> std::convertible_to<std::array<std::span<PspElement<Model>>, Model::psp_count>>;
  requires std::same_as<PspElement<Model>, std::int32_t> || std::same_as<PspElement<Model>, std::int16_t>;
  {
    Model::template step<target::Generic>(state, parameters, input, step_number, spikes)
    } -> std::same_as<Result<StepCounts>>;
};

namespace detail {

template <class Extra, class State>
concept Attaches = requires(Extra& extra, State& state) {
  extra.attach(state);
};
template <class Model, std::size_t Neurons>
concept HasExtraMemory = Attaches < typename Model::template Extra<Neurons>,
typename Model::State > ;
template <class Model>
concept HasPspAtRest = requires(const typename Model::Parameters& parameters, std::uint32_t step_number) {
  static_cast<PspElement<Model>>(Model::psp_at_rest(parameters, step_number)[0]);
};

/// Says where a model offers something else than it has.
template <class Model, std::size_t Neurons>
consteval bool offers_what_a_model_has() {
  static_assert(says_offers<Model>, "neuromorph: Model lacks 'using Offers', an offer::List of what it has of "
                                    "'ExtraMemory' and 'PspAtRest'; see docs/neurons.md");
  static_assert(is_said<Model, offer::ExtraMemory>(),
                "neuromorph: Model has 'Extra', and its 'Offers' lacks 'offer::ExtraMemory'; see docs/neurons.md");
  static_assert(is_said<Model, offer::PspAtRest>(),
                "neuromorph: Model has 'psp_at_rest', and its 'Offers' lacks 'offer::PspAtRest'; see docs/neurons.md");
  static_assert(!offers<Model, offer::ExtraMemory> || HasExtraMemory<Model, Neurons>,
                "neuromorph: Model offers 'ExtraMemory' and lacks 'template <std::size_t Neurons> struct Extra' with "
                "'attach(State&)'; see docs/neurons.md");
  static_assert(
      !offers<Model, offer::PspAtRest> || HasPspAtRest<Model>,
      "neuromorph: Model offers 'PspAtRest' and lacks 'psp_at_rest(parameters, step_number)', an array of its psps; "
      "see docs/neurons.md");
  return true;
}

} // namespace detail

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
