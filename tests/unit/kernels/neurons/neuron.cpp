// SPDX-License-Identifier: BSL-1.0
// The composed neuron: its loop, its constants, its rounding.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <neuromorph/kernels/neurons/adaptation/spike_triggered.hpp>
#include <neuromorph/kernels/neurons/currents/direct.hpp>
#include <neuromorph/kernels/neurons/currents/noise.hpp>
#include <neuromorph/kernels/neurons/inputs/conductance.hpp>
#include <neuromorph/kernels/neurons/membranes/adex.hpp>
#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/neurons/refractory/counted.hpp>
#include <neuromorph/kernels/neurons/refractory/in_queue.hpp>
#include <neuromorph/kernels/neurons/synapse_types/driven.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential_pair.hpp>
#include <neuromorph/kernels/neurons/thresholds/stochastic.hpp>

#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/uniform.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/compilers_own.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/neuron_accuracy.hpp"
#include "tests/support/neuron_battery.hpp"
#include "tests/support/neuron_columns.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

using Pair = PackedLif;

class FromSeed : public neuron_battery::Draw {
public:
  explicit FromSeed(std::uint32_t seed) : random_(seed) {}
  std::uint32_t word() override { return static_cast<std::uint32_t>(random_()); }
  std::mt19937 random_;
};

} // namespace

TEST_CASE("neuron: constants of 16-bit psps stay what they are", "[kernels][neuron]") {
  struct Frozen {
    membrane::Lif::Parameters membrane;
    std::array<double, 2> tau_ms;
    std::array<ReceptorWeights, 2> weights;
    double reset_mv, period_ms, dt_ms;
    std::array<std::int32_t, 4> words; ///< decay, drift, reset, after_spike
    std::array<std::uint32_t, 2> keep;
    std::array<std::int32_t, 2> coupling;
    std::array<std::uint32_t, 2> weight; ///< of 0.7 of the largest, and of the largest
  };
  static constexpr std::array table{
      Frozen{{.c_nf = 0.25},
             {5.0, 5.0},
             {{{.largest = 0.25, .bits = 12}, {.largest = 0.25, .bits = 12}}},
             -65.0,
             2.0,
             0.1,
             {-21421239, -313787, -62914560, 19},
             {0xfaee4cdd, 0xfaee4cdd},
             {102, 102},
             {2843, 4061}},
      Frozen{{.c_nf = 0.25},
             {5.0, 10.0},
             {{{.largest = 0.02, .bits = 11}, {.largest = 0.05, .bits = 11}}},
             -70.0,
             2.0,
             0.1,
             {-21421239, -313787, -83886080, 19},
             {0xfaee4cdd, 0xfd73e7e9},
             {17, 41},
             {1365, 2031}},
      Frozen{{.tau_ms = 2.0, .r_mohm = 40.0, .v_rest_mv = -65.0, .i_offset_na = 0.3, .v_initial_mv = -70.0},
             {0.3, 200.0},
             {{{.largest = 1.5, .bits = 14}, {.largest = 0.01, .bits = 14}}},
             -70.0,
             0.0,
             0.2,
             {-408720177, -1197422, -83886080, -83886080},
             {0x836f4de7, 0xffbe7f2b},
             {1062, 10},
             {11458, 15958}},
      Frozen{{.tau_ms = 100.0, .r_mohm = 100.0, .v_rest_mv = -52.0, .v_initial_mv = -52.0},
             {1.0, 3000.0},
             {{{.largest = 0.03, .bits = 13}, {.largest = 0.001, .bits = 13}}},
             -51.0,
             1.26,
             0.1,
             {-4292821, -8384, -4194304, 12},
             {0xe7a36ccf, 0xfffdd0c5},
             {2, 1},
             {4189, 419}},
      Frozen{{.tau_ms = 10.0, .c_nf = 1.0, .v_rest_mv = -90.0, .i_offset_na = -2.0, .v_initial_mv = -300.0},
             {10.0, 10.0},
             {{{.largest = 4.0, .bits = 16}, {.largest = 8.0, .bits = 16}}},
             -310.0,
             12.0,
             1.0,
             {-408720177, -23948447, -1090519040, 11},
             {0xe7a36ccf, 0xe7a36ccf},
             {232, 464},
             {45804, 65434}},
  };
  for (const Frozen& one : table) {
    INFO("row " << &one - table.data());
    const auto made = Pair::make({.membrane = one.membrane,
                                  .synapses = {one.tau_ms, one.weights},
                                  .reset = {one.reset_mv},
                                  .refractory = {one.period_ms}},
                                 one.dt_ms);
    REQUIRE(made.status() == Status{});
    const auto& [membrane, synapses, input, threshold, reset, refractory, adaptation, current] = made.value().constants;
    CHECK(std::array{membrane.decay, membrane.drift, reset.v, refractory.after_spike} == one.words);
    CHECK(synapses.shared.keep == one.keep);
    CHECK((synapses.coupling & 0xFFFF) == one.coupling[0]);
    CHECK(synapses.coupling >> 16 == -one.coupling[1]);
    CHECK(synapses.centre == 32768 * (one.coupling[0] - one.coupling[1]));
    CHECK(Pair::weight(made.value(), 0, 0.7 * one.weights[0].largest).value() == one.weight[0]);
    CHECK(Pair::weight(made.value(), 1, one.weights[1].largest).value() == one.weight[1]);
  }
}

TEST_CASE("neuron: 16-bit psps hold what weights bring, in a coarser unit of the membrane where they must",
          "[kernels][neuron]") {
  std::uint32_t coarser = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 30 : 300)) {
    INFO("seed " << seed);
    FromSeed draw(seed);
    const double dt = draw.between(0.05, 1.0), tau_m = dt * draw.between(5.0, 1000.0);
    Pair::Parameters given{.membrane = {.tau_ms = tau_m, .r_mohm = draw.between(1.0, 100.0)},
                           .synapses = {.tau_ms = {dt * draw.between(2.0, 300.0), dt * draw.between(2.0, 300.0)}}};
    const bool is_by_rate = draw.one_in(2);
    for (ReceptorWeights& weights : given.synapses.weights) {
      weights = {.largest = draw.between(0.01, 1.0), .bits = 8};
      if (is_by_rate)
        weights.rate_hz = draw.between(1.0, 100.0), weights.fan_in = draw.between(1.0, 1000.0);
      else
        weights.drive_mv = draw.between(1.0, 2000.0);
    }
    const auto made = Pair::make(given, dt);
    REQUIRE(made.status() == Status{});
    coarser += made.value().making.unit_bits < 22 ? 1U : 0U;
    const double mv = std::ldexp(1.0, -made.value().making.unit_bits); // of a unit
    for (std::uint32_t which = 0; which < 2; ++which) {
      const std::int32_t coupling = which == 0 ? made.value().constants.synapses.coupling & 0xFFFF
                                               : -(made.value().constants.synapses.coupling >> 16);
      const ReceptorWeights& weights = given.synapses.weights[which];
      CHECK(Pair::weight(made.value(), which, weights.largest).value() < 256U);
      const double full = 65535.0 * coupling * mv; // mV a step
      if (weights.drive_mv != 0.0) CHECK(full >= weights.drive_mv * -std::expm1(-dt / tau_m) * 0.999);
      if (weights.rate_hz != 0.0) { // the mean, in units of the weight
        const double events = weights.rate_hz * weights.fan_in * dt / 1000.0,
                     mean = events / -std::expm1(-dt / given.synapses.tau_ms[which]);
        const double units = made.value().units[which] * weights.largest;
        CHECK(65535.0 > (mean + 8.0) * units * 0.999);
      }
    }
    // Full psps, for ever, leave the membrane in its word: inhibition never lets it jump up.
    Population<Pair, 1> population(made.value());
    for (const std::size_t receptor : {std::size_t{1}, std::size_t{0}}) {
      std::int32_t before = population.words(0)[0];
      bool jumps = false;
      for (std::uint32_t step = 0; step < 3000; ++step) {
        std::array<std::uint16_t, 2> sums{};
        sums[receptor] = 65535;
        const auto fired = population.step(std::array{&sums[0], &sums[1]}, step);
        const std::int32_t now = population.words(0)[0];
        jumps = jumps || !fired.empty() || now >= 0 || (step > 2 && now > before + 65536); // but for the dither
        before = now;
      }
      CHECK((receptor == 0 || !jumps));
    }
    CHECK(population.saturations() > 0);
  }
  CHECK(coarser > 5);
}

TEST_CASE("neuron: 16-bit psps are read in nA, each by itself", "[kernels][neuron]") {
  const auto made = Pair::make({.membrane = {.c_nf = 0.25}, .synapses = {.tau_ms = {5.0, 10.0}}}, 0.1).value();
  Population<Pair, 3> population(made);
  const std::array na{0.2, 0.05};
  std::array<std::array<std::uint16_t, 3>, 2> sums{};
  for (std::uint32_t which = 0; which < 2; ++which)
    sums[which][1] = static_cast<std::uint16_t>(Pair::weight(made, which, na[which]).value());
  for (std::uint32_t step = 0; step <= 50; ++step) {
    (void)population.step(std::array{sums[0].data(), sums[1].data()}, step);
    for (std::size_t neuron = 0; neuron < 3; ++neuron)
      for (std::uint32_t which = 0; which < 2; ++which) {
        const std::int32_t word = population.words(place_of<Pair>.synapses.psps)[neuron];
        const double psp = Pair::Synapses::psp_na(made, word, which);
        const double tau = which == 0 ? 5.0 : 10.0, right = neuron == 1 ? na[which] * std::exp(-0.1 * step / tau) : 0.0;
        CHECK(std::fabs(psp - right) < 3.0 / made.units[which]); // units, of the weight and the decays
      }
  }
}

TEST_CASE("neuron: of 16-bit psps impossible parameters are refused", "[kernels][neuron]") {
  const auto refused = [](std::array<double, 2> tau_ms, std::array<ReceptorWeights, 2> weights) {
    return Pair::make({.membrane = {.c_nf = 0.25}, .synapses = {tau_ms, weights}}, 0.1).status();
  };
  const ReceptorWeights usual{.largest = 0.02, .bits = 12};
  CHECK(refused({5.0, 10.0}, {{usual, usual}}) == Status{});
  CHECK(refused({5.0, 7000.0}, {{usual, usual}}) ==
        Status{Error::time_constant_too_long, 1, 7000.0, "synapses.tau_ms"});
  CHECK(refused({0.1, 10.0}, {{usual, usual}}) == Status{Error::time_constant_too_short, 0, 0.1, "synapses.tau_ms"});
  CHECK(refused({5.0, 10.0}, {{usual, {.largest = 0.02, .bits = 17}}}) ==
        Status{Error::parameter_out_of_range, 1, 17, "synapses.weights.bits"});
  CHECK(refused({5.0, 10.0}, {{{.largest = 0.0, .bits = 12}, usual}}) ==
        Status{Error::parameter_not_positive, 0, 0.0, "synapses.weights.largest"});
  CHECK(refused({5.0, 10.0}, {{usual, {.largest = 1.0, .bits = 8}}}) ==
        Status{Error::weight_out_of_range, 1, 1.0, "synapses.weights.largest"});
  CHECK(refused({5.0, 10.0}, {{usual, {.largest = 1e9, .bits = 8, .drive_mv = 1.0}}}).error ==
        Error::weight_out_of_range);
  CHECK(refused({5.0, 10.0}, {{usual, {.largest = 0.1, .bits = 8, .drive_mv = -1.0}}}).error ==
        Error::parameter_out_of_range);
  const auto made = Pair::make({.membrane = {.c_nf = 0.25}, .synapses = {.tau_ms = {5.0, 10.0}}}, 0.1).value();
  CHECK(Pair::weight(made, 0, 0.25).value() < 4096U);
  CHECK(Pair::weight(made, 0, 0.25).value() > 3900U);
  CHECK(Pair::weight(made, 1, 4.5).status() == Status{Error::weight_out_of_range, 1, 4.5, "magnitude"});
  CHECK(Pair::weight(made, 1, 1e-6).status().error == Error::weight_vanishes);
}

namespace {

/// Steps a population under input of its own, in parts of any length; a digest of all that comes of it.
template <class Model, class Target>
std::uint64_t digest(const typename Model::Made& made, std::span<const std::size_t> parts) {
  constexpr std::size_t count = 67;
  std::vector<NeuronColumns<Model>> cells;
  std::size_t sum = 0;
  for (const std::size_t part : parts) {
    cells.emplace_back(part, made);
    sum += part;
  }
  REQUIRE(sum == count);
  std::mt19937 random(5);
  std::uint64_t result = 14695981039346656037U;
  const auto take = [&](std::uint32_t word) { result = (result ^ word) * 1099511628211U; };
  for (std::uint32_t step = 0xFFFFFF00U; step != 700; ++step) {
    std::array<std::array<std::int32_t, count>, 2> input{};
    for (auto& receptor : input)
      for (auto& sums : receptor)
        if (random() % 50 == 0) sums = static_cast<std::int32_t>(random() % 65536);
    std::uint32_t first = 0;
    for (auto& part : cells) {
      for (std::size_t receptor = 0; receptor < 2; ++receptor)
        for (std::size_t neuron = 0; neuron < part.count; ++neuron)
          part.input[receptor][neuron] = input[receptor][first + neuron];
      const StepCounts counts = part.template step<Target>(step, first);
      for (std::uint32_t spike = 0; spike < counts.spikes; ++spike) take(first + part.spikes[spike]);
      first += static_cast<std::uint32_t>(part.count);
    }
  }
  for (std::size_t word = 0; word < Model::word_count; ++word)
    for (const auto& part : cells)
      for (const std::int32_t value : part.words[word]) take(static_cast<std::uint32_t>(value));
  return result;
}

} // namespace

TEMPLATE_TEST_CASE("neuron: the bits do not depend on the backend, nor on how a population is split",
                   "[kernels][neuron]", rounding::Down, rounding::Nearest, rounding::Stochastic) {
  using Model = Neuron<membrane::Izhikevich, synapse::Exponential<2>, TestType>;
  const auto made = Model::make({.membrane = {.i_offset = 4.0},
                                 .synapses = {{5.0, 10.0}, {{{.largest = 5.0}, {.largest = 5.0}}}},
                                 .threshold = {30.0},
                                 .reset = {-65.0}},
                                0.1)
                        .value();
  const std::array<std::size_t, 1> whole{67};
  const std::array<std::size_t, 5> split{1, 16, 30, 7, 13};
  const std::uint64_t defined = digest<Model, target::Generic>(made, whole);
  CHECK(digest<Model, target::Native>(made, whole) == defined);
  CHECK(digest<Model, target::Native>(made, split) == defined);
  using Leaky = Lif<2, TestType>;
  const auto lif = Leaky::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.2},
                                .synapses = {{5.0, 10.0}, {{{.largest = 0.2}, {.largest = 0.2}}}}},
                               0.1)
                       .value();
  const std::uint64_t leaky = digest<Leaky, target::Generic>(lif, whole);
  CHECK(digest<Leaky, target::Native>(lif, whole) == leaky);
  CHECK(digest<Leaky, target::Native>(lif, split) == leaky);
}

TEST_CASE("neuron: initial words stand in their columns", "[kernels][neuron]") {
  using Model = Neuron<membrane::Izhikevich, synapse::Exponential<2>, rounding::Nearest>;
  const auto made = Model::make({.membrane = {.b = 0.25, .v_initial_mv = -70.0, .u_initial = -17.5},
                                 .synapses = {{5.0, 10.0}, {}},
                                 .threshold = {30.0},
                                 .reset = {-65.0}},
                                0.1)
                        .value();
  static Population<Model, 5> population(made);
  for (std::size_t neuron = 0; neuron < 5; ++neuron) {
    CHECK(population.value(place_of<Model>.membrane.v, neuron) == Approx(-70.0).margin(1e-6));
    CHECK(population.value(place_of<Model>.membrane.u, neuron) == Approx(-17.5).margin(1e-5));
    CHECK(population.value(place_of<Model>.synapses[1], neuron) == 0.0);
  }
  CHECK(population.set(place_of<Model>.membrane.u, 3, -20.0).ok());
  CHECK(population.value(place_of<Model>.membrane.u, 3) == Approx(-20.0).margin(1e-5));
  CHECK(population.value(place_of<Model>.membrane.u, 2) == Approx(-17.5).margin(1e-5));
  CHECK(population.set(place_of<Model>.membrane.v, 3, 30.0) == Status{Error::parameter_out_of_range, 3, 30.0, "value"});
  CHECK(population.set(place_of<Model>.membrane.v, 5, -60.0).error == Error::index_out_of_range);
  CHECK(population.set(99, 0, -60.0).error == Error::index_out_of_range);
}

TEST_CASE("neuron: constants of each neuron are those of a population of its own", "[kernels][neuron]") {
  using Model = Neuron<PerNeuron<membrane::Lif>, PerNeuron<synapse::Exponential<2>>, PerNeuron<reset::ToValue>,
                       PerNeuron<refractory::InMembrane>>;
  using Shared = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::InMembrane>;
  constexpr std::uint32_t count = 40;
  const auto parameters = [](std::size_t neuron) {
    const auto n = static_cast<double>(neuron);
    return Model::Parameters{.membrane = {.tau_ms = 20.0 - 0.3 * n, .c_nf = 0.25, .i_offset_na = 0.2 + 0.01 * n},
                             .synapses = {{5.0 + 0.1 * n, 10.0 - 0.1 * n}, {{{.largest = 0.1}, {.largest = 0.1}}}},
                             .reset = {-60.0 - 0.2 * n},
                             .refractory = {0.1 * n}};
  };
  const auto made = Model::make(parameters(0), 0.1).value();
  static Population<Model, count> population(made);
  std::vector<std::uint32_t> expected, found;
  for (std::size_t neuron = 0; neuron < count; ++neuron) {
    REQUIRE(population.set(neuron, parameters(neuron)).ok());
    const auto& own = parameters(neuron);
    auto single = Shared::make({own.membrane, own.synapses, {}, {}, own.reset, own.refractory}, 0.1).value();
    single.constants.synapses.shared = made.constants.synapses.shared; // the population's scale
    NeuronColumns<Shared> cell(1, single.constants);
    cell.words[0][0] = made.initial.membrane.v;
    for (std::uint32_t step = 0; step < 1500; ++step) {
      cell.input[0][0] = step % (7 + neuron) == 0 ? 20000 : 0;
      if (cell.step(step).spikes != 0) expected.push_back(step * count + static_cast<std::uint32_t>(neuron));
    }
  }
  std::sort(expected.begin(), expected.end());
  std::array<std::array<std::int32_t, count>, 2> input{};
  for (std::uint32_t step = 0; step < 1500; ++step) {
    for (std::size_t neuron = 0; neuron < count; ++neuron) input[0][neuron] = step % (7 + neuron) == 0 ? 20000 : 0;
    for (const std::uint32_t neuron : population.step(std::array{input[0].data(), input[1].data()}, step))
      found.push_back(step * count + neuron);
  }
  CHECK(found == expected);
  CHECK(found.size() > 300);
  auto longer = parameters(3);
  longer.membrane.tau_ms = 100.0; // needs a finer psp
  CHECK(population.set(3, longer) == Status{Error::parameters_contradict, 3, 3, "neuron"});
  CHECK(population.set(3, {.membrane = {.tau_ms = -1.0, .c_nf = 0.25}, .synapses = {{5.0, 5.0}, {}}}) ==
        Status{Error::parameter_not_positive, 0, -1.0, "membrane.tau_ms"});
}

TEST_CASE("neuron: a population has of what is made all that values and constants of a neuron's own need",
          "[kernels][neuron]") {
  using Model = Neuron<PerNeuron<membrane::Lif>, synapse::Exponential<2>, refractory::Counted>;
  for (const std::uint32_t seed : Seeds(sanitized ? 10 : 100)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto between = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    Model::Parameters given{
        .membrane = {.tau_ms = between(5.0, 50.0), .r_mohm = between(20.0, 200.0)},
        .synapses = {{between(1.0, 20.0), between(1.0, 20.0)}, {{{.largest = 0.1}, {.largest = 0.1}}}},
        .threshold = {between(-55.0, -45.0)},
        .refractory = {between(0.0, 5.0)}};
    const double dt_ms = seed % 2 == 0 ? 0.1 : 0.5;
    const auto made = Model::make(given, dt_ms).value();
    Population<Model, 2> population(made);
    for (std::size_t place = 0; place < Model::word_count; ++place) {
      const auto shift = 1 + random() % 31;
      const auto word = -static_cast<std::int32_t>(random() >> shift);
      population.words(place)[1] = word;
      REQUIRE(population.value(place, 1) == Approx(Model::value(made, place, word)).margin(1e-12));
      REQUIRE(population.set(place, 0, Model::value(made, place, word)).ok() ==
              (place != place_of<Model>.membrane.v || Making::may_begin_at(word, true)));
    }
    REQUIRE(population.set(1, given).ok());
    auto higher = given;
    higher.threshold.v_mv += 1.0;
    REQUIRE(population.set(1, higher) == Status{Error::parameters_contradict, 1, 1, "neuron"});
    auto wider = given; // a coarser unit of the membrane
    for (auto& weight : wider.synapses.weights) weight.drive_mv = 1500.0;
    REQUIRE(Model::make(wider, dt_ms).value().making.unit_bits < made.making.unit_bits);
    REQUIRE(population.set(1, wider) == Status{Error::parameters_contradict, 1, 1, "neuron"});
  }
}

namespace {

/// What of a LIF neuron may be its own.
struct OwnLif {
  double tau_m_ms, c_nf, rest_mv, offset_na;
  std::array<double, 2> tau_s_ms;
  double reset_mv, period_ms;

  template <class Model>
  [[nodiscard]] typename Model::Parameters parameters() const {
    typename Model::Parameters given{
        .membrane = {.tau_ms = tau_m_ms, .c_nf = c_nf, .v_rest_mv = rest_mv, .i_offset_na = offset_na},
        .synapses = {},
        .reset = {reset_mv},
        .refractory = {period_ms}};
    for (std::size_t which = 0; which < Model::receptors; ++which) {
      given.synapses.tau_ms[which] = tau_s_ms[which];
      given.synapses.weights[which] = {.largest = 0.1, .bits = 18};
    }
    return given;
  }
};
/// From its draws all of a neuron, or some of it from another.
OwnLif own_lif(Sfc32& random, const OwnLif* other) {
  const auto draw = [&random](std::int32_t low, std::int32_t high) { // in 1/64
    return uniform_between(random, 64 * low, 64 * high) / 64.0;
  };
  OwnLif drawn{};
  drawn.tau_m_ms = draw(5, 20), drawn.c_nf = draw(1, 4) / 8.0, drawn.rest_mv = draw(-70, -60);
  drawn.offset_na = draw(0, 3) / 8.0, drawn.tau_s_ms[0] = draw(2, 12), drawn.tau_s_ms[1] = draw(2, 12);
  drawn.reset_mv = draw(-75, -55), drawn.period_ms = draw(0, 25);
  if (other == nullptr) return drawn;
  const std::uint32_t kept = random.next();
  if (kept % 4 != 0) drawn.tau_m_ms = other->tau_m_ms;
  if (kept / 4 % 4 != 0) drawn.c_nf = other->c_nf;
  if (kept / 16 % 4 != 0) drawn.rest_mv = other->rest_mv, drawn.offset_na = other->offset_na;
  if (kept / 64 % 8 != 0) drawn.tau_s_ms = other->tau_s_ms;
  if (kept / 512 % 8 != 0) drawn.reset_mv = other->reset_mv;
  if (kept / 4096 % 8 != 0) drawn.period_ms = other->period_ms;
  return drawn;
}

} // namespace

TEMPLATE_TEST_CASE(
    "neuron: one with parameters of its own is what they say, or it is refused", "[kernels][neuron]",
    (Neuron<PerNeuron<membrane::Lif>, synapse::Exponential<2>, refractory::InMembrane>),
    (Neuron<PerNeuron<membrane::Lif>, PerNeuron<synapse::Exponential<2>>, PerNeuron<reset::ToValue>,
            PerNeuron<refractory::Counted>>),
    (Neuron<PerNeuron<membrane::Lif>, synapse::Driven<1>, PerNeuron<refractory::InQueue>>),
    (Neuron<PerNeuron<membrane::Lif>, PerNeuron<synapse::Driven<1>>, PerNeuron<reset::ToValue>,
            PerNeuron<refractory::InQueue>>),
    (Neuron<membrane::Lif, synapse::Exponential<2>, PerNeuron<reset::ToValue>, refractory::InMembrane>)) {
  using Model = TestType;
  constexpr double dt = 0.1, weight = 0.08, threshold = -50.0;
  std::uint32_t taken = 0, refused = 0, spikes = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 40 : 300)) {
    INFO("seed " << seed);
    Sfc32 random(StreamId{seed, 11, 5});
    const OwnLif of_all = own_lif(random, nullptr), own = own_lif(random, &of_all);
    const auto made = Model::make(of_all.template parameters<Model>(), dt);
    const auto mine = Model::make(own.template parameters<Model>(), dt);
    if (!made || !mine) continue;
    static Population<Model, 3> population(made.value());
    population = Population<Model, 3>(made.value());
    if (!population.set(1, own.template parameters<Model>())) {
      ++refused;
      continue;
    }
    ++taken;
    std::array<std::int32_t, Model::word_count + 1> initial{};
    Model::words_of(mine.value().initial, initial);
    for (std::size_t word = 0; word < Model::word_count; ++word) population.words(word)[1] = initial[word];
    std::array<std::array<std::int32_t, 3>, 2> sums{};
    std::array<std::int32_t*, Model::receptors> pointers{};
    std::array<std::int32_t, Model::receptors> units{};
    for (std::uint32_t which = 0; which < Model::receptors; ++which) {
      pointers[which] = sums[which].data();
      const auto unit = Model::weight(made.value(), mine.value(), which, weight);
      REQUIRE(unit.ok());
      units[which] = static_cast<std::int32_t>(unit.value());
    }

    // In closed form; it goes with the neuron where that fires, if it is about to.
    double v = -65.0;
    std::array<double, 2> current{};
    const double leak = std::exp(-dt / own.tau_m_ms);
    const double infinity = own.rest_mv + own.tau_m_ms / own.c_nf * own.offset_na;
    const auto period = std::lround(own.period_ms / dt);
    for (std::uint32_t step = 1, waits = 0; step < 1500; ++step) {
      std::array<double, 2> arrives{};
      for (std::size_t which = 0; which < Model::receptors; ++which)
        if (random.next() % (which == 0 ? 16 : 64) == 0) sums[which][1] = units[which], arrives[which] = weight;
      const auto fired = population.step(pointers, step);
      const bool has_fired = std::find(fired.begin(), fired.end(), 1U) != fired.end();
      const double before = v;
      v = infinity + (v - infinity) * leak;
      for (std::size_t which = 0; which < Model::receptors; ++which) {
        const double tau = own.tau_s_ms[which], kept = std::exp(-dt / tau);
        const double share = std::fabs(tau - own.tau_m_ms) < 1e-3
                                 ? dt * leak
                                 : (kept - leak) * tau * own.tau_m_ms / (tau - own.tau_m_ms);
        v += (which == 0 ? 1 : -1) * current[which] * share / own.c_nf;
        current[which] = current[which] * kept + arrives[which];
      }
      if (waits != 0) v = before, --waits;
      REQUIRE((has_fired ? v > threshold - 0.05 : v < threshold + 0.05));
      if (has_fired) v = own.reset_mv, waits = static_cast<std::uint32_t>(period), ++spikes;
      REQUIRE(std::fabs(population.value(place_of<Model>.membrane.v, 1) - v) < 0.05);
    }
  }
  std::printf("%u as they say, %u refused, %u spikes\n", taken, refused, spikes);
  CHECK(taken > 3);
  CHECK(refused > (sanitized ? 0U : 3U));
  CHECK(spikes > 50);
}

TEST_CASE("neuron: a weight to a receptor that there is not is refused", "[kernels][neuron]") {
  const auto made = Lif<2>::make({.membrane = {.c_nf = 0.25}, .synapses = {{5.0, 5.0}, {}}}, 0.1).value();
  CHECK(Lif<2>::weight(made, 1, 0.5).ok());
  for (const std::uint32_t receptor : {2U, 3U, UINT32_MAX})
    CHECK(Lif<2>::weight(made, receptor, 0.5).status() ==
          Status{Error::type_out_of_range, receptor, receptor, "receptor"});
}

TEST_CASE("neuron: where a refractory period is kept changes nothing", "[kernels][neuron]") {
  constexpr std::size_t count = 30;
  const auto make = [](auto model, double dt, double period, double tau_m) {
    using Model = decltype(model);
    return Model::make({.membrane = {.tau_ms = tau_m, .c_nf = 0.25, .i_offset_na = 0.1},
                        .synapses = {{5.0, 10.0}, {{{.largest = 0.2}, {.largest = 0.2}}}},
                        .refractory = {period}},
                       dt)
        .value();
  };
  using InMembrane = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::InMembrane>;
  using InQueue = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::InQueue>;
  using Counted = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::Counted>;
  std::uint32_t spikes = 0;
  for (const double dt : {0.1, 1.0})
    for (const double tau_m : {5.0, 20.0, 100.0})
      for (const double period : {0.0, 0.1, 0.4, 2.0, 5.0, 10.1, 30.0, 200.0}) {
        INFO("dt " << dt << ", tau_m " << tau_m << ", period " << period);
        Population<InMembrane, count> in_membrane(make(InMembrane{}, dt, period, tau_m));
        Population<InQueue, count> in_queue(make(InQueue{}, dt, period, tau_m));
        Population<Counted, count> counted(make(Counted{}, dt, period, tau_m));
        std::mt19937 random(17);
        std::array<std::array<std::int32_t, count>, 2> a{}, b{}, c{};
        const auto steps = static_cast<std::uint32_t>(sanitized ? 100 : 1000);
        for (std::uint32_t step = 0U - steps; step != steps; ++step) {
          const bool is_wild = step / 64 % 4 == 0; // psps at the ends of their range, and back
          for (auto& receptor : a)
            for (auto& sum : receptor)
              sum = random() % 40 == 0 ? static_cast<std::int32_t>(random() % (is_wild ? 1U << 30 : 65536U)) : 0;
          b = c = a;
          const auto x = in_membrane.step(std::array{a[0].data(), a[1].data()}, step),
                     y = in_queue.step(std::array{b[0].data(), b[1].data()}, step),
                     z = counted.step(std::array{c[0].data(), c[1].data()}, step);
          REQUIRE(std::equal(x.begin(), x.end(), y.begin(), y.end()));
          REQUIRE(std::equal(x.begin(), x.end(), z.begin(), z.end()));
          for (std::size_t neuron = 0; neuron < count; ++neuron) {
            const double v = in_membrane.value(place_of<InMembrane>.membrane.v, neuron);
            REQUIRE(in_queue.value(place_of<InQueue>.membrane.v, neuron) == v);
            REQUIRE(counted.value(place_of<Counted>.membrane.v, neuron) == v);
          }
          spikes += static_cast<std::uint32_t>(x.size());
        }
        CHECK(in_queue.saturations() == in_membrane.saturations());
        CHECK(in_membrane.saturations() > 0);
      }
  CHECK(spikes > (sanitized ? 1000U : 10000U));
}

TEST_CASE("neuron: psps hold what their weights are said to bring", "[kernels][neuron]") {
  // 1000 inputs, excitation and inhibition in balance, each far beyond what the membrane's own range would hold
  using Model = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::InMembrane>;
  for (const double dt : {0.1, 1.0})
    for (const double rate : {5.0, 50.0}) {
      const double events = 1000.0 * rate * dt / 1000.0;
      const ReceptorWeights said{.largest = 0.3, .rate_hz = rate, .fan_in = 1000.0};
      const auto steps = static_cast<std::uint32_t>((sanitized ? 300.0 : 3000.0) / dt);
      const auto saturations = [&](const ReceptorWeights& weights) {
        const auto made =
            Model::make({.membrane = {.c_nf = 0.25}, .synapses = {{5.0, 10.0}, {{weights, weights}}}}, dt).value();
        NeuronColumns<Model> cells(16, made);
        const auto weight = Model::weight(made, 0, 0.3).value(), against = Model::weight(made, 1, 0.15).value();
        std::mt19937 random(9);
        std::poisson_distribution<std::uint32_t> arriving(events);
        std::uint32_t sum = 0;
        for (std::uint32_t step = 0; step < steps; ++step) {
          for (std::size_t neuron = 0; neuron < 16; ++neuron) {
            cells.input[0][neuron] = static_cast<std::int32_t>(arriving(random) * weight);
            cells.input[1][neuron] = static_cast<std::int32_t>(arriving(random) * against);
          }
          sum += cells.step(step).saturations;
        }
        return sum;
      };
      INFO("dt " << dt << ", " << rate << " Hz");
      CHECK(saturations(said) == 0);
      if (rate == 50.0) CHECK(saturations({.largest = 0.3}) > 1000); // counted where nothing was said
    }
}

namespace {

/// Adds up its input without a leak: a part of a user's own.
struct Adds : Part<Role::membrane> {
  template <class T>
  struct Words {
    T v;
  };
  static constexpr void step(auto& m, auto& word, const auto&, const auto& drive) {
    word.v = m.add(word.v, drive.value());
  }
  static constexpr void spiked(auto&, auto&, const auto&, auto) {}
};
/// An event moves the membrane by its weight.
struct Jumps : Part<Role::synapses> {
  static constexpr std::size_t receptors = 1;
  static constexpr bool input_in_pairs = false;
  template <class T>
  struct Words {
    T arrived;
  };
  static constexpr auto onto(auto& m, const auto& word, const auto&, auto sum) { return m.add(sum, word.arrived); }
  static constexpr void step(auto&, auto& word, const auto&, const auto& input) { word.arrived = input[0]; }
};

} // namespace

TEST_CASE("neuron: parts of a user's own are stepped as those of the library", "[kernels][neuron]") {
  using Model = Neuron<Adds, Jumps>;
  Model::Constants constants{};
  constants.reset.v = -1000;
  NeuronColumns<Model> cells(50, constants);
  for (std::size_t neuron = 0; neuron < 50; ++neuron) cells.words[0][neuron] = -1000;
  std::vector<std::int32_t> model(50, -1000), waiting(50);
  std::mt19937 random(3);
  for (std::uint32_t step = 0; step < 500; ++step) {
    std::vector<std::uint32_t> fired;
    for (std::size_t neuron = 0; neuron < 50; ++neuron) {
      const auto arriving = static_cast<std::int32_t>(random() % 300);
      cells.input[0][neuron] = arriving;
      model[neuron] += waiting[neuron];
      waiting[neuron] = arriving;
      if (model[neuron] < 0) continue;
      fired.push_back(static_cast<std::uint32_t>(neuron));
      model[neuron] = -1000;
    }
    const StepCounts counts = cells.step(step);
    REQUIRE(std::vector(cells.spikes.begin(), cells.spikes.begin() + counts.spikes) == fired);
    REQUIRE(cells.words[0] == model);
  }
}

namespace {

/// \param exact  of as many neurons in double
template <class Rounding>
void comes_in_time(const char* rounding, const accuracy::IzhikevichCell& cell,
                   const std::vector<std::uint32_t>& exact) {
  INFO(cell.name << ", " << rounding);
  const accuracy::Lag lag = accuracy::izhikevich_lag<Rounding>(cell, exact);
  std::printf("%s, %s: spike 650 comes %.2f ms late in the mean; one deviates by %.1f ms, one in double by %.1f ms\n",
              cell.name, rounding, lag.mean_ms, lag.deviation_ms, lag.of_reference_ms);
  // Four deviations of a mean; without their dithers Down and Nearest are 20 ms off with some parameters.
  CHECK(std::fabs(lag.mean_ms) < (sanitized ? 7.0 : 3.0));
  CHECK(lag.deviation_ms < 2.0 * lag.of_reference_ms);
  CHECK(lag.of_reference_ms > 1.0); // so that one neuron beside one in double says little
  CHECK(lag.of_reference_ms < 5.0);
}

} // namespace

TEST_CASE("neuron: Izhikevich's 650th spike comes in time", "[kernels][neuron]") {
  for (const auto& cell : accuracy::izhikevich_cells) {
    const auto exact = accuracy::late_spikes_in_double(cell, sanitized ? 8 : 32);
    CHECK(exact[7] == (cell.a < 0.05 ? 650084 : 157324)); // whatever the compiler
    comes_in_time<rounding::Down>("down", cell, exact);
    comes_in_time<rounding::Nearest>("nearest", cell, exact);
    comes_in_time<rounding::Stochastic>("stochastic", cell, exact);
  }
}

namespace {

/// Four lanes beside one, of neurons of which some have sums that are held.
template <class Model, class Element = std::int32_t>
void compare_lanes(const typename Model::Parameters& given, auto vary) {
  constexpr std::size_t count = 23; // no multiple of four
  const auto made = Model::make(given, 0.1).value();
  static Population<Model, count> one(made), four(made);
  one = four = Population<Model, count>(made, 40);
  if constexpr (Model::constant_count != 0)
    for (std::size_t neuron = 1; neuron < count; ++neuron) {
      auto own = given;
      vary(own, static_cast<double>(neuron) / count);
      REQUIRE(one.set(neuron, own).ok());
      REQUIRE(four.set(neuron, own).ok());
    }
  std::mt19937 random(11);
  std::array<std::array<Element, count>, Model::receptors> input{}, same{};
  std::array<Element*, Model::receptors> sums{}, same_sums{};
  for (std::size_t receptor = 0; receptor < Model::receptors; ++receptor)
    sums[receptor] = input[receptor].data(), same_sums[receptor] = same[receptor].data();
  std::uint32_t spikes = 0, together = 0;
  for (std::uint32_t step = 0; step < 3000; ++step) {
    const bool is_wild = step / 100 % 6 == 1;
    for (std::size_t receptor = 0; receptor < Model::receptors; ++receptor)
      for (auto& sum : input[receptor]) {
        const auto word = static_cast<std::uint32_t>(random());
        if (word % (receptor == 0 ? 8 : 256) == 0)
          sum = static_cast<Element>((word >> 8) * (is_wild ? 32U : 1U) % (is_wild ? 1U << 29 : 60000U));
      }
    same = input;
    const auto expected = one.template step<target::Generic>(sums, step);
    const auto found = four.template step<CompilersOwn>(same_sums, step);
    REQUIRE(std::vector(found.begin(), found.end()) == std::vector(expected.begin(), expected.end()));
    REQUIRE(four.saturations() == one.saturations());
    for (std::size_t word = 0; word < Model::word_count; ++word)
      REQUIRE(std::equal(one.words(word).begin(), one.words(word).end(), four.words(word).begin()));
    REQUIRE(same == input); // taken
    spikes += static_cast<std::uint32_t>(expected.size());
    together += expected.size() > 1 ? 1U : 0U;
  }
  CHECK(spikes > 100);
  CHECK(together > 10);
  CHECK(one.saturations() > 10);
}

} // namespace

TEST_CASE("neuron: groups of lanes do what neurons do one by one", "[kernels][neuron]") {
  const std::array<ReceptorWeights, 2> weights{{{.largest = 0.1}, {.largest = 0.1}}};
  compare_lanes<Neuron<PerNeuron<membrane::Lif>, PerNeuron<synapse::Exponential<2>>, refractory::InMembrane,
                       adaptation::SpikeTriggered>>(
      {.membrane = {.c_nf = 0.25, .i_offset_na = 0.2}, .synapses = {{5.0, 10.0}, weights}},
      [](auto& own, double share) {
        own.membrane.i_offset_na += 0.1 * share;
        own.synapses.tau_ms[1] -= share;
      });
  compare_lanes<Neuron<membrane::Lif, synapse::Exponential<1>, refractory::InQueue, PerNeuron<reset::ToValue>>>(
      {.membrane = {.c_nf = 0.25, .i_offset_na = 0.2}, .synapses = {{5.0}, {weights[0]}}},
      [](auto& own, double share) { own.reset.v_mv -= 5.0 * share; });
  compare_lanes<Neuron<membrane::Lif, synapse::Exponential<2>, PerNeuron<threshold::Stochastic>,
                       PerNeuron<refractory::Counted>, current::WhiteNoise<>, current::Direct, rounding::Stochastic>>(
      {.membrane = {.c_nf = 0.25, .i_offset_na = 0.2},
       .synapses = {{5.0, 10.0}, weights},
       .current = {{.stdev_na = 0.3}, {.i_na = 0.1}}},
      [](auto& own, double share) { own.refractory.period_ms += share; });
  compare_lanes<Neuron<membrane::Izhikevich, synapse::Exponential<2>, rounding::Nearest>>(
      {.membrane = {.i_offset = 6.0},
       .synapses = {{5.0, 10.0}, {{{.largest = 2.0}, {.largest = 2.0}}}},
       .threshold = {30.0},
       .reset = {-65.0}},
      [](auto&, double) {});
  compare_lanes<Pair, std::uint16_t>({.membrane = {.c_nf = 0.25, .i_offset_na = 0.2}, .synapses = {{5.0, 10.0}, {}}},
                                     [](auto&, double) {});
}

TEST_CASE("neuron: constants of a neuron's own that need another scale are refused", "[kernels][neuron]") {
  const std::array<ReceptorWeights, 2> weights{{{.largest = 0.1}, {.largest = 0.1}}};
  // A shorter time constant of the membrane leaves more room: psps may stay as they are, noise and adaptation not.
  const auto error_of = [&](auto model, auto change) {
    using Model = decltype(model);
    typename Model::Parameters given{.membrane = {.tau_ms = 20.0, .r_mohm = 40.0}, .synapses = {{5.0, 10.0}, weights}};
    static Population<Model, 2> population(Model::make(given, 0.1).value());
    CHECK(population.set(1, given).ok());
    change(given);
    REQUIRE(Model::make(given, 0.1).ok());
    const Status status = population.set(1, given);
    if (!status) CHECK(status == Status{Error::parameters_contradict, 1, std::size_t{1}, "neuron"});
    return status.error;
  };
  const auto shorter = [](auto& given) { given.membrane.tau_ms = 5.0; };
  using Membrane = PerNeuron<membrane::Lif>;
  using Psps = PerNeuron<synapse::Exponential<2>>;
  CHECK(error_of(Neuron<Membrane, Psps>{}, shorter) == Error::none);
  CHECK(error_of(Neuron<Membrane, Psps, current::Direct>{}, shorter) == Error::none);
  CHECK(error_of(Neuron<Membrane, Psps, adaptation::SpikeTriggered>{}, shorter) == Error::parameters_contradict);
  CHECK(error_of(Neuron<Membrane, Psps, current::WhiteNoise<>>{}, shorter) == Error::parameters_contradict);
  CHECK(error_of(Neuron<Membrane, Psps, current::WhiteNoise<>, current::Direct>{}, shorter) ==
        Error::parameters_contradict);
  CHECK(error_of(Neuron<Membrane, Psps, current::Direct, current::WhiteNoise<>>{}, shorter) ==
        Error::parameters_contradict);
  CHECK(error_of(Neuron<Membrane, Psps, current::Direct, current::Direct>{}, shorter) == Error::none);
  CHECK(error_of(Neuron<Membrane, Psps>{}, [](auto& given) { given.membrane.tau_ms = 200.0; }) ==
        Error::parameters_contradict); // less room: finer psps
  CHECK(error_of(Neuron<Membrane, Psps>{}, [](auto& given) { given.threshold.v_mv = -49.0; }) ==
        Error::parameters_contradict);
  CHECK(error_of(Neuron<Membrane, Psps>{}, [](auto& given) {
          for (auto& weight : given.synapses.weights) weight.drive_mv = 3000.0; // a coarser unit of the membrane
        }) == Error::parameters_contradict);
}

TEST_CASE("neuron: it says what is wrong first, and by how much", "[kernels][neuron]") {
  using Model = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::InMembrane, adaptation::SpikeTriggered,
                       current::Direct, current::WhiteNoise<>>;
  const Model::Parameters right{.membrane = {.c_nf = 0.25}, .synapses = {{5.0, 10.0}, {}}};
  CHECK(Model::make(right, 0.1).ok());
  for (const double wrong : {0.0, -0.1})
    CHECK(Model::make(right, wrong).status() == Status{Error::parameter_not_positive, 0, wrong, "dt_ms"});
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double wrong : {infinite, -infinite})
    CHECK(Model::make(right, wrong).status() == Status{Error::parameter_out_of_range, 0, wrong, "dt_ms"});
  CHECK(Model::make(right, std::nan("")).status().error == Error::parameter_out_of_range);

  // from the last that is made to the first: each is told before those after it
  Model::Parameters given = right;
  const auto told = [&] { return std::string(Model::make(given, 0.1).status().parameter); };
  given.refractory.period_ms = -1.0;
  CHECK(told() == "refractory.period_ms");
  given.reset.v_mv = 1000.0;
  CHECK(told() == "reset.v_mv");
  given.synapses.weights[1].largest = -1.0;
  CHECK(told() == "synapses.weights.largest");
  given.synapses.tau_ms[0] = -1.0;
  CHECK(told() == "synapses.tau_ms");
  given.current = {{}, {.stdev_na = -1.0}};
  CHECK(told() == "current.stdev_na");
  given.current = {{.i_na = 1e9}, {.stdev_na = -1.0}};
  CHECK(told() == "current.i_na");
  given.adaptation.tau_ms = -1.0;
  CHECK(told() == "adaptation.tau_ms");
  given.membrane.tau_ms = -1.0;
  CHECK(told() == "membrane.tau_ms");
  given.threshold.v_mv = infinite;
  CHECK(told() == "threshold.v_mv");

  // a membrane with a unit of its own: by how much too coarse a unit is asked for
  using Quadratic = Neuron<membrane::Izhikevich, synapse::Exponential<2>>;
  const auto driven = [](double drive_mv) {
    std::array<ReceptorWeights, 2> weights{};
    weights.fill({.largest = 1.0, .drive_mv = drive_mv});
    return Quadratic::make({.synapses = {{5.0, 10.0}, weights}, .threshold = {30.0}}, 0.1).status();
  };
  const auto drive = limit_between(1.0, 1e6, [&](double drive_mv) { return driven(drive_mv).ok(); });
  for (const double times : {1.0, 2.0, 8.0})
    CHECK(driven(times * drive.next) == Status{Error::weight_out_of_range, 0, 2.0 * times, "synapses.weights"});
  using Conducting = Neuron<membrane::AdEx, synapse::Exponential<1>, input::Conductance<1>>;
  const auto conducting = [](double fan_in) {
    return Conducting::make({.synapses = {{5.0}, {{{.largest = 0.001, .rate_hz = 1000.0, .fan_in = fan_in}}}},
                             .input = {.reversal_mv = {0.0}},
                             .threshold = {-40.0},
                             .reset = {-70.0}},
                            0.1)
        .status();
  };
  const auto fan_in = limit_between(1.0, 1e3, [&](double synapses) { return conducting(synapses).ok(); });
  CHECK(conducting(fan_in.next) == Status{Error::weight_out_of_range, 0, 2.0, "synapses.weights"});
}

TEST_CASE("neuron: a weight is rounded to nearest, up to the largest of a synaptic word", "[kernels][neuron]") {
  const auto made = Pair::make({.membrane = {.c_nf = 0.25}, .synapses = {.tau_ms = {5.0, 10.0}}}, 0.1).value();
  for (std::uint32_t receptor = 0; receptor < 2; ++receptor) {
    const double unit = 1.0 / made.units[receptor];
    CHECK(Pair::weight(made, receptor, 65535.4 * unit).value() == 65535);
    CHECK(Pair::weight(made, receptor, 65535.6 * unit).status() ==
          Status{Error::weight_out_of_range, receptor, 65535.6 * unit, "magnitude"});
    CHECK(Pair::weight(made, receptor, 0.0).value() == 0);
    CHECK(Pair::weight(made, receptor, 0.51 * unit).value() == 1);
    CHECK(Pair::weight(made, receptor, 0.49 * unit).status() ==
          Status{Error::weight_vanishes, receptor, 0.49 * unit, "magnitude"});
    for (const double wrong : {-unit, -1e-30, -1e9})
      CHECK(Pair::weight(made, receptor, wrong).status() ==
            Status{Error::weight_out_of_range, receptor, wrong, "magnitude"});
  }
}

TEST_CASE("neuron: a word has the unit of its place", "[kernels][neuron]") {
  using Model = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::InMembrane>;
  const auto made = Model::make({.membrane = {.c_nf = 0.25}, .synapses = {{5.0, 10.0}, {}}}, 0.1).value();
  constexpr auto places = place_of<Model>;
  STATIC_REQUIRE((places.membrane.v == 0 && places.synapses[0] == 1 && places.synapses[1] == 2));
  for (const std::int32_t word : {5, 0, -5}) {
    CHECK(Model::value(made, places.synapses[1], word) == word * made.quantities.synapses[1].per_unit);
    CHECK(Model::value(made, places.synapses[0], word) == word * made.quantities.synapses[0].per_unit);
    CHECK(Model::value(made, places.membrane.v, word) ==
          Approx(word < 0 ? -50.0 + std::ldexp(word, -22) : -65.0).epsilon(1e-15));
  }
  CHECK(made.quantities.synapses[0].per_unit != made.quantities.synapses[1].per_unit);
}
