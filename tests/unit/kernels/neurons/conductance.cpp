// SPDX-License-Identifier: BSL-1.0
// Neurons with synaptic conductances, beside the same method in double and a reference at a hundredth of the step.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <neuromorph/kernels/neurons/inputs/conductance.hpp>
#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/membranes/lif_conductance.hpp>
#include <neuromorph/kernels/neurons/models/pynn.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/synapse_types/alpha.hpp>
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
template <class Rounding, int Doublings = 1>
using LeakyAlpha = Neuron<membrane::LifConductance<Doublings>, synapse::Alpha<2>, input::Conductance<2>,
                          refractory::InMembrane, Rounding>;
template <class Model>
constexpr bool is_alpha = std::is_same_v<typename Model::Synapses, synapse::Alpha<2>>;
template <class Model>
constexpr const char* shape = is_alpha<Model> ? "alpha" : "exponential";

struct Cell {
  double dt = 0.1, tau = 20.0, c = 0.25, rest = -65.0, threshold = -50.0, reset = -65.0, refractory = 2.0, i = 0.0;
  std::array<double, 2> tau_syn{5.0, 10.0}, reversal{0.0, -80.0};
  std::array<ReceptorWeights, 2> weights{};
  bool is_alpha = false; ///< its conductances rise and decay
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
      std::array<double, 5> y{v, g[0], g[1], feed[0], feed[1]};
      constexpr int parts = sanitized ? 10 : 20; // the fourth order, of rates below 1 in a step, in nine digits
      for (int part = 0; part < parts; ++part)
        y = runge_kutta(y, h / parts, [&](const std::array<double, 5>& at) {
          return std::array<double, 5>{
              (cell.rest - at[0]) / cell.tau +
                  (cell.i + at[1] * (cell.reversal[0] - at[0]) + at[2] * (cell.reversal[1] - at[0])) / cell.c,
              at[3] - at[1] / cell.tau_syn[0], at[4] - at[2] / cell.tau_syn[1], -at[3] / cell.tau_syn[0],
              -at[4] / cell.tau_syn[1]};
        });
      v = y[0];
    } else {
      double rate = h / cell.tau, change = (cell.rest - v) * rate + cell.i * h / cell.c;
      for (std::size_t which = 0; which < 2; ++which) {
        const double tau = cell.tau_syn[which], ratio = h / tau;
        const double risen = feed[which] * tau * (-std::expm1(-ratio) - ratio * std::exp(-ratio)) / ratio;
        const double mean = h / cell.c * (g[which] * -std::expm1(-ratio) / ratio + risen);
        rate += mean, change += mean * (cell.reversal[which] - v);
      }
      v += change * -std::expm1(-rate) / rate;
    }
  }
  /// Returns whether it fired.
  bool step(const std::array<double, 2>& arriving) {
    integrate();
    for (std::size_t which = 0; which < 2; ++which) {
      const double tau = cell.tau_syn[which], kept = std::exp(-cell.dt / tau);
      g[which] = (g[which] + cell.dt * feed[which]) * kept;
      feed[which] *= kept;
      (cell.is_alpha ? feed : g)[which] += arriving[which] * (cell.is_alpha ? std::exp(1.0) / tau : 1.0);
    }
    if (left > 0) return --left, v = cell.reset, false;
    if (v < cell.threshold) return false;
    v = cell.reset, left = static_cast<int>(std::lround(cell.refractory / cell.dt));
    return true;
  }
  Cell cell;
  double v;
  std::array<double, 2> g{}, feed{}; ///< g' = -g/tau + feed, feed' = -feed/tau
  int left = 0;
  bool is_exact = false;
};

/// A cell anywhere in the legal range; `load` is the mean rate of its conductances in a step.
Cell drawn_cell(NeuronDraw& draw, bool is_alpha, double& load) {
  Cell cell{.is_alpha = is_alpha};
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
    weights.largest = load * (1.0 - kept) / events * cell.c / cell.dt / (is_alpha ? std::exp(1.0) : 1.0);
  }
  return cell;
}

struct Errors {
  double solver = 0.0, rounding = 0.0;
};

} // namespace

TEMPLATE_TEST_CASE("conductance: a membrane follows its equation", "[kernels][neuron]", Leaky<rounding::Down>,
                   Leaky<rounding::Nearest>, Leaky<rounding::Stochastic>, LeakyAlpha<rounding::Down>,
                   LeakyAlpha<rounding::Nearest>, LeakyAlpha<rounding::Stochastic>) {
  // Threshold off: what would fire is put back in all three.
  using Model = TestType;
  double worst_rounding = 0.0, worst_solver = 0.0, mean_solver = 0.0;
  std::uint32_t made_cells = 0, saturations = 0, spikes = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 30 : is_alpha<Model> ? 100 : 200)) {
    INFO("seed " << seed);
    NeuronDraw draw(seed);
    double load = 0.0;
    const Cell cell = drawn_cell(draw, is_alpha<Model>, load);
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
  }
  std::printf(
      "conductance, %s: %u cells, %u spikes: worst error of rounding %.1e, of the method %.1e (mean of cells %.1e), as "
      "shares of the farthest potential; %u sums were held\n",
      shape<Model>, made_cells, spikes, worst_rounding, worst_solver, mean_solver / made_cells, saturations);
  // a psp that is fed loses up to half of its time constant in steps, in its units
  CHECK(worst_rounding < (is_alpha<Model> ? 2.5e-4 : 1.5e-4));
  CHECK(worst_solver < 5e-3);
  CHECK(saturations == 0);
  CHECK(made_cells > (sanitized ? 15U : 50U));
}

namespace {

struct Counts {
  std::vector<std::uint32_t> fixed, method, exact;
  std::uint32_t saturations = 0;
};

template <class Model>
Counts run(Cell cell, std::uint32_t steps, auto events) {
  if constexpr (is_alpha<Model>) {
    cell.is_alpha = true;
    for (auto& weights : cell.weights) weights.largest /= std::exp(1.0); // as much in all
  }
  const auto made = Model::make(parameters_of<Model>(cell), cell.dt).value();
  NeuronColumns<Model> columns(1, made);
  Reference method(cell, cell.rest), exact(cell, cell.rest);
  exact.is_exact = true;
  Counts counts;
  for (std::uint32_t step = 0; step < steps; ++step) {
    const std::array<std::uint32_t, 2> arriving = events(step);
    std::array<double, 2> conductance{};
    for (std::size_t which = 0; which < 2; ++which) {
      const auto units =
          Model::weight(made, static_cast<std::uint32_t>(which), 0.5 * cell.weights[which].largest).value();
      columns.input[which][0] = static_cast<std::int32_t>(arriving[which] * units);
      conductance[which] = arriving[which] * (units / made.units[which]);
    }
    if (columns.step(step).spikes != 0) counts.fixed.push_back(step);
    if (method.step(conductance)) counts.method.push_back(step);
    if (exact.step(conductance)) counts.exact.push_back(step);
  }
  counts.saturations = columns.saturations;
  return counts;
}

std::size_t same(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::size_t count = 0;
  while (count < std::min(a.size(), b.size()) && a[count] == b[count]) ++count;
  return count;
}

/// The cell of the COBA benchmark.
Cell coba(double dt) {
  Cell cell{.dt = dt, .tau = 20.0, .c = 0.2, .rest = -60.0, .threshold = -50.0, .reset = -60.0, .refractory = 5.0};
  cell.weights = {ReceptorWeights{.largest = 0.012}, ReceptorWeights{.largest = 0.134}};
  return cell;
}

} // namespace

TEMPLATE_TEST_CASE("conductance: the first spikes fall on the steps of the reference", "[kernels][neuron]",
                   (Leaky<rounding::Down, 3>), (Leaky<rounding::Nearest, 3>), (LeakyAlpha<rounding::Nearest, 3>)) {
  for (const double dt : {0.1, 0.5, 1.0})
    for (const double i : {0.0, 0.15}) {
      Cell cell = coba(dt);
      cell.i = i;
      const auto every = [&](double ms) { return static_cast<std::uint32_t>(ms / dt); };
      const auto counts = run<TestType>(cell, every(4000.0), [&](std::uint32_t step) {
        return std::array<std::uint32_t, 2>{step % every(5.0) == 0 ? 7U : 0U, step % every(17.0) == 0 ? 1U : 0U};
      });
      std::printf(
          "conductance, %s, step %.1f ms, %.2f nA: %zu of %zu spikes on the reference's step before one is not, %zu on "
          "that of the method in double\n",
          shape<TestType>, dt, i, same(counts.fixed, counts.exact), counts.exact.size(),
          same(counts.fixed, counts.method));
      // the method, not its rounding, is a step off where the steps are long and no event sets the pace
      CHECK(same(counts.fixed, counts.exact) >= (dt > 0.5 && i > 0.0 ? 0U : 20U));
      CHECK(same(counts.fixed, counts.method) >= 20);
      CHECK(counts.fixed.size() == counts.exact.size());
      CHECK(counts.saturations == 0);
    }
}

TEMPLATE_TEST_CASE("conductance: spike counts under Poisson input are those of the reference", "[kernels][neuron]",
                   (Leaky<rounding::Down, 3>), (Leaky<rounding::Nearest, 3>), (LeakyAlpha<rounding::Nearest, 3>),
                   pynn::IfCondAlpha) {
  for (const std::uint32_t seed : Seeds(1)) {
    INFO("seed " << seed);
    for (const double dt : {0.1, 1.0}) {
      if (TestType::Membrane::rate_doublings < 3 && dt > 0.5) continue; // refused: weights too large for the step
      NeuronDraw draw(seed);
      const Cell cell = coba(dt);
      const auto counts =
          run<TestType>(cell, static_cast<std::uint32_t>((sanitized ? 4000.0 : 30000.0) / dt), [&](std::uint32_t) {
            return std::array<std::uint32_t, 2>{static_cast<std::uint32_t>(draw.events(1.0 * dt)),
                                                static_cast<std::uint32_t>(draw.events(0.05 * dt))};
          });
      std::printf(
          "conductance, %s, Poisson input, step %.1f ms: %zu spikes, the method in double %zu, the reference %zu\n",
          shape<TestType>, dt, counts.fixed.size(), counts.method.size(), counts.exact.size());
      const auto all = static_cast<double>(counts.exact.size());
      CHECK(all > (sanitized ? 20.0 : 200.0));
      CHECK(std::fabs(static_cast<double>(counts.fixed.size()) - all) <= std::max(1.0, 0.01 * all));
      CHECK(counts.saturations == 0);
    }
  }
}

TEMPLATE_TEST_CASE("conductance: what is held is counted, and no word leaves the membrane in another place",
                   "[kernels][neuron]", (Leaky<rounding::Down, 3>), (LeakyAlpha<rounding::Down, 3>)) {
  using Model = TestType;
  Cell cell = coba(1.0);
  cell.reversal = {99.0, -199.0}; // 149 mV from the threshold
  if constexpr (is_alpha<Model>)
    for (auto& weights : cell.weights) weights.largest /= std::exp(1.0);
  const auto made = Model::make(parameters_of<Model>(cell), cell.dt).value();
  constexpr std::size_t v = place_of<Model>.membrane.v;
  for (const std::uint32_t seed : Seeds(20)) {
    INFO("seed " << seed);
    NeuronDraw draw(seed);
    NeuronColumns<Model> columns(64, made);
    for (auto& word : columns.words[v]) word = -1 - static_cast<std::int32_t>(draw.below(0x7FFFFFFF)); // also far below
    for (std::uint32_t step = 0; step < 400; ++step) {
      for (std::size_t neuron = 0; neuron < 64; ++neuron)
        for (std::size_t which = 0; which < 2; ++which)
          columns.input[which][neuron] = draw.below(3) == 0 ? static_cast<std::int32_t>(draw.below(1U << 30)) : 0;
      (void)columns.step(step);
      for (std::size_t neuron = 0; neuron < 64; ++neuron) {
        const double mv = value_of(columns, made, v, neuron);
        const bool waits = columns.words[v][neuron] >= 0;
        REQUIRE((waits || (mv >= -256.0 + cell.threshold && mv < cell.threshold)));
      }
    }
    CHECK(columns.saturations > 1000);
    // with both psps at their ends the membrane is where they balance
    const double rate = cell.dt / cell.tau, full = 2.0; // of a receptor: 2^31 is 2^Doublings / 4
    const double balance = (rate * cell.rest + full * cell.reversal[0] + full * cell.reversal[1]) / (rate + 2 * full);
    NeuronColumns<Model> one(1, made);
    for (std::uint32_t step = 0; step < 40; ++step) {
      for (auto place : place_of<Model>.synapses) one.words[place][0] = INT32_MAX; // of alpha those that feed, too
      (void)one.step(step);
    }
    CHECK(std::fabs(value_of(one, made, v) - balance) < 0.01);
  }
}

TEST_CASE("conductance: Izhikevich's membrane takes them, and more receptors", "[kernels][neuron]") {
  // one step from any place, beside the same method in double: what flows is asked for at both potentials
  using Model = Neuron<membrane::Izhikevich, synapse::Exponential<3>, input::Conductance<3>, rounding::Nearest>;
  std::array<ReceptorWeights, 3> weights{};
  weights.fill({.largest = 0.1});
  const double dt = 0.1;
  const auto made = Model::make({.membrane = {},
                                 .synapses = {{5.0, 10.0, 50.0}, weights},
                                 .input = {{0.0, -80.0, -30.0}},
                                 .threshold = {30.0},
                                 .reset = {-65.0}},
                                dt)
                        .value();
  const std::array<double, 3> reversal{0.0, -80.0, -30.0}, tau{5.0, 10.0, 50.0};
  constexpr auto places = place_of<Model>;
  double worst = 0.0;
  for (const std::uint32_t seed : Seeds(1000)) {
    INFO("seed " << seed);
    NeuronDraw draw(seed);
    NeuronColumns<Model> columns(1, made);
    columns.words[places.membrane.v][0] = -1 - static_cast<std::int32_t>(draw.below(120U << 23));
    std::array<double, 3> mean{};
    for (std::size_t which = 0; which < 3; ++which) {
      columns.words[places.synapses[which]][0] = static_cast<std::int32_t>(draw.below(0x20000000));
      mean[which] = value_of(columns, made, places.synapses[which]) * -std::expm1(-dt / tau[which]) * tau[which] / dt;
    }
    const double v = value_of(columns, made, places.membrane.v), u = value_of(columns, made, places.membrane.u);
    const auto slope = [&](double at, double taken) {
      double sum = (0.04 * at + 5) * at + 140 - taken;
      for (std::size_t which = 0; which < 3; ++which) sum += mean[which] * (reversal[which] - at);
      return sum;
    };
    const double half = v + dt / 2 * slope(v, u), after = v + dt * slope(half, u + dt / 2 * 0.02 * (0.2 * v - u));
    if (columns.step(1).spikes != 0) {
      CHECK(after > 29.99);
      continue;
    }
    worst = std::max(worst, std::fabs(value_of(columns, made, places.membrane.v) - after));
  }
  std::printf("conductance: Izhikevich's membrane is off by %.1e mV in a step\n", worst);
  CHECK(worst < 1e-4);
}

TEST_CASE("conductance: constants are the same in constant expressions; what cannot be is refused",
          "[kernels][neuron]") {
  using Model = Leaky<rounding::Down>;
  static constexpr auto made =
      Model::make({.membrane = {.c_nf = 0.25},
                   .synapses = {{5.0, 10.0}, {ReceptorWeights{.largest = 0.05}, ReceptorWeights{.largest = 0.05}}},
                   .input = {{0.0, -80.0}}},
                  0.1);
  static_assert(made.ok() && made.value().units[0] > 0.0);
  CHECK(std::string(made.value().quantities.synapses[0].unit) == "uS");
  const auto refused = [](auto change) {
    Cell cell = coba(0.1);
    change(cell);
    const auto result = Model::make(parameters_of<Model>(cell), cell.dt);
    return result ? std::string("nothing") : std::string(result.status().parameter);
  };
  CHECK(refused([](Cell&) {}) == "nothing");
  CHECK(refused([](Cell& cell) { cell.tau = 0.19; }) == "membrane.tau_ms");
  CHECK(refused([](Cell& cell) { cell.reversal[1] = -200.1; }) == "input.reversal_mv");
  CHECK(refused([](Cell& cell) { cell.reversal[0] = std::nan(""); }) == "input.reversal_mv");
  CHECK(refused([](Cell& cell) { cell.rest = 101.0; }) == "membrane.v_rest_mv");
  CHECK(refused([](Cell& cell) { cell.reset = -201.0; }) == "reset.v_mv");
  CHECK(refused([](Cell& cell) { cell.weights[0].largest = 1.0; }) == "synapses.weights");
  CHECK(refused([](Cell& cell) { cell.weights[0].drive_mv = 1.0; }) == "synapses.weights.drive_mv");
  const auto not_given = Model::make({.membrane = {.c_nf = 0.25}, .synapses = {{5.0, 10.0}, coba(0.1).weights}}, 0.1);
  CHECK(std::string(not_given.status().parameter) == "input.reversal_mv");
}
