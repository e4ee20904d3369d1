// SPDX-License-Identifier: BSL-1.0
/// \file
/// Synaptic conductances: what a psp does to the membrane depends on where the membrane is.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_INPUTS_CONDUCTANCE_HPP
#define NEUROMORPH_KERNELS_NEURONS_INPUTS_CONDUCTANCE_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace input {

/// The sum of g_i (E_i - V) flows into the membrane. Psps are g_i h / C, the conductances' means over a step h, as shares
/// of the membrane's distance from E_i.
///
/// Weights are magnitudes in uS. All receptors share a range, half of the rates up to 2^d in a step that the membrane takes
/// (`rate_doublings`). It must hold what their weights bring, or two of the largest; what a psp's word cannot hold is held
/// and counted. Membranes with units of mV/ms have a capacitance of 1: weights are rates in 1/ms.
/// \tparam Receptors  as many as the synapses have; their psps must be apart, as in Exponential, Alpha, DoubleExponential
/// \cost a product (upper half) for each receptor
template <std::size_t Receptors = 2>
struct Conductance : Part<Role::input> {
  static constexpr bool is_rate = true, needs_potential = true;
  static constexpr int lost_halves = static_cast<int>(Receptors);
  template <class Word>
  using Constants = std::array<Word, Receptors>; ///< reversal potentials, as the membrane
  struct Parameters {
    std::array<double, Receptors> reversal_mv = not_given(); ///< of each receptor; there is no default

  private:
    static constexpr std::array<double, Receptors> not_given() noexcept {
      std::array<double, Receptors> all{};
      all.fill(__builtin_nan(""));
      return all;
    }
  };
  static constexpr bool is_physical = true;

  /// A psp of 2^31 is 2^(doublings - share_bits) of the membrane's distance.
  static constexpr int share_bits = [] {
    int bits = 1;
    while ((std::size_t{1} << bits) < 2 * Receptors) ++bits;
    return bits;
  }();

  /// For synapses, conductances are what moves a "membrane" in shares of its distance.
  template <class Membrane>
  struct MadeFor {
    /// Share of the membrane's distance that a step takes off for 1 uS at its begin: the mean over the step.
    [[nodiscard]] static constexpr double response(const Making& making, std::int64_t rate_q60) noexcept {
      return making.dt_ms / making.c_nf * static_cast<double>(detail::phi1_q60(-rate_q60)) * detail::power_of_two(-60);
    }
    /// The same of a conductance that is 0 at its begin, and fed by 1 uS per step that decays with `rise`.
    [[nodiscard]] static constexpr double response_to_rise(const Making& making, std::int64_t rate_q60,
                                                           std::int64_t rise_q60) noexcept {
      return making.dt_ms / making.c_nf * static_cast<double>(detail::second_difference_q60(-rate_q60, -rise_q60)) *
             detail::power_of_two(-60);
    }
  };
  template <class Membrane>
  [[nodiscard]] static constexpr Making scale(Making making) noexcept {
    making.unit_bits = 31 + share_bits - Membrane::rate_doublings;
    making.room = 2.0 * static_cast<double>(Receptors);
    making.decay = 0.0;
    making.holds_weights = true;
    making.weight_unit = "uS", making.feed_unit = "uS/step";
    return making;
  }

  /// \errors parameter_out_of_range, too, farther from the threshold than Making::reach_mv; `where` is the receptor
  static constexpr Status make(const Parameters& given, const Making& making, auto to) noexcept {
    for (std::uint32_t which = 0; which < Receptors; ++which) {
      const double mv = given.reversal_mv[which], from_threshold = mv - making.threshold_mv;
      const std::int64_t word = detail::to_fixed(from_threshold, making.unit_bits);
      if (!detail::is_finite(mv) || !(from_threshold < making.reach_mv && from_threshold > -making.reach_mv) ||
          word > INT32_MAX || word < INT32_MIN)
        return {Error::parameter_out_of_range, which, mv, "input.reversal_mv"};
      to.own[which] = static_cast<std::int32_t>(word);
    }
    return {};
  }

  template <class Synapses, class Membrane>
  static constexpr auto onto(auto& m, const auto& psps, const auto& synapses, const auto& own, auto v,
                             auto sum) noexcept {
    static_assert(
        Synapses::receptors == Receptors && Synapses::is_receptor_apart,
        "neuromorph: input::Conductance has not the receptors of the synapses, or their psps are not apart; see "
        "docs/neurons.md");
    constexpr int up = 1 + Membrane::rate_doublings - share_bits; // of a product
    auto flow = m.splat(0);
    detail::each_number<Receptors>([&]<std::size_t which>() {
      const auto distance =
          Membrane::is_within_reach ? m.subtract(own[which], v) : m.subtract_saturating(own[which], v);
      auto part = m.product(distance, Synapses::template of_receptor<which>(m, psps, synapses));
      if constexpr (up < 0) part = m.scaled_down(part, static_cast<unsigned>(-up));
      flow = which == 0 ? part : Membrane::is_within_reach ? m.add(flow, part) : m.add_saturating(flow, part);
    });
    if constexpr (up > 0) flow = m.scaled_up(flow, static_cast<unsigned>(up));
    return Membrane::is_within_reach ? m.add(sum, flow) : m.add_saturating(sum, flow);
  }
  /// Takes the psps from `sum`, 32 fraction bits of half a summed rate / 2^doublings; at most zero.
  template <class Synapses>
  static constexpr auto less_rates(auto& m, const auto& psps, const auto& synapses, auto sum) noexcept {
    detail::each_number<Receptors>([&]<std::size_t which>() {
      const auto psp = Synapses::template of_receptor<which>(m, psps, synapses);
      sum = m.subtract(sum, m.shifted_down(psp, share_bits));
    });
    return (m.min)(sum, m.splat(0)); // psps of a user's own may be negative
  }
};

} // namespace input
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
