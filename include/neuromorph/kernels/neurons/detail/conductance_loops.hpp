// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loop that backends have for leaky membranes under two exponential conductances: what it is given, and what is done
/// around it.
///
/// It does whole pairs of neurons, of columns that lie apart as those of a Population. Psps are stepped by the loop that LIF
/// neurons have.
#ifndef NEUROMORPH_KERNELS_NEURONS_DETAIL_CONDUCTANCE_LOOPS_HPP
#define NEUROMORPH_KERNELS_NEURONS_DETAIL_CONDUCTANCE_LOOPS_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/neurons/arithmetic.hpp>
#include <neuromorph/kernels/neurons/detail/lif_loops.hpp>
#include <neuromorph/kernels/neurons/step_counts.hpp>
#include <neuromorph/rounding.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace membrane {
template <int Doublings>
struct LifConductance;
}
namespace input {
template <std::size_t Receptors>
struct Conductance;
}
namespace refractory {
struct Counted;
}

namespace detail {

struct ConductanceLoops : LifLoops<2, false> {
  /// What a loop walks over, and the constants of a step; in this order, as it reads them by their places.
  struct Block {
    const std::int32_t* excitation;
    std::intptr_t apart; // bytes from a column to the next: membranes, excitation, inhibition, refractory steps
    std::int32_t rate;   // of the leak, a quarter of the decay
    std::array<std::int32_t, 2> reversal;
    std::int32_t factors; // the decay in the lower half, that of the polynomial's third factor in the upper
    std::int32_t drift, dither;
    const std::int32_t* last; // excitation
    std::uint32_t* spikes;    // addresses of the excitation of those that fired, which are left at what they came to
  };

  template <class Target, class Element>
  [[nodiscard]] static consteval bool exist() {
    constexpr bool is_callable = requires(const Block& block) { Target::conductance_membranes(block); };
    return has_loop<Target, offer::ConductanceMembranes, is_callable>() && has_psps<Target, Element>();
  }

  /// As the step of the model.
  template <class Model, class Target, class Element>
  [[gnu::noinline]] static StepCounts
  step(const typename Model::Columns& columns, std::size_t count, const typename Model::Constants& constants,
       const std::array<Element*, 2>& input, std::uint32_t step_number, std::uint32_t* spikes) noexcept {
    const auto bytes = [&](std::size_t from) { return bytes_between(columns.words[from], columns.words[from + 1]); };
    const bool fits = bytes(0) == bytes(1) && bytes(1) == bytes(2) && suits_psps(constants, input);
    const std::size_t paired = fits ? pairs_of(count) : 0;
    StepCounts counts;
    if (paired != 0) [[likely]] {
      const std::int32_t dither = step_dither(step_number);
      const auto& own = constants.membrane;
      const auto decay = static_cast<std::uint32_t>(own.decay + dither) >> 16;
      const auto third = static_cast<std::uint32_t>(Model::Membrane::third_less) & 0xFFFF0000U;
      const Block block{columns.words[1],
                        bytes(0),
                        own.decay >> 2,
                        {constants.input[0], constants.input[1]},
                        static_cast<std::int32_t>(third | decay),
                        own.drift,
                        dither,
                        columns.words[1] + paired - 1,
                        spikes};
      counts.spikes = indices(columns.words[1], spikes, Target::conductance_membranes(block));
      for (std::uint32_t spike = 0; spike < counts.spikes; ++spike) {
        columns.words[0][spikes[spike]] = constants.reset.v;
        columns.words[3][spikes[spike]] = constants.refractory.steps;
      }
      step_psps<Model, Target, 1>(columns, constants, input, step_number, paired, counts);
    }
    if (paired != count)
      Model::template step_some<Target>(columns, constants, input, step_number, spikes, paired, count, counts);
    return counts;
  }
};

template <>
struct LoopsFor<
    Composition<membrane::LifConductance<1>, synapse::Exponential<2>, input::Conductance<2>, threshold::Fixed,
                reset::ToValue, refractory::Counted, adaptation::None, current::None, rounding::Down>>
    : ConductanceLoops {};

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
