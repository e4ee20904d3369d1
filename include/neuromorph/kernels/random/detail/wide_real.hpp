// SPDX-License-Identifier: BSL-1.0
/// \file
/// Positive real numbers with 128 significant bits, in integers: the same bits with any compiler and any flag.
///
/// For tables that are made at compile time or at load time; not for use in a step.
#ifndef NEUROMORPH_KERNELS_RANDOM_DETAIL_WIDE_REAL_HPP
#define NEUROMORPH_KERNELS_RANDOM_DETAIL_WIDE_REAL_HPP

#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

/// What std::bit_cast does, without <bit>: headers of tables are near the limit of what they may include.
[[nodiscard]] constexpr std::uint64_t bits_of(double value) noexcept {
  return __builtin_bit_cast(std::uint64_t, value);
}
[[nodiscard]] constexpr double double_of(std::uint64_t bits) noexcept { return __builtin_bit_cast(double, bits); }

/// 128 bits; the product of two 64-bit numbers.
struct Wide {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend constexpr bool operator==(const Wide&, const Wide&) noexcept = default;

  [[nodiscard]] static constexpr Wide product(std::uint64_t a, std::uint64_t b) noexcept {
    const std::uint64_t a_high = a >> 32, a_low = a & 0xFFFF'FFFFU, b_high = b >> 32, b_low = b & 0xFFFF'FFFFU;
    const std::uint64_t low = a_low * b_low;
    const std::uint64_t middle = a_high * b_low + (low >> 32);
    const std::uint64_t cross = a_low * b_high + (middle & 0xFFFF'FFFFU);
    return {a_high * b_high + (middle >> 32) + (cross >> 32), cross << 32 | (low & 0xFFFF'FFFFU)};
  }

  constexpr Wide& operator+=(const Wide& other) noexcept {
    low += other.low;
    high += other.high + (low < other.low ? 1 : 0);
    return *this;
  }

  constexpr Wide& operator-=(const Wide& other) noexcept {
    high -= other.high + (low < other.low ? 1 : 0);
    low -= other.low;
    return *this;
  }

  [[nodiscard]] friend constexpr bool operator<(const Wide& left, const Wide& right) noexcept {
    return left.high != right.high ? left.high < right.high : left.low < right.low;
  }

  /// Bits above the shift are lost; any amount.
  [[nodiscard]] friend constexpr Wide operator<<(const Wide& value, unsigned amount) noexcept {
    if (amount >= 128) return {};
    if (amount >= 64) return {value.low << (amount - 64), 0};
    if (amount == 0) return value;
    return {value.high << amount | value.low >> (64 - amount), value.low << amount};
  }

  [[nodiscard]] friend constexpr Wide operator>>(const Wide& value, unsigned amount) noexcept {
    if (amount >= 128) return {};
    if (amount >= 64) return {0, value.high >> (amount - 64)};
    if (amount == 0) return value;
    return {value.high >> amount, value.low >> amount | value.high << (64 - amount)};
  }
};

/// Zero or mantissa * 2^(exponent - 128), with the highest bit of the mantissa set. Operations round down: each errs by
/// less than 2^-124 of its result. The exponent has 32 bits, and nothing here comes near its ends.
class WideReal {
public:
  constexpr WideReal() noexcept = default;

  [[nodiscard]] static constexpr WideReal from(const Wide& whole, int exponent = 128) noexcept {
    if (whole == Wide{}) return {};
    const int zeros = whole.high != 0 ? __builtin_clzll(whole.high) : 64 + __builtin_clzll(whole.low);
    return {whole << static_cast<unsigned>(zeros), exponent - zeros};
  }

  [[nodiscard]] static constexpr WideReal from(std::uint64_t whole) noexcept { return from(Wide{0, whole}); }

  /// The bits of a finite double that is not negative, exactly.
  [[nodiscard]] static constexpr WideReal from_bits_of_double(std::uint64_t bits) noexcept {
    const int biased = static_cast<int>(bits >> 52 & 0x7FF);
    const std::uint64_t fraction = bits & 0xF'FFFF'FFFF'FFFFU;
    if (biased == 0) return from(Wide{0, fraction}, 128 - 1074);
    return from(Wide{0, fraction | 0x10'0000'0000'0000U}, 128 + biased - 1075);
  }

  [[nodiscard]] constexpr bool is_zero() const noexcept { return mantissa_.high == 0; }

  /// The value is below 2^exponent() and at least half of that.
  [[nodiscard]] constexpr int exponent() const noexcept { return exponent_; }

  /// The same times 2^amount.
  [[nodiscard]] constexpr WideReal scaled(int amount) const noexcept {
    return is_zero() ? *this : WideReal{mantissa_, exponent_ + amount};
  }

  [[nodiscard]] friend constexpr WideReal operator+(const WideReal& left, const WideReal& right) noexcept {
    if (left.is_zero() || right.is_zero()) return left.is_zero() ? right : left;
    if (left.exponent_ < right.exponent_) return right + left;
    // One bit of room for the carry.
    Wide sum = left.mantissa_ >> 1;
    sum += right.mantissa_ >>
           static_cast<unsigned>(left.exponent_ - right.exponent_ > 127 ? 128 : left.exponent_ - right.exponent_ + 1);
    return from(sum, left.exponent_ + 1);
  }

  [[nodiscard]] friend constexpr WideReal operator*(const WideReal& left, const WideReal& right) noexcept {
    if (left.is_zero() || right.is_zero()) return {};
    Wide product = Wide::product(left.mantissa_.high, right.mantissa_.high);
    product += {0, Wide::product(left.mantissa_.high, right.mantissa_.low).high};
    product += {0, Wide::product(left.mantissa_.low, right.mantissa_.high).high};
    return from(product, left.exponent_ + right.exponent_);
  }

  [[nodiscard]] friend constexpr WideReal operator*(const WideReal& left, std::uint32_t right) noexcept {
    return left * from(right);
  }

  /// \param right not 0
  [[nodiscard]] friend constexpr WideReal operator/(const WideReal& left, std::uint32_t right) noexcept {
    // By four digits of 32 bits, then 32 more so that the quotient is full.
    const std::uint32_t digits[5]{
        static_cast<std::uint32_t>(left.mantissa_.high >> 32), static_cast<std::uint32_t>(left.mantissa_.high),
        static_cast<std::uint32_t>(left.mantissa_.low >> 32), static_cast<std::uint32_t>(left.mantissa_.low), 0};
    std::uint32_t quotient[5]{};
    std::uint64_t rest = 0;
    for (int digit = 0; digit < 5; ++digit) {
      rest = rest << 32 | digits[digit];
      quotient[digit] = static_cast<std::uint32_t>(rest / right);
      rest %= right;
    }
    const unsigned zeros = quotient[0] != 0 ? static_cast<unsigned>(__builtin_clz(quotient[0])) : 32U;
    Wide result{std::uint64_t{quotient[0]} << 32 | quotient[1], std::uint64_t{quotient[2]} << 32 | quotient[3]};
    result = result << zeros;
    if (zeros != 0) result.low |= quotient[4] >> (32 - zeros);
    return from(result, left.exponent_ - static_cast<int>(zeros));
  }

  /// 1 / this; not of zero.
  [[nodiscard]] constexpr WideReal reciprocal() const noexcept {
    // 2^255 / mantissa, bit by bit: 129 bits, of which the last is dropped when the first is set.
    if (mantissa_ == Wide{1ULL << 63, 0}) return {mantissa_, 2 - exponent_};
    Wide rest{1ULL << 63, 0}; // below the mantissa
    Wide quotient{};
    for (int bit = 0; bit < 128; ++bit) {
      const bool carry = rest.high >> 63 != 0;
      rest = rest << 1;
      quotient = quotient << 1;
      if (carry || !(rest < mantissa_)) {
        rest -= mantissa_;
        quotient.low |= 1;
      }
    }
    return from(quotient, 1 - exponent_);
  }

  /// 1 - this, for values up to 1; of values below 2^-128 the result is 1 - 2^-128.
  [[nodiscard]] constexpr WideReal complement() const noexcept {
    if (is_zero()) return from(1);
    if (exponent_ > 0) return {}; // 1
    const Wide fraction = exponent_ <= -128 ? Wide{0, 1} : mantissa_ >> static_cast<unsigned>(-exponent_);
    Wide result{};
    result -= fraction;
    return from(result, 0);
  }

  /// The nearest multiple of 2^-64, times 2^64; halves upwards. `whole` says that it is 2^64, given as 0.
  struct Fraction {
    std::uint64_t bits = 0;
    bool whole = false;
  };
  /// \pre at most 1, but for errors of rounding
  [[nodiscard]] constexpr Fraction fraction() const noexcept {
    if (exponent_ > 0) return {0, true};
    if (exponent_ < -64) return {};
    const Wide half_units = mantissa_ >> static_cast<unsigned>(63 - exponent_); // in 2^-65
    const Wide nearest = [&] {
      Wide sum = half_units;
      sum += {0, 1};
      return sum >> 1;
    }();
    return {nearest.low, nearest.high != 0};
  }

private:
  constexpr WideReal(const Wide& mantissa, int exponent) noexcept : mantissa_{mantissa}, exponent_{exponent} {}

  Wide mantissa_{};
  int exponent_ = 0;
};

/// e^x for x of at most 2^-7.
[[nodiscard]] constexpr WideReal exponential_of_small(const WideReal& x) noexcept {
  const WideReal one = WideReal::from(1);
  WideReal sum = one;
  WideReal term = one;
  for (std::uint32_t k = 1; !term.is_zero() && term.exponent() > -130; ++k) {
    term = term * x / k;
    sum = sum + term;
  }
  return sum;
}

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
