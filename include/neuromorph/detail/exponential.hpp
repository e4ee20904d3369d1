// SPDX-License-Identifier: BSL-1.0
/// \file
/// Exponentials for integration constants, in integers: the same bits with any compiler flag, at compile time
/// or not.
///
/// Floating-point expressions may be contracted to fused multiply-adds or not, by the user's flags; integers
/// cannot. Numbers are signed with 60 fraction bits (Q60). Not for use in a step: divides 64-bit integers.
#ifndef NEUROMORPH_DETAIL_EXPONENTIAL_HPP
#define NEUROMORPH_DETAIL_EXPONENTIAL_HPP

#include <bit>
#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

inline constexpr std::int64_t one_q60 = std::int64_t{1} << 60;

/// Finite double times 2^fraction_bits, to nearest, ties away from zero; magnitudes of 2^63 and more give
/// +-(2^63 - 1).
[[nodiscard]] constexpr std::int64_t to_fixed(double value, int fraction_bits) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const int biased = static_cast<int>((bits >> 52) & 0x7FF);
  if (biased == 0) return 0; // zero and subnormals: far below any format here
  std::uint64_t magnitude = (bits & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1} << 52);
  const int shift = biased - 1075 + fraction_bits;
  if (shift > 10) {
    magnitude = ~std::uint64_t{0} >> 1;
  } else if (shift >= 0) {
    magnitude <<= shift;
  } else {
    magnitude = shift < -54 ? 0 : ((magnitude >> (-shift - 1)) + 1) >> 1;
  }
  const auto positive = static_cast<std::int64_t>(magnitude);
  return (bits >> 63) != 0 ? -positive : positive;
}

/// Neither infinite nor a NaN; by the bits, so that -ffast-math does not answer for it.
[[nodiscard]] constexpr bool is_finite(double value) noexcept {
  return ((std::bit_cast<std::uint64_t>(value) >> 52) & 0x7FF) != 0x7FF;
}

/// floor(a * b / 2^60) without a 128-bit type; |a|, |b| below 2^62, |a * b| below 2^122.
[[nodiscard]] constexpr std::int64_t multiply_q60(std::int64_t a, std::int64_t b) noexcept {
  const std::int64_t a_high = a >> 32, b_high = b >> 32;
  const auto a_low = static_cast<std::int64_t>(a & 0xFFFFFFFF), b_low = static_cast<std::int64_t>(b & 0xFFFFFFFF);
  const std::uint64_t low = static_cast<std::uint64_t>(a_low) * static_cast<std::uint64_t>(b_low);
  const std::int64_t middle = a_high * b_low + static_cast<std::int64_t>(low >> 32);
  const std::int64_t cross = a_low * b_high + (middle & 0xFFFFFFFF);
  const std::int64_t high = a_high * b_high + (middle >> 32) + (cross >> 32);
  return high * 16 + ((cross & 0xFFFFFFFF) >> 28);
}

/// Logarithm to the base 2 of a positive, normal number, with 40 fraction bits; error below 2 units. Bit by bit: a square
/// doubles the logarithm.
[[nodiscard]] constexpr std::int64_t log2_q40(double value) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::int64_t result = static_cast<std::int64_t>((bits >> 52) & 0x7FF) - 1023;
  auto rest = static_cast<std::int64_t>((bits & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1} << 52)) << 8;
  for (int bit = 0; bit < 40; ++bit) {
    rest = multiply_q60(rest, rest);
    result *= 2;
    if (rest >= 2 * one_q60) result += 1, rest >>= 1;
  }
  return result;
}

/// Sum over k >= 0 of z^k / (k + first)!, times first!; |z| at most 1. Error below 2^-56.
[[nodiscard]] constexpr std::int64_t exponential_series_q60(std::int64_t z, int first) noexcept {
  std::int64_t sum = one_q60;
  for (int k = 20 + first; k > first; --k) sum = one_q60 + multiply_q60(z, sum) / k;
  return sum;
}

/// e^z, |z| at most 1.
[[nodiscard]] constexpr std::int64_t exp_q60(std::int64_t z) noexcept { return exponential_series_q60(z, 0); }

/// (e^z - 1) / z with its limit 1 at z = 0, |z| at most 1: regular where two time constants are equal.
[[nodiscard]] constexpr std::int64_t phi1_q60(std::int64_t z) noexcept { return exponential_series_q60(z, 1); }

/// The integral over u from 0 to 1 of the integral over w from 0 to u of e^(y w + z (u - w)), |y| and |z| at most 0.7: the
/// second divided difference of e^x at 0, y and z, regular wherever they meet. Error below 2^-55.
[[nodiscard]] constexpr std::int64_t second_difference_q60(std::int64_t y, std::int64_t z) noexcept {
  // Sum over k of h_k(y, z) / (k + 2)!, where h_k is the sum of all y^i z^(k - i).
  std::int64_t power = one_q60, homogeneous = one_q60, factorial = 2, sum = 0;
  for (int k = 0; k <= 16; ++k) {
    sum += homogeneous / factorial;
    factorial *= k + 3;
    power = multiply_q60(power, y);
    homogeneous = power + multiply_q60(homogeneous, z);
  }
  return sum;
}

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
