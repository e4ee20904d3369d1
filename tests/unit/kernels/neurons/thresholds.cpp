// SPDX-License-Identifier: BSL-1.0
// Thresholds: none, one that spikes raise, one that is crossed by chance.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/neurons/arithmetic.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/neurons/refractory/counted.hpp>
#include <neuromorph/kernels/neurons/resets/subtraction.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/neurons/thresholds/adaptive.hpp>
#include <neuromorph/kernels/neurons/thresholds/none.hpp>
#include <neuromorph/kernels/neurons/thresholds/stochastic.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/lif_reference.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

template <class Threshold, class... More>
using With = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::Counted, Threshold, More...>;

template <class Model>
typename Model::Parameters parameters_of(const DrawnCell& cell) {
  typename Model::Parameters given;
  given.membrane = cell.membrane;
  given.synapses = {cell.tau_synapse_ms, cell.weights};
  given.reset.v_mv = cell.reset_mv;
  given.refractory.period_ms = cell.refractory_steps * cell.dt_ms;
  return given;
}

template <class Threshold>
constexpr auto made_with(const typename Threshold::Parameters& threshold) {
  typename With<Threshold>::Parameters given{.membrane = {.r_mohm = 40.0}, .synapses = {.tau_ms = {5.0, 5.0}}};
  given.threshold = threshold;
  return With<Threshold>::make(given, 0.1);
}
static_assert(made_with<threshold::None>({}).ok() && made_with<threshold::Adaptive>({}).ok() &&
              made_with<threshold::Stochastic>({}).ok());
static_assert(made_with<threshold::Adaptive>({}).value().constants.threshold.rise == 1 << 22);

template <class Threshold>
void refused(double Threshold::Parameters::*member, double value, Error error, const char* name) {
  typename Threshold::Parameters given;
  given.*member = value;
  const Status status = made_with<Threshold>(given).status();
  INFO(name << " = " << value);
  CHECK(status == Status{error, 0, value, name});
}

using OneLane = Arithmetic<target::Generic::Lanes, rounding::Down>;

} // namespace

TEST_CASE("threshold::None: the membrane goes to both sides, and nothing fires", "[kernels][threshold]") {
  double worst = 0;
  std::uint32_t above = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 10 : 100)) {
    INFO("seed " << seed);
    DrawnCell cell(seed);
    using Model = With<threshold::None>;
    auto given = parameters_of<Model>(cell);
    given.threshold.origin_mv = cell.membrane.v_rest_mv;
    given.membrane.v_initial_mv = cell.far_mv; // above the origin
    const auto made = Model::make(given, cell.dt_ms);
    REQUIRE(made.ok());
    Population<Model, 1> one(made.value());
    LifReference reference = cell.reference();
    reference.v = cell.far_mv;
    const double range = cell.threshold_mv - cell.membrane.v_rest_mv;
    const Followed followed = follow(
        made.value(), one, reference, cell, 1000, 3e-4 * (range + 20), [](const LifReference&) { return 1e9; },
        [](const LifReference&) { FAIL("it fired"); },
        [&](const LifReference& neuron) { above += neuron.v > given.threshold.origin_mv ? 1U : 0U; });
    REQUIRE(one.set(place_of<Model>.membrane.v, 0, cell.membrane.v_rest_mv + 100).ok());
    worst = std::max(worst, followed.worst_mv / range);
  }
  CHECK(above > 1000);
  std::printf("threshold::None, solver exact; rounding: %.2g of far - rest\n", worst);
  With<threshold::None>::Parameters far{.membrane = {.r_mohm = 40.0, .v_rest_mv = -2000, .v_initial_mv = -2000}};
  far.synapses.tau_ms = {5.0, 5.0};
  far.reset.v_mv = -2000;
  far.threshold.origin_mv = -2000;
  CHECK(With<threshold::None>::make(far, 0.1).ok());
  refused<threshold::None>(&threshold::None::Parameters::origin_mv, HUGE_VAL, Error::parameter_out_of_range,
                           "threshold.origin_mv");
}

TEMPLATE_TEST_CASE("threshold::Adaptive: level and spikes follow the closed form", "[kernels][threshold]",
                   rounding::Down, rounding::Nearest, rounding::Stochastic) {
  double worst = 0, worst_level = 0;
  std::uint32_t spikes = 0, accepted = 0;
  const std::uint32_t seeds = sanitized ? 20 : 150;
  for (const std::uint32_t seed : Seeds(seeds)) {
    INFO("seed " << seed);
    DrawnCell cell(seed);
    using Model = With<threshold::Adaptive, TestType>;
    auto given = parameters_of<Model>(cell);
    const double tau_ms = cell.dt_ms * cell.between_powers(1, 14), rise_mv = cell.between(0, 10),
                 initial_mv = cell.between(0, 5);
    given.threshold = {cell.threshold_mv, tau_ms, rise_mv, initial_mv};
    const auto made = Model::make(given, cell.dt_ms);
    if (!made) continue;
    ++accepted;
    Population<Model, 1> one(made.value());
    LifReference reference = cell.reference();
    long double level = initial_mv;
    const double range = cell.threshold_mv - cell.membrane.v_rest_mv, steps = tau_ms / cell.dt_ms,
                 unit = std::ldexp(1, -made.value().making.unit_bits);
    const auto kept = std::exp(-1 / static_cast<long double>(steps));
    const Followed followed = follow(
        made.value(), one, reference, cell, 2000, 3e-4 * (range + 20),
        [&](const LifReference&) { return cell.threshold_mv + (level *= kept); },
        [&](LifReference& neuron) { neuron.v = cell.reset_mv, level += rise_mv; },
        [&](const LifReference&) {
          const double off = std::fabs(one.value(place_of<Model>.threshold.level, 0) - static_cast<double>(level));
          // Rounding down loses half a unit a step; the factor of the decay has 16 bits, and is right on average.
          REQUIRE(off < (steps / 2 + 16) * unit + 6e-5 * static_cast<double>(level));
          worst_level = std::max(worst_level, off / range);
        });
    worst = std::max(worst, followed.worst_mv / range);
    spikes += followed.spikes;
  }
  std::printf("threshold::Adaptive, solver exact; rounding: membrane %.2g, level %.2g of base - rest; %u spikes\n",
              worst, worst_level, spikes);
  CHECK(accepted * 10 > seeds * 8);
  CHECK(spikes > (sanitized ? 100 : 1000));
}

TEST_CASE("threshold::Adaptive: a level at the end of its word is held and counted", "[kernels][threshold]") {
  using Model = With<threshold::Adaptive, reset::None>;
  Model::Parameters given{.membrane = {.r_mohm = 40.0}, .synapses = {.tau_ms = {5.0, 5.0}}};
  given.threshold = {.v_mv = -50.0, .tau_ms = 1e5, .step_mv = 400.0, .initial_mv = 100.0};
  given.refractory.period_ms = 0.0;
  Population<Model, 19> all(Model::make(given, 0.1).value());
  std::array<std::array<std::int32_t, 19>, 2> sums{};
  const auto step = [&](std::uint32_t number) {
    for (std::int32_t& v : all.words(place_of<Model>.membrane.v)) v = INT32_MAX;
    return all.step(std::array{sums[0].data(), sums[1].data()}, number).size();
  };
  CHECK(step(1) == 19);
  CHECK(all.saturations() == 0);
  for (std::size_t neuron = 0; neuron < 19; neuron += 3) all.words(place_of<Model>.threshold.level)[neuron] = 0;
  CHECK(step(2) == 19);
  CHECK(all.saturations() == 12); // those that were not set to zero
  CHECK(all.words(place_of<Model>.threshold.level)[1] == INT32_MAX);
  CHECK(all.words(place_of<Model>.threshold.level)[0] == all.constants().threshold.rise);
}

TEST_CASE("threshold::Adaptive: what is wrong is refused by its name", "[kernels][threshold]") {
  using Given = threshold::Adaptive::Parameters;
  using Part = threshold::Adaptive;
  for (const double wrong : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    refused<Part>(&Given::v_mv, wrong, Error::parameter_out_of_range, "threshold.v_mv");
    refused<Part>(&Given::tau_ms, wrong, Error::parameter_out_of_range, "threshold.tau_ms");
    refused<Part>(&Given::step_mv, wrong, Error::parameter_out_of_range, "threshold.step_mv");
    refused<Part>(&Given::initial_mv, wrong, Error::parameter_out_of_range, "threshold.initial_mv");
  }
  refused<Part>(&Given::step_mv, -1, Error::parameter_out_of_range, "threshold.step_mv");
  refused<Part>(&Given::step_mv, -0x1p-22, Error::parameter_out_of_range, "threshold.step_mv");
  refused<Part>(&Given::initial_mv, -0x1p-22, Error::parameter_out_of_range, "threshold.initial_mv");
  for (const double mv : {0.0, 512 - 0x1p-22}) CHECK(made_with<Part>({.step_mv = mv, .initial_mv = mv}).ok());
  refused<Part>(&Given::step_mv, 512, Error::parameter_out_of_range, "threshold.step_mv");
  refused<Part>(&Given::initial_mv, -1, Error::parameter_out_of_range, "threshold.initial_mv");
  refused<Part>(&Given::initial_mv, 512, Error::parameter_out_of_range, "threshold.initial_mv");
  refused<Part>(&Given::tau_ms, 0.1, Error::time_constant_too_short, "threshold.tau_ms");
}

TEST_CASE("threshold::Stochastic: the probability is that of the hazard, to 2^-18 of it and 2^-31",
          "[kernels][threshold]") {
  using Part = threshold::Stochastic;
  double worst = 0, worst_rare = 0;
  for (const std::uint32_t seed : Seeds(4)) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    const auto between = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    for (int trial = 0; trial < (sanitized ? 2'000 : 50'000); ++trial) {
      Making making;
      making.dt_ms = std::exp2(between(-6, 1));
      making.unit_bits = 16 + static_cast<int>(random() % 8);
      const double width = std::exp2(between(-10, 10)),
                   tau = making.dt_ms * std::exp2(trial % 8 == 0 ? 0 : between(0, 24));
      detail::Own<Part, std::int32_t> own{};
      Part::Words<std::int32_t> initial;
      Part::Words<Quantity> quantities;
      const detail::MakingPart<Part, membrane::Lif> to{own, initial, quantities};
      if (!Part::make({-50.0, width, tau}, making, to) || !Part::make_scaled({-50.0, width, tau}, making, to))
        FAIL("width " << width << " tau " << tau << " is refused");
      const double far = between(-40, 40) * width;
      const auto v = static_cast<std::int32_t>(std::clamp(std::ldexp(far, making.unit_bits), -0x1p31, 0x1p31 - 1));
      std::uint32_t saturations = 0;
      OneLane m(1, 1, saturations);
      const double chance = std::ldexp(Part::chance(m, own, v) + 0x1p31, -32);
      const double hazard = std::exp(std::ldexp(v, -making.unit_bits) / width) * making.dt_ms / tau;
      const double exact = -std::expm1(-hazard), off = std::fabs(chance - exact);
      if (!(off < exact * 0x1p-18 + 0x1p-31))
        FAIL("width " << width << " tau " << tau << " v " << v << ": " << chance << " for " << exact);
      worst = std::max(worst, off / (exact + 0x1p-13));
      if (exact < 1e-9) worst_rare = std::max(worst_rare, off);
    }
  }
  std::printf("threshold::Stochastic: probability to %.2g of itself and 2^-13; rare ones to %.2g\n", worst, worst_rare);
}

TEST_CASE("threshold::Stochastic: neurons fire as often as they should, each by itself", "[kernels][threshold]") {
  using Model = Neuron<membrane::Lif, synapse::Difference, threshold::Stochastic, reset::None>;
  constexpr std::size_t neurons = 512;
  const std::uint32_t steps = sanitized ? 100 : 1000;
  for (const double above_mv : {-2.0, -0.5, 0.0, 1.0}) {
    Model::Parameters given{
        .membrane = {.r_mohm = 40.0, .v_rest_mv = -50.0 + above_mv, .v_initial_mv = -50.0 + above_mv},
        .threshold = {.v_mv = -50.0, .width_mv = 0.5, .tau_ms = 5.0}};
    const auto made = Model::make(given, 0.5).value();
    static Population<Model, neurons> whole(made);
    whole = Population<Model, neurons>(made, 100);
    Population<Model, 200> part(made, 100 + 300); // the same numbers by themselves
    std::array<std::array<std::int32_t, neurons>, 2> sums{};
    const double chance = -std::expm1(-std::exp(above_mv / 0.5) * 0.5 / 5.0);
    double fired = 0, together = 0, again = 0;
    std::array<bool, neurons> before{};
    for (std::uint32_t step = 1; step <= steps; ++step) {
      std::array<bool, neurons> now{};
      for (const std::uint32_t neuron : whole.step(std::array{sums[0].data(), sums[1].data()}, step))
        now[neuron] = true;
      std::array<bool, neurons> alone{};
      for (const std::uint32_t neuron : part.step(std::array{sums[0].data(), sums[1].data()}, step))
        alone[neuron + 300] = true;
      for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
        fired += now[neuron], again += now[neuron] && before[neuron];
        together += now[neuron] && now[(neuron + 1) % neurons];
        if (neuron >= 300 && neuron < 500) REQUIRE(alone[neuron] == now[neuron]);
      }
      before = now;
    }
    const double count = static_cast<double>(neurons) * steps, deviation = std::sqrt(count * chance * (1 - chance));
    INFO("at " << above_mv << " mV: " << fired / count << " for " << chance);
    CHECK(std::fabs(fired - count * chance) < 5 * deviation);
    const double pairs = count * chance * chance, wide = std::sqrt(pairs) * 5 + 5 * 2 * chance * deviation;
    CHECK(std::fabs(together - pairs) < wide);
    CHECK(std::fabs(again - pairs) < wide + static_cast<double>(neurons));
  }
}

TEST_CASE("threshold::Stochastic: what is wrong is refused by its name", "[kernels][threshold]") {
  using Given = threshold::Stochastic::Parameters;
  using Part = threshold::Stochastic;
  const double none = std::nan("");
  refused<Part>(&Given::v_mv, none, Error::parameter_out_of_range, "threshold.v_mv");
  refused<Part>(&Given::width_mv, 0, Error::parameter_not_positive, "threshold.width_mv");
  refused<Part>(&Given::width_mv, none, Error::parameter_not_positive, "threshold.width_mv");
  refused<Part>(&Given::width_mv, 0x1p-11, Error::parameter_out_of_range, "threshold.width_mv");
  refused<Part>(&Given::width_mv, HUGE_VAL, Error::parameter_out_of_range, "threshold.width_mv");
  refused<Part>(&Given::tau_ms, 0, Error::parameter_not_positive, "threshold.tau_ms");
  refused<Part>(&Given::tau_ms, none, Error::parameter_not_positive, "threshold.tau_ms");
  refused<Part>(&Given::tau_ms, 0.099, Error::time_constant_too_short, "threshold.tau_ms");
  refused<Part>(&Given::tau_ms, 2e6, Error::time_constant_too_long, "threshold.tau_ms");
  refused<Part>(&Given::tau_ms, HUGE_VAL, Error::time_constant_too_long, "threshold.tau_ms");
}

TEST_CASE("threshold: constants of each neuron, where their scale is that of the population", "[kernels][threshold]") {
  using Part = PerNeuron<threshold::Stochastic>;
  using Model = Neuron<membrane::Lif, synapse::Difference, Part, reset::None>;
  constexpr std::size_t neurons = 400;
  Model::Parameters given{.membrane = {.r_mohm = 40.0, .v_rest_mv = -50.0, .v_initial_mv = -50.0},
                          .threshold = {.v_mv = -50.0, .width_mv = 1.0, .tau_ms = 2.0}};
  Population<Model, neurons> all(Model::make(given, 1.0).value());
  for (std::size_t neuron = 0; neuron < neurons; neuron += 2) {
    given.threshold.tau_ms = 50.0;
    REQUIRE(all.set(neuron, given).ok());
  }
  std::array<std::array<std::int32_t, neurons>, 2> sums{};
  std::array<double, 2> fired{};
  for (std::uint32_t step = 1; step <= 100; ++step)
    for (const std::uint32_t neuron : all.step(std::array{sums[0].data(), sums[1].data()}, step)) ++fired[neuron % 2];
  for (const std::size_t odd : {0U, 1U}) {
    const double count = 50.0 * neurons, chance = -std::expm1(odd == 0 ? -1 / 50.0 : -1 / 2.0);
    CHECK(std::fabs(fired[odd] - count * chance) < 5 * std::sqrt(count * chance));
  }
  given.threshold.width_mv = 4.0;
  CHECK(all.set(0, given).error == Error::parameters_contradict);
}

TEST_CASE("thresholds: what is not given", "[kernels][threshold]") {
  const threshold::Adaptive::Parameters adaptive;
  CHECK((adaptive.v_mv == -50 && adaptive.tau_ms == 100 && adaptive.step_mv == 1 && adaptive.initial_mv == 0));
  const threshold::Stochastic::Parameters chance;
  CHECK((chance.v_mv == -50 && chance.width_mv == 0.5 && chance.tau_ms == 20));
  CHECK(threshold::None::Parameters{}.origin_mv == 0);
}

TEST_CASE("threshold::Stochastic: the same bits everywhere", "[kernels][threshold]") {
  using Part = threshold::Stochastic;
  Digest digest;
  std::uint32_t saturations = 0;
  OneLane m(1, 1, saturations);
  for (std::uint32_t number = 0; number < 20'000; ++number) {
    if (number % 1000 != 0) continue;
    Making making;
    making.dt_ms = 0.1;
    detail::Own<Part, std::int32_t> own{};
    Part::Words<std::int32_t> initial;
    Part::Words<Quantity> quantities;
    const detail::MakingPart<Part, membrane::Lif> to{own, initial, quantities};
    const Part::Parameters given{-50.0, 0.001 * (number + 1), 0.1 * (number + 1)};
    if (!Part::make(given, making, to) || !Part::make_scaled(given, making, to)) FAIL("refused");
    for (const std::int32_t constant : {own.slope, own.most, own.level})
      digest.add(static_cast<std::uint32_t>(constant));
    for (std::uint32_t word = 0; word < 1000; ++word)
      digest.add(static_cast<std::uint32_t>(
          Part::chance(m, own, static_cast<std::int32_t>(word * 0x9E3779B9U) >> (word % 16))));
  }
  CHECK(digest.value() == 0x1ade76dcebdb585d);
}
