// SPDX-License-Identifier: BSL-1.0
// What a population of composed neurons has of its own: initial words, and constants of each neuron.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include <neuromorph/kernels/neurons/adaptation/spike_triggered.hpp>
#include <neuromorph/kernels/neurons/currents/direct.hpp>
#include <neuromorph/kernels/neurons/currents/noise.hpp>
#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/neurons/refractory/counted.hpp>
#include <neuromorph/kernels/neurons/refractory/in_queue.hpp>
#include <neuromorph/kernels/neurons/synapse_types/driven.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>

#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/uniform.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/neuron_columns.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

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
