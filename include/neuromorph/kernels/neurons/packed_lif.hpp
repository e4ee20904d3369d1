// SPDX-License-Identifier: BSL-1.0
/// \file
/// The LIF neuron with both synaptic states in one word: two words per neuron, less exact and faster than `Lif<2>`.
///
/// Excitatory and inhibitory psp are unsigned 16-bit numbers, in the lower and upper half of a word, and couple to the
/// membrane by whole numbers of its units. Their products are dithered to 16 bits, so that nothing is lost on average.
/// Membrane, threshold and refractory period are those of Lif.
#ifndef NEUROMORPH_KERNELS_NEURONS_PACKED_LIF_HPP
#define NEUROMORPH_KERNELS_NEURONS_PACKED_LIF_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/lif.hpp>
#include <neuromorph/kernels/neurons/neuron_model.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// \exact  bit-exact with target::Generic on every backend
/// \source as Lif. Accuracy: `unit.kernels.neurons.packed_lif`
class PackedLif {
public:
  using Offers = offer::List<>;
  static constexpr std::size_t psp_count = 1;
  static constexpr std::size_t receptors = 2;

  /// A range of `bits` bits leaves room for 2^(16 - bits) coincident largest weights.
  static constexpr unsigned default_weight_bits = 12;
  /// Is taken by cells of up to 100 MOhm and 1000 steps of tau_m, with rest within 15 mV of the threshold.
  static constexpr double default_weight_na = 0.25;

  struct Parameters {
    std::int32_t membrane_decay = 0;         ///< as in LifConstants
    std::array<std::uint32_t, 2> psp_keep{}; ///< exp(-dt/tau_syn) * 2^32, by receptor
    std::array<std::int32_t, 2> coupling{};  ///< membrane units per psp unit and step, 1..32767
    std::int32_t drift = 0;                  ///< as in LifConstants
    std::int32_t reset = 0;
    std::int32_t after_spike = 0;
    double v_threshold_mv = 0.0;
    std::array<double, 2> psp_per_na{}; ///< mV per step and nA, by receptor
  };

  struct State {
    std::span<std::int32_t> membrane;
    std::array<std::span<std::int32_t>, 1> psp; ///< inhibitory psp * 2^16 + excitatory psp
  };

  /// \errors as Lif<2>::parameters; also time_constant_too_long for a synaptic one of 65536 steps and more, and
  /// weight_out_of_range if a full psp could push the membrane out of its range or `weights.bits` is above 16
  template <class Exact = Lif<2>> // so that only who calls it compiles it
  [[nodiscard]] static constexpr Result<Parameters>
  parameters(const LifCell& cell, double dt_ms,
             const LifWeightRange& weights = {default_weight_na, default_weight_na, default_weight_bits}) noexcept {
    const auto exact = Exact::parameters(cell, dt_ms, {weights.excitatory_na, weights.inhibitory_na, 16});
    if (!exact) return exact.status();
    if (weights.bits < 1 || weights.bits > 16) return detail::refuse_lif(Error::weight_out_of_range, 13, weights.bits);
    Parameters result;
    const auto& constants = exact.value().constants;
    result.membrane_decay = constants.membrane_decay;
    result.drift = constants.drift; // one product is rounded down here as there
    result.reset = constants.reset;
    result.after_spike = constants.after_spike;
    result.v_threshold_mv = exact.value().v_threshold_mv;
    result.psp_per_na = exact.value().psp_per_na;
    const std::array<double, 2> tau{cell.tau_exc_ms, cell.tau_inh_ms};
    const std::array<double, 2> largest_na{weights.excitatory_na, weights.inhibitory_na};
    for (std::uint32_t receptor = 0; receptor < receptors; ++receptor) {
      if (constants.psp_decay[receptor] > -65536)
        return detail::refuse_lif(Error::time_constant_too_long, receptor + 1, tau[receptor]);
      result.psp_keep[receptor] = static_cast<std::uint32_t>(constants.psp_decay[receptor]); // 2^32 more
      const std::int64_t largest =
          detail::to_fixed(result.psp_per_na[receptor] * largest_na[receptor], LifMembrane::fraction_bits);
      // The largest weight, rounded to nearest, is below 2^bits: largest / coupling is less than 2^bits - 1/2.
      const std::int64_t coupling = (2 * largest + 1) / ((std::int64_t{2} << weights.bits) - 1) + 1;
      const auto decay = -static_cast<std::int64_t>(constants.membrane_decay); // 32 fraction bits
      const std::int64_t rest = std::int64_t{constants.drift < 0 ? -constants.drift : constants.drift};
      // full inhibition against the decay of a membrane at 98 % of its range
      if (coupling > 32767 || 65535 * coupling + rest > (decay >> 1) / 50 * 49)
        return detail::refuse_lif(Error::weight_out_of_range, 11 + receptor, largest_na[receptor]);
      result.coupling[receptor] = static_cast<std::int32_t>(coupling);
    }
    return result;
  }

  /// As Lif::weight.
  /// \errors as Lif::weight
  [[nodiscard]] static constexpr Result<std::uint32_t> weight(const Parameters& parameters, Receptor receptor,
                                                              double magnitude_na) noexcept {
    const auto which = static_cast<std::uint32_t>(receptor);
    const std::int64_t units = detail::to_fixed(
        parameters.psp_per_na[which] * magnitude_na / parameters.coupling[which], LifMembrane::fraction_bits);
    if (magnitude_na < 0.0 || units < 0 || units > 65535)
      return Status{Error::weight_out_of_range, which, magnitude_na, "magnitude_na"};
    if (units == 0 && magnitude_na != 0.0) return Status{Error::weight_vanishes, which, magnitude_na, "magnitude_na"};
    return static_cast<std::uint32_t>(units);
  }

  /// As Lif::membrane and Lif::membrane_mv.
  /// \errors as Lif::membrane
  [[nodiscard]] static constexpr Result<std::int32_t> membrane(const Parameters& parameters, double v_mv) noexcept {
    Lif<2>::Parameters same;
    same.v_threshold_mv = parameters.v_threshold_mv;
    return Lif<2>::membrane(same, v_mv);
  }
  [[nodiscard]] static constexpr double membrane_mv(const Parameters& parameters, std::int32_t word) noexcept {
    Lif<2>::Parameters same;
    same.v_threshold_mv = parameters.v_threshold_mv;
    same.constants.reset = parameters.reset;
    return Lif<2>::membrane_mv(same, word);
  }

  /// As Lif::step, with the elements of a ring buffer of uint16_t.
  /// \errors as Lif::step
  /// \cost O(count); 2 multiplications of 32 by 16 bits and 2 of 16 by 16 bits per neuron
  template <class Target = target::Native, class Element>
  static constexpr Result<StepCounts> step(const State& state, const Parameters& parameters,
                                           const std::array<Element*, receptors>& input, std::uint32_t tick,
                                           std::span<std::uint32_t> spikes) noexcept {
    static_assert(target::Backend<Target>, "neuromorph: Target is no backend; see docs/target.md");
    static_assert(std::is_same_v<Element, std::uint16_t>,
                  "neuromorph: PackedLif reads a ring buffer of std::uint16_t; see docs/neurons.md");
    const std::size_t count = state.membrane.size();
    if (spikes.size() < count) return Status{Error::buffer_full, 0, spikes.size(), "spikes"};
    if (state.psp[0].size() != count) return Status{Error::lengths_differ, 0, state.psp[0].size(), "psp"};
    StepCounts counts;
    std::size_t done = 0;
    if (!std::is_constant_evaluated()) {
      using Wide = typename Target::Lanes;
      if constexpr (has_loops<Target>())
        return in_backend<Target>(state, parameters, input[0], input[1], tick, spikes.data());
      else if constexpr (Wide::count > 1)
        done = run<Wide>(state, parameters, input, tick, spikes.data(), 0, count, counts);
    }
    run<detail::OneLane<Target>>(state, parameters, input, tick, spikes.data(), done, count, counts);
    return counts;
  }

private:
  [[nodiscard]] static constexpr std::int32_t pair(std::uint32_t low, std::uint32_t high) noexcept {
    return static_cast<std::int32_t>(high << 16 | (low & 0xFFFF));
  }

  /// Steps the whole groups of lanes in [first, last); returns where it stopped.
  template <class Lanes>
  static constexpr std::size_t
  run(const State& state, const Parameters& parameters, const std::array<std::uint16_t*, receptors>& input,
      std::uint32_t tick, std::uint32_t* spikes, std::size_t first, std::size_t last, StepCounts& counts) noexcept {
    const auto dither = static_cast<std::uint32_t>(detail::lif_dither(tick));
    const auto decay =
        Lanes::factor(Lanes::splat((parameters.membrane_decay + static_cast<std::int32_t>(dither)) >> 16));
    const auto keep =
        Lanes::splat(pair((parameters.psp_keep[0] + dither) >> 16, (parameters.psp_keep[1] + dither) >> 16));
    const auto dithers = Lanes::splat(pair(dither, dither));
    const auto coupling = Lanes::splat(
        pair(static_cast<std::uint32_t>(parameters.coupling[0]), static_cast<std::uint32_t>(-parameters.coupling[1])));
    // multiply_add_pairs takes 2^15 from each psp, which is given back here
    const auto centre =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(parameters.drift) +
                                  32768U * static_cast<std::uint32_t>(parameters.coupling[0] - parameters.coupling[1]));
    const auto drift = Lanes::splat(centre), reset = Lanes::splat(parameters.reset),
               after_spike = Lanes::splat(parameters.after_spike);
    std::size_t at = first;
    for (; last - at >= Lanes::count; at += Lanes::count) {
      const auto membrane = Lanes::load(state.membrane.data() + at);
      const auto psp = Lanes::load(state.psp[0].data() + at);
      const auto arriving = Lanes::load_pairs(input[0] + at, input[1] + at);
      const auto integrated =
          Lanes::multiply_add_pairs(Lanes::add(Lanes::decay(membrane, decay), drift), psp, coupling);
      const auto kept = Lanes::multiply_high_pairs(psp, keep, dithers);
      const auto next = Lanes::add_saturating_pairs(kept, arriving);
      if (Lanes::any_full_pair(next)) [[unlikely]]
        for (std::size_t lane = 0; lane < Lanes::count; ++lane)
          counts.saturations +=
              saturated(state.psp[0][at + lane], {input[0][at + lane], input[1][at + lane]}, parameters, dither);
      Lanes::store(state.membrane.data() + at,
                   detail::lif_word<Lanes>(membrane, integrated, reset, after_spike, at, spikes, counts.spikes));
      Lanes::store(state.psp[0].data() + at, next);
      Lanes::store_zero(input[0] + at);
      Lanes::store_zero(input[1] + at);
    }
    return at;
  }

  /// What the loops of a backend take of a receptor.
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
  /// Constants of a tick as these loops take them.
  struct Factors {
    std::int32_t decay;
    std::uint32_t flip, coupling, drift;
    std::int32_t reset, after_spike;
    std::array<std::int32_t, 2> factor, offset;
  };
  [[nodiscard]] static constexpr Factors prepare(const Parameters& parameters, std::uint32_t tick) noexcept {
    const std::int32_t dither = detail::lif_dither(tick);
    const auto [excitation, inhibition] = parameters.coupling;
    const Half low = half(parameters.psp_keep[0], static_cast<std::uint32_t>(excitation),
                          static_cast<std::uint32_t>(dither)),
               high = half(parameters.psp_keep[1], 0U - static_cast<std::uint32_t>(inhibition),
                           static_cast<std::uint32_t>(dither));
    return {(parameters.membrane_decay + dither) >> 16,
            high.flip << 16 | low.flip,
            high.coupling << 16 | low.coupling,
            static_cast<std::uint32_t>(parameters.drift) + low.drift + high.drift,
            parameters.reset,
            parameters.after_spike,
            {low.factor, high.factor},
            {low.offset, high.offset + 0x8000}}; // for the carry out of the lower half, which is below zero
  }

  /// Whether a backend has loops of its own.
  template <class Target>
  [[nodiscard]] static consteval bool has_loops() {
    constexpr bool has_membranes = requires(std::int32_t * words, const Factors& factors, std::uint32_t* spikes) {
      Target::template lif_membranes<0>(words, words, std::uintptr_t{}, std::size_t{}, factors, spikes);
    };
    constexpr bool has_psps = requires(std::int32_t * words, std::uint16_t * input, const Factors& factors) {
      Target::packed_lif_psps(words, input, input, std::size_t{}, factors);
    };
    return detail::has_loop<Target, offer::LifMembranes, has_membranes>() &&
           detail::has_loop<Target, offer::PackedLifPsps, has_psps>();
  }

  /// Whole pairs of neurons in the backend's loops, the rest one by one.
  template <class Target>
  [[gnu::noinline]] static StepCounts in_backend(const State& state, const Parameters& parameters,
                                                 std::uint16_t* excitation, std::uint16_t* inhibition,
                                                 std::uint32_t tick, std::uint32_t* spikes) noexcept {
    const std::size_t count = state.membrane.size();
    std::size_t paired = detail::in_whole_pairs(count);
    // the slots of a ring buffer are
    const bool aligned =
        ((reinterpret_cast<std::uintptr_t>(excitation) | reinterpret_cast<std::uintptr_t>(inhibition)) & 3) == 0;
    if (!aligned) [[unlikely]]
      paired = 0;
    StepCounts counts;
    if (paired != 0) [[likely]] {
      const Factors factors = prepare(parameters, tick);
      std::int32_t* const psp = state.psp[0].data();
      std::int32_t* const end = psp + paired;
      counts.spikes = detail::lif_indices(
          state.membrane.data(), spikes,
          Target::template lif_membranes<0>(state.membrane.data(), psp, factors.flip, paired / 2, factors, spikes));
      const std::int32_t* stopped = Target::packed_lif_psps(psp, excitation, inhibition, paired / 2, factors);
      while (stopped != end) [[unlikely]] {
          const std::size_t at = step_pair_of_psps(state, parameters, {excitation, inhibition}, tick,
                                                   static_cast<std::size_t>(stopped - psp), counts);
          if (at == paired) break;
          stopped = Target::packed_lif_psps(psp + at, excitation + at, inhibition + at, (paired - at) / 2, factors);
        }
    }
    if (paired != count) step_rest<Target>(state, parameters, {excitation, inhibition}, tick, spikes, paired, counts);
    return counts;
  }
  template <class Target>
  [[gnu::noinline]] static void step_rest(const State& state, const Parameters& parameters,
                                          const std::array<std::uint16_t*, receptors>& input, std::uint32_t tick,
                                          std::uint32_t* spikes, std::size_t first, StepCounts& counts) noexcept {
    run<detail::OneLane<Target>>(state, parameters, input, tick, spikes, first, state.membrane.size(), counts);
  }

  /// The psps of a neuron and, if it is the first of its pair, of the second. Returns the index of the next pair.
  [[gnu::noinline]] static std::size_t step_pair_of_psps(const State& state, const Parameters& parameters,
                                                         const std::array<std::uint16_t*, receptors>& input,
                                                         std::uint32_t tick, std::size_t at,
                                                         StepCounts& counts) noexcept {
    using Lanes = target::Generic::Lanes;
    const auto dither = static_cast<std::uint32_t>(detail::lif_dither(tick));
    const std::int32_t keep = pair((parameters.psp_keep[0] + dither) >> 16, (parameters.psp_keep[1] + dither) >> 16);
    do {
      std::int32_t& psp = state.psp[0][at];
      counts.saturations += saturated(psp, {input[0][at], input[1][at]}, parameters, dither);
      psp = Lanes::add_saturating_pairs(Lanes::multiply_high_pairs(psp, keep, pair(dither, dither)),
                                        Lanes::load_pairs(input[0] + at, input[1] + at));
    } while (++at % 2 != 0);
    for (std::uint16_t* const arriving : input) arriving[at - 2] = arriving[at - 1] = 0;
    return at;
  }

  /// How many of a neuron's two psps stop at the end of their range.
  [[nodiscard]] static constexpr std::uint32_t saturated(std::int32_t word, std::array<std::uint32_t, 2> arriving,
                                                         const Parameters& parameters, std::uint32_t dither) noexcept {
    std::uint32_t count = 0;
    for (std::size_t receptor = 0; receptor < receptors; ++receptor) {
      const std::uint32_t psp = static_cast<std::uint32_t>(word) >> (16 * receptor) & 0xFFFF;
      const std::uint32_t kept = (psp * ((parameters.psp_keep[receptor] + dither) >> 16) + dither) >> 16;
      count += kept + arriving[receptor] > 0xFFFF ? 1U : 0U;
    }
    return count;
  }
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
