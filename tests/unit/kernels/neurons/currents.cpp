// SPDX-License-Identifier: BSL-1.0
// Currents: constant, from a list, alternating; several of them; their scales.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/neurons/currents/alternating.hpp>
#include <neuromorph/kernels/neurons/currents/direct.hpp>
#include <neuromorph/kernels/neurons/currents/noise.hpp>
#include <neuromorph/kernels/neurons/currents/steps.hpp>
#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/currents.hpp"
#include "tests/support/lif_reference.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;
using namespace currents;

namespace {

constexpr current::Amplitude list[]{{3, 100}, {50, -100}};
using Five = Moved<current::Direct, current::Steps, current::Alternating, current::WhiteNoise<>,
                   current::OrnsteinUhlenbeck<NoiseOf::population>>;
constexpr auto evaluated = [] {
  auto given = resting<Five>();
  given.current = {{.i_na = 0.1}, {.list = list}, {.amplitude_na = 0.1}, {.stdev_na = 0.2}, {.stdev_na = 0.1}};
  return Five::make(given, 0.1);
}();
static_assert(evaluated.ok() && Five::word_count == 3 && at_position<4>(place_of<Five>.current).deviation == 2);
static_assert(at_position<0>(evaluated.value().constants.current).flow > 0);
constexpr std::int32_t one_step = [] {
  std::array<std::array<std::int32_t, 1>, 5> memory{};
  Five::Columns columns{{memory[0].data(), memory[1].data(), memory[2].data()}, {}};
  std::uint32_t spike = 0;
  Five::step(columns, 1, evaluated.value().constants, std::array{memory[3].data(), memory[4].data()}, 3, &spike);
  return memory[0][0];
}();
static_assert(one_step != 0);

} // namespace

TEST_CASE("current::Direct: from its first step to its last, exact with Lif", "[kernels][current]") {
  double worst = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 10 : 200)) {
    INFO("seed " << seed);
    DrawnCell cell(seed);
    const double tau = cell.membrane.tau_ms, na = cell.between(-100, 100) / cell.membrane.r_mohm;
    const std::uint32_t start = static_cast<std::uint32_t>(cell.random()),
                        first = start + static_cast<std::uint32_t>(cell.random() % 300),
                        last = first + static_cast<std::uint32_t>(cell.random() % 300);
    if (start > UINT32_MAX - 1000) continue;
    auto given = resting<Moved<current::Direct>>(tau, cell.membrane.r_mohm);
    given.current = {na, first, last};
    const auto made = Moved<current::Direct>::make(given, cell.dt_ms);
    REQUIRE(made.ok());
    Stepped<Moved<current::Direct>, 1> one(made.value());
    LifReference reference{cell.dt_ms, tau, cell.membrane.r_mohm, 0};
    for (std::uint32_t step = start; step < start + 700; ++step) {
      one(step);
      reference.step(step >= first && step <= last ? na : 0.0);
      const double off = std::fabs(one.value(0, 0) - static_cast<double>(reference.v));
      worst = std::max(worst, off);
      REQUIRE(off < 5e-3);
    }
  }
  std::printf("current::Direct with Lif to 100 mV, solver exact; rounding: %.2g mV\n", worst);
}

TEST_CASE("current::Direct: with Izhikevich's membrane it is the constant current", "[kernels][current]") {
  using Flowing = Neuron<membrane::Izhikevich, synapse::Difference, current::Direct>;
  using Plain = Neuron<membrane::Izhikevich, synapse::Difference>;
  for (const double mv_per_ms : {-20.0, 0.1, 4.775, 15.0}) {
    Flowing::Parameters given{.threshold = {.v_mv = 30.0}, .current = {.i_na = mv_per_ms}};
    Plain::Parameters same{.membrane = {.i_offset = mv_per_ms}, .threshold = {.v_mv = 30.0}};
    Stepped<Flowing, 1> flowing(Flowing::make(given, 0.1).value());
    Stepped<Plain, 1> plain(Plain::make(same, 0.1).value());
    flowing(1), plain(1);
    CHECK(std::abs(flowing.words(0)[0] - plain.words(0)[0]) <= 2);
  }
}

TEST_CASE("current::Direct: what is wrong is refused by its name", "[kernels][current]") {
  using Given = current::Direct::Parameters;
  for (const double wrong : wrong_numbers)
    refused<current::Direct>(&Given::i_na, wrong, Error::parameter_out_of_range, "current.i_na");
  refused<current::Direct>(&Given::i_na, 13.0, Error::parameter_out_of_range, "current.i_na"); // 520 mV
  CHECK(status_of<current::Direct>({.i_na = -12.0}).error == Error::none);
}

TEST_CASE("current::Steps: at any step the latest entry of any list", "[kernels][current]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 20 : 200)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::vector<current::Amplitude> entries(random() % 20);
    for (auto& entry : entries) {
      entry.first_step = static_cast<std::uint32_t>(random()) >> (random() % 32);
      if (random() % 8 == 0) entry.first_step = random() % 2 == 0 ? 0 : UINT32_MAX;
      entry.amplitude = static_cast<std::int32_t>(random() % 20'001) - 10'000;
    }
    std::sort(entries.begin(), entries.end(), [](auto a, auto b) { return a.first_step < b.first_step; });
    entries.erase(
        std::unique(entries.begin(), entries.end(), [](auto a, auto b) { return a.first_step == b.first_step; }),
        entries.end());
    using Model = Moved<current::Steps>;
    const double unit_na = std::exp2(std::uniform_real_distribution<double>(-20, -10)(random));
    auto given = resting<Model>();
    given.current = {.list = entries, .unit_na = unit_na};
    const auto made = Model::make(given, 0.1);
    REQUIRE(made.ok());
    const auto check = [&](std::uint32_t step) {
      double amplitude = 0;
      for (const auto& entry : entries)
        if (entry.first_step <= step) amplitude = entry.amplitude;
      Stepped<Model, 3> some(made.value());
      some(step);
      const double expected = 40.0 * amplitude * unit_na * -std::expm1(-0.1 / 20.0);
      for (std::size_t neuron = 0; neuron < 3; ++neuron)
        REQUIRE(std::fabs(some.value(0, neuron) - expected) < 0x1p-21 + 1e-9 * std::fabs(expected));
    };
    for (const auto& entry : entries)
      for (const std::uint32_t beside : {-1U, 0U, 1U}) check(entry.first_step + beside);
    for (const std::uint32_t step : {0U, 1U, UINT32_MAX, static_cast<std::uint32_t>(random())}) check(step);
  }
}

TEST_CASE("current::Steps: a wrong list is refused with the place of the entry", "[kernels][current]") {
  using Given = current::Steps::Parameters;
  for (const double wrong : wrong_numbers)
    refused<current::Steps>(&Given::unit_na, wrong, Error::parameter_out_of_range, "current.unit_na");
  refused<current::Steps>(&Given::unit_na, 0.0, Error::parameter_not_positive, "current.unit_na");
  refused<current::Steps>(&Given::unit_na, 1e-30, Error::parameter_out_of_range, "current.unit_na");
  refused<current::Steps>(&Given::unit_na, 1e9, Error::parameter_out_of_range, "current.unit_na");
  const current::Amplitude same[]{{1, 1}, {5, 2}, {5, 3}}, great[]{{1, 1}, {5, 14'000}};
  CHECK(status_of<current::Steps>({.list = same}) == Status{Error::parameter_out_of_range, 2, 5U, "current.list"});
  CHECK(status_of<current::Steps>({.list = great}) == Status{Error::parameter_out_of_range, 1, 14'000, "current.list"});
}

TEST_CASE("current::Alternating: the sine of every phase", "[kernels][current]") {
  double worst = 0;
  const auto check = [&](std::uint32_t turns) {
    const double exact = std::sin(2 * std::numbers::pi * std::ldexp(turns, -32));
    worst = std::max(worst, std::fabs(detail::sine_q31(turns) - std::ldexp(exact, 31)));
  };
  for (std::uint64_t turns = 0; turns < std::uint64_t{1} << 32; turns += sanitized ? 99'991 : 997)
    check(static_cast<std::uint32_t>(turns));
  for (std::uint32_t quarter = 0; quarter < 4; ++quarter)
    for (std::uint32_t beside = 0; beside < 9; ++beside) check((quarter << 30) + beside - 4);
  Digest digest; // the same bits everywhere
  for (std::uint32_t turns = 0; turns < 50'000; ++turns)
    digest.add(static_cast<std::uint32_t>(detail::sine_q31(turns * 0x9E3779B9U)));
  CHECK(digest.value() == 0xcc7b30ced0152fe2);
  std::printf("sine: error %.2f * 2^-31\n", worst);
  CHECK(worst < 8);
}

TEST_CASE("current::Alternating: the phase is right at any of 2^32 steps", "[kernels][current]") {
  using Model = Moved<current::Alternating>;
  double worst = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 50 : 2000)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto between = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    const double dt = std::exp2(between(-7, 1)), turns = std::exp2(between(-20, -1)), hz = turns * 1000 / dt,
                 amplitude = between(-4, 4), offset = between(-2, 2), phase = between(-360, 360);
    auto given = resting<Model>();
    const std::uint32_t first = static_cast<std::uint32_t>(random()), last = static_cast<std::uint32_t>(random());
    given.current = {amplitude, offset, hz, phase, std::min(first, last), std::max(first, last)};
    const auto made = Model::make(given, dt);
    if (hz * dt * 0.001 > 0.5) continue;
    REQUIRE(made.ok());
    for (const std::uint32_t step : {0U, 1U, first - 1, first, first + 1, last - 1, last, last + 1, UINT32_MAX}) {
      auto current = made.value().constants.current;
      current::Alternating::at_step(current, step);
      const bool is_on = step >= given.current.first_step && step <= given.current.last_step;
      const long double turned = static_cast<long double>(hz) * static_cast<long double>(dt) / 1000 * (step + 0.5L) +
                                 static_cast<long double>(phase) / 360;
      const double na = offset + amplitude * static_cast<double>(std::sin(2 * std::numbers::pi_v<long double> *
                                                                          (turned - std::floor(turned))));
      const double unit = std::ldexp(40 * -std::expm1(-dt / 20), 22); // of the membrane in a step, for 1 nA
      const double off = std::fabs(current.shared.now - (is_on ? na : 0) * unit);
      const double late = 2 * std::numbers::pi * std::fabs(amplitude) * turns * step * 0x1p-51;
      REQUIRE(off < 1.6 + (std::fabs(amplitude) * 0x1p-28 + late) * unit);
      worst = std::max(worst, off / unit);
    }
  }
  std::printf("current::Alternating: current to %.2g nA\n", worst);
}

TEST_CASE("current::Alternating: Lif follows as it does in closed form", "[kernels][current]") {
  using Model = Moved<current::Alternating>;
  double worst = 0;
  for (const double hz : {1.0, 10.0, 50.0, 200.0}) {
    auto given = resting<Model>();
    given.current = {.amplitude_na = 1.0, .frequency_hz = hz, .phase_deg = 30.0};
    Stepped<Model, 1> one(Model::make(given, 0.1).value());
    LifReference held{0.1L, 20, 40, 0};
    const double omega = 2 * std::numbers::pi * hz / 1000, size = 40 / std::hypot(1, omega * 20);
    const double phase = std::numbers::pi / 6;
    double solver = 0, rounding = 0;
    for (std::uint32_t step = 0; step < 6000; ++step) {
      one(step);
      held.step(std::sin(omega * 0.1 * (step + 0.5) + phase));
      if (step < 4000) continue; // until the beginning is forgotten
      const double exact = size * std::sin(omega * 0.1 * (step + 1) + phase - std::atan(omega * 20));
      solver = std::max(solver, std::fabs(static_cast<double>(held.v) - exact));
      rounding = std::max(rounding, std::fabs(one.value(0, 0) - static_cast<double>(held.v)));
    }
    std::printf("current::Alternating with Lif, %g Hz, dt 0.1 ms: solver %.2g, rounding %.2g of the amplitude\n", hz,
                solver / size, rounding / size);
    CHECK(solver < size * 1.1 * 0.01 * (omega * omega / 24 + omega / 20 / 12));
    worst = std::max(worst, rounding);
  }
  CHECK(worst < 1e-3);
}

TEST_CASE("current::Alternating: what is wrong is refused by its name", "[kernels][current]") {
  using Part = current::Alternating;
  using Given = Part::Parameters;
  for (const double wrong : wrong_numbers) {
    refused<Part>(&Given::amplitude_na, wrong, Error::parameter_out_of_range, "current.amplitude_na");
    refused<Part>(&Given::offset_na, wrong, Error::parameter_out_of_range, "current.offset_na");
    refused<Part>(&Given::phase_deg, wrong, Error::parameter_out_of_range, "current.phase_deg");
  }
  refused<Part>(&Given::frequency_hz, -1.0, Error::parameter_not_positive, "current.frequency_hz");
  refused<Part>(&Given::frequency_hz, 5001.0, Error::parameter_out_of_range, "current.frequency_hz");
  refused<Part>(&Given::frequency_hz, std::nan(""), Error::parameter_out_of_range, "current.frequency_hz");
  refused<Part>(&Given::amplitude_na, 7.0, Error::parameter_out_of_range, "current.amplitude_na", {.offset_na = 6.0});
  CHECK(status_of<Part>({.frequency_hz = 0.0, .phase_deg = 360.0}).ok());
  refused<Part>(&Given::phase_deg, -360.5, Error::parameter_out_of_range, "current.phase_deg");
  refused<Part>(&Given::phase_deg, 360.5, Error::parameter_out_of_range, "current.phase_deg");
  refused<Part>(&Given::amplitude_na, 13.0, Error::parameter_out_of_range, "current.amplitude_na");
  CHECK(status_of<Part>({.amplitude_na = 6.0, .offset_na = 5.0, .frequency_hz = 5000.0, .phase_deg = -360.0}).ok());
}

TEST_CASE("currents: the room that they take is what they may bring", "[kernels][current]") {
  const auto taken = [](auto given, auto model) { // in nA
    using Model = decltype(model);
    const auto without = Moved<>::make(resting<Moved<>>(), 0.1).value().making.room;
    const auto made = Model::make(given, 0.1);
    REQUIRE(made.ok());
    return (without - made.value().making.room) * 512 / (40 * -std::expm1(-0.1 / 20));
  };
  const auto check = [&](auto model, auto current, double na) {
    auto given = resting<decltype(model)>();
    given.current = current;
    CHECK(std::fabs(taken(given, model) - na) < 1e-5);
  };
  check(Moved<current::Direct>{}, current::Direct::Parameters{.i_na = -1.5}, 1.5);
  const current::Amplitude amplitudes[]{{1, 100}, {2, -1700}, {3, 1000}};
  check(Moved<current::Steps>{}, current::Steps::Parameters{.list = amplitudes}, 1.7);
  check(Moved<current::Alternating>{}, current::Alternating::Parameters{.amplitude_na = -1.0, .offset_na = 0.5}, 1.5);
  check(Moved<current::WhiteNoise<>>{}, current::WhiteNoise<>::Parameters{.mean_na = -1.0, .stdev_na = 0.25},
        1.0 + 0.25 * 41 / 8);
  check(Moved<current::OrnsteinUhlenbeck<>>{},
        current::OrnsteinUhlenbeck<>::Parameters{.mean_na = 1.0, .stdev_na = 0.25}, 1.0 + 0.25 * 8);
}

TEST_CASE("currents: constants of each neuron, where their scale is that of the population", "[kernels][current]") {
  using Model = Moved<PerNeuron<current::Direct>, PerNeuron<current::WhiteNoise<>>>;
  auto given = resting<Model>();
  given.current = {{.i_na = 0.1}, {.stdev_na = 0.01}};
  Stepped<Model, 21> all(Model::make(given, 0.1).value());
  for (std::size_t neuron = 0; neuron < 21; ++neuron) {
    given.current = {{.i_na = 0.05 * static_cast<double>(neuron)}, {.stdev_na = neuron % 2 == 0 ? 0.0 : 0.1}};
    REQUIRE(all.set(neuron, given).ok());
  }
  all(1);
  const double unit = 40 * -std::expm1(-0.1 / 20);
  for (std::size_t neuron = 0; neuron < 21; ++neuron) {
    const double off = all.value(0, neuron) / unit - 0.05 * static_cast<double>(neuron);
    CHECK(std::fabs(off) < (neuron % 2 == 0 ? 1e-5 : 0.504));
    CHECK((std::fabs(off) > 1e-4) == (neuron % 2 != 0));
  }
  given.current = {{.i_na = 10.0}, {.stdev_na = 0.1}}; // leaves too little room for the scale of the others
  CHECK(all.set(0, given).error == Error::parameters_contradict);
}

TEST_CASE("currents: what is not given", "[kernels][current]") {
  const current::Direct::Parameters direct;
  CHECK((direct.i_na == 0 && direct.first_step == 0 && direct.last_step == UINT32_MAX));
  CHECK((current::Amplitude{}.first_step == 0 && current::Amplitude{}.amplitude == 0));
  CHECK((current::Steps::Parameters{}.list.empty() && current::Steps::Parameters{}.unit_na == 0.001));
  const current::Alternating::Parameters sine;
  CHECK((sine.amplitude_na == 0 && sine.offset_na == 0 && sine.frequency_hz == 10 && sine.phase_deg == 0));
  CHECK((sine.first_step == 0 && sine.last_step == UINT32_MAX));
  const current::WhiteNoise<>::Parameters white;
  CHECK((white.mean_na == 0 && white.stdev_na == 0 && white.interval_ms == 0 && white.seed == 1));
  CHECK((white.first_step == 0 && white.last_step == UINT32_MAX));
  const current::OrnsteinUhlenbeck<>::Parameters ou;
  CHECK((ou.tau_ms == 5 && ou.mean_na == 0 && ou.stdev_na == 0 && ou.seed == 1));
  CHECK((ou.first_step == 0 && ou.last_step == UINT32_MAX));
}

namespace {

/// A membrane that 1 nA moves by 1 mV in a step.
struct Unit {
  static constexpr double response(const Making&, std::int64_t rate_q60) { return rate_q60 == 0 ? 1.0 : 0.0; }
};
/// To be made by hand.
template <class Part>
struct Bare {
  detail::Own<Part, std::int32_t> own;
  typename Part::template Words<std::int32_t> initial;
  typename Part::template Words<Quantity> quantities;
  Making making;
  Bare() { making.dt_ms = 1.0, making.room = 0.25; }
  Status make(const typename Part::Parameters& given) {
    return Part::make(given, making, detail::MakingPart<Part, Unit>{own, initial, quantities});
  }
};
std::uint32_t lowbias32(std::uint32_t x) {
  x = (x ^ x >> 16) * 2146121005U;
  x = (x ^ x >> 15) * 2221713035U;
  return x ^ x >> 16;
}

} // namespace

TEST_CASE("currents: a steady one is rounded to nearest, and ends where its word does", "[kernels][current]") {
  Making making;
  const auto flow = [&](double na) { return detail::flow_of<Unit>(na, making, "flow"); };
  const double unit = std::ldexp(1.0, 22);
  for (const double na : {0.0, 1.0, -1.0, 0.3, -0.3, 100.0, 255.9})
    CHECK(std::fabs(flow(na).value() - na * unit) <= 0.5);
  CHECK(limit_between(0.0, 1e9, [&](double na) { return flow(na).ok(); }).next == 256.0 - 0x1p-23);
  CHECK(limit_between(0.0, -1e9, [&](double na) { return flow(na).ok(); }).next == -256.0 + 0x1p-23);
  for (const double wrong : {1e9, -1e9})
    CHECK(flow(wrong).status() == Status{Error::parameter_out_of_range, 0, wrong, "flow"});
  for (const std::int64_t value : {0, 1, 2, INT32_MAX}) {
    CHECK(detail::magnitude(value) == value);
    CHECK(detail::magnitude(-value) == value);
  }
  CHECK(detail::Window{}.contains(0));
  CHECK(detail::Window{}.contains(UINT32_MAX));
  const detail::Window window{3, 5};
  for (std::uint32_t step = 0; step < 9; ++step) CHECK(window.contains(step) == (step >= 3 && step <= 5));

  // what it takes of the membrane's room
  Bare<current::Direct> direct;
  CHECK(direct.make({.i_na = -16.0, .first_step = 2, .last_step = 4}).ok());
  CHECK(direct.making.room == 0.25 - 1.0 / 32.0);
  CHECK(direct.own.flow == -(1 << 26));
  for (std::uint32_t step = 0; step < 7; ++step) {
    current::Direct::at_step(direct.own, step);
    CHECK(direct.own.shared.is_on == (step >= 2 && step <= 4));
  }
  CHECK(direct.make({.i_na = 128.0}) == Status{Error::parameter_out_of_range, 0, 128.0, "current.i_na"});
  CHECK(Bare<current::Direct>().make({.i_na = 1e9}) == Status{Error::parameter_out_of_range, 0, 1e9, "current.i_na"});
}

TEST_CASE("currents: noise has the finest scale in which it has room", "[kernels][current]") {
  for (const double room : {0.49, 0.26, 0.25, 0.24, 0.125, 0.12, 0.01, 0x1p-10, 0x1p-20}) {
    INFO("room " << room);
    Making making;
    making.room = room;
    const auto scale = [&](double stdev) { return detail::noise_scale<Unit>(stdev, making); };
    const int shift = scale(1e-6).value().shift;
    CHECK(shift >= 1);
    CHECK(std::ldexp(room, 3 + shift) > 1.0);
    if (shift > 1) CHECK(std::ldexp(room, 2 + shift) <= 1.0);
    const double unit = std::ldexp(1.0, 22 + 4 + shift);
    for (const double share : {0.0, 0.001, 0.123, 0.9})
      CHECK(std::fabs(scale(share * 0x1p31 / unit).value().scale - share * 0x1p31) <= 0.5);
    CHECK(limit_between(0.0, 1e9, [&](double stdev) { return scale(stdev).ok(); }).next ==
          Approx((std::ldexp(1.0, 31) - 0.5) / unit).epsilon(1e-15));
    for (const double wrong : {-1e-9, -1.0, 1e9})
      CHECK(scale(wrong).status() == Status{Error::parameter_out_of_range, 0, wrong, "current.stdev_na"});
  }
  // of a neuron's first, second, third noise
  Making making;
  for (std::uint32_t which = 0; which < 3; ++which)
    CHECK(detail::noise_seed(77, making) == lowbias32(77U ^ lowbias32(1852795251U + which)));
  detail::NoiseSource source;
  source.seed = 12345;
  source.draw<NoiseOf::neuron>(9);
  for (std::uint32_t which = 0; which < 2; ++which)
    CHECK(source.keys[which] == lowbias32(9U * 2654435769U ^ lowbias32(12345U + which)));
  CHECK(source.common == 0);
  source.draw<NoiseOf::population>(9);
  CHECK(source.common == source.number<target::Generic::Lanes>(0));
  CHECK(source.common != 0);

  Bare<current::WhiteNoise<>> white;
  CHECK(white.make({.mean_na = -4.0, .stdev_na = 0.5, .interval_ms = 2.6, .seed = 5, .first_step = 3, .last_step = 9})
            .ok());
  CHECK(white.own.mean == -(1 << 24));
  CHECK(white.own.scale == std::ldexp(0.5, 26 + white.own.shared.shift));
  CHECK(white.own.shared.interval == 3);
  Making first;
  const std::uint32_t seed = detail::noise_seed(5, first);
  CHECK(white.own.shared.source.seed == seed);
  // 5.125 deviations, in units of the word, and one
  const double taken = std::ldexp(4.0 + 0.5 * 41.0 / 8.0, 22) + 1.0;
  CHECK(std::fabs((0.25 - white.making.room) * 0x1p31 - taken) <= 1.0);
  for (std::uint32_t step = 0; step < 12; ++step) {
    current::WhiteNoise<>::at_step(white.own, step);
    CHECK(white.own.shared.is_on == (step >= 3 && step <= 9));
    detail::NoiseSource same = white.own.shared.source;
    same.draw<NoiseOf::neuron>(step / 3);
    CHECK(white.own.shared.source.keys == same.keys);
  }
  const auto told = [](const current::WhiteNoise<>::Parameters& given) {
    return Bare<current::WhiteNoise<>>().make(given);
  };
  for (const double wrong : {-0.1, 1e9})
    CHECK(told({.interval_ms = wrong}) == Status{Error::parameter_out_of_range, 0, wrong, "current.interval_ms"});
  CHECK(limit_between(0.0, 1e12, [&](double ms) { return told({.interval_ms = ms}).ok(); }).next == 1e9);
  CHECK(told({.mean_na = 300.0}) == Status{Error::parameter_out_of_range, 0, 300.0, "current.mean_na"});
  CHECK(told({.stdev_na = -1.0}) == Status{Error::parameter_out_of_range, 0, -1.0, "current.stdev_na"});
  CHECK(told({.mean_na = 200.0, .stdev_na = 0.5}) == Status{Error::parameter_out_of_range, 0, 0.5, "current.stdev_na"});
  for (const double few : {0.0, 0.4, 1.0}) {
    Bare<current::WhiteNoise<>> each;
    CHECK(each.make({.interval_ms = few}).ok());
    CHECK(each.own.shared.interval == 1);
  }
}

TEST_CASE("currents: constants of an Ornstein-Uhlenbeck process are those of its equation", "[kernels][current]") {
  for (const double tau : {1.5, 2.0, 5.0, 20.0, 333.0, 1e4, 1e6}) {
    INFO("tau " << tau);
    Bare<current::OrnsteinUhlenbeck<>> walk;
    REQUIRE(
        walk.make({.tau_ms = tau, .mean_na = 2.0, .stdev_na = 0.25, .seed = 6, .first_step = 1, .last_step = 4}).ok());
    CHECK(std::fabs(walk.own.leak + std::expm1(-1.0 / tau) * 0x1p32) <= 0.5 + 1e-5);
    const double spread = std::sqrt(-std::expm1(-2.0 / tau)) * 0x1p31;
    CHECK(walk.own.spread <= spread + 1e-4);
    CHECK(walk.own.spread > spread - 1.0 - 1e-4);
    CHECK(walk.own.mean == 1 << 23);
    CHECK(walk.own.scale == std::ldexp(0.25, 26 + walk.own.shared.shift));
    Making first;
    const std::uint32_t seed = detail::noise_seed(6, first);
    CHECK(walk.own.shared.source.seed == seed);
    CHECK(walk.making.noises == 1);
    const double taken = std::ldexp(2.0 + 0.25 * 8.0, 22) + 1.0; // eight deviations, where its word ends
    CHECK(std::fabs((0.25 - walk.making.room) * 0x1p31 - taken) <= 1.0);
    CHECK(walk.quantities.deviation.per_unit == 0.25 * 0x1p-28);
    CHECK(walk.quantities.deviation.origin == 2.0);
    for (std::uint32_t step = 0; step < 7; ++step) {
      current::OrnsteinUhlenbeck<>::at_step(walk.own, step);
      CHECK(walk.own.shared.is_on == (step >= 1 && step <= 4));
    }
  }
  const auto told = [](const current::OrnsteinUhlenbeck<>::Parameters& given) {
    return Bare<current::OrnsteinUhlenbeck<>>().make(given);
  };
  CHECK(told({.tau_ms = -1.0}) == Status{Error::parameter_not_positive, 0, -1.0, "current.tau_ms"});
  CHECK(told({.mean_na = 300.0}) == Status{Error::parameter_out_of_range, 0, 300.0, "current.mean_na"});
  CHECK(told({.stdev_na = -1.0}) == Status{Error::parameter_out_of_range, 0, -1.0, "current.stdev_na"});
  CHECK(told({.mean_na = 200.0, .stdev_na = 0.5}) == Status{Error::parameter_out_of_range, 0, 0.5, "current.stdev_na"});
}

TEST_CASE("currents: each step of a list is rounded to nearest", "[kernels][current]") {
  using current::Amplitude;
  for (const double unit_na : {1e-9, 1e-6, 0.001, 0.37, 1.0, 100.0}) {
    INFO("unit " << unit_na);
    Bare<current::Steps> steps;
    REQUIRE(steps.make({.list = {}, .unit_na = unit_na}).ok());
    CHECK(steps.making.room == 0.25);
    const auto& shared = steps.own.shared;
    CHECK(shared.coupling == std::round(std::ldexp(unit_na, 22 + shared.shift)));
    CHECK(shared.shift >= 1);
    CHECK(shared.shift <= 32);
    if (shared.shift < 32) CHECK(shared.coupling >= 1 << 30); // as fine as its word holds
    current::Steps::at_step(steps.own, 5);
    CHECK(shared.now == 0);
  }
  Bare<current::Steps> coarse;
  const auto accepts = [](double unit_na) {
    return Bare<current::Steps>().make({.list = {}, .unit_na = unit_na}).ok();
  };
  CHECK(limit_between(1.0, 1e9, accepts).next == (0x1p31 - 0.5) / 0x1p23);
  CHECK(limit_between(1.0, 1e-30, accepts).last == 0x1p-55); // half of the last bit
  for (const double wrong : {0.0, -1.0})
    CHECK(coarse.make({.list = {}, .unit_na = wrong}) ==
          Status{Error::parameter_not_positive, 0, wrong, "current.unit_na"});
  for (const double wrong : {1e9, 1e-30})
    CHECK(coarse.make({.list = {}, .unit_na = wrong}) ==
          Status{Error::parameter_out_of_range, 0, wrong, "current.unit_na"});
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK(coarse.make({.list = {}, .unit_na = infinite}) ==
        Status{Error::parameter_out_of_range, 0, infinite, "current.unit_na"});

  static constexpr std::array<Amplitude, 4> list{{{3, 100}, {4, -7}, {9, 3}, {UINT32_MAX, 1}}};
  Bare<current::Steps> steps;
  REQUIRE(steps.make({.list = list, .unit_na = 1.2345e-6}).ok()); // 5.18 units
  const double unit = 1.2345e-6 * 0x1p22;
  CHECK((0.25 - steps.making.room) * 0x1p31 == std::round(100 * unit)); // the largest
  const auto now = [&](std::uint32_t step) {
    current::Steps::at_step(steps.own, step);
    return steps.own.shared.now;
  };
  for (std::uint32_t step = 0; step < 12; ++step)
    CHECK(now(step) == std::round(unit * (step < 3 ? 0 : step == 3 ? 100 : step < 9 ? -7 : 3)));
  CHECK(now(UINT32_MAX - 1) == std::round(unit * 3));
  CHECK(now(UINT32_MAX) == std::round(unit));
  // no room, or not later: which of them
  for (std::uint32_t at = 0; at < 3; ++at) {
    std::array<Amplitude, 3> wrong{{{1, 1}, {2, 1}, {3, 1}}};
    wrong[at].amplitude = at == 1 ? -200 : 200;
    CHECK(Bare<current::Steps>().make({.list = wrong, .unit_na = 1.0}) ==
          Status{Error::parameter_out_of_range, at, wrong[at].amplitude, "current.list"});
    wrong = {{{1, 1}, {2, 1}, {3, 1}}};
    if (at == 0) continue;
    for (const std::uint32_t earlier : {at, at - 1}) {
      wrong[at].first_step = earlier;
      CHECK(Bare<current::Steps>().make({.list = wrong, .unit_na = 1.0}) ==
            Status{Error::parameter_out_of_range, at, earlier, "current.list"});
    }
  }
}

TEST_CASE("currents: in a list each does what it does alone", "[kernels][current]") {
  using Alone = Neuron<membrane::Lif, synapse::Exponential<1>, current::OrnsteinUhlenbeck<>>;
  using Listed = Neuron<membrane::Lif, synapse::Exponential<1>, current::Direct, current::OrnsteinUhlenbeck<>,
                        current::WhiteNoise<>>;
  const current::OrnsteinUhlenbeck<>::Parameters walk{.stdev_na = 0.4, .seed = 3};
  const auto alone = Alone::make({.membrane = {.r_mohm = 40.0}, .synapses = {{5.0}}, .current = walk}, 0.1).value();
  const auto listed =
      Listed::make({.membrane = {.r_mohm = 40.0}, .synapses = {{5.0}}, .current = {{}, walk, {}}}, 0.1).value();
  // the same but for what the others take of the room
  CHECK(listed.constants.membrane.decay == alone.constants.membrane.decay);
  static Population<Alone, 5> one(alone);
  static Population<Listed, 5> all(listed);
  std::array<std::int32_t, 5> none{};
  bool moves = false;
  for (std::uint32_t step = 0; step < 200; ++step) {
    (void)one.step(std::array{none.data()}, step);
    (void)all.step(std::array{none.data()}, step);
    const auto deviation = one.words(place_of<Alone>.current.deviation);
    const auto same = all.words(Listed::word_count - 1);
    REQUIRE(std::equal(deviation.begin(), deviation.end(), same.begin()));
    moves = moves || deviation[0] != 0;
  }
  CHECK(moves);
}
