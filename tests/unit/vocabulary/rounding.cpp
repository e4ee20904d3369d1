// SPDX-License-Identifier: BSL-1.0
// Rounding policies against exact fractions: every 8-bit value at every shift, 16 bits at most shifts, edges
// and random values for 32 and 64 bits; stochastic and dithered means against the exact value.
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <type_traits>
#include <vector>

#include <neuromorph/rounding.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/exact.hpp"

namespace {

namespace rounding = neuromorph::rounding;
using exact::floor_divide;
using exact::power_of_two;
using exact::Wide;

constexpr std::uint64_t seed = 20240611;
using Xorshift = exact::Xorshift<seed>;

// The definitions, on the exact fraction value / 2^shift. Shifts of up to 80 keep all numerators below
// 2^127.
Wide exact_floor(Wide value, unsigned shift) { return floor_divide(value, power_of_two(shift)); }
Wide exact_nearest(Wide value, unsigned shift) {
  return floor_divide(2 * value + power_of_two(shift), 2 * power_of_two(shift));
}
Wide exact_nearest_away(Wide value, unsigned shift) {
  return value < 0 ? -exact_nearest(-value, shift) : exact_nearest(value, shift);
}
Wide exact_offset(Wide value, unsigned shift, std::uint32_t offset) {
  const Wide one = power_of_two(32);
  return floor_divide(floor_divide(value * one, power_of_two(shift)) + offset, one);
}

template <class Value>
std::string failed(const char* what, Value value, unsigned shift) {
  std::ostringstream text;
  text << what << ": value " << +value << ", shift " << shift << ", seed " << seed;
  return text.str();
}

template <class Value>
void check(Value value, unsigned shift, Xorshift& source) {
  if (rounding::Down::shift_right(value, shift) != exact_floor(value, shift)) FAIL(failed("Down", value, shift));
  if (rounding::Nearest::shift_right(value, shift) != exact_nearest(value, shift))
    FAIL(failed("Nearest", value, shift));
  if (rounding::NearestAway::shift_right(value, shift) != exact_nearest_away(value, shift))
    FAIL(failed("NearestAway", value, shift));
  const Value stochastic = rounding::Stochastic::shift_right(value, shift, source);
  if (stochastic != exact_offset(value, shift, source.last)) FAIL(failed("Stochastic", value, shift));
  const auto step_number = static_cast<std::uint32_t>(source.drawn * 7919);
  const auto offset = static_cast<std::uint32_t>(static_cast<Wide>(step_number) * 0x9E3779B9 % power_of_two(32));
  const Value dithered = rounding::Dithered::shift_right(value, shift, rounding::Dither{step_number});
  if (dithered != exact_offset(value, shift, offset)) FAIL(failed("Dithered", value, shift));
}

template <class Value>
std::vector<Value> edges() {
  using Limits = std::numeric_limits<Value>;
  std::vector<Value> values;
  for (int around = -2; around <= 2; ++around) {
    const auto near = static_cast<Value>(around);
    values.push_back(near);
    values.push_back(static_cast<Value>(Limits::max() / 2 + near));
    values.push_back(static_cast<Value>(Limits::lowest() / 2 + near));
    values.push_back(static_cast<Value>(around < 0 ? Limits::max() + near + 1 : Limits::max() - near));
    values.push_back(static_cast<Value>(around < 0 ? Limits::lowest() - (near + 1) : Limits::lowest() + near));
  }
  for (unsigned bit = 0; bit + 1 < 8 * sizeof(Value); ++bit) {
    values.push_back(static_cast<Value>(Value{1} << bit));
    values.push_back(static_cast<Value>((Value{1} << bit) - 1));
    values.push_back(static_cast<Value>(~(Value{1} << bit)));
  }
  return values;
}

} // namespace

TEMPLATE_TEST_CASE("rounding: every 8-bit value at every shift is the exact fraction, rounded",
                   "[vocabulary][rounding]", std::int8_t, std::uint8_t) {
  Xorshift source;
  for (int value = std::numeric_limits<TestType>::lowest(); value <= std::numeric_limits<TestType>::max(); ++value)
    for (unsigned shift = 0; shift <= 80; ++shift) check(static_cast<TestType>(value), shift, source);
}

TEMPLATE_TEST_CASE("rounding: every 16-bit value, at shifts around its width and around 32", "[vocabulary][rounding]",
                   std::int16_t, std::uint16_t) {
  Xorshift source;
  for (int value = std::numeric_limits<TestType>::lowest(); value <= std::numeric_limits<TestType>::max(); ++value)
    for (const unsigned shift : {0U, 1U, 2U, 8U, 15U, 16U, 17U, 31U, 32U, 33U, 48U, 64U})
      check(static_cast<TestType>(value), shift, source);
}

TEMPLATE_TEST_CASE("rounding: edges and random values of 32 and 64 bits are the exact fraction, rounded",
                   "[vocabulary][rounding]", std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
  Xorshift source;
  for (const TestType value : edges<TestType>())
    for (unsigned shift = 0; shift <= 80; ++shift) check(value, shift, source);
  std::mt19937_64 random{seed};
  for (int count = 0; count < 50000; ++count) {
    const auto spread = static_cast<unsigned>(random() % 64);
    check(static_cast<TestType>(random() >> spread), static_cast<unsigned>(random() % 81), source);
  }
}

TEST_CASE("rounding: no shift is too long, and a result never leaves the value's type", "[vocabulary][rounding]") {
  Xorshift source;
  for (const unsigned shift : {64U, 65U, 96U, 1000U, std::numeric_limits<unsigned>::max()}) {
    CAPTURE(shift);
    CHECK(rounding::Down::shift_right(std::int64_t{-1}, shift) == -1);
    CHECK(rounding::Down::shift_right(std::numeric_limits<std::uint64_t>::max(), shift) == 0);
    CHECK(rounding::Nearest::shift_right(std::numeric_limits<std::int64_t>::max(), shift) == 0);
    const std::int64_t up = rounding::Stochastic::shift_right(std::int64_t{-1}, shift, source);
    CHECK((up == -1 || up == 0));
  }
  CHECK(rounding::Nearest::shift_right(std::numeric_limits<std::int32_t>::max(), 1) == 1 << 30);
  CHECK(rounding::Nearest::shift_right(std::numeric_limits<std::uint64_t>::max(), 1) == std::uint64_t{1} << 63);
}

TEST_CASE("rounding: Nearest is what SMMULR computes", "[vocabulary][rounding]") {
  // Arm ARM, SMMULR: (Rn * Rm + 0x80000000) bits 63..32.
  std::mt19937_64 random{seed};
  for (int count = 0; count < 20000; ++count) {
    const std::int64_t product =
        std::int64_t{static_cast<std::int32_t>(random())} * static_cast<std::int32_t>(random());
    const auto smmulr = static_cast<std::int32_t>(static_cast<std::uint64_t>(product + 0x80000000LL) >> 32);
    REQUIRE(rounding::Nearest::shift_right(product, 32) == smmulr);
  }
}

TEST_CASE("rounding: ties go up, also for negative values", "[vocabulary][rounding]") {
  STATIC_REQUIRE(rounding::Nearest::shift_right(5, 1) == 3);
  STATIC_REQUIRE(rounding::Nearest::shift_right(-5, 1) == -2);
  STATIC_REQUIRE(rounding::Nearest::shift_right(-7, 1) == -3);
  STATIC_REQUIRE(rounding::Down::shift_right(-5, 1) == -3);
  STATIC_REQUIRE(rounding::Dithered::shift_right(5, 1, rounding::Dither{0}) == 2);
}

TEST_CASE("rounding: Stochastic asks the source once, whatever the value and shift", "[vocabulary][rounding]") {
  Xorshift source;
  std::uint64_t calls = 0;
  for (const std::int32_t value : {0, 1, -1, 1 << 20})
    for (const unsigned shift : {0U, 1U, 31U, 32U, 40U}) {
      static_cast<void>(rounding::Stochastic::shift_right(value, shift, source));
      CHECK(source.drawn == ++calls);
    }
}

TEST_CASE("rounding: the mean of Stochastic is within 4 sigma of exact, that of Down and Nearest is not",
          "[vocabulary][rounding]") {
  constexpr int samples = 1 << 16;
  std::mt19937_64 random{seed};
  Xorshift source;
  int biased_down = 0;
  int biased_nearest = 0;
  for (int count = 0; count < 64; ++count) {
    const auto value = static_cast<std::int64_t>(random()) >> 2;
    const auto shift = static_cast<unsigned>(8 + random() % 48);
    const auto unit = static_cast<long double>(power_of_two(shift));
    const auto whole = static_cast<std::int64_t>(exact_floor(value, shift));
    const auto fraction = static_cast<long double>(value - static_cast<Wide>(whole) * power_of_two(shift)) / unit;
    const long double sigma = std::sqrt(fraction * (1 - fraction) / samples);
    std::int64_t ups = 0;
    for (int sample = 0; sample < samples; ++sample)
      ups += rounding::Stochastic::shift_right(value, shift, source) - whole;
    CAPTURE(value, shift, seed, fraction, sigma);
    CHECK(std::abs(static_cast<long double>(ups) / samples - fraction) <= 4 * sigma);
    if (fraction > 4 * sigma) ++biased_down;
    const std::int64_t nearest = rounding::Nearest::shift_right(value, shift) - whole;
    if (std::abs(static_cast<long double>(nearest) - fraction) > 4 * sigma) ++biased_nearest;
  }
  CHECK(biased_down >= 60); // the bound is sharp enough to notice a wrong policy
  CHECK(biased_nearest >= 60);
}

TEST_CASE("rounding: Dither's number for step n is n * 0x9E3779B9", "[vocabulary][rounding]") {
  rounding::Dither dither;
  for (std::uint64_t step_number = 0; step_number < 100000; ++step_number) {
    const auto expected = static_cast<std::uint32_t>(step_number * 0x9E3779B9 % (std::uint64_t{1} << 32));
    REQUIRE(dither.next() == expected);
    REQUIRE(rounding::Dither{static_cast<std::uint32_t>(step_number)}.next() == expected);
  }
  STATIC_REQUIRE(sizeof(rounding::Dither) == 4);
  STATIC_REQUIRE(std::is_trivially_copyable_v<rounding::Dither>);
}

TEST_CASE("rounding: the mean error of Dithered shrinks as log(n) / n", "[vocabulary][rounding]") {
  // Kuipers and Niederreiter, Uniform Distribution of Sequences, theorem 3.4 of chapter 2, for the golden
  // ratio (all partial quotients 1): n times the discrepancy of n terms is at most 3 + (1/ln phi + 1/ln 2) ln
  // n.
  const double slope = 1 / std::log((1 + std::sqrt(5.0)) / 2) + 1 / std::log(2.0);
  std::mt19937_64 random{seed};
  Xorshift source;
  int worse_than_bound = 0;
  for (int count = 0; count < 16; ++count) {
    const auto value = static_cast<std::int32_t>(random());
    constexpr unsigned shift = 15;
    const auto exact = static_cast<double>(value) / 32768;
    rounding::Dither dither{static_cast<std::uint32_t>(random())};
    double dithered = 0;
    double stochastic = 0;
    int ticks = 0;
    for (int until = 16; until <= 1 << 20; until *= 4) {
      for (; ticks < until; ++ticks) {
        dithered += rounding::Dithered::shift_right(value, shift, dither) - exact;
        stochastic += rounding::Stochastic::shift_right(value, shift, source) - exact;
      }
      CAPTURE(value, ticks, seed);
      CHECK(std::abs(dithered) <= 3 + slope * std::log(ticks));
    }
    if (std::abs(stochastic) > 3 + slope * std::log(ticks)) ++worse_than_bound;
  }
  CHECK(worse_than_bound >= 8); // independent numbers do not keep this bound: it says something
}

namespace {

// The least that the concepts ask for.
struct MinimalSource {
  std::uint32_t next() { return 0; }
};
struct MinimalRounding {
  template <class Value>
  static Value shift_right(Value value, unsigned) {
    return value;
  }
};
struct NoShift {};
struct WrongType {
  static int shift_right(int value, unsigned shift) { return value >> shift; }
};
struct SignedSource {
  std::int32_t next() { return 0; }
};
static_assert(rounding::BitSource<MinimalSource> && rounding::BitSource<Xorshift>);
static_assert(!rounding::BitSource<SignedSource> && !rounding::BitSource<const MinimalSource>);
static_assert(rounding::RoundingPolicy<MinimalRounding>);
static_assert(!rounding::RoundingPolicy<NoShift> && !rounding::RoundingPolicy<WrongType>);
static_assert(!rounding::Shiftable<bool> && !rounding::Shiftable<double>);

} // namespace
