// SPDX-License-Identifier: BSL-1.0
// Psps that carry the constant drive: beside integers of 64 bits, which cannot wrap, and beside the exact solution.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/neurons/refractory/in_queue.hpp>
#include <neuromorph/kernels/neurons/synapse_types/driven.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

using One = Neuron<membrane::Lif, synapse::Driven<1>, refractory::InQueue>;
using Two = Neuron<membrane::Lif, synapse::Driven<2, 9>, refractory::InQueue>;

constexpr std::size_t count = 21;

/// A step in integers of 64 bits, by the equations of the comments.
template <class Model>
struct Wide {
  explicit Wide(const typename Model::Made& made) : own(made.constants) {
    v.fill(made.initial.membrane.v);
    for (std::size_t which = 0; which < Model::receptors; ++which) psp[which].fill(made.initial.synapses[which]);
  }
  static std::int64_t floor_of(std::int64_t value, int bits) { return value >> bits; }
  /// Whether a word left 32 bits.
  bool step(const std::array<std::array<std::int32_t, count>, Model::receptors>& input, std::uint32_t step_number) {
    const std::int64_t dither = (step_number * 0x9E3779B9U) >> 16, other = (step_number * 0x9E3779B9U) >> 8 & 0xFF;
    bool wraps = false, holds = false;
    fired.clear();
    for (std::size_t neuron = 0; neuron < count; ++neuron) {
      std::int64_t& u = v[neuron];
      if (due[neuron] == step_number + 1 && waits[neuron]) u = own.reset.v, waits[neuron] = false;
      const std::int64_t c = (own.membrane.decay + dither) >> 16;
      std::int64_t next = u + floor_of(u * c, 16) + own.membrane.drift;
      for (std::size_t which = 0; which < Model::receptors; ++which) {
        std::int64_t& p = psp[which][neuron];
        const std::int64_t drive = floor_of(p, Model::Synapses::coupling_shift);
        next += which == 0 ? drive : -drive;
        const std::int64_t f = (own.synapses[2 * which] + dither) >> 16, q = (own.synapses[2 * which + 1] + other) >> 8;
        p = input[which][neuron] + 2 * (q + floor_of(p * f, 16));
        const std::int64_t held = std::clamp<std::int64_t>(p, INT32_MIN, INT32_MAX);
        holds = holds || held != p;
        p = held;
      }
      if (waits[neuron]) continue;
      u = next;
      wraps = wraps || u > INT32_MAX || u < INT32_MIN;
      if (u < 0) continue;
      fired.push_back(static_cast<std::uint32_t>(neuron));
      const auto steps = static_cast<std::uint32_t>(own.refractory.steps) +
                         (static_cast<std::uint32_t>(own.refractory.again) >> 16) * own.refractory.shared.stay;
      u = own.reset.v;
      waits[neuron] = steps != 0;
      due[neuron] = step_number + 2 + steps;
    }
    if (holds)
      for (const auto& column : psp)
        for (const std::int64_t p : column) saturations += p == INT32_MAX || p == INT32_MIN ? 1U : 0U;
    return wraps;
  }
  typename Model::Constants own;
  std::array<std::int64_t, count> v{};
  std::array<std::array<std::int64_t, count>, Model::receptors> psp{};
  std::array<bool, count> waits{};
  std::array<std::uint32_t, count> due{};
  std::vector<std::uint32_t> fired;
  std::uint32_t saturations = 0;
};

} // namespace

TEMPLATE_TEST_CASE("driven: no word wraps, whatever arrives, and what is held is counted", "[kernels][neuron]", One,
                   Two) {
  std::uint32_t accepted = 0, spikes = 0, saturations = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 60 : 600)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto between = [&](double low, double high) {
      return low * std::pow(high / low, static_cast<double>(random()) / 4294967295.0);
    };
    const double dt = between(0.01, 2.0);
    typename TestType::Parameters given{};
    given.membrane = {.tau_ms = dt * between(1.5, 400.0), .r_mohm = between(1.0, 1000.0)};
    given.membrane.v_rest_mv = -50.0 + (random() % 3 == 0 ? 1.0 : -1.0) * between(0.1, 100.0);
    given.membrane.v_initial_mv = given.reset.v_mv = -50.0 - between(0.1, 100.0);
    given.refractory = {random() % 4 == 0 ? 0.0 : dt * between(0.5, 500.0)};
    for (std::size_t which = 0; which < TestType::receptors; ++which) {
      given.synapses.tau_ms[which] = dt * between(1.5, 1000.0);
      given.synapses.weights[which] = {.largest = between(1e-3, 10.0) / given.membrane.r_mohm,
                                       .bits = 8U + static_cast<unsigned>(random() % 14)};
    }
    const auto made = TestType::make(given, dt);
    if (!made) continue;
    ++accepted;
    static Population<TestType, count> population(made.value());
    population = Population<TestType, count>(made.value());
    Wide<TestType> wide(made.value());
    std::array<std::array<std::int32_t, count>, TestType::receptors> input{};
    const std::uint32_t start = static_cast<std::uint32_t>(random());
    for (std::uint32_t step = start; step != start + 400; ++step) {
      const std::uint32_t mood = (step - start) / 50 % 4; // silence, weights, all that is allowed, one side only
      for (auto& receptor : input)
        for (auto& sum : receptor) {
          if (mood == 0 || (mood == 1 && random() % 10 != 0)) continue;
          const auto size = static_cast<std::int32_t>(mood == 1 ? random() % 65536 : random() % (1U << 30));
          sum = TestType::receptors == 1 && random() % 2 == 0 && mood != 3 ? -size : size;
        }
      REQUIRE_FALSE(wide.step(input, step));
      std::array<std::int32_t*, TestType::receptors> sums{};
      for (std::size_t which = 0; which < TestType::receptors; ++which) sums[which] = input[which].data();
      const auto fired = population.step(sums, step);
      REQUIRE(std::equal(fired.begin(), fired.end(), wide.fired.begin(), wide.fired.end()));
      for (std::size_t which = 0; which < TestType::receptors; ++which)
        REQUIRE(std::equal(wide.psp[which].begin(), wide.psp[which].end(),
                           population.words(place_of<TestType>.synapses[which]).begin()));
      spikes += static_cast<std::uint32_t>(fired.size());
    }
    REQUIRE(population.saturations() == wide.saturations);
    saturations += wide.saturations;
  }
  std::printf("%u cells, %u spikes, %u saturations\n", accepted, spikes, saturations);
  CHECK(accepted > (sanitized ? 20U : 200U));
  CHECK(spikes > (sanitized ? 1000U : 10000U));
  CHECK(saturations > (sanitized ? 1000U : 10000U));
}

namespace {

/// Largest distance from the exact solution of the usual cell, as a share of threshold - rest.
template <class Model>
double largest_error(double dt, double largest, unsigned bits) {
  constexpr std::size_t neurons = 32;
  const long double tau_m = 20.0L, c_nf = 0.25L, h = static_cast<long double>(dt);
  const std::array<long double, 2> tau{5.0L, Model::receptors == 2 ? 10.0L : 5.0L};
  typename Model::Parameters given{.membrane = {.c_nf = 0.25}};
  for (std::size_t which = 0; which < Model::receptors; ++which) {
    given.synapses.tau_ms[which] = static_cast<double>(tau[which]);
    given.synapses.weights[which] = {.largest = largest, .bits = bits};
  }
  const auto made = Model::make(given, dt).value();
  static Population<Model, neurons> population(made);
  population = Population<Model, neurons>(made);
  std::mt19937 random(4);
  std::array<long double, neurons> v{};
  std::array<std::array<long double, neurons>, 2> current{};
  std::array<std::array<std::int32_t, neurons>, Model::receptors> input{};
  const long double chance = 0.3L * 0.05L / static_cast<long double>(largest) * h; // the same drive for all weights
  double worst = 0.0;
  const auto steps = static_cast<std::uint32_t>((sanitized ? 300.0 : 3000.0) / dt);
  for (std::uint32_t step = 0; step < steps; ++step) {
    for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
      v[neuron] *= std::exp(-h / tau_m);
      for (std::size_t side = 0; side < 2; ++side) {
        const long double from =
            (std::exp(-h / tau_m) - std::exp(-h / tau[side])) * tau_m * tau[side] / (tau_m - tau[side]) / c_nf;
        v[neuron] += (side == 0 ? from : -from) * current[side][neuron];
        current[side][neuron] *= std::exp(-h / tau[side]);
        if (static_cast<long double>(random()) >= chance * (side == 0 ? 1.0L : 0.6L) * 4294967296.0L) continue;
        const double na = largest * (0.1 + 0.9 * static_cast<double>(random()) / 4294967296.0);
        const auto weight = static_cast<std::int32_t>(
            Model::weight(made, Model::receptors == 2 ? static_cast<std::uint32_t>(side) : 0, na).value());
        current[side][neuron] += static_cast<long double>(na);
        if constexpr (Model::receptors == 2)
          input[side][neuron] += weight;
        else
          input[0][neuron] += side == 0 ? weight : -weight;
      }
    }
    std::array<std::int32_t*, Model::receptors> sums{};
    for (std::size_t which = 0; which < Model::receptors; ++which) sums[which] = input[which].data();
    REQUIRE(population.step(sums, step).empty());
    for (std::size_t neuron = 0; neuron < neurons; ++neuron)
      worst = std::max(worst, std::fabs(population.value(place_of<Model>.membrane.v, neuron) + 65.0 -
                                        static_cast<double>(v[neuron])));
  }
  return worst / 15.0;
}

} // namespace

TEST_CASE("driven: the error grows with a weight's unit", "[kernels][neuron]") {
  for (const double dt : {0.1, 1.0})
    for (const double largest : {0.005, 0.05})
      for (const unsigned bits : {16U, 20U}) {
        const double one = largest_error<One>(dt, largest, bits), two = largest_error<Two>(dt, largest, bits);
        std::printf("dt %.1f ms, %.3f nA, %u bits: one %.1e, two %.1e of threshold - rest\n", dt, largest, bits, one,
                    two);
        const double most = bits == 20 ? 2.5e-4 : largest < 0.01 ? 4e-4 : 3e-3;
        CHECK(one < most);
        CHECK(two < most);
      }
}

TEMPLATE_TEST_CASE("driven: what weights bring is a number from 0 on", "[kernels][neuron]", One, Two) {
  typename TestType::Parameters given{.membrane = {.c_nf = 0.25}};
  given.synapses.tau_ms.fill(5.0);
  given.synapses.weights.fill({.largest = 0.1, .drive_mv = 40.0});
  REQUIRE(TestType::make(given, 0.1).ok());
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double drive : {-1.0, -infinity, infinity, std::numeric_limits<double>::quiet_NaN(), 1e9}) {
    given.synapses.weights.back().drive_mv = drive;
    const auto made = TestType::make(given, 0.1);
    INFO(drive);
    REQUIRE_FALSE(made.ok());
    CHECK(made.status().error == Error::parameter_out_of_range);
    CHECK(std::string(made.status().parameter) == "synapses.weights.drive_mv");
  }
}
