// SPDX-License-Identifier: BSL-1.0
/// \file
/// A population of neurons with its memory: the words of its state and the spikes of the last step.
#ifndef NEUROMORPH_KERNELS_NEURONS_POPULATION_HPP
#define NEUROMORPH_KERNELS_NEURONS_POPULATION_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/neurons/neuron_model.hpp>
#include <neuromorph/kernels/synapses/ring_buffer.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// \tparam Model    NeuronModel; see docs/neurons.md
/// \tparam Neurons  how many
/// Size: a membrane, the psps and an element of the list of spikes per neuron, and the model's Extra.
template <class Model, std::size_t Neurons>
class Population {
  static_assert(detail::offers_what_a_model_has<Model, Neurons>());

public:
  /// All neurons at rest below threshold at `membrane_word`, see Model::membrane. `first_step` is that of the first
  /// step, for models whose words at rest depend on it.
  constexpr explicit Population(const typename Model::Parameters& parameters, std::int32_t membrane_word,
                                std::uint32_t first_step = 0) noexcept
      : parameters_(parameters) {
    for (std::int32_t& word : membrane_) word = membrane_word;
    if constexpr (detail::offers<Model, offer::PspAtRest>)
      for (std::size_t which = 0; which < Model::psp_count; ++which)
        psp_[which].fill(Model::psp_at_rest(parameters, first_step)[which]);
  }
  /// Refused in words: a membrane that nobody looked at.
  template <class Word>
  requires detail::is_result<Word>
  constexpr explicit Population(const typename Model::Parameters&, const Word&, std::uint32_t = 0) noexcept {
    static_assert(detail::never<Word>, "neuromorph: the membrane is a Result that nobody looked at: ask ok(), "
                                       "then pass value(); see docs/errors.md");
  }

  /// One step: consumes what the ring buffer holds for `step_number`; returns the neurons that fired at it,
  /// ascending.
  template <class Target = target::Native, class Format, class Element>
  constexpr std::span<const std::uint32_t> step(RingBuffer<Format, Element>& ring, std::uint32_t step_number) noexcept {
    static_assert(RingBuffer<Format, Element>::types >= Model::receptors,
                  "neuromorph: the ring buffer has fewer receptor types than the neuron model; use TypeBits = 1");
    static_assert(RingBuffer<Format, Element>::neurons >= Neurons,
                  "neuromorph: the ring buffer has fewer elements than the population has neurons");
    std::array<Element*, Model::receptors> input{};
    for (std::size_t type = 0; type < Model::receptors; ++type) input[type] = ring.slot(step_number, type).data();
    const auto counts = Model::template step<Target>(state(), parameters_, input, step_number, spikes_);
    if (!counts) [[unlikely]] {
      status_ = counts.status();
      return {};
    }
    saturations_ += counts.value().saturations;
    return std::span<const std::uint32_t>{spikes_}.first(counts.value().spikes);
  }

  [[nodiscard]] constexpr typename Model::State state() noexcept {
    typename Model::State views{};
    views.membrane = membrane_;
    for (std::size_t which = 0; which < Model::psp_count; ++which) views.psp[which] = psp_[which];
    if constexpr (has_extra) extra_.attach(views);
    return views;
  }
  [[nodiscard]] constexpr const typename Model::Parameters& parameters() const noexcept { return parameters_; }
  /// Synaptic states that were held at the end of their range, since the start.
  [[nodiscard]] constexpr std::uint32_t saturations() const noexcept { return saturations_; }
  /// Of the last step that the model refused, which changed nothing; ok if it refused none.
  [[nodiscard]] constexpr const Status& status() const noexcept { return status_; }

private:
  struct Nothing {};
  static constexpr bool has_extra = detail::offers<Model, offer::ExtraMemory>;
  [[nodiscard]] static constexpr auto extra() noexcept {
    if constexpr (has_extra)
      return typename Model::template Extra<Neurons>{};
    else
      return Nothing{};
  }

  alignas(64) std::array<std::int32_t, Neurons> membrane_{};
  alignas(64) std::array<std::array<PspElement<Model>, Neurons>, Model::psp_count> psp_{};
  [[no_unique_address]] decltype(extra()) extra_{};
  std::array<std::uint32_t, Neurons> spikes_{};
  typename Model::Parameters parameters_;
  std::uint32_t saturations_ = 0;
  Status status_;
};

/// Refused in words.
template <class Model, std::size_t Neurons>
requires(!NeuronModel<Model>) class Population<Model, Neurons> {
public:
  template <class... Arguments>
  constexpr explicit Population(const Arguments&...) noexcept {}
  template <class Target = target::Native, class Ring>
  constexpr std::span<const std::uint32_t> step(Ring&, std::uint32_t) noexcept {
    return {};
  }
  [[nodiscard]] constexpr std::uint32_t saturations() const noexcept { return 0; }
  [[nodiscard]] constexpr Status status() const noexcept { return {}; }

  static_assert(NeuronModel<Model>, "neuromorph: Model lacks what a neuron model must offer; see docs/neurons.md");
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
