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
