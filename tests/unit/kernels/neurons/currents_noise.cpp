// SPDX-License-Identifier: BSL-1.0
// Currents of noise: their distributions and their correlations.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>

#include <neuromorph/kernels/neurons/currents/direct.hpp>
#include <neuromorph/kernels/neurons/currents/noise.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/currents.hpp"
#include "tests/support/lif_reference.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;
using namespace currents;

namespace {

/// What each neuron's membrane gets in a step from rest, in nA: one step of a membrane without a past.
template <class Model, std::size_t neurons>
std::array<double, neurons> drawn(const typename Model::Made& made, std::uint32_t step, std::uint32_t first = 0) {
  Stepped<Model, neurons> all(made, first);
  all(step);
  std::array<double, neurons> na{};
  const double unit = 40 * -std::expm1(-made.making.dt_ms / 20);
  for (std::size_t neuron = 0; neuron < neurons; ++neuron) na[neuron] = all.value(0, neuron) / unit;
  return na;
}

} // namespace

TEST_CASE("current::WhiteNoise: mean, deviation and independence, whatever is stepped together", "[kernels][current]") {
  using Model = Moved<current::WhiteNoise<>>;
  constexpr std::size_t neurons = 500;
  const std::uint32_t steps = sanitized ? 20 : 400;
  for (const std::uint32_t seed : Seeds(2)) {
    INFO("seed " << seed);
    auto given = resting<Model>();
    given.current = {.mean_na = 0.3, .stdev_na = 0.4, .interval_ms = 0.1, .seed = seed};
    const auto made = Model::make(given, 0.1).value();
    double sum = 0, squares = 0, fourth = 0, beside = 0, after = 0;
    std::array<double, neurons> before{};
    for (std::uint32_t step = 0; step < steps; ++step) {
      const auto all = drawn<Model, neurons>(made, step);
      const auto part = drawn<Model, 100>(made, step, 250);
      REQUIRE(std::equal(part.begin(), part.end(), all.begin() + 250));
      for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
        const double x = (all[neuron] - 0.3) / 0.4;
        sum += x, squares += x * x, fourth += x * x * x * x;
        beside += x * (all[(neuron + 1) % neurons] - 0.3) / 0.4;
        after += x * before[neuron];
        before[neuron] = x;
      }
    }
    const double count = static_cast<double>(neurons) * steps, root = std::sqrt(count);
    CHECK(std::fabs(sum) < 5 * root);
    CHECK(std::fabs(squares - count) < 5 * root * std::sqrt(2.0));
    CHECK(std::fabs(fourth - 3 * count) < 5 * root * std::sqrt(96.0));
    CHECK(std::fabs(beside) < 5 * root);
    CHECK(std::fabs(after) < 5 * root);
  }
}

TEST_CASE("current::WhiteNoise: constant for an interval, off outside its steps, another with another seed",
          "[kernels][current]") {
  using Model = Moved<current::WhiteNoise<>>;
  auto given = resting<Model>();
  given.current = {.stdev_na = 0.5, .interval_ms = 0.7, .seed = 3, .first_step = 20, .last_step = 50};
  const auto made = Model::make(given, 0.1).value();
  given.current.seed = 4;
  const auto other = Model::make(given, 0.1).value();
  auto before = drawn<Model, 8>(made, 19);
  for (const double na : before) CHECK(std::fabs(na) < 1e-5);
  for (std::uint32_t step = 20; step <= 50; ++step) {
    const auto now = drawn<Model, 8>(made, step);
    CHECK(drawn<Model, 8>(other, step) != now);
    CHECK((now == before) == (step % 7 != 0 && step != 20));
    before = now;
  }
  for (const double na : drawn<Model, 8>(made, 51)) CHECK(std::fabs(na) < 1e-5);
}

TEST_CASE("current::WhiteNoise: of a population all neurons have the same, with the same distribution",
          "[kernels][current]") {
  using Model = Moved<current::WhiteNoise<NoiseOf::population>>;
  auto given = resting<Model>();
  given.current = {.mean_na = -0.2, .stdev_na = 0.4};
  const auto made = Model::make(given, 0.1).value();
  double sum = 0, squares = 0;
  const std::uint32_t steps = sanitized ? 500 : 20'000;
  for (std::uint32_t step = 0; step < steps; ++step) {
    const auto all = drawn<Model, 5>(made, step, step % 3 * 100); // whatever their numbers
    for (const double na : all) REQUIRE(na == all[0]);
    const double x = (all[0] + 0.2) / 0.4;
    sum += x, squares += x * x;
  }
  CHECK(std::fabs(sum) < 5 * std::sqrt(steps));
  CHECK(std::fabs(squares - steps) < 5 * std::sqrt(2.0 * steps));
}

TEST_CASE("current::OrnsteinUhlenbeck: the process of Gillespie's exact formula", "[kernels][current]") {
  double rounding = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 3 : 20)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    using Model = Moved<current::OrnsteinUhlenbeck<>>;
    const double dt = 0.1, tau = dt * std::exp2(std::uniform_real_distribution<double>(0.6, 12)(random)), stdev = 0.3;
    auto given = resting<Model>();
    given.current = {.tau_ms = tau, .mean_na = 0.1, .stdev_na = stdev, .seed = seed};
    const auto made = Model::make(given, dt).value();
    Stepped<Model, 40> all(made, 7);
    auto source = made.constants.current.shared.source;
    std::array<long double, 40> exact{};
    LifReference reference{dt, 20, 40, 0};
    const long double kept = std::exp(-static_cast<long double>(dt) / tau), spread = std::sqrt(1 - kept * kept);
    for (std::uint32_t step = 1; step <= 2000; ++step) {
      reference.step(0.1L + stdev * exact[3]);
      all(step);
      source.draw<NoiseOf::neuron>(step);
      for (std::size_t neuron = 0; neuron < 40; ++neuron) {
        const std::int32_t number = source.number<target::Generic::Lanes>(static_cast<std::int32_t>(neuron) + 7);
        exact[neuron] = exact[neuron] * kept + spread * std::ldexp(static_cast<long double>(number), -28);
        const double off = std::fabs(all.value(place_of<Model>.current.deviation, neuron) -
                                     static_cast<double>(0.1L + stdev * exact[neuron]));
        REQUIRE(off < stdev * 1e-5);
        rounding = std::max(rounding, off / stdev);
      }
      REQUIRE(std::fabs(all.value(0, 3) - static_cast<double>(reference.v)) < 5e-3);
    }
    CHECK(all.saturations() == 0);
  }
  std::printf("current::OrnsteinUhlenbeck, solver exact; rounding: %.2g of the deviation\n", rounding);
}

TEST_CASE("current::OrnsteinUhlenbeck: deviation and correlation in time", "[kernels][current]") {
  using Model = Moved<current::OrnsteinUhlenbeck<>>;
  constexpr std::size_t neurons = 2000;
  auto given = resting<Model>();
  given.current = {.tau_ms = 2.0, .stdev_na = 0.3};
  auto all = std::make_unique<Stepped<Model, neurons>>(Model::make(given, 0.1).value());
  std::array<double, neurons> then{};
  double squares = 0, correlation = 0;
  for (std::uint32_t step = 1; step <= 220; ++step) {
    (*all)(step);
    for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
      const double x = all->value(place_of<Model>.current.deviation, neuron) / 0.3;
      if (step == 200) then[neuron] = x;
      if (step == 220) squares += x * x, correlation += x * then[neuron];
    }
  }
  CHECK(std::fabs(squares / neurons - 1) < 5 * std::sqrt(2.0 / neurons));
  CHECK(std::fabs(correlation / neurons - std::exp(-1.0)) < 5 * std::sqrt(1.2 / neurons));
}

TEST_CASE("current::OrnsteinUhlenbeck: it runs always and flows in its steps", "[kernels][current]") {
  using Model = Moved<current::OrnsteinUhlenbeck<>>;
  auto given = resting<Model>();
  given.current = {.mean_na = 1.0, .stdev_na = 0.3, .first_step = 10, .last_step = 20};
  Stepped<Model, 3> all(Model::make(given, 0.1).value());
  for (std::uint32_t step = 1; step < 30; ++step) {
    all.words(0)[1] = 0;
    all(step);
    CHECK(std::fabs(all.value(place_of<Model>.current.deviation, 1) - 1.0) > 1e-6);
    CHECK((std::fabs(all.value(0, 1)) > 1e-5) == (step >= 10 && step <= 20));
  }
}

TEST_CASE("current::OrnsteinUhlenbeck: a deviation at the end of its word is held and counted", "[kernels][current]") {
  using Model = Moved<current::OrnsteinUhlenbeck<>>;
  auto given = resting<Model>();
  given.current = {.tau_ms = 5.0, .stdev_na = 0.3};
  constexpr std::size_t neurons = 53;
  Stepped<Model, neurons> all(Model::make(given, 0.1).value());
  std::uint32_t held = 0;
  auto& own = all.constants().current;
  for (std::uint32_t step = 1; step <= 50; ++step) {
    auto source = own.shared.source;
    source.draw<NoiseOf::neuron>(step);
    for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
      const std::int32_t number = source.number<target::Generic::Lanes>(static_cast<std::int32_t>(neuron));
      // Where 8 deviations come back to: the number takes it to the end or not.
      const double target = 8 - 1e-4 * (step % 2), kept = std::exp(-0.02), spread = std::sqrt(1 - kept * kept);
      const double begin = (target - spread * std::ldexp(number, -28)) / kept;
      all.words(place_of<Model>.current.deviation)[neuron] =
          static_cast<std::int32_t>(std::clamp(std::ldexp(begin + 1e-5, 28), -0x1p31, 0x1p31 - 1));
      held += step % 2 == 0 && begin + 1e-5 < 8 ? 1U : 0U;
    }
    all(step);
  }
  CHECK(held > 100);
  CHECK(all.saturations() == held);
}

TEMPLATE_TEST_CASE("current: what is wrong with noise is refused by its name", "[kernels][current]",
                   current::WhiteNoise<>, current::OrnsteinUhlenbeck<>, current::WhiteNoise<NoiseOf::population>) {
  using Given = typename TestType::Parameters;
  for (const double wrong : wrong_numbers) {
    refused<TestType>(&Given::mean_na, wrong, Error::parameter_out_of_range, "current.mean_na");
    refused<TestType>(&Given::stdev_na, wrong, Error::parameter_out_of_range, "current.stdev_na");
    if constexpr (requires { &Given::interval_ms; })
      refused<TestType>(&Given::interval_ms, wrong, Error::parameter_out_of_range, "current.interval_ms");
    else
      refused<TestType>(&Given::tau_ms, wrong, Error::parameter_out_of_range, "current.tau_ms");
  }
  if constexpr (requires { &Given::interval_ms; }) {
    for (const double wrong : {-1e-9, 1e8})
      refused<TestType>(&Given::interval_ms, wrong, Error::parameter_out_of_range, "current.interval_ms");
    for (const double fits : {0.0, 1e8 - 0.1}) CHECK(status_of<TestType>({.interval_ms = fits}).ok());
  }
  refused<TestType>(&Given::mean_na, 13.0, Error::parameter_out_of_range, "current.stdev_na"); // no room for both
  refused<TestType>(&Given::stdev_na, -0.1, Error::parameter_out_of_range, "current.stdev_na");
  refused<TestType>(&Given::stdev_na, 2.6, Error::parameter_out_of_range, "current.stdev_na");
  CHECK(status_of<TestType>({.stdev_na = 1.4}).ok());
}

TEST_CASE("currents: all of them flow, and noise with the same seed differs", "[kernels][current]") {
  using Both = Moved<current::Direct, current::Direct>;
  auto given = resting<Both>();
  given.current = {{.i_na = 0.25, .first_step = 5}, {.i_na = -1.0, .last_step = 10}};
  Stepped<Both, 1> both(Both::make(given, 0.1).value());
  LifReference reference{0.1L, 20, 40, 0};
  for (std::uint32_t step = 1; step < 20; ++step) {
    both(step);
    reference.step((step >= 5 ? 0.25 : 0.0) - (step <= 10 ? 1.0 : 0.0));
    CHECK(std::fabs(both.value(0, 0) - static_cast<double>(reference.v)) < 1e-4);
  }
  using Noises = Moved<current::WhiteNoise<>, current::WhiteNoise<>>;
  auto noisy = resting<Noises>();
  noisy.current = {{.stdev_na = 0.3}, {.stdev_na = 0.4}};
  const auto made = Noises::make(noisy, 0.1).value();
  double squares = 0;
  const std::uint32_t steps = 400;
  for (std::uint32_t step = 0; step < steps; ++step)
    for (const double na : drawn<Noises, 100>(made, step)) squares += na * na / 0.25; // 0.3^2 + 0.4^2
  CHECK(std::fabs(squares / (100 * steps) - 1) < 5 * std::sqrt(2.0 / (100 * steps)));
}
