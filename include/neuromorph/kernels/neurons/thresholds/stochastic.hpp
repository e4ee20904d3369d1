// SPDX-License-Identifier: BSL-1.0
/// \file
/// A threshold that the membrane crosses by chance.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_THRESHOLDS_STOCHASTIC_HPP
#define NEUROMORPH_KERNELS_NEURONS_THRESHOLDS_STOCHASTIC_HPP

#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/exponential.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace threshold {

/// Escape noise: in a step a neuron fires with the probability 1 - exp(-dt rate), rate = exp((V - v) / width) / tau.
///
/// V is the membrane at the end of the step. What is drawn depends on the neuron's number and the step alone. Error of the
/// probability: 2^-18 of it, and 2^-31 more; no probability is above 1 - 2^-32. In sPyNNaker's threshold_type
/// maass_stochastic width is du_th and tau is tau_th; in NEST's gif_psc_exp width is Delta_V and 1000/tau is lambda_0.
///
/// \cost 16 products and one draw
/// \source W. Maass, Network: Computation in Neural Systems 8, 1997; the hazard as W. Gerstner and W. Kistler, Spiking Neuron
///         Models, 2002, 5.3
struct Stochastic : Part<Role::threshold> {
  template <class Value>
  struct Constants {
    Value slope; ///< log2(e) / width, as Shared says
    Value most;  ///< 31 ln(2) width in units of the membrane: what is farther from the threshold counts as this
    Value level; ///< log2(log2(e) dt / tau) + 7, 2^26
  };
  struct Shared {
    std::uint8_t shift = 0; ///< of the membrane before its product with the slope
  };
  static constexpr bool is_covered(const Shared& own, const Shared& common) noexcept {
    return own.shift == common.shift;
  }
  struct Parameters {
    double v_mv = -50.0;   ///< where the rate is 1/tau
    double width_mv = 0.5; ///< 2^-10 to 2^10
    double tau_ms = 20.0;  ///< 1 to 2^24 steps; a shorter one is a lower threshold
  };
  static constexpr bool is_physical = true, is_bounded = false;
  /// \errors parameter_out_of_range, parameter_not_positive, time_constant_too_short, time_constant_too_long
  static constexpr Status make(const Parameters& given, Making& making, auto to) noexcept {
    if (!detail::is_finite(given.v_mv)) return {Error::parameter_out_of_range, 0, given.v_mv, "threshold.v_mv"};
    if (!(given.width_mv > 0.0)) return {Error::parameter_not_positive, 0, given.width_mv, "threshold.width_mv"};
    if (!(given.width_mv >= 0x1p-10 && given.width_mv <= 0x1p10))
      return {Error::parameter_out_of_range, 0, given.width_mv, "threshold.width_mv"};
    if (!(given.tau_ms > 0.0)) return {Error::parameter_not_positive, 0, given.tau_ms, "threshold.tau_ms"};
    const double ratio = making.dt_ms / given.tau_ms;
    if (!(ratio <= 1.0)) return {Error::time_constant_too_short, 0, given.tau_ms, "threshold.tau_ms"};
    if (!(ratio >= 0x1p-24)) return {Error::time_constant_too_long, 0, given.tau_ms, "threshold.tau_ms"};
    making.threshold_mv = given.v_mv;
    constexpr std::int64_t log2_log2_e = 581384775430; // log2(log2(e)), 2^40
    const std::int64_t level = detail::log2_q40(ratio) + log2_log2_e + (std::int64_t{7} << 40);
    to.own.level = static_cast<std::int32_t>((level + (1 << 13)) >> 14);
    return {};
  }
  /// What needs the membrane's unit.
  static constexpr Status make_scaled(const Parameters& given, const Making& making, auto to) noexcept {
    const std::int64_t most = detail::to_fixed(21.487562597358 * given.width_mv, making.unit_bits);
    to.own.most = most > INT32_MAX ? INT32_MAX : static_cast<std::int32_t>(most);
    int shift = 0;
    while ((std::int64_t{to.own.most} << (shift + 1)) <= INT32_MAX) ++shift;
    to.own.shared.shift = static_cast<std::uint8_t>(shift);
    to.own.slope =
        static_cast<std::int32_t>(detail::to_fixed(1.4426950408889634 / given.width_mv, 56 - shift - making.unit_bits));
    return {};
  }

  static constexpr void step(auto&, auto&, const auto&) noexcept {}
  /// Of firing at `v`: 2^32 times the probability, less 2^31.
  static constexpr auto chance(auto& m, const auto& own, auto v) noexcept {
    using Lanes = typename std::remove_reference_t<decltype(m)>::Lanes;
    constexpr std::int32_t one = 1 << 26;
    const auto low = m.subtract(m.splat(0), own.most);
    const auto held = m.scaled_up((m.max)((m.min)(v, own.most), low), own.shared.shift);
    // q = log2(e) dt rate; this is log2(128 q).
    const auto log = m.add_saturating(m.scaled_up(Lanes::multiply_high(held, own.slope), 2), own.level);
    const auto is_rare = m.is_less(log, m.splat(-31623953)); // dt rate < 2^-8
    const auto power = power_of_two<Lanes>(m.select(is_rare, log, m.subtract(log, m.splat(11 * one))));
    // 2^36 x with x = dt rate, and x - x^2 / 2
    const auto x = Lanes::multiply_high(power, m.splat(1488522236));
    const auto rare = m.subtract(x, Lanes::shift_right(Lanes::multiply_high(x, x), Lanes::shift(5)));
    // 1 - 2^-q, 2^32, less one
    const auto kept = power_of_two<Lanes>(m.subtract(m.splat(0), power));
    const auto often = m.subtract(m.splat(-1), m.scaled_up(kept, 2));
    return m.add(m.select(is_rare, Lanes::shift_right(rare, Lanes::shift(4)), often), m.splat(INT32_MIN));
  }
  static constexpr auto is_below(auto& m, const auto&, const auto& own, auto v) noexcept {
    using Lanes = typename std::remove_reference_t<decltype(m)>::Lanes;
    const auto drawn = m.random();
    return Lanes::and_not(m.is_negative(m.splat(-1)), m.is_less(drawn, chance(m, own, v)));
  }
  static constexpr void spiked(const auto&, auto&, const auto&, auto) noexcept {}
};

} // namespace threshold
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
