// SPDX-License-Identifier: BSL-1.0
#include <cmath>
#include <cstdint>
#include <random>

#include <neuromorph/kernels/plasticity/voltage_means.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

TEST_CASE("voltage_means: follow any voltage within a thousandth of a mV", "[plasticity][voltage_means]") {
  for (const std::uint32_t seed : Seeds(5)) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    const double tau_minus = std::exp(7 * uniform(random)) * 0.1;
    const double tau_plus = std::exp(7 * uniform(random)) * 0.1;
    INFO("seed " << seed << ": " << tau_minus << " and " << tau_plus << " ms");
    auto means = VoltageMeans<3>::from({.tau_minus_ms = tau_minus, .tau_plus_ms = tau_plus, .rest_mv = -65}, 0.1);
    double minus = -65, plus = -65;
    for (int tick = 0; tick < 30'000; ++tick) {
      const Voltage u = voltage_of(tick % 1000 < 3 ? 2047 : tick % 1777 == 5 ? -2048 : -70 + 20 * uniform(random));
      means.value().step(1, u);
      minus = u * 0x1p-20 + (minus - u * 0x1p-20) * std::exp(-0.1 / tau_minus);
      plus = u * 0x1p-20 + (plus - u * 0x1p-20) * std::exp(-0.1 / tau_plus);
      REQUIRE(std::fabs(means.value().minus(1) * 0x1p-20 - minus) < 1e-3);
      REQUIRE(std::fabs(means.value().plus(1) * 0x1p-20 - plus) < 1e-3);
    }
    CHECK((means.value().minus(0) == voltage_of(-65) && means.value().plus(2) == voltage_of(-65)));
  }
}

TEST_CASE("voltage_means: voltages are held at the ends of their range", "[plasticity][voltage_means]") {
  STATIC_REQUIRE(voltage_of(-65.0) == -65 * (1 << 20));
  STATIC_REQUIRE(voltage_of(1e9) == INT32_MAX);
  STATIC_REQUIRE(voltage_of(-1e9) == INT32_MIN);
}

TEST_CASE("voltage_means: a step is to nearest", "[plasticity][voltage_means]") {
  for (const std::uint32_t seed : Seeds(3)) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    double worst = 0, worst_far = 0;
    for (int turn = 0; turn < 3000; ++turn) {
      const double tau_ms = std::exp(9 * uniform(random)) * 0.1, gain = -std::expm1(-0.1 / tau_ms);
      auto means = VoltageMeans<1>::from({.tau_minus_ms = tau_ms, .tau_plus_ms = tau_ms, .rest_mv = -2047}, 0.1);
      INFO("seed " << seed << ": " << tau_ms << " ms");
      const auto step = [&](Voltage to) {
        const Voltage from = means.value().minus(0);
        means.value().step(0, to);
        REQUIRE(means.value().minus(0) == means.value().plus(0));
        return std::fabs(means.value().minus(0) - (from + (static_cast<double>(to) - from) * gain));
      };
      // A mV and less: what the gain is off does not count. All of the range: it is, by half a unit of 2^-30 at most.
      worst = std::fmax(worst, step(means.value().minus(0) + static_cast<Voltage>((1 << 20) * uniform(random))));
      worst_far = std::fmax(worst_far, step(voltage_of(2047)));
    }
    CHECK(worst <= 0.501);
    CHECK(worst_far <= 2.51);
  }
}

TEST_CASE("voltage_means: with a time constant far below a tick they are the voltage", "[plasticity][voltage_means]") {
  for (const double tau_ms : {1e-300, 1e-3, 0.0155, 0.0157, 0.02}) {
    INFO(tau_ms << " ms");
    auto means = VoltageMeans<1>::from({.tau_minus_ms = tau_ms, .tau_plus_ms = tau_ms, .rest_mv = 2047}, 1.0);
    means.value().step(0, voltage_of(-2047));
    CHECK((means.value().minus(0) == voltage_of(-2047) && means.value().plus(0) == voltage_of(-2047)));
  }
  auto slower = VoltageMeans<1>::from({.tau_minus_ms = 0.05, .tau_plus_ms = 0.05, .rest_mv = 2047}, 1.0);
  slower.value().step(0, voltage_of(-2047)); // 4094 mV times e^-20 are 8.85 units, 2 more or less
  CHECK(std::fabs(slower.value().minus(0) - voltage_of(-2047) - 8.85) < 2.51);
}

TEST_CASE("voltage_means: what is refused", "[plasticity][voltage_means]") {
  using Means = VoltageMeans<4>;
  for (const double mv : {2048.0, -2048.0, 3000.0})
    CHECK(Means::from({.rest_mv = mv}, 1.0).status() == Status{Error::parameter_out_of_range, 0, mv, "rest_mv"});
  for (const double mv : {2047.5, -2047.5}) CHECK(Means::from({.rest_mv = mv}, 1.0).value().minus(3) == voltage_of(mv));
  CHECK(Means::from({}, 0.0).status() == Status{Error::parameter_not_positive, 0, 0.0, "dt_ms"});
  CHECK(Means::from({}, -1.0).status() == Status{Error::parameter_not_positive, 0, -1.0, "dt_ms"});
  CHECK(Means::from({.tau_plus_ms = 0}, 1.0).status() == Status{Error::parameter_not_positive, 0, 0.0, "tau_plus_ms"});
  CHECK(Means::from({.tau_minus_ms = 100'001}, 1.0).status() ==
        Status{Error::time_constant_too_long, 0, 100'001.0, "tau_minus_ms"});
  CHECK(Means::from({.tau_minus_ms = 1e5, .tau_plus_ms = 1e5}, 1.0).ok());
}
