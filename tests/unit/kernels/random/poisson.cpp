// SPDX-License-Identifier: BSL-1.0
#include <neuromorph/kernels/random/poisson.hpp>

#include <neuromorph/kernels/random/jkiss64.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/support/big_fixed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/randomness.hpp"

using namespace neuromorph;

namespace {

using Counting = randomness::Counting<Sfc32>;
using Scripted = randomness::Scripted<>;

constexpr auto every_million_steps = poisson_intervals(1e-6);
static_assert(!every_million_steps.is_never());

} // namespace

TEST_CASE("poisson: a rate known while loading gives what it gives at compile time", "[kernels][poisson]") {
  const auto made = PoissonTable::from(20.0);
  REQUIRE(made.ok());
  CHECK(made.value().draws_per_value() == 1);
  Sfc32 one, two, three;
  std::vector<std::uint32_t> early(500), late(500);
  word_table<Poisson(20)>.fill(one, std::span(early));
  made.value().fill(two, std::span(late));
  CHECK(early == late);
  for (const std::uint32_t value : std::span(early).first(48)) CHECK(made.value().draw(three) == value);
}

TEST_CASE("poisson: high rates are sums of tables", "[kernels][poisson]") {
  const auto made = PoissonTable::from(200.0);
  REQUIRE(made.ok());
  CHECK(made.value().draws_per_value() == 4);
  Sfc32 one, two;
  std::vector<std::uint32_t> values(100), expected(100);
  made.value().fill(one, std::span(values));
  for (std::size_t begin = 0; begin < values.size(); begin += 48)
    for (int draw = 0; draw < 4; ++draw) {
      std::vector<std::uint32_t> more(std::min<std::size_t>(48, values.size() - begin));
      word_table<Poisson(50)>.fill(two, std::span(more));
      for (std::size_t i = 0; i < more.size(); ++i) expected[begin + i] += more[i];
    }
  CHECK(values == expected);
  CHECK(one == two);

  CHECK(PoissonTable::from(64.0).value().draws_per_value() == 1);
  const volatile double loaded = 0; // which the compiler does not know
  CHECK(PoissonTable::from(loaded).value() == PoissonTable());
  CHECK(PoissonTable::from(64.00000000000001).value().draws_per_value() == 2);
  CHECK(PoissonTable::from(1048576.0).value().draws_per_value() == 16384);
  CHECK(PoissonTable::from(1e-320).ok());
}

TEST_CASE("poisson: draws at high rates fit the distribution", "[kernels][poisson]") {
  for (const double rate : {100.0, 1000.0}) {
    INFO("rate " << rate);
    const auto table = PoissonTable::from(rate).value();
    Jkiss64 source(StreamId{5, 5, 5});
    constexpr std::size_t draws = 200'000;
    std::vector<std::uint32_t> values(draws);
    table.fill(source, std::span(values));
    const auto top = static_cast<std::size_t>(2 * rate);
    std::vector<std::uint64_t> found(top + 1);
    for (const std::uint32_t value : values) ++found[std::min<std::size_t>(value, top)];
    randomness::Classes classes;
    for (std::size_t k = 0; k <= top; ++k) {
      const auto count = static_cast<double>(k);
      classes.add(found[k], draws * std::exp(count * std::log(rate) - rate - std::lgamma(count + 1)));
    }
    CHECK(randomness::verdict({classes.chi_square()}) > 0.01);
  }
}

TEST_CASE("poisson: rate 0 is silent", "[kernels][poisson]") {
  const auto made = PoissonTable::from(0.0);
  REQUIRE(made.ok());
  CHECK(made.value() == PoissonTable());
  Sfc32 source;
  std::vector<std::uint32_t> values(100, 7);
  made.value().fill(source, std::span(values));
  CHECK(values == std::vector<std::uint32_t>(100));
  CHECK(made.value().draw(source) == 0);
}

TEST_CASE("poisson: rates that are none are refused", "[kernels][poisson]") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double rate : {-1.0, -1e-300, infinity, -infinity, 1048576.0000000002, std::nan("")}) {
    const Status expected{Error::parameter_out_of_range, 0, rate, "rate"};
    CHECK(PoissonTable::from(rate).status() == expected);
    if (rate != 1048576.0000000002) CHECK(PoissonIntervals::from(rate).status() == expected);
  }
}

TEST_CASE("poisson: digits of waiting times have the chances of the closed form", "[kernels][poisson]") {
  for (const double rate : {1e-18, 1e-12, 1e-6, 0.001, 0.0078125, 0.01, 0.3, 1.0, 5.0, 20.0, 63.9}) {
    INFO("rate " << rate);
    const auto intervals = PoissonIntervals::from(rate).value();
    CHECK_FALSE(intervals.is_never());
    BigFixed exponent = BigFixed::from_double(rate);
    for (unsigned digit = 0; digit < 64; ++digit, exponent = exponent + exponent) {
      INFO("digit " << digit);
      if (BigFixed(64) < exponent) {
        CHECK(intervals.digit_chance(digit) == 0);
        continue;
      }
      // chance * (1 + power) = power, where power = e^-exponent
      const BigFixed power = BigFixed::exponential_of_minus(exponent);
      BigFixed chance(intervals.digit_chance(digit));
      for (int i = 0; i < 4; ++i) chance = chance / (1U << 16);
      const BigFixed product = chance * (BigFixed(1) + power);
      CHECK((product < power ? power - product : product - power).units_from(0) <= 1.0000001);
    }
    CHECK((intervals.never_chance() != 0) == (rate == 1e-18));
  }
}

TEST_CASE("poisson: the chance of never is that of 2^64 empty steps", "[kernels][poisson]") {
  for (const double rate : {1e-18, 5e-20, 1e-22, 1e-30, 1e-38}) {
    INFO("rate " << rate);
    const auto intervals = PoissonIntervals::from(rate).value();
    const BigFixed power = BigFixed::exponential_of_minus(BigFixed::from_double(rate * 0x1p64));
    CHECK(power.units_from(intervals.never_chance()) <= 0.50001);
  }
  CHECK(PoissonIntervals::from(1e-40).value().is_never());
  CHECK(PoissonIntervals::from(5e-324).value().is_never());
  CHECK(PoissonIntervals::from(0.0).value().is_never());
  CHECK(PoissonIntervals().is_never());
  Counting source;
  CHECK(PoissonIntervals().draw(source) == PoissonIntervals::never);
  CHECK(source.drawn == 0);

  // Half of the waiting times at a rate of ln 2 / 2^64 do not fit 64 bits; the others do not overflow.
  const auto half = PoissonIntervals::from(std::log(2.0) * 0x1p-64).value();
  int never = 0, long_ones = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t steps = half.draw(source);
    never += steps == PoissonIntervals::never;
    long_ones += steps != PoissonIntervals::never && steps >> 63 != 0;
  }
  CHECK(never == Approx(5000).margin(200));
  CHECK(long_ones == Approx(2071).margin(180)); // 1/sqrt(2) - 1/2
}

TEST_CASE("poisson: waiting times are geometric", "[kernels][poisson]") {
  randomness::PValues values;
  for (const double rate : {0.004, 0.05, 0.3, 1.0, 3.0}) {
    const auto intervals = PoissonIntervals::from(rate).value();
    Sfc32 source(StreamId{8, 8, 8});
    constexpr int draws = 200'000;
    std::vector<std::uint64_t> found(10'000);
    for (int i = 0; i < draws; ++i) ++found[std::min<std::uint64_t>(intervals.draw(source), 9'999)];
    double rest = draws;
    randomness::Classes classes(20);
    for (const std::uint64_t count : found) {
      const double here = rest * -std::expm1(-rate);
      rest -= here;
      classes.add(count, here);
    }
    classes.add(0, rest);
    values.push_back(classes.chi_square());
  }
  CHECK(randomness::verdict(values) > 0.01);
}

TEST_CASE("poisson: digits are decided by bytes, and ties by further words", "[kernels][poisson]") {
  // Two digits and no more matter here.
  const auto intervals = PoissonIntervals::from(20.0).value(); // e^20 is 2^28.9, e^40 is 2^57.7
  const std::uint64_t digit0 = intervals.digit_chance(0), digit1 = intervals.digit_chance(1);
  REQUIRE(digit0 >> 56 == 0);
  REQUIRE(digit1 >> 32 == 0);
  REQUIRE(intervals.digit_chance(2) == 0);
  const auto middle = static_cast<std::uint32_t>(digit0 >> 24);
  const auto low = static_cast<std::uint32_t>(digit0) << 8;
  const auto draw = [&](std::vector<std::uint32_t> words) {
    Scripted source{std::move(words)};
    const std::uint64_t steps = intervals.draw(source);
    return std::pair<std::uint64_t, std::size_t>(steps, source.drawn);
  };
  using Answer = std::pair<std::uint64_t, std::size_t>;
  CHECK(draw({0x0101U}) == Answer(0, 1));
  CHECK(draw({0x0100U, middle - 1}) == Answer(1, 2));
  CHECK(draw({0x0100U, middle + 1}) == Answer(0, 2));
  CHECK(draw({0x0100U, middle, low - 256}) == Answer(1, 3));
  CHECK(draw({0x0100U, middle, low}) == Answer(0, 3));
  CHECK(draw({0x0001U, static_cast<std::uint32_t>(digit1 >> 24) + 1}) == Answer(0, 2));
  CHECK(draw({0x0001U, 0}) == Answer(2, 3));
  CHECK(draw({0x0000U, middle - 1, 0}) == Answer(3, 4));
}

TEST_CASE("poisson: a rare source has the right mean and takes few words", "[kernels][poisson]") {
  Counting source;
  double sum = 0;
  constexpr int draws = 100'000;
  for (int i = 0; i < draws; ++i) sum += static_cast<double>(every_million_steps.draw(source));
  CHECK(sum / draws == Approx(1e6).epsilon(0.015));
  CHECK(static_cast<double>(source.drawn) / draws == Approx(7 + 26.0 / 256).margin(0.02)); // 26 digits
}

TEST_CASE("poisson: waiting times and positive counts make a Poisson source", "[kernels][poisson]") {
  // Event by event against the chance of each count per step.
  constexpr double rate = 0.2;
  const auto intervals = PoissonIntervals::from(rate).value();
  const auto& events = word_table<PositivePoisson(rate)>;
  Sfc32 source(StreamId{1, 1, 1});
  std::vector<std::uint64_t> counts(6);
  std::uint64_t wait = intervals.draw(source);
  constexpr int steps = 1'000'000;
  for (int step = 0; step < steps; ++step) {
    std::uint32_t count = 0;
    if (wait-- == 0) {
      count = events.draw(source);
      wait = intervals.draw(source);
    }
    ++counts[std::min<std::uint32_t>(count, 5)];
  }
  std::vector<double> expected(6);
  double rest = steps, term = steps * std::exp(-rate);
  for (std::size_t k = 0; k < 5; ++k) {
    expected[k] = term;
    rest -= term;
    term *= rate / static_cast<double>(k + 1);
  }
  expected[5] = rest;
  CHECK(randomness::verdict({randomness::chi_square(counts, expected)}) > 0.01);
}
