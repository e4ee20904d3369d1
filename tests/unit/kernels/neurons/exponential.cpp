// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>

#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/neurons/exponential.hpp>
#include <neuromorph/target/native.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {
using One = target::Generic::Lanes;
constexpr std::int32_t one = 1 << 26;
static_assert(power_of_two<One>(0) == (1 << 30) + 3 && power_of_two<One>(-one) == (1 << 29) + 1);
} // namespace

TEST_CASE("power_of_two: every fraction of an octave, to 2^-28", "[kernels][exponential]") {
  double least = 0, most = 0;
  std::int32_t greatest = 0;
  for (std::int32_t x = 0; x < one; x += sanitized ? 61 : 1) {
    const std::int32_t power = power_of_two<One>(x);
    const double error = power / std::ldexp(std::exp2(std::ldexp(x, -26)), 30) - 1;
    least = std::min(least, error), most = std::max(most, error), greatest = std::max(greatest, power);
    if (power <= 0) FAIL("wraps at " << x);
  }
  std::printf("2^x, x from 0 to 1: error %.2g to %.2g\n", least, most);
  CHECK(std::max(-least, most) < 0x1p-28);
  CHECK(greatest > INT32_MAX - (sanitized ? 4096 : 64));
}

TEST_CASE("power_of_two: every word gives the power to 2^-28 and a unit, what is too great the last one that fits",
          "[kernels][exponential]") {
  const auto check = [](std::int32_t x) {
    const double held = std::min(x, one - 1), expected = std::ldexp(std::exp2(std::ldexp(held, -26)), 30);
    const std::int32_t power = power_of_two<One>(x);
    INFO("x " << x);
    if (!(power >= expected * (1 - 0x1p-28) - 1 && power <= expected * (1 + 0x1p-28)))
      FAIL(power << " for " << expected);
    if (x < -31 * one && power != 0) FAIL(power << " is not 0");
  };
  for (std::int64_t octave = -32; octave <= 32; ++octave)
    for (std::int64_t beside = -3; beside <= 3; ++beside)
      check(static_cast<std::int32_t>(std::clamp<std::int64_t>(octave * one + beside, INT32_MIN, INT32_MAX)));
  for (const std::uint32_t seed : Seeds(4)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    for (int trial = 0; trial < (sanitized ? 10'000 : 200'000); ++trial) check(static_cast<std::int32_t>(random()));
  }
}

TEST_CASE("power_of_two: the same bits everywhere", "[kernels][exponential]") {
  Digest digest;
  for (std::uint32_t number = 0; number < 50'000; ++number)
    digest.add(static_cast<std::uint32_t>(
        power_of_two<One>(static_cast<std::int32_t>(number * 0x9E3779B9U % (1U << 31)) - (1 << 30))));
  CHECK(digest.value() == 0x609356aff9e430ae);
}
