// SPDX-License-Identifier: BSL-1.0
#include <cmath>
#include <cstdint>
#include <random>

#include <neuromorph/detail/exponential.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph::detail;

namespace {
long double value(std::int64_t q60) { return static_cast<long double>(q60) / static_cast<long double>(one_q60); }
} // namespace

TEST_CASE("exponential: within 2^-56 of the long double functions over -1..1", "[vocabulary][exponential]") {
  const long double bound = std::ldexp(1.0L, -56);
  for (int step = -4096; step <= 4096; ++step) {
    const double z = step / 4096.0;
    const std::int64_t q = to_fixed(z, 60);
    const long double phi = step == 0 ? 1.0L : std::expm1(static_cast<long double>(z)) / static_cast<long double>(z);
    INFO("z = " << z);
    REQUIRE(std::fabs(value(exp_q60(q)) - std::exp(static_cast<long double>(z))) < bound);
    REQUIRE(std::fabs(value(phi1_q60(q)) - phi) < bound);
  }
}

TEST_CASE("exponential: logarithms to the base 2 are within 2^-39", "[vocabulary][exponential]") {
  STATIC_REQUIRE(log2_q40(1.0) == 0);
  STATIC_REQUIRE(log2_q40(0.25) == -(std::int64_t{2} << 40));
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 20'000; ++trial) {
    const double x = std::exp2(std::uniform_real_distribution<double>(-1000, 1000)(random));
    const long double error =
        std::ldexp(static_cast<long double>(log2_q40(x)), -40) - std::log2(static_cast<long double>(x));
    INFO("x = " << x);
    REQUIRE(std::fabs(error) < 0x1p-39L);
  }
}

TEST_CASE("exponential: phi1 is regular around zero", "[vocabulary][exponential]") {
  STATIC_REQUIRE(phi1_q60(0) == one_q60);
  for (std::int64_t tiny = 1; tiny < one_q60; tiny *= 16) {
    REQUIRE(phi1_q60(tiny) >= one_q60);
    REQUIRE(phi1_q60(-tiny) <= one_q60);
    REQUIRE(phi1_q60(tiny) + phi1_q60(-tiny) - 2 * one_q60 >= -4); // even part grows
  }
}

TEST_CASE("exponential: products are floors of the exact ones", "[vocabulary][exponential]") {
  std::mt19937_64 random(7);
  for (int turn = 0; turn < 200000; ++turn) {
    const auto a = static_cast<std::int64_t>(random()) >> (1 + random() % 62);
    const auto b = static_cast<std::int64_t>(random()) >> (2 + random() % 61);
    __extension__ using Wide = __int128;
    const auto exact = static_cast<std::int64_t>((Wide{a} * b) >> 60);
    INFO(a << " * " << b);
    REQUIRE(multiply_q60(a, b) == exact);
  }
}

TEST_CASE("exponential: doubles become the nearest fixed number, ties away from zero", "[vocabulary][exponential]") {
  STATIC_REQUIRE(to_fixed(0.0, 60) == 0);
  STATIC_REQUIRE(to_fixed(-1.0, 60) == -one_q60);
  STATIC_REQUIRE(to_fixed(0.5, 0) == 1);
  STATIC_REQUIRE(to_fixed(-0.5, 0) == -1);
  STATIC_REQUIRE(to_fixed(0.49999999999999994, 0) == 0);
  STATIC_REQUIRE(to_fixed(1e300, 0) == INT64_MAX);
  STATIC_REQUIRE(to_fixed(-1e300, 0) == -INT64_MAX);
  STATIC_REQUIRE(to_fixed(1e-300, 60) == 0);
  std::mt19937_64 random(11);
  for (int turn = 0; turn < 200000; ++turn) {
    const double mantissa = static_cast<double>(static_cast<std::int64_t>(random())) / 9.2e18;
    const int bits = static_cast<int>(random() % 61);
    INFO(mantissa << " with " << bits << " bits");
    REQUIRE(to_fixed(mantissa, bits) == std::llroundl(std::ldexp(static_cast<long double>(mantissa), bits)));
  }
}
