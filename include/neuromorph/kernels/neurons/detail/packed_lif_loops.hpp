// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loops that backends have for PackedLif: one for all of a step, of any number of neurons; or two for whole pairs of
/// neurons, as those of Lif.
#ifndef NEUROMORPH_KERNELS_NEURONS_DETAIL_PACKED_LIF_LOOPS_HPP
#define NEUROMORPH_KERNELS_NEURONS_DETAIL_PACKED_LIF_LOOPS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/neurons/arithmetic.hpp>
#include <neuromorph/kernels/neurons/defaults.hpp>
#include <neuromorph/kernels/neurons/detail/lif_loops.hpp>
#include <neuromorph/kernels/neurons/step_counts.hpp>
#include <neuromorph/target/generic.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace synapse {
struct ExponentialPair;
}

namespace detail {

struct PackedLifLoops : LifLoops<2, false> {
  /// What the one loop walks over, and the constants of a step.
  struct Block {
    std::array<std::int32_t*, 2> words;  // membranes, psps
    std::array<std::uint16_t*, 2> input; // set to zero
    std::size_t count;
    std::uint32_t *spikes, keep, dither;             // of each half: (psp keep + dither) / 2^16 is left
    std::int32_t decay = 0, coupling = 0, drift = 0; // 16 fraction bits, -2^15 to 0; halves and for halves with a sign
    std::int32_t reset = 0, after_spike = 0;
  };
  struct PairFactors {
    std::int32_t decay;
    std::uint32_t flip, coupling, drift;
    std::int32_t reset, after_spike;
    std::array<std::int32_t, 2> factor, offset;
  };

  template <class Target>
  [[nodiscard]] static consteval bool has_one() {
    constexpr bool is_callable = requires(const Block& block, std::uint32_t& held) { Target::packed_lif(block, held); };
    return has_loop<Target, offer::PackedLif, is_callable>();
  }
  template <class Target, class Element>
  [[nodiscard]] static consteval bool exist() {
    constexpr bool has_membranes = requires(std::int32_t * words, const PairFactors& factors, std::uint32_t* spikes) {
      Target::template lif_membranes<0>(words, words, std::uintptr_t{}, std::size_t{}, factors, spikes);
    };
    constexpr bool has_pairs = requires(std::int32_t * words, std::uint16_t * input, const PairFactors& factors) {
      Target::packed_lif_psps(words, input, input, std::size_t{}, factors);
    };
    return has_one<Target>() || (has_loop<Target, offer::LifMembranes, has_membranes>() &&
                                 has_loop<Target, offer::PackedLifPsps, has_pairs>());
  }

  /// As the step of the model.
  template <class Model, class Target>
  [[gnu::noinline]] static StepCounts
  step(const typename Model::Columns& columns, std::size_t count, const typename Model::Constants& constants,
       const std::array<std::uint16_t*, 2>& input, std::uint32_t step_number, std::uint32_t* spikes) noexcept {
    StepCounts counts;
    if constexpr (has_one<Target>()) {
      const auto& [membrane, synapses, current, threshold, reset, refractory, adaptation, others] = constants;
      const auto dither = static_cast<std::uint32_t>(step_dither(step_number));
      const std::uint32_t low = synapses.shared.keep[0] + dither, high = synapses.shared.keep[1] + dither;
      Block block{columns.words, input, count, spikes, (high & 0xFFFF0000U) | low >> 16, dither << 16 | dither};
      block.decay = (membrane.decay + step_dither(step_number)) >> 16;
      block.coupling = synapses.coupling;
      block.drift = target::Generic::Lanes::add(membrane.drift, synapses.centre);
      block.reset = reset.v, block.after_spike = refractory.after_spike;
      counts.spikes = static_cast<std::uint32_t>(Target::packed_lif(block, counts.saturations) - spikes);
    } else {
      const auto lowest = reinterpret_cast<std::uintptr_t>(input[0]) | reinterpret_cast<std::uintptr_t>(input[1]);
      const std::size_t paired = (lowest & 3) == 0 ? pairs_of(count) : 0;
      if (paired != 0) [[likely]]
        step_pairs<Model, Target>(columns, constants, input, step_number, paired, spikes, counts);
      if (paired != count)
        Model::template step_some<Target>(columns, constants, input, step_number, spikes, paired, count, counts);
    }
    return counts;
  }

private:
  template <class Model, class Target>
  [[gnu::always_inline]] static void step_pairs(const auto& columns, const auto& constants, const auto& input,
                                                std::uint32_t step_number, std::size_t paired, std::uint32_t* spikes,
                                                StepCounts& counts) noexcept {
    const PairFactors factors = pair_factors(constants, step_number);
    std::int32_t *const membrane = columns.words[0], *const psp = columns.words[1];
    counts.spikes = indices(
        membrane, spikes, Target::template lif_membranes<0>(membrane, psp, factors.flip, paired / 2, factors, spikes));
    for (std::size_t at = 0;;) {
      const std::int32_t* const stopped =
          Target::packed_lif_psps(psp + at, input[0] + at, input[1] + at, (paired - at) / 2, factors);
      at = static_cast<std::size_t>(stopped - psp);
      if (at == paired) [[likely]]
        break;
      at = step_pair<Model>(psp, constants.synapses, input, step_number, at, counts);
      if (at == paired) break;
    }
  }
  /// What the loops take of a receptor.
  struct Half {
    std::int32_t factor, offset;
    std::uint32_t flip, coupling, drift;
  };
  /// These multiply 32 by 16 bits with a sign. A psp a has none, so they take x = a - 2^15 instead, which is a with bit
  /// 15 flipped. And floor((a * keep + dither) / 2^16) needs one bit more than such a product has; half of it loses
  /// that bit, which matters where keep and dither are both odd. There they take -1 - x, which is a with the other bits
  /// flipped: what is left besides -keep * (-1 - x) is keep less than before, and even.
  [[nodiscard]] static constexpr Half half(std::uint32_t keep, std::uint32_t coupling, std::uint32_t dither) noexcept {
    keep = (keep + dither) >> 16;
    const std::uint32_t odd = keep & dither & 1, sign = odd == 0 ? 1U : ~0U, centre = 0x8000 - odd;
    return {static_cast<std::int32_t>((keep << 15) * sign),
            static_cast<std::int32_t>((centre * keep + dither) >> 1 ^ 0x80000000U), // 2^31 less
            centre, coupling * sign & 0xFFFF, centre * coupling};
  }
  [[nodiscard]] static constexpr PairFactors pair_factors(const auto& constants, std::uint32_t step_number) noexcept {
    const std::int32_t dither = step_dither(step_number);
    const auto bits = static_cast<std::uint32_t>(dither);
    const auto coupling = [&](std::size_t which) {
      return static_cast<std::uint32_t>(
          std::int32_t{static_cast<std::int16_t>(constants.synapses.coupling >> (16 * which))});
    };
    const auto& keep = constants.synapses.shared.keep;
    const Half low = half(keep[0], coupling(0), bits), high = half(keep[1], coupling(1), bits);
    return {(constants.membrane.decay + dither) >> 16,
            high.flip << 16 | low.flip,
            high.coupling << 16 | low.coupling,
            static_cast<std::uint32_t>(constants.membrane.drift) + low.drift + high.drift,
            constants.reset.v,
            constants.refractory.after_spike,
            {low.factor, high.factor},
            {low.offset, high.offset + 0x8000}}; // for the carry out of the lower half, which is below zero
  }

  /// The psps of a neuron and, if it is the first of its pair, of the second. Returns the index of the next pair.
  template <class Model>
  [[gnu::noinline]] static std::size_t step_pair(std::int32_t* words, const auto& synapses, const auto& input,
                                                 std::uint32_t step_number, std::size_t at,
                                                 StepCounts& counts) noexcept {
    using Lanes = target::Generic::Lanes;
    Arithmetic<Lanes, typename Model::Rounding> m(step_number, 0, counts.saturations);
    do {
      typename Model::Synapses::template Words<std::int32_t> psp{words[at]};
      Model::Synapses::step(m, psp, synapses, Lanes::load_pairs(input[0] + at, input[1] + at));
      words[at] = psp.psps;
    } while (++at % 2 != 0);
    for (std::uint16_t* const sums : input) sums[at - 2] = sums[at - 1] = 0;
    return at;
  }
};

template <>
struct LoopsFor<Composition<membrane::Lif, synapse::ExponentialPair, input::Current, threshold::Fixed, reset::ToValue,
                            refractory::InMembrane, adaptation::None, current::None, rounding::Down>> : PackedLifLoops {
};

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
