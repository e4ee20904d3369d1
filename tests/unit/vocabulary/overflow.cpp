// SPDX-License-Identifier: BSL-1.0
// Overflow policies against exact integers.
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>

#include <neuromorph/overflow.hpp>

#include "tests/support/catch.hpp"

namespace {

namespace overflow = neuromorph::overflow;
using overflow::Range;
__extension__ typedef __int128 Wide;

constexpr std::uint64_t seed = 20240612;

template <class Rep>
Range exact_range(Wide value) {
  if (value < static_cast<Wide>(std::numeric_limits<Rep>::lowest())) return Range::below;
  if (value > static_cast<Wide>(std::numeric_limits<Rep>::max())) return Range::above;
  return Range::inside;
}

template <class Rep, class From>
void check_every_value() {
  for (int value = std::numeric_limits<From>::lowest(); value <= std::numeric_limits<From>::max(); ++value) {
    const auto from = static_cast<From>(value);
    if (overflow::range_of<Rep>(from) != exact_range<Rep>(value)) FAIL("range_of " << value);
    Wide scaled = value;
    for (unsigned shift = 0; shift <= 40; ++shift, scaled *= 2) {
      if (overflow::range_after_left_shift<Rep>(from, shift) != exact_range<Rep>(scaled))
        FAIL("range_after_left_shift " << value << " << " << shift);
    }
  }
}

template <class Rep>
void check_random_values() {
  std::mt19937_64 random{seed};
  for (int count = 0; count < 100000; ++count) {
    const auto bits = random() >> (random() % 64);
    const auto shift = static_cast<unsigned>(random() % 70);
    const auto small = shift > 60 ? 60 : shift; // keeps the reference below 2^127
    const Wide power = static_cast<Wide>(std::uint64_t{1} << small);
    const auto positive = bits;
    const auto negative = static_cast<std::int64_t>(-static_cast<Wide>(bits >> 1));
    const auto fail = [&](const char* what) {
      FAIL(what << ": bits " << bits << ", shift " << small << ", seed " << seed);
    };
    if (overflow::range_of<Rep>(positive) != exact_range<Rep>(positive)) fail("range_of, positive");
    if (overflow::range_of<Rep>(negative) != exact_range<Rep>(negative)) fail("range_of, negative");
    if (overflow::range_after_left_shift<Rep>(positive, small) != exact_range<Rep>(positive * power))
      fail("range_after_left_shift, positive");
    if (overflow::range_after_left_shift<Rep>(negative, small) != exact_range<Rep>(negative * power))
      fail("range_after_left_shift, negative");
  }
}

} // namespace

TEST_CASE("overflow: the range of every 8- and 16-bit value is the exact one", "[vocabulary][overflow]") {
  check_every_value<std::int8_t, std::int8_t>();
  check_every_value<std::int8_t, std::uint8_t>();
  check_every_value<std::uint8_t, std::int8_t>();
  check_every_value<std::uint8_t, std::uint8_t>();
  check_every_value<std::int8_t, std::int16_t>();
  check_every_value<std::uint8_t, std::uint16_t>();
  check_every_value<std::int16_t, std::int8_t>();
  check_every_value<std::uint16_t, std::int16_t>();
  check_every_value<std::int32_t, std::int16_t>();
}

TEMPLATE_TEST_CASE("overflow: the range of random 64-bit values is the exact one", "[vocabulary][overflow]",
                   std::int8_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
  check_random_values<TestType>();
}

TEMPLATE_TEST_CASE("overflow: Wrap keeps the low bits, Saturate gives the bound", "[vocabulary][overflow]", std::int8_t,
                   std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                   std::uint64_t) {
  using Limits = std::numeric_limits<TestType>;
  const TestType low_bits = 42;
  for (const Range range : {Range::inside, Range::below, Range::above})
    CHECK(overflow::Wrap::resolve(low_bits, range) == low_bits);
  CHECK(overflow::Saturate::resolve(low_bits, Range::inside) == low_bits);
  CHECK(overflow::Saturate::resolve(low_bits, Range::below) == Limits::lowest());
  CHECK(overflow::Saturate::resolve(low_bits, Range::above) == Limits::max());
  STATIC_REQUIRE(overflow::lowest<TestType> == Limits::lowest());
  STATIC_REQUIRE(overflow::highest<TestType> == Limits::max());
}

TEST_CASE("overflow: SaturateAndCount counts each saturation and nothing else", "[vocabulary][overflow]") {
  overflow::Counter counter;
  CHECK(overflow::SaturateAndCount::resolve(std::int16_t{5}, Range::inside, counter) == 5);
  CHECK(counter.count == 0);
  CHECK(overflow::SaturateAndCount::resolve(std::int16_t{5}, Range::above, counter) == 32767);
  CHECK(overflow::SaturateAndCount::resolve(std::int16_t{5}, Range::below, counter) == -32768);
  CHECK(counter.count == 2);
}

TEST_CASE("overflow: a full counter stays full instead of starting again", "[vocabulary][overflow]") {
  overflow::Counter counter{std::numeric_limits<std::uint32_t>::max() - 1};
  for (int count = 0; count < 3; ++count) counter.count_saturation();
  CHECK(counter.count == std::numeric_limits<std::uint32_t>::max());
}

TEST_CASE("overflow: counting works in constant expressions", "[vocabulary][overflow]") {
  constexpr auto counted = [] {
    overflow::Counter counter;
    static_cast<void>(overflow::SaturateAndCount::resolve(0, Range::above, counter));
    return counter.count;
  }();
  STATIC_REQUIRE(counted == 1);
}

namespace {

// The least that the concepts ask for.
struct MinimalCounter {
  void count_saturation() {}
};
struct MinimalOverflow {
  template <class Rep>
  static Rep resolve(Rep wrapped, Range) {
    return wrapped;
  }
};
struct Nothing {};
static_assert(overflow::SaturationCounter<MinimalCounter> && !overflow::SaturationCounter<Nothing>);
static_assert(!overflow::SaturationCounter<const overflow::Counter>);
static_assert(overflow::OverflowPolicy<MinimalOverflow> && !overflow::OverflowPolicy<Nothing>);
static_assert(std::is_trivially_copyable_v<overflow::Counter> && sizeof(overflow::Counter) == 4);

} // namespace
