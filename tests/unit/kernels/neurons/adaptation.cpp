// SPDX-License-Identifier: BSL-1.0
// Currents that spikes leave behind, beside their closed form.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

#include <neuromorph/kernels/neurons/adaptation/calcium.hpp>
#include <neuromorph/kernels/neurons/adaptation/spike_triggered.hpp>
#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/neurons/refractory/counted.hpp>
#include <neuromorph/kernels/neurons/synapse_types/driven.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/lif_reference.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

template <class Adaptation, class Rounding = rounding::Down>
using Lif2 = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::Counted, Adaptation, Rounding>;
template <class Adaptation>
using Spiking = Neuron<membrane::Izhikevich, synapse::Difference, Adaptation>;

template <class Model>
typename Model::Parameters parameters_of(const DrawnCell& cell) {
  typename Model::Parameters given;
  given.membrane = cell.membrane;
  given.synapses = {cell.tau_synapse_ms, cell.weights};
  given.threshold.v_mv = cell.threshold_mv;
  given.reset.v_mv = cell.reset_mv;
  given.refractory.period_ms = cell.refractory_steps * cell.dt_ms;
  return given;
}

constexpr auto evaluated = [] {
  using Model = Lif2<adaptation::SpikeTriggered>;
  Model::Parameters given{.membrane = {.r_mohm = 40.0}, .synapses = {.tau_ms = {5.0, 5.0}}};
  return Model::make(given, 0.1);
}();
static_assert(evaluated.ok() && evaluated.value().constants.adaptation.rise > 0);

} // namespace

TEMPLATE_TEST_CASE("adaptation: the current and the membrane follow their closed form", "[kernels][adaptation]",
                   rounding::Down, rounding::Nearest, rounding::Stochastic) {
  double worst = 0, worst_trace = 0;
  std::uint32_t accepted = 0, spikes = 0;
  const std::uint32_t seeds = sanitized ? 20 : 150;
  for (const std::uint32_t seed : Seeds(seeds)) {
    INFO("seed " << seed);
    DrawnCell cell(seed);
    const double tau_ms = cell.dt_ms * cell.between_powers(1, 14), r_mohm = cell.membrane.r_mohm;
    const bool is_calcium = seed % 2 == 0;
    const double g_na = is_calcium ? cell.between_powers(-4, 4) : 1.0,
                 rise = (is_calcium || seed % 4 == 1 ? cell.between(0.01, 8.0) : cell.between(-0.05, -0.001)) / r_mohm,
                 initial = cell.between(0.0, 5.0) / r_mohm;
    LifReference reference = cell.reference();
    reference.tau_trace_ms = tau_ms;
    reference.trace = initial;
    const double tolerance = 2e-4 * (cell.threshold_mv - cell.membrane.v_rest_mv + 20.0);
    const auto run = [&](auto model, const auto& adaptation) {
      using Model = decltype(model);
      auto given = parameters_of<Model>(cell);
      given.adaptation = adaptation;
      const auto made = Model::make(given, cell.dt_ms);
      if (!made) return;
      ++accepted;
      Population<Model, 1> one(made.value());
      constexpr std::size_t place = place_of<Model>.adaptation.trace;
      const double unit = Model::quantity(made.value(), place).per_unit * g_na, steps = tau_ms / cell.dt_ms;
      const Followed followed = follow(
          made.value(), one, reference, cell, 2000, tolerance, [&](const LifReference&) { return cell.threshold_mv; },
          [&](LifReference& neuron) { neuron.v = cell.reset_mv, neuron.trace += rise; },
          [&](const LifReference& neuron) {
            const auto trace = static_cast<double>(neuron.trace);
            const double off = std::fabs(one.value(place, 0) * g_na - trace);
            REQUIRE(off < (steps + 4) * unit + 6e-5 * std::fabs(trace));
            worst_trace = std::max(worst_trace, off / (std::fabs(rise) + std::fabs(trace)));
          });
      if (rise > 0) REQUIRE(one.saturations() == 0);
      worst = std::max(worst, followed.worst_mv / (cell.threshold_mv - cell.membrane.v_rest_mv));
      spikes += followed.spikes;
    };
    if (is_calcium)
      run(Lif2<adaptation::Calcium, TestType>{},
          adaptation::Calcium::Parameters{tau_ms, rise / g_na, g_na, initial / g_na});
    else
      run(Lif2<adaptation::SpikeTriggered, TestType>{}, adaptation::SpikeTriggered::Parameters{tau_ms, rise, initial});
  }
  std::printf(
      "adaptation with Lif, solver exact; rounding: membrane %.2g of threshold - rest, current %.2g of itself and a "
      "rise; %u cells, %u spikes\n",
      worst, worst_trace, accepted, spikes);
  CHECK(accepted * 10 > seeds * 8);
  CHECK(spikes > (sanitized ? 100 : 1000));
}

TEST_CASE("adaptation: with Izhikevich's membrane its mean over the step flows", "[kernels][adaptation]") {
  using Model = Spiking<adaptation::SpikeTriggered>;
  double worst = 0;
  for (const std::uint32_t seed : Seeds(200)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto between = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    const double dt = between(0.05, 0.5), tau = dt * std::exp2(between(1, 12)), w = between(-10, 20),
                 v0 = between(-80, -40), u0 = between(-15, 0);
    Model::Parameters given;
    given.threshold.v_mv = 30;
    given.membrane.v_initial_mv = v0;
    given.membrane.u_initial = u0;
    given.adaptation = {tau, 1.0, w};
    const auto made = Model::make(given, dt);
    REQUIRE(made.ok());
    Population<Model, 1> one(made.value());
    std::array<std::int32_t, 2> sums{};
    one.step(std::array{&sums[0], &sums[1]}, 1);
    const double mean = w * -std::expm1(-dt / tau) * tau / dt;
    const auto slope = [&](double v, double u) { return 0.04 * v * v + 5 * v + 140 - u - mean; };
    const double half_v = v0 + dt / 2 * slope(v0, u0), half_u = u0 + dt / 2 * 0.02 * (0.2 * v0 - u0);
    const double off = std::fabs(one.value(place_of<Model>.membrane.v, 0) - (v0 + dt * slope(half_v, half_u)));
    worst = std::max(worst, off);
    REQUIRE(off < 1e-5);
    REQUIRE(std::fabs(one.value(place_of<Model>.adaptation.trace, 0) - w * std::exp(-dt / tau)) < 1e-4 * std::fabs(w));
  }
  std::printf("adaptation with Izhikevich, rounding of one step: %.2g mV\n", worst);
}

TEST_CASE("adaptation: a trace at the end of its word is held and counted, in lanes too", "[kernels][adaptation]") {
  using Model = Neuron<membrane::Lif, synapse::Difference, adaptation::SpikeTriggered, reset::ToValue>;
  for (const double sign : {1.0, -1.0}) {
    Model::Parameters given{.membrane = {.r_mohm = 40.0, .i_offset_na = sign < 0 ? 0.0 : 6.0}};
    given.adaptation.tau_ms = 1e4;
    for (double rise = 1.0; Model::make(given, 1.0).ok(); rise *= 1.1) given.adaptation.rise = sign * rise;
    given.adaptation.rise /= 1.1; // the largest that there is
    const auto made = Model::make(given, 1.0).value();
    Population<Model, 33> all(made);
    const auto place = place_of<Model>.adaptation.trace;
    for (std::size_t neuron = 0; neuron < 33; neuron += 4)
      all.words(place)[neuron] = sign > 0 ? INT32_MAX / 8 * 7 : INT32_MIN / 8 * 7;
    std::array<std::array<std::int32_t, 33>, 2> sums{};
    std::uint32_t expected = 0, held = 0;
    for (std::uint32_t step = 1; step < 40; ++step) {
      for (std::size_t neuron = 0; neuron < 33; ++neuron) // all fire
        all.words(place_of<Model>.membrane.v)[neuron] = INT32_MAX / 4 * 3;
      auto before = all;
      const auto fired = all.step(std::array{sums[0].data(), sums[1].data()}, step);
      for (const std::uint32_t neuron : fired) {
        const std::int64_t decayed = before.words(place)[neuron];
        const std::int64_t least = decayed - decayed / 8192 - 1 + made.constants.adaptation.rise;
        if (least > INT32_MAX || least < INT32_MIN) {
          ++expected;
          REQUIRE(all.words(place)[neuron] == (sign > 0 ? INT32_MAX : INT32_MIN));
        }
        held += all.words(place)[neuron] == (sign > 0 ? INT32_MAX : INT32_MIN) ? 1U : 0U;
      }
    }
    CHECK(expected > 33);
    CHECK(held == all.saturations());
  }
}

TEST_CASE("adaptation: what is held is counted beside psps that count their ends", "[kernels][adaptation]") {
  using Model = Neuron<membrane::Lif, synapse::Driven<1>, adaptation::SpikeTriggered>;
  Population<Model, 5> all(Model::make({.membrane = {.tau_ms = 10.0, .r_mohm = 40.0},
                                        .synapses = {.tau_ms = {5.0}},
                                        .adaptation = {.tau_ms = 1e4, .rise = 2.0}},
                                       0.1)
                               .value());
  for (std::size_t neuron = 0; neuron < 5; ++neuron) {
    all.words(place_of<Model>.membrane.v)[neuron] = 1 << 30;
    if (neuron < 2) all.words(place_of<Model>.adaptation.trace)[neuron] = INT32_MAX;
  }
  std::array<std::int32_t, 5> sums{};
  CHECK(all.step(std::array{sums.data()}, 1).size() == 5);
  CHECK(all.saturations() == 2);
}

TEST_CASE("adaptation: what is wrong is refused by its name", "[kernels][adaptation]") {
  using Model = Lif2<adaptation::Calcium>;
  Model::Parameters good{.membrane = {.r_mohm = 40.0}, .synapses = {.tau_ms = {5.0, 5.0}}};
  REQUIRE(Model::make(good, 0.1).ok());
  const auto refused = [&](auto member, double value, Error error, const char* name) {
    Model::Parameters given = good;
    given.adaptation.*member = value;
    const Status status = Model::make(given, 0.1).status();
    INFO(name << " = " << value);
    CHECK(status == Status{error, 0, value, name});
  };
  using Given = adaptation::Calcium::Parameters;
  const double none = std::nan(""), infinite = HUGE_VAL;
  refused(&Given::tau_ms, 0.1, Error::time_constant_too_short, "adaptation.tau_ms");
  refused(&Given::tau_ms, 2e6, Error::time_constant_too_long, "adaptation.tau_ms");
  refused(&Given::tau_ms, -1, Error::parameter_not_positive, "adaptation.tau_ms");
  for (const double wrong : {none, infinite, -infinite, 1e6, -1e6, 1e-12})
    refused(&Given::rise, wrong, Error::parameter_out_of_range, "adaptation.rise");
  for (const double wrong : {none, infinite, -infinite, 1e6, -1e6})
    refused(&Given::initial, wrong, Error::parameter_out_of_range, "adaptation.initial");
  good.adaptation.rise = 0; // and that is none that was lost
  CHECK(Model::make(good, 0.1).ok());
  good.adaptation.rise = 0.1;
  Model::Parameters slow{.membrane = {.tau_ms = 9.9e5, .r_mohm = 1e-4, .v_rest_mv = 200.0},
                         .synapses = {.tau_ms = {5.0, 5.0}}};
  CHECK(Model::make(slow, 0.1).status().parameter == std::string("adaptation"));
  refused(&Given::g_na, 0, Error::parameter_not_positive, "adaptation.g_na");
  refused(&Given::g_na, none, Error::parameter_out_of_range, "adaptation.g_na");
}

TEST_CASE("adaptation: a rise of each neuron, where its scale is that of the population", "[kernels][adaptation]") {
  using Part = PerNeuron<adaptation::SpikeTriggered, &adaptation::SpikeTriggered::Constants<std::int32_t>::rise>;
  using Model = Neuron<membrane::Lif, synapse::Difference, Part>;
  Model::Parameters given{.membrane = {.r_mohm = 40.0}};
  Population<Model, 19> all(Model::make(given, 0.1).value());
  for (std::size_t neuron = 0; neuron < 19; ++neuron) {
    given.adaptation.rise = 0.01 * static_cast<double>(neuron + 1);
    REQUIRE(all.set(neuron, given).ok());
    all.words(place_of<Model>.membrane.v)[neuron] = neuron % 3 == 0 ? -(60 << 22) : 1 << 22;
  }
  std::array<std::array<std::int32_t, 19>, 2> sums{};
  CHECK(all.step(std::array{sums[0].data(), sums[1].data()}, 1).size() == 12);
  for (std::size_t neuron = 0; neuron < 19; ++neuron)
    CHECK(std::fabs(all.value(place_of<Model>.adaptation.trace, neuron) -
                    (neuron % 3 == 0 ? 0.0 : 0.01 * static_cast<double>(neuron + 1))) < 1e-7);
  given.membrane.v_rest_mv = 150.0; // leaves half of the room
  CHECK(all.set(0, given).error == Error::parameters_contradict);
}

TEST_CASE("adaptation: what is not given", "[kernels][adaptation]") {
  const adaptation::SpikeTriggered::Parameters current;
  CHECK((current.tau_ms == 100 && current.rise == 0.1 && current.initial == 0));
  const adaptation::Calcium::Parameters calcium;
  CHECK((calcium.tau_ms == 100 && calcium.rise == 0.1 && calcium.g_na == 1 && calcium.initial == 0));
}
