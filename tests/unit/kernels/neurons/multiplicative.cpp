// SPDX-License-Identifier: BSL-1.0
// Two currents of which one gates the other, beside the same in double and a reference at a hundredth of the step.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include <neuromorph/kernels/neurons/inputs/multiplicative.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/synapse_types/alpha.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/neuron_runs.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

template <class Rounding>
using Detector =
    Neuron<membrane::Lif, synapse::Exponential<2>, input::Multiplicative<>, refractory::InMembrane, Rounding>;

} // namespace

TEMPLATE_TEST_CASE("multiplicative: the membrane follows its equation", "[kernels][neuron]", rounding::Down,
                   rounding::Nearest) {
  using Model = Detector<TestType>;
  double worst_rounding = 0.0, worst_solver = 0.0;
  for (const std::uint32_t seed : Seeds(50)) {
    INFO("seed " << seed);
    NeuronDraw draw(seed);
    constexpr std::array<double, 3> steps{0.1, 0.5, 1.0};
    const double h = steps[draw.below(3)], tau = draw.log_between(5.0, 50.0), c = draw.log_between(0.1, 1.0);
    const std::array<double, 2> tau_syn{draw.log_between(3.0, 30.0), draw.log_between(3.0, 30.0)};
    const double gain = draw.between(-1.0, 1.0) * c / tau * 30.0;
    std::array<ReceptorWeights, 2> weights{};
    weights.fill({.largest = 0.2});
    const auto result = Model::make(
        {.membrane = {.tau_ms = tau, .c_nf = c}, .synapses = {tau_syn, weights}, .input = {gain}, .threshold = {180.0}},
        h);
    INFO((result ? "" : result.status().parameter));
    REQUIRE(result.ok());
    const auto& made = result.value();
    NeuronColumns<Model> columns(1, made);
    double method = -65.0;
    std::array<double, 3> exact{-65.0, 0.0, 0.0};
    std::array<double, 2> psp{};
    for (std::uint32_t step = 0; step < 3000; ++step) {
      std::array<double, 2> arriving{};
      for (std::size_t which = 0; which < 2; ++which)
        if (draw.below(20) == 0) {
          const auto units = Model::weight(made, static_cast<std::uint32_t>(which), draw.between(0.005, 0.1)).value();
          columns.input[which][0] = static_cast<std::int32_t>(units);
          arriving[which] = units / made.units[which];
        }
      REQUIRE(columns.step(step).spikes == 0);
      double flow = gain;
      for (std::size_t which = 0; which < 2; ++which) {
        const double ratio = h / tau_syn[which];
        flow *= psp[which] * -std::expm1(-ratio) / ratio;
        psp[which] = psp[which] * std::exp(-ratio) + arriving[which];
      }
      const double rest = -65.0 + tau / c * flow;
      method = rest + (method - rest) * std::exp(-h / tau);
      for (int part = 0; part < 100; ++part)
        exact = runge_kutta(exact, h / 100, [&](const std::array<double, 3>& at) {
          return std::array<double, 3>{(-65.0 - at[0]) / tau + gain * at[1] * at[2] / c, -at[1] / tau_syn[0],
                                       -at[2] / tau_syn[1]};
        });
      exact[1] += arriving[0], exact[2] += arriving[1];
      worst_rounding = std::max(worst_rounding, std::fabs(value_of(columns, made, 0) - method));
      worst_solver = std::max(worst_solver, std::fabs(method - exact[0]));
    }
    CHECK(columns.saturations == 0);
  }
  std::printf("multiplicative: error of rounding up to %.1e mV, of the method %.1e mV\n", worst_rounding, worst_solver);
  CHECK(worst_rounding < 2e-2);
  CHECK(worst_solver < 0.5);
}

TEST_CASE("multiplicative: currents that rise and decay", "[kernels][neuron]") {
  using Model = Neuron<membrane::Lif, synapse::Alpha<2>, input::Multiplicative<>, rounding::Nearest>;
  const double h = 0.1, tau = 20.0, c = 0.25;
  const std::array<double, 2> tau_syn{15.0, 4.0};
  double worst = 0.0, highest = -65.0;
  for (const std::uint32_t seed : Seeds(20)) {
    INFO("seed " << seed);
    NeuronDraw draw(seed);
    std::array<ReceptorWeights, 2> weights{};
    weights.fill({.largest = 0.2});
    const auto made = Model::make({.membrane = {.tau_ms = tau, .c_nf = c},
                                   .synapses = {tau_syn, weights},
                                   .input = {0.35},
                                   .threshold = {180.0}},
                                  h)
                          .value();
    NeuronColumns<Model> columns(1, made);
    std::array<double, 5> exact{-65.0}; // the membrane, the currents, what feeds them
    for (std::uint32_t step = 0; step < 3000; ++step) {
      std::array<double, 2> arriving{};
      for (std::size_t which = 0; which < 2; ++which)
        if (draw.below(50) == 0) {
          const auto units = Model::weight(made, static_cast<std::uint32_t>(which), draw.between(0.01, 0.1)).value();
          columns.input[which][0] = static_cast<std::int32_t>(units);
          arriving[which] = units / made.units[which] * std::exp(1.0) / tau_syn[which];
        }
      REQUIRE(columns.step(step).spikes == 0);
      for (int part = 0; part < 10; ++part)
        exact = runge_kutta(exact, h / 10, [&](const std::array<double, 5>& at) {
          return std::array<double, 5>{(-65.0 - at[0]) / tau + 0.35 * at[1] * at[2] / c, at[3] - at[1] / tau_syn[0],
                                       at[4] - at[2] / tau_syn[1], -at[3] / tau_syn[0], -at[4] / tau_syn[1]};
        });
      exact[3] += arriving[0], exact[4] += arriving[1];
      worst = std::max(worst, std::fabs(value_of(columns, made, 0) - exact[0]));
      highest = std::max(highest, exact[0]);
    }
    CHECK(columns.saturations == 0);
  }
  std::printf("multiplicative, alpha: off by up to %.1e mV, on the way to %.1f mV\n", worst, highest);
  CHECK(worst < 2e-2);
  CHECK(highest > -62.0);
}

TEST_CASE("multiplicative: neither current does anything alone; ranges are held and proved", "[kernels][neuron]") {
  using Model = Detector<rounding::Nearest>;
  std::array<ReceptorWeights, 2> weights{};
  weights.fill({.largest = 0.2});
  const auto with = [&](double gain) {
    return Model::make({.membrane = {.c_nf = 0.25}, .synapses = {{10.0, 10.0}, weights}, .input = {gain}}, 1.0);
  };
  const auto made = with(1.0).value();
  const auto spikes_after = [&](std::uint32_t delay, bool facilitates, bool triggers) {
    NeuronColumns<Model> columns(1, made);
    std::uint32_t spikes = 0;
    for (std::uint32_t step = 0; step < 200; ++step) {
      if (facilitates && step == 10)
        columns.input[0][0] = static_cast<std::int32_t>(8 * Model::weight(made, 0, 0.2).value());
      if (triggers && step == 10 + delay)
        columns.input[1][0] = static_cast<std::int32_t>(8 * Model::weight(made, 1, 0.2).value());
      spikes += columns.step(step).spikes;
    }
    return spikes;
  };
  CHECK(spikes_after(0, true, false) == 0);
  CHECK(spikes_after(0, false, true) == 0);
  CHECK(spikes_after(0, true, true) > spikes_after(8, true, true));
  CHECK(spikes_after(2, true, true) > 0);
  CHECK(spikes_after(60, true, true) == 0);

  for (const double gain : {-3.0, 3.0}) {
    const auto most = with(gain);
    if (!most) continue;
    NeuronColumns<Model> columns(1, most.value());
    for (std::uint32_t step = 0; step < 2000; ++step) {
      for (auto& input : columns.input) input[0] = 1 << 29;
      (void)columns.step(step);
      REQUIRE((gain > 0.0 || columns.words[0][0] < 0));
    }
    CHECK(columns.saturations > 1000);
  }
  CHECK(std::string(with(100.0).status().parameter) == "input.gain_per_na");
  CHECK(std::string(with(std::nan("")).status().parameter) == "input.gain_per_na");
  weights[1].largest = 1.5;
  CHECK(std::string(with(1.0).status().parameter) == "synapses.weights");
}
