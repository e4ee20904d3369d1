// SPDX-License-Identifier: BSL-1.0
/// \file
/// A membrane by the numbers of its recurrence, as networks are trained with them.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_MEMBRANES_RECURRENCE_HPP
#define NEUROMORPH_KERNELS_NEURONS_MEMBRANES_RECURRENCE_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/detail/kept.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace membrane {

/// v' = kept v + drift + drive. The numbers are given: 1 - dt/tau of Euler's method, or exp(-dt/tau). Nothing is in mV or ms
/// but by name; the fraction bits of the word are given, too.
///
/// The product is exact but for its rounding to a unit: with rounding::Nearest half a unit at most. The membrane is held at
/// the ends of its word, and counted. It goes with synapse::Recurrence and synapse::Sums.
/// \cost one product
struct Recurrence : Part<Role::membrane> {
  template <class Number>
  struct Words {
    Number v; ///< relative to the threshold
  };
  template <class Number>
  struct Constants {
    Number itself; ///< negative: the word itself, and a factor times it
    Number factor; ///< 32 fraction bits
    Number drift;  ///< what is added per step, in units
  };
  struct Parameters {
    double kept = 0.9;     ///< 0 to 1
    double drift_mv = 0.0; ///< per step; of v itself, wherever the threshold is
    double v_initial_mv = 0.0;
    int fraction_bits = 15; ///< of the word, 0 to 30
  };
  static constexpr bool is_physical = true;
  static constexpr bool is_held = true;
  static constexpr bool is_covered(const NoFields&, const NoFields&) noexcept { return true; }

  /// \errors parameter_out_of_range
  static constexpr Status make(const Parameters& given, Making& making, auto to) noexcept {
    if (given.fraction_bits < 0 || given.fraction_bits > 30)
      return {Error::parameter_out_of_range, 0, given.fraction_bits, "membrane.fraction_bits"};
    making.unit_bits = given.fraction_bits;
    making.tau_m_ms = 1.0, making.r_mohm = 1.0;
    const auto kept = detail::kept_of(given.kept, "membrane.kept");
    if (!kept) return kept.status();
    to.own.itself = kept.value().itself, to.own.factor = kept.value().factor;
    making.decay = 1.0 - given.kept, making.room = 1.0;
    // Relative to the threshold: what a step does not keep of it is taken off.
    const std::int64_t level = detail::to_fixed(making.threshold_mv, given.fraction_bits);
    const std::int64_t drift = detail::to_fixed(given.drift_mv, given.fraction_bits);
    if (!detail::is_finite(making.threshold_mv) || level > INT32_MAX || level < INT32_MIN)
      return {Error::parameter_out_of_range, 0, making.threshold_mv, "threshold"};
    const std::int64_t product = level * to.own.factor, half = std::int64_t{1} << 31;
    const std::int64_t kept_level = (to.own.itself < 0 ? level : 0) + ((product + half) >> 32);
    const std::int64_t sum = drift + kept_level - level;
    if (!detail::is_finite(given.drift_mv) || sum > INT32_MAX || sum < INT32_MIN)
      return {Error::parameter_out_of_range, 0, given.drift_mv, "membrane.drift_mv"};
    to.own.drift = static_cast<std::int32_t>(sum);
    const auto initial = making.word_of(given.v_initial_mv, "membrane.v_initial_mv");
    if (!initial) return initial.status();
    to.initial.v = initial.value();
    to.quantities.v = making.membrane();
    return {};
  }

  static constexpr void step(auto& m, auto& word, const auto& own, const auto& drive) noexcept {
    const auto kept = m.add_scaled_held(detail::kept_of(m, word.v, own.itself, own.factor), own.drift, 0);
    word.v = m.add_scaled_held(kept, drive.value(), 0);
  }
  static constexpr void spiked(const auto&, auto&, const auto&, auto) noexcept {}
};

} // namespace membrane
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
