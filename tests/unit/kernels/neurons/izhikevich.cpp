// SPDX-License-Identifier: BSL-1.0
// Izhikevich's neuron by its two methods, beside the same in double and a reference at a hundredth of the step.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/limits.hpp"
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

namespace {

using Spikes = std::vector<std::uint32_t>;

/// Whether it fired in that step; then it is reset.
void fire(const Cell& cell, State& state, Spikes& at, std::uint32_t step) {
  if (state[0] >= 30.0) state[0] = cell.c, state[1] += cell.d, at.push_back(step);
}
/// How many are on the same step before one is not.
std::size_t same(const Spikes& a, const Spikes& b) {
  std::size_t count = 0;
  while (count < std::min(a.size(), b.size()) && a[count] == b[count]) ++count;
  return count;
}
/// Largest distance of two of the first 20, in steps.
std::uint32_t farthest(const Spikes& a, const Spikes& b) {
  std::uint32_t most = 0;
  for (std::size_t spike = 0; spike < 20; ++spike)
    most = std::max(most, std::max(a[spike], b[spike]) - std::min(a[spike], b[spike]));
  return most;
}

} // namespace

TEMPLATE_TEST_CASE("izhikevich: spikes beside the reference", "[kernels][neuron]", method::Midpoint,
                   method::RungeKutta4) {
  // Bounds of the first 20 spikes: how many are on the step of the method in double (rounding), and how many of those in
  // double on the reference's (the integrator). And how many steps the neuron's may be from the reference's.
  constexpr bool is_midpoint = std::is_same_v<TestType, method::Midpoint>;
  const struct {
    const char* name;
    Cell cell;
    std::size_t of_rounding, of_integrator;
    std::uint32_t steps;
  } cases[] = {
      {"regular spiking, 10 mV/ms", {.i = 10.0}, 20, 20, 0},
      {"regular spiking, 7 mV/ms", {.i = 7.0}, 15, is_midpoint ? 8 : 13, is_midpoint ? 9 : 2},
      {"fast spiking, 10 mV/ms", {.a = 0.1, .d = 2.0, .i = 10.0}, 13, is_midpoint ? 5 : 9, is_midpoint ? 12 : 6},
      {"chattering, 10 mV/ms", {.c = -50.0, .d = 2.0, .i = 10.0}, 20, is_midpoint ? 1 : 11, is_midpoint ? 6 : 1}};
  for (const auto& one : cases) {
    const auto made = make<TestType>(one.cell);
    NeuronColumns<Model<TestType>> columns(1, made);
    State method{-65.0, -13.0}, exact = method;
    Spikes fixed_at, method_at, exact_at;
    for (std::uint32_t step = 0; step < (sanitized ? 20000U : 100000U); ++step) {
      if (columns.step(step).spikes != 0) fixed_at.push_back(step);
      fire(one.cell, method = by<TestType>(one.cell, method, one.cell.i), method_at, step);
      fire(one.cell, exact = exactly(one.cell, exact, one.cell.i), exact_at, step);
    }
    INFO(one.name);
    std::printf(
        "izhikevich, %s: %zu spikes, the reference %zu; the first %zu on the step of the method in double, whose "
        "first %zu are on the reference's; of 20, up to %u steps from it\n",
        one.name, fixed_at.size(), exact_at.size(), same(fixed_at, method_at), same(method_at, exact_at),
        static_cast<unsigned>(farthest(fixed_at, exact_at)));
    CHECK(same(fixed_at, method_at) >= one.of_rounding);
    CHECK(same(method_at, exact_at) >= one.of_integrator);
    CHECK(farthest(fixed_at, exact_at) <= one.steps);
    CHECK(std::fabs(static_cast<double>(fixed_at.size()) - static_cast<double>(exact_at.size())) <=
          std::max(1.0, 0.01 * static_cast<double>(exact_at.size())));
  }
}

TEST_CASE("izhikevich: the units of its words, not its arithmetic, part the fast spiking cell from that in double",
          "[kernels][neuron]") {
  // Why some bounds above are below 20: errors grow from spike to spike. The reference in double is rounded once a step to the
  // words' units, 2^-23 mV and as much a step. It parts from itself in fewer than 20 spikes in the mean, too. With eight more
  // bits each the midpoint parts from itself after about 20.
  const auto spikes_of = [](auto step_of, double from, int bits) {
    const Cell cell{.a = 0.1, .d = 2.0, .i = 10.0};
    const double units[] = {std::ldexp(1.0, -bits), std::ldexp(1.0, -bits) / cell.dt};
    State state{from, -13.0};
    Spikes at;
    for (std::uint32_t step = 0; at.size() < 40; ++step) {
      state = step_of(cell, state, cell.i);
      for (std::size_t which = 0; bits != 0 && which < 2; ++which)
        state[which] = std::round(state[which] / units[which]) * units[which];
      fire(cell, state, at, step);
    }
    return at;
  };
  const auto kept = [&](auto step_of, int bits) {
    constexpr int beginnings = sanitized ? 4 : 16;
    std::size_t sum = 0;
    for (int at = 0; at < beginnings; ++at) {
      const double from = -65.0 + at / 64.0;
      sum += same(spikes_of(step_of, from, 0), spikes_of(step_of, from, bits));
    }
    return static_cast<double>(sum) / beginnings;
  };
  const double of_reference = kept(exactly, 23), of_method = kept(midpoint, 23), of_longer = kept(midpoint, 31);
  std::printf("izhikevich, fast spiking: rounded to the words' units, the reference keeps %.1f spikes in the mean, the "
              "midpoint %.1f, with eight more bits %.1f\n",
              of_reference, of_method, of_longer);
  CHECK(of_reference < 20.0);
  CHECK(of_method < 16.0);
  CHECK(of_longer > of_method + 4.0);
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

namespace {

using Parameters = membrane::Izhikevich::Parameters;
using Fixed = Model<method::Midpoint>;

struct Given {
  Parameters membrane{};
  double threshold = 30.0, dt = 0.1, largest = 1e-3;
};
Result<Fixed::Made> made_of(const Given& given) {
  std::array<ReceptorWeights, 2> weights{};
  weights.fill({.largest = given.largest});
  return Fixed::make({.membrane = given.membrane,
                      .synapses = {{5.0, 10.0}, weights},
                      .threshold = {given.threshold},
                      .reset = {given.threshold - 20.0}},
                     given.dt);
}
Limit limit_of(double Parameters::*member, double good, double bad, const Given& given) {
  return limit_between(good, bad, [&](double value) {
    Given one = given;
    one.membrane.*member = value;
    return made_of(one).ok();
  });
}
double q40(double number) { return std::ldexp(std::round(std::ldexp(number, 40)), -40); }

} // namespace

TEST_CASE("izhikevich: what it takes ends where its header says", "[kernels][neuron]") {
  const double infinite = std::numeric_limits<double>::infinity();
  for (double Parameters::*const member : {&Parameters::a, &Parameters::b, &Parameters::d, &Parameters::i_offset,
                                           &Parameters::v_initial_mv, &Parameters::u_initial})
    for (const double wrong : {infinite, -infinite, std::nan("")}) {
      Given given;
      given.membrane.*member = wrong;
      CHECK(made_of(given).status().error == Error::parameter_out_of_range);
      CHECK(std::string(made_of(given).status().parameter) == "membrane");
    }
  const auto limit_of_dt = limit_between(0.5, 2.0, [](double dt) { return made_of({.dt = dt}).ok(); });
  CHECK(limit_of_dt.last == 1.0);
  const Given low{.membrane = {.v_initial_mv = -120.0}, .dt = 0.05};
  const auto limit_of_threshold = [&](double bad) {
    return limit_between(0.0, bad, [&](double threshold) {
      Given given = low;
      given.threshold = threshold;
      return made_of(given).ok();
    });
  };
  CHECK(limit_of_threshold(200.0).next == 100.0);
  CHECK(limit_of_threshold(-110.0).next == -100.0);

  // a steady current: below 10^6 mV/ms, and below 358.4 mV in a step, by itself and with the parabola at the threshold
  const Given brief{.dt = 0x1p-13};
  CHECK(limit_of(&Parameters::i_offset, 0.0, 1e7, brief).next == 1e6);
  CHECK(limit_of(&Parameters::i_offset, 0.0, -1e7, brief).next == -1e6);
  // at -62.5 mV the parabola is at its lowest, -16.25
  const double most = q40(0.7 * 256);
  const auto at = [](double mv) { return q40(0.04 * mv * mv) + q40(5.0 * mv) + q40(140.0); };
  const auto given_at = [](double mv) {
    return Given{.membrane = {.a = 0.02, .v_initial_mv = mv - 20.0}, .threshold = mv, .dt = 1.0};
  };
  const double unit = std::ldexp(1.0, -41); // half of the last bit, to which it is rounded away from 0
  CHECK(std::fabs(limit_of(&Parameters::i_offset, 0.0, 1e9, given_at(-40.0)).next - (2 * most - at(-40.0))) < 2 * unit);
  CHECK(std::fabs(limit_of(&Parameters::i_offset, 0.0, 1e9, given_at(-62.5)).next - (2 * most - unit)) < unit);
  CHECK(std::fabs(limit_of(&Parameters::i_offset, 0.0, -1e9, given_at(20.0)).next + (2 * most - unit)) < unit);
  CHECK(std::fabs(limit_of(&Parameters::i_offset, 0.0, -1e9, given_at(-62.5)).next + (2 * most + at(-62.5))) <
        2 * unit);
  Given steep = given_at(20.0); // 256 mV by itself, more with the current
  steep.membrane.i_offset = 110.0;
  CHECK(std::string(made_of(steep).status().parameter) == "membrane.i_offset");
  steep.membrane.i_offset = 100.0;
  CHECK(made_of(steep).ok());

  // words of constants, to their last unit: steps of 1 ms have units of 2^-22 mV
  const Given whole{.dt = 1.0};
  for (double Parameters::*const member : {&Parameters::a, &Parameters::b}) {
    CHECK(limit_of(member, 0.1, 10.0, whole).next == 0.5 - 0x1p-33);
    CHECK(limit_of(member, 0.1, -10.0, whole).next == -0.5 - 0x1p-33);
  }
  for (double Parameters::*const member : {&Parameters::d, &Parameters::u_initial}) {
    CHECK(limit_of(member, 8.0, 1e6, whole).next == 512.0 - 0x1p-23);
    CHECK(limit_of(member, 8.0, -1e6, whole).next == -512.0 - 0x1p-23);
  }
  const auto status = [&](double Parameters::*member, double value, double dt = 0.1) {
    Given given;
    given.dt = dt;
    given.membrane.*member = value;
    return made_of(given).status();
  };
  const auto refusal = [](double value, const char* name) {
    return Status{Error::parameter_out_of_range, 0, value, name};
  };
  CHECK(status(&Parameters::a, 6.0) == refusal(6.0, "membrane.a"));
  CHECK(status(&Parameters::b, 6.0) == refusal(6.0, "membrane.b"));
  CHECK(status(&Parameters::d, 1e5) == refusal(1e5, "membrane.d"));
  CHECK(status(&Parameters::u_initial, -1e5) == refusal(-1e5, "membrane.u_initial"));
  CHECK(status(&Parameters::v_initial_mv, 30.0) == refusal(30.0, "membrane.v_initial_mv"));
  CHECK(status(&Parameters::i_offset, 1e7) == refusal(1e7, "membrane.i_offset"));
  CHECK(status(&Parameters::i_offset, -500.0, 1.0) == refusal(-500.0, "membrane.i_offset"));
  CHECK(status(&Parameters::i_offset, 300.0, 1.0) == refusal(300.0, "membrane.i_offset"));
  CHECK(status(&Parameters::i_offset, 0.0, 1.5) == refusal(1.5, "dt_ms"));
  CHECK(status(&Parameters::a, infinite) == refusal(infinite, "membrane"));
  CHECK(made_of({.threshold = -100.0}).status() == refusal(-100.0, "threshold.v_mv"));
}

TEST_CASE("izhikevich: constants are those of the equations, to nearest", "[kernels][neuron]") {
  std::uint32_t fine = 0, coarse = 0, steep = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 200 : 2000)) {
    INFO("seed " << seed);
    NeuronDraw draw(seed);
    Given given;
    given.dt = draw.below(4) == 0 ? 1.0 : draw.log_between(0.01, 1.0);
    given.threshold = draw.between(-99.0, 99.0);
    auto& p = given.membrane;
    const double sign = draw.below(2) == 0 ? 1.0 : -1.0;
    p.a = sign * draw.log_between(1e-10, 0.499) / given.dt;
    p.b = draw.between(-0.49, 0.49) / given.dt;
    p.d = draw.between(-20.0, 20.0);
    p.i_offset = draw.between(-100.0, 100.0);
    p.v_initial_mv = given.threshold - draw.between(0.0, 150.0) - 0.1;
    p.u_initial = draw.between(-100.0, 100.0);
    const double threshold = given.threshold;
    const auto parabola = [&](double mv) { return ((0.04 * mv + 5.0) * mv + 140.0) * given.dt; };
    const double drift = parabola(threshold) + p.i_offset * given.dt;
    const auto result = made_of(given);
    if (!result) {
      CHECK((std::fabs(drift) >= 358.3 || std::fabs(p.b * threshold * given.dt) >= 255.9 ||
             std::string(result.status().parameter) == "synapses.weights"));
      continue;
    }
    const auto& made = result.value();
    const auto& own = made.constants.membrane;
    const int bits = made.making.unit_bits, up = own.shared.rise_shift;
    CHECK(bits == (std::fabs(drift) < 179.2 ? 23 : 22));
    (bits == 23 ? fine : coarse) += 1;
    const double unit = std::ldexp(1.0, bits), whole = std::ldexp(1.0, 32);
    const auto is_nearest = [](std::int32_t word, double exact, double slack = 0.0) {
      return std::fabs(word - exact) <= 0.5 + 1e-5 + slack;
    };
    // the finest scale of a sum in which the steepest slope of the word, and 0.04 v alone, have room
    const double range = std::ldexp(1.0, 31 - bits), slope = (0.08 * threshold + 5.0) * given.dt;
    const double steepest = std::max(std::fabs(slope) + 0.04 * range * given.dt + 2.0, 0.08 * range * given.dt);
    CHECK(up >= 2);
    CHECK(steepest < std::ldexp(1.0, up) * (1 + 1e-9));
    if (up > 2) CHECK(steepest >= std::ldexp(1.0, up - 1) * (1 - 1e-9));
    steep += up > 2 ? 1 : 0;
    CHECK(is_nearest(own.quadratic, std::ldexp(0.04 * given.dt, 63 - up - bits)));
    CHECK(is_nearest(own.slope, std::ldexp(slope, 31 - up), 0.5)); // rounded down
    CHECK(own.slope <= std::ldexp(slope, 31 - up) + 1e-5);
    CHECK(is_nearest(own.drift, drift * unit));
    CHECK(is_nearest(own.sensitivity, p.b * given.dt * whole));
    CHECK(is_nearest(own.recovery, p.a * given.dt * whole));
    CHECK(is_nearest(own.level, p.b * threshold * given.dt * unit));
    CHECK(is_nearest(own.after_spike, p.d * given.dt * unit));
    CHECK(is_nearest(made.initial.membrane.u, p.u_initial * given.dt * unit));
    CHECK(is_nearest(made.initial.membrane.v, (p.v_initial_mv - threshold) * unit));
    // one over recovery, in its word, towards zero
    const std::int64_t recovery = own.recovery;
    const std::int64_t spread = recovery == 0 ? 0 : (std::int64_t{1} << 32) / recovery;
    CHECK(own.spread == std::clamp<std::int64_t>(spread, -(1 << 24), 1 << 24));
  }
  CHECK(fine > (sanitized ? 30U : 300U));
  CHECK(coarse > (sanitized ? 5U : 50U));
  CHECK(steep > (sanitized ? 5U : 50U));
}

TEST_CASE("izhikevich: the finer unit ends where the drift does", "[kernels][neuron]") {
  Given given{.membrane = {.v_initial_mv = -80.0}, .threshold = -62.5, .dt = 1.0};
  const double most = q40(0.7 * 256), rest = q40(0.04 * 62.5 * 62.5) - q40(5.0 * 62.5) + q40(140.0);
  const auto bits = [&](double offset) {
    given.membrane.i_offset = offset;
    return made_of(given).value().making.unit_bits;
  };
  const double unit = std::ldexp(1.0, -40);
  CHECK(bits(most - rest - unit) == 23);
  CHECK(bits(most - rest) == 22);
  CHECK(bits(-most - rest + unit) == 23);
  CHECK(bits(-most - rest) == 22);
}

TEST_CASE("izhikevich: where there is no recovery nothing is dithered for it", "[kernels][neuron]") {
  Given given;
  given.membrane.a = 0.0;
  const auto made = made_of(given);
  REQUIRE(made.ok());
  CHECK(made.value().constants.membrane.recovery == 0);
  CHECK(made.value().constants.membrane.spread == 0);
  for (const double a : {1e-9, -1e-9}) {
    given.membrane.a = a / given.dt;
    CHECK(made_of(given).value().constants.membrane.spread == (a > 0 ? 1 << 24 : -(1 << 24)));
  }
}
