// SPDX-License-Identifier: BSL-1.0
// Neurons with synaptic conductances, beside the same method in double and a reference at a hundredth of the step.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <neuromorph/kernels/neurons/inputs/conductance.hpp>
#include <neuromorph/kernels/neurons/membranes/lif_conductance.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/neuron_runs.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

template <class Rounding, int Doublings = 1>
using Leaky = Neuron<membrane::LifConductance<Doublings>, synapse::Exponential<2>, input::Conductance<2>,
                     refractory::InMembrane, Rounding>;

struct Cell {
  double dt = 0.1, tau = 20.0, c = 0.25, rest = -65.0, threshold = -50.0, reset = -65.0, refractory = 2.0, i = 0.0;
  std::array<double, 2> tau_syn{5.0, 10.0}, reversal{0.0, -80.0};
  std::array<ReceptorWeights, 2> weights{};
};

template <class Model>
typename Model::Parameters parameters_of(const Cell& cell) {
  return {.membrane = {.tau_ms = cell.tau,
                       .c_nf = cell.c,
                       .v_rest_mv = cell.rest,
                       .i_offset_na = cell.i,
                       .v_initial_mv = cell.rest < cell.threshold ? cell.rest : cell.reset},
          .synapses = {cell.tau_syn, cell.weights},
          .input = {cell.reversal},
          .threshold = {cell.threshold},
          .reset = {cell.reset},
          .refractory = {cell.refractory}};
}

/// A membrane in double: by the method, or by many short steps.
struct Reference {
  explicit Reference(const Cell& of, double start) : cell(of), v(start) {}
  void integrate() {
    const double h = cell.dt;
    if (is_exact) {
      std::array<double, 3> y{v, g[0], g[1]};
      for (int part = 0; part < 100; ++part)
        y = runge_kutta(y, h / 100, [&](const std::array<double, 3>& at) {
          return std::array<double, 3>{
              (cell.rest - at[0]) / cell.tau +
                  (cell.i + at[1] * (cell.reversal[0] - at[0]) + at[2] * (cell.reversal[1] - at[0])) / cell.c,
              -at[1] / cell.tau_syn[0], -at[2] / cell.tau_syn[1]};
        });
      v = y[0];
    } else {
      double rate = h / cell.tau, change = (cell.rest - v) * rate + cell.i * h / cell.c;
      for (std::size_t which = 0; which < 2; ++which) {
        const double ratio = h / cell.tau_syn[which], mean = h / cell.c * g[which] * -std::expm1(-ratio) / ratio;
        rate += mean, change += mean * (cell.reversal[which] - v);
      }
      v += change * -std::expm1(-rate) / rate;
    }
  }
  /// Returns whether it fired.
  bool step(const std::array<double, 2>& arriving) {
    const double before = v;
    integrate();
    for (std::size_t which = 0; which < 2; ++which)
      g[which] = g[which] * std::exp(-cell.dt / cell.tau_syn[which]) + arriving[which];
    if (left > 0) return --left, v = cell.reset, false;
    (void)before;
    if (v < cell.threshold) return false;
    v = cell.reset, left = static_cast<int>(std::lround(cell.refractory / cell.dt));
    return true;
  }
  Cell cell;
  double v;
  std::array<double, 2> g{};
  int left = 0;
  bool is_exact = false;
};

/// A cell anywhere in the legal range; `load` is the mean rate of its conductances in a step.
Cell drawn_cell(NeuronDraw& draw, double& load) {
  Cell cell;
  constexpr std::array<double, 5> steps{0.01, 0.1, 0.25, 1.0, 2.0};
  cell.dt = steps[draw.below(steps.size())];
  const auto tau = [&] {
    return draw.below(8) == 0 ? 2.0 * cell.dt
                              : draw.log_between(2.0 * cell.dt, draw.below(4) == 0 ? 3000 * cell.dt : 60.0);
  };
  cell.tau = tau(), cell.tau_syn = {tau(), tau()};
  cell.c = draw.log_between(0.01, 10.0);
  cell.threshold = draw.between(-60.0, 0.0);
  const auto near = [&](double far) {
    return cell.threshold + (draw.below(8) == 0 ? (draw.below(2) == 0 ? far : -far) : draw.between(-far, far));
  };
  cell.rest = near(149.9);
  cell.reset = std::min(near(149.9), cell.threshold - 0.5);
  cell.reversal = {near(149.9), near(149.9)};
  load = draw.log_between(0.001, 1.5);
  for (std::size_t which = 0; which < 2; ++which) {
    // events of half the largest weight, so that the mean conductance is half the load
    auto& weights = cell.weights[which];
    const double events = draw.log_between(0.05, 20.0), kept = std::exp(-cell.dt / cell.tau_syn[which]);
    weights.rate_hz = 1000.0 * events / cell.dt / 100.0, weights.fan_in = 100.0;
    weights.largest = load * (1.0 - kept) / events * cell.c / cell.dt;
  }
  return cell;
}

struct Errors {
  double solver = 0.0, rounding = 0.0;
};

} // namespace

TEMPLATE_TEST_CASE("conductance: a membrane follows its equation", "[kernels][neuron]", rounding::Down,
                   rounding::Nearest, rounding::Stochastic) {
  // Threshold off: what would fire is put back in all three.
  using Model = Leaky<TestType>;
  double worst_rounding = 0.0, worst_solver = 0.0, mean_solver = 0.0;
  std::uint32_t made_cells = 0, saturations = 0, spikes = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 30 : 200)) {
    INFO("seed " << seed);
    NeuronDraw draw(seed);
    double load = 0.0;
    const Cell cell = drawn_cell(draw, load);
    const auto result = Model::make(parameters_of<Model>(cell), cell.dt);
    if (!result) {
      INFO(result.status().parameter);
      CHECK(std::string(result.status().parameter) == "synapses.weights");
      continue;
    }
    ++made_cells;
    const auto& made = result.value();
    NeuronColumns<Model> columns(1, made);
    const double start = value_of(columns, made, 0);
    Reference method(cell, start), exact(cell, start);
    exact.is_exact = true;
    Errors worst;
    const double range = std::max({std::fabs(cell.rest - cell.threshold), std::fabs(cell.reversal[0] - cell.threshold),
                                   std::fabs(cell.reversal[1] - cell.threshold), 10.0});
    for (std::uint32_t step = 0; step < 2000; ++step) {
      std::array<double, 2> arriving{};
      for (std::size_t which = 0; which < 2; ++which) {
        const auto& weights = cell.weights[which];
        const int events = draw.events(weights.rate_hz * weights.fan_in * cell.dt / 1000.0);
        for (int event = 0; event < events; ++event) {
          const auto units =
              Model::weight(made, static_cast<std::uint32_t>(which), draw.between(0.1, 0.9) * weights.largest).value();
          columns.input[which][0] += static_cast<std::int32_t>(units);
          arriving[which] += units / made.units[which];
        }
      }
      spikes += columns.step(step).spikes;
      const bool fired = method.step(arriving);
      (void)exact.step(arriving);
      // a spike of one puts all of them to the same place
      if (fired || columns.words[0][0] >= 0 || exact.left != method.left) {
        columns.words[0][0] = made.constants.reset.v;
        method.v = exact.v = value_of(columns, made, 0);
        method.left = exact.left = 0;
        continue;
      }
      worst.rounding = std::max(worst.rounding, std::fabs(value_of(columns, made, 0) - method.v));
      worst.solver = std::max(worst.solver, std::fabs(method.v - exact.v));
    }
    saturations += columns.saturations;
    worst_rounding = std::max(worst_rounding, worst.rounding / range);
    worst_solver = std::max(worst_solver, worst.solver / range);
    mean_solver += worst.solver / range;
    if (std::getenv("SHOW"))
      std::printf("seed %u dt %.2f tau %.2f load %.3f d %d: rounding %.2e solver %.2e sat %u\n", seed, cell.dt,
                  cell.tau, load, 1, worst.rounding / range, worst.solver / range, columns.saturations);
  }
  std::printf(
      "conductance: %u cells, %u spikes: worst error of rounding %.1e, of the method %.1e (mean of cells %.1e), as "
      "shares of the farthest potential; %u sums were held\n",
      made_cells, spikes, worst_rounding, worst_solver, mean_solver / made_cells, saturations);
  CHECK(made_cells > (sanitized ? 15U : 100U));
}
