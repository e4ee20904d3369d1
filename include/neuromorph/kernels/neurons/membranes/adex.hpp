// SPDX-License-Identifier: BSL-1.0
/// \file
/// The adaptive exponential integrate-and-fire neuron, whose exponential is integrated in closed form.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_MEMBRANES_ADEX_HPP
#define NEUROMORPH_KERNELS_NEURONS_MEMBRANES_ADEX_HPP

#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/detail/leaky_response.hpp>
#include <neuromorph/kernels/neurons/exponential.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

/// (exp(q) - 1) / q, 2^29, of q 2^29 from -2 to 2; error below 3e-4 of it, and 2e-5 within 0.4.
/// \cost six products (upper halves)
/// \source minimax polynomial of degree 5 for (phi1(q) - 1) / q
template <class Lanes>
[[nodiscard, gnu::always_inline]] constexpr typename Lanes::Value phi1_of(typename Lanes::Value q) noexcept {
  auto sum = Lanes::splat(237997);
  for (const std::int32_t coefficient : {1659624, 8887536, 44482495, 178995411, 536928419})
    sum = Lanes::add(Lanes::splat(coefficient), Lanes::shift_left(Lanes::multiply_high(q, sum), Lanes::shift(3)));
  return Lanes::add(Lanes::splat(1 << 29), Lanes::shift_left(Lanes::multiply_high(q, sum), Lanes::shift(2)));
}

/// -ln(rest), 2^27, of rest 2^27 from 2^-15 to 1; error below 1e-6 of the result and 2^-23.
/// \cost seven products (upper halves), four comparisons
/// \source minimax polynomial of degree 6 for -ln(1 - w) / w, w from 0 to 1/2
template <class Lanes>
[[nodiscard, gnu::always_inline]] constexpr typename Lanes::Value minus_logarithm(typename Lanes::Value rest) noexcept {
  constexpr std::int32_t ln2 = 93032640; // 2^27
  auto octaves = Lanes::splat(0);
  for (const int bits : {8, 4, 2, 1}) {
    const auto is_small = Lanes::less(rest, Lanes::splat(1 << (27 - bits)));
    rest = Lanes::select(is_small, Lanes::shift_left(rest, Lanes::shift(static_cast<unsigned>(bits))), rest);
    octaves = Lanes::select(is_small, Lanes::add(octaves, Lanes::splat(bits * ln2)), octaves);
  }
  const auto w = Lanes::shift_left(Lanes::subtract(Lanes::splat(1 << 27), rest), Lanes::shift(4));
  auto sum = Lanes::splat(2127271623); // each coefficient with a bit less than the one before
  for (const std::int32_t coefficient : {-684966966, 280645839, 50340781, 45487812, 33542136, 33554465})
    sum = Lanes::add(Lanes::splat(coefficient), Lanes::multiply_high(w, sum));
  return Lanes::add(octaves, Lanes::shift_left(Lanes::multiply_high(w, sum), Lanes::shift(3)));
}

} // namespace detail

namespace membrane {

/// C dV/dt = -g (V - E) + g D exp((V - V_t) / D) - w + I,  tau_w dw/dt = a (V - E) - w; at a spike w goes up by b. PyNN's
/// EIF_cond_exp_isfa_ista, with input::Conductance, and EIF_cond_alpha_isfa_ista.
///
/// The threshold is the spike's cut-off, the reset is where the spike leaves V. With c, all but the exponential, constant over
/// a step h, the equation of V has a solution: V' = V + c h - D ln(1 - u phi1(c h / D)), u = (h / tau_m) exp((V - V_t) / D). The
/// midpoint method gives c: by half a step and then from what it comes to, which is held at the cut-off. Second order; in the
/// upswing, where the exponential rules, exact. Where 1 - u phi1 is not above 2^-15, V would run away within the step: the
/// spike is certain.
///
/// The exponential has an error of 2^-27, the logarithm of 1e-6, phi1 of 3e-4 and less for slow changes (it is held for c h
/// beyond 2 D). A membrane 512 mV below the cut-off is held there, w at the end of its word (16 b at least); both are counted.
/// Take rounding::Nearest: rounded down, w lacks half a unit of 2^-25 mV a step or less times tau_w / h.
/// \cost 45 products (upper halves), of which 39 are polynomials that are always rounded down
/// \source R. Brette and W. Gerstner, J. Neurophysiology 94, 2005; in exp(-V / D) the equation is linear
struct AdEx : Part<Role::membrane> {
  static constexpr bool takes_conductances = true;
  template <class Word>
  struct Words {
    Word v; ///< relative to the cut-off, in 2^-22 mV
    Word w; ///< what adaptation takes from the membrane in a step, in 2^-(22 + w_shift) mV
  };
  template <class Word>
  struct Constants {
    Word leak;        ///< -dt / tau_m, 2^32
    Word drift;       ///< what rest and constant current add per step where V is at the cut-off, as v
    Word offset;      ///< added to v: zero where u = 2, as v
    Word steepness;   ///< log2(e) / D, 2^(34 - steepness_shift) per mV
    Word width;       ///< D, 2^27 per mV
    Word narrowness;  ///< 1 / D, 2^(37 - narrowness_shift) per mV
    Word sensitivity; ///< a dt / C, 2^(32 + w_shift)
    Word level;       ///< what w would be with V held at the cut-off, as w
    Word recovery;    ///< dt / tau_w, 2^32
    Word after_spike; ///< b dt / C, as w
  };
  struct Shared {
    std::uint8_t steepness_shift = 0, narrowness_shift = 0, w_shift = 0;
  };
  static constexpr bool is_covered(const Shared& own, const Shared& common) noexcept {
    return own.steepness_shift == common.steepness_shift && own.narrowness_shift == common.narrowness_shift &&
           own.w_shift == common.w_shift;
  }
  struct Parameters {
    double tau_ms = 9.3667;
    double c_nf = 0.281;
    double v_rest_mv = -70.6;
    double v_t_mv = -50.4;   ///< where the exponential's slope is that of the leak; the cut-off is `threshold.v_mv`
    double delta_t_mv = 2.0; ///< D
    double a_us = 0.004;     ///< coupling of w below the threshold
    double tau_w_ms = 144.0;
    double b_na = 0.0805;     ///< rise of w at a spike
    double i_offset_na = 0.0; ///< constant current
    double v_initial_mv = -70.6, w_initial_na = 0.0;
  };
  static constexpr bool is_physical = true;

  /// \errors parameter_not_positive; parameter_out_of_range, also farther than 200 mV from the cut-off; for D below 0.1 mV and
  ///         from 15 mV on; for what moves the membrane by more than 100 mV or w by more than 64 mV in a step;
  ///         time_constant_too_short for tau_ms below four steps, for tau_w_ms below two
  static constexpr Status make(const Parameters& given, Making& making, auto to) noexcept {
    constexpr int bits = 22;
    const double dt = making.dt_ms, cut_off = making.threshold_mv;
    const auto rate = detail::rate_of(given.tau_ms, dt, "membrane.tau_ms");
    if (!rate) return rate.status();
    if (rate.value() > detail::one_q60 / 4) return {Error::time_constant_too_short, 0, given.tau_ms, "membrane.tau_ms"};
    const auto recovery = detail::rate_of(given.tau_w_ms, dt, "membrane.tau_w_ms");
    if (!recovery) return recovery.status();
    if (recovery.value() >= detail::one_q60 / 2)
      return {Error::time_constant_too_short, 0, given.tau_w_ms, "membrane.tau_w_ms"};
    if (!detail::is_finite(given.c_nf)) return {Error::parameter_out_of_range, 0, given.c_nf, "membrane.c_nf"};
    if (!(given.c_nf > 0.0)) return {Error::parameter_not_positive, 0, given.c_nf, "membrane.c_nf"};
    const double width = given.delta_t_mv;
    if (!(width >= 0.1 && width < 15.0)) return {Error::parameter_out_of_range, 0, width, "membrane.delta_t_mv"};
    making.unit_bits = bits;
    making.reach_mv = 200.0;
    making.c_nf = given.c_nf;
    making.tau_m_ms = given.tau_ms;
    making.r_mohm = given.tau_ms / given.c_nf;
    making.leak_q60 = rate.value();
    making.room = 0.25;
    const auto is_in_reach = [&](double mv) {
      return mv - cut_off < making.reach_mv && cut_off - mv < making.reach_mv; // also not a number
    };
    if (!is_in_reach(given.v_rest_mv)) return {Error::parameter_out_of_range, 0, given.v_rest_mv, "membrane.v_rest_mv"};
    if (!is_in_reach(given.v_t_mv)) return {Error::parameter_out_of_range, 0, given.v_t_mv, "membrane.v_t_mv"};
    to.own.leak = detail::to_decay(detail::one_q60 - rate.value());
    const double per_na = dt / given.c_nf; // mV in a step
    const std::int64_t pull = detail::multiply_q60(detail::to_fixed(given.v_rest_mv - cut_off, 52), rate.value()),
                       flow = detail::to_fixed(per_na * given.i_offset_na, 52);
    constexpr std::int64_t limit = std::int64_t{100} << 52;
    // `pull` is below 50 mV, but to_fixed of the flow ends at the ends of its word: no sum of both
    if (!detail::is_finite(given.i_offset_na) || flow > limit - pull || flow < -limit - pull)
      return {Error::parameter_out_of_range, 0, given.i_offset_na, "membrane.i_offset_na"};
    const int lost = making.lost_halves == 0 ? 0 : making.lost_halves + 1; // w is shifted down, too
    to.own.drift = static_cast<std::int32_t>((((pull + flow) >> (51 - bits)) + 1 + lost) >> 1);

    // exponent: (v + offset) log2(e) / D, with 24 fraction bits from a word and a constant that fill theirs
    constexpr double log2_e = 1.4426950408889634;
    int shift = 0;
    while (width * detail::power_of_two(shift) <= 11.6) ++shift;
    to.own.shared.steepness_shift = static_cast<std::uint8_t>(shift);
    to.own.steepness = static_cast<std::int32_t>(detail::to_fixed(log2_e / width, 34 - shift));
    const double onset =
        static_cast<double>(detail::log2_q40(0.5 * dt / given.tau_ms)) * detail::power_of_two(-40) / log2_e;
    // within 200 mV and 15 mV ln(2 10^7): in its word
    to.own.offset = static_cast<std::int32_t>(detail::to_fixed(cut_off - given.v_t_mv, bits) +
                                              detail::to_fixed(onset * width, bits));
    to.own.width = static_cast<std::int32_t>(detail::to_fixed(width, 27));
    shift = 0;
    while (width * detail::power_of_two(shift + 1) <= 128.0) ++shift;
    to.own.shared.narrowness_shift = static_cast<std::uint8_t>(shift);
    to.own.narrowness = static_cast<std::int32_t>(detail::to_fixed(1.0 / width, 37 - shift));

    for (const double number : {given.a_us, given.b_na, given.w_initial_na})
      if (!detail::is_finite(number))
        return {Error::parameter_out_of_range, 0, number, "membrane.a_us, b_na, w_initial_na"};
    const auto magnitude = [](double number) { return number < 0.0 ? -number : number; };
    const double sensitivity = per_na * given.a_us, rise = per_na * given.b_na, begun = per_na * given.w_initial_na;
    double needed = 16.0 * magnitude(rise);
    for (const double other : {2048.0 * magnitude(sensitivity), 2.0 * magnitude(begun)})
      if (other > needed) needed = other;
    if (!(needed <= 64.0)) return {Error::parameter_out_of_range, 0, needed, "membrane.a_us, b_na, w_initial_na"};
    int w_shift = 3;
    while (w_shift < 8 && needed * detail::power_of_two(w_shift + 1) <= 512.0) ++w_shift;
    to.own.shared.w_shift = static_cast<std::uint8_t>(w_shift);
    to.own.sensitivity = static_cast<std::int32_t>(detail::to_fixed(sensitivity, 32 + w_shift));
    to.own.level =
        static_cast<std::int32_t>(detail::to_fixed(sensitivity * (cut_off - given.v_rest_mv), bits + w_shift));
    to.own.recovery = static_cast<std::int32_t>(((recovery.value() >> 27) + 1) >> 1);
    to.own.after_spike = static_cast<std::int32_t>(detail::to_fixed(rise, bits + w_shift));

    const auto initial = making.word_of(given.v_initial_mv, "membrane.v_initial_mv");
    if (!initial) return initial.status();
    to.initial.v = initial.value();
    to.initial.w = static_cast<std::int32_t>(detail::to_fixed(begun, bits + w_shift));
    to.quantities.v = making.membrane();
    to.quantities.w = {"nA", detail::power_of_two(-bits - w_shift) / per_na, 0.0};
    return {};
  }
  /// mV that a step adds to the membrane from 1 nA at its begin: the mean current.
  [[nodiscard]] static constexpr double response(const Making& making, std::int64_t rate_q60) noexcept {
    return making.dt_ms / making.c_nf * static_cast<double>(detail::phi1_q60(-rate_q60)) * detail::power_of_two(-60);
  }
  /// The same from a current that is 0 at its begin, decays with `rate`, and is fed by another, which starts at 1 nA per
  /// step and decays with `rise`.
  [[nodiscard]] static constexpr double response_to_rise(const Making& making, std::int64_t rate_q60,
                                                         std::int64_t rise_q60) noexcept {
    return detail::mean_of_rise(making, rate_q60, rise_q60);
  }

  static constexpr void step(auto& m, auto& word, const auto& own, const auto& drive) noexcept {
    const auto before = word.v, w = word.w;
    const auto chance = exponential(m, before, own);
    const auto first = slope(m, before, w, own, drive);
    const auto half_slope = m.shifted_down(first, 1);
    const auto half = (m.min)(
        m.add(held(m, m.add_saturating(before, half_slope)), upswing(m, chance, half_slope, own, 0)), m.splat(0));
    const auto w_half = m.add(w, m.shifted_down(recovered(m, before, w, own), 1));
    const auto second = slope(m, half, w_half, own, drive);
    word.w = m.add(w, recovered(m, half, w_half, own));
    word.v = m.add(held(m, m.add_scaled_held(before, second, 0)), upswing(m, chance, second, own, 1));
  }
  static constexpr void spiked(auto& m, auto& word, const auto& own, auto fired) noexcept {
    word.w = m.add_scaled_held(word.w, m.select(fired, own.after_spike, m.splat(0)), 0);
  }

private:
  /// Below 256 mV, so that the upswing stays in the word: what is above fires.
  static constexpr auto held(auto& m, auto v) noexcept { return (m.min)(v, m.splat(1 << 30)); }
  /// u of half a step, (h / 2 tau_m) exp((V - V_t) / D), 2^30, below 2.
  static constexpr auto exponential(auto& m, auto v, const auto& own) noexcept {
    using Lanes = typename std::remove_reference_t<decltype(m)>::Lanes;
    const unsigned shift = own.shared.steepness_shift;
    const auto most = m.splat(INT32_MAX >> shift), least = m.splat(INT32_MIN >> shift);
    const auto from_one = (m.max)((m.min)(m.add_saturating(v, own.offset), most), least);
    const auto exponent = m.product_down(m.scaled_up(from_one, shift), own.steepness);
    const auto in_range = (m.max)((m.min)(exponent, m.splat((1 << 24) - 1)), m.splat(-31 * (1 << 24)));
    return power_of_two<Lanes>(m.scaled_up(in_range, 2));
  }
  /// What leak, adaptation and drive add to V in a step, c h.
  static constexpr auto slope(auto& m, auto v, auto w, const auto& own, const auto& drive) noexcept {
    const auto linear = m.subtract(m.add(m.product(v, own.leak), own.drift), m.scaled_down(w, own.shared.w_shift));
    return m.add_saturating(linear, drive.onto(m.splat(0), v));
  }
  /// Change of w in a step.
  static constexpr auto recovered(auto& m, auto v, auto w, const auto& own) noexcept {
    const auto aim = m.add(m.product(v, own.sensitivity), own.level);
    return m.product(m.subtract_saturating(aim, w), own.recovery);
  }
  /// -D ln(1 - 2^doublings chance phi1(change / D)), as v; 256 mV where the spike is certain.
  static constexpr auto upswing(auto& m, auto chance, auto change, const auto& own, unsigned doublings) noexcept {
    using Lanes = typename std::remove_reference_t<decltype(m)>::Lanes;
    const unsigned shift = own.shared.narrowness_shift;
    // within 2 D, that is 2^30 or less after the shift
    const auto most = m.shifted_down(own.width, 4);
    const auto limited = (m.max)((m.min)(change, most), m.subtract(m.splat(0), most));
    const auto ratio = m.scaled_up(m.product_down(m.scaled_up(limited, shift), own.narrowness), 2);
    const auto share = m.scaled_up(m.product_down(chance, detail::phi1_of<Lanes>(ratio)), doublings);
    const auto rest = m.subtract(m.splat(1 << 27), share);
    constexpr std::int32_t least = 1 << 12; // 2^-15
    const auto rise = m.product_down(detail::minus_logarithm<Lanes>((m.max)(rest, m.splat(least))), own.width);
    return m.select(m.is_less(rest, m.splat(least)), m.splat((1 << 30) - 1), rise);
  }
};

} // namespace membrane
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
