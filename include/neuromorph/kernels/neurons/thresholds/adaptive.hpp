// SPDX-License-Identifier: BSL-1.0
/// \file
/// A threshold that goes up with each spike and comes back.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_THRESHOLDS_ADAPTIVE_HPP
#define NEUROMORPH_KERNELS_NEURONS_THRESHOLDS_ADAPTIVE_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace threshold {

/// theta(t) = v + level(t),  d level / dt = -level / tau,  level += step at each spike of the neuron.
///
/// In a step the level decays, then the membrane is compared with it, then a spike raises it: its own step is decayed once
/// before the next comparison. So does NEST's mat2_psc_exp with one time constant (alpha_1 is the step, omega the base),
/// and PyNN's GIF_cond_exp with its gamma. The base is what Parameters of other parts call the threshold. The decay is exact
/// but for the rounding of the level to units of the membrane: with rounding::Down a time constant of n steps loses at
/// most n/2 of them. At the end of its word the level is held and counted.
///
/// \cost a word; one product a step
struct Adaptive : Part<Role::threshold> {
  template <class Value>
  struct Words {
    Value level; ///< above the base, in units of the membrane
  };
  template <class Value>
  struct Constants {
    Value decay; ///< exp(-dt/tau) - 1, 32 fraction bits
    Value rise;  ///< of a spike, as the level
  };
  struct Parameters {
    double v_mv = -50.0; ///< base
    double tau_ms = 100.0;
    double step_mv = 1.0;    ///< not negative, below 2^31 units of the membrane: 512 mV with membrane::Lif
    double initial_mv = 0.0; ///< of the level; as step_mv
  };
  static constexpr bool is_physical = true;
  /// \errors parameter_out_of_range, parameter_not_positive, time_constant_too_short, time_constant_too_long
  static constexpr Status make(const Parameters& given, Making& making, auto to) noexcept {
    if (!detail::is_finite(given.v_mv)) return {Error::parameter_out_of_range, 0, given.v_mv, "threshold.v_mv"};
    const auto rate = detail::rate_of(given.tau_ms, making.dt_ms, "threshold.tau_ms");
    if (!rate) return rate.status();
    making.threshold_mv = given.v_mv;
    to.own.decay = detail::to_decay(detail::exp_q60(-rate.value()));
    return {};
  }
  /// What needs the membrane's unit.
  /// \errors parameter_out_of_range
  static constexpr Status make_scaled(const Parameters& given, const Making& making, auto to) noexcept {
    const std::int64_t rise = detail::to_fixed(given.step_mv, making.unit_bits),
                       level = detail::to_fixed(given.initial_mv, making.unit_bits);
    if (rise < 0 || rise > INT32_MAX) return {Error::parameter_out_of_range, 0, given.step_mv, "threshold.step_mv"};
    if (level < 0 || level > INT32_MAX)
      return {Error::parameter_out_of_range, 0, given.initial_mv, "threshold.initial_mv"};
    to.own.rise = static_cast<std::int32_t>(rise);
    to.initial.level = static_cast<std::int32_t>(level);
    to.quantities.level = {"mV", detail::power_of_two(-making.unit_bits), 0.0};
    return {};
  }

  static constexpr void step(auto& m, auto& word, const auto& own) noexcept {
    word.level = m.decayed(word.level, own.decay);
  }
  static constexpr auto is_below(const auto& m, const auto& word, const auto&, auto v) noexcept {
    return m.is_less(v, word.level);
  }
  static constexpr void spiked(auto& m, auto& word, const auto& own, auto fired) noexcept {
    word.level = m.add_scaled_held(word.level, m.select(fired, own.rise, m.splat(0)), 0);
  }
};

} // namespace threshold
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
