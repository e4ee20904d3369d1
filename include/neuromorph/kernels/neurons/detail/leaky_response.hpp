// SPDX-License-Identifier: BSL-1.0
/// \file
/// What synaptic currents do to a membrane with one time constant, or with none, over a step; or their means.
#ifndef NEUROMORPH_KERNELS_NEURONS_DETAIL_LEAKY_RESPONSE_HPP
#define NEUROMORPH_KERNELS_NEURONS_DETAIL_LEAKY_RESPONSE_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/part.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

[[nodiscard]] constexpr double scaled_response(const Making& making, std::int64_t shape_q60) noexcept {
  const double shape =
      static_cast<double>(multiply_q60(making.kept_q60, shape_q60)) / static_cast<double>(detail::one_q60);
  return making.dt_ms / making.tau_m_ms * making.r_mohm * shape;
}

/// mV that a step adds to the membrane from 1 nA at its begin, decaying with `rate` = dt/tau:
/// (dt / c_m) exp(-dt/tau_m) phi1(dt/tau_m - dt/tau), which is regular where the time constants are equal.
[[nodiscard]] constexpr double leaky_response(const Making& making, std::int64_t rate_q60) noexcept {
  return scaled_response(making, phi1_q60(making.leak_q60 - rate_q60));
}
/// mV that a step adds from a current that is 0 at its begin and decays with `rate`. Another feeds it, which starts at 1 nA
/// per step and decays with `rise`. It is (dt / c_m) times the second divided difference of exp at the three negative
/// rates.
[[nodiscard]] constexpr double leaky_response_to_rise(const Making& making, std::int64_t rate_q60,
                                                      std::int64_t rise_q60) noexcept {
  return scaled_response(making, second_difference_q60(making.leak_q60 - rate_q60, making.leak_q60 - rise_q60));
}

/// The step's mean of such a current, times the step over the capacitance: what it does to a membrane that takes means.
[[nodiscard]] constexpr double mean_of_rise(const Making& making, std::int64_t rate_q60,
                                            std::int64_t rise_q60) noexcept {
  return making.dt_ms / making.c_nf * static_cast<double>(second_difference_q60(-rate_q60, -rise_q60)) /
         static_cast<double>(one_q60);
}

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
