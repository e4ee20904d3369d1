// SPDX-License-Identifier: BSL-1.0
/// \file
/// Exponential synaptic currents of 16 bits: excitation and inhibition share a word.
#ifndef NEUROMORPH_KERNELS_NEURONS_SYNAPSE_TYPES_EXPONENTIAL_PAIR_HPP
#define NEUROMORPH_KERNELS_NEURONS_SYNAPSE_TYPES_EXPONENTIAL_PAIR_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/detail/packed_lif_loops.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace synapse {

/// Unsigned psps, the inhibitory one in the upper half. They couple to the membrane by whole numbers of its units. Their
/// products are dithered to 16 bits, so that nothing is lost on average. Weights are magnitudes; the sums that arrive are of
/// std::uint16_t.
struct ExponentialPair : Part<Role::synapses> {
  static constexpr std::size_t receptors = 2;
  static constexpr bool input_in_pairs = true;
  static constexpr std::int32_t most_weight = 65535;
  template <class Word>
  struct Words {
    Word psps;
  };
  template <class Word>
  struct Constants {
    Word coupling; ///< membrane units per psp unit and step: excitation below, inhibition above and negative
    Word centre;   ///< 2^15 (excitation's coupling - inhibition's): psps are coupled as signed numbers
  };
  struct Shared {
    std::array<std::uint32_t, 2> keep{}; ///< exp(-dt/tau) 2^32, by receptor
  };
  /// Weights of `bits` bits, 1 to 16, leave room for 2^(16 - bits) coincident largest ones. Those that stand here are taken by
  /// cells of up to 100 MOhm and 1000 steps of tau_m, with rest within 15 mV of the threshold.
  struct Parameters {
    std::array<double, 2> tau_ms;
    std::array<ReceptorWeights, 2> weights{
        {{.largest = 0.25, .bits = 12},
         {.largest = 0.25, .bits = 12}}}; ///< of what is to be brought, they get fewer bits
  };
  static constexpr bool is_physical = true;
  static constexpr bool is_covered(const Shared& own, const Shared& common) noexcept { return own.keep == common.keep; }

  /// The finest unit of the membrane in which psps hold what is brought. Where nothing is said of it, the membrane's own.
  /// \errors as make
  template <class Membrane>
  static constexpr Result<int> most_unit_bits(const Parameters& given, const Making& making) noexcept {
    Making coarser = making;
    for (std::uint32_t which = 0; which < receptors; ++which)
      for (;; --coarser.unit_bits) {
        const auto coupling = coupling_of<Membrane>(given, coarser, which);
        if (coupling) break;
        const bool is_too_much = coupling.status().error == Error::weight_out_of_range;
        if (!is_too_much || !is_told(given.weights[which]) || coarser.unit_bits == 0) return coupling.status();
      }
    return coarser.unit_bits;
  }
  /// \errors as the membrane's for a time constant; time_constant_too_long from 65536 steps on; parameter_not_positive,
  ///         parameter_out_of_range for a largest weight and its bits; weight_out_of_range if a full psp could push the
  ///         membrane out of its word; `where` is the receptor
  static constexpr Status make(const Parameters& given, const Making& making, auto to) noexcept {
    using Membrane = typename decltype(to)::Membrane;
    std::array<std::int32_t, receptors> couplings{};
    for (std::uint32_t which = 0; which < receptors; ++which) {
      const auto coupling = coupling_of<Membrane>(given, making, which);
      if (!coupling) return coupling.status();
      couplings[which] = coupling.value();
      const std::int64_t rate = detail::rate_of(given.tau_ms[which], making.dt_ms, "synapses.tau_ms").value();
      to.own.shared.keep[which] = static_cast<std::uint32_t>(detail::to_decay(detail::exp_q60(-rate))); // 2^32 more
      to.units[which] = Membrane::response(making, rate) * detail::power_of_two(making.unit_bits) / couplings[which];
    }
    to.own.coupling = static_cast<std::int32_t>(static_cast<std::uint32_t>(-couplings[1]) << 16 |
                                                static_cast<std::uint32_t>(couplings[0]));
    to.own.centre = 32768 * (couplings[0] - couplings[1]);
    return {};
  }

  /// A receptor's psp, in nA, of a word of both: which has no unit of its own.
  /// \cost floating point: to record, not in a step
  [[nodiscard]] static constexpr double psp_na(const auto& made, std::int32_t word, std::uint32_t receptor) noexcept {
    return (static_cast<std::uint32_t>(word) >> (16 * receptor) & 0xFFFF) / made.units[receptor];
  }

  static constexpr auto onto(auto& m, const auto& word, const auto& own, auto sum) noexcept {
    return m.multiply_add_pairs(m.add(sum, own.centre), word.psps, own.coupling);
  }
  static constexpr void step(auto& m, auto& word, const auto& own, const auto& input) noexcept {
    const auto kept = m.decayed_pairs(word.psps, own.shared.keep);
    word.psps = m.add_pairs_held(kept, input);
  }

private:
  [[nodiscard]] static constexpr bool is_told(const ReceptorWeights& weights) noexcept {
    return (weights.rate_hz > 0.0 && weights.fan_in > 0.0) || weights.drive_mv > 0.0;
  }
  /// Membrane units per psp unit and step: the fewest with which the largest weight, rounded to nearest, is below 2^bits,
  /// and what is brought below 2^16.
  template <class Membrane>
  [[nodiscard]] static constexpr Result<std::int32_t> coupling_of(const Parameters& given, const Making& making,
                                                                  std::uint32_t which) noexcept {
    const ReceptorWeights& weights = given.weights[which];
    const auto rate = detail::rate_of(given.tau_ms[which], making.dt_ms, "synapses.tau_ms");
    if (!rate) return detail::at(rate.status(), which);
    const std::int64_t kept = detail::exp_q60(-rate.value());
    if (detail::to_decay(kept) > -65536)
      return Status{Error::time_constant_too_long, which, given.tau_ms[which], "synapses.tau_ms"};
    if (weights.bits < 1 || weights.bits > 16)
      return Status{Error::parameter_out_of_range, which, weights.bits, "synapses.weights.bits"};
    if (!detail::is_finite(weights.largest))
      return Status{Error::parameter_out_of_range, which, weights.largest, "synapses.weights.largest"};
    if (!(weights.largest > 0.0))
      return Status{Error::parameter_not_positive, which, weights.largest, "synapses.weights.largest"};
    if (!(weights.drive_mv >= 0.0 && weights.drive_mv < 1e9))
      return Status{Error::parameter_out_of_range, which, weights.drive_mv, "synapses.weights.drive_mv"};
    const auto psp =
        detail::psp_of(weights, making.dt_ms, static_cast<double>(kept) / static_cast<double>(detail::one_q60));
    if (!psp) return detail::at(psp.status(), which);
    const double largest = Membrane::response(making, rate.value()) * weights.largest; // mV a step
    double brought = weights.rate_hz > 0.0 && weights.fan_in > 0.0 ? largest * psp.value() : 0.0;
    if (weights.drive_mv * making.decay > brought) brought = weights.drive_mv * making.decay;
    const std::int64_t most = detail::to_fixed(largest, making.unit_bits),
                       needed = detail::to_fixed(brought, making.unit_bits);
    constexpr std::int64_t limit = std::int64_t{1} << 31;
    if (most < limit && needed < limit) {
      // largest / coupling is less than 2^bits - 1/2
      std::int64_t coupling = (2 * most + 1) / ((std::int64_t{2} << weights.bits) - 1) + 1;
      if (coupling * 65535 < needed) coupling = needed / 65535 + 1;
      if (coupling <= 32767 && static_cast<double>(coupling * 65535) <= making.room * 2147483648.0)
        return static_cast<std::int32_t>(coupling);
    }
    return Status{Error::weight_out_of_range, which, weights.largest, "synapses.weights.largest"};
  }
};

} // namespace synapse
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
