// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loop that backends have for LIF neurons whose psps carry the constant drive: what it is given, and what is done
/// around it.
#ifndef NEUROMORPH_KERNELS_NEURONS_DETAIL_DRIVEN_LOOPS_HPP
#define NEUROMORPH_KERNELS_NEURONS_DETAIL_DRIVEN_LOOPS_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/neurons/arithmetic.hpp>
#include <neuromorph/kernels/neurons/detail/lif_loops.hpp>
#include <neuromorph/kernels/neurons/refractory_queue.hpp>
#include <neuromorph/kernels/neurons/step_counts.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace synapse {
template <std::size_t Receptors, unsigned CouplingShift>
struct Driven;
}
namespace refractory {
struct InQueue;
}

namespace detail {

template <std::size_t Receptors, unsigned CouplingShift>
struct DrivenLoops {
  /// What a loop walks over.
  template <class Element>
  struct Cursor {
    std::int32_t* membrane;
    std::array<std::int32_t*, Receptors> psp;
    std::array<Element*, Receptors> input;
  };
  /// Constants of a step.
  struct Factors {
    std::int32_t membrane;              // its factor in the upper half, as those below
    std::int32_t psp;                   // f
    std::int32_t offset;                // q
    std::int32_t inhibition = 0;        // f of the second psp
    std::int32_t inhibition_offset = 0; // its q
  };
  /// Which loop a backend is asked for.
  template <class Element>
  struct Loop {
    static constexpr bool two = Receptors == 2;
    static constexpr int input_size = sizeof(Element), shift = CouplingShift;
    static constexpr std::int32_t down = -0x60000000;
  };

  template <class Target, class Element>
  [[nodiscard]] static consteval bool exist() {
    constexpr bool is_callable =
        requires(Cursor<Element> & cursor, std::size_t count, std::uint32_t * spikes, std::uint32_t & status) {
      Target::template driven_lif<Loop<Element>>(cursor, count, Factors{}, spikes, status);
    };
    return has_loop<Target, offer::DrivenLif, is_callable>();
  }

  /// As the step of the model.
  template <class Model, class Target, class Element>
  [[gnu::always_inline]] static inline StepCounts
  step(const typename Model::Columns& columns, std::size_t count, const typename Model::Constants& constants,
       const std::array<Element*, Receptors>& input, std::uint32_t step_number, std::uint32_t* spikes) noexcept {
    using Queue = typename Model::Refractory;
    RefractoryQueue& queue = *columns.queue;
    if (queue.is_due(step_number)) [[unlikely]]
      Queue::release(queue, columns.words[0], step_number,
                     [&](std::size_t) -> const typename Model::Constants& { return constants; });
    if (count == 0) return {};
    Cursor<Element> cursor{columns.words[0], {}, input};
    for (std::size_t which = 0; which < Receptors; ++which) cursor.psp[which] = columns.words[1 + which];
    const Factors factors = factors_of(constants, step_number);
    std::uint32_t status = 0;
    std::uint32_t* const last = Target::template driven_lif<Loop<Element>>(cursor, count, factors, spikes, status);
    std::uint32_t fired = 0, saturations = 0; // in registers, which a StepCounts would not be
    if (spikes != last) [[unlikely]]
      do {
        const auto* const at = reinterpret_cast<const std::int32_t*>(*spikes); // NOLINT: the loop lists addresses
        *spikes = static_cast<std::uint32_t>(at - columns.words[0]);
        Queue::insert(queue, columns.words[0], step_number, *spikes, constants);
        ++fired;
      } while (++spikes != last);
    if ((status >> 27 & 1) != 0) [[unlikely]]
      saturations = held<Model, Target>(columns.words[0], count, columns.words[1] - columns.words[0],
                                        columns.words[Receptors] - columns.words[0]);
    return {.spikes = fired, .saturations = saturations};
  }

private:
  /// Psps by their distance from the membranes, which a step knows without an instruction.
  template <class Model, class Target>
  [[nodiscard, gnu::noinline, gnu::cold]] static std::uint32_t
  held(std::int32_t* membrane, std::size_t count, std::ptrdiff_t first, std::ptrdiff_t last) noexcept {
    Target::forget_what_was_held();
    std::int32_t* const psps[2]{membrane + first, membrane + last};
    return Model::Synapses::ends(psps, count);
  }
  [[nodiscard, gnu::always_inline]] static constexpr Factors factors_of(const auto& constants,
                                                                        std::uint32_t step_number) noexcept {
    const std::int32_t dither = step_dither(step_number);
    const std::int32_t other = other_dither(step_number);
    const auto& own = constants.synapses;
    Factors factors{constants.membrane.decay + dither, own[0] + dither, (own[1] + other) >> 8};
    if constexpr (Receptors == 2) {
      factors.inhibition = own[2] + dither;
      factors.inhibition_offset = (own[3] + other) >> 8;
    }
    return factors;
  }
};

template <std::size_t Receptors, unsigned CouplingShift>
struct LoopsFor<Composition<membrane::Lif, synapse::Driven<Receptors, CouplingShift>, input::Current, threshold::Fixed,
                            reset::ToValue, refractory::InQueue, adaptation::None, current::None, rounding::Down>>
    : DrivenLoops<Receptors, CouplingShift> {};

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
