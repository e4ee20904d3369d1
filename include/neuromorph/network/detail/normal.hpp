// SPDX-License-Identifier: BSL-1.0
/// \file
/// The normal distribution and the logarithm with the same bits whatever the compiler contracts to fused multiply-adds.
///
/// A sum takes quotients alone, and a product is never added to: there is nothing to contract.
// host-only
#ifndef NEUROMORPH_NETWORK_DETAIL_NORMAL_HPP
#define NEUROMORPH_NETWORK_DETAIL_NORMAL_HPP

#include <bit>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {
namespace detail {

/// e^x, x from 0 to 64.
[[nodiscard]] constexpr double exp_of(double x) noexcept {
  const auto whole = static_cast<unsigned>(x);
  double result = 1.0;
  for (unsigned one = 0; one < whole; ++one) result *= 2.718281828459045235360;
  const std::int64_t rest = neuromorph::detail::exp_q60(neuromorph::detail::to_fixed(whole - x, 60)); // of a negative
  return result / (static_cast<double>(rest) / 1152921504606846976.0);
}

/// The chance that a standard normal number is below z; absolute error below 1e-14.
/// \source G. Marsaglia, Evaluating the normal distribution, J. Stat. Software 11(4), 2004; its series has no differences
[[nodiscard]] constexpr double normal_below(double z) noexcept {
  if (z < -8.0) return 0.0;
  if (z > 8.0) return 1.0;
  const double square = z * z;
  double term = z, sum = z;
  for (double odd = 3.0; term > 1e-17 || term < -1e-17; odd += 2.0) {
    term = term * square / odd;
    const double next = sum + term;
    if (next == sum) break;
    sum = next;
  }
  const double inverse_density = exp_of(square / 2.0) * 2.506628274631000502416; // sqrt(2 pi)
  return 0.5 + sum / inverse_density;
}

/// The natural logarithm of a positive, normal number; error below 2^-38.
[[nodiscard]] constexpr double log_of(double value) noexcept {
  return static_cast<double>(neuromorph::detail::log2_q40(value)) / (1099511627776.0 * 1.442695040888963407360);
}

} // namespace detail
} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
