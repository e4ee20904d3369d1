// SPDX-License-Identifier: BSL-1.0
/// \file
/// A current that is a sine of time.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_CURRENTS_ALTERNATING_HPP
#define NEUROMORPH_KERNELS_NEURONS_CURRENTS_ALTERNATING_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/currents/direct.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

/// sin(2 pi turns / 2^32) * 2^31, at most 2^31 - 1; error below 8 units.
/// \source Chebyshev's polynomial of degree 5 for sin(pi z / 2) / z in z^2
[[nodiscard]] constexpr std::int32_t sine_q31(std::uint32_t turns) noexcept {
  std::int64_t z = static_cast<std::int32_t>(turns); // quarters, 2^30
  constexpr std::int64_t half = std::int64_t{1} << 31;
  if (z > half / 2) z = half - z;
  if (z < -half / 2) z = -half - z;
  const std::int64_t square = (z * z) >> 30;
  std::int64_t sum = -3685; // 2^30
  for (const std::int64_t coefficient : {172072, -5026892, 85569282, -693598666, 1686629713})
    sum = coefficient + ((sum * square + (1 << 29)) >> 30);
  const std::int64_t sine = (sum * z + (1 << 28)) >> 29;
  return static_cast<std::int32_t>(sine > INT32_MAX ? INT32_MAX : sine < -INT32_MAX ? -INT32_MAX : sine);
}

} // namespace detail

namespace current {

/// offset + amplitude sin(2 pi frequency t + phase), the same for all neurons of a population, from a first step to a last.
///
/// t is step number times dt at the begin of a step. Over a step the current has the value of its middle. With omega = 2 pi
/// frequency, membrane::Lif is off by (omega dt)^2 / 24 + omega dt^2 / (12 tau) of what the sine does to it. The phase is
/// computed anew from the number of each step, with 64 bits: no errors gather, and any step may be the first. The frequency is
/// right to 2^-51 of itself. Error of the sine below 2^-28, of the current half a unit of the membrane in a step.
/// PyNN's ACSource and NEST's ac_generator have the same parameters.
/// \cost one sum; for the population, nine products of 64 bits a step
struct Alternating : Part<Role::current> {
  struct Shared {
    std::uint64_t phase = 0, increment = 0;          ///< turns, 2^64; the phase is that of the middle of step 0
    std::int32_t amplitude = 0, offset = 0, now = 0; ///< units of the membrane in a step
    detail::Window window;
  };
  static constexpr bool is_covered(const Shared& own, const Shared& common) noexcept {
    return own.phase == common.phase && own.increment == common.increment && own.amplitude == common.amplitude &&
           own.offset == common.offset && own.window == common.window;
  }
  struct Parameters {
    double amplitude_na = 0.0; ///< mV/ms with membrane::Izhikevich
    double offset_na = 0.0;
    double frequency_hz = 10.0; ///< at most half a turn a step
    double phase_deg = 0.0;     ///< -360 to 360
    std::uint32_t first_step = 0, last_step = UINT32_MAX;
  };
  static constexpr bool is_physical = true;
  /// \errors parameter_not_positive for a frequency below zero, parameter_out_of_range, also for what the membrane's range has
  ///         no room for
  static constexpr Status make(const Parameters& given, Making& making, auto to) noexcept {
    using Membrane = typename decltype(to)::Membrane;
    auto& shared = to.own.shared;
    const double turns = given.frequency_hz * making.dt_ms * 0.001;
    if (given.frequency_hz < 0.0) return {Error::parameter_not_positive, 0, given.frequency_hz, "current.frequency_hz"};
    if (!(turns <= 0.5)) return {Error::parameter_out_of_range, 0, given.frequency_hz, "current.frequency_hz"};
    if (!(given.phase_deg >= -360.0 && given.phase_deg <= 360.0))
      return {Error::parameter_out_of_range, 0, given.phase_deg, "current.phase_deg"};
    const auto increment = static_cast<std::uint64_t>(detail::to_fixed(turns, 63));
    shared.increment = 2 * increment;
    shared.phase = (static_cast<std::uint64_t>(detail::to_fixed(given.phase_deg / 360.0, 62)) << 2) + increment;
    const auto amplitude = detail::flow_of<Membrane>(given.amplitude_na, making, "current.amplitude_na"),
               offset = detail::flow_of<Membrane>(given.offset_na, making, "current.offset_na");
    if (!amplitude) return amplitude.status();
    if (!offset) return offset.status();
    if (!making.take(detail::magnitude(amplitude.value()) + detail::magnitude(offset.value())))
      return {Error::parameter_out_of_range, 0, given.amplitude_na, "current.amplitude_na"};
    shared.amplitude = amplitude.value();
    shared.offset = offset.value();
    shared.window = {given.first_step, given.last_step};
    return {};
  }
  static constexpr void at_step(auto& own, std::uint32_t step_number) noexcept {
    auto& shared = own.shared;
    const std::uint64_t phase = shared.phase + step_number * shared.increment;
    const std::int64_t sine = detail::sine_q31(static_cast<std::uint32_t>(phase >> 32));
    const auto flow = static_cast<std::int32_t>((shared.amplitude * sine + (1 << 30)) >> 31);
    shared.now = shared.window.contains(step_number) ? shared.offset + flow : 0;
  }
  static constexpr auto onto(const auto& m, const auto&, const auto& own, auto sum) noexcept {
    return m.add(sum, m.splat(own.shared.now));
  }
  static constexpr void step(auto&, auto&, const auto&) noexcept {}
};

} // namespace current
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
