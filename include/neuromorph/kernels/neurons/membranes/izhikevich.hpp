// SPDX-License-Identifier: BSL-1.0
/// \file
/// Izhikevich's neuron, by the midpoint method or the classical Runge-Kutta method.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_MEMBRANES_IZHIKEVICH_HPP
#define NEUROMORPH_KERNELS_NEURONS_MEMBRANES_IZHIKEVICH_HPP

#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/detail/leaky_response.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace method {
/// Second order: the slopes in the middle of the step. Eight products a step.
struct Midpoint {};
/// Classical Runge-Kutta, fourth order. 20 products a step.
struct RungeKutta4 {};
} // namespace method

namespace membrane {

/// dv/dt = 0.04 v^2 + 5 v + 140 - u + I,  du/dt = a (b v - u), in mV and ms; at a spike u goes up by d.
///
/// The threshold is the peak, 30 mV, the reset is c. Currents are in mV/ms, and constant over a step; conductances
/// (input::Conductance) are rates in 1/ms, and their means. What u gains by spikes beyond its word is held and counted.
/// Below -150 mV, with steps of 1 ms, the square is held at what moves v by 256 mV; that is not counted.
///
/// With rounding::Down and Nearest alike, products are rounded down; dithers of the step, in what flows and in what pulls u,
/// make the sum over steps exact. rounding::Stochastic draws. Potentials in the middle of a step are held in their word.
///
/// Error of a step before the spike, in the geometric mean of three cells at 10 mV/ms: by the midpoint 2e-5 mV for steps of 0.1
/// ms, 1e-2 for 1 ms. Of the fourth order 3e-9 and 1e-4. Two midpoints in half the step, 16 products, have 5e-6 and 3e-3. In
/// the upswing both are off by more than a mV for 1 ms. Of the fourth order potentials within a step end at the peak, so that u
/// does not depend on how far a spike would have gone.
///
/// \tparam Method  method::Midpoint or method::RungeKutta4
/// \source E. Izhikevich, IEEE Trans. Neural Networks 14, 2003; the method as M. Hopkins and S. Furber, Neural Computation
///         27, 2015
template <class Method>
struct IzhikevichBy : Part<Role::membrane> {
  static constexpr bool takes_conductances = true, fades_psps = true;
  template <class Word>
  struct Words {
    Word v; ///< relative to the threshold, in 2^-unit_bits mV
    Word u; ///< what recovery takes from the membrane in a step, in the same units
  };
  template <class Word>
  struct Constants {
    Word quadratic;   ///< 0.04 dt, 2^(63 - rise_shift - unit_bits)
    Word slope;       ///< (0.08 threshold + 5) dt, 2^(31 - rise_shift)
    Word drift;       ///< (0.04 threshold^2 + 5 threshold + 140) dt, as v
    Word sensitivity; ///< b dt, 2^32
    Word recovery;    ///< a dt, 2^32
    Word level;       ///< b threshold dt, as v
    Word spread;      ///< 2^32 / recovery: a dither of u's pull
    Word after_spike; ///< d dt, as v
  };
  struct Shared {
    std::uint8_t rise_shift = 2; ///< what a step adds to v is summed in 2^rise_shift units: it may be as much as fires
  };
  struct Parameters {
    double a = 0.02, b = 0.2, d = 8.0;
    double i_offset = 0.0; ///< mV/ms
    double v_initial_mv = -65.0, u_initial = -13.0;
  };
  static constexpr bool is_physical = true;

  /// \errors parameter_out_of_range, also for steps above 1 ms and for what a word or a constant cannot hold: a and b of 0.5 / dt
  ///         and more, say; `parameter` is the member
  static constexpr Status make(const Parameters& given, Making& making, auto to) noexcept {
    const double dt = making.dt_ms, threshold = making.threshold_mv;
    for (const double number : {given.a, given.b, given.d, given.i_offset, given.v_initial_mv, given.u_initial})
      if (!detail::is_finite(number)) return {Error::parameter_out_of_range, 0, number, "membrane"};
    if (dt > 1.0) return {Error::parameter_out_of_range, 0, dt, "dt_ms"};
    if (!(threshold > -100.0 && threshold < 100.0))
      return {Error::parameter_out_of_range, 0, threshold, "threshold.v_mv"};
    if (!(given.i_offset > -1e6 && given.i_offset < 1e6)) // to_fixed ends
      return {Error::parameter_out_of_range, 0, given.i_offset, "membrane.i_offset"};
    // Sums are of integers, so that no compiler fuses a product with one.
    const auto q40 = [](double number) { return detail::to_fixed(number, 40); };
    const std::int64_t slope = q40(0.08 * threshold * dt) + q40(5.0 * dt);
    const std::int64_t offset = q40(given.i_offset * dt), most = q40(0.7 * 256);
    if (offset >= 2 * most || offset <= -2 * most)
      return {Error::parameter_out_of_range, 0, given.i_offset, "membrane.i_offset"};
    const std::int64_t drift =
        q40(0.04 * threshold * threshold * dt) + q40(5.0 * threshold * dt) + q40(140.0 * dt) + offset;
    // Drift and all that is brought stay in the word: with steps of 1 ms it has a bit less below the unit.
    const std::int64_t magnitude = drift < 0 ? -drift : drift;
    const int bits = magnitude < most ? 23 : 22;
    if (magnitude >= 2 * most) return {Error::parameter_out_of_range, 0, given.i_offset, "membrane.i_offset"};
    making.unit_bits = bits;
    // Over all of the word the sum of what a step adds stays in 31 bits: the parabola, and twice the word for what flows
    // and for u. So do the slope, and over the word 0.04 v alone, the constant's word.
    const int range = 1 << (31 - bits);
    const std::int64_t steepest = (slope < 0 ? -slope : slope) + q40(0.04 * range * dt) + (std::int64_t{2} << 40);
    const std::int64_t constant = q40(0.08 * range * dt);
    int shift = 2;
    while (steepest >> (40 + shift) != 0 || constant >> (40 + shift) != 0) ++shift;
    to.own.shared.rise_shift = static_cast<std::uint8_t>(shift);
    to.own.quadratic = static_cast<std::int32_t>(detail::to_fixed(0.04 * dt, 63 - shift - bits));
    to.own.slope = static_cast<std::int32_t>(slope >> (9 + shift));
    const struct {
      double given;
      std::int64_t word;
      std::int32_t* to;
      const char* name;
    } made[] = {{given.i_offset, ((drift >> (39 - bits)) + 1) >> 1, &to.own.drift, "membrane.i_offset"},
                {given.b, detail::to_fixed(given.b * dt, 32), &to.own.sensitivity, "membrane.b"},
                {given.b, detail::to_fixed(given.b * threshold * dt, bits), &to.own.level, "membrane.b"},
                {given.a, detail::to_fixed(given.a * dt, 32), &to.own.recovery, "membrane.a"},
                {given.a, spread_of(detail::to_fixed(given.a * dt, 32)), &to.own.spread, "membrane.a"},
                {given.d, detail::to_fixed(given.d * dt, bits), &to.own.after_spike, "membrane.d"},
                {given.u_initial, detail::to_fixed(given.u_initial * dt, bits), &to.initial.u, "membrane.u_initial"}};
    for (const auto& one : made) {
      if (one.word > INT32_MAX || one.word < INT32_MIN) return {Error::parameter_out_of_range, 0, one.given, one.name};
      *one.to = static_cast<std::int32_t>(one.word);
    }
    const auto initial = making.word_of(given.v_initial_mv, "membrane.v_initial_mv");
    if (!initial) return initial.status();
    to.initial.v = initial.value();
    to.quantities.v = making.membrane();
    to.quantities.u = {"mV/ms", detail::power_of_two(-bits) / dt, 0.0};
    making.room = 0.25;
    return {};
  }
  /// Mean over a step of 1 mV/ms at its begin, times the step.
  [[nodiscard]] static constexpr double response(const Making& making, std::int64_t rate_q60) noexcept {
    return making.dt_ms * static_cast<double>(detail::phi1_q60(-rate_q60)) / static_cast<double>(detail::one_q60);
  }
  /// The same from a current that is 0 at its begin, decays with `rate`, and is fed by another, which starts at 1 mV/ms per
  /// step and decays with `rise`.
  [[nodiscard]] static constexpr double response_to_rise(const Making& making, std::int64_t rate_q60,
                                                         std::int64_t rise_q60) noexcept {
    return detail::mean_of_rise(making, rate_q60, rise_q60);
  }

  [[gnu::always_inline]] static constexpr void step(auto& m, auto& word, const auto& own, const auto& drive) noexcept {
    const auto v = word.v, u = word.u;
    const unsigned up = own.shared.rise_shift;
    const auto drift = m.add(own.drift, m.splat(balance(m, up)));
    const auto level = m.add(own.level, m.dither(own.spread));
    const auto rise = [&](auto at, auto taken) {
      const auto flow = m.shifted_down(drive.onto(drift, at), up);
      return m.subtract(m.add(slope(m, at, own), flow), m.shifted_down(taken, up));
    };
    const auto recovery = [&](auto at, auto taken) {
      const auto pulled = m.add(m.product_dithered(at, own.sensitivity), level);
      return m.product_dithered(m.subtract(pulled, taken), own.recovery);
    };
    const auto after = [&](auto change) { return m.add(u, change); };
    const auto moved = [&](auto change, unsigned amount) {
      return m.add_saturating(v, m.scaled_up_saturating(change, amount));
    };
    if constexpr (std::is_same_v<Method, method::Midpoint>) {
      const auto half = moved(rise(v, u), up - 1);
      const auto u_half = after(half_of(m, recovery(v, u)));
      word.u = after(recovery(half, u_half));
      word.v = moved(rise(half, u_half), up);
    } else {
      const auto capped = [&](auto at) { return (m.min)(at, m.splat(0)); };
      const auto v1 = rise(v, u), u1 = recovery(v, u);
      const auto at2 = capped(moved(v1, up - 1)), by2 = after(half_of(m, u1));
      const auto v2 = rise(at2, by2), u2 = recovery(at2, by2);
      const auto at3 = capped(moved(v2, up - 1)), by3 = after(half_of(m, u2));
      const auto v3 = rise(at3, by3), u3 = recovery(at3, by3);
      const auto at4 = capped(moved(v3, up)), by4 = after(u3);
      const auto v4 = rise(at4, by4), u4 = recovery(at4, by4);
      word.v = moved(mean(m, m.add_saturating(v1, v4), m.add_saturating(v2, v3)), up);
      word.u = after(mean(m, m.add(u1, u4), m.add(u2, u3)));
    }
  }
  static constexpr void spiked(auto& m, auto& word, const auto& own, auto fired) noexcept {
    word.u = m.add_scaled_held(word.u, m.select(fired, own.after_spike, m.splat(0)), 0);
  }

  /// What is added to the drift, so that the sum of a step is rounded without a bias: a dither for what flows, half of it
  /// on average taken back for u, and one unit of the sum for the product if it is rounded down.
  static constexpr std::int32_t balance(const auto& m, unsigned up) noexcept {
    const std::int32_t unit = 1 << up;
    return m.other_dither(up) + (m.draws ? -unit / 2 : unit / 2);
  }

private:
  /// Below 2^24, which leaves u its word.
  static constexpr std::int64_t spread_of(std::int64_t recovery) noexcept {
    constexpr std::int64_t most = 1 << 24;
    if (recovery == 0) return 0;
    const std::int64_t spread = (std::int64_t{1} << 32) / recovery;
    return spread > most ? most : spread < -most ? -most : spread;
  }
  static constexpr auto half_of(auto&, auto value) noexcept { return value >> 1; }
  /// Of the slopes at the ends and of those in the middle, each summed.
  static constexpr auto mean(auto& m, auto ends, auto middle) noexcept {
    const auto sixth = m.product(ends, m.splat(715827883)); // one after the other: each may draw
    return m.add(sixth, m.product(middle, m.splat(1431655765)));
  }
  /// (0.04 v + slope) v, in 2^rise_shift units
  static constexpr auto slope(auto& m, auto v, const auto& own) noexcept {
    const auto steep = m.add(m.product_dithered(v, own.quadratic), own.slope);
    return m.scaled_up(m.product_dithered(v, steep), 1);
  }
};

using Izhikevich = IzhikevichBy<method::Midpoint>;

} // namespace membrane
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
