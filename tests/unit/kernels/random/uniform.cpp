// SPDX-License-Identifier: BSL-1.0
#include <neuromorph/kernels/random/uniform.hpp>

#include <neuromorph/kernels/random/sfc32.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/randomness.hpp"

using namespace neuromorph;

namespace {

using Scripted = randomness::Scripted<0xFFFF'FFFFU>;

constexpr std::uint64_t all_words = 0x1'0000'0000U;
constexpr std::int32_t lowest = std::numeric_limits<std::int32_t>::lowest();
constexpr std::int32_t highest = 0x7FFF'FFFF;

constexpr bool works_at_compile_time() {
  Sfc32 source;
  bool within = true;
  for (int i = 0; i < 100; ++i) {
    within = within && uniform_below(source, 7) < 7;
    const std::int32_t value = uniform_between(source, -3, 5);
    within = within && value >= -3 && value <= 5;
    within = within && !bernoulli(source, Probability()) && bernoulli(source, probability(1));
  }
  return within;
}
static_assert(works_at_compile_time());

// round(p * 2^32) from Python's fractions.
static_assert(probability(0).threshold() == 0);
static_assert(probability(-0.0).threshold() == 0);
static_assert(probability(1).threshold() == 4294967296U);
static_assert(probability(0.5).threshold() == 2147483648U);
static_assert(probability(0.02).threshold() == 85899346U);
static_assert(probability(0.1).threshold() == 429496730U);
static_assert(probability(1.0 / 3).threshold() == 1431655765U);
static_assert(probability(0x1p-32).threshold() == 1);
static_assert(probability(0x1p-33).threshold() == 1);
static_assert(probability(0x1.8p-32).threshold() == 2);
static_assert(probability(0x1.7ffffffffffffp-32).threshold() == 1);
static_assert(probability(0x1.fffffffffffffp-1).threshold() == 4294967296U);
static_assert(probability(0x1.ffffffffp-1).threshold() == 4294967296U);
static_assert(probability(0x1.fffffffep-1).threshold() == 4294967295U);

} // namespace

TEST_CASE("uniform_below: exactly as many words lead to each number", "[kernels][uniform]") {
  // The words of number v lie between v and v + 1 times 2^32 / bound. Where that interval has one word more
  // than 2^32 / bound rounded down, that word, the first, must be refused.
  Sfc32 chooser;
  std::vector<std::uint32_t> bounds{
      1,           2,           3,           4,           5,           7,          10,
      100,         255,         256,         257,         65535,       65537,      1'000'000'000,
      0x7FFF'FFFF, 0x8000'0000, 0x8000'0001, 0xC000'0000, 0xFFFF'FFFE, 0xFFFF'FFFF};
  for (int i = 0; i < 50; ++i) { bounds.push_back(chooser.next() >> (chooser.next() % 31) | 1U); }
  for (const std::uint32_t bound : bounds) {
    std::vector<std::uint32_t> numbers{0, bound / 2, bound - 1};
    for (int i = 0; i < 100; ++i) { numbers.push_back(chooser.next() % bound); }
    for (const std::uint32_t number : numbers) {
      const std::uint64_t begin = (number * all_words + bound - 1) / bound;
      const std::uint64_t end = ((number + std::uint64_t{1}) * all_words + bound - 1) / bound;
      const bool one_too_many = end - begin != all_words / bound;
      if (one_too_many) { REQUIRE(end - begin == all_words / bound + 1); }
      std::vector<std::uint64_t> words{begin, begin + 1, begin + 2, (begin + end) / 2, end - 2, end - 1};
      for (const std::uint64_t word : words) {
        if (word < begin || word >= end) { continue; }
        Scripted source{{static_cast<std::uint32_t>(word)}};
        const std::uint32_t drawn = uniform_below(source, bound);
        const bool refused = one_too_many && word == begin;
        INFO("bound " << bound << ", word " << word);
        REQUIRE(source.drawn == (refused ? 2 : 1));
        REQUIRE(drawn == (refused ? bound - 1 : number)); // all ones give the largest number
      }
    }
  }
}

TEST_CASE("uniform_below: numbers are equally frequent", "[kernels][uniform]") {
  Sfc32 source(StreamId{17, 0, 0});
  for (const std::uint32_t bound : {2U, 3U, 10U, 1000U}) {
    std::vector<std::uint64_t> counts(bound);
    for (int i = 0; i < 200'000; ++i) { ++counts.at(uniform_below(source, bound)); }
    REQUIRE(randomness::verdict({randomness::chi_square_uniform(counts)}) > 1e-6);
  }
}

#if NEUROMORPH_CHECKS == 0
TEST_CASE("uniform: an empty range gives its lower end and draws nothing", "[kernels][uniform]") {
  Scripted source{{1, 2, 3}};
  REQUIRE(uniform_below(source, 0) == 0);
  REQUIRE(uniform_between(source, 5, 4) == 5);
  REQUIRE(uniform_between(source, highest, lowest) == highest);
  REQUIRE(source.drawn == 0);
}
#endif

TEST_CASE("uniform_between: reaches both ends, over any range", "[kernels][uniform]") {
  const auto from = [](std::uint32_t word, std::int32_t low, std::int32_t high) {
    Scripted source{{word}};
    const std::int32_t value = uniform_between(source, low, high);
    REQUIRE(source.drawn == 1);
    return value;
  };
  REQUIRE(from(0x8000'0000U, 5, 5) == 5);
  REQUIRE(from(0xFFFF'FFFFU, -3, 4) == 4);
  REQUIRE(from(0, -3, 4) == -3);
  REQUIRE(from(0xFFFF'FFFFU, lowest, -1) == -1);
  REQUIRE(from(0, lowest, -1) == lowest);
  // The whole type: the word itself is the distance from the lowest.
  REQUIRE(from(0, lowest, highest) == lowest);
  REQUIRE(from(1, lowest, highest) == lowest + 1);
  REQUIRE(from(0xFFFF'FFFFU, lowest, highest) == highest);
  REQUIRE(from(0xFFFF'FFFFU, lowest, highest - 1) == highest - 1);

  Sfc32 source;
  std::vector<std::uint64_t> counts(9);
  for (int i = 0; i < 90'000; ++i) { ++counts.at(static_cast<std::size_t>(uniform_between(source, -4, 4) + 4)); }
  REQUIRE(randomness::verdict({randomness::chi_square_uniform(counts)}) > 1e-6);
}

TEST_CASE("bernoulli: exactly threshold words mean yes, and one is always drawn", "[kernels][uniform]") {
  const auto from = [](std::uint32_t word, Probability chance) {
    Scripted source{{word}};
    const bool yes = bernoulli(source, chance);
    REQUIRE(source.drawn == 1);
    return yes;
  };
  REQUIRE_FALSE(from(0, probability(0)));
  REQUIRE(from(0, probability(0x1p-32)));
  REQUIRE_FALSE(from(1, probability(0x1p-32)));
  REQUIRE(from(0x7FFF'FFFFU, probability(0.5)));
  REQUIRE_FALSE(from(0x8000'0000U, probability(0.5)));
  REQUIRE(from(0xFFFF'FFFEU, Probability::from_threshold(0xFFFF'FFFFU)));
  REQUIRE_FALSE(from(0xFFFF'FFFFU, Probability::from_threshold(0xFFFF'FFFFU)));
  REQUIRE(from(0xFFFF'FFFFU, probability(1)));
}

TEST_CASE("probability: is the nearest threshold, halves upwards", "[kernels][uniform]") {
  Sfc32 source(StreamId{3, 0, 0});
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t high = source.next(), low = source.next();
    const double value =
        std::ldexp(static_cast<double>((high << 32 | low) >> 11), -53 - static_cast<int>(source.next() % 33));
    const double scaled = std::ldexp(value, 32); // exact; so is the fraction that is split off
    const double whole = std::floor(scaled);
    const std::uint64_t expected = static_cast<std::uint64_t>(whole) + (scaled - whole >= 0.5 ? 1 : 0);
    const Result<Probability> result = Probability::from(value);
    INFO("probability " << value);
    if (expected == 0 && value != 0) {
      REQUIRE_FALSE(result.ok());
    } else {
      REQUIRE(result.ok());
      REQUIRE(result.value().threshold() == expected);
    }
  }
}

TEST_CASE("probability: refuses what is none", "[kernels][uniform]") {
  using Limits = std::numeric_limits<double>;
  for (const double value :
       {-1.0, -1e-300, 1.0000000000000002, 2.0, 1e300, Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
        -Limits::quiet_NaN(), 0x1.fffffffffffffp-34, 1e-300, Limits::denorm_min(), -Limits::denorm_min()}) {
    const Result<Probability> result = Probability::from(value);
    REQUIRE(result.status() == Status{Error::parameter_out_of_range, 0, value, "probability"});
  }
}

TEST_CASE("probability: the ends of what there is", "[kernels][uniform]") {
  const auto threshold = [](double value) {
    const Result<Probability> result = Probability::from(value);
    REQUIRE(result.ok());
    return result.value().threshold();
  };
  REQUIRE(threshold(0.0) == 0);
  REQUIRE(threshold(-0.0) == 0);
  REQUIRE(threshold(0x1p-33) == 1); // a half, upwards
  REQUIRE(threshold(0x1.0000000000001p-33) == 1);
  REQUIRE(threshold(0x1.8p-32) == 2);
  REQUIRE(threshold(0x1.7ffffffffffffp-32) == 1);
  REQUIRE(threshold(0x1.fffffffffffffp-1) == 1ULL << 32);
  REQUIRE(threshold(1.0) == 1ULL << 32);
  REQUIRE(Probability().threshold() == 0);
}
