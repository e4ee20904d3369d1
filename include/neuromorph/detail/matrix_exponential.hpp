// SPDX-License-Identifier: BSL-1.0
/// \file
/// Exponentials of reduced matrices for integration constants, in integers: the same bits with any compiler flag, at
/// compile time or not.
///
/// Numbers have 64 significant bits and an exponent. Not for use in a step: some 10^4 operations for five rows.
#ifndef NEUROMORPH_DETAIL_MATRIX_EXPONENTIAL_HPP
#define NEUROMORPH_DETAIL_MATRIX_EXPONENTIAL_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

/// Zero or +-mantissa * 2^exponent, with the highest bit of the mantissa set. A product or a quotient errs by less than 2^-62
/// of itself, a sum by less than 2^-62 of its larger term; they round towards zero.
struct SoftFloat {
  std::uint64_t mantissa = 0;
  int exponent = 0;
  bool is_negative = false;

  constexpr SoftFloat() noexcept = default;
  /// Exactly; a subnormal becomes zero. Of infinity it makes a number.
  constexpr SoftFloat(double value) noexcept { // NOLINT(google-explicit-constructor): literals
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const int biased = static_cast<int>((bits >> 52) & 0x7FF);
    if (biased == 0) return;
    *this = {(bits << 11) | (std::uint64_t{1} << 63), biased - 1086, (bits >> 63) != 0};
  }
  constexpr SoftFloat(std::uint64_t significant, int power, bool below_zero) noexcept
      : mantissa(significant), exponent(power), is_negative(below_zero) {}
  /// whole * 2^power, exactly.
  [[nodiscard]] static constexpr SoftFloat from(std::int64_t whole, int power) noexcept {
    const auto bits = static_cast<std::uint64_t>(whole);
    return normalised(whole < 0 ? 0 - bits : bits, power, whole < 0);
  }

  [[nodiscard]] constexpr bool is_zero() const noexcept { return mantissa == 0; }
  /// The magnitude is below 2^magnitude_bits() and at least half of that; of zero it is the least.
  [[nodiscard]] constexpr int magnitude_bits() const noexcept { return is_zero() ? -(1 << 20) : exponent + 64; }
  [[nodiscard]] constexpr SoftFloat scaled(int amount) const noexcept {
    return is_zero() ? *this : SoftFloat{mantissa, exponent + amount, is_negative};
  }
  [[nodiscard]] constexpr SoftFloat operator-() const noexcept { return {mantissa, exponent, !is_negative}; }

  /// This times 2^fraction_bits, to nearest, halves away from zero; magnitudes of 2^62 and more give +-(2^63 - 1).
  [[nodiscard]] constexpr std::int64_t to_fixed(int fraction_bits) const noexcept {
    const int shift = -(exponent + fraction_bits);
    if (is_zero() || shift > 64) return 0;
    const auto magnitude =
        static_cast<std::int64_t>(shift < 2 ? ~std::uint64_t{0} >> 1 : ((mantissa >> (shift - 1)) + 1) >> 1);
    return is_negative ? -magnitude : magnitude;
  }

  /// Towards zero; below 2^-1022 it is 0, and at most 2^1023.
  [[nodiscard]] constexpr double to_double() const noexcept {
    const int biased = exponent + 1086;
    if (is_zero() || biased < 1) return 0.0;
    const std::uint64_t sign = std::uint64_t{is_negative} << 63;
    if (biased > 2046) return std::bit_cast<double>(sign | std::uint64_t{2046} << 52);
    return std::bit_cast<double>(sign | static_cast<std::uint64_t>(biased) << 52 | (mantissa << 1) >> 12);
  }

  [[nodiscard]] friend constexpr SoftFloat operator*(const SoftFloat& a, const SoftFloat& b) noexcept {
    if (a.mantissa == 0 || b.mantissa == 0) return {};
    const std::uint64_t a_low = a.mantissa & 0xFFFF'FFFFU, b_low = b.mantissa & 0xFFFF'FFFFU;
    const std::uint64_t a_high = a.mantissa >> 32, b_high = b.mantissa >> 32;
    const std::uint64_t middle = a_high * b_low + ((a_low * b_low) >> 32);
    const std::uint64_t cross = a_low * b_high + (middle & 0xFFFF'FFFFU);
    const std::uint64_t high = a_high * b_high + (middle >> 32) + (cross >> 32);
    const bool below_zero = a.is_negative != b.is_negative;
    if (high >> 63 != 0) return {high, a.exponent + b.exponent + 64, below_zero};
    return {high << 1 | (cross >> 31 & 1), a.exponent + b.exponent + 63, below_zero};
  }
  [[nodiscard]] friend constexpr SoftFloat operator+(const SoftFloat& a, const SoftFloat& b) noexcept {
    if (b.mantissa == 0) return a;
    if (a.mantissa == 0) return b;
    if (a.exponent < b.exponent) return b + a;
    const int apart = a.exponent - b.exponent;
    if (apart > 63) return a;
    const std::uint64_t smaller = b.mantissa >> apart;
    if (a.is_negative == b.is_negative) {
      const std::uint64_t sum = a.mantissa + smaller;
      if (sum >= smaller) return {sum, a.exponent, a.is_negative};
      return {sum >> 1 | std::uint64_t{1} << 63, a.exponent + 1, a.is_negative};
    }
    if (a.mantissa >= smaller) return normalised(a.mantissa - smaller, a.exponent, a.is_negative);
    return normalised(smaller - a.mantissa, a.exponent, b.is_negative);
  }
  [[nodiscard]] friend constexpr SoftFloat operator-(const SoftFloat& a, const SoftFloat& b) noexcept { return a + -b; }
  /// \param right at least 1, below 2^31
  [[nodiscard]] static constexpr SoftFloat divided(const SoftFloat& left, std::uint32_t right) noexcept {
    // By two digits of 32 bits and a third, so that the quotient is full.
    const std::uint64_t first = left.mantissa / right, rest = left.mantissa % right;
    if (first == 0) return {};
    const int zeros = std::countl_zero(first);
    const std::uint64_t more = (rest << 32) / right; // 32 bits below `first`
    return {first << zeros | (zeros > 32 ? more << (zeros - 32) : more >> (32 - zeros)), left.exponent - zeros,
            left.is_negative};
  }
  /// \param b not zero
  [[nodiscard]] friend constexpr SoftFloat operator/(const SoftFloat& a, const SoftFloat& b) noexcept {
    if (a.is_zero()) return a;
    // The quotient of the mantissas lies between 1/2 and 2: one bit before the point, 63 behind.
    std::uint64_t rest = a.mantissa, quotient = 0;
    for (int bit = 0; bit < 64; ++bit) {
      const bool carry = bit != 0 && rest >> 63 != 0;
      if (bit != 0) rest <<= 1;
      quotient <<= 1;
      if (carry || rest >= b.mantissa) {
        rest -= b.mantissa;
        quotient |= 1;
      }
    }
    return normalised(quotient, a.exponent - b.exponent - 63, a.is_negative != b.is_negative);
  }

private:
  [[nodiscard]] static constexpr SoftFloat normalised(std::uint64_t bits, int power, bool below_zero) noexcept {
    if (bits == 0) return {};
    const int zeros = std::countl_zero(bits);
    return {bits << zeros, power - zeros, below_zero};
  }
};

/// ln(1 + u) for u from 0 to 2^40; ln(1 + u) / u, which is 1 at u = 0, if `over` says so. Error below 2^-55 of the result.
[[nodiscard]] constexpr SoftFloat log_of_one_and(const SoftFloat& u, bool over) noexcept {
  constexpr SoftFloat ln2{0xB172'17F7'D1CF'79ABU, -64, false};
  const SoftFloat sum = SoftFloat{1.0} + u;
  const int power = sum.magnitude_bits() - 1;
  // 1 + u = 2^power m; ln m = 2 artanh(s), s = (m - 1) / (m + 1) below 1/3.
  const SoftFloat m = sum.scaled(-power), rest = power == 0 ? u : m - SoftFloat{1.0};
  const SoftFloat below = m + SoftFloat{1.0}, s = rest / below, square = s * s;
  SoftFloat series;
  for (std::uint32_t k = 22; k-- > 0;) series = SoftFloat::divided(SoftFloat{1.0}, 2 * k + 1) + square * series;
  if (power == 0) return over ? SoftFloat{2.0} / below * series : (s * series).scaled(1);
  const SoftFloat log = SoftFloat::from(power, 0) * ln2 + (s * series).scaled(1);
  return over ? log / u : log;
}

template <std::size_t Rows>
using SoftMatrix = std::array<std::array<SoftFloat, Rows>, Rows>;

template <std::size_t Rows>
[[nodiscard]] constexpr SoftMatrix<Rows> product(const SoftMatrix<Rows>& a, const SoftMatrix<Rows>& b) noexcept {
  SoftMatrix<Rows> result{};
  for (std::size_t row = 0; row < Rows; ++row)
    for (std::size_t inner = 0; inner < Rows; ++inner) {
      if (a[row][inner].mantissa == 0) continue;
      for (std::size_t column = 0; column < Rows; ++column)
        if (b[inner][column].mantissa != 0)
          result[row][column] = result[row][column] + a[row][inner] * b[inner][column];
    }
  return result;
}

/// Powers of two by which to scale the states, so that no entry is much larger than it must be: entry (i, j) goes times
/// 2^(result[j] - result[i]).
template <std::size_t Rows>
[[nodiscard]] constexpr std::array<int, Rows> balance(const SoftMatrix<Rows>& a) noexcept {
  constexpr int enough = -4; // entries below 2^-4 cost nothing
  std::array<int, Rows> scale{};
  for (int sweep = 0; sweep < 40; ++sweep) {
    bool is_done = true;
    for (std::size_t which = 0; which < Rows; ++which) {
      int row = enough, column = enough;
      for (std::size_t other = 0; other < Rows; ++other) {
        if (other == which) continue;
        const int from = a[which][other].magnitude_bits() + scale[other] - scale[which];
        const int to = a[other][which].magnitude_bits() + scale[which] - scale[other];
        row = from > row ? from : row;
        column = to > column ? to : column;
      }
      const int change = (row - column) / 2;
      scale[which] += change;
      is_done = is_done && change == 0;
    }
    if (is_done) break;
  }
  return scale;
}

/// e^a, by scaling and squaring of the Taylor series after balancing. Entries err by less than 2^-50 of the larger of 1 and
/// the largest entry, in units in which rows and columns are alike, for systems that do not grow.
///
/// With Saad's augmented matrices the same gives what flows in: a = (hA hb; 0 0) has e^hA and h phi1(hA) b in its result.
/// \source N. Higham, Functions of Matrices, 2008, chapter 10; Y. Saad, SIAM J. Numer. Anal. 29, 1992. Equal time constants
///         and defective matrices need nothing of their own: no eigenvalue is computed
template <std::size_t Rows>
[[nodiscard]] constexpr SoftMatrix<Rows> matrix_exponential(SoftMatrix<Rows> a) noexcept {
  const std::array<int, Rows> scale = balance(a);
  int norm = -64; // sums of rows are below 2^norm
  for (std::size_t row = 0; row < Rows; ++row) {
    SoftFloat sum;
    for (std::size_t column = 0; column < Rows; ++column) {
      SoftFloat& entry = a[row][column];
      entry = entry.scaled(scale[column] - scale[row]);
      sum = sum + SoftFloat{entry.mantissa, entry.exponent, false};
    }
    norm = sum.magnitude_bits() > norm ? sum.magnitude_bits() : norm;
  }
  const int reduced = norm > -3 ? -3 : norm, squarings = norm - reduced;
  for (auto& row : a)
    for (SoftFloat& entry : row) entry = entry.scaled(-squarings);
  // Terms until they are below 2^-70: the k-th is at most 2^(k reduced) / k!.
  std::uint32_t terms = 1;
  for (int bits = reduced; bits > -70; ++terms) bits += reduced + 1 - static_cast<int>(std::bit_width(terms + 1));
  SoftMatrix<Rows> result{};
  for (std::uint32_t term = terms; term >= 1; --term) {
    result = product(a, result);
    for (std::size_t row = 0; row < Rows; ++row) {
      for (SoftFloat& entry : result[row]) entry = SoftFloat::divided(entry, term);
      result[row][row] = result[row][row] + SoftFloat{1.0};
    }
  }
  for (int square = 0; square < squarings; ++square) result = product(result, result);
  for (std::size_t row = 0; row < Rows; ++row)
    for (std::size_t column = 0; column < Rows; ++column)
      result[row][column] = result[row][column].scaled(scale[row] - scale[column]);
  return result;
}

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
