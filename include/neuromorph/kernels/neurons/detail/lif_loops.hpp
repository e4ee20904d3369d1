// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loops that backends have for LIF neurons with exponential currents: which compositions they are for, what they are
/// given, and what they leave to the loop of one lane.
///
/// A loop does whole pairs of neurons, first the membranes, then the psps; a psp that would leave its range stops it, and
/// that neuron is done here.
#ifndef NEUROMORPH_KERNELS_NEURONS_DETAIL_LIF_LOOPS_HPP
#define NEUROMORPH_KERNELS_NEURONS_DETAIL_LIF_LOOPS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/neurons/arithmetic.hpp>
#include <neuromorph/kernels/neurons/defaults.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/kernels/neurons/step_counts.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace membrane {
struct Lif;
}
namespace synapse {
template <std::size_t Receptors>
struct Exponential;
struct Difference;
} // namespace synapse

namespace detail {

/// The parts of a neuron, in the order of their roles, defaults included.
template <class... Parts>
struct Composition {};

/// The loops that a backend may have for a composition: none, but for those below.
template <class Composition>
struct LoopsFor {
  template <class Target, class Element>
  [[nodiscard]] static consteval bool exist() {
    return false;
  }
};

/// \tparam TimeConstants  1: psps are differences; 2: excitation and inhibition apart
template <unsigned TimeConstants, bool ByNeuron>
struct LifLoops {
  static constexpr std::size_t psp_count = TimeConstants == 2 ? 2 : 1;

  /// Constants of a step as the loops take them: of the membranes, and of one psp.
  struct MembraneFactors {
    std::int32_t decay;
    std::uint32_t coupling; // 2^(16 - psp_shift)
    std::uint32_t drift;    // of two time constants, 0 - drift
    std::int32_t reset, after_spike;
  };
  struct MembraneRows {
    const std::int32_t *decay, *drift, *reset, *after_spike;
    std::uint32_t scale; // and the dither in the upper half
  };
  struct PspFactors {
    std::int32_t decay;         // or the dither, where each psp has a decay of its own
    std::uint32_t shift, limit; // limit + input / 2 leaves 31 bits where input * 2^shift does
  };

  template <class Target, class Element>
  [[nodiscard]] static consteval bool has_psps() {
    constexpr bool is_callable = requires(std::int32_t * words, Element * input, const PspFactors& psps) {
      Target::template lif_psps<TimeConstants == 1, true>(words, input, input, words, std::size_t{}, psps);
    };
    return has_loop<Target, offer::LifPsps, is_callable>();
  }
  template <class Target, class Element>
  [[nodiscard]] static consteval bool exist() {
    constexpr bool has_membranes =
        requires(std::int32_t * words, const MembraneFactors& membranes, std::uint32_t* spikes) {
      Target::template lif_membranes<TimeConstants>(words, words, std::uintptr_t{}, std::size_t{}, membranes, spikes);
    };
    constexpr bool has_rows = requires(std::int32_t * words, const MembraneRows& rows, std::uint32_t* spikes) {
      Target::template lif_membranes_by_neuron<TimeConstants>(words, words, words, std::size_t{}, rows, spikes);
    };
    return has_loop<Target, offer::LifMembranes, has_membranes>() &&
           has_loop<Target, offer::LifMembranesByNeuron, has_rows>() && has_psps<Target, Element>();
  }

  /// As the step of the model.
  template <class Model, class Target, class Element>
  [[gnu::noinline]] static StepCounts
  step(const typename Model::Columns& columns, std::size_t count, const typename Model::Constants& constants,
       const std::array<Element*, 2>& input, std::uint32_t step_number, std::uint32_t* spikes) noexcept {
    const std::size_t paired = suits(constants, input) ? pairs_of(count) : 0;
    StepCounts counts;
    if (paired != 0) [[likely]]
      step_words<Model, Target>(columns, constants, input, step_number, paired, spikes, counts);
    if (paired != count)
      Model::template step_some<Target>(columns, constants, input, step_number, spikes, paired, count, counts);
    return counts;
  }

protected:
  /// Neurons that a loop does.
  [[nodiscard]] static constexpr std::size_t pairs_of(std::size_t count) noexcept {
    constexpr std::size_t most = std::size_t{1} << 18; // that a loop can count
    return count > most ? most : count - count % 2;
  }
  /// Shifts that fit the factor 2^(16 - psp_shift), and leave room for all 16-bit inputs; their pairs are in words.
  [[nodiscard]] static bool suits(const auto& constants, const auto& input) noexcept {
    const auto& scale = constants.synapses.shared;
    return scale.psp_shift >= 2 && scale.psp_shift <= 16 && suits_psps(constants, input);
  }
  template <class Element>
  [[nodiscard]] static bool suits_psps(const auto& constants, const std::array<Element*, 2>& input) noexcept {
    const auto lowest = reinterpret_cast<std::uintptr_t>(input[0]) | reinterpret_cast<std::uintptr_t>(input[1]);
    const auto& scale = constants.synapses.shared;
    constexpr unsigned most = sizeof(Element) == 4 ? 30 : 15;
    return (sizeof(Element) == 4 || (lowest & 3) == 0) && shift(scale, 0) <= most && shift(scale, 1) <= most;
  }
  /// Columns may be of different arrays.
  [[nodiscard]] static std::intptr_t bytes_between(const std::int32_t* from, const std::int32_t* to) noexcept {
    return static_cast<std::intptr_t>(reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from));
  }
  [[nodiscard]] static unsigned shift(const auto& scale, std::size_t which) noexcept {
    if constexpr (TimeConstants == 2)
      return scale.input_shift[which];
    else
      return which == 0 ? scale.input_shift : 0U;
  }
  /// The decay of a psp, where the constants are shared.
  [[nodiscard]] static std::int32_t decay_of(const auto& synapses, std::size_t which) noexcept {
    if constexpr (TimeConstants == 2)
      return synapses[which];
    else
      return synapses.decay;
  }
  /// The loops list the addresses of the membranes that fired. Writes their indices instead; returns how many.
  [[nodiscard]] static std::uint32_t indices(const std::int32_t* membrane, std::uint32_t* spikes,
                                             std::uint32_t* end) noexcept {
    const auto first = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(membrane));
    for (std::uint32_t* spike = spikes; spike != end; ++spike) *spike = (*spike - first) / 4;
    return static_cast<std::uint32_t>(end - spikes);
  }

  template <class Model, class Target>
  [[gnu::always_inline]] static void step_words(const auto& columns, const auto& constants, const auto& input,
                                                std::uint32_t step_number, std::size_t paired, std::uint32_t* spikes,
                                                StepCounts& counts) noexcept {
    const std::int32_t dither = step_dither(step_number);
    counts.spikes =
        indices(columns.words[0], spikes, membranes<Model, Target>(columns, constants, dither, paired / 2, spikes));
    step_psps<Model, Target, 1>(columns, constants, input, step_number, paired, counts);
  }
  /// \tparam First  which of a neuron's words is the first psp
  template <class Model, class Target, std::size_t First>
  [[gnu::always_inline]] static void step_psps(const auto& columns, const auto& constants, const auto& input,
                                               std::uint32_t step_number, std::size_t paired,
                                               StepCounts& counts) noexcept {
    const std::int32_t dither = step_dither(step_number);
    for (std::size_t which = 0; which < psp_count; ++which)
      for (std::size_t at = 0;;) {
        at = psps<Model, Target, First>(columns, constants, input, dither, which, at, paired);
        if (at == paired) [[likely]]
          break;
        at = step_pair<Model, First>(columns, constants, input, step_number, which, at, counts);
        if (at == paired) break;
      }
  }
  template <class Model, class Target>
  [[gnu::always_inline]] static std::uint32_t* membranes(const auto& columns, const auto& constants,
                                                         std::int32_t dither, std::size_t pairs,
                                                         std::uint32_t* spikes) noexcept {
    std::int32_t* const membrane = columns.words[0];
    const std::int32_t *const first = columns.words[1], *const second = columns.words[psp_count];
    const std::uint32_t scale = 65536U >> constants.synapses.shared.psp_shift;
    if constexpr (!ByNeuron) {
      const auto drift = static_cast<std::uint32_t>(constants.membrane.drift);
      const MembraneFactors factors{(constants.membrane.decay + dither) >> 16, scale,
                                    TimeConstants == 2 ? 0U - drift : drift, constants.reset.v,
                                    constants.refractory.after_spike};
      return Target::template lif_membranes<TimeConstants>(membrane, first, reinterpret_cast<std::uintptr_t>(second),
                                                           pairs, factors, spikes);
    } else {
      const auto& own = columns.constants;
      const MembraneRows rows{own[0], own[1], own[2 + psp_count], own[3 + psp_count],
                              static_cast<std::uint32_t>(dither) << 16 | scale};
      return Target::template lif_membranes_by_neuron<TimeConstants>(membrane, first, second, pairs, rows, spikes);
    }
  }
  /// Goes on at neuron `at`; returns the one at which it stopped.
  template <class Model, class Target, std::size_t First>
  [[gnu::always_inline]] static std::size_t psps(const auto& columns, const auto& constants, const auto& input,
                                                 std::int32_t dither, std::size_t which, std::size_t at,
                                                 std::size_t paired) noexcept {
    std::int32_t* const psp = columns.words[First + which];
    const unsigned input_shift = shift(constants.synapses.shared, which);
    PspFactors factors{dither, input_shift, 0x80000000U - (1U << (30 - input_shift))};
    const std::int32_t* decays = nullptr;
    if constexpr (!ByNeuron)
      factors.decay = (decay_of(constants.synapses, which) + dither) >> 16;
    else
      decays = columns.constants[2 + which] + at;
    auto *const first = input[TimeConstants == 1 ? 0 : which] + at, *const less = input[1] + at;
    const std::int32_t* const stopped = Target::template lif_psps<TimeConstants == 1, ByNeuron>(
        psp + at, first, less, decays, (paired - at) / 2, factors);
    return static_cast<std::size_t>(stopped - psp);
  }

  /// A word of psps, one neuron's, over a step.
  template <class Model, std::size_t First>
  static void next_psp(const auto& columns, const auto& constants, const auto& input, std::uint32_t step_number,
                       std::size_t which, std::size_t at, StepCounts& counts) noexcept {
    using Lanes = target::Generic::Lanes;
    using Synapses = typename Model::Synapses;
    Arithmetic<Lanes, typename Model::Rounding, Model::Membrane::fades_psps> m(step_number, 0, counts.saturations);
    std::int32_t& word = columns.words[First + which][at];
    if constexpr (TimeConstants == 2) {
      const std::int32_t decay =
          ByNeuron ? columns.constants[(ByNeuron ? 2 : 0) + which][at] : constants.synapses[which];
      word =
          Synapses::next(m, word, decay, Lanes::load(input[which] + at), constants.synapses.shared.input_shift[which]);
    } else {
      typename Synapses::template Words<std::int32_t> psp{word};
      auto own = constants.synapses;
      if constexpr (ByNeuron) own.decay = columns.constants[2][at];
      Synapses::step(m, psp, own, std::array{Lanes::load(input[0] + at), Lanes::load(input[1] + at)});
      auto& [next] = psp;
      word = next;
    }
  }
  /// The psps of a neuron, or one of them, and, if it is the first of its pair, of the second. Returns the index of the
  /// next pair.
  template <class Model, std::size_t First>
  [[gnu::noinline]] static std::size_t step_pair(const auto& columns, const auto& constants, const auto& input,
                                                 std::uint32_t step_number, std::size_t which, std::size_t at,
                                                 StepCounts& counts) noexcept {
    do next_psp<Model, First>(columns, constants, input, step_number, which, at, counts);
    while (++at % 2 != 0);
    for (std::size_t receptor = 0; receptor < 2; ++receptor)
      if (TimeConstants != 2 || receptor == which) input[receptor][at - 2] = input[receptor][at - 1] = 0;
    return at;
  }
};

template <>
struct LoopsFor<Composition<membrane::Lif, synapse::Exponential<2>, input::Current, threshold::Fixed, reset::ToValue,
                            refractory::InMembrane, adaptation::None, current::None, rounding::Down>>
    : LifLoops<2, false> {};
template <>
struct LoopsFor<Composition<membrane::Lif, synapse::Difference, input::Current, threshold::Fixed, reset::ToValue,
                            refractory::InMembrane, adaptation::None, current::None, rounding::Down>>
    : LifLoops<1, false> {};
template <>
struct LoopsFor<Composition<PerNeuron<membrane::Lif>, PerNeuron<synapse::Exponential<2>>, input::Current,
                            threshold::Fixed, PerNeuron<reset::ToValue>, PerNeuron<refractory::InMembrane>,
                            adaptation::None, current::None, rounding::Down>> : LifLoops<2, true> {};
template <>
struct LoopsFor<Composition<PerNeuron<membrane::Lif>, PerNeuron<synapse::Difference>, input::Current, threshold::Fixed,
                            PerNeuron<reset::ToValue>, PerNeuron<refractory::InMembrane>, adaptation::None,
                            current::None, rounding::Down>> : LifLoops<1, true> {};

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
