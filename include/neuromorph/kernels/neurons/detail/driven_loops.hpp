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
#include <neuromorph/kernels/neurons/neuron_model.hpp>
#include <neuromorph/kernels/neurons/refractory_queue.hpp>
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
    std::int32_t psp;                   // f in the upper half, the membrane's in the lower
    std::int32_t offset;                // q
    std::int32_t inhibition = 0;        // f of the second psp in the upper half
    std::int32_t inhibition_offset = 0; // its q
  };
  /// Which loop a backend is asked for.
  /// \tparam Groups  1: 32 neurons, 2: a multiple, 0: any number
  template <class Element, int Groups>
  struct Loop {
    static constexpr bool packed = false, two = Receptors == 2, by_neuron = false, clear = true;
    static constexpr int input_size = sizeof(Element), groups = Groups, shift = CouplingShift;
    static constexpr std::int32_t down = -0x60000000;
  };

  template <class Target, class Element>
  [[nodiscard]] static consteval bool exist() {
    constexpr bool is_callable =
        requires(const Cursor<Element>& cursor, std::int32_t* end, std::uint32_t* spikes, std::uint32_t& status) {
      Target::template driven_lif<Loop<Element, 0>>(cursor, end, Factors{}, spikes, status);
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
      release<Model>(queue, columns.words[0], step_number, constants);
    StepCounts counts;
    if (count == 0) return counts;
    Cursor<Element> cursor{columns.words[0], {}, input};
    for (std::size_t which = 0; which < Receptors; ++which) cursor.psp[which] = columns.words[1 + which];
    const Factors factors = factors_of(constants, step_number);
    std::int32_t* const end = cursor.membrane + count;
    std::uint32_t status = 0;
    std::uint32_t* last = spikes;
    if (__builtin_constant_p(count) && count == 32)
      last = Target::template driven_lif<Loop<Element, 1>>(cursor, end, factors, spikes, status);
    else if (__builtin_constant_p(count) && count % 32 == 0)
      last = Target::template driven_lif<Loop<Element, 2>>(cursor, end, factors, spikes, status);
    else
      last = Target::template driven_lif<Loop<Element, 0>>(cursor, end, factors, spikes, status);
    if ((status >> 27 & 1) != 0) [[unlikely]]
      counts.saturations = held<Model, Target>(columns.words[1], columns.words[Receptors], count);
    for (; spikes != last; ++spikes, ++counts.spikes) {
      const auto* const fired = reinterpret_cast<const std::int32_t*>(*spikes); // NOLINT: the loop lists addresses
      *spikes = static_cast<std::uint32_t>(fired - columns.words[0]);
      Queue::insert(queue, columns.words[0], step_number, *spikes, constants);
    }
    return counts;
  }

private:
  template <class Model, class Target>
  [[nodiscard, gnu::noinline, gnu::cold]] static std::uint32_t held(std::int32_t* first, std::int32_t* last,
                                                                    std::size_t count) noexcept {
    Target::forget_what_was_held();
    std::int32_t* const psps[2]{first, last};
    return Model::Synapses::ends(psps, count);
  }
  template <class Model>
  [[gnu::noinline]] static void release(RefractoryQueue& queue, std::int32_t* membrane, std::uint32_t step_number,
                                        const typename Model::Constants& constants) noexcept {
    Model::Refractory::release(queue, membrane, step_number,
                               [&](std::size_t) -> const typename Model::Constants& { return constants; });
  }
  [[nodiscard, gnu::always_inline]] static constexpr Factors factors_of(const auto& constants,
                                                                        std::uint32_t step_number) noexcept {
    const std::int32_t dither = step_dither(step_number);
    const std::int32_t other = other_dither(step_number);
    const auto upper = [&](std::int32_t factor) { return static_cast<std::uint32_t>(factor + dither) & 0xFFFF0000U; };
    const auto& own = constants.synapses;
    Factors factors{static_cast<std::int32_t>(upper(own[0]) |
                                              (static_cast<std::uint32_t>(constants.membrane.decay + dither) >> 16)),
                    (own[1] + other) >> 8};
    if constexpr (Receptors == 2) {
      factors.inhibition = static_cast<std::int32_t>(upper(own[2]));
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
