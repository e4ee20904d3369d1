// SPDX-License-Identifier: BSL-1.0
/// \file
/// The leaky membrane under synaptic conductances, by a second-order exponential step.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_MEMBRANES_LIF_CONDUCTANCE_HPP
#define NEUROMORPH_KERNELS_NEURONS_MEMBRANES_LIF_CONDUCTANCE_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace membrane {

/// dV/dt = (V_rest - V + R I) / tau_m + sum g_i (E_i - V) / C, with input::Conductance: IF_cond_exp.
///
/// Over a step h the conductances are their means. The equation is then linear, and solved in closed form:
/// V' = V + D phi1(-x), where D = h dV/dt at the begin, x = h (1/tau_m + sum g_i / C) and phi1(-x) = (1 - exp(-x)) / x. Second
/// order: the error of a step is h^3 / 12 times the change of a conductance times what drives it against the others.
///
/// phi1 is a polynomial of degree 4 for x / 2^d from 0 to 1, doubled d times by phi1(-2z) = phi1(-z) (1 + exp(-z)) / 2. Its
/// error is below 3.2e-5 for d = 0, and below 1.6e-5 else. x stays below 2^d: of two receptors each has a quarter of it, which
/// for d = 1, 0.25 nF and steps of 0.1 ms is 1.25 uS. Long steps and strong weights take d = 2 or 3.
/// Potentials are within 150 mV of the threshold. So the membrane, which stays between the farthest of them and what currents
/// add, cannot leave its word. A word below -256 mV is taken as -256 mV.
/// \tparam Doublings  d, 0 to 3
/// \cost six products of 16 bits (32 x 16), two more for each of the d, and one of 32 bits for each receptor
/// \source an exponential midpoint rule; M. Hochbruck and A. Ostermann, Acta Numerica 19, 2010
template <int Doublings = 1>
struct LifConductance : Part<Role::membrane> {
  static_assert(Doublings >= 0 && Doublings <= 3,
                "neuromorph: LifConductance has 0 to 3 doublings; see docs/neurons.md");
  static constexpr bool takes_conductances = true, is_within_reach = true;
  static constexpr int rate_doublings = Doublings;
  template <class Word>
  using Words = Lif::Words<Word>;
  template <class Word>
  struct Constants {
    Word decay; ///< -dt/tau_m, 32 fraction bits
    Word drift; ///< what rest and constant current add per step where the membrane is zero
  };
  using Parameters = Lif::Parameters;
  static constexpr bool is_physical = true;

  /// \errors those of Lif; time_constant_too_short below two steps; parameter_out_of_range for a rest or an initial value
  ///         more than 150 mV from the threshold
  static constexpr Status make(const Parameters& given, Making& making, auto to) noexcept {
    making.reach_mv = 150.0;
    if (making.most_unit_bits > 22 - Doublings) making.most_unit_bits = 22 - Doublings;
    if (const Status status = Lif::make(given, making, to); !status) return status;
    if (making.leak_q60 > detail::one_q60 / 2)
      return {Error::time_constant_too_short, 0, given.tau_ms, "membrane.tau_ms"};
    making.c_nf = making.tau_m_ms / making.r_mohm;
    to.own.decay = detail::to_decay(detail::one_q60 - making.leak_q60);
    const std::int64_t rest = detail::to_fixed(given.v_rest_mv - making.threshold_mv, 52) +
                              detail::to_fixed(making.r_mohm * given.i_offset_na, 52),
                       reach = std::int64_t{150} << 52;
    if (rest > reach || rest < -reach) return {Error::parameter_out_of_range, 0, given.v_rest_mv, "membrane.v_rest_mv"};
    const std::int64_t drift = detail::multiply_q60(rest, making.leak_q60);
    making.drift_q52 = 0; // stays here: a psp that carried it would bring that of Lif
    making.drift_mv = 0.0;
    const int lost = making.lost_halves == 0 ? 0 : making.lost_halves + 1 + Doublings;
    to.own.drift = static_cast<std::int32_t>(((drift >> (51 - making.unit_bits)) + 1 + lost) >> 1);
    const double leak = static_cast<double>(making.leak_q60) * detail::power_of_two(-60);
    making.decay = leak;
    making.room = 0.2 * leak * detail::power_of_two(-Doublings);
    return {};
  }
  /// mV that a step adds to the membrane, but for phi1, from 1 nA at its begin: the mean current.
  [[nodiscard]] static constexpr double response(const Making& making, std::int64_t rate_q60) noexcept {
    return making.dt_ms / making.tau_m_ms * making.r_mohm * static_cast<double>(detail::phi1_q60(-rate_q60)) *
           detail::power_of_two(-60);
  }
  /// The same from a current that is 0 at its begin, decays with `rate`, and is fed by another, which starts at 1 nA per
  /// step and decays with `rise`.
  [[nodiscard]] static constexpr double response_to_rise(const Making& making, std::int64_t rate_q60,
                                                         std::int64_t rise_q60) noexcept {
    return detail::mean_of_rise(making, rate_q60, rise_q60);
  }

  [[gnu::always_inline]] static constexpr void step(auto& m, auto& word, const auto& own, const auto& drive) noexcept {
    const auto v = (m.max)(word.v, m.splat(-(1 << 30) >> Doublings));
    // -z/2, z being the summed rate / 2^Doublings, with 32 fraction bits
    const auto rate = drive.less_rates(m.shifted_down(own.decay, 1 + Doublings));
    const auto change = drive.onto(m.add(m.subtract(m.decayed(v, own.decay), v), own.drift), v);
    // phi1(-z) - 1 = -z/2 (1 - a z (1 - z/4 (1 - a z/2))), a = 0.33382: least error from 0 to 1
    const auto third = m.reduced(rate, m.splat(third_less));
    const auto fourth = m.reduced(m.shifted_down(rate, 1), m.shifted_down(third, 1));
    const auto less = m.reduced(rate, m.reduced(third, fourth));
    auto moved = m.decayed(change, less);
    auto half = m.reduced(rate, less); // (exp(-z) - 1) / 2
    detail::each_number<Doublings>([&]<std::size_t doubling>() {
      moved = m.decayed(moved, half);
      if constexpr (doubling + 1 < Doublings) half = m.scaled_up(m.reduced(half, half), 1);
    });
    word.v = m.add(v, moved);
  }
  static constexpr void spiked(const auto&, const auto&, const auto&, auto) noexcept {}

  /// 2 a - 1, with 32 fraction bits, a of the polynomial above.
  static constexpr std::int32_t third_less = -1427458151;
};

} // namespace membrane
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
