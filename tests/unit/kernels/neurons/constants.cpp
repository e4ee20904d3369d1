// SPDX-License-Identifier: BSL-1.0
// Constants of the leaky membranes, the integrator, psps and refractory periods beside their equations in double, and where
// what they take ends, to the last bit.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <neuromorph/kernels/neurons/adaptation/calcium.hpp>
#include <neuromorph/kernels/neurons/adaptation/spike_triggered.hpp>
#include <neuromorph/kernels/neurons/currents/alternating.hpp>
#include <neuromorph/kernels/neurons/currents/direct.hpp>
#include <neuromorph/kernels/neurons/currents/noise.hpp>
#include <neuromorph/kernels/neurons/currents/steps.hpp>
#include <neuromorph/kernels/neurons/defaults.hpp>
#include <neuromorph/kernels/neurons/inputs/conductance.hpp>
#include <neuromorph/kernels/neurons/inputs/multiplicative.hpp>
#include <neuromorph/kernels/neurons/membranes/adex.hpp>
#include <neuromorph/kernels/neurons/membranes/integrator.hpp>
#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/membranes/lif_conductance.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/kernels/neurons/refractory/counted.hpp>
#include <neuromorph/kernels/neurons/refractory/in_queue.hpp>
#include <neuromorph/kernels/neurons/resets/subtraction.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/neurons/thresholds/adaptive.hpp>
#include <neuromorph/kernels/neurons/thresholds/none.hpp>
#include <neuromorph/kernels/neurons/thresholds/stochastic.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/neuron_runs.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Within half a unit, and what doubles leave.
bool is_nearest(std::int32_t word, double exact, double slack = 0.0) {
  return std::fabs(word - exact) <= 0.5 + 1e-5 + 1e-12 * std::fabs(exact) + slack;
}

using Leaky = Neuron<membrane::Lif, synapse::Exponential<1>, refractory::InMembrane>;

/// Steps of 1 ms, 1 MOhm, a threshold at 0 mV, and rest there.
template <class Model>
typename Model::Parameters round_numbers() {
  typename Model::Parameters given{};
  given.membrane = {.tau_ms = 8.0, .r_mohm = 1.0, .v_rest_mv = 0.0, .v_initial_mv = -20.0};
  given.synapses.tau_ms.fill(4.0);
  for (auto& weight : given.synapses.weights) weight.largest = 0.01;
  given.threshold = {0.0};
  given.reset = {-20.0};
  return given;
}
template <class Model>
Status status_of(auto change, double dt_ms = 1.0) {
  auto given = round_numbers<Model>();
  change(given);
  return Model::make(given, dt_ms).status();
}
/// Of a number that `put` puts where it belongs.
template <class Model>
Limit limit_of(auto put, double good, double bad, double dt_ms = 1.0) {
  return limit_between(
      good, bad, [&](double value) { return status_of<Model>([&](auto& given) { put(given, value); }, dt_ms).ok(); });
}
Status refusal(Error error, double value, const char* name, std::uint32_t where = 0) {
  return {error, where, value, name};
}
constexpr auto tau_m = [](auto& given, double value) { given.membrane.tau_ms = value; };
constexpr auto capacitance = [](auto& given, double value) {
  given.membrane.c_nf = value, given.membrane.r_mohm = 0.0;
};
constexpr auto resistance = [](auto& given, double value) { given.membrane.r_mohm = value; };
constexpr auto offset = [](auto& given, double value) { given.membrane.i_offset_na = value; };
constexpr auto v_rest = [](auto& given, double value) { given.membrane.v_rest_mv = value; };
constexpr auto v_initial = [](auto& given, double value) { given.membrane.v_initial_mv = value; };

} // namespace

TEST_CASE("constants: of a leaky membrane ends are where the page has them", "[kernels][neuron]") {
  REQUIRE(status_of<Leaky>([](auto&) {}).ok());
  // 1.45 steps to 10^7, as the division says it
  const auto rate = [](double least, double most) {
    return limit_between(4.0, most == 0.0 ? 1.0 : 1e9,
                         [&](double tau) { return 1.0 / tau <= least && 1.0 / tau >= most; });
  };
  CHECK(limit_of<Leaky>(tau_m, 8.0, 1.0).last == rate(0.69, 0.0).last);
  const auto slow = [](auto& given, double value) {
    given.membrane.tau_ms = value, given.membrane.v_initial_mv = -1.0, given.synapses.weights[0].largest = 1e-6;
  };
  CHECK(Leaky::make(round_numbers<Leaky>(), 1.0).ok());
  CHECK(status_of<Leaky>([&](auto& given) { slow(given, 2e7); }) ==
        refusal(Error::time_constant_too_long, 2e7, "membrane.tau_ms"));
  CHECK(detail::rate_of(1e7, 1.0, "tau").ok());
  CHECK_FALSE(detail::rate_of(std::nextafter(1e7, 1e8), 1.0, "tau").ok());
  CHECK(detail::rate_of(8.0, 2.0, "tau").value() == detail::one_q60 / 4);
  for (const double wrong : {0.0, -1.0})
    CHECK(detail::rate_of(wrong, 1.0, "tau").status() == refusal(Error::parameter_not_positive, wrong, "tau"));
  CHECK(detail::rate_of(infinite, 1.0, "tau").status() == refusal(Error::parameter_out_of_range, infinite, "tau"));
  CHECK(detail::rate_of(1.0, 1.0, "tau").status() == refusal(Error::time_constant_too_short, 1.0, "tau"));

  CHECK(limit_of<Leaky>(resistance, 1.0, -1.0).next == 0.0);
  CHECK(limit_of<Leaky>(capacitance, 8.0, -1.0).last > 0.0);
  CHECK(status_of<Leaky>([](auto& given) { capacitance(given, infinite); }) ==
        refusal(Error::parameter_out_of_range, infinite, "membrane.c_nf"));
  CHECK(status_of<Leaky>([](auto& given) { resistance(given, infinite); }) ==
        refusal(Error::parameter_out_of_range, infinite, "membrane.r_mohm"));
  CHECK(status_of<Leaky>([](auto& given) { capacitance(given, -0.5); }) ==
        refusal(Error::parameter_not_positive, -0.5, "membrane.c_nf"));
  CHECK(status_of<Leaky>([](auto& given) { resistance(given, -0.5); }) ==
        refusal(Error::parameter_not_positive, -0.5, "membrane.r_mohm"));
  CHECK(status_of<Leaky>([](auto& given) { resistance(given, 0.0); }) ==
        refusal(Error::parameters_contradict, 0.0, "membrane.r_mohm"));
  CHECK(status_of<Leaky>([](auto& given) { given.membrane.c_nf = 8.0; }) ==
        refusal(Error::parameters_contradict, 1.0, "membrane.r_mohm"));
  CHECK(status_of<Leaky>([](auto& given) { capacitance(given, 1e-310); }) ==
        refusal(Error::parameter_out_of_range, 1e-310, "membrane.c_nf")); // no finite resistance
  for (const double small : {0.5, 0.9}) {                                 // above zero is all that it takes
    CHECK(status_of<Leaky>([&](auto& given) { resistance(given, small); }).ok());
    CHECK(status_of<Leaky>([&](auto& given) { capacitance(given, small); }).ok());
  }

  // a constant current below 10^6 nA and 1024 mV, rest below 1024 mV, both together below 256 mV
  const auto weak = [](auto& given, double value) {
    given.membrane.r_mohm = 0x1p-13, given.membrane.i_offset_na = value, given.synapses.weights[0].largest = 1.0;
  };
  CHECK(limit_of<Leaky>(weak, 0.0, 1e7).next == 1e6);
  CHECK(limit_of<Leaky>(weak, 0.0, -1e7).next == -1e6);
  for (const double sign : {1.0, -1.0}) {
    CHECK(limit_of<Leaky>(offset, 0.0, sign * 1e5).next == sign * 256.0);
    CHECK(limit_of<Leaky>(v_rest, 0.0, sign * 1e5).next == sign * 256.0);
    CHECK(limit_of<Leaky>(v_rest, 0.0, sign * 1e300).next == sign * 256.0);
    const auto pulled_back = [&](auto& given, double value) {
      given.membrane.v_rest_mv = -sign * 900.0, given.membrane.i_offset_na = value;
    };
    CHECK(limit_of<Leaky>(pulled_back, sign * 900.0, sign * 1e5).next == sign * 1024.0);
    const auto pushed_back = [&](auto& given, double value) {
      given.membrane.i_offset_na = -sign * 900.0, given.membrane.v_rest_mv = value;
    };
    CHECK(limit_of<Leaky>(pushed_back, sign * 900.0, sign * 1e5).next == sign * 1024.0);
    CHECK(status_of<Leaky>([&](auto& given) { offset(given, sign * 1100.0); }) ==
          refusal(Error::parameter_out_of_range, sign * 1100.0, "membrane.i_offset_na"));
    CHECK(status_of<Leaky>([&](auto& given) { offset(given, sign * 2e6); }) ==
          refusal(Error::parameter_out_of_range, sign * 2e6, "membrane.i_offset_na"));
    CHECK(status_of<Leaky>([&](auto& given) { v_rest(given, sign * 1100.0); }) ==
          refusal(Error::parameter_out_of_range, sign * 1100.0, "membrane.v_rest_mv"));
    CHECK(status_of<Leaky>([&](auto& given) { offset(given, sign * 300.0); }) ==
          refusal(Error::parameter_out_of_range, 0.0, "membrane.v_rest_mv"));
    CHECK(status_of<Leaky>([&](auto& given) { v_rest(given, sign * infinite); }) ==
          refusal(Error::parameter_out_of_range, sign * infinite, "membrane.v_rest_mv"));
  }
  // below the threshold, to 63/64 of the range
  CHECK(limit_of<Leaky>(v_initial, -20.0, 10.0).next == -0x1p-23 + 0x1p-76);
  CHECK(limit_of<Leaky>(v_initial, -20.0, -1e4).next == -504.0 - 0x1p-23);
  CHECK(status_of<Leaky>([&](auto& given) { v_initial(given, 1.0); }) ==
        refusal(Error::parameter_out_of_range, 1.0, "membrane.v_initial_mv"));
  CHECK(status_of<Leaky>([&](auto& given) { given.reset.v_mv = 1.0; }) ==
        refusal(Error::parameter_out_of_range, 1.0, "reset.v_mv"));
  CHECK(status_of<Leaky>([&](auto& given) { given.threshold.v_mv = infinite; }) ==
        refusal(Error::parameter_out_of_range, infinite, "threshold.v_mv"));
  const auto to = [](auto& given, double value) { given.reset.v_mv = value; };
  CHECK(limit_of<Leaky>(to, -20.0, -1e4).next == -504.0 - 0x1p-23);
}

TEMPLATE_TEST_CASE("constants: of a leaky membrane are those of its equation, to nearest", "[kernels][neuron]",
                   rounding::Down, rounding::Nearest) {
  constexpr bool is_down = std::is_same_v<TestType, rounding::Down>;
  const auto check = [&](auto model, std::uint32_t seed, double lost) {
    using Model = decltype(model);
    NeuronDraw draw(seed);
    const double dt = draw.log_between(0.05, 2.0);
    auto given = round_numbers<Model>();
    given.membrane.tau_ms = dt * draw.log_between(1.46, 1e4);
    const double r = draw.log_between(1.0, 50.0);
    if (draw.below(2) == 0)
      given.membrane.r_mohm = r;
    else
      given.membrane.r_mohm = 0.0, given.membrane.c_nf = given.membrane.tau_ms / r;
    given.threshold.v_mv = draw.between(-60.0, -40.0);
    given.membrane.v_rest_mv = given.threshold.v_mv + draw.between(-60.0, 60.0);
    given.membrane.i_offset_na = draw.between(-60.0, 60.0) / r;
    given.membrane.v_initial_mv = given.threshold.v_mv - draw.between(0.1, 100.0);
    given.reset.v_mv = given.threshold.v_mv - draw.between(0.1, 100.0);
    for (auto& tau : given.synapses.tau_ms) tau = dt * draw.log_between(1.5, 100.0);
    for (auto& weight : given.synapses.weights) {
      weight.largest = draw.log_between(0.01, 1.0) / r;
      weight.bits = 8 + draw.below(12);
      if (draw.below(3) == 0) weight.drive_mv = draw.between(100.0, 5000.0);
    }
    const auto result = Model::make(given, dt);
    INFO(result.status().parameter);
    REQUIRE(result.ok());
    const auto& made = result.value();
    const int bits = made.making.unit_bits;
    const double unit = std::ldexp(1.0, bits), whole = std::ldexp(1.0, 32), threshold = given.threshold.v_mv;
    const double lost_in_step = -std::expm1(-dt / given.membrane.tau_ms);
    const double rest = given.membrane.v_rest_mv - threshold + r * given.membrane.i_offset_na;
    CHECK(bits <= 22);
    CHECK(is_nearest(made.constants.membrane.decay, -lost_in_step * whole, 1e-3));
    CHECK(is_nearest(made.constants.membrane.drift, rest * lost_in_step * unit + (is_down ? lost : 0.0), 1e-3));
    CHECK(is_nearest(made.initial.membrane.v, (given.membrane.v_initial_mv - threshold) * unit));
    CHECK(is_nearest(made.constants.reset.v, (given.reset.v_mv - threshold) * unit));
    CHECK(made.quantities.membrane.v.per_unit == 1.0 / unit);
    CHECK(made.quantities.membrane.v.origin == threshold);
    CHECK(made.making.r_mohm == Approx(r).epsilon(1e-12));
    const double room = lost_in_step * (0.98 - std::fabs(rest) * unit / std::ldexp(1.0, 31));
    CHECK(made.making.room == Approx(room).epsilon(1e-9));
    // psps have the least shift with which all of them at an end leave the membrane room
    const auto& shared = made.constants.synapses.shared;
    const double receptors = Model::receptors;
    CHECK(std::ldexp(receptors, -shared.psp_shift) <= room * (1 + 1e-9));
    if (shared.psp_shift > 0) CHECK(std::ldexp(receptors, 1 - shared.psp_shift) > room * (1 - 1e-9));
    // what is asked for has room in the unit, and would not have in a finer one
    double needed = 0.0;
    for (const auto& weight : given.synapses.weights) needed = std::max(needed, weight.drive_mv * lost_in_step);
    const auto hold = [&](int at_bits) {
      const double share = lost_in_step * (0.98 - std::fabs(rest) * std::ldexp(1.0, 22 - 31));
      return std::ldexp(1.0, 31 - at_bits) * share / (2.0 * receptors);
    };
    if (bits < 22) CHECK(needed > hold(bits + 1) * (1 - 1e-9));
    CHECK(needed <= hold(bits) * (1 + 1e-9));
    for (std::uint32_t which = 0; which < Model::receptors; ++which) {
      const auto& weight = given.synapses.weights[which];
      const double tau = given.synapses.tau_ms[which], a = dt / given.membrane.tau_ms, b = dt / tau;
      CHECK(is_nearest(made.constants.synapses[which], std::expm1(-b) * whole, 1e-3));
      // of 1 nA at the begin of a step, mV at its end
      const double couples =
          std::fabs(a - b) < 1e-6 ? r * a * std::exp(-a) : r * a * (std::exp(-b) - std::exp(-a)) / (a - b);
      const double psp_units = couples * std::ldexp(unit, shared.psp_shift);
      CHECK(made.quantities.synapses[which].per_unit * psp_units == Approx(1.0).epsilon(1e-6));
      const double of_one = std::ldexp(psp_units, -shared.input_shift[which]);
      CHECK(made.units[which] == Approx(of_one).epsilon(1e-6));
      // the largest weight fills its bits to a half at least
      const double most = std::ldexp(1.0, static_cast<int>(weight.bits));
      CHECK(of_one * weight.largest < most);
      if (shared.input_shift[which] > 0) CHECK(2.0 * of_one * weight.largest > most - 3.0);
    }
  };
  for (const std::uint32_t seed : Seeds(sanitized ? 100 : 1000)) {
    INFO("seed " << seed);
    check(Neuron<membrane::Lif, synapse::Exponential<1>, refractory::InMembrane, TestType>{}, seed, 1.0);
    check(Neuron<membrane::Lif, synapse::Exponential<2>, refractory::InMembrane, TestType>{}, seed, 0.5);
    check(Neuron<membrane::Lif, synapse::Exponential<3>, refractory::InMembrane, TestType>{}, seed, 1.0);
  }
}

namespace {

template <int Doublings, class Rounding = rounding::Nearest>
using Conducting = Neuron<membrane::LifConductance<Doublings>, synapse::Exponential<2>, input::Conductance<2>,
                          refractory::InMembrane, Rounding>;

template <class Model>
void compare_conducting(std::uint32_t seed, int doublings, bool is_down) {
  NeuronDraw draw(seed);
  const double dt = draw.log_between(0.05, 1.0);
  auto given = round_numbers<Model>();
  given.membrane.tau_ms = dt * draw.log_between(2.0, 1e3);
  given.membrane.r_mohm = draw.log_between(1.0, 50.0);
  given.threshold.v_mv = draw.between(-60.0, -40.0);
  given.reset.v_mv = given.threshold.v_mv - 10.0;
  given.membrane.v_rest_mv = given.threshold.v_mv + draw.between(-70.0, 70.0);
  given.membrane.i_offset_na = draw.between(-70.0, 70.0) / given.membrane.r_mohm;
  given.membrane.v_initial_mv = given.threshold.v_mv - draw.between(0.1, 100.0);
  for (auto& reversal : given.input.reversal_mv) reversal = given.threshold.v_mv + draw.between(-149.0, 149.0);
  const double c = given.membrane.tau_ms / given.membrane.r_mohm;
  for (auto& tau : given.synapses.tau_ms) tau = dt * draw.log_between(1.5, 100.0);
  for (auto& weight : given.synapses.weights) weight.largest = draw.log_between(1e-4, 0.05) * c / dt;
  const auto result = Model::make(given, dt);
  INFO(result.status().parameter);
  REQUIRE(result.ok());
  const auto& made = result.value();
  const double unit = std::ldexp(1.0, 22 - doublings), leak = dt / given.membrane.tau_ms;
  CHECK(made.making.unit_bits == 22 - doublings);
  const double rest =
      given.membrane.v_rest_mv - given.threshold.v_mv + given.membrane.r_mohm * given.membrane.i_offset_na;
  // rounded down are the leak, phi1 and its doublings, and what each receptor brings
  const double lost = is_down ? 0.5 * (1 + 2 + 1 + doublings) : 0.0;
  CHECK(is_nearest(made.constants.membrane.decay, -leak * std::ldexp(1.0, 32)));
  CHECK(is_nearest(made.constants.membrane.drift, rest * leak * unit + lost, 1e-3));
  CHECK(is_nearest(made.initial.membrane.v, (given.membrane.v_initial_mv - given.threshold.v_mv) * unit));
  CHECK(made.making.c_nf == Approx(c).epsilon(1e-12));
  CHECK(made.making.room == Approx(std::ldexp(0.2 * leak, -doublings)).epsilon(1e-12));
  for (std::uint32_t which = 0; which < 2; ++which) {
    CHECK(is_nearest(made.constants.input[which], (given.input.reversal_mv[which] - given.threshold.v_mv) * unit));
    // of 1 uS, the mean over the step, as a share: of two receptors each has a quarter of 2^doublings
    const double b = dt / given.synapses.tau_ms[which], share = dt / c * -std::expm1(-b) / b;
    const double psp_units = std::ldexp(share, 33 - doublings);
    CHECK(made.quantities.synapses[which].per_unit * psp_units == Approx(1.0).epsilon(1e-9));
    CHECK(std::string(made.quantities.synapses[which].unit) == "uS");
    CHECK(made.units[which] ==
          Approx(std::ldexp(psp_units, -made.constants.synapses.shared.input_shift[which])).epsilon(1e-9));
  }
}

} // namespace

TEST_CASE("constants: of a membrane with conductances are those of its equation, to nearest", "[kernels][neuron]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 50 : 500)) {
    INFO("seed " << seed);
    compare_conducting<Conducting<0>>(seed, 0, false);
    compare_conducting<Conducting<1>>(seed, 1, false);
    compare_conducting<Conducting<3, rounding::Down>>(seed, 3, true);
  }
}

TEST_CASE("constants: of a membrane with conductances ends are where its header has them", "[kernels][neuron]") {
  using Model = Conducting<1>;
  const auto given = [](auto change) {
    return [change](auto& all, double value) {
      all.input.reversal_mv = {0.0, 0.0};
      for (auto& weight : all.synapses.weights) weight.largest = 1e-3;
      change(all, value);
    };
  };
  CHECK(limit_of<Model>(given(tau_m), 8.0, 1.5).last == 2.0);
  CHECK(status_of<Model>([&](auto& all) { given(tau_m)(all, 1.9); }) ==
        refusal(Error::time_constant_too_short, 1.9, "membrane.tau_ms"));
  for (const double sign : {1.0, -1.0}) {
    CHECK(limit_of<Model>(given(v_rest), 0.0, sign * 1000.0).last == sign * 150.0);
    CHECK(limit_of<Model>(given(offset), 0.0, sign * 1000.0).last == sign * 150.0);
    CHECK(status_of<Model>([&](auto& all) { given(v_rest)(all, sign * 160.0); }) ==
          refusal(Error::parameter_out_of_range, sign * 160.0, "membrane.v_rest_mv"));
    for (const std::uint32_t which : {0U, 1U}) {
      const auto reversal = given([which](auto& all, double value) { all.input.reversal_mv[which] = value; });
      CHECK(limit_of<Model>(reversal, 0.0, sign * 1000.0).next == sign * 150.0);
      CHECK(status_of<Model>([&](auto& all) { reversal(all, sign * infinite); }) ==
            refusal(Error::parameter_out_of_range, sign * infinite, "input.reversal_mv", which));
      CHECK(status_of<Model>([&](auto& all) { reversal(all, sign * 160.0); }) ==
            refusal(Error::parameter_out_of_range, sign * 160.0, "input.reversal_mv", which));
    }
  }
  CHECK(limit_of<Model>(given(v_initial), -1.0, -1000.0).next == -150.0);
  CHECK(status_of<Model>([&](auto& all) { given(tau_m)(all, -1.0); }) ==
        refusal(Error::parameter_not_positive, -1.0, "membrane.tau_ms"));
  // without a reach of the membrane, what its word holds
  using Quadratic = Neuron<membrane::Izhikevich, synapse::Exponential<1>, input::Conductance<1>>;
  const auto reversal = [](double mv) {
    return Quadratic::make(
        {.synapses = {{5.0}, {{{.largest = 1e-3}}}}, .input = {.reversal_mv = {mv}}, .threshold = {32.0}}, 1.0);
  };
  const auto accepts = [&](double mv) { return reversal(mv).ok(); };
  const int bits = reversal(0.0).value().making.unit_bits;
  const double range = std::ldexp(1.0, 31 - bits), half = std::ldexp(1.0, -bits - 1);
  CHECK(limit_between(0.0, 1e4, accepts).next == Approx(32.0 + range - half).epsilon(1e-15));
  CHECK(limit_between(0.0, -1e4, accepts).next == Approx(32.0 - range - half).epsilon(1e-15));
}

TEST_CASE("constants: of an integrator", "[kernels][neuron]") {
  using Model = Neuron<membrane::Integrator, synapse::Exponential<1>, refractory::InMembrane, rounding::Nearest>;
  const auto make = [](membrane::Integrator::Parameters membrane, double dt = 1.0) {
    return Model::make(
        {.membrane = membrane, .synapses = {{4.0 * dt}, {{{.largest = 0.001}}}}, .threshold = {0.0}, .reset = {-1.0}},
        dt);
  };
  const membrane::Integrator::Parameters usual{.c_nf = 1.0, .v_initial_mv = -1.0};
  REQUIRE(make(usual).ok());
  for (const std::uint32_t seed : Seeds(300)) {
    INFO("seed " << seed);
    NeuronDraw draw(seed);
    const double dt = draw.log_between(0.01, 10.0), c = draw.log_between(0.5, 10.0);
    const double flow = draw.between(-30.0, 30.0), mv = -draw.between(0.01, 500.0);
    const auto made = make({.c_nf = c, .i_offset_na = flow * c / dt, .v_initial_mv = mv}, dt).value();
    const double unit = std::ldexp(1.0, 22);
    CHECK(made.making.unit_bits == 22);
    CHECK(is_nearest(made.constants.membrane.drift, flow * unit, 1e-3));
    CHECK(is_nearest(made.initial.membrane.v, mv * unit));
    CHECK(made.quantities.membrane.v.per_unit == 1.0 / unit);
    CHECK(made.making.room == 1.0 / 64.0);
    // all that flows in over the step
    const double psp_units =
        dt / c * -std::expm1(-0.25) / 0.25 * std::ldexp(unit, made.constants.synapses.shared.psp_shift);
    CHECK(made.quantities.synapses[0].per_unit * psp_units == Approx(1.0).epsilon(1e-9));
  }
  const auto limit = [&](double membrane::Integrator::Parameters::*member, double good, double bad) {
    return limit_between(good, bad, [&](double value) {
      auto given = usual;
      given.*member = value;
      return make(given).ok();
    });
  };
  using P = membrane::Integrator::Parameters;
  // 1/8 of the range
  CHECK(limit(&P::i_offset_na, 0.0, 1e6).next == 64.0 - 0x1p-23);
  CHECK(limit(&P::i_offset_na, 0.0, -1e6).next == -64.0 + 0x1p-23);
  CHECK(limit(&P::v_initial_mv, -1.0, -1e6).next == -504.0 - 0x1p-23);
  const auto told = [&](double membrane::Integrator::Parameters::*member, double value) {
    auto given = usual;
    given.*member = value;
    return make(given).status();
  };
  CHECK(told(&P::c_nf, 0.0) == refusal(Error::parameter_not_positive, 0.0, "membrane.c_nf"));
  CHECK(told(&P::c_nf, -1.0) == refusal(Error::parameter_not_positive, -1.0, "membrane.c_nf"));
  CHECK(told(&P::c_nf, 0.5).ok());
  CHECK(told(&P::c_nf, infinite) == refusal(Error::parameter_out_of_range, infinite, "membrane.c_nf"));
  CHECK(told(&P::c_nf, 1e-310) == refusal(Error::parameter_out_of_range, 1e-310, "membrane.c_nf"));
  for (const double wrong : {100.0, -100.0, infinite, -infinite})
    CHECK(told(&P::i_offset_na, wrong) == refusal(Error::parameter_out_of_range, wrong, "membrane.i_offset_na"));
  CHECK(told(&P::v_initial_mv, 1.0) == refusal(Error::parameter_out_of_range, 1.0, "membrane.v_initial_mv"));
  // what is brought makes the unit coarser
  const auto driven = Model::make({.membrane = usual,
                                   .synapses = {{4.0}, {{{.largest = 1.0, .drive_mv = 1000.0}}}},
                                   .threshold = {0.0},
                                   .reset = {-1.0}},
                                  1.0);
  REQUIRE(driven.ok());
  const int bits = driven.value().making.unit_bits;
  CHECK(bits < 22);
  CHECK(std::ldexp(1.0, 31 - bits) / 128.0 >= 1000.0);
  CHECK(std::ldexp(1.0, 30 - bits) / 128.0 < 1000.0);
}

namespace {

template <class Refractory>
using Waiting = Neuron<membrane::Lif, synapse::Exponential<1>, Refractory>;
constexpr auto period = [](auto& given, double value) { given.refractory.period_ms = value; };

} // namespace

TEST_CASE("constants: of a refractory period are whole steps", "[kernels][neuron]") {
  const auto made = [](auto model, double period_ms, double tau_ms = 20.0) {
    using Model = decltype(model);
    auto given = round_numbers<Model>();
    given.refractory.period_ms = period_ms, given.membrane.tau_ms = tau_ms;
    return Model::make(given, 1.0).value();
  };
  using InMembrane = Waiting<refractory::InMembrane>;
  using Counted = Waiting<refractory::Counted>;
  using InQueue = Waiting<refractory::InQueue>;
  for (const auto& [period_ms, steps] : {std::pair{0.0, 0}, {0.4, 0}, {0.6, 1}, {1.0, 1}, {7.4, 7}, {7.6, 8}}) {
    const auto in_membrane = made(InMembrane{}, period_ms);
    CHECK(in_membrane.constants.refractory.after_spike == (steps == 0 ? in_membrane.constants.reset.v : steps - 1));
    const auto counted = made(Counted{}, period_ms);
    CHECK(counted.constants.refractory.steps == steps);
    CHECK(counted.quantities.refractory.left.per_unit == 1.0);
    CHECK(counted.initial.refractory.left == 0);
    CHECK(made(InQueue{}, period_ms).constants.refractory.steps == steps);
    CHECK(made(InQueue{}, period_ms).constants.refractory.again == 0);
  }
  // a neuron stays down for half a time constant of the membrane, and is put there again
  for (std::uint32_t steps = 1; steps < 200; ++steps)
    for (const double tau_ms : {2.0, 7.0, 20.0}) {
      const auto of = made(InQueue{}, steps, tau_ms).constants.refractory;
      const auto stay = static_cast<std::uint32_t>(tau_ms / 2.0);
      CHECK(of.shared.stay == stay);
      const std::uint32_t again = static_cast<std::uint32_t>(of.again) >> 16;
      CHECK((of.again & 0xFFFF) == 0);
      CHECK(static_cast<std::uint32_t>(of.steps) + again * stay == steps);
      CHECK(of.steps >= 1);
      CHECK(static_cast<std::uint32_t>(of.steps) <= stay);
    }
  const auto check = [](auto model) {
    using Model = decltype(model);
    for (const double wrong : {-0.1, -infinite, infinite, 1e9})
      CHECK(status_of<Model>([&](auto& given) { period(given, wrong); }) ==
            refusal(Error::parameter_out_of_range, wrong, "refractory.period_ms"));
  };
  check(InMembrane{}), check(Counted{}), check(InQueue{});
  CHECK(limit_of<InMembrane>(period, 0.0, 1e12).next == 1e9);
  CHECK(limit_of<Counted>(period, 0.0, 1e12).next == 1e9);
  // put down again 65535 times: the last is 4 steps of 8 ms
  CHECK(limit_of<InQueue>(period, 0.0, 1e12).next == 4.0 * 65536.0 + 0.5);
  const auto brief = [](auto& given, double value) { given.membrane.tau_ms = 1.6, given.refractory.period_ms = value; };
  CHECK(limit_of<InQueue>(brief, 0.0, 10.0).next == 1.5); // falls through within a step: one at most
  CHECK(status_of<InQueue>([](auto& given) { period(given, 3e5); }) ==
        refusal(Error::parameter_out_of_range, 3e5, "refractory.period_ms"));
  using Stay = refractory::InQueue::Shared;
  CHECK(refractory::InQueue::is_covered(Stay{3}, Stay{3}));
  CHECK(refractory::InQueue::is_covered(Stay{4}, Stay{3}));
  CHECK_FALSE(refractory::InQueue::is_covered(Stay{2}, Stay{3}));
}

TEMPLATE_TEST_CASE("constants: of a current that spikes leave ends are those of its word", "[kernels][neuron]",
                   adaptation::SpikeTriggered, adaptation::Calcium) {
  using Model = Neuron<membrane::Lif, synapse::Exponential<1>, refractory::InMembrane, TestType>;
  const auto bare = Leaky::make(round_numbers<Leaky>(), 1.0).value();
  auto given = round_numbers<Model>();
  const auto made = Model::make(given, 1.0).value();
  const int shift = made.constants.adaptation.shared.shift;
  // the end of the word takes at most a quarter of the room, and that is what is left of it
  CHECK(std::ldexp(1.0, -shift) <= bare.making.room / 4.0);
  CHECK(std::ldexp(2.0, -shift) > bare.making.room / 4.0);
  CHECK(made.making.room == Approx(bare.making.room - std::ldexp(1.0, -shift)).epsilon(1e-12));
  const double unit = made.quantities.adaptation.trace.per_unit, word = std::ldexp(1.0, 31);
  CHECK(is_nearest(made.constants.adaptation.rise, given.adaptation.rise / unit));
  CHECK(is_nearest(made.constants.adaptation.decay, std::expm1(-1.0 / given.adaptation.tau_ms) * 2.0 * word));
  CHECK(made.quantities.adaptation.trace.origin == 0.0);
  // of a unit, 1 nA in both kinds, at the begin of a step: mV at its end
  const double slow = 1.0 / given.adaptation.tau_ms, fast = 1.0 / 8.0;
  const double of_one = fast * (std::exp(-slow) - std::exp(-fast)) / (fast - slow);
  CHECK(unit * of_one * std::ldexp(1.0, 22 + shift) == Approx(1.0).epsilon(1e-6));
  const auto rise = [](auto& all, double value) { all.adaptation.rise = value; };
  const auto initial = [](auto& all, double value) { all.adaptation.initial = value; };
  for (const double sign : {1.0, -1.0}) {
    CHECK(limit_of<Model>(rise, 0.1, sign * 1e9).next == Approx(sign * (word - 0.5) * unit).epsilon(1e-14));
    CHECK(limit_of<Model>(initial, 0.1, sign * 1e9).next == Approx(sign * (word - 0.5) * unit).epsilon(1e-14));
    CHECK(status_of<Model>([&](auto& all) { rise(all, sign * 0.49 * unit); }) ==
          refusal(Error::parameter_out_of_range, sign * 0.49 * unit, "adaptation.rise"));
    CHECK(status_of<Model>([&](auto& all) { rise(all, sign * 0.51 * unit); }).ok());
    CHECK(status_of<Model>([&](auto& all) { initial(all, sign * 0.49 * unit); }).ok());
    CHECK(status_of<Model>([&](auto& all) { rise(all, sign * 1e9); }) ==
          refusal(Error::parameter_out_of_range, sign * 1e9, "adaptation.rise"));
    CHECK(status_of<Model>([&](auto& all) { initial(all, sign * 1e9); }) ==
          refusal(Error::parameter_out_of_range, sign * 1e9, "adaptation.initial"));
  }
  CHECK(status_of<Model>([&](auto& all) { rise(all, 0.0); }).ok());
  using Shared = typename TestType::Shared;
  CHECK(TestType::is_covered(Shared{4}, Shared{4}));
  CHECK_FALSE(TestType::is_covered(Shared{4}, Shared{5}));
  CHECK_FALSE(TestType::is_covered(Shared{5}, Shared{4}));
}

TEST_CASE("constants: what a psp must hold is the mean of what is brought, its deviations and some at once",
          "[kernels][neuron]") {
  for (const std::uint32_t seed : Seeds(500)) {
    INFO("seed " << seed);
    NeuronDraw draw(seed);
    const double dt = draw.log_between(0.05, 2.0), kept = draw.between(0.5, 0.999);
    const double rate = draw.log_between(0.01, 1000.0), fan_in = draw.log_between(0.1, 10000.0);
    const ReceptorWeights weights{.largest = 1.0, .rate_hz = rate, .fan_in = fan_in};
    const double events = rate * fan_in * dt / 1000.0;
    const double exact = events / (1.0 - kept) + 6.0 * std::sqrt(events / ((1.0 - kept) * (1.0 + kept))) + 8.0;
    CHECK(detail::psp_of(weights, dt, kept).value() == Approx(exact).epsilon(1e-4));
  }
  const auto of = [](double rate_hz, double fan_in) {
    return detail::psp_of({.rate_hz = rate_hz, .fan_in = fan_in}, 1.0, 0.5);
  };
  CHECK(of(0.0, 0.0).value() == 8.0);
  CHECK(of(-1.0, 1.0).status() == refusal(Error::parameter_out_of_range, -1.0, "synapses.weights.rate_hz"));
  CHECK(of(1.0, -1.0).status() == refusal(Error::parameter_out_of_range, -1.0, "synapses.weights.fan_in"));
  CHECK(of(0.5, 0.5).ok());
  CHECK(limit_between(1.0, 1e12, [&](double rate) { return of(rate, 1000.0).ok(); }).next == 1e6);
  CHECK(of(1e6, 1000.0).status() == refusal(Error::parameter_out_of_range, 1e6, "synapses.weights.rate_hz"));
  CHECK_FALSE(of(infinite, 1.0).ok());
  for (const double root : {0.0, 0.5, 1.0, 3.0, 1000.0, 1023.0, 0x1p-20})
    CHECK(detail::square_root(root * root) == root);
  for (const double square : {2.0, 10.0, 0.1, 999999.0, 1048575.0})
    CHECK(std::fabs(detail::square_root(square) - std::sqrt(square)) <= 0x1p-20);
  for (const int exponent : {-40, -1, 0, 1, 31, 100})
    CHECK(detail::power_of_two(exponent) == std::ldexp(1.0, exponent));
}

TEST_CASE("constants: a word of a membrane is within its reach, and below the threshold where it fires",
          "[kernels][neuron]") {
  Making making;
  making.threshold_mv = -50.0;
  making.unit_bits = 22;
  constexpr std::int64_t room = 1 << 25;
  for (const bool is_bounded : {true, false}) {
    CHECK(Making::may_begin_at(INT32_MIN + room, is_bounded));
    CHECK_FALSE(Making::may_begin_at(INT32_MIN + room - 1, is_bounded));
    CHECK(Making::may_begin_at(-1, is_bounded));
    CHECK(Making::may_begin_at(0, is_bounded) == !is_bounded);
    CHECK(Making::may_begin_at(INT32_MAX - room, is_bounded) == !is_bounded);
    CHECK_FALSE(Making::may_begin_at(INT32_MAX - room + 1, is_bounded));
  }
  making.is_bounded = false;
  CHECK(making.word_of(-60.0, "v").value() == -10 * (1 << 22));
  CHECK(making.word_of(-40.0, "v").value() == 10 * (1 << 22));
  making.reach_mv = 100.0;
  const auto accepts = [&](double mv) { return making.word_of(mv, "v").ok(); };
  CHECK(limit_between(-50.0, 1000.0, accepts).next == Approx(50.0).epsilon(1e-15));
  CHECK(limit_between(-50.0, -1000.0, accepts).next == Approx(-150.0).epsilon(1e-15));
  CHECK(making.word_of(60.0, "v").status() == refusal(Error::parameter_out_of_range, 60.0, "v"));
  CHECK(making.word_of(infinite, "v").status() == refusal(Error::parameter_out_of_range, infinite, "v"));
  CHECK_FALSE(accepts(std::nan("")));
  making.room = 0.5;
  CHECK(making.take(1 << 29));
  CHECK(making.room == 0.25);
  CHECK(making.take((1 << 29) - 256)); // 2^-23 is left
  CHECK_FALSE(making.take(128));       // 2^-24
  making.room = 0.25;
  CHECK(making.take((1 << 29) - 129));
}

TEST_CASE("constants: of a neuron's own are those that are named", "[kernels][neuron]") {
  using Constants = membrane::Lif::Constants<std::int32_t>;
  using Decays = PerNeuron<membrane::Lif, &Constants::decay>;
  using Drifts = PerNeuron<membrane::Lif, &Constants::drift>;
  using Both = PerNeuron<membrane::Lif, &Constants::drift, &Constants::decay>;
  using All = PerNeuron<membrane::Lif>;
  for (const std::size_t place : {std::size_t{0}, std::size_t{1}}) {
    CHECK(Decays::is_column(place) == (place == 0));
    CHECK(Drifts::is_column(place) == (place == 1));
    CHECK(Both::is_column(place));
    CHECK(All::is_column(place));
  }
}

TEST_CASE("constants: what is not given is what the headers have", "[kernels][neuron]") {
  const auto check = []<class Parameters>(const Parameters& given, std::initializer_list<double Parameters::*> members,
                                          std::initializer_list<double> values) {
    REQUIRE(members.size() == values.size());
    auto value = values.begin();
    for (double Parameters::*const member : members) CHECK(given.*member == *value++);
  };
  {
    using P = membrane::Lif::Parameters;
    check(P{}, {&P::tau_ms, &P::c_nf, &P::r_mohm, &P::v_rest_mv, &P::i_offset_na, &P::v_initial_mv},
          {20.0, 0.0, 0.0, -65.0, 0.0, -65.0});
  }
  {
    using P = membrane::Integrator::Parameters;
    check(P{}, {&P::c_nf, &P::i_offset_na, &P::v_initial_mv}, {1.0, 0.0, -65.0});
  }
  {
    using P = membrane::AdEx::Parameters;
    check(P{},
          {&P::tau_ms, &P::c_nf, &P::v_rest_mv, &P::v_t_mv, &P::delta_t_mv, &P::a_us, &P::tau_w_ms, &P::b_na,
           &P::i_offset_na, &P::v_initial_mv, &P::w_initial_na},
          {9.3667, 0.281, -70.6, -50.4, 2.0, 0.004, 144.0, 0.0805, 0.0, -70.6, 0.0});
  }
  {
    using P = membrane::Izhikevich::Parameters;
    check(P{}, {&P::a, &P::b, &P::d, &P::i_offset, &P::v_initial_mv, &P::u_initial},
          {0.02, 0.2, 8.0, 0.0, -65.0, -13.0});
  }
  {
    using P = adaptation::SpikeTriggered::Parameters;
    check(P{}, {&P::tau_ms, &P::rise, &P::initial}, {100.0, 0.1, 0.0});
  }
  {
    using P = adaptation::Calcium::Parameters;
    check(P{}, {&P::tau_ms, &P::rise, &P::g_na, &P::initial}, {100.0, 0.1, 1.0, 0.0});
  }
  {
    using P = threshold::Adaptive::Parameters;
    check(P{}, {&P::v_mv, &P::tau_ms, &P::step_mv, &P::initial_mv}, {-50.0, 100.0, 1.0, 0.0});
  }
  {
    using P = threshold::Stochastic::Parameters;
    check(P{}, {&P::v_mv, &P::width_mv, &P::tau_ms}, {-50.0, 0.5, 20.0});
  }
  {
    using P = current::Alternating::Parameters;
    const P given{};
    check(given, {&P::amplitude_na, &P::offset_na, &P::frequency_hz, &P::phase_deg}, {0.0, 0.0, 10.0, 0.0});
    CHECK((given.first_step == 0 && given.last_step == UINT32_MAX));
  }
  {
    using P = current::WhiteNoise<>::Parameters;
    const P given{};
    check(given, {&P::mean_na, &P::stdev_na, &P::interval_ms}, {0.0, 0.0, 0.0});
    CHECK((given.first_step == 0 && given.last_step == UINT32_MAX && given.seed == 1));
  }
  {
    using P = current::OrnsteinUhlenbeck<>::Parameters;
    const P given{};
    check(given, {&P::tau_ms, &P::mean_na, &P::stdev_na}, {5.0, 0.0, 0.0});
    CHECK((given.first_step == 0 && given.last_step == UINT32_MAX && given.seed == 1));
  }
  {
    const current::Direct::Parameters given{};
    CHECK((given.i_na == 0.0 && given.first_step == 0 && given.last_step == UINT32_MAX));
  }
  CHECK(current::Steps::Parameters{}.unit_na == 0.001);
  CHECK(threshold::Fixed::Parameters{}.v_mv == -50.0);
  CHECK(threshold::None::Parameters{}.origin_mv == 0.0);
  CHECK(reset::ToValue::Parameters{}.v_mv == -65.0);
  CHECK(refractory::InMembrane::Parameters{}.period_ms == 2.0);
  CHECK(refractory::Counted::Parameters{}.period_ms == 2.0);
  CHECK(refractory::InQueue::Parameters{}.period_ms == 2.0);
  CHECK(input::Multiplicative<>::Parameters{}.gain_per_na == 1.0);
  CHECK(std::isnan(input::Conductance<2>::Parameters{}.reversal_mv[1]));
  const ReceptorWeights weights{};
  CHECK((weights.largest == 1.0 && weights.bits == 16 && weights.rate_hz == 0.0 && weights.fan_in == 0.0 &&
         weights.drive_mv == 0.0));
}
