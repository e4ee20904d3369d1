// SPDX-License-Identifier: BSL-1.0
/// \file
/// Synaptic currents that rise and decay: differences of exponentials, and their limit, alpha functions.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_SYNAPSE_TYPES_DOUBLE_EXPONENTIAL_HPP
#define NEUROMORPH_KERNELS_NEURONS_SYNAPSE_TYPES_DOUBLE_EXPONENTIAL_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/detail/matrix_exponential.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

[[nodiscard]] constexpr double from_q60(std::int64_t number) noexcept {
  return static_cast<double>(number) / static_cast<double>(one_q60);
}
/// rate of the faster * r^(1 / (r - 1)), r the ratio of the rates: what a current must be fed per step, at first, to have
/// its peak at 1. Where the rates are equal it is e times the rate.
[[nodiscard]] constexpr double feed_for_peak(std::int64_t a_q60, std::int64_t b_q60) noexcept {
  const std::int64_t slower = a_q60 < b_q60 ? a_q60 : b_q60, faster = a_q60 < b_q60 ? b_q60 : a_q60;
  const SoftFloat excess = SoftFloat::from(faster - slower, 0) / SoftFloat::from(slower, 0);
  return from_q60(faster) * from_q60(exp_q60(log_of_one_and(excess, true).to_fixed(60)));
}

/// Of each receptor two words: a psp, and what feeds it. i' = -i/tau_decay + j, j' = -j/tau_rise, a spike adds to j; regular
/// where time constants are equal, which a difference of two psps is not.
///
/// The feed has 2^rise_shift units to one of the psp, so that it uses its word as the psp does. Rounded down or to nearest, a
/// psp errs by up to half of its time constant in steps, in its units; with rounding::Stochastic it does not.
template <std::size_t Receptors, bool is_alpha>
struct RisingSynapses : Part<Role::synapses> {
  static constexpr std::size_t receptors = Receptors;
  static constexpr bool is_receptor_apart = true;
  static constexpr bool input_in_pairs = false;
  /// Of a receptor: its psp and its feed.
  template <class Number>
  using Words = std::array<Number, 2 * Receptors>;
  static constexpr std::size_t constants = is_alpha ? 2 : 3;
  /// Of a receptor: exp(-dt/tau_decay) - 1; half of what the feed does to the membrane over a step, to what it does to the
  /// psp, with 32 fraction bits; exp(-dt/tau_rise) - 1 if it is another.
  template <class Number>
  using Constants = std::array<Number, constants * Receptors>;
  struct Shared {
    std::uint8_t psp_shift = 0; ///< a psp unit is 2^-psp_shift units of the membrane per step
    std::array<std::uint8_t, Receptors> rise_shift{};
    std::array<std::uint8_t, Receptors> input_shift{};
  };
  static constexpr bool is_covered(const Shared& own, const Shared& common) noexcept {
    return own.psp_shift <= common.psp_shift && own.rise_shift == common.rise_shift;
  }
  static constexpr int weight_bits(const Shared& shared, std::size_t receptor) noexcept {
    return shared.psp_shift + shared.rise_shift[receptor] - shared.input_shift[receptor];
  }
  static constexpr bool is_physical = true;
  static constexpr int lost_halves = Receptors % 2;

  /// The finest unit of the membrane in which the words of one receptor hold what is brought.
  template <class Membrane>
  static constexpr Result<int> unit_bits_of(std::uint32_t which, double decay_ms, std::int64_t decay, std::int64_t rise,
                                            ReceptorWeights weights, const Making& making) noexcept {
    // A current of peak 1 brings as much as an exponential one that starts there, times at most e.
    weights.largest = weights.largest * (feed_for_peak(decay, rise) / from_q60(decay > rise ? decay : rise));
    const auto bits = unit_bits_for<Membrane>(weights, decay_ms, making, Receptors);
    if (!bits) return at(bits.status(), which);
    return bits;
  }
  /// What both kinds make: of one receptor.
  template <class Membrane>
  static constexpr Status make_one(std::uint32_t which, std::int64_t decay, std::int64_t rise,
                                   const ReceptorWeights& weights, const Making& making, auto to,
                                   double& unit) noexcept {
    auto& own = to.own;
    own[constants * which] = to_decay(exp_q60(-decay));
    if constexpr (!is_alpha) own[constants * which + 2] = to_decay(exp_q60(-rise));
    const double psp = Membrane::response(making, decay);
    const double fed = from_q60(phi1_q60(decay - rise));
    const double coupling = Membrane::response_to_rise(making, decay, rise) / (psp * fed);
    own[constants * which + 1] = static_cast<std::int32_t>(detail::to_fixed(coupling * 0.5, 32));
    std::uint8_t rise_shift = 1;
    while (rise << (rise_shift + 1) < one_q60) ++rise_shift;
    own.shared.rise_shift[which] = rise_shift;
    const int bits = making.unit_bits + own.shared.psp_shift + rise_shift;
    const double feed = psp * fed * feed_for_peak(decay, rise);
    const auto shift = input_shift(weights, feed, bits);
    if (!shift) return at(shift.status(), which);
    own.shared.input_shift[which] = shift.value();
    unit = feed * power_of_two(bits - shift.value());
    to.quantities[2 * which] = {making.weight_unit, power_of_two(rise_shift - bits) / psp, 0.0};
    to.quantities[2 * which + 1] = {making.feed_unit, power_of_two(-bits) / (psp * fed), 0.0};
    return {};
  }

  /// What a psp, and what feeds it, do to the membrane over the step.
  template <std::size_t which>
  static constexpr auto of_receptor(auto& m, const auto& words, const auto& own) noexcept {
    const auto feed = m.scaled_down(words[2 * which + 1], own.shared.rise_shift[which]);
    const auto risen = m.scaled_up(m.product(feed, own[constants * which + 1]), 1);
    // Held where the sum in `step` is, which counts: a feed does more to its psp than to the membrane.
    return m.add_saturating(words[2 * which], risen);
  }
  /// What the psps add to the membrane over the step.
  static constexpr auto onto(auto& m, const auto& words, const auto& own, auto sum) noexcept {
    each_number<Receptors>([&]<std::size_t which>() {
      const auto drive = m.scaled_down(of_receptor<which>(m, words, own), own.shared.psp_shift);
      sum = which % 2 == 0 ? m.add(sum, drive) : m.subtract(sum, drive);
    });
    return sum;
  }
  static constexpr void step(auto& m, auto& words, const auto& own, const auto& input) noexcept {
    // A single receptor may have signed weights.
    const auto add = [&m](auto word, auto more, unsigned shift) {
      return Receptors > 1 ? m.add_magnitudes_held(word, more, shift) : m.add_scaled_held(word, more, shift);
    };
    for (std::size_t which = 0; which < Receptors; ++which) {
      auto &psp = words[2 * which], &feed = words[2 * which + 1];
      const auto rising = m.scaled_down(feed, own.shared.rise_shift[which]);
      psp = m.decayed(add(psp, rising, 0), own[constants * which]);
      feed = add(m.decayed(feed, own[constants * which + (is_alpha ? 0 : 2)]), input[which],
                 own.shared.input_shift[which]);
    }
  }
};

} // namespace detail

namespace synapse {

/// i(t) = w k (exp(-t/tau_decay) - exp(-t/tau_rise)), k such that the peak is the weight: as NEST's iaf_cond_beta means its
/// weights, here of currents.
///
/// Exact over a step, whatever the time constants; equal ones give synapse::Alpha. Excitation, inhibition, and so on in
/// turn; weights are magnitudes, in nA. Two words and three products for each receptor. A psp that stays at the end of its
/// range is held and counted.
template <std::size_t Receptors>
struct DoubleExponential : detail::RisingSynapses<Receptors, false> {
  struct Parameters {
    std::array<double, Receptors> tau_rise_ms;
    std::array<double, Receptors> tau_decay_ms;
    std::array<ReceptorWeights, Receptors> weights{};
  };
  /// The finest unit of the membrane in which psps hold what is brought.
  /// \errors as make
  template <class Membrane>
  static constexpr Result<int> most_unit_bits(const Parameters& given, const Making& making) noexcept {
    int most = making.unit_bits;
    for (std::uint32_t which = 0; which < Receptors; ++which) {
      const auto rates = rates_of(given, which, making);
      if (!rates) return rates.status();
      const double longer =
          given.tau_decay_ms[which] < given.tau_rise_ms[which] ? given.tau_rise_ms[which] : given.tau_decay_ms[which];
      const auto bits = DoubleExponential::template unit_bits_of<Membrane>(
          which, longer, rates.value().slower, rates.value().faster, given.weights[which], making);
      if (!bits) return bits.status();
      if (bits.value() < most) most = bits.value();
    }
    return most;
  }
  /// \errors as Exponential
  static constexpr Status make(const Parameters& given, const Making& making, auto to) noexcept {
    using Membrane = typename decltype(to)::Membrane;
    to.own.shared.psp_shift = detail::psp_shift(making, Receptors);
    for (std::uint32_t which = 0; which < Receptors; ++which) {
      const auto rates = rates_of(given, which, making);
      if (!rates) return rates.status();
      const Status status = DoubleExponential::template make_one<Membrane>(
          which, rates.value().slower, rates.value().faster, given.weights[which], making, to, to.units[which]);
      if (!status) return status;
    }
    return {};
  }

private:
  struct Rates {
    std::int64_t slower = 0,
                 faster = 0; ///< of the psp, and of what feeds it; the current is the same the other way round
  };
  [[nodiscard]] static constexpr Result<Rates> rates_of(const Parameters& given, std::uint32_t which,
                                                        const Making& making) noexcept {
    const auto rise = detail::rate_of(given.tau_rise_ms[which], making.dt_ms, "synapses.tau_rise_ms");
    if (!rise) return detail::at(rise.status(), which);
    const auto decay = detail::rate_of(given.tau_decay_ms[which], making.dt_ms, "synapses.tau_decay_ms");
    if (!decay) return detail::at(decay.status(), which);
    if (rise.value() < decay.value()) return Rates{rise.value(), decay.value()};
    return Rates{decay.value(), rise.value()};
  }
};

} // namespace synapse
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
