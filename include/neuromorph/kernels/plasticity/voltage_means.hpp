// SPDX-License-Identifier: BSL-1.0
/// \file
/// Low-passed membrane voltages, for plasticity that depends on them.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_PLASTICITY_VOLTAGE_MEANS_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_VOLTAGE_MEANS_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/plasticity/decay_table.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// A membrane voltage in mV with 20 fraction bits: -2048 to 2048 mV.
using Voltage = std::int32_t;

/// To nearest; what is beyond the range is held there.
[[nodiscard]] constexpr Voltage voltage_of(double mv) noexcept {
  const std::int64_t units = detail::to_fixed(mv, 20);
  return static_cast<Voltage>(units > INT32_MAX ? INT32_MAX : units < INT32_MIN ? INT32_MIN : units);
}

/// Two means of each neuron's voltage, which follow it with different time constants.
template <std::size_t Neurons>
class VoltageMeans {
public:
  static constexpr std::size_t neurons = Neurons;
  struct Parameters {
    double tau_minus_ms = 10.0, tau_plus_ms = 7.0;
    double rest_mv = -70.6; ///< where both are at first
  };
  /// Of no time constant: stays at 0 mV.
  constexpr VoltageMeans() noexcept = default;
  /// \errors parameter_not_positive, parameter_out_of_range: tau_minus_ms, tau_plus_ms, dt_ms, rest_mv;
  ///         time_constant_too_long: above 10^5 ticks
  [[nodiscard]] static constexpr Result<VoltageMeans> from(const Parameters& given, double dt_ms) noexcept {
    VoltageMeans means;
    const auto minus = gain_of(given.tau_minus_ms, dt_ms, "tau_minus_ms");
    const auto plus = gain_of(given.tau_plus_ms, dt_ms, "tau_plus_ms");
    if (!minus) return minus.status();
    if (!plus) return plus.status();
    if (!(given.rest_mv > -2048 && given.rest_mv < 2048))
      return Status{Error::parameter_out_of_range, 0, given.rest_mv, "rest_mv"};
    means.minus_gain_ = minus.value(), means.plus_gain_ = plus.value();
    for (std::size_t neuron = 0; neuron < Neurons; ++neuron)
      means.minus_[neuron] = means.plus_[neuron] = voltage_of(given.rest_mv);
    return means;
  }

  /// Both go towards the voltage of a tick.
  /// \param neuron  below Neurons
  /// \cost ARM968E-S: two long products
  constexpr void step(std::uint32_t neuron, Voltage voltage) noexcept {
    minus_[neuron] = followed(minus_[neuron], voltage, minus_gain_);
    plus_[neuron] = followed(plus_[neuron], voltage, plus_gain_);
  }
  [[nodiscard]] constexpr Voltage minus(std::uint32_t neuron) const noexcept { return minus_[neuron]; }
  [[nodiscard]] constexpr Voltage plus(std::uint32_t neuron) const noexcept { return plus_[neuron]; }

private:
  /// 1 - e^(-dt / tau), with 30 fraction bits.
  [[nodiscard]] static constexpr Result<std::int32_t> gain_of(double tau_ms, double dt_ms, const char* name) noexcept {
    if (!detail::is_finite(tau_ms)) return Status{Error::parameter_out_of_range, 0, tau_ms, name};
    if (!detail::is_finite(dt_ms)) return Status{Error::parameter_out_of_range, 0, dt_ms, "dt_ms"};
    if (!(tau_ms > 0)) return Status{Error::parameter_not_positive, 0, tau_ms, name};
    if (!(dt_ms > 0)) return Status{Error::parameter_not_positive, 0, dt_ms, "dt_ms"};
    if (tau_ms * 1e-5 > dt_ms) return Status{Error::time_constant_too_long, 0, tau_ms, name};
    const std::int64_t decay = dt_ms > 64 * tau_ms ? 0 : detail::decay_q60(dt_ms / tau_ms);
    return static_cast<std::int32_t>((detail::one_q60 - decay + (std::int64_t{1} << 29)) >> 30);
  }
  [[nodiscard]] static constexpr Voltage followed(Voltage mean, Voltage voltage, std::int32_t gain) noexcept {
    const std::int64_t step = (std::int64_t{voltage} - mean) * gain;
    return static_cast<Voltage>(mean + ((step + (std::int64_t{1} << 29)) >> 30));
  }

  std::int32_t minus_gain_ = 0, plus_gain_ = 0;
  Voltage minus_[Neurons]{}, plus_[Neurons]{};
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
