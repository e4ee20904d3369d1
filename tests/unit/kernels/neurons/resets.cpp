// SPDX-License-Identifier: BSL-1.0
// What a spike does to the membrane, and how long it is held.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/neurons/refractory/counted.hpp>
#include <neuromorph/kernels/neurons/resets/subtraction.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/neurons/thresholds/stochastic.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/lif_reference.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

template <class... More>
using With = Neuron<membrane::Lif, synapse::Exponential<2>, More...>;

template <class Model>
typename Model::Parameters parameters_of(const DrawnCell& cell) {
  typename Model::Parameters given;
  given.membrane = cell.membrane;
  given.synapses = {cell.tau_synapse_ms, cell.weights};
  given.threshold.v_mv = cell.threshold_mv;
  if constexpr (!std::is_same_v<typename Model::Refractory, refractory::None>)
    given.refractory.period_ms = cell.refractory_steps * cell.dt_ms;
  return given;
}

/// Steps drawn cells with this reset beside the closed form.
template <class Model>
void run(const char* name, auto give_reset, auto threshold, auto spiked) {
  double worst = 0;
  std::uint32_t spikes = 0, accepted = 0;
  const std::uint32_t seeds = sanitized ? 20 : 150;
  for (const std::uint32_t seed : Seeds(seeds)) {
    INFO("seed " << seed);
    DrawnCell cell(seed);
    if (std::is_same_v<typename Model::Refractory, refractory::None>) cell.refractory_steps = 0;
    auto given = parameters_of<Model>(cell);
    const double by = give_reset(given, cell);
    const auto made = Model::make(given, cell.dt_ms);
    if (!made) continue;
    ++accepted;
    Population<Model, 1> one(made.value());
    LifReference reference = cell.reference();
    const double range = cell.threshold_mv - cell.membrane.v_rest_mv;
    std::uint32_t due = 0;
    const Followed followed = follow(
        made.value(), one, reference, cell, 2000, 3e-4 * (range + 20),
        [&](LifReference& neuron) { return threshold(neuron, cell, by, due); },
        [&](LifReference& neuron) { spiked(neuron, cell, by, due); }, [](const LifReference&) {});
    REQUIRE(one.saturations() == 0);
    worst = std::max(worst, followed.worst_mv / range);
    spikes += followed.spikes;
  }
  std::printf("%s, solver exact; rounding: %.2g of threshold - rest; %u spikes\n", name, worst, spikes);
  CHECK(accepted * 10 > seeds * 8);
  CHECK(spikes > 1000);
}

constexpr auto fixed = [](const LifReference&, const DrawnCell& cell, double, std::uint32_t) {
  return static_cast<LifReference::Real>(cell.threshold_mv);
};
constexpr auto subtraction_of = [](auto& given, DrawnCell& cell) {
  return given.reset.by_mv = cell.between(0.1, 2) * (cell.threshold_mv - cell.membrane.v_rest_mv);
};

template <class Reset>
constexpr auto made_with(double by_mv) {
  typename With<Reset, refractory::Counted>::Parameters given{.membrane = {.r_mohm = 40.0},
                                                              .synapses = {.tau_ms = {5.0, 5.0}}};
  given.reset.by_mv = by_mv;
  return With<Reset, refractory::Counted>::make(given, 0.1);
}
static_assert(made_with<reset::Subtraction>(15).value().constants.reset.by == -(15 << 22));
static_assert(made_with<reset::LateSubtraction>(15).value().constants.reset.by == 15 << 22);

} // namespace

TEMPLATE_TEST_CASE("reset::Subtraction: what was above the threshold stays, also through a refractory period",
                   "[kernels][reset]", refractory::None, refractory::Counted) {
  run<With<reset::Subtraction, TestType>>(
      "reset::Subtraction", subtraction_of, fixed,
      [](LifReference& neuron, const DrawnCell&, double by, std::uint32_t&) { neuron.v -= by; });
}

TEMPLATE_TEST_CASE("reset::LateSubtraction: the first step that integrates after a spike subtracts", "[kernels][reset]",
                   refractory::None, refractory::Counted) {
  run<With<reset::LateSubtraction, TestType>>(
      "reset::LateSubtraction", subtraction_of,
      [](LifReference& neuron, const DrawnCell& cell, double by, std::uint32_t& due) {
        if (due == 1) neuron.v -= by;
        if (due > 0) --due;
        return static_cast<LifReference::Real>(cell.threshold_mv);
      },
      [](const LifReference&, const DrawnCell& cell, double, std::uint32_t& due) { due = cell.refractory_steps + 1; });
}

TEMPLATE_TEST_CASE("reset::None: a membrane above the threshold fires in every step that integrates",
                   "[kernels][reset]", refractory::None, refractory::Counted) {
  run<With<reset::None, TestType>>(
      "reset::None", [](const auto&, const DrawnCell&) { return 0.0; }, fixed,
      [](const LifReference&, const DrawnCell&, double, const std::uint32_t&) {});
}

TEST_CASE("refractory::Counted: with a fixed threshold and a reset to a value as InMembrane", "[kernels][refractory]") {
  using Counting = With<refractory::Counted>;
  using Hidden = With<refractory::InMembrane>;
  constexpr std::size_t neurons = 37;
  std::size_t spikes = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 10 : 60)) {
    INFO("seed " << seed);
    DrawnCell cell(seed);
    auto given = parameters_of<Counting>(cell);
    given.reset.v_mv = cell.reset_mv;
    auto same = parameters_of<Hidden>(cell);
    same.reset.v_mv = cell.reset_mv;
    const auto made = Counting::make(given, cell.dt_ms);
    if (!made) continue;
    Population<Counting, neurons> counting(made.value());
    Population<Hidden, neurons> hidden(Hidden::make(same, cell.dt_ms).value());
    std::array<std::array<std::int32_t, neurons>, 2> sums{}, also{};
    for (std::uint32_t step = 1; step <= 300; ++step) {
      for (auto& receptor : sums)
        for (std::int32_t& sum : receptor)
          sum = cell.random() % 8 == 0 ? static_cast<std::int32_t>(cell.random() % 4096) : 0;
      also = sums;
      const auto fired = counting.step(std::array{sums[0].data(), sums[1].data()}, step);
      const auto fired_too = hidden.step(std::array{also[0].data(), also[1].data()}, step);
      REQUIRE(std::equal(fired.begin(), fired.end(), fired_too.begin(), fired_too.end()));
      for (std::size_t neuron = 0; neuron < neurons; ++neuron)
        REQUIRE(counting.value(0, neuron) == hidden.value(0, neuron));
      spikes += fired.size();
    }
  }
  CHECK(spikes > (sanitized ? 1000 : 10'000));
}

TEST_CASE("refractory::Counted: other words of a membrane see where it is held", "[kernels][refractory]") {
  using Model = Neuron<membrane::Izhikevich, synapse::Difference, refractory::Counted>;
  Model::Parameters given{
      .membrane = {.i_offset = 20.0}, .threshold = {.v_mv = 30.0}, .refractory = {.period_ms = 3.0}};
  Population<Model, 1> one(Model::make(given, 0.25).value());
  std::array<std::int32_t, 2> sums{};
  std::uint32_t step = 1;
  while (one.step(std::array{&sums[0], &sums[1]}, step).empty()) REQUIRE(++step < 1000);
  double u = one.value(place_of<Model>.membrane.u, 0);
  CHECK(one.value(place_of<Model>.refractory.left, 0) == 3.0);
  for (int held = 1; held <= 12; ++held) {
    CHECK(one.step(std::array{&sums[0], &sums[1]}, ++step).empty());
    CHECK(one.value(place_of<Model>.membrane.v, 0) == -65.0);
    const double now = one.value(place_of<Model>.membrane.u, 0);
    CHECK(now < u); // it comes back towards b v
    u = now;
    CHECK(one.value(place_of<Model>.refractory.left, 0) == 3.0 - held * 0.25);
  }
  one.step(std::array{&sums[0], &sums[1]}, ++step);
  CHECK(one.value(place_of<Model>.membrane.v, 0) != -65.0);
  // No word of the count stops a neuron for longer than it says.
  one.words(place_of<Model>.refractory.left)[0] = INT32_MIN;
  one.step(std::array{&sums[0], &sums[1]}, ++step);
  CHECK(one.words(place_of<Model>.refractory.left)[0] == 0);
}

TEST_CASE("reset::Subtraction: where a neuron may fire anywhere, a difference that leaves the word is held and counted",
          "[kernels][reset]") {
  using Model = Neuron<membrane::Lif, synapse::Difference, threshold::Stochastic, reset::Subtraction>;
  Model::Parameters given{.membrane = {.tau_ms = 1000, .r_mohm = 40.0, .v_rest_mv = -70.0}};
  given.threshold = {.v_mv = -50.0, .width_mv = 1024.0, .tau_ms = 1.0};
  given.reset.by_mv = 200.0;
  constexpr std::size_t neurons = 67;
  Population<Model, neurons> all(Model::make(given, 1.0).value());
  std::array<std::array<std::int32_t, neurons>, 2> sums{};
  for (std::size_t neuron = 0; neuron < neurons; ++neuron)
    all.words(0)[neuron] = neuron % 2 == 0 ? -(1 << 22) * 400 : -(1 << 22) * 100; // 400 and 200 mV do not fit together
  std::uint32_t held = 0;
  const auto fired = all.step(std::array{sums[0].data(), sums[1].data()}, 7);
  for (const std::uint32_t neuron : fired) {
    held += neuron % 2 == 0 ? 1 : 0;
    CHECK((all.words(0)[neuron] == INT32_MIN) == (neuron % 2 == 0));
  }
  CHECK(held > 5);
  CHECK(fired.size() - held > 5);
  CHECK(all.saturations() == held);
}

TEMPLATE_TEST_CASE("reset: what is wrong is refused by its name", "[kernels][reset]", reset::Subtraction,
                   reset::LateSubtraction) {
  const auto refused = [](double by_mv, Error error) {
    const Status status = made_with<TestType>(by_mv).status();
    INFO(by_mv);
    CHECK(status == Status{error, 0, by_mv, "reset.by_mv"});
  };
  refused(0.0, Error::parameter_not_positive);
  refused(-1.0, Error::parameter_not_positive);
  for (const double wrong : {1e-9, 256.0, HUGE_VAL, -HUGE_VAL, std::nan("")})
    refused(wrong, Error::parameter_out_of_range);
  CHECK(made_with<TestType>(255.9).ok());
}

TEST_CASE("refractory::Counted: what is wrong is refused by its name", "[kernels][refractory]") {
  using Model = With<refractory::Counted>;
  for (const double fits : {0.0, 1e8 - 0.1}) {
    Model::Parameters given{.membrane = {.r_mohm = 40.0}, .synapses = {.tau_ms = {5.0, 5.0}}};
    given.refractory.period_ms = fits;
    CHECK(Model::make(given, 0.1).ok());
  }
  for (const double wrong : {-1e-9, -1.0, 1e8, 1e9, HUGE_VAL, std::nan("")}) {
    Model::Parameters given{.membrane = {.r_mohm = 40.0}, .synapses = {.tau_ms = {5.0, 5.0}}};
    given.refractory.period_ms = wrong;
    const Status status = Model::make(given, 0.1).status();
    CHECK(status == Status{Error::parameter_out_of_range, 0, wrong, "refractory.period_ms"});
  }
}

TEST_CASE("resets: what is not given", "[kernels][reset]") {
  CHECK(reset::Subtraction::Parameters{}.by_mv == 15);
  CHECK(refractory::Counted::Parameters{}.period_ms == 2);
}
