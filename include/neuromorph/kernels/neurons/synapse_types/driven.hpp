// SPDX-License-Identifier: BSL-1.0
/// \file
/// Exponential synaptic currents that carry the constant drive: for cores that count cycles.
#ifndef NEUROMORPH_KERNELS_NEURONS_SYNAPSE_TYPES_DRIVEN_HPP
#define NEUROMORPH_KERNELS_NEURONS_SYNAPSE_TYPES_DRIVEN_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace synapse {

/// Rest and constant current stand in the first psp, whose decay adds them for nothing. A psp unit is 2^-CouplingShift units
/// of the membrane, and one unit of weight: P' = x + 2 (q + floor(P f / 2^16)), held; f and q are dithered step by step.
///
/// \tparam Receptors      1: weights have a sign; 2: excitation and inhibition, magnitudes
/// \tparam CouplingShift  a psp at the end of its range, for ever, leaves the membrane in its word where tau_m is below
///                        0.9 * 2^CouplingShift steps, with two receptors 0.6 * 2^CouplingShift
/// \exact  psps are whole weight units: a step errs by two of them, of which the membrane shows the mean
template <std::size_t Receptors, unsigned CouplingShift = 8>
struct Driven : Part<Role::synapses> {
  static_assert(Receptors == 1 || Receptors == 2,
                "neuromorph: synapse::Driven has 1 receptor, for weights with a sign, or 2; see docs/neurons.md");
  static constexpr std::size_t receptors = Receptors;
  static constexpr bool input_in_pairs = false, takes_drift = true, counts_ends = true;
  static constexpr unsigned coupling_shift = CouplingShift;
  static constexpr int lost_halves = Receptors % 2;
  template <class Word>
  using Words = std::array<Word, Receptors>;
  /// Of each receptor: exp(-dt/tau) 2^31, and 256 q.
  template <class Word>
  using Constants = std::array<Word, 2 * Receptors>;
  struct Parameters {
    std::array<double, Receptors> tau_ms;
    std::array<ReceptorWeights, Receptors> weights{};
  };
  static constexpr bool is_physical = true;
  static constexpr bool is_covered(const NoFields&, const NoFields&) noexcept { return true; }

  /// The finest unit of the membrane in which the largest weight has its bits, and psps hold what is brought.
  /// \errors parameter_not_positive, parameter_out_of_range, time_constant_too_short, time_constant_too_long,
  ///         weight_out_of_range; `where` is the receptor
  template <class Membrane>
  static constexpr Result<int> most_unit_bits(const Parameters& given, const Making& making) noexcept {
    const double most = (Receptors == 1 ? 1.0 : 1.5) * detail::power_of_two(-static_cast<int>(CouplingShift));
    if (making.room < most) return Status{Error::time_constant_too_long, 0, making.tau_m_ms, "membrane.tau_ms"};
    int bits = making.unit_bits;
    const double drift = making.drift_mv < 0 ? -making.drift_mv : making.drift_mv;
    while (bits >= 0 && drift * unit(bits) >= 536870912.0) --bits;
    for (std::uint32_t which = 0; which < Receptors; ++which) {
      const ReceptorWeights& weights = given.weights[which];
      const auto rate = detail::rate_of(given.tau_ms[which], making.dt_ms, "synapses.tau_ms");
      if (!rate) return detail::at(rate.status(), which);
      const std::int64_t kept = detail::exp_q60(-rate.value());
      if (kept > detail::one_q60 - (detail::one_q60 >> 14)) // f stays below 2^15
        return Status{Error::time_constant_too_long, which, given.tau_ms[which], "synapses.tau_ms"};
      const double lost = 1.0 - static_cast<double>(kept) / static_cast<double>(detail::one_q60);
      // 256 q, half of what the drive loses in a step, and what rounding brings, stay in their word.
      while (which == 0 && bits >= 0 && drift * lost * unit(bits) >= 16700000.0) --bits;
      if (weights.bits < 1 || weights.bits > 30)
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
      const double largest = Membrane::response(making, rate.value()) * weights.largest;
      double brought = weights.rate_hz > 0.0 && weights.fan_in > 0.0 ? largest * psp.value() : largest;
      if (weights.drive_mv * making.decay > brought) brought = weights.drive_mv * making.decay;
      while (bits >= 0 && (largest * unit(bits) >= detail::power_of_two(static_cast<int>(weights.bits)) - 1.0 ||
                           brought * unit(bits) >= 1073741824.0))
        --bits;
      if (bits < 0) return Status{Error::weight_out_of_range, which, weights.largest, "synapses.weights.largest"};
    }
    return bits;
  }
  /// \errors as most_unit_bits
  static constexpr Status make(const Parameters& given, const Making& making, auto to) noexcept {
    using Membrane = typename decltype(to)::Membrane;
    for (std::uint32_t which = 0; which < Receptors; ++which) {
      const auto rate = detail::rate_of(given.tau_ms[which], making.dt_ms, "synapses.tau_ms");
      if (!rate) return detail::at(rate.status(), which);
      const std::int64_t kept = detail::exp_q60(-rate.value());
      // What the membrane loses by rounding down comes with the drive.
      const int shift = 44 - making.unit_bits - static_cast<int>(CouplingShift);
      const std::int64_t drive_q8 =
          which == 0 ? (making.drift_q52 >> shift) + (std::int64_t{making.lost_halves} << (CouplingShift + 7)) : 0;
      to.own[2 * which] = static_cast<std::int32_t>((kept >> 29));
      to.own[2 * which + 1] =
          static_cast<std::int32_t>((detail::multiply_q60(drive_q8, detail::one_q60 - kept) >> 1) + 128);
      to.initial[which] = static_cast<std::int32_t>(drive_q8 >> 8);
      const double psp = Membrane::response(making, rate.value());
      to.units[which] = psp * unit(making.unit_bits);
      to.quantities[which] = {"nA", 1.0 / to.units[which], -static_cast<double>(to.initial[which]) / to.units[which]};
    }
    return {};
  }

  static constexpr auto onto(auto& m, const auto& psp, const auto&, auto sum) noexcept {
    sum = m.add(sum, m.scaled_down(psp[0], CouplingShift));
    if constexpr (Receptors == 2) sum = m.subtract(sum, m.scaled_down(psp[1], CouplingShift));
    return sum;
  }
  static constexpr void step(auto& m, auto& psp, const auto& own, const auto& input) noexcept {
    for (std::size_t which = 0; which < Receptors; ++which) {
      const auto kept =
          m.add(m.dithered(own[2 * which + 1], 8), m.product_16(psp[which], m.dithered(own[2 * which], 16)));
      psp[which] = m.add_scaled_held(m.scaled_up(kept, 1), input[which], 0);
    }
  }

  /// Psps that stand at an end of their range. A step in which one was held counts all of them: what a machine that only
  /// tells that one was can count.
  [[nodiscard, gnu::noinline]] static constexpr std::uint32_t ends(std::int32_t* const* psp,
                                                                   std::size_t count) noexcept {
    std::uint32_t found = 0;
    for (std::size_t which = 0; which < Receptors; ++which)
      for (std::size_t neuron = 0; neuron < count; ++neuron)
        found += psp[which][neuron] == INT32_MAX || psp[which][neuron] == INT32_MIN ? 1U : 0U;
    return found;
  }

private:
  [[nodiscard]] static constexpr double unit(int bits) noexcept {
    return detail::power_of_two(bits + static_cast<int>(CouplingShift));
  }
};

} // namespace synapse
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
