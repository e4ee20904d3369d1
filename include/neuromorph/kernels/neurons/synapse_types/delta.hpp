// SPDX-License-Identifier: BSL-1.0
/// \file
/// Synapses without a time course: a spike moves the membrane at once.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_SYNAPSE_TYPES_DELTA_HPP
#define NEUROMORPH_KERNELS_NEURONS_SYNAPSE_TYPES_DELTA_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace synapse {

/// A spike moves the membrane by its weight in mV, at the end of the step in which it arrives: excitation up, inhibition
/// down, and so on in turn. No word, no product. Weights are magnitudes.
///
/// As PyNN's IF_curr_delta and NEST's iaf_psc_delta: the threshold is asked after it, and what arrives in the refractory
/// period is lost. The membrane is held near the ends of its word, and counted. Of membrane::Linear a receptor moves the state
/// that the membrane names, and its weight is in that state's unit.
template <std::size_t Receptors>
struct Delta : Part<Role::synapses> {
  static constexpr std::size_t receptors = Receptors;
  static constexpr bool input_in_pairs = false;
  struct Shared {
    std::array<std::uint8_t, Receptors> input_shift{};
  };
  static constexpr bool is_covered(const Shared&, const Shared&) noexcept { return true; }
  static constexpr int weight_bits(const Shared& shared, std::size_t receptor) noexcept {
    return -shared.input_shift[receptor];
  }
  struct Parameters {
    std::array<ReceptorWeights, Receptors> weights{}; ///< in mV
  };
  static constexpr bool is_physical = true;
  static constexpr int lost_halves = 0;

  /// The finest unit of the membrane whose range holds what is brought.
  /// \errors as make
  template <class Membrane>
  static constexpr Result<int> most_unit_bits(const Parameters& given, const Making& making) noexcept {
    int bits = making.unit_bits;
    for (std::uint32_t which = 0; which < Receptors; ++which) {
      const ReceptorWeights& weights = given.weights[which];
      if (!(weights.drive_mv >= 0.0 && weights.drive_mv < 1e9))
        return Status{Error::parameter_out_of_range, which, weights.drive_mv, "synapses.weights.drive_mv"};
      const auto moved = detail::psp_of(weights, making.dt_ms, 1.0 - making.decay);
      if (!moved) return detail::at(moved.status(), which);
      double needed = weights.drive_mv;
      if (weights.rate_hz > 0.0 && weights.fan_in > 0.0 && weights.largest * moved.value() > needed)
        needed = weights.largest * moved.value();
      while (bits > 0 && needed > detail::power_of_two(30 - bits)) --bits;
    }
    return bits;
  }
  /// \errors parameter_not_positive, parameter_out_of_range, weight_out_of_range for a largest weight; `where` is the
  ///         receptor
  static constexpr Status make(const Parameters& given, const Making& making, auto to) noexcept {
    using Membrane = typename decltype(to)::Membrane;
    for (std::uint32_t which = 0; which < Receptors; ++which) {
      const int bits = Membrane::moved_bits(making, which);
      const auto shift = detail::input_shift(given.weights[which], 1.0, bits);
      if (!shift) return detail::at(shift.status(), which);
      to.own.shared.input_shift[which] = shift.value();
      to.units[which] = detail::power_of_two(bits - shift.value());
    }
    return {};
  }

  static constexpr auto onto(const auto&, const auto&, const auto&, auto sum) noexcept { return sum; }
  static constexpr void step(const auto&, auto&, const auto&, const auto&) noexcept {}
  template <class Membrane>
  static constexpr void arrive(auto& m, auto& membrane, const auto&, const auto& own, const auto& input) noexcept {
    for (std::size_t which = 0; which < Receptors; ++which) {
      auto& word = Membrane::moved_word(membrane, which);
      const auto moved = which % 2 == 0 ? input[which] : m.subtract(m.splat(0), input[which]);
      word = m.add_scaled_held(word, moved, own.shared.input_shift[which]);
      if constexpr (!Membrane::is_held) {
        const auto room = m.splat(Making::room_at_ends); // for the membrane's own step
        word = m.subtract(m.add_scaled_held(word, room, 0), room);
        word = m.add(m.add_scaled_held(word, m.splat(-Making::room_at_ends), 0), room);
      }
    }
  }
};

} // namespace synapse
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
