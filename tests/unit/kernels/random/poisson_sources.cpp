// SPDX-License-Identifier: BSL-1.0
// Poisson sources of any rate against the closed form, decision by decision and in the mean; and a rate that follows a
// function against its integral.
#include <neuromorph/kernels/random/poisson_sources.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/randomness.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

using Ladder = PoissonLadder<>;
using Counting = randomness::Counting<Sfc32>;
using Scripted = randomness::Scripted<>;

constexpr std::uint32_t one = 1U << Ladder::fraction_bits;
static_assert(Ladder::highest_rate == 8 * one);
static_assert(Ladder::rate(0.0).value() == 0 && Ladder::rate(8.0).value() == 8 * one);
constexpr std::uint32_t at_compile_time = [] {
  Sfc32 source;
  std::uint32_t sum = 0;
  for (std::uint32_t rate = 0; rate < 100; ++rate) sum += Ladder::draw(source, rate * (one / 20));
  return sum;
}();

/// All tables of the default ladder.
constexpr std::size_t table_bytes = sizeof word_table<Poisson(0.125)> + sizeof word_table<Poisson(0.25)> +
                                    sizeof word_table<Poisson(0.5)> + sizeof word_table<Poisson(1)> +
                                    sizeof word_table<Poisson(2)> + sizeof word_table<Poisson(4)> +
                                    sizeof word_table<Poisson(8)>;
static_assert(table_bytes > 1850 && table_bytes < 1950); // as the header says

} // namespace

TEST_CASE("poisson ladder: a rate is the nearest of its numbers, or refused", "[kernels][poisson]") {
  for (const std::uint32_t seed : Seeds(1000)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const double rate = std::exp2(std::uniform_real_distribution<double>(-30, 3)(random));
    const auto made = Ladder::rate(rate);
    REQUIRE(made.ok());
    CHECK(std::fabs(made.value() * std::exp2(-26) - rate) <= std::exp2(-27));
  }
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double rate : {-1.0, -1e-300, 8.0 + 0x1p-26, 1e300, infinity, -infinity, std::nan("")}) {
    const Status status = Ladder::rate(rate).status(), expected{Error::parameter_out_of_range, 0, rate, "rate"};
    CHECK(status == expected);
  }
  CHECK(PoissonLadder<-2, 5>::rate(32.0).ok());
  CHECK(!PoissonLadder<-2, 4>::rate(32.0).ok());
}

TEST_CASE("poisson ladder: each event is kept with the chance that makes the rate, without an error",
          "[kernels][poisson]") {
  const auto check = [](auto table, int exponent, std::uint32_t rate) {
    INFO("table 2^" << exponent << ", rate " << rate);
    const std::uint64_t chance = (std::uint64_t{rate} << 32) >> (26 + exponent); // of 2^32
    REQUIRE(((std::uint64_t{rate} << 32) & ((std::uint64_t{1} << (26 + exponent)) - 1)) == 0);
    const auto& bounds = table->bounds();
    const std::uint32_t three = bounds.high[2] + 1; // a word of which the table makes three events
    for (std::uint32_t kept = 0; kept < 8; ++kept) {
      const auto word = [&](unsigned event) {
        return static_cast<std::uint32_t>((kept >> event & 1) != 0 ? chance - 1 : chance);
      };
      Scripted source{{three, word(0), word(1), word(2)}};
      REQUIRE(Ladder::draw(source, rate) == static_cast<std::uint32_t>(std::popcount(kept)));
      REQUIRE(source.drawn == 4);
    }
    Scripted none{{0}};
    REQUIRE(Ladder::draw(none, rate) == 0);
    REQUIRE(none.drawn == 1);
  };
  for (const std::uint32_t seed : Seeds(200)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto between = [&](double low, double high) { // not the ends
      const auto first = static_cast<std::uint32_t>(low * one), last = static_cast<std::uint32_t>(high * one);
      return first + 1 + static_cast<std::uint32_t>(random() % (last - first - 1));
    };
    check(&word_table<Poisson(0.125)>, -3, between(0, 0.125));
    check(&word_table<Poisson(0.25)>, -2, between(0.125, 0.25));
    check(&word_table<Poisson(0.5)>, -1, between(0.25, 0.5));
    check(&word_table<Poisson(1)>, 0, between(0.5, 1));
    check(&word_table<Poisson(2)>, 1, between(1, 2));
    check(&word_table<Poisson(4)>, 2, between(2, 4));
    check(&word_table<Poisson(8)>, 3, between(4, 8));
  }
  check(&word_table<Poisson(0.125)>, -3, 1);
  check(&word_table<Poisson(0.125)>, -3, one / 8 - 1);
  check(&word_table<Poisson(8)>, 3, 8 * one - 1);
  check(&word_table<Poisson(0.25)>, -2, one / 8 + 1);
}

TEST_CASE("poisson ladder: at the rate of a table it is the table; at rate 0 nothing is drawn", "[kernels][poisson]") {
  const auto same = [](const auto& table, std::uint32_t rate) {
    Sfc32 one_source, other;
    for (int draw = 0; draw < 1000; ++draw) REQUIRE(Ladder::draw(one_source, rate) == table.draw(other));
    CHECK(one_source == other);
  };
  same(word_table<Poisson(0.125)>, one / 8);
  same(word_table<Poisson(1)>, one);
  same(word_table<Poisson(8)>, 8 * one);
  Counting source;
  CHECK(Ladder::draw(source, 0) == 0);
  CHECK(source.drawn == 0);
  Sfc32 again;
  std::uint32_t sum = 0;
  for (std::uint32_t rate = 0; rate < 100; ++rate) sum += Ladder::draw(again, rate * (one / 20));
  CHECK(sum == at_compile_time);
}

TEST_CASE("poisson ladder: draws fit the distribution at any rate, and take as many words as is said",
          "[kernels][poisson]") {
  randomness::PValues values;
  for (const std::uint32_t seed : Seeds(sanitized ? 4 : 40)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const double asked = std::exp2(std::uniform_real_distribution<double>(-6, 3)(random));
    const std::uint32_t rate = Ladder::rate(asked).value();
    const double exact = rate * std::exp2(-26), table = std::max(0.125, std::exp2(std::ceil(std::log2(exact))));
    constexpr std::size_t draws = sanitized ? 20'000 : 200'000;
    std::vector<std::uint64_t> found(64);
    Counting source{Sfc32(StreamId{seed, 1, 2})};
    for (std::size_t draw = 0; draw < draws; ++draw) ++found[std::min(63U, Ladder::draw(source, rate))];
    randomness::Classes classes;
    for (std::size_t k = 0; k < found.size(); ++k) {
      const auto count = static_cast<double>(k);
      classes.add(found[k], draws * std::exp(count * std::log(exact) - exact - std::lgamma(count + 1)));
    }
    if (classes.size() > 1) values.push_back(classes.chi_square());
    // one for the table, one for each of its events
    CHECK(std::fabs(static_cast<double>(source.drawn) / draws - 1 - table) < 6 * std::sqrt(table / draws));
  }
  CHECK(randomness::verdict(values) > 0.01);
}

TEST_CASE("poisson ladder: a block is one draw after the other", "[kernels][poisson]") {
  for (const std::uint32_t seed : Seeds(50)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::vector<std::uint32_t> rates(random() % 100);
    for (auto& rate : rates) rate = static_cast<std::uint32_t>(random() % (Ladder::highest_rate + 1));
    std::vector<std::uint8_t> all(110, 99);
    const std::size_t more = rates.size() + random() % 3;
    const std::span<std::uint8_t> values(all.data(), std::min<std::size_t>(random() % 110, more));
    Sfc32 source(StreamId{seed, 0, 0}), other(StreamId{seed, 0, 0});
    Ladder::fill(source, rates, values);
    for (std::size_t at = 0; at < values.size(); ++at)
      CHECK(values[at] == (at < rates.size() ? Ladder::draw(other, rates[at]) : 99U));
    CHECK(source == other);
    for (std::size_t at = values.size(); at < all.size(); ++at) CHECK(all[at] == 99);
  }
}

TEST_CASE("poisson sources: those that fire, as often as they do; what has no room is counted", "[kernels][poisson]") {
  std::uint32_t all_lost = 0;
  for (const std::uint32_t seed : Seeds(100)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    PoissonSources<20, 30> sources;
    std::array<std::uint32_t, 20> rates{};
    for (std::uint32_t which = 0; which < 20; ++which)
      if (random() % 4 != 0) {
        const double rate = std::exp2(std::uniform_real_distribution<double>(-4, seed % 2 == 0 ? 3 : 0)(random));
        REQUIRE(sources.set(which, rate).ok());
        rates[which] = Ladder::rate(rate).value();
      }
    CHECK(std::equal(rates.begin(), rates.end(), sources.rates().begin()));
    Sfc32 source(StreamId{seed, 0, 0}), other(StreamId{seed, 0, 0});
    std::uint32_t lost = 0;
    for (int step = 0; step < 100; ++step) {
      std::vector<std::uint32_t> expected;
      for (std::uint32_t which = 0; which < 20; ++which)
        expected.resize(expected.size() + Ladder::draw(other, rates[which]), which);
      if (expected.size() > 30) lost += static_cast<std::uint32_t>(expected.size() - 30), expected.resize(30);
      const auto fired = sources.step(source);
      REQUIRE(std::equal(fired.begin(), fired.end(), expected.begin(), expected.end()));
    }
    CHECK(source == other);
    CHECK(sources.lost() == lost);
    CHECK(sources.held() == 0);
    all_lost += lost;
  }
  CHECK(all_lost > 1000);
  PoissonSources<3> sources;
  CHECK(sources.set(3, 0.1).error == Error::index_out_of_range);
  const Status status = sources.set(2, 9.0);
  CHECK(status.error == Error::parameter_out_of_range);
  CHECK(status.where == 2);
  CHECK(sources.rates()[2] == 0);
}

TEST_CASE("poisson sources: rates by a function of the step", "[kernels][poisson]") {
  // 0.3 (1 + sin) events a step, each source a phase later
  constexpr std::uint32_t count = 16, period = 200, cycles = sanitized ? 50 : 500;
  PoissonSources<count> sources;
  Sfc32 source(StreamId{3, 2, 1});
  const auto rate_at = [](std::uint32_t which, std::uint32_t step) {
    const double phase = 2 * 3.14159265358979 * (step / double{period} + which / double{count});
    return 0.3 * (1 + std::sin(phase));
  };
  std::array<std::array<double, 8>, count> found{}, expected{};
  for (std::uint32_t step = 0; step < period * cycles; ++step) {
    const std::uint32_t bin = step % period / (period / 8);
    for (const auto which :
         sources.step(source, [&](std::uint32_t of) { return Ladder::rate(rate_at(of, step)).value(); }))
      ++found[which][bin];
    for (std::uint32_t which = 0; which < count; ++which) expected[which][bin] += rate_at(which, step);
  }
  double worst = 0;
  for (std::uint32_t which = 0; which < count; ++which)
    for (std::size_t bin = 0; bin < 8; ++bin)
      worst = std::max(worst, std::fabs(found[which][bin] - expected[which][bin]) / std::sqrt(expected[which][bin]));
  std::printf("poisson sources: eighths of a period are at most %.1f deviations from the integral of the rate\n",
              worst);
  CHECK(worst < 5); // of 128
  CHECK(sources.lost() == 0);

  // what is above the highest is held there, and counted
  PoissonSources<2, 100> fast;
  Sfc32 one_source, other;
  for (int step = 0; step < 100; ++step) {
    const auto fired = fast.step(one_source, [](std::uint32_t which) { return which == 0 ? 0 : UINT32_MAX; });
    REQUIRE(fired.size() == Ladder::draw(other, Ladder::highest_rate));
  }
  CHECK(fast.held() == 100);
  (void)fast.step(one_source, [](std::uint32_t) { return Ladder::highest_rate; });
  CHECK(fast.held() == 100);
  (void)fast.step(one_source, [](std::uint32_t) { return Ladder::highest_rate + 1; });
  CHECK(fast.held() == 102);
}
