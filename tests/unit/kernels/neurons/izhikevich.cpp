// SPDX-License-Identifier: BSL-1.0
// Izhikevich's neuron by its two methods, beside the same in double and a reference at a hundredth of the step.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/neuron_runs.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

template <class Method>
using Model = Neuron<membrane::IzhikevichBy<Method>, synapse::Exponential<2>, rounding::Nearest>;

struct Cell {
  double a = 0.02, b = 0.2, c = -65.0, d = 8.0, i = 0.0, dt = 0.1;
};
using State = std::array<double, 2>;

State slope(const Cell& cell, const State& at, double flow) {
  return {(0.04 * at[0] + 5) * at[0] + 140 - at[1] + flow, cell.a * (cell.b * at[0] - at[1])};
}
State capped(const State& at) { return {std::min(at[0], 30.0), at[1]}; }

/// The fourth order in double; what a step comes to within it ends at the peak.
State classical(const Cell& cell, const State& at, double flow) {
  return runge_kutta(at, cell.dt, [&](const State& within) { return slope(cell, capped(within), flow); });
}
State midpoint(const Cell& cell, const State& at, double flow) {
  State half = slope(cell, at, flow);
  half = {std::min(at[0] + cell.dt / 2 * half[0], 286.0), at[1] + cell.dt / 2 * half[1]};
  const State whole = slope(cell, half, flow);
  return {at[0] + cell.dt * whole[0], at[1] + cell.dt * whole[1]};
}
/// Many short steps, more in the upswing; a spike takes effect at the end.
State exactly(const Cell& cell, State at, double flow) {
  const int parts = at[0] < -50.0 ? 20 : 100;
  Cell part = cell;
  part.dt = cell.dt / parts;
  bool fired = false;
  for (int k = 0; k < parts; ++k) {
    at = classical(part, at, flow);
    fired = fired || at[0] >= 30.0;
    if (fired) at[0] = 30.0;
  }
  return at;
}
template <class Method>
State by(const Cell& cell, const State& at, double flow) {
  return std::is_same_v<Method, method::Midpoint> ? midpoint(cell, at, flow) : classical(cell, at, flow);
}

template <class Method>
auto make(const Cell& cell) {
  std::array<ReceptorWeights, 2> weights{};
  weights.fill({.largest = 4.0});
  return Model<Method>::make({.membrane = {.a = cell.a, .b = cell.b, .d = cell.d, .i_offset = cell.i},
                              .synapses = {{5.0, 10.0}, weights},
                              .threshold = {30.0},
                              .reset = {cell.c}},
                             cell.dt)
      .value();
}

} // namespace

TEMPLATE_TEST_CASE("izhikevich: a step is that of the method", "[kernels][neuron]", method::Midpoint,
                   method::RungeKutta4) {
  double rounding = 0.0, solver = 0.0, upswing = 0.0;
  for (const std::uint32_t seed : Seeds(sanitized ? 300 : 3000)) {
    INFO("seed " << seed);
    NeuronDraw draw(seed);
    constexpr std::array<double, 3> steps{0.1, 0.5, 1.0};
    const Cell cell{.a = draw.log_between(0.005, 0.2),
                    .b = draw.between(-0.3, 0.3),
                    .d = draw.between(0.0, 10.0),
                    .i = draw.between(-20.0, 30.0),
                    .dt = steps[draw.below(3)]};
    const auto made = make<TestType>(cell);
    NeuronColumns<Model<TestType>> columns(1, made);
    columns.words[0][0] =
        -1 - static_cast<std::int32_t>(draw.between(0.0, 120.0 / made.quantities.membrane.v.per_unit));
    columns.words[1][0] = static_cast<std::int32_t>(draw.between(-20.0, 20.0) / made.quantities.membrane.u.per_unit);
    const State at{value_of(columns, made, 0), value_of(columns, made, 1)};
    const State method = by<TestType>(cell, at, cell.i), exact = exactly(cell, at, cell.i);
    const bool fires = method[0] >= 30.0;
    if ((columns.step(1).spikes != 0) != fires) {
      CHECK(std::fabs(method[0] - 30.0) < 1e-3);
      continue;
    }
    if (fires || method[0] < -190.0) continue;
    const double error = std::fabs(value_of(columns, made, 0) - method[0]);
    REQUIRE(error < 2e-4);
    REQUIRE(std::fabs(value_of(columns, made, 1) - method[1]) * cell.dt < 2e-6);
    rounding = std::max(rounding, error);
    (at[0] < -50.0 && exact[0] < -45.0 && cell.dt < 0.2 ? solver : upswing) = std::max(
        at[0] < -50.0 && exact[0] < -45.0 && cell.dt < 0.2 ? solver : upswing, std::fabs(method[0] - exact[0]));
  }
  std::printf("izhikevich: one step's error of rounding up to %.1e mV, of the method %.1e mV (0.1 ms, below -50 mV), "
              "%.1e mV anywhere\n",
              rounding, solver, upswing);
}

TEMPLATE_TEST_CASE("izhikevich: spikes beside the reference", "[kernels][neuron]", method::Midpoint,
                   method::RungeKutta4) {
  const struct {
    const char* name;
    Cell cell;
    std::size_t least;
  } cases[] = {{"regular spiking, 10 mV/ms", {.i = 10.0}, 20},
               {"regular spiking, 7 mV/ms", {.i = 7.0}, 0},
               {"fast spiking, 10 mV/ms", {.a = 0.1, .d = 2.0, .i = 10.0}, 0},
               {"chattering, 10 mV/ms", {.c = -50.0, .d = 2.0, .i = 10.0}, 0}};
  for (const auto& one : cases) {
    const auto made = make<TestType>(one.cell);
    NeuronColumns<Model<TestType>> columns(1, made);
    State method{-65.0, -13.0}, exact = method;
    std::vector<std::uint32_t> fixed_at, method_at, exact_at;
    const auto fire = [&](State& state, std::vector<std::uint32_t>& at, std::uint32_t step) {
      if (state[0] >= 30.0) state[0] = one.cell.c, state[1] += one.cell.d, at.push_back(step);
    };
    for (std::uint32_t step = 0; step < 100000; ++step) {
      if (columns.step(step).spikes != 0) fixed_at.push_back(step);
      fire(method = by<TestType>(one.cell, method, one.cell.i), method_at, step);
      fire(exact = exactly(one.cell, exact, one.cell.i), exact_at, step);
    }
    const auto same = [](const auto& a, const auto& b) {
      std::size_t count = 0;
      while (count < std::min(a.size(), b.size()) && a[count] == b[count]) ++count;
      return count;
    };
    std::printf(
        "izhikevich, %s: %zu spikes, the reference %zu; %zu on its step before one is not, %zu on that of the method "
        "in double; the 20th %d steps late\n",
        one.name, fixed_at.size(), exact_at.size(), same(fixed_at, exact_at), same(fixed_at, method_at),
        static_cast<int>(fixed_at[19]) - static_cast<int>(exact_at[19]));
    CHECK(same(fixed_at, exact_at) >= one.least);
    CHECK(std::fabs(static_cast<double>(fixed_at.size()) - static_cast<double>(exact_at.size())) <=
          std::max(1.0, 0.01 * static_cast<double>(exact_at.size())));
  }
}

TEMPLATE_TEST_CASE("izhikevich: spike counts under Poisson input are those of the reference", "[kernels][neuron]",
                   method::Midpoint, method::RungeKutta4) {
  for (const std::uint32_t seed : Seeds(1)) {
    INFO("seed " << seed);
    NeuronDraw draw(seed);
    const Cell cell{.i = 3.0};
    const auto made = make<TestType>(cell);
    NeuronColumns<Model<TestType>> columns(1, made);
    State exact{-65.0, -13.0};
    std::array<double, 2> psp{};
    std::size_t fixed_count = 0, exact_count = 0;
    for (std::uint32_t step = 0; step < (sanitized ? 10000U : 300000U); ++step) {
      exact = exactly(cell, exact, cell.i + psp[0] * -std::expm1(-0.02) / 0.02 - psp[1] * -std::expm1(-0.01) / 0.01);
      if (exact[0] >= 30.0) exact[0] = cell.c, exact[1] += cell.d, ++exact_count;
      psp[0] *= std::exp(-0.02), psp[1] *= std::exp(-0.01);
      for (std::size_t which = 0; which < 2; ++which)
        for (int event = draw.events(which == 0 ? 0.1 : 0.02); event > 0; --event) {
          const auto units = Model<TestType>::weight(made, static_cast<std::uint32_t>(which), 1.0).value();
          columns.input[which][0] += static_cast<std::int32_t>(units);
          psp[which] += units / made.units[which];
        }
      fixed_count += columns.step(step).spikes;
    }
    std::printf("izhikevich, Poisson input: %zu spikes, the reference %zu\n", fixed_count, exact_count);
    CHECK(exact_count > (sanitized ? 5 : 200));
    CHECK(std::fabs(static_cast<double>(fixed_count) - static_cast<double>(exact_count)) <=
          std::max(1.0, 0.01 * static_cast<double>(exact_count)));
    CHECK(columns.saturations == 0);
  }
}
