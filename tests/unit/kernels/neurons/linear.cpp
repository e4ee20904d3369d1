// SPDX-License-Identifier: BSL-1.0
// Linear membranes against their systems in long double, and against a step in 64-bit integers.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/membranes/linear.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/neurons/synapse_types/delta.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/neurons/thresholds/none.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/linear_reference.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;
using reference::Draw;

namespace {

template <class Model>
using Inputs = std::array<std::array<std::int32_t, 1>, Model::receptors>;
template <class Model>
void step(Population<Model, 1>& cell, Inputs<Model>& input, std::uint32_t step_number) {
  std::array<std::int32_t*, Model::receptors> sums{};
  for (std::size_t receptor = 0; receptor < Model::receptors; ++receptor) sums[receptor] = input[receptor].data();
  cell.step(sums, step_number);
}

/// The membrane, the states behind it and a constant, all in long double.
template <std::size_t States, class Parameters>
reference::Matrix<States + 1> matrix_of(const Parameters& given) {
  reference::Matrix<States + 1> a{};
  for (std::size_t i = 0; i < States; ++i) {
    for (std::size_t j = 0; j < States; ++j) a[i][j] = given.per_ms[i][j];
    a[i][States] = given.drift_per_ms[i];
  }
  return a;
}

struct Worst {
  double error = 0, mean = 0;
  int count = 0;
  void add(long double off) {
    error = std::max(error, static_cast<double>(std::fabs(off)));
    mean += static_cast<double>(off);
    ++count;
  }
};

/// Random spikes into `moved` by receptor, odd receptors down: the worst error of the membrane in mV.
template <std::size_t States, std::size_t... Moved, class Parameters>
Worst run_delta(const Parameters& given, const std::array<double, sizeof...(Moved)>& largest, double dt_ms,
                std::uint32_t seed, double rate_per_step, int steps) {
  constexpr std::array<std::size_t, sizeof...(Moved)> moved{Moved...};
  using Model = Neuron<membrane::Linear<States, 0, Moved...>, synapse::Delta<sizeof...(Moved)>, threshold::None>;
  typename Model::Parameters parameters{};
  parameters.membrane = given;
  parameters.threshold.origin_mv = -40.0;
  for (std::size_t which = 0; which < moved.size(); ++which) parameters.synapses.weights[which] = {largest[which], 12};
  const auto made = Model::make(parameters, dt_ms);
  INFO((made.status().parameter == nullptr ? "" : made.status().parameter) << " " << made.status().where);
  REQUIRE(made);
  Population<Model, 1> cell(made.value());
  reference::System<States + 1> exact(matrix_of<States>(given), dt_ms);
  for (std::size_t state = 0; state < States; ++state) exact.x[state] = cell.value(place_of<Model>.membrane[state], 0);
  exact.x[States] = 1;
  Draw draw(seed);
  Worst worst;
  for (int number = 0; number < steps; ++number) {
    Inputs<Model> input{};
    exact.step();
    for (std::size_t which = 0; which < moved.size(); ++which) {
      if (draw.between(0, 1) >= rate_per_step) continue;
      input[which][0] = static_cast<std::int32_t>(draw.word() % 4095 + 1);
      const long double weight = static_cast<long double>(input[which][0]) / made.value().units[which];
      exact.x[moved[which]] += which % 2 == 0 ? weight : -weight;
    }
    step(cell, input, static_cast<std::uint32_t>(number));
    worst.add(cell.value(place_of<Model>.membrane.v, 0) - exact.x[0]);
  }
  REQUIRE(cell.saturations() == 0);
  worst.mean /= worst.count;
  return worst;
}

} // namespace

TEST_CASE("linear membrane: an alpha synapse, two of them, and one as slow as the membrane") {
  // mV and nA: i' = (j - i) / tau, j moved by e w / tau a spike.
  for (const double tau : {5.0, 20.0, 20.000001, 0.2, 300.0})
    for (const double dt : {0.1, 1.0}) {
      CAPTURE(tau, dt);
      membrane::Linear<3, 0, 2>::Parameters given{
          .per_ms{{{-1 / 20.0, 1 / 0.25, 0}, {0, -1 / tau, 1 / tau}, {0, 0, -1 / tau}}},
          .drift_per_ms{-65 / 20.0},
          .largest{0, 2, 4},
      };
      const auto worst = run_delta<3, 2>(given, std::array{0.1}, dt, 7, 0.02 * dt, 20000);
      std::printf("linear, alpha of %g ms beside 20 ms, dt %g: worst %.2e mV, mean %.1e\n", tau, dt, worst.error,
                  worst.mean);
      REQUIRE(worst.error < 1e-3);
    }
}

TEST_CASE("linear membrane: NMDA and GABA-B on one membrane") {
  // NMDA rises with 2 ms and decays with 100; GABA-B decays with 150.
  for (const double dt : {0.1, 1.0}) {
    membrane::Linear<4, 0, 2, 3>::Parameters given{
        .per_ms{{{-1 / 15.0, 1 / 0.3, 0, 1 / 0.3},
                 {0, -1 / 100.0, 1 / 2.0, 0},
                 {0, 0, -1 / 2.0, 0},
                 {0, 0, 0, -1 / 150.0}}},
        .drift_per_ms{-70 / 15.0},
        .largest{0, 2, 2, 2},
        .initial{-70.0},
    };
    const auto worst = run_delta<4, 2, 3>(given, std::array{0.05, 0.05}, dt, 11, 0.02 * dt, 20000);
    std::printf("linear, NMDA and GABA-B, dt %g: worst %.2e mV, mean %.1e\n", dt, worst.error, worst.mean);
    REQUIRE(worst.error < 1e-3);
  }
}

TEST_CASE("linear membrane: one state is the leaky membrane") {
  using Model = Neuron<membrane::Linear<1>, synapse::Exponential<2>, threshold::None, rounding::Nearest>;
  using Leaky = Neuron<membrane::Lif, synapse::Exponential<2>, threshold::None, rounding::Nearest>;
  const typename synapse::Exponential<2>::Parameters synapses{.tau_ms{5, 10}, .weights{{{0.1, 16}, {0.1, 16}}}};
  const auto made =
      Model::make({.membrane{.per_ms{{{-1 / 20.0}}}, .drift_per_ms{-65 / 20.0}, .per_na = 4}, .synapses = synapses},
                  0.1)
          .value();
  const auto leaky = Leaky::make({.membrane{.tau_ms = 20, .c_nf = 0.25}, .synapses = synapses}, 0.1).value();
  Population<Model, 1> cell(made);
  Population<Leaky, 1> other(leaky);
  Draw draw(3);
  double worst = 0;
  for (std::uint32_t number = 0; number < 20000; ++number) {
    Inputs<Model> input{};
    Inputs<Leaky> also{};
    for (std::size_t which = 0; which < 2; ++which) {
      if (draw.word() % 50 != 0) continue;
      const double weight = draw.between(0.01, 0.1);
      input[which][0] =
          static_cast<std::int32_t>(Model::weight(made, static_cast<std::uint32_t>(which), weight).value());
      also[which][0] =
          static_cast<std::int32_t>(Leaky::weight(leaky, static_cast<std::uint32_t>(which), weight).value());
    }
    step(cell, input, number);
    step(other, also, number);
    worst = std::max(worst,
                     std::fabs(cell.value(place_of<Model>.membrane.v, 0) - other.value(place_of<Leaky>.membrane.v, 0)));
  }
  std::printf("linear, one state beside the leaky membrane: worst %.2e mV\n", worst);
  REQUIRE(worst < 2e-3);
}

TEST_CASE("linear membrane: two compartments with synapses at one of them") {
  // Exponential currents into the dendrite. Exact for it; to the soma they are constant over a step: an error of the solver,
  // from long double at the same step, apart from that of rounding, from the same solver in long double.
  using Model = Neuron<membrane::Linear<2, 1>, synapse::Exponential<2>, threshold::None>;
  for (const double dt : {0.1, 1.0}) {
    const double leak = 1 / 20.0, leak_d = 1 / 15.0, g = 1 / 4.0, g_d = 1 / 2.0;
    const std::array tau{5.0, 10.0};
    const double per_na = 8, threshold = -40;
    const typename Model::Parameters parameters{
        .membrane{.per_ms{{{-leak - g, g}, {g_d, -leak_d - g_d}}},
                  .drift_per_ms{-65 * leak, -65 * leak_d},
                  .largest{0, 200},
                  .initial{-65, -65},
                  .per_na = per_na},
        .synapses{.tau_ms = tau, .weights{{{0.2, 16}, {0.2, 16}}}},
        .threshold{.origin_mv = threshold},
    };
    const auto made = Model::make(parameters, dt);
    REQUIRE(made);
    Population<Model, 1> cell(made.value());
    // soma, dendrite, currents, one
    reference::Matrix<5> a{};
    a[0] = {-leak - g, g, 0, 0, -65 * leak};
    a[1] = {g_d, -leak_d - g_d, per_na, -per_na, -65 * leak_d};
    a[2][2] = -1 / tau[0], a[3][3] = -1 / tau[1];
    reference::System<5> exact(a, dt);
    reference::Matrix<5> same = exact.propagator();
    reference::Matrix<3> constant{}; // soma, dendrite, a current that is constant
    constant[0] = {a[0][0] * dt, a[0][1] * dt, 0}, constant[1] = {a[1][0] * dt, a[1][1] * dt, 1};
    const auto flow = reference::exponential(constant);
    const long double ratio = flow[0][2] / flow[1][2];
    same[0][2] = same[1][2] * ratio, same[0][3] = same[1][3] * ratio;
    exact.x = {-65, -65, 0, 0, 1};
    std::array<long double, 5> solver = exact.x;
    Draw draw(5);
    Worst of_solver, of_rounding;
    for (std::uint32_t number = 0; number < 20000; ++number) {
      exact.step();
      std::array<long double, 5> after{};
      for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 5; ++j) after[i] += same[i][j] * solver[j];
      solver = after;
      Inputs<Model> input{};
      for (std::uint32_t which = 0; which < 2; ++which) {
        if (draw.between(0, 1) >= 0.03 * dt) continue;
        input[which][0] = static_cast<std::int32_t>(draw.word() % 60000);
        const long double weight = static_cast<long double>(input[which][0]) / made.value().units[which];
        exact.x[2 + which] += weight, solver[2 + which] += weight;
      }
      step(cell, input, number);
      of_solver.add(solver[0] - exact.x[0]);
      of_rounding.add(cell.value(place_of<Model>.membrane.v, 0) - solver[0]);
      of_rounding.add(cell.value(place_of<Model>.membrane[1], 0) - solver[1]);
    }
    std::printf("linear, two compartments, dt %g: solver %.2e mV, rounding %.2e mV\n", dt, of_solver.error,
                of_rounding.error);
    REQUIRE(cell.saturations() == 0);
    REQUIRE(of_solver.error < 0.2 * dt * dt);
    REQUIRE(of_rounding.error < 2e-3);
  }
}

TEST_CASE("linear membrane: any system stays within the sum of its rounding errors") {
  // Time constants from 0.1 to 10^6 steps, couplings of either sign, ranges far apart. A step errs by less than a unit a
  // product, and what a step errs goes through the magnitudes of the propagator.
  using Model = Neuron<membrane::Linear<4, 0, 1, 2, 3>, synapse::Delta<3>, threshold::None>;
  double worst_share = 0;
  int made_count = 0;
  for (const std::uint32_t seed : Seeds(300)) {
    CAPTURE(seed);
    Draw draw(seed);
    typename Model::Parameters parameters{};
    auto& given = parameters.membrane;
    const bool equal = seed % 5 == 0;
    const double tau = draw.scale(0.1, 1e6);
    for (std::size_t i = 0; i < 4; ++i) {
      given.largest[i] = i == 0 ? 512 : draw.scale(1e-6, 1e6);
      given.per_ms[i][i] = -1 / (equal ? tau : draw.scale(0.1, 1e6));
    }
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) // less than the leak of both, in the units of their ranges
        if (i != j && draw.word() % 2 == 0)
          given.per_ms[i][j] = draw.between(-0.3, 0.3) * std::min(-given.per_ms[i][i], -given.per_ms[j][j]) *
                               given.largest[i] / given.largest[j];
      given.drift_per_ms[i] = -given.per_ms[i][i] * given.largest[i] * draw.between(-0.02, 0.02);
    }
    given.initial[0] = draw.between(-50, 50);
    for (std::size_t which = 0; which < 3; ++which)
      parameters.synapses.weights[which] = {given.largest[which + 1] / 8, 20};
    const auto made = Model::make(parameters, 1.0);
    REQUIRE(made);
    ++made_count;
    Population<Model, 1> cell(made.value());
    reference::System<5> exact(matrix_of<4>(given), 1.0L);
    exact.x[4] = 1;
    std::array<long double, 4> bound{};
    for (std::size_t i = 0; i < 4; ++i) exact.x[i] = cell.value(place_of<Model>.membrane[i], 0);
    for (int number = 0; number < 400; ++number) {
      exact.step();
      std::array<long double, 4> next{};
      const auto& shared = made.value().constants.membrane.shared;
      for (std::size_t i = 0; i < 4; ++i) {
        // Four products and the drift, each less than a unit; four constants to half of 2^-32, of words below 2^31.
        next[i] = std::ldexp(6.0L, shared.row_shift[i] - shared.bits[i]);
        for (std::size_t j = 0; j < 4; ++j) next[i] += std::fabs(exact.propagator()[i][j]) * bound[j];
      }
      bound = next;
      Inputs<Model> input{};
      for (std::size_t which = 0; which < 3; ++which) {
        if (draw.word() % 16 != 0) continue;
        input[which][0] = static_cast<std::int32_t>(draw.word() % (1U << 20));
        const long double weight = static_cast<long double>(input[which][0]) / made.value().units[which];
        exact.x[which + 1] += which % 2 == 0 ? weight : -weight;
      }
      step(cell, input, static_cast<std::uint32_t>(number));
      if (cell.saturations() != 0) break; // a sum of spikes that its range does not hold
      for (std::size_t i = 0; i < 4; ++i) {
        CAPTURE(number, i, tau);
        const double off = static_cast<double>(std::fabs(cell.value(place_of<Model>.membrane[i], 0) - exact.x[i]));
        REQUIRE(off <= bound[i]);
        worst_share = std::max(worst_share, off / static_cast<double>(bound[i]));
      }
    }
  }
  std::printf("linear, %d systems: at most %.0f %% of the bound\n", made_count, 100 * worst_share);
  REQUIRE(worst_share > 0.01); // the bound is one
}

TEST_CASE("linear membrane: a step is the sum of its products, held at the ends and counted") {
  using Model = Neuron<membrane::Linear<3, 1, 2>, synapse::Delta<2>, threshold::None>;
  std::uint64_t held_in_all = 0;
  for (const std::uint32_t seed : Seeds(200)) {
    CAPTURE(seed);
    Draw draw(seed);
    typename Model::Parameters parameters{};
    for (std::size_t i = 0; i < 3; ++i) {
      parameters.membrane.largest[i] = draw.scale(0.1, 1000);
      parameters.membrane.drift_per_ms[i] = draw.between(-10, 10);
      for (double& entry : parameters.membrane.per_ms[i]) entry = draw.between(-3, 1);
    }
    for (auto& weights : parameters.synapses.weights) weights = {0.05, 8 + draw.word() % 8};
    const auto made = Model::make(parameters, draw.scale(0.01, 1));
    REQUIRE(made);
    const auto& own = made.value().constants;
    Population<Model, 1> cell(made.value());
    std::array<std::int64_t, 3> words{};
    for (std::uint32_t number = 0; number < 100; ++number) {
      const bool is_new = number % 10 == 0;
      for (std::size_t i = 0; i < 3; ++i) {
        if (is_new) cell.words(place_of<Model>.membrane[i])[0] = static_cast<std::int32_t>(draw.word());
        words[i] = cell.words(place_of<Model>.membrane[i])[0];
      }
      Inputs<Model> input{};
      for (auto& sums : input) sums[0] = static_cast<std::int32_t>(draw.word() % (1U << 30) >> draw.word() % 30);
      const auto given = input;
      std::uint32_t held = 0;
      const auto hold = [&held](std::int64_t sum) {
        const std::int64_t word = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
        held += word != sum ? 1 : 0;
        return word;
      };
      std::array<std::int64_t, 3> after{};
      for (std::size_t i = 0; i < 3; ++i) {
        std::int64_t sum = own.membrane[i * 5 + 3];
        for (std::size_t j = 0; j < 3; ++j) sum += (words[j] * own.membrane[i * 5 + j]) >> 32;
        REQUIRE(std::abs(sum) <= (std::int64_t{1} << 30) + 3);
        after[i] = hold(words[i] + sum * (std::int64_t{1} << own.membrane.shared.row_shift[i]));
      }
      // the first receptor moves state 2, the second the driven one
      after[2] = hold(after[2] + given[0][0] * (std::int64_t{1} << own.synapses.shared.input_shift[0]));
      after[1] = hold(after[1] - given[1][0] * (std::int64_t{1} << own.synapses.shared.input_shift[1]));
      const std::uint32_t before = cell.saturations();
      step(cell, input, number);
      CAPTURE(number);
      for (std::size_t i = 0; i < 3; ++i) REQUIRE(cell.words(place_of<Model>.membrane[i])[0] == after[i]);
      REQUIRE(cell.saturations() - before == held);
      held_in_all += held;
    }
  }
  REQUIRE(held_in_all > 1000);
}

TEST_CASE("linear membrane: what is refused, and by which name") {
  using Model = Neuron<membrane::Linear<2>, synapse::Exponential<1>>;
  const typename Model::Parameters good{
      .membrane{.per_ms{{{-0.05, 4}, {0, -0.2}}}, .drift_per_ms{-3.25, 0}, .largest{0, 5}}, .synapses{.tau_ms{5}}};
  REQUIRE(Model::make(good, 0.1));
  const double nan = std::nan(""), infinite = HUGE_VAL;
  const auto refused = [&](auto change) {
    auto given = good;
    change(given.membrane);
    const auto made = Model::make(given, 0.1);
    REQUIRE_FALSE(made);
    return made.status();
  };
  for (const double bad : {nan, infinite, -infinite, 1e9}) {
    CAPTURE(bad);
    REQUIRE(refused([&](auto& of) { of.per_ms[0][1] = bad; }).where == 1);
    REQUIRE(refused([&](auto& of) { of.per_ms[1][0] = bad; }).where == 2);
    REQUIRE(std::string(refused([&](auto& of) { of.per_ms[1][0] = bad; }).parameter) == "membrane.per_ms");
    REQUIRE(std::string(refused([&](auto& of) { of.drift_per_ms[1] = bad * 100; }).parameter) ==
            "membrane.drift_per_ms");
  }
  for (const double bad : {nan, 0.0, -1.0})
    REQUIRE(refused([&](auto& of) { of.largest[1] = bad; }) ==
            Status{Error::parameter_not_positive, 1, bad, "membrane.largest"});
  for (const double bad : {infinite, 1e15, 1e-15})
    REQUIRE(refused([&](auto& of) { of.largest[1] = bad; }) ==
            Status{Error::parameter_out_of_range, 1, bad, "membrane.largest"});
  REQUIRE(refused([&](auto& of) { of.per_na = 0; }) ==
          Status{Error::parameter_not_positive, 0, 0.0, "membrane.per_na"});
  REQUIRE(refused([&](auto& of) { of.per_na = infinite; }) ==
          Status{Error::parameter_out_of_range, 0, infinite, "membrane.per_na"});
  REQUIRE(refused([&](auto& of) { of.initial[0] = -50; }) ==
          Status{Error::parameter_out_of_range, 0, -50.0, "membrane.initial"});
  REQUIRE(refused([&](auto& of) { of.initial[1] = 20; }) ==
          Status{Error::parameter_out_of_range, 1, 20.0, "membrane.initial"});
  // a system that grows by more than its words say in a step
  REQUIRE(std::string(refused([&](auto& of) { of.per_ms[1][1] = 300; }).parameter) == "membrane.per_ms");
}

TEST_CASE("linear membrane: constants of each neuron, in the scale of the population") {
  using Own = Neuron<PerNeuron<membrane::Linear<2>>, synapse::Exponential<1>>;
  using Model = Neuron<membrane::Linear<2>, synapse::Exponential<1>>;
  const auto given = [](double rate, double largest) {
    return membrane::Linear<2>::Parameters{
        .per_ms{{{-0.05, 4}, {0, -rate}}}, .drift_per_ms{-3.25, 0.1}, .largest{0, largest}};
  };
  const typename synapse::Exponential<1>::Parameters synapses{.tau_ms{5}, .weights{{{0.01}}}};
  const auto made = Own::make({.membrane = given(0.2, 5), .synapses = synapses}, 0.1).value();
  REQUIRE(made.constants.membrane.shared.row_shift[0] == 0);
  Population<Own, 1> cell(made);
  const auto contradicts = [&](double rate, double largest) {
    return cell.set(0, {.membrane = given(rate, largest), .synapses = synapses}).error == Error::parameters_contradict;
  };
  REQUIRE(contradicts(0.2, 10)); // another unit
  REQUIRE(contradicts(8, 5));    // sums of a row in another unit: more than half goes in a step
  REQUIRE_FALSE(contradicts(0.3, 5));
  Population<Model, 1> other(Model::make({.membrane = given(0.3, 5), .synapses = synapses}, 0.1).value());
  for (std::uint32_t number = 0; number < 100; ++number) {
    Inputs<Own> input{{{1000}}};
    Inputs<Model> also{{{1000}}};
    step(cell, input, number);
    step(other, also, number);
    for (std::size_t word = 0; word < 3; ++word) REQUIRE(cell.words(word)[0] == other.words(word)[0]);
  }
}

TEST_CASE("linear membrane: psps into a dendrite hold what rate and fan-in bring") {
  // However much it is: the dendrite's unit gets coarser with the membrane's.
  using Model = Neuron<membrane::Linear<2, 1>, synapse::Exponential<2>, threshold::None>;
  std::uint32_t made_cells = 0, coarser = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 20 : 100)) {
    CAPTURE(seed);
    Draw draw(seed);
    const double leak = 1 / draw.scale(5, 50), g = 1 / draw.scale(2, 20), g_d = 1 / draw.scale(2, 20);
    const double rate = draw.scale(100, 20000), tau = draw.scale(2, 20);
    const double mv = draw.scale(1, 1000) * leak; // of the dendrite, per ms, in the mean
    const double largest = mv / 4 * 1000 / rate / tau;
    const ReceptorWeights weights{.largest = largest, .rate_hz = rate, .fan_in = 1};
    const auto made = Model::make({.membrane{.per_ms{{{-leak - g, g}, {g_d, -leak - g_d}}},
                                             .drift_per_ms{-65 * leak, -65 * leak},
                                             .largest{0, 200},
                                             .initial{-65, -65},
                                             .per_na = 4},
                                   .synapses{.tau_ms{tau, tau}, .weights{weights, weights}}},
                                  0.1);
    if (!made) continue;
    ++made_cells;
    coarser += made.value().making.unit_bits < 22 ? 1U : 0U;
    // the mean that all of its events come to, six deviations, and eight more
    const double events = rate * 0.1 / 1000, kept = std::exp(-0.1 / tau);
    const double needed = largest * (events / (1 - kept) + 6 * std::sqrt(events / (1 - kept * kept)) + 8);
    constexpr auto places = place_of<Model>;
    for (const std::size_t place : {places.synapses[0], places.synapses[1]})
      REQUIRE(Model::quantity(made.value(), place).per_unit * 2147483648.0 > 0.999 * needed);
    REQUIRE(Model::quantity(made.value(), places.membrane[1]).per_unit * 2147483648.0 >= 200.0);
  }
  REQUIRE(made_cells > (sanitized ? 10U : 50U));
  REQUIRE(coarser > 5);
}

TEST_CASE("linear membrane: what it tells other parts is the driven state, as if it stood alone") {
  using Model = Neuron<membrane::Linear<2, 1>, synapse::Exponential<1>>;
  const auto making = [](double leak) {
    return Model::make({.membrane{.per_ms{{{-0.05, 0.1}, {0, -leak}}}, .largest{0, 100}, .per_na = 8},
                        .synapses{.tau_ms{5}, .weights{{{1e-5}}}}},
                       0.1)
        .value()
        .making;
  };
  const Making leaky = making(0.5);
  REQUIRE(leaky.tau_m_ms == 2.0);
  REQUIRE(leaky.r_mohm == 16.0);
  REQUIRE(std::fabs(std::ldexp(static_cast<double>(leaky.leak_q60), -60) - 0.05) < 1e-15);
  REQUIRE(std::fabs(std::ldexp(static_cast<double>(leaky.kept_q60), -60) - std::exp(-0.05)) < 1e-15);
  REQUIRE(std::fabs(leaky.decay - (1 - std::exp(-0.05))) < 1e-15);
  REQUIRE(leaky.room == 0.5 * leaky.decay);
  REQUIRE((leaky.drift_q52 == 0 && leaky.drift_mv == 0));
  const Making none = making(0);
  REQUIRE(none.tau_m_ms == 1.0);
  REQUIRE(none.r_mohm == 8.0);
  REQUIRE(none.leak_q60 == 0);
  REQUIRE(none.kept_q60 == detail::one_q60);
  REQUIRE(none.decay == 1.0);
  REQUIRE(none.room == 1.0 / 64);
  const Making slow = making(0.001); // 1e-4 a step
  REQUIRE(slow.room == 1.0 / 4096);
  REQUIRE(making(0.0051).room > 1.0 / 4096); // 2.55e-4: half of 5.1e-4
  REQUIRE(making(100).leak_q60 == detail::one_q60);
}

TEST_CASE("linear membrane: the same bits at compile time and everywhere") {
  using Model = Neuron<membrane::Linear<3, 0, 2>, synapse::Exponential<2>>;
  constexpr typename Model::Parameters given{
      .membrane{.per_ms{{{-0.05, 4, 0}, {0, -0.2, 0.2}, {0.001, 0, -0.2}}}, .drift_per_ms{-3.25}, .largest{0, 5, 5}},
      .synapses{.tau_ms{5, 20}}};
  static constexpr auto made = Model::make(given, 0.1).value();
  auto volatile_given = given;
  const volatile double tau = 5.0;
  volatile_given.synapses.tau_ms[0] = tau;
  const auto again = Model::make(volatile_given, 0.1).value();
  REQUIRE(std::equal(made.constants.membrane.begin(), made.constants.membrane.end(), again.constants.membrane.begin()));
  REQUIRE(made.constants.synapses == again.constants.synapses);
  REQUIRE(made.units == again.units);
  Digest digest;
  for (const std::int32_t constant : again.constants.membrane) digest.add(static_cast<std::uint32_t>(constant));
  for (const double unit : again.units)
    digest.add(static_cast<std::uint32_t>(detail::to_fixed(unit, 10) & 0xFFFF'FFFF));
  REQUIRE(digest.value() == 1035633848081120178U);
}
