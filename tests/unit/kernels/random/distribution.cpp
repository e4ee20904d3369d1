// SPDX-License-Identifier: BSL-1.0
// Cumulative tables against closed forms in numbers of 512 fraction bits, or in whole numbers.
#include <neuromorph/kernels/random/distribution.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/support/big_fixed.hpp"
#include "tests/support/catch.hpp"

using namespace neuromorph;

namespace {

// Half a unit for rounding to nearest, and room for errors of 2^-100 that decide near a tie.
constexpr double nearest = 0.500001;

// Each bound is the sum of the probabilities up to its outcome, and what is not in the table is below half a unit.
void check(const Cumulative& table, const std::vector<BigFixed>& probabilities) {
  REQUIRE(table.outcomes >= 1);
  REQUIRE(table.outcomes <= probabilities.size());
  BigFixed sum;
  std::uint64_t before = 0;
  for (std::size_t k = 0; k < table.outcomes; ++k) {
    sum = sum + probabilities[k];
    INFO("outcome " << k << " of " << table.outcomes);
    if (k + 1 == table.outcomes) {
      CHECK(sum.units_from(0, true) <= nearest);
      break;
    }
    CHECK(sum.units_from(table.bounds[k]) <= nearest);
    CHECK(table.bounds[k] >= before);
    before = table.bounds[k];
  }
}

std::vector<BigFixed> poisson_probabilities(double rate) {
  const BigFixed mean = BigFixed::from_double(rate);
  BigFixed probability = BigFixed::exponential_of_minus(mean);
  std::vector<BigFixed> probabilities;
  for (std::uint32_t k = 0; k < 256; ++k) {
    probabilities.push_back(probability);
    probability = probability * mean / (k + 1);
  }
  return probabilities;
}

std::vector<BigFixed> binomial_probabilities(std::uint32_t trials, double probability) {
  const BigFixed success = BigFixed::from_double(probability);
  const BigFixed failure = BigFixed(1) - success;
  std::vector<BigFixed> probabilities;
  for (std::uint32_t k = 0; k <= trials && k < 256; ++k) {
    // The rarer of success and failure by the product that also counts the ways, the other one as a power.
    const bool few = probability <= 0.5;
    const std::uint32_t rare = few ? k : trials - k;
    BigFixed term(1);
    BigFixed square = few ? failure : success;
    for (std::uint32_t power = trials - rare; power != 0; power >>= 1, square = square * square)
      if (power % 2 != 0) term = term * square;
    for (std::uint32_t j = 0; j < rare; ++j) term = term * (few ? success : failure) * BigFixed(trials - j) / (j + 1);
    probabilities.push_back(term);
  }
  return probabilities;
}

std::uint64_t choose(std::uint32_t from, std::uint32_t of) {
  if (of > from) return 0;
  std::uint64_t ways = 1;
  for (std::uint32_t k = 1; k <= of; ++k) ways = ways * (from - of + k) / k;
  return ways;
}

double not_a_number() { return std::numeric_limits<double>::quiet_NaN(); }

} // namespace

TEST_CASE("distribution: Poisson tables are the closed form, rounded to the nearest 2^-64", "[kernels][distribution]") {
  for (const double rate :
       {5e-100, 1e-18, 1e-10, 0.001, 0.1,  0.25,  0.5,  0.7,  0.999,  1.0,  1.2,  1.6,  2.0,  2.5,  3.0,   3.7, 5.0,
        7.77,   10.0,  12.5,  16.0,  20.0, 25.25, 31.4, 36.0, 40.001, 45.5, 50.0, 55.5, 60.0, 63.0, 63.99, 64.0}) {
    INFO("rate " << rate);
    const auto table = Poisson(rate).cumulative();
    REQUIRE(table.ok());
    check(table.value(), poisson_probabilities(rate));
  }
}

TEST_CASE("distribution: any rate up to 64 in steps of a third is right", "[kernels][distribution]") {
  for (double rate = 1.0 / 3; rate < 64; rate += 7.0 / 3) {
    INFO("rate " << rate);
    check(Poisson(rate).cumulative().value(), poisson_probabilities(rate));
  }
}

TEST_CASE("distribution: the smallest double is a rate", "[kernels][distribution]") {
  const auto table = Poisson(5e-324).cumulative();
  REQUIRE(table.ok());
  CHECK(table.value().outcomes == 1);
  CHECK(table.value().is_sure(0));
}

TEST_CASE("distribution: the published table for a rate of 1.6", "[kernels][distribution]") {
  // Streamlining SpiNNaker, section 1.3: 2^32 P(more than k). All of them are 0.0079 too low, as the last ones show.
  const double published[]{3427828354.0287867, 2040406046.8874736, 930468201.1744232, 338501350.1274629,
                           101714609.7086788,  25942852.77466787,  5737050.925598297, 1118581.931525252,
                           194888.1327106422,  30675.90181026706,  4401.944866207042, 580.2784016164973,
                           70.72287300442295,  8.008346406013947,  0.8409719376243779};
  const auto table = Poisson(1.6).cumulative().value();
  for (std::size_t k = 0; k < 15; ++k) {
    const double above = std::ldexp(static_cast<double>(0 - table.bounds[k]), -32);
    CHECK(above == Approx(published[k]).epsilon(0).margin(0.01));
  }
}

TEST_CASE("distribution: positive Poisson tables are the closed form without the outcome 0",
          "[kernels][distribution]") {
  for (const double rate : {0.001, 0.5, 1.6, 8.0, 64.0}) {
    INFO("rate " << rate);
    const auto table = PositivePoisson(rate).cumulative();
    REQUIRE(table.ok());
    CHECK(table.value().bounds[0] == 0);
    // The remaining probabilities add up to 1 - e^-rate: multiplied by it, the table is the Poisson table.
    auto probabilities = poisson_probabilities(rate);
    const BigFixed rest = BigFixed(1) - probabilities[0];
    BigFixed sum;
    for (std::size_t k = 1; k + 1 < table.value().outcomes; ++k) {
      sum = sum + probabilities[k];
      BigFixed bound = BigFixed(table.value().bounds[k]) * rest;
      for (int i = 0; i < 4; ++i) bound = bound / (1U << 16);
      const BigFixed difference = bound < sum ? sum - bound : bound - sum;
      CHECK(difference.units_from(0) <= nearest);
    }
  }
  CHECK(PositivePoisson(1e-300).cumulative().value().outcomes == 2);
}

TEST_CASE("distribution: binomial tables are the closed form", "[kernels][distribution]") {
  struct Case {
    std::uint32_t trials;
    double probability;
  };
  for (const Case of :
       {Case{1, 0.5}, Case{1, 0.3}, Case{10, 0.5}, Case{20, 0.9}, Case{20, 1e-30}, Case{100, 0.02}, Case{200, 0.99},
        Case{255, 0.5}, Case{255, 0.999}, Case{1000, 0.001}, Case{4'000'000'000U, 1e-9}, Case{40, 1 - 0x1p-53}}) {
    INFO(of.trials << " trials at " << of.probability);
    const auto table = Binomial(of.trials, of.probability).cumulative();
    REQUIRE(table.ok());
    check(table.value(), binomial_probabilities(of.trials, of.probability));
  }
}

TEST_CASE("distribution: binomials that are sure", "[kernels][distribution]") {
  CHECK(Binomial(9, 0.0).cumulative().value().is_sure(0));
  CHECK(Binomial(9, -0.0).cumulative().value().is_sure(0));
  CHECK(Binomial(9, 1.0).cumulative().value().is_sure(9));
  CHECK(Binomial(0, 0.5).cumulative().value().is_sure(0));
  CHECK(Binomial(255, 1.0).cumulative().value().is_sure(255));
  CHECK(Binomial(256, 1.0).cumulative().status().error == Error::buffer_full);
}

TEST_CASE("distribution: hypergeometric tables are quotients of whole numbers", "[kernels][distribution]") {
  for (const Hypergeometric of : {Hypergeometric{10, 4, 3}, Hypergeometric{60, 20, 15}, Hypergeometric{60, 50, 15},
                                  Hypergeometric{50, 5, 48}, Hypergeometric{7, 7, 3}, Hypergeometric{7, 0, 3},
                                  Hypergeometric{7, 3, 0}, Hypergeometric{0, 0, 0}, Hypergeometric{40, 33, 20}}) {
    INFO(of.drawn << " of " << of.total << ", " << of.marked << " marked");
    const auto table = of.cumulative();
    REQUIRE(table.ok());
    const std::uint64_t all = choose(of.total, of.drawn);
    std::uint64_t ways = 0;
    for (std::uint32_t k = 0; k < table.value().outcomes; ++k) {
      ways += choose(of.marked, k) * choose(of.total - of.marked, of.drawn - k);
      if (k + 1 == table.value().outcomes) {
        CHECK(ways == all);
      } else {
        // bound = ways / all * 2^64 to nearest: twice the difference is at most `all`.
        __extension__ using Wide = unsigned __int128;
        const Wide exact = static_cast<Wide>(ways) << 64, found = static_cast<Wide>(table.value().bounds[k]) * all;
        CHECK((exact > found ? exact - found : found - exact) * 2 <= all);
      }
    }
  }
}

TEST_CASE("distribution: weights are divided by their sum", "[kernels][distribution]") {
  const auto eighths = Weights({1.0, 2.0, 3.0, 0.0, 2.0, 0.0}).cumulative().value();
  CHECK(eighths.outcomes == 5);
  CHECK(eighths.bounds[0] == 1ULL << 61);
  CHECK(eighths.bounds[1] == 3ULL << 61);
  CHECK(eighths.bounds[2] == 6ULL << 61);
  CHECK(eighths.bounds[3] == 6ULL << 61);
  CHECK(eighths.mass(4) == 2ULL << 61);

  const auto thirds = Weights({1e300, 1e300, 1e300}).cumulative().value();
  CHECK(thirds.bounds[0] == 0x5555'5555'5555'5555U);
  CHECK(thirds.bounds[1] == 0xAAAA'AAAA'AAAA'AAABU);
  const auto tiny = Weights({5e-324, 5e-324}).cumulative().value();
  CHECK(tiny.bounds[0] == 1ULL << 63);
  CHECK(Weights({1e300, 1e-300}).cumulative().value().is_sure(0));
  CHECK(Weights({0.0, 0.0, 4.0}).cumulative().value().is_sure(2));
}

TEST_CASE("distribution: weights come from an array as well, up to the largest double", "[kernels][distribution]") {
  const double largest = std::numeric_limits<double>::max();
  const auto table = Weights(std::array{largest, 0.0, largest, 0.0}).cumulative();
  REQUIRE(table.ok());
  CHECK(table.value().outcomes == 3);
  CHECK(table.value().bounds[0] == 1ULL << 63);
  CHECK(table.value().bounds[1] == 1ULL << 63);
}

TEST_CASE("distribution: masses, sure outcomes and whole cells of tables made by hand", "[kernels][distribution]") {
  const auto of = [](std::vector<std::uint64_t> bounds) {
    Cumulative table;
    table.bounds.fill(0x1234'5678'9ABC'DEF0U); // what is not in use does not count
    for (std::size_t k = 0; k < bounds.size(); ++k) table.bounds[k] = bounds[k];
    table.outcomes = static_cast<std::uint32_t>(bounds.size() + 1);
    return table;
  };
  constexpr std::uint64_t quarter = 1ULL << 62;
  const Cumulative quarters = of({quarter, 3 * quarter});
  const std::uint64_t masses[]{quarter, 2 * quarter, quarter, 0, 0};
  const std::uint32_t cells[]{2, 4, 2, 0, 0};
  for (std::size_t k = 0; k < 5; ++k) {
    INFO("outcome " << k);
    CHECK(quarters.mass(k) == masses[k]);
    CHECK(quarters.whole_cells<3>(k) == cells[k]);
    CHECK_FALSE(quarters.is_sure(k));
  }
  CHECK(quarters.mass(255) == 0);
  CHECK(of({quarter + 5}).whole_cells<8>(0) == 64); // rounded down, of both
  CHECK(of({quarter + 5}).whole_cells<8>(1) == 191);

  struct Sure {
    std::vector<std::uint64_t> bounds;
    std::size_t outcome; // none, where it is above all
  };
  for (const Sure& sure :
       {Sure{{}, 0}, Sure{{0}, 1}, Sure{{0, 0}, 2}, Sure{{0, 5}, 9}, Sure{{5}, 9}, Sure{{~0ULL}, 9}}) {
    const Cumulative table = of(sure.bounds);
    std::uint32_t all = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      INFO(sure.bounds.size() << " bounds, outcome " << k);
      CHECK(table.is_sure(k) == (k == sure.outcome));
      CHECK((table.whole_cells<8>(k) == 256) == (k == sure.outcome));
      all += table.whole_cells<8>(k);
    }
    CHECK(all <= 256);
  }
  // One bound of 1: 2^-64 and the rest, which is not all.
  CHECK(of({1}).mass(1) == ~0ULL);
  CHECK(of({1}).whole_cells<31>(1) == (1U << 31) - 1);
}

TEST_CASE("distribution: a weight is negligible from 2^-80 of the sum on, and never before there is one",
          "[kernels][distribution]") {
  using detail::WideReal;
  CumulativeSum sum;
  CHECK_FALSE(sum.is_negligible({}));
  CHECK_FALSE(sum.is_negligible(WideReal::from(1).scaled(-500)));
  REQUIRE(sum.add(WideReal::from(1)).ok());
  CHECK(sum.is_negligible({}));
  CHECK_FALSE(sum.is_negligible(WideReal::from(1).scaled(-80)));
  CHECK(sum.is_negligible(WideReal::from(1).scaled(-81)));
  for (std::size_t k = 1; k < Cumulative::most_outcomes; ++k) REQUIRE(sum.add(WideReal::from(1)).ok());
  CHECK(sum.add(WideReal::from(1)) == Status{Error::buffer_full, 256, 256});
  const auto table = sum.result();
  REQUIRE(table.ok());
  CHECK(table.value().outcomes == 256);
  for (std::size_t k = 0; k < 255; ++k) REQUIRE(table.value().bounds[k] == (k + 1) << 56U);
}

TEST_CASE("distribution: a long tail that nobody draws is left out", "[kernels][distribution]") {
  const volatile std::uint32_t loaded = 1000; // which the compiler does not know
  const auto table = Hypergeometric{100'000, loaded, 1000}.cumulative();
  REQUIRE(table.ok());
  const auto fifo_ways = [](double n, double k) {
    return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  };
  double sum = 0;
  for (std::size_t k = 0; k < 40; ++k) {
    const auto marked = static_cast<double>(k);
    sum += std::exp(fifo_ways(1000, marked) + fifo_ways(99'000, 1000 - marked) - fifo_ways(100'000, 1000));
    CHECK(std::ldexp(static_cast<double>(table.value().bounds[k]), -64) == Approx(sum).epsilon(1e-7));
  }
  // P(more than outcomes - 1) < 2^-65
  CHECK(table.value().outcomes < 80);
}

TEST_CASE("distribution: what cannot be is refused, with the value", "[kernels][distribution]") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double rate : {0.0, -0.0, -1.0, 64.00000000000001, 1e300, infinity, -infinity}) {
    INFO("rate " << rate);
    const Status expected{Error::parameter_out_of_range, 0, rate == 0 ? 0.0 : rate, "rate"};
    CHECK(Poisson(rate).cumulative().status() == expected);
  }
  CHECK(Poisson(not_a_number()).cumulative().status().error == Error::parameter_out_of_range);
  for (const double probability : {-0.5, 1.0000000000000002, infinity}) {
    const Status expected{Error::parameter_out_of_range, 0, probability, "probability"};
    CHECK(Binomial(3, probability).cumulative().status() == expected);
  }
  CHECK(Binomial(2000, 0.5).cumulative().status().error == Error::buffer_full);
  CHECK(Hypergeometric{10, 11, 3}.cumulative().status() == Status{Error::parameter_out_of_range, 0, 11, "marked"});
  CHECK(Hypergeometric{10, 3, 12}.cumulative().status() == Status{Error::parameter_out_of_range, 0, 12, "drawn"});
  CHECK(Hypergeometric{4000, 2000, 1000}.cumulative().status().error == Error::buffer_full);
  CHECK(Weights({0.0, 0.0}).cumulative().status() == Status{Error::parameter_not_positive, 0, 0, "weights"});
  CHECK(Weights({1.0, -1.0}).cumulative().status() == Status{Error::parameter_out_of_range, 1, -1.0, "weight"});
  CHECK(Weights({1.0, 2.0, infinity}).cumulative().status() ==
        Status{Error::parameter_out_of_range, 2, infinity, "weight"});
}
