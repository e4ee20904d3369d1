// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <neuromorph/kernels/neurons/arithmetic.hpp>
#include <neuromorph/kernels/neurons/gaussian.hpp>
#include <neuromorph/target/native.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

using One = target::Generic::Lanes;
constexpr int halves = 65536;

/// The number of four signed halves with this sum, -4 * 2^15 to 4 * (2^15 - 1).
double number_of(int sum) {
  std::uint32_t words[2]{};
  for (int half = 0; half < 4; ++half) {
    const int left = 4 - half, share = sum >= 0 ? sum / left : -(-sum / left);
    words[half / 2] |= static_cast<std::uint32_t>(share & 0xFFFF) << (half % 2 * 16);
    sum -= share;
  }
  return std::ldexp(gaussian<One>(static_cast<std::int32_t>(words[0]), static_cast<std::int32_t>(words[1])), -28);
}

/// How probable each sum of four uniform halves is.
std::vector<double> distribution() {
  std::vector<double> sums(halves, 1.0 / halves);
  for (int more = 0; more < 3; ++more) {
    std::vector<double> next(sums.size() + halves - 1);
    double within = 0;
    for (std::size_t at = 0; at < next.size(); ++at) {
      if (at < sums.size()) within += sums[at];
      if (at >= halves) within -= sums[at - halves];
      next[at] = within / halves;
    }
    sums = next;
  }
  return sums;
}
double normal_above(double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); }

static_assert(gaussian<One>(0, 0) == 13552 && gaussian<One>(-1, -1) == -13560);

} // namespace

TEST_CASE("gaussian: the distribution of all sums of four halves", "[kernels][gaussian]") {
  const auto chance = distribution();
  std::array<double, 10> moments{};
  const std::array<double, 4> tails_at{3.0, 4.0, 4.5, 5.04};
  std::array<double, 4> tails{};
  double below = 0, worst = 0, greatest = 0, widest = 0, before = -10;
  bool is_rising = true;
  for (std::size_t at = 0; at < chance.size(); ++at) {
    const double number = number_of(static_cast<int>(at) - 2 * halves);
    is_rising = is_rising && number > before;
    if (at != 0) widest = std::max(widest, number - before);
    before = number;
    greatest = std::max(greatest, std::fabs(number));
    double power = chance[at];
    for (double& moment : moments) moment += power, power *= number;
    worst = std::max(worst, std::fabs(below + chance[at] / 2 - normal_above(-number)));
    below += chance[at];
    for (std::size_t tail = 0; tail < tails.size(); ++tail)
      if (number > tails_at[tail]) tails[tail] += chance[at];
  }
  std::printf("gaussian: variance %.8f, moment 4 %.7f, 6 %.6f, 8 %.5f; distribution %.2g; greatest %.4f, apart %.2g\n",
              moments[2], moments[4], moments[6], moments[8], worst, greatest, widest);
  for (std::size_t tail = 0; tail < tails.size(); ++tail)
    std::printf("beyond %.2f: %.3f of the normal\n", tails_at[tail], tails[tail] / normal_above(tails_at[tail]));
  CHECK(is_rising);
  double normal = 1; // moment
  for (std::size_t order = 1; order < moments.size(); ++order) {
    INFO("moment " << order << " is " << moments[order]);
    if (order % 2 == 0) normal *= static_cast<double>(order - 1);
    if (order % 2 == 0)
      CHECK(std::fabs(moments[order] - normal) < 1e-7 * normal);
    else
      CHECK(std::fabs(moments[order]) < 1e-7 * normal * static_cast<double>(order));
  }
  CHECK(worst < 9e-4);
  CHECK(greatest < 5.04);
  CHECK(widest < 0x1p-13);
  CHECK(std::fabs(tails[0] / normal_above(3.0) - 1.01) < 0.01);
  CHECK(std::fabs(tails[1] / normal_above(4.0) - 1.01) < 0.01);
  CHECK(std::fabs(tails[2] / normal_above(4.5) - 0.45) < 0.05);
  CHECK(tails[3] == 0.0);
}

TEST_CASE("gaussian: numbers of neighbours, of steps that follow and of the two words are independent",
          "[kernels][gaussian]") {
  constexpr int neurons = 256;
  const int steps = sanitized ? 200 : 4000;
  for (const std::uint32_t seed : Seeds(2)) {
    INFO("seed " << seed);
    std::array<double, 7> sums{};
    std::array<double, neurons> before{};
    double beside = 0, after = 0, squares = 0, halves_of_a_word = 0;
    for (int step = 0; step < steps; ++step) {
      const auto key = [&](std::uint32_t which) {
        return detail::mixed((static_cast<std::uint32_t>(step) * 0x9E3779B9U) ^ detail::mixed(seed + which));
      };
      double last = 0;
      for (int neuron = 0; neuron < neurons; ++neuron) {
        const std::int32_t a = detail::random_of<One>(neuron, key(0)), b = detail::random_of<One>(neuron, key(1));
        const double x = std::ldexp(gaussian<One>(a, b), -28);
        double power = 1;
        for (double& sum : sums) sum += power, power *= x;
        beside += x * last;
        after += x * before[static_cast<std::size_t>(neuron)];
        squares += (x * x - 1) * (last * last - 1);
        halves_of_a_word += static_cast<std::int16_t>(a) * static_cast<double>(b >> 16) * 12 / 0x1p32;
        last = before[static_cast<std::size_t>(neuron)] = x;
      }
    }
    const double count = static_cast<double>(neurons) * steps, root = std::sqrt(count);
    CHECK(std::fabs(sums[1] / root) < 5);
    CHECK(std::fabs((sums[2] - count) / root) < 5 * std::sqrt(2.0));
    CHECK(std::fabs(sums[3] / root) < 5 * std::sqrt(15.0));
    CHECK(std::fabs((sums[4] - 3 * count) / root) < 5 * std::sqrt(96.0));
    CHECK(std::fabs((sums[6] - 15 * count) / root) < 5 * std::sqrt(10170.0));
    CHECK(std::fabs(beside / root) < 5);
    CHECK(std::fabs(after / root) < 5);
    CHECK(std::fabs(squares / root) < 10);
    CHECK(std::fabs(halves_of_a_word / root) < 5);
  }
}

TEST_CASE("gaussian: every bit is that of the polynomial", "[kernels][gaussian]") {
  const auto exact = [](int sum) { // of four halves
    const auto half = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum + 2) << 14);
    const std::int64_t x = half, square = static_cast<std::int32_t>(((x * x) >> 32) * 2);
    std::int64_t factor = 1366334391;
    factor = ((factor * square) >> 32) - 456439005;
    factor = ((factor * square) >> 32) + 118686841;
    factor = ((factor * square) >> 32) + 222119125;
    return std::ldexp(static_cast<double>(((factor * x) >> 32) * 8), -28);
  };
  for (int sum = -4 * 32768; sum <= 4 * 32767; sum += sanitized ? 17 : 1)
    if (number_of(sum) != exact(sum)) FAIL("sum " << sum << ": " << number_of(sum) << " for " << exact(sum));
}
