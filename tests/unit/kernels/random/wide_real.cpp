// SPDX-License-Identifier: BSL-1.0
// Numbers of 128 bits against schoolbook arithmetic on words of 32 bits, which is exact.
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <random>

#include <neuromorph/kernels/random/detail/wide_real.hpp>

#include "tests/support/catch.hpp"

using neuromorph::detail::exponential_of_small;
using neuromorph::detail::Wide;
using neuromorph::detail::WideReal;

namespace {

/// A whole number below 2^768.
struct Whole {
  static constexpr unsigned words = 24;
  std::array<std::uint32_t, words> word{}; // from the lowest

  Whole() = default;
  explicit Whole(const Wide& value) {
    for (unsigned i = 0; i < 2; ++i) {
      word[i] = static_cast<std::uint32_t>(value.low >> (32 * i));
      word[i + 2] = static_cast<std::uint32_t>(value.high >> (32 * i));
    }
  }
  static Whole power_of_2(unsigned exponent) {
    Whole result;
    result.word[exponent / 32] = 1U << exponent % 32;
    return result;
  }
  [[nodiscard]] bool bit(std::size_t at) const { return (word[at / 32] >> at % 32 & 1U) != 0; }
  [[nodiscard]] Wide low() const {
    return {std::uint64_t{word[3]} << 32U | word[2], std::uint64_t{word[1]} << 32U | word[0]};
  }
  friend Whole operator+(const Whole& a, const Whole& b) {
    Whole sum;
    std::uint64_t carry = 0;
    for (unsigned i = 0; i < words; ++i, carry >>= 32U)
      sum.word[i] = static_cast<std::uint32_t>(carry += std::uint64_t{a.word[i]} + b.word[i]);
    return sum;
  }
  friend Whole operator-(const Whole& a, const Whole& b) {
    Whole complement = b;
    for (std::uint32_t& digit : complement.word) digit = ~digit;
    return a + complement + power_of_2(0);
  }
  friend Whole operator*(const Whole& a, const Whole& b) {
    Whole product;
    for (unsigned i = 0; i < words; ++i) {
      std::uint64_t carry = 0;
      for (unsigned j = 0; i + j < words; ++j, carry >>= 32U)
        product.word[i + j] =
            static_cast<std::uint32_t>(carry += std::uint64_t{a.word[i]} * b.word[j] + product.word[i + j]);
    }
    return product;
  }
  friend Whole operator<<(const Whole& a, unsigned amount) {
    Whole result;
    for (unsigned i = 0; i < 32 * words; ++i)
      if (i >= amount && a.bit(i - amount)) result.word[i / 32] |= 1U << i % 32;
    return result;
  }
  friend Whole operator>>(const Whole& a, unsigned amount) {
    Whole result;
    for (unsigned i = 0; i + amount < 32 * words; ++i)
      if (a.bit(i + amount)) result.word[i / 32] |= 1U << i % 32;
    return result;
  }
  friend bool operator==(const Whole&, const Whole&) = default;
  friend std::strong_ordering operator<=>(const Whole& a, const Whole& b) {
    for (unsigned i = words; i-- != 0;)
      if (a.word[i] != b.word[i]) return a.word[i] <=> b.word[i];
    return std::strong_ordering::equal;
  }
};

/// What a WideReal holds: mantissa * 2^(exponent - 128).
struct Parts {
  std::uint64_t high, low;
  std::int32_t exponent, padding;

  explicit Parts(const WideReal& value) {
    static_assert(sizeof(Parts) == sizeof(WideReal));
    std::memcpy(this, &value, sizeof value);
  }
  [[nodiscard]] Whole mantissa() const { return Whole(Wide{high, low}); }
};

constexpr std::uint64_t top = 1ULL << 63U, ones = ~0ULL;

/// Any length from 1 to 128 bits, and often many ones or noughts in a row, where carries run.
Wide some_wide(std::mt19937_64& random) {
  Wide value{random(), random()};
  if (random() % 4 == 0) value.low = random() % 2 == 0 ? ones - random() % 2 : random() % 2;
  if (random() % 4 == 0) value.high = random() % 2 == 0 ? ones - random() % 2 : random() % 2;
  const auto drop = static_cast<unsigned>(random() % 3 == 0 ? random() % 128 : 0);
  return (Whole(value) >> drop).low();
}
WideReal some_real(std::mt19937_64& random, int lowest, int highest) {
  Wide value = some_wide(random);
  if (value == Wide{}) value.low = 1;
  const WideReal real = WideReal::from(value);
  return real.scaled(lowest - real.exponent() +
                     static_cast<int>(random() % static_cast<unsigned>(highest - lowest + 1)));
}

/// Whether `found` is `exact` or below it by less than 2^-124 of it.
bool is_floor(const Whole& found, const Whole& exact) { return found <= exact && ((exact - found) << 124U) < exact; }
/// And its mantissa begins with its highest bit.
bool is_normal(const WideReal& value) { return Parts(value).high >> 63U == 1; }

Whole shifted(const Whole& value, int by) {
  return by < 0 ? value >> static_cast<unsigned>(-by) : value << static_cast<unsigned>(by);
}

} // namespace

TEST_CASE("wide_real: numbers of 128 bits add, subtract, compare, shift and multiply exactly",
          "[vocabulary][wide_real]") {
  constexpr unsigned seed = 11;
  std::mt19937_64 random(seed);
  const Whole modulus = Whole::power_of_2(128);
  for (int turn = 0; turn < 4000; ++turn) {
    const Wide a = some_wide(random), b = turn % 8 == 0 ? Wide{a.high, some_wide(random).low} : some_wide(random);
    const auto amount = static_cast<unsigned>(turn % 140);
    INFO("seed " << seed << ", turn " << turn << ": " << a.high << " " << a.low << ", " << b.high << " " << b.low);
    Wide sum = a, difference = a;
    REQUIRE(&(sum += b) == &sum);
    REQUIRE(&(difference -= b) == &difference);
    REQUIRE(sum == (Whole(a) + Whole(b)).low());
    REQUIRE(difference == (Whole(a) + modulus - Whole(b)).low());
    REQUIRE((a < b) == (Whole(a) < Whole(b)));
    REQUIRE_FALSE(a < Wide{a});
    REQUIRE((a << amount) == (Whole(a) << amount).low());
    REQUIRE((a >> amount) == (Whole(a) >> amount).low());
    REQUIRE(Wide::product(a.low, b.low) == (Whole(Wide{0, a.low}) * Whole(Wide{0, b.low})).low());
  }
  for (const unsigned amount : {0U, 1U, 63U, 64U, 65U, 127U, 128U, 129U, 255U, 0xFFFF'FFFFU}) {
    const Wide all{ones, ones}, kept = amount >= 128 ? Wide{} : (Whole(all) >> amount).low();
    REQUIRE((all >> amount) == kept);
    REQUIRE((all << amount) == (amount >= 128 ? Wide{} : (Whole(all) << amount).low()));
  }
}

TEST_CASE("wide_real: zero, whole numbers and doubles are exact", "[vocabulary][wide_real]") {
  REQUIRE(WideReal().is_zero());
  REQUIRE(WideReal().exponent() == 0);
  REQUIRE(WideReal::from(0).is_zero());
  REQUIRE(WideReal::from_bits_of_double(0).is_zero());
  REQUIRE(WideReal().scaled(5).is_zero());
  for (const WideReal& zero : {WideReal::from(0), WideReal::from(Wide{}, 7), WideReal::from_bits_of_double(0)})
    REQUIRE(zero.exponent() == WideReal().exponent()); // there is one zero
  REQUIRE(WideReal().scaled(5).exponent() == 0);
  const auto same = [](double value) {
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    const WideReal real = WideReal::from_bits_of_double(std::bit_cast<std::uint64_t>(value));
    INFO("double " << value);
    REQUIRE_FALSE(real.is_zero());
    REQUIRE(real.exponent() == exponent);
    REQUIRE(Parts(real).high == static_cast<std::uint64_t>(std::ldexp(fraction, 64)));
    REQUIRE(Parts(real).low == 0);
    REQUIRE(Parts(real.scaled(-7)).high == Parts(real).high);
    REQUIRE(real.scaled(-7).exponent() == exponent - 7);
  };
  using Limits = std::numeric_limits<double>;
  for (const double value : {1.0, 0.1, 64.0, 1048576.0, 0x1.fffffffffffffp0, Limits::min(), Limits::denorm_min(),
                             Limits::min() - Limits::denorm_min(), Limits::max()})
    same(value);
  std::mt19937_64 random(12);
  for (int turn = 0; turn < 2000; ++turn) same(std::bit_cast<double>(1 + random() % 0x7FEF'FFFF'FFFF'FFFFU));
  for (const std::uint64_t whole :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{0xFFFF'FFFF}, top - 1, top, ones}) {
    const WideReal real = WideReal::from(whole);
    REQUIRE(real.exponent() == 64 - std::countl_zero(whole));
    REQUIRE(Parts(real).high == whole << static_cast<unsigned>(std::countl_zero(whole)));
  }
}

TEST_CASE("wide_real: sums, products, quotients and reciprocals are rounded down, by less than 2^-124",
          "[vocabulary][wide_real]") {
  constexpr unsigned seed = 13;
  std::mt19937_64 random(seed);
  for (int turn = 0; turn < 3000; ++turn) {
    const WideReal a = some_real(random, -150, 150), b = some_real(random, a.exponent() - 140, a.exponent() + 140);
    const auto number = static_cast<std::uint32_t>(random() >> (32 + random() % 32)) | 1U;
    const Parts left(a), right(b);
    INFO("seed " << seed << ", turn " << turn << ": " << left.high << " " << left.low << " ^ " << left.exponent << ", "
                 << right.high << " " << right.low << " ^ " << right.exponent << ", " << number);
    {
      const WideReal sum = a + b;
      const int least = left.exponent < right.exponent ? left.exponent : right.exponent;
      const Whole exact =
          shifted(left.mantissa(), left.exponent - least) + shifted(right.mantissa(), right.exponent - least);
      REQUIRE(is_normal(sum));
      REQUIRE(is_floor(shifted(Parts(sum).mantissa(), sum.exponent() - least), exact));
    }
    {
      const WideReal product = a * b;
      REQUIRE(is_normal(product));
      REQUIRE(is_floor(shifted(Parts(product).mantissa(), 128 + product.exponent() - left.exponent - right.exponent),
                       left.mantissa() * right.mantissa()));
      const WideReal multiple = a * number;
      REQUIRE(is_normal(multiple));
      REQUIRE(is_floor(shifted(Parts(multiple).mantissa(), multiple.exponent() - left.exponent),
                       left.mantissa() * Whole(Wide{0, number})));
    }
    {
      const WideReal quotient = a / number;
      REQUIRE(is_normal(quotient));
      REQUIRE(is_floor(Parts(quotient).mantissa() * Whole(Wide{0, number}),
                       shifted(left.mantissa(), left.exponent - quotient.exponent())));
    }
    {
      const WideReal reciprocal = a.reciprocal();
      REQUIRE(is_normal(reciprocal));
      REQUIRE(is_floor(shifted(Parts(reciprocal).mantissa() * left.mantissa(), reciprocal.exponent() + left.exponent),
                       Whole::power_of_2(256)));
    }
  }
  for (const int exponent : {-3, 0, 1, 70}) { // powers of two are exact
    const Parts half(WideReal::from(1).scaled(exponent).reciprocal());
    REQUIRE(half.high == top);
    REQUIRE(half.low == 0);
    REQUIRE(half.exponent == 1 - exponent);
  }
  for (const std::uint32_t divisor : {1U, 2U, 3U, 0x8000'0000U, 0xFFFF'FFFFU}) { // what divides without a rest
    const WideReal quotient = (WideReal::from(Wide{0, ones / 4}) * divisor) / divisor;
    REQUIRE(Parts(quotient).mantissa() == Parts(WideReal::from(Wide{0, ones / 4})).mantissa());
    REQUIRE(quotient.exponent() == 62);
  }
}

TEST_CASE("wide_real: zero adds and multiplies as zero does", "[vocabulary][wide_real]") {
  const WideReal zero, five = WideReal::from(5);
  REQUIRE((zero + zero).is_zero());
  REQUIRE((zero * five).is_zero());
  REQUIRE((five * zero).is_zero());
  REQUIRE((five * 0U).is_zero());
  for (const WideReal& sum : {zero + five, five + zero, zero.scaled(9) + five}) {
    REQUIRE(sum.exponent() == 3);
    REQUIRE(Parts(sum).high == 5ULL << 61U);
  }
  const WideReal full = WideReal::from(Wide{ones, ones}, 7); // no bit is lost
  for (const WideReal& sum : {zero + full, full + zero}) {
    REQUIRE(Parts(sum).high == ones);
    REQUIRE(Parts(sum).low == ones);
    REQUIRE(sum.exponent() == 7);
  }
  REQUIRE(zero.complement().exponent() == 1);
  REQUIRE(Parts(zero.complement()).high == top);
}

TEST_CASE("wide_real: a complement is 1 less the number's first 128 bits after the point", "[vocabulary][wide_real]") {
  constexpr unsigned seed = 14;
  std::mt19937_64 random(seed);
  for (int turn = 0; turn < 2000; ++turn) {
    const WideReal a = some_real(random, -140, 0);
    const Parts parts(a), found(a.complement());
    INFO("seed " << seed << ", turn " << turn << ": " << parts.high << " " << parts.low << " ^ " << parts.exponent);
    Whole fraction = shifted(parts.mantissa(), parts.exponent);
    if (parts.exponent <= -128) fraction = Whole::power_of_2(0); // less than the last place counts as one of it
    REQUIRE(found.exponent <= 0);
    REQUIRE(found.mantissa() == shifted(Whole::power_of_2(128) - fraction, -found.exponent));
    REQUIRE((found.high >> 63U == 1 || a.complement().is_zero()));
  }
  REQUIRE(WideReal::from(1).complement().is_zero());
  REQUIRE(WideReal::from(1).scaled(-1).complement().exponent() == 0);
}

TEST_CASE("wide_real: a fraction is the nearest 2^-64, halves upwards", "[vocabulary][wide_real]") {
  constexpr unsigned seed = 15;
  std::mt19937_64 random(seed);
  for (int turn = 0; turn < 3000; ++turn) {
    const WideReal a = some_real(random, turn % 3 == 0 ? -66 : -3, 0);
    const Parts parts(a);
    INFO("seed " << seed << ", turn " << turn << ": " << parts.high << " " << parts.low << " ^ " << parts.exponent);
    const Whole halves = shifted(parts.mantissa(), parts.exponent - 63); // in 2^-65
    const Wide nearest = ((halves + Whole::power_of_2(0)) >> 1U).low();
    const auto found = a.fraction();
    REQUIRE(found.bits == nearest.low);
    REQUIRE(found.whole == (nearest.high != 0));
  }
  const auto bits = [](std::uint64_t whole, int exponent) { return WideReal::from(whole).scaled(exponent).fraction(); };
  REQUIRE(bits(1, -65).bits == 1); // a half
  REQUIRE(bits(ones, -64 - 65).bits == 0);
  REQUIRE(bits(1, -66).bits == 0);
  REQUIRE(bits(ones, -64).bits == ones);
  REQUIRE_FALSE(bits(ones, -64).whole);
  REQUIRE(WideReal::from(Wide{ones, top}, 0).fraction().whole);
  REQUIRE(WideReal::from(Wide{ones, top}, 0).fraction().bits == 0);
  REQUIRE_FALSE(WideReal::from(Wide{ones, top - 1}, 0).fraction().whole);
  REQUIRE(WideReal::from(1).fraction().whole);
  REQUIRE(WideReal::from(1).fraction().bits == 0);
  REQUIRE(WideReal::from(1).scaled(3).fraction().whole);
  REQUIRE(WideReal().fraction().bits == 0);
  REQUIRE_FALSE(WideReal().fraction().whole);
}

TEST_CASE("wide_real: the exponential of 2^-7, 128 times multiplied, is e", "[vocabulary][wide_real]") {
  WideReal power = exponential_of_small(WideReal::from(1).scaled(-7));
  for (int squarings = 0; squarings < 7; ++squarings) power = power * power;
  REQUIRE(power.exponent() == 2);
  const Whole e(Wide{0xADF8'5458'A2BB'4A9AU, 0xAFDC'5620'273D'3CF1U}), found = Parts(power).mantissa(); // e / 4
  REQUIRE(found <= e);
  REQUIRE(e - found < Whole::power_of_2(13)); // 2^-115, for some 80 roundings and 7 squarings
  REQUIRE(Parts(exponential_of_small(WideReal())).high == top);
  REQUIRE(exponential_of_small(WideReal()).exponent() == 1);
  // Of the smallest: 1 + x.
  const WideReal tiny = exponential_of_small(WideReal::from(1).scaled(-100));
  REQUIRE(Parts(tiny).high == top);
  REQUIRE(Parts(tiny).low == 1ULL << 27U);
}
