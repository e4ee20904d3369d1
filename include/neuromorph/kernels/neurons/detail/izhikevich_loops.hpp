// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loop that backends have for Izhikevich's membranes by the midpoint method, to nearest: what it is given, and what is
/// done around it.
///
/// It does whole pairs of neurons, of columns that lie apart as those of a Population. Psps are stepped by the loop that LIF neurons have.
#ifndef NEUROMORPH_KERNELS_NEURONS_DETAIL_IZHIKEVICH_LOOPS_HPP
#define NEUROMORPH_KERNELS_NEURONS_DETAIL_IZHIKEVICH_LOOPS_HPP

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

namespace method {
struct Midpoint;
}
namespace membrane {
template <class Method>
struct IzhikevichBy;
}

namespace detail {

struct IzhikevichLoops : LifLoops<2, false> {
  /// What a loop walks over, and the constants of a step; in this order, as it reads them by their places.
  struct Block {
    std::int32_t* membrane;
    std::intptr_t apart; // bytes from the membranes to u, and from excitation to inhibition
    const std::int32_t* excitation;
    std::int32_t level, quadratic, slope, pull, sensitivity;
    std::int32_t drift;      // twice, and one more: to nearest with the psps
    const std::int32_t* end; // of the membranes
    std::uint32_t* spikes;   // addresses of the membranes that fired, which are left at what they came to
  };
  /// Of the constants that a loop is for.
  static constexpr unsigned psp_shift = 3, rise_shift = 2;
  static constexpr std::int32_t most_drift = (3 << 28) - 16; ///< twice it, with a quarter of two psps, is a word

  template <class Target, class Element>
  [[nodiscard]] static consteval bool exist() {
    constexpr bool is_callable = requires(const Block& block) { Target::izhikevich_membranes(block); };
    return has_loop<Target, offer::IzhikevichMembranes, is_callable>() && has_psps<Target, Element>();
  }

  /// As the step of the model.
  template <class Model, class Target, class Element>
  [[gnu::noinline]] static StepCounts
  step(const typename Model::Columns& columns, std::size_t count, const typename Model::Constants& constants,
       const std::array<Element*, 2>& input, std::uint32_t step_number, std::uint32_t* spikes) noexcept {
    const auto bytes = [&](std::size_t from) { return bytes_between(columns.words[from], columns.words[from + 1]); };
    const bool fits = constants.synapses.shared.psp_shift == psp_shift &&
                      constants.membrane.shared.rise_shift == rise_shift && most_drift > constants.membrane.drift &&
                      -most_drift < constants.membrane.drift && bytes(0) == bytes(2) && suits(constants, input);
    const std::size_t paired = fits ? pairs_of(count) : 0;
    StepCounts counts;
    if (paired != 0) [[likely]] {
      Arithmetic<target::Generic::Lanes, rounding::Nearest> m(step_number, 0, counts.saturations);
      const auto& own = constants.membrane;
      const std::int32_t drift = own.drift + Model::Membrane::balance(m, rise_shift);
      const Block block{columns.words[0],
                        bytes(0),
                        columns.words[2],
                        m.add(own.level, m.dither(own.spread)),
                        own.quadratic,
                        own.slope,
                        own.recovery,
                        own.sensitivity,
                        2 * drift + 1,
                        columns.words[0] + paired,
                        spikes};
      counts.spikes = indices(columns.words[0], spikes, Target::izhikevich_membranes(block));
      for (std::uint32_t spike = 0; spike < counts.spikes; ++spike) {
        std::int32_t& recovery = columns.words[1][spikes[spike]];
        columns.words[0][spikes[spike]] = constants.reset.v;
        recovery = m.add_scaled_held(recovery, own.after_spike, 0);
      }
      step_psps<Model, Target, 2>(columns, constants, input, step_number, paired, counts);
    }
    if (paired != count)
      Model::template step_some<Target>(columns, constants, input, step_number, spikes, paired, count, counts);
    return counts;
  }
};

template <>
struct LoopsFor<
    Composition<membrane::IzhikevichBy<method::Midpoint>, synapse::Exponential<2>, input::Current, threshold::Fixed,
                reset::ToValue, refractory::None, adaptation::None, current::None, rounding::Nearest>>
    : IzhikevichLoops {};

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
