// SPDX-License-Identifier: BSL-1.0
/// \file
/// Two synaptic currents of which one gates the other, for spiking elementary motion detectors.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_INPUTS_MULTIPLICATIVE_HPP
#define NEUROMORPH_KERNELS_NEURONS_INPUTS_MULTIPLICATIVE_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace input {

/// I = gain * I_facilitation * I_trigger flows into the membrane: receptor 0 facilitates, receptor 1 triggers. Neither does
/// anything alone, and the later the trigger comes after the facilitation, the less.
///
/// Both are means over the step, and so is what they do: second order in the step. A psp is held, and counted, from
/// 2^RangeBits nA on, so that the membrane, for which make proves it, cannot wrap. Psps below zero count as zero.
/// In sPyNNaker's current_semd the facilitation is sampled at the trigger's first spike, and flows into the membrane, too.
///
/// \tparam RangeBits  psps are below 2^RangeBits nA, -4 to 4
/// \cost two products (upper halves)
/// \source M. Milde, O. Bertrand, H. Ramachandran, M. Egelhaaf and E. Chicca, Neural Computation 30, 2018
template <int RangeBits = 1>
struct Multiplicative : Part<Role::input> {
  static_assert(RangeBits >= -4 && RangeBits <= 4, "neuromorph: Multiplicative's psps are below 2^-4 to 2^4 nA; see "
                                                   "docs/neurons.md");
  static constexpr bool is_rate = true, needs_potential = false;
  static constexpr int lost_halves = 1;
  template <class Word>
  struct Constants {
    Word gain; ///< what a product of 2^32 squared psp units brings to the membrane in a step, 2^(32 - shift)
  };
  struct Shared {
    std::uint8_t shift = 0;
  };
  static constexpr bool is_covered(const Shared& own, const Shared& common) noexcept {
    return own.shift == common.shift;
  }
  struct Parameters {
    double gain_per_na = 1.0; ///< I is in nA; negative gains inhibit
  };
  static constexpr bool is_physical = true;

  template <class Membrane>
  struct MadeFor {
    /// Mean over a step of 1 nA at its begin.
    [[nodiscard]] static constexpr double response(const Making&, std::int64_t rate_q60) noexcept {
      return static_cast<double>(detail::phi1_q60(-rate_q60)) * detail::power_of_two(-60);
    }
    /// The same of a current that is 0 at its begin, and fed by 1 nA per step that decays with `rise`.
    [[nodiscard]] static constexpr double response_to_rise(const Making&, std::int64_t rate_q60,
                                                           std::int64_t rise_q60) noexcept {
      return static_cast<double>(detail::second_difference_q60(-rate_q60, -rise_q60)) * detail::power_of_two(-60);
    }
  };
  template <class Membrane>
  [[nodiscard]] static constexpr Making scale(Making making) noexcept {
    making.unit_bits = psp_bits;
    making.room = 4.0;
    making.decay = 0.0;
    making.holds_weights = true;
    return making;
  }

  /// \errors parameter_out_of_range for a gain at which full psps would bring the membrane out of its word: take fewer
  ///         RangeBits
  static constexpr Status make(const Parameters& given, const Making& making, auto to) noexcept {
    using Membrane = typename decltype(to)::Membrane;
    const double per_unit = Membrane::response(making, 0) * given.gain_per_na * detail::power_of_two(making.unit_bits),
                 most = per_unit * detail::power_of_two(2 * RangeBits);
    const double limit = making.room * detail::power_of_two(31);
    if (!detail::is_finite(given.gain_per_na) || !(most < limit && most > -limit))
      return {Error::parameter_out_of_range, 0, given.gain_per_na, "input.gain_per_na"};
    int shift = 0;
    const int bits = 64 - 2 * psp_bits; // of a product
    const auto magnitude = per_unit < 0.0 ? -per_unit : per_unit;
    while (magnitude * detail::power_of_two(bits - shift) >= 2147483647.0) ++shift;
    to.own.shared.shift = static_cast<std::uint8_t>(shift);
    to.own.gain = static_cast<std::int32_t>(detail::to_fixed(per_unit, bits - shift));
    return {};
  }

  template <class Synapses, class Membrane>
  static constexpr auto onto(auto& m, const auto& psps, const auto& synapses, const auto& own, auto,
                             auto sum) noexcept {
    static_assert(Synapses::receptors == 2 && Synapses::is_receptor_apart,
                  "neuromorph: input::Multiplicative needs two receptors whose psps are apart; see docs/neurons.md");
    const auto none = m.splat(0);
    // one after the other: each may draw
    const auto first = (m.max)(Synapses::template of_receptor<0>(m, psps, synapses), none);
    const auto second = (m.max)(Synapses::template of_receptor<1>(m, psps, synapses), none);
    const auto both = m.product_down(first, second);
    return m.add(sum, m.scaled_up(m.product(both, own.gain), own.shared.shift));
  }

private:
  static constexpr int psp_bits = 31 - RangeBits;
};

} // namespace input
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
