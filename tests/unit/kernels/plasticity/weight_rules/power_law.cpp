// SPDX-License-Identifier: BSL-1.0
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include <neuromorph/kernels/plasticity/share.hpp>
#include <neuromorph/kernels/plasticity/timing_rule.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/power_law.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

static_assert(WeightRule<weight::PowerLaw>);
static_assert(sizeof(weight::PowerLaw) == 388);

TEST_CASE("power_law: powers are within 2^-17 of themselves", "[plasticity][power_law]") {
  const auto compare = [](double exponent, const weight::PowerLaw& law, Share share) {
    const double exact = std::pow(share * 0x1p-32, exponent) * 0x1p32;
    const double error = std::fabs(law.power_of(share) - exact);
    if (error >= exact * 0x1p-17 + 2) {
      INFO("share " << share << " to the power of " << exponent);
      REQUIRE(law.power_of(share) == exact);
    }
  };
  for (const std::uint32_t seed : Seeds(3)) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    for (const double exponent : {1e-3, 0.02, 0.4, 0.5, 0.999, 1.0, std::uniform_real_distribution(0.0, 1.0)(random)}) {
      const auto law = weight::PowerLaw::from(exponent).value();
      for (unsigned octave = 0; octave < 32; ++octave) {
        compare(exponent, law, Share{1} << octave);
        compare(exponent, law, (Share{1} << octave) + ((Share{1} << octave) - 1)); // the last before the next
        for (int turn = 0; turn < 300; ++turn) {
          const auto drawn = static_cast<Share>(random());
          compare(exponent, law, (drawn | 0x80000000) >> octave);
        }
      }
      CHECK(law.power_of(0) == 0);
      // Never down where the weight goes up.
      Share before = 0;
      bool is_monotone = true;
      for (std::uint64_t share = 1; share < std::uint64_t{1} << 32; share += 999'991) {
        const Share power = law.power_of(static_cast<Share>(share));
        is_monotone = is_monotone && power >= before;
        before = power;
      }
      CHECK(is_monotone);
    }
  }
}

TEST_CASE("power_law: up by a power, down in proportion", "[plasticity][power_law]") {
  ShareArithmetic<> m;
  constexpr weight::PowerLaw law; // 0.4
  static_assert(law.power_of(~Share{0}) > 0xFFFF'FF00);
  const Share share = 0x2000'0000, change = 0x1000'0000; // an eighth, a sixteenth
  CHECK(std::fabs(law.up(m, share, change) * 0x1p-32 - std::pow(0.125, 0.4) / 16) < 1e-6);
  CHECK(law.down(m, share, change) == 0x0200'0000);
  CHECK(law.up(m, 0, change) == 0);
  CHECK(law.down(m, 0, change) == 0);
  CHECK(weight::PowerLaw::from(0.4).value().up(m, share, change) == law.up(m, share, change));
}

TEST_CASE("power_law: what is refused", "[plasticity][power_law]") {
  for (const double exponent : {0.0, -0.4, 1.0001, std::numeric_limits<double>::infinity()})
    CHECK(weight::PowerLaw::from(exponent).status() == Status{Error::parameter_out_of_range, 0, exponent, "exponent"});
  CHECK(!weight::PowerLaw::from(std::numeric_limits<double>::quiet_NaN()).ok());
}
