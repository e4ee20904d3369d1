// SPDX-License-Identifier: BSL-1.0
// Fixed-point numbers with 128 bits before and 512 after the point, for closed forms to compare tables with.
#ifndef NEUROMORPH_TESTS_SUPPORT_BIG_FIXED_HPP
#define NEUROMORPH_TESTS_SUPPORT_BIG_FIXED_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

/// Not negative; operations round down, by less than 2^-510. Overflow is not noticed.
class BigFixed {
public:
  static constexpr std::size_t fraction_words = 16, words = 20;

  BigFixed() = default;
  explicit BigFixed(std::uint64_t whole) {
    words_[fraction_words] = static_cast<std::uint32_t>(whole);
    words_[fraction_words + 1] = static_cast<std::uint32_t>(whole >> 32);
  }
  /// Exactly, for doubles from 2^-458 to 2^64, or 0.
  static BigFixed from_double(double value) {
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    BigFixed result(static_cast<std::uint64_t>(std::ldexp(fraction, 53)));
    for (; exponent > 53; --exponent) result = result + result;
    for (; exponent < 53; ++exponent) result = result / 2;
    return result;
  }

  friend BigFixed operator+(BigFixed left, const BigFixed& right) {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < words; ++i) {
      carry += std::uint64_t{left.words_[i]} + right.words_[i];
      left.words_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    return left;
  }
  friend BigFixed operator-(BigFixed left, const BigFixed& right) {
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < words; ++i) {
      const std::uint64_t difference = std::uint64_t{left.words_[i]} - right.words_[i] - borrow;
      left.words_[i] = static_cast<std::uint32_t>(difference);
      borrow = difference >> 63;
    }
    return left;
  }
  friend BigFixed operator*(const BigFixed& left, const BigFixed& right) {
    std::array<std::uint32_t, 2 * words> product{};
    for (std::size_t i = 0; i < words; ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; j < words; ++j) {
        carry += std::uint64_t{left.words_[i]} * right.words_[j] + product[i + j];
        product[i + j] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
      product[i + words] = static_cast<std::uint32_t>(carry);
    }
    BigFixed result;
    for (std::size_t i = 0; i < words; ++i) result.words_[i] = product[i + fraction_words];
    return result;
  }
  friend BigFixed operator/(BigFixed left, std::uint32_t right) {
    std::uint64_t rest = 0;
    for (std::size_t i = words; i-- > 0;) {
      rest = rest << 32 | left.words_[i];
      left.words_[i] = static_cast<std::uint32_t>(rest / right);
      rest %= right;
    }
    return left;
  }
  friend bool operator<(const BigFixed& left, const BigFixed& right) {
    for (std::size_t i = words; i-- > 0;)
      if (left.words_[i] != right.words_[i]) return left.words_[i] < right.words_[i];
    return false;
  }

  /// e^-x for x up to 64.
  static BigFixed exponential_of_minus(const BigFixed& x) {
    BigFixed reduced = x / (1U << 14);
    BigFixed term(1), positive(1), negative;
    for (std::uint32_t k = 1; k < 60; ++k) {
      term = term * reduced / k;
      (k % 2 == 0 ? positive : negative) = (k % 2 == 0 ? positive : negative) + term;
    }
    BigFixed power = positive - negative;
    for (int i = 0; i < 14; ++i) power = power * power;
    return power;
  }

  /// How far (in units of 2^-64) this is from a multiple of 2^-64; 2^64 of them are 1.
  double units_from(std::uint64_t units, bool plus_one = false) const {
    BigFixed other;
    other.words_[fraction_words - 2] = static_cast<std::uint32_t>(units);
    other.words_[fraction_words - 1] = static_cast<std::uint32_t>(units >> 32);
    if (plus_one) other = other + BigFixed(1);
    const BigFixed difference = *this < other ? other - *this : *this - other;
    double distance = 0;
    for (std::size_t i = words; i-- > 0;)
      distance += std::ldexp(static_cast<double>(difference.words_[i]),
                             32 * (static_cast<int>(i) - static_cast<int>(fraction_words)) + 64);
    return distance;
  }

  [[nodiscard]] double to_double() const {
    double sum = 0;
    for (std::size_t i = words; i-- > 0;)
      sum += std::ldexp(static_cast<double>(words_[i]), 32 * (static_cast<int>(i) - static_cast<int>(fraction_words)));
    return sum;
  }

private:
  std::array<std::uint32_t, words> words_{};
};

#endif
