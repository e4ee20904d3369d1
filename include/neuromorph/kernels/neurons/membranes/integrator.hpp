// SPDX-License-Identifier: BSL-1.0
/// \file
/// The perfect integrator: a membrane without a leak.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_MEMBRANES_INTEGRATOR_HPP
#define NEUROMORPH_KERNELS_NEURONS_MEMBRANES_INTEGRATOR_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/detail/leaky_response.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace membrane {

/// c dV/dt = I: v' = v + drift + drive, exactly. No product.
///
/// Without input it stays where it is: what psps lose by rounding down, half a unit a step with an odd number of receptors, is
/// not given back. Take rounding::Nearest where that counts.
///
/// Nothing draws the membrane back. It is held at the ends of its word, 512 mV from the threshold or as far as is asked for, and
/// each step in which it is counts. With synapse::Delta it is the IF of NIR, r = 1 / c.
struct Integrator : Part<Role::membrane> {
  template <class Number>
  struct Words {
    Number v; ///< relative to the threshold
  };
  template <class Number>
  struct Constants {
    Number drift; ///< what the constant current adds per step
  };
  struct Parameters {
    double c_nf = 1.0;
    double i_offset_na = 0.0; ///< constant current
    double v_initial_mv = -65.0;
  };
  static constexpr bool is_physical = true;
  static constexpr bool is_held = true;

  /// \errors parameter_not_positive, parameter_out_of_range: also for a constant current that moves it by 1/8 of its range in a step
  static constexpr Status make(const Parameters& given, Making& making, auto to) noexcept {
    if (!detail::is_finite(given.c_nf)) return {Error::parameter_out_of_range, 0, given.c_nf, "membrane.c_nf"};
    if (!(given.c_nf > 0.0)) return {Error::parameter_not_positive, 0, given.c_nf, "membrane.c_nf"};
    making.unit_bits = making.most_unit_bits < 22 ? making.most_unit_bits : 22;
    making.tau_m_ms = 1.0; // of r c, for parts that ask for both
    making.r_mohm = 1.0 / given.c_nf;
    if (!detail::is_finite(making.dt_ms * making.r_mohm))
      return {Error::parameter_out_of_range, 0, given.c_nf, "membrane.c_nf"};
    making.leak_q60 = 0;
    making.kept_q60 = detail::one_q60;
    making.decay = 1.0; // of a drive, all of it in each step
    making.room = 1.0 / 64;
    const std::int64_t drift = detail::to_fixed(making.dt_ms * making.r_mohm * given.i_offset_na, making.unit_bits);
    constexpr std::int64_t most = std::int64_t{1} << 28;
    if (!detail::is_finite(given.i_offset_na) || drift >= most || drift <= -most)
      return {Error::parameter_out_of_range, 0, given.i_offset_na, "membrane.i_offset_na"};
    making.drift_q52 = detail::to_fixed(making.dt_ms * making.r_mohm * given.i_offset_na, 52);
    making.drift_mv = static_cast<double>(making.drift_q52) * detail::power_of_two(-52);
    to.own.drift = making.takes_drift ? 0 : static_cast<std::int32_t>(drift);
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
    word.v = m.add_scaled_held(word.v, drive.onto(own.drift), 0);
  }
  static constexpr void spiked(const auto&, auto&, const auto&, auto) noexcept {}
};

} // namespace membrane
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
