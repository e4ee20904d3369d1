// SPDX-License-Identifier: BSL-1.0
// Products of shares beside the exact ones, which a mantissa of 64 bits holds.
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include <neuromorph/kernels/plasticity/share.hpp>
#include <neuromorph/rounding.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

static_assert(std::numeric_limits<long double>::digits >= 64);
constexpr std::uint32_t all_ones = 0xFFFF'FFFF;

/// A random source that gives one word again and again.
struct Always {
  std::uint32_t word = 0;
  constexpr std::uint32_t next() noexcept { return word; }
};

/// Of all magnitudes, and the ends.
std::uint32_t drawn(std::mt19937& random, std::uint32_t most) {
  const auto kind = random() % 8;
  const auto word = static_cast<std::uint32_t>(random());
  if (kind < 2) return kind == 0 ? most - word % 3 : word % 3;
  return word >> random() % 32 & most;
}
long double exact(std::uint32_t a, std::uint32_t b, int bits) {
  return std::ldexp(static_cast<long double>(a) * b, -bits);
}

} // namespace

TEST_CASE("share: what decays, and a part of it, are to nearest or down", "[plasticity][share]") {
  ShareArithmetic<> nearest;
  ShareArithmetic<rounding::Down> down;
  for (const std::uint32_t seed : Seeds(3)) {
    std::mt19937 random(seed);
    for (int turn = 0; turn < 20'000; ++turn) {
      const Share share = drawn(random, all_ones), of = drawn(random, all_ones);
      const bool is_one = random() % 20 == 0;
      const DecayFactor factor = is_one ? 1U << 31 : drawn(random, (1U << 31) - 1);
      INFO("seed " << seed << ": " << share << " times " << factor << " and " << of);
      REQUIRE(std::fabs(nearest.product(share, factor) - exact(share, factor, 31)) <= 0.5L);
      REQUIRE(std::fabs(nearest.part(share, of) - exact(share, of, 32)) <= 0.5L);
      REQUIRE(down.product(share, factor) == std::floor(exact(share, factor, 31)));
      REQUIRE(down.part(share, of) == std::floor(exact(share, of, 32)));
    }
  }
  CHECK((nearest.held() == 0 && down.held() == 0));
}

TEST_CASE("share: a multiple is to nearest or down, and held and counted beyond the whole", "[plasticity][share]") {
  ShareArithmetic<> nearest;
  ShareArithmetic<rounding::Down> down;
  std::uint32_t held_nearest = 0, held_down = 0;
  for (const std::uint32_t seed : Seeds(3)) {
    std::mt19937 random(seed);
    for (int turn = 0; turn < 20'000; ++turn) {
      const Share share = drawn(random, all_ones);
      const std::uint32_t count = drawn(random, all_ones);
      INFO("seed " << seed << ": " << share << " times " << count);
      const long double product = exact(share, count, 24);
      const Share to_nearest = nearest.times(share, count), rounded_down = down.times(share, count);
      if (product + 0.5L < 0x1p32L)
        REQUIRE(std::fabs(to_nearest - product) <= 0.5L);
      else
        REQUIRE((to_nearest == all_ones && ++held_nearest != 0));
      if (product < 0x1p32L)
        REQUIRE(rounded_down == std::floor(product));
      else
        REQUIRE((rounded_down == all_ones && ++held_down != 0));
      REQUIRE(nearest.held() == held_nearest);
      REQUIRE(down.held() == held_down);
    }
  }
  CHECK(held_nearest > 1000);
  // 7 times 1227133513 is 2^33 - 1: a half below 2^32, and 4.
  CHECK(nearest.times(7U << 23, 1'227'133'513) == all_ones);
  CHECK(nearest.held() == held_nearest + 1);
  CHECK(nearest.times(7U << 23, 1'227'133'512) == all_ones - 3);
  CHECK(nearest.held() == held_nearest + 1);
}

TEST_CASE("share: a sum is held and counted beyond the whole", "[plasticity][share]") {
  ShareArithmetic<> m;
  CHECK(m.sum(0x8000'0000, 0x7FFF'FFFF) == all_ones);
  CHECK(m.held() == 0);
  CHECK(m.sum(0x8000'0000, 0x8000'0000) == all_ones);
  CHECK(m.sum(all_ones, 1) == all_ones);
  CHECK(m.sum(all_ones, all_ones) == all_ones);
  CHECK(m.held() == 3);
  CHECK(m.sum(3, 4) == 7);
  CHECK(m.held() == 3);
}

// Of 4096 random numbers an equal step apart, the part takes a product up that it has beyond a whole number.
TEST_CASE("share: with a random source products go up as often as is left of them", "[plasticity][share]") {
  for (const std::uint32_t seed : Seeds(2)) {
    std::mt19937 random(seed);
    for (int turn = 0; turn < 100; ++turn) {
      const Share share = drawn(random, all_ones), of = drawn(random, all_ones);
      const DecayFactor factor = drawn(random, 1U << 31);
      const std::uint32_t count = drawn(random, (1U << 24) - 1);
      INFO("seed " << seed << ": " << share << " times " << factor << ", " << of << " and " << count);
      const auto check = [&](long double product, auto rounded) {
        const auto whole = static_cast<std::uint64_t>(product);
        const long double beyond = product - static_cast<long double>(whole);
        std::uint64_t ups = 0;
        for (std::uint32_t number = 0; number < 4096; ++number) {
          ShareArithmetic<Always> m(Always{number << 20});
          ups += rounded(m) - whole;
        }
        REQUIRE(std::fabs(static_cast<long double>(ups) - 4096 * beyond) < 1.01L);
        ShareArithmetic<Always> least(Always{0}), most(Always{all_ones});
        REQUIRE(rounded(least) == whole);
        REQUIRE(rounded(most) == whole + (beyond == 0 ? 0 : 1)); // what is exact stays
      };
      check(exact(share, factor, 31), [&](auto& m) { return std::uint64_t{m.product(share, factor)}; });
      check(exact(share, of, 32), [&](auto& m) { return std::uint64_t{m.part(share, of)}; });
      check(exact(share, count, 24), [&](auto& m) { return std::uint64_t{m.times(share, count)}; });
    }
  }
}

TEST_CASE("share: a number is to nearest, and one that would lose digits is refused", "[plasticity][share]") {
  CHECK(share_of(0.0, "x").value() == 0);
  CHECK(share_of(0.5, "x").value() == 0x8000'0000);
  CHECK(share_of(1.0, "x").value() == all_ones);
  CHECK(share_of(0x1p-20, "x").value() == 0x1000);
  CHECK(share_of(1.0 - 0x1p-33, "x").value() == all_ones);
  CHECK(share_of(0.3, "x").value() == 1288490189); // 2^32 0.3 is 1288490188.8
  for (const double wrong : {-0.25, 0x0.fffffp-20, -0x1p-30, 1.0000001, std::numeric_limits<double>::infinity()})
    CHECK(share_of(wrong, "x").status() == Status{Error::parameter_out_of_range, 0, wrong, "x"});
  CHECK_FALSE(share_of(std::numeric_limits<double>::quiet_NaN(), "x"));
}
