// SPDX-License-Identifier: BSL-1.0
// Currents that rise and decay against their closed forms in long double, and a step against 64-bit integers.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/neurons/membranes/integrator.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/membranes/linear.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/neurons/synapse_types/alpha.hpp>
#include <neuromorph/kernels/neurons/synapse_types/double_exponential.hpp>
#include <neuromorph/kernels/neurons/thresholds/none.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/linear_reference.hpp"
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

/// What feeds a current in the first ms for its peak to be 1: by the time of the peak, in closed form.
long double feed_for_peak(long double tau_rise, long double tau_decay) {
  // i' = -i/tau_decay + j, j' = -j/tau_rise
  const long double a = 1 / tau_decay, b = 1 / tau_rise;
  if (std::fabs(a - b) < 1e-7L * a) return std::exp(1.0L) * (a + b) / 2;
  const long double peak = std::log(b / a) / (b - a);
  return (b - a) / (std::exp(-a * peak) - std::exp(-b * peak));
}

template <class Synapses>
constexpr bool is_alpha = std::is_same_v<Synapses, synapse::Alpha<2>>;

/// Two receptors of time constants, in ms.
struct Taus {
  double membrane;
  std::array<double, 2> rise, decay;
};

template <class Model>
typename Model::Parameters parameters_of(const Taus& tau, const std::array<ReceptorWeights, 2>& weights) {
  typename Model::Parameters parameters{};
  if constexpr (std::is_same_v<typename Model::Membrane, membrane::Lif>) {
    parameters.membrane.tau_ms = tau.membrane;
    parameters.membrane.c_nf = 0.25;
  } else if constexpr (std::is_same_v<typename Model::Membrane, membrane::Integrator>) {
    parameters.membrane.c_nf = 0.25;
  } else {
    parameters.membrane = {.per_ms{{{-1 / tau.membrane}}}, .drift_per_ms{-65 / tau.membrane}, .per_na = 4};
  }
  if constexpr (is_alpha<typename Model::Synapses>) {
    parameters.synapses.tau_ms = tau.decay;
  } else {
    parameters.synapses.tau_rise_ms = tau.rise;
    parameters.synapses.tau_decay_ms = tau.decay;
  }
  parameters.synapses.weights = weights;
  parameters.threshold.origin_mv = -50;
  return parameters;
}

/// The worst difference of the membrane from the exact one, in mV, under random spikes.
template <class Model>
double run(const Taus& tau, double largest, double rate_hz, double dt_ms, std::uint32_t seed, std::uint32_t steps,
           double& highest) {
  const ReceptorWeights weights{largest, 16, rate_hz, 1};
  const auto made = Model::make(parameters_of<Model>(tau, {weights, weights}), dt_ms);
  INFO((made.status().parameter == nullptr ? "" : made.status().parameter));
  REQUIRE(made);
  Population<Model, 1> cell(made.value());
  const bool leaks = !std::is_same_v<typename Model::Membrane, membrane::Integrator>;
  reference::Matrix<6> a{}; // v, two currents, two feeds, one
  const long double leak = leaks ? 1 / static_cast<long double>(tau.membrane) : 0;
  a[0] = {-leak, 4, -4, 0, 0, -65 * leak};
  for (std::size_t which = 0; which < 2; ++which) {
    a[1 + which][1 + which] = -1 / static_cast<long double>(tau.decay[which]);
    a[1 + which][3 + which] = 1;
    a[3 + which][3 + which] = -1 / static_cast<long double>(tau.rise[which]);
  }
  reference::System<6> exact(a, dt_ms);
  exact.x[0] = cell.value(place_of<Model>.membrane.v, 0);
  exact.x[5] = 1;
  Draw draw(seed);
  double worst = 0;
  for (std::uint32_t number = 0; number < steps; ++number) {
    exact.step();
    Inputs<Model> input{};
    for (std::uint32_t which = 0; which < 2; ++which) {
      double events = rate_hz * dt_ms / 1000;
      int count = static_cast<int>(events);
      count += draw.between(0, 1) < events - count ? 1 : 0;
      for (; count > 0; --count)
        input[which][0] +=
            static_cast<std::int32_t>(Model::weight(made.value(), which, draw.between(0.1, 1) * largest).value());
      const long double weight = static_cast<long double>(input[which][0]) / made.value().units[which];
      exact.x[3 + which] += weight * feed_for_peak(tau.rise[which], tau.decay[which]);
    }
    step(cell, input, number);
    worst = std::max(worst, std::fabs(static_cast<double>(cell.value(place_of<Model>.membrane.v, 0) - exact.x[0])));
    highest = std::max(highest, std::fabs(static_cast<double>(exact.x[0]) + 65));
  }
  CHECK(cell.saturations() == 0);
  return worst;
}

template <class Synapses>
using Leaky = Neuron<membrane::Lif, Synapses, threshold::None>;
/// The membrane's product with all bits: what is left is the error of the synapses.
template <class Synapses>
using Precise = Neuron<membrane::Linear<1>, Synapses, threshold::None>;

} // namespace

TEST_CASE("second difference of the exponential: as the closed form, and where its numbers meet") {
  double worst = 0;
  for (const std::uint32_t seed : Seeds(2000)) {
    CAPTURE(seed);
    Draw draw(seed);
    const unsigned kind = seed % 4;
    const double y = draw.between(-0.7, 0.7), share = draw.between(-1, 1),
                 near = std::ldexp(share, -static_cast<int>(draw.word() % 50));
    const double z = kind == 0 ? draw.between(-0.7, 0.7) : kind == 1 ? y : std::clamp(y + near, -0.7, 0.7);
    // The exponential of a Jordan-like matrix has divided differences above its diagonal.
    reference::Matrix<3> a{};
    a[0][1] = a[1][2] = 1;
    a[1][1] = y, a[2][2] = z;
    const auto exact = reference::exponential(a)[0][2];
    const auto made = detail::second_difference_q60(detail::to_fixed(y, 60), detail::to_fixed(z, 60));
    worst = std::max(worst, static_cast<double>(std::fabs(std::ldexp(static_cast<long double>(made), -60) - exact)));
  }
  std::printf("second difference: worst error 2^%.1f\n", std::log2(worst));
  REQUIRE(worst < 0x1p-55);
  REQUIRE(std::abs(detail::second_difference_q60(0, 0) - detail::one_q60 / 2) <= 16);
}

TEST_CASE("double exponential: the feed gives a peak of 1, for any ratio of rates") {
  double worst = 0;
  for (const std::uint32_t seed : Seeds(2000)) {
    CAPTURE(seed);
    Draw draw(seed);
    const double a = draw.scale(1e-7, 0.69);
    double b = seed % 3 == 0 ? a : seed % 3 == 1 ? draw.scale(1e-7, 0.69) : a * (1 + draw.scale(1e-12, 1e-3));
    const std::int64_t a_q60 = detail::to_fixed(a, 60), b_q60 = detail::to_fixed(b, 60);
    const long double x = std::ldexp(static_cast<long double>(std::min(a_q60, b_q60)), -60),
                      y = std::ldexp(static_cast<long double>(std::max(a_q60, b_q60)), -60), u = (y - x) / x;
    const long double exact = u < 1e-9L ? y * std::exp(1 - u / 2) : y * std::exp(std::log1p(u) / u);
    const double made = detail::feed_for_peak(a_q60, b_q60);
    CAPTURE(a, b, made);
    worst = std::max(worst, static_cast<double>(std::fabs(made / exact - 1)));
    REQUIRE(detail::feed_for_peak(b_q60, a_q60) == made);
  }
  REQUIRE(worst < 1e-12);
}

TEST_CASE("alpha and double exponential: within 1e-4 of threshold less rest, at any rate") {
  // Weights of 0.1 to 1 of the largest, which moves the membrane by 1 mV or so; 10 s, or 10 000 steps. The solver has no
  // error: all of it is rounding.
  double worst = 0, worst_of_leaky = 0;
  for (const double dt : {0.1, 1.0})
    for (const double rate : {10.0, 300.0, 50000.0}) {
      double of_alpha = 0, of_double = 0, of_leaky = 0;
      for (const std::uint32_t seed : Seeds(6)) {
        CAPTURE(dt, rate, seed);
        Draw draw(seed);
        Taus tau{draw.scale(std::max(5.0, 4.5 * dt), 60), {}, {}};
        for (std::size_t which = 0; which < 2; ++which) {
          tau.decay[which] = seed % 3 == 0 ? tau.membrane : draw.scale(std::max(2.0, 4.5 * dt), 20);
          tau.rise[which] = seed % 3 == 1 ? tau.decay[which] : draw.scale(std::max(0.2, 1.5 * dt), tau.decay[which]);
        }
        const double largest = std::min(0.05, 0.05 * 300 / rate);
        double highest = 0;
        Taus alpha = tau;
        alpha.rise = alpha.decay;
        const auto steps = static_cast<std::uint32_t>(10000 / dt);
        of_alpha = std::max(of_alpha, run<Precise<synapse::Alpha<2>>>(alpha, largest, rate, dt, seed, steps, highest));
        of_double = std::max(of_double,
                             run<Precise<synapse::DoubleExponential<2>>>(tau, largest, rate, dt, seed, steps, highest));
        REQUIRE(highest > 0.5);
        // The membrane of the leaky neuron has an error of its own, in proportion to where it is.
        const double error = run<Leaky<synapse::DoubleExponential<2>>>(tau, largest, rate, dt, seed, steps, highest);
        of_leaky = std::max(of_leaky, error / std::max(15.0, highest));
      }
      std::printf(
          "dt %g, %6g events/s, of 15 mV: alpha %.1e, double exponential %.1e; with the leaky membrane, of where it "
          "goes: %.1e\n",
          dt, rate, of_alpha / 15, of_double / 15, of_leaky);
      worst = std::max({worst, of_alpha / 15, of_double / 15});
      worst_of_leaky = std::max(worst_of_leaky, of_leaky);
    }
  REQUIRE(worst < 1e-4);
  REQUIRE(worst_of_leaky < 1e-4);
}

TEST_CASE("alpha and double exponential: time constants of any length, into a leak and into none") {
  // A psp errs by half of its time constant in steps, in its units, where it is rounded down or to nearest: without a leak
  // that goes on. Stochastic rounding has no such error.
  using Leak = Neuron<membrane::Linear<1>, synapse::DoubleExponential<2>, threshold::None, rounding::Stochastic>;
  using Perfect = Neuron<membrane::Integrator, synapse::DoubleExponential<2>, threshold::None, rounding::Stochastic>;
  double worst_of_leak = 0, worst_of_none = 0;
  for (const std::uint32_t seed : Seeds(60)) {
    CAPTURE(seed);
    Draw draw(seed);
    const double longest = seed % 2 == 0 ? 20000 : 2000;
    Taus tau{draw.scale(1.5, longest), {}, {}};
    for (std::size_t which = 0; which < 2; ++which) {
      tau.decay[which] = draw.scale(1.5, longest);
      tau.rise[which] = draw.scale(1.5, longest);
      if (seed % 4 == 1) tau.rise[which] = tau.decay[which] * (1 + draw.scale(1e-9, 1e-2));
      if (seed % 4 == 2) tau.decay[which] = tau.membrane;
      if (seed % 4 == 3) tau.rise[which] = tau.membrane;
    }
    CAPTURE(tau.membrane, tau.rise[0], tau.rise[1], tau.decay[0], tau.decay[1]);
    const double slowest = std::max(tau.rise[0], tau.decay[0]), largest = 0.5 / std::min(tau.membrane, slowest);
    double highest = 0;
    const double of_leak = run<Leak>(tau, largest, 5, 1, seed, 20000, highest);
    worst_of_leak = std::max(worst_of_leak, of_leak / std::max(highest, 1.0));
    highest = 0;
    const double longest_of_all = std::max({tau.rise[0], tau.rise[1], tau.decay[0], tau.decay[1]});
    const double of_none = run<Perfect>(tau, 0.1 / longest_of_all, 2, 1, seed, 10000, highest);
    worst_of_none = std::max(worst_of_none, of_none / std::max(highest, 1.0));
  }
  std::printf(
      "double exponential, time constants of 1.5 to 20 000 steps: worst %.1e of the largest potential, %.1e without "
      "a leak\n",
      worst_of_leak, worst_of_none);
  REQUIRE(worst_of_leak < 1e-3);
  REQUIRE(worst_of_none < 1e-2);
}

TEST_CASE("alpha: the current's peak is the weight, after tau") {
  using Model = Leaky<synapse::Alpha<2>>;
  const Taus tau{20, {5, 10}, {5, 10}};
  const auto made =
      Model::make(parameters_of<Model>(tau, {ReceptorWeights{1.0, 16}, ReceptorWeights{1.0, 16}}), 0.1).value();
  Population<Model, 1> cell(made);
  Inputs<Model> input{};
  for (std::uint32_t which = 0; which < 2; ++which)
    input[which][0] = static_cast<std::int32_t>(Model::weight(made, which, 0.5).value());
  std::array<double, 2> highest{}, when{};
  for (std::uint32_t number = 0; number < 500; ++number) {
    step(cell, input, number);
    for (std::size_t which = 0; which < 2; ++which) {
      const double current = cell.value(place_of<Model>.synapses[2 * which], 0);
      // arrives at the end of step 0
      const double t = number * 0.1, exact = 0.5 * t / tau.decay[which] * std::exp(1 - t / tau.decay[which]);
      REQUIRE(std::fabs(current - exact) < 2e-5);
      // what is fed in a step of 0.1 ms
      const double fed = cell.value(place_of<Model>.synapses[2 * which + 1], 0);
      REQUIRE(std::fabs(fed - 0.5 * 0.1 / tau.decay[which] * std::exp(1 - t / tau.decay[which])) < 1e-5);
      if (current > highest[which]) highest[which] = current, when[which] = t;
    }
  }
  for (std::size_t which = 0; which < 2; ++which) {
    REQUIRE(std::fabs(highest[which] - 0.5) < 2e-5);
    REQUIRE(std::fabs(when[which] - tau.decay[which]) < 0.11);
  }
}

TEST_CASE("double exponential: a step in 64-bit integers, held at the ends and counted; the membrane never wraps") {
  using Model = Neuron<membrane::Lif, synapse::DoubleExponential<3>, threshold::None>;
  std::uint64_t held_in_all = 0;
  for (const std::uint32_t seed : Seeds(100)) {
    CAPTURE(seed);
    Draw draw(seed);
    typename Model::Parameters parameters{};
    parameters.membrane = {.tau_ms = draw.scale(1.5, 1000), .c_nf = 0.25};
    parameters.threshold.origin_mv = -50;
    for (std::size_t which = 0; which < 3; ++which) {
      parameters.synapses.tau_rise_ms[which] = draw.scale(1.5, 1000);
      parameters.synapses.tau_decay_ms[which] = draw.scale(1.5, 1000);
      parameters.synapses.weights[which] = {0.001, 4 + draw.word() % 8};
    }
    const auto made = Model::make(parameters, 1.0);
    REQUIRE(made);
    const auto& own = made.value().constants;
    const auto& shared = own.synapses.shared;
    Population<Model, 1> cell(made.value());
    std::int64_t v = cell.words(0)[0];
    std::array<std::int64_t, 6> words{};
    const unsigned kind = seed % 4; // input: now and then, or all that there can be into one, others, all
    for (std::uint32_t number = 0; number < 300; ++number) {
      const std::int64_t dither = static_cast<std::int64_t>((number * 0x9E3779B9U) >> 16);
      const auto decayed = [dither](std::int64_t word, std::int64_t decay) {
        return word + ((word * ((decay + dither) >> 16)) >> 16);
      };
      std::uint32_t held = 0;
      const auto hold = [&held](std::int64_t sum) {
        const std::int64_t word = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
        held += word != sum ? 1 : 0;
        return word;
      };
      Inputs<Model> input{};
      for (std::size_t which = 0; which < 3; ++which) {
        if (kind == 0 ? draw.word() % 4 == 0 : which == kind - 1 || kind == 3)
          input[which][0] =
              kind == 0 ? static_cast<std::int32_t>(draw.word() % (1U << 30) >> draw.word() % 30) : (1 << 30) - 1;
      }
      v = decayed(v, own.membrane.decay) + own.membrane.drift;
      for (std::size_t which = 0; which < 3; ++which) {
        std::int64_t &psp = words[2 * which], &feed = words[2 * which + 1];
        const std::int64_t rising = feed >> shared.rise_shift[which];
        const std::int64_t risen = 2 * ((rising * own.synapses[3 * which + 1]) >> 32);
        const std::int64_t drive = std::min<std::int64_t>(psp + risen, INT32_MAX) >> shared.psp_shift;
        v += which % 2 == 0 ? drive : -drive;
        psp = decayed(hold(psp + rising), own.synapses[3 * which]);
        feed = hold(decayed(feed, own.synapses[3 * which + 2]) +
                    input[which][0] * (std::int64_t{1} << shared.input_shift[which]));
      }
      const std::uint32_t before = cell.saturations();
      step(cell, input, number);
      CAPTURE(number);
      REQUIRE(std::clamp<std::int64_t>(v, INT32_MIN, INT32_MAX) == v);
      REQUIRE(cell.words(0)[0] == v);
      for (std::size_t word = 0; word < 6; ++word) REQUIRE(cell.words(1 + word)[0] == words[word]);
      REQUIRE(cell.saturations() - before == held);
      held_in_all += held;
    }
  }
  REQUIRE(held_in_all > 1000);
}

TEST_CASE("alpha and double exponential: the range follows what is expected of the synapses") {
  // 10 000 synapses at 100 Hz bring far more than the range that fits a membrane; with what they bring it is coarser.
  using Model = Leaky<synapse::Alpha<2>>;
  const Taus tau{20, {5, 5}, {5, 5}};
  const ReceptorWeights expected{0.01, 16, 100, 10000};
  const auto made = Model::make(parameters_of<Model>(tau, {expected, expected}), 0.1).value();
  REQUIRE(made.making.unit_bits < 22);
  Population<Model, 1> cell(made);
  Draw draw(1);
  for (std::uint32_t number = 0; number < 5000; ++number) {
    Inputs<Model> input{};
    for (int spike = 0; spike < 100; ++spike)
      input[0][0] += static_cast<std::int32_t>(Model::weight(made, 0, 0.01).value());
    step(cell, input, number);
  }
  REQUIRE(cell.saturations() == 0);
  REQUIRE(cell.value(0, 0) > 700); // 13.6 nA through 80 MOhm
}

TEST_CASE("double exponential: constants of each neuron, in the scale of the population") {
  using Own = Neuron<membrane::Lif, PerNeuron<synapse::DoubleExponential<1>>>;
  const auto given = [](double rise, double decay) {
    return typename Own::Parameters{.membrane{.tau_ms = 20, .c_nf = 0.25},
                                    .synapses{.tau_rise_ms{rise}, .tau_decay_ms{decay}, .weights{{{0.1}}}}};
  };
  Population<Own, 1> cell(Own::make(given(2, 10), 0.1).value());
  REQUIRE(cell.set(0, given(3, 12)));
  REQUIRE(cell.set(0, given(12, 3)));
  REQUIRE(cell.set(0, given(4, 12)).error == Error::parameters_contradict); // the feed has another unit
}

TEST_CASE("alpha and double exponential: what is refused, and by which name") {
  using One = Leaky<synapse::Alpha<2>>;
  using Two = Leaky<synapse::DoubleExponential<2>>;
  const Taus good{20, {2, 2}, {5, 10}};
  const std::array<ReceptorWeights, 2> weights{ReceptorWeights{0.1}, ReceptorWeights{0.1}};
  REQUIRE(One::make(parameters_of<One>(good, weights), 0.1));
  for (std::uint32_t which = 0; which < 2; ++which) {
    for (const auto& [bad, error] : {std::pair{0.0, Error::parameter_not_positive},
                                     {-1.0, Error::parameter_not_positive},
                                     {HUGE_VAL, Error::parameter_out_of_range},
                                     {0.1, Error::time_constant_too_short},
                                     {1e7, Error::time_constant_too_long}}) {
      auto one = parameters_of<One>(good, weights);
      one.synapses.tau_ms[which] = bad;
      REQUIRE(One::make(one, 0.1).status() == Status{error, which, bad, "synapses.tau_ms"});
      auto two = parameters_of<Two>(good, weights);
      two.synapses.tau_rise_ms[which] = bad;
      REQUIRE(Two::make(two, 0.1).status() == Status{error, which, bad, "synapses.tau_rise_ms"});
      two = parameters_of<Two>(good, weights);
      two.synapses.tau_decay_ms[which] = bad;
      REQUIRE(Two::make(two, 0.1).status() == Status{error, which, bad, "synapses.tau_decay_ms"});
    }
    auto two = parameters_of<Two>(good, weights);
    two.synapses.weights[which].largest = 0;
    REQUIRE(Two::make(two, 0.1).status() ==
            Status{Error::parameter_not_positive, which, 0.0, "synapses.weights.largest"});
    two.synapses.weights[which] = {1e6};
    REQUIRE(Two::make(two, 0.1).status() == Status{Error::weight_out_of_range, which, 1e6, "synapses.weights.largest"});
    two.synapses.weights[which] = {0.1, 16, -1.0, 10};
    REQUIRE(Two::make(two, 0.1).status() ==
            Status{Error::parameter_out_of_range, which, -1.0, "synapses.weights.rate_hz"});
  }
}

TEST_CASE(
    "alpha and double exponential: coupled to a linear membrane as to a leaky one; the same bits at compile time") {
  using Linear = Neuron<membrane::Linear<1>, synapse::DoubleExponential<2>, threshold::None>;
  using Model = Leaky<synapse::DoubleExponential<2>>;
  static constexpr synapse::DoubleExponential<2>::Parameters synapses{
      .tau_rise_ms{2, 20}, .tau_decay_ms{5, 20}, .weights{{{0.1}, {0.1}}}};
  static constexpr auto made = Model::make({.membrane{.tau_ms = 20, .c_nf = 0.25}, .synapses = synapses}, 0.1).value();
  static constexpr auto linear =
      Linear::make({.membrane{.per_ms{{{-1 / 20.0}}}, .drift_per_ms{-65 / 20.0}, .per_na = 4}, .synapses = synapses},
                   0.1)
          .value();
  for (std::size_t which = 0; which < 6; ++which)
    REQUIRE(std::abs(made.constants.synapses[which] - linear.constants.synapses[which]) <= 1);
  for (std::size_t which = 0; which < 2; ++which) {
    const double finer = std::ldexp(
        1.0, linear.constants.synapses.shared.psp_shift + made.constants.synapses.shared.input_shift[which] -
                 made.constants.synapses.shared.psp_shift - linear.constants.synapses.shared.input_shift[which]);
    REQUIRE(std::fabs(linear.units[which] / (finer * made.units[which]) - 1) < 1e-12);
  }
  const volatile double tau = 2;
  auto given = typename Model::Parameters{.membrane{.tau_ms = 20, .c_nf = 0.25}, .synapses = synapses};
  given.synapses.tau_rise_ms[0] = tau;
  const auto again = Model::make(given, 0.1).value();
  REQUIRE(again.constants.synapses == made.constants.synapses);
  REQUIRE(again.units == made.units);
}
