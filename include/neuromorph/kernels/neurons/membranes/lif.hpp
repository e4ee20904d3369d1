// SPDX-License-Identifier: BSL-1.0
/// \file
/// The leaky membrane, integrated exactly over a step.
#ifndef NEUROMORPH_KERNELS_NEURONS_MEMBRANES_LIF_HPP
#define NEUROMORPH_KERNELS_NEURONS_MEMBRANES_LIF_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/detail/leaky_response.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace membrane {

/// tau_m dV/dt = V_rest - V + R_m I, in closed form: v' = v + v decay + drift + drive.
struct Lif : Part<Role::membrane> {
  template <class Word>
  struct Words {
    Word v; ///< relative to the threshold
  };
  template <class Word>
  struct Constants {
    Word decay; ///< exp(-dt/tau_m) - 1, 32 fraction bits
    Word drift; ///< what rest and constant current add per step
  };
  struct Parameters {
    double tau_ms = 20.0;
    double c_nf = 0.0; ///< this or the resistance; tau = r c gives the other
    double r_mohm = 0.0;
    double v_rest_mv = -65.0;
    double i_offset_na = 0.0; ///< constant current
    double v_initial_mv = -65.0;
  };
  static constexpr bool is_physical = true;

  /// By the closed form, in integers: the same bits at compile time and on any machine.
  /// \errors parameter_not_positive, parameter_out_of_range, parameters_contradict, time_constant_too_short,
  ///         time_constant_too_long; `parameter` is the member of Parameters
  static constexpr Status make(const Parameters& given, Making& making, auto to) noexcept {
    const auto rate = detail::rate_of(given.tau_ms, making.dt_ms, "membrane.tau_ms");
    if (!rate) return rate.status();
    if (!detail::is_finite(given.c_nf)) return {Error::parameter_out_of_range, 0, given.c_nf, "membrane.c_nf"};
    if (!detail::is_finite(given.r_mohm)) return {Error::parameter_out_of_range, 0, given.r_mohm, "membrane.r_mohm"};
    const bool by_capacitance = given.c_nf != 0.0;
    if (by_capacitance == (given.r_mohm != 0.0))
      return {Error::parameters_contradict, 0, given.r_mohm, "membrane.r_mohm"};
    if (by_capacitance && !(given.c_nf > 0.0)) return {Error::parameter_not_positive, 0, given.c_nf, "membrane.c_nf"};
    if (!by_capacitance && !(given.r_mohm > 0.0))
      return {Error::parameter_not_positive, 0, given.r_mohm, "membrane.r_mohm"};
    if (!(given.i_offset_na > -1e6 && given.i_offset_na < 1e6))
      return {Error::parameter_out_of_range, 0, given.i_offset_na, "membrane.i_offset_na"};
    making.unit_bits = making.most_unit_bits < 22 ? making.most_unit_bits : 22;
    making.tau_m_ms = given.tau_ms;
    making.r_mohm = by_capacitance ? given.tau_ms / given.c_nf : given.r_mohm;
    if (!detail::is_finite(making.r_mohm)) return {Error::parameter_out_of_range, 0, given.c_nf, "membrane.c_nf"};
    making.leak_q60 = rate.value();
    making.kept_q60 = detail::exp_q60(-rate.value());
    to.own.decay = detail::to_decay(making.kept_q60);
    // Rest and constant current together, with 52 fraction bits: summed as integers, so that no compiler fuses them.
    const std::int64_t resting = detail::to_fixed(given.v_rest_mv - making.threshold_mv, 52),
                       pulled = detail::to_fixed(making.r_mohm * given.i_offset_na, 52);
    // Each below 1024 mV, because to_fixed ends at 2048 mV: two that lie beyond would wrap, or cancel out.
    constexpr std::int64_t rest_limit = std::int64_t{256} << 52;
    if (!detail::is_finite(given.v_rest_mv) || resting >= 4 * rest_limit || resting <= -4 * rest_limit)
      return {Error::parameter_out_of_range, 0, given.v_rest_mv, "membrane.v_rest_mv"};
    if (pulled >= 4 * rest_limit || pulled <= -4 * rest_limit)
      return {Error::parameter_out_of_range, 0, given.i_offset_na, "membrane.i_offset_na"};
    const std::int64_t rest = resting + pulled;
    if (rest >= rest_limit || rest <= -rest_limit)
      return {Error::parameter_out_of_range, 0, given.v_rest_mv, "membrane.v_rest_mv"};
    const std::int64_t drift = detail::multiply_q60(rest, detail::one_q60 - making.kept_q60);
    making.drift_q52 = drift;
    making.drift_mv = static_cast<double>(drift) * detail::power_of_two(-52);
    // Each product that is rounded down loses half a unit on average; the drift gives it back.
    to.own.drift = making.takes_drift
                       ? 0
                       : static_cast<std::int32_t>(((drift >> (51 - making.unit_bits)) + 1 + making.lost_halves) >> 1);
    const double rest_share =
        static_cast<double>(rest < 0 ? -rest : rest) * detail::power_of_two(making.unit_bits - 83);
    const double decay = static_cast<double>(detail::one_q60 - making.kept_q60) / static_cast<double>(detail::one_q60);
    making.decay = decay;
    making.room = decay * (0.98 - rest_share);
    const auto initial = making.word_of(given.v_initial_mv, "membrane.v_initial_mv");
    if (!initial) return initial.status();
    to.initial.v = initial.value();
    to.quantities.v = making.membrane();
    return {};
  }
  [[nodiscard]] static constexpr double response(const Making& making, std::int64_t rate_q60) noexcept {
    return detail::leaky_response(making, rate_q60);
  }
  [[nodiscard]] static constexpr double response_to_rise(const Making& making, std::int64_t rate_q60,
                                                         std::int64_t rise_q60) noexcept {
    return detail::leaky_response_to_rise(making, rate_q60, rise_q60);
  }

  static constexpr void step(auto& m, auto& word, const auto& own, const auto& drive) noexcept {
    word.v = drive.onto(m.add(m.decayed(word.v, own.decay), own.drift));
  }
  static constexpr void spiked(const auto&, auto&, const auto&, auto) noexcept {}
};

} // namespace membrane
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
