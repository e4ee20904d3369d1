// SPDX-License-Identifier: BSL-1.0
/// \file
/// Resets that take something away from the membrane, and none at all.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_RESETS_SUBTRACTION_HPP
#define NEUROMORPH_KERNELS_NEURONS_RESETS_SUBTRACTION_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {
/// \errors parameter_not_positive, parameter_out_of_range
[[nodiscard]] constexpr Result<std::int32_t> subtrahend(double by_mv, const Making& making, const char* name) noexcept {
  if (!is_finite(by_mv)) return Status{Error::parameter_out_of_range, 0, by_mv, name};
  if (!(by_mv > 0.0)) return Status{Error::parameter_not_positive, 0, by_mv, name};
  const std::int64_t units = to_fixed(by_mv, making.unit_bits);
  if (units == 0 || units >= 1 << 30) return Status{Error::parameter_out_of_range, 0, by_mv, name};
  return static_cast<std::int32_t>(units);
}
} // namespace detail

namespace reset {

/// A spike takes a constant away from the membrane, so that what was above the threshold stays. A membrane that is still
/// above fires again in the next step. With a refractory period the difference is held, and integration goes on from it.
struct Subtraction : Part<Role::reset> {
  template <class Value>
  struct Constants {
    Value by; ///< negative, in units of the membrane
  };
  struct Parameters {
    double by_mv =
        15.0; ///< in NIR's and snnTorch's neurons the distance of threshold and rest; below 2^30 units: 256 mV
  };
  static constexpr bool is_physical = true;
  /// \errors parameter_not_positive, parameter_out_of_range
  static constexpr Status make(const Parameters& given, const Making& making, auto to) noexcept {
    const auto by = detail::subtrahend(given.by_mv, making, "reset.by_mv");
    if (!by) return by.status();
    to.own.by = -by.value();
    return {};
  }
  static constexpr auto late(const auto&, const auto&, auto, auto v) noexcept { return v; }
  /// Held and counted: a neuron with a stochastic threshold may fire anywhere.
  static constexpr auto spiked(auto& m, const auto& own, auto v, auto fired) noexcept {
    return m.add_scaled_held(v, m.select(fired, own.by, m.splat(0)), 0);
  }
};

/// The same one step later, as networks were trained in which the reset of step n+1 looks at the membrane of step n:
/// v[n+1] = decay v[n] + input - by * (v[n] >= threshold). So are snnTorch's neurons with reset_delay = True and
/// reset_mechanism = "subtract", but for a membrane that equals the threshold, which does not fire there.
///
/// With a refractory period the membrane that fired is held, above the threshold, and the subtraction is due in the first
/// step after it. Needs threshold::Fixed.
/// \cost a sum and a selection in every step
struct LateSubtraction : Part<Role::reset> {
  static constexpr bool needs_fixed_threshold = true;
  template <class Value>
  struct Constants {
    Value by; ///< in units of the membrane
  };
  using Parameters = Subtraction::Parameters;
  static constexpr bool is_physical = true;
  /// \errors parameter_not_positive, parameter_out_of_range
  static constexpr Status make(const Parameters& given, const Making& making, auto to) noexcept {
    const auto by = detail::subtrahend(given.by_mv, making, "reset.by_mv");
    if (!by) return by.status();
    to.own.by = by.value();
    return {};
  }
  static constexpr auto late(auto& m, const auto& own, auto before, auto v) noexcept {
    return m.add_scaled_held(v, m.select(m.is_negative(before), m.splat(0), m.subtract(m.splat(0), own.by)), 0);
  }
  static constexpr auto spiked(const auto&, const auto&, auto v, auto) noexcept { return v; }
};

/// A spike takes a constant away at once. A neuron that is still above the threshold after it fires in the next step only if the
/// membrane is above by this constant more. So are snnTorch's neurons with reset_delay = False and reset_mechanism = "subtract".
///
/// Needs threshold::Fixed.
/// \cost a difference and a selection in every step
struct TwiceTestedSubtraction : Subtraction {
  static constexpr bool needs_fixed_threshold = true;
  static constexpr auto tested(auto& m, const auto& own, auto before, auto v) noexcept {
    return m.select(m.is_negative(before), v, m.add_saturating(v, own.by));
  }
};

/// A spike leaves the membrane alone: it fires in every step that ends at or above the threshold. With a refractory period
/// it is held there, so that it fires again in the first step after the period unless its input takes it down.
struct None : Part<Role::reset> {
  static constexpr auto late(const auto&, const auto&, auto, auto v) noexcept { return v; }
  static constexpr auto spiked(const auto&, const auto&, auto v, auto) noexcept { return v; }
};

} // namespace reset
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
