// SPDX-License-Identifier: BSL-1.0
// What every named composition holds to, whatever it is driven by: it is right, or it says that it is not; no neuron changes
// its neighbour; what is recorded is physical.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <vector>

#include <neuromorph/kernels/neurons/models/nir.hpp>
#include <neuromorph/kernels/neurons/models/pynn.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/composition_runs.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;
using compositions::Is;

namespace {

using LifOne = Neuron<membrane::Lif, synapse::Difference, refractory::InMembrane>;
using LifTwo = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::InMembrane>;
using Packed = Neuron<membrane::Lif, synapse::ExponentialPair, refractory::InMembrane>;
using CompactOne = Neuron<membrane::Lif, synapse::Driven<1>, refractory::InQueue>;
using CompactTwo = Neuron<membrane::Lif, synapse::Driven<2, 9>, refractory::InQueue>;

#define ALIASES                                                                                                        \
  pynn::IfCurrExp, pynn::IfCurrAlpha, pynn::IfCurrDelta, pynn::IfCondExp, pynn::Izhikevich, pynn::EifCondExpIsfaIsta,  \
      nir::Lif, nir::CubaLif, nir::Li, nir::CubaLi, nir::If, nir::Integrator, LifOne, LifTwo, Packed, CompactOne,      \
      CompactTwo

template <class Model>
constexpr bool is_compact =
    Is<typename Model::Synapses, synapse::Driven<1>> || Is<typename Model::Synapses, synapse::Driven<2, 9>>;

/// A share of the field's largest weights: 1 nA, 30 mV, 0.05 uS.
template <class Model>
double unit_of_weights() {
  if (compositions::is_delta<typename Model::Synapses>) return 30.0;
  return compositions::is_conductance<typename Model::Input> ? 0.05 : 1.0;
}

template <class Model>
typename Model::Parameters given_for(double share, double rate_hz) {
  auto given = compositions::parameters_of<Model>(0);
  ReceptorWeights weights{.largest = share * unit_of_weights<Model>(), .rate_hz = rate_hz, .fan_in = 1.0};
  if constexpr (Model::Synapses::input_in_pairs) weights.bits = 12;
  if constexpr (is_compact<Model>) weights.bits = 20;
  given.synapses.weights.fill(weights);
  return given;
}

enum class Drive { excitation, inhibition, both, most_excitation, most_inhibition, wild };
constexpr std::array drives{Drive::excitation,      Drive::inhibition,      Drive::both,
                            Drive::most_excitation, Drive::most_inhibition, Drive::wild};

/// A weight as the integers of excitation and inhibition.
template <class Model>
std::optional<std::array<std::int32_t, 2>> weights_of(const typename Model::Made& made, double weight) {
  std::array<std::int32_t, 2> units{};
  for (std::uint32_t which = 0; which < 2; ++which) {
    const auto result = Model::weight(made, which < Model::receptors ? which : 0, weight);
    if (!result) return {};
    units[which] = static_cast<std::int32_t>(result.value());
  }
  return units;
}

/// What arrives in a step, in units of weights.
template <class Model>
std::array<std::int32_t, Model::receptors> arriving(Drive drive, const std::array<std::int32_t, 2>& weights,
                                                    Sfc32& random) {
  std::array<std::int32_t, Model::receptors> units{};
  constexpr std::int32_t most = Model::Synapses::input_in_pairs ? 65535 : (1 << 30) - 1;
  const auto give = [&](std::size_t receptor, std::int32_t amount) {
    if (receptor < Model::receptors)
      units[receptor] += amount;
    else // one receptor of weights with a sign
      units[0] -= amount;
  };
  switch (drive) {
  case Drive::both:
  case Drive::excitation: give(0, weights[0]); break;
  case Drive::most_excitation: give(0, most); break;
  case Drive::most_inhibition: give(1, most); break;
  case Drive::inhibition: break;
  case Drive::wild:
    for (std::size_t receptor = 0; receptor < 2; ++receptor)
      if (random.next() % 4 == 0)
        give(receptor,
             static_cast<std::int32_t>(random.next() & static_cast<std::uint32_t>(most)) >> (random.next() % 31));
    break;
  }
  if (drive == Drive::inhibition || drive == Drive::both) give(1, weights[1]);
  return units;
}

/// Errors that the parts state, in mV, of a membrane that was as far as `farthest` mV from the threshold.
template <class Model>
double bound_of(const typename Model::Made& made, double moved, double farthest) {
  double bound = compositions::Bounds<Model>::of(moved) + 1e-3 * farthest;
  if constexpr (is_compact<Model>) { // units of psps, as docs/neurons.md has it
    const double unit = std::ldexp(1.0, -made.making.unit_bits);
    bound += 2.0 * unit / made.making.decay;
  }
  // an integrator sums them up
  if constexpr (Is<typename Model::Membrane, membrane::Integrator>) bound *= 3.0;
  return bound;
}

struct Tally {
  std::uint32_t refused = 0, counted = 0, right = 0, spikes = 0;
};

/// A neuron under a drive beside the equations, until something is counted.
template <class Model>
void follow(const typename Model::Made& made, const typename Model::Parameters& given, Drive drive, double largest,
            bool is_told, Tally& tally) {
  Population<Model, 1> population(made);
  compositions::Reference reference(compositions::description_of<Model>(given, made));
  const auto largest_weights = weights_of<Model>(made, largest);
  if (!largest_weights) {
    ++tally.refused;
    return;
  }
  Sfc32 random(StreamId{static_cast<std::uint32_t>(drive), 8, 9});
  std::array<std::array<compositions::ElementOf<Model>, 1>, Model::receptors> sums{};
  std::array<compositions::ElementOf<Model>*, Model::receptors> pointers{};
  double farthest = 0.0;
  std::uint32_t since = 1000;
  const auto period = static_cast<std::uint32_t>(reference.is.refractory_steps);
  for (std::uint32_t step = 0; step < (sanitized ? 60 : 400); ++step) {
    const auto units = arriving<Model>(drive, *largest_weights, random);
    std::vector<double> weights;
    for (std::size_t receptor = 0; receptor < Model::receptors; ++receptor) {
      sums[receptor][0] = static_cast<compositions::ElementOf<Model>>(units[receptor]);
      pointers[receptor] = sums[receptor].data();
      weights.push_back(units[receptor] / made.units[receptor]);
    }
    const bool has_fired = !population.step(pointers, step).empty();
    if (population.saturations() != 0) {
      ++tally.counted;
      INFO("step " << step);
      // of psps it was said that this comes; nothing draws an integrator back, and spikes add to u and w
      if constexpr (!Is<typename Model::Membrane, membrane::Integrator> && !compositions::Bounds<Model>::has_upswing)
        CHECK_FALSE(is_told);
      return;
    }
    tally.spikes += has_fired ? 1U : 0U;
    const double before = reference.v();
    // there the square leaves its word, as the header says
    if (compositions::is_izhikevich<typename Model::Membrane> && before < -150.0) break;
    reference.integrate(weights, 0.0);
    farthest = std::max({farthest, std::fabs(reference.v() - reference.is.threshold_mv), std::fabs(reference.above())});
    const double bound = bound_of<Model>(made, std::fabs(reference.v() - before), farthest);
    INFO("drive " << static_cast<int>(drive) << ", step " << step << ", " << reference.above() << " mV above, bound "
                  << bound);
    if (reference.is.threshold != compositions::Description::Threshold::none) {
      const bool should = reference.is_active() && reference.above() >= 0.0;
      if (should != has_fired) {
        REQUIRE(reference.is_active());
        REQUIRE(std::fabs(reference.above()) < bound);
      }
    } else {
      REQUIRE_FALSE(has_fired);
    }
    reference.finish(has_fired);
    const double found = population.value(place_of<Model>.membrane.v, 0);
    REQUIRE(std::fabs(found - reference.v()) < bound);
    // physical: below the threshold of a neuron that is reset to a value, and there in the refractory period
    if constexpr (Is<typename Model::Reset, reset::ToValue> && !Is<typename Model::Threshold, threshold::None>) {
      REQUIRE(found < reference.is.threshold_mv);
      since = has_fired ? 0 : since + 1;
      if (since < period)
        REQUIRE(std::fabs(found - reference.is.reset_mv) < 1e-3 + std::ldexp(1.0, -made.making.unit_bits));
    }
    if constexpr (compositions::Bounds<Model>::has_upswing) {
      reference.v() = found;
      if constexpr (Is<typename Model::Membrane, membrane::AdEx>)
        reference.set_u(population.value(place_of<Model>.membrane.w, 0));
      else
        reference.set_u(population.value(place_of<Model>.membrane.u, 0));
    }
  }
  ++tally.right;
}

} // namespace

TEMPLATE_TEST_CASE("contract: under any drive a neuron is right, or something is counted or refused",
                   "[kernels][neuron]", ALIASES) {
  Tally tally;
  for (const double dt : {0.1, 1.0})
    for (const double share : {0.001, 0.02, 0.3, 1.0})
      for (const bool is_told : {false, true}) {
        const auto given = given_for<TestType>(share, is_told ? 1000.0 / dt : 0.0);
        const auto made = TestType::make(given, dt);
        if (!made) {
          ++tally.refused;
          continue;
        }
        for (const Drive drive : drives) {
          INFO("dt " << dt << ", share " << share << ", told " << is_told);
          const bool is_as_told = is_told && drive <= Drive::both;
          follow<TestType>(made.value(), given, drive, share * unit_of_weights<TestType>(), is_as_told, tally);
        }
      }
  std::printf("%u right, %u counted, %u refused, %u spikes\n", tally.right, tally.counted, tally.refused, tally.spikes);
  CHECK(tally.right > 10);
}

TEMPLATE_TEST_CASE("contract: no neuron changes its neighbour", "[kernels][neuron]", ALIASES) {
  constexpr std::size_t count = 23;
  const auto made = TestType::make(given_for<TestType>(0.1, 0.0), 0.1);
  REQUIRE(made.ok());
  static Population<TestType, count> all(made.value());
  using Element = compositions::ElementOf<TestType>;
  std::uint32_t spikes = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 2 : 10)) {
    INFO("seed " << seed);
    all = Population<TestType, count>(made.value(), 5);
    std::vector<Population<TestType, 1>> alone;
    for (std::uint32_t neuron = 0; neuron < count; ++neuron) alone.emplace_back(made.value(), 5 + neuron);
    Sfc32 random(StreamId{seed, 3, 4});
    const auto weights = weights_of<TestType>(made.value(), 0.1 * unit_of_weights<TestType>());
    REQUIRE(weights.has_value());
    for (std::uint32_t step = 0; step < 300; ++step) {
      std::array<std::array<Element, count>, TestType::receptors> sums{};
      std::array<Element*, TestType::receptors> pointers{};
      std::vector<std::uint32_t> expected;
      for (std::uint32_t neuron = 0; neuron < count; ++neuron) {
        // every third neuron has what is usual, beside others that are wild
        const Drive drive = neuron % 3 != 0 ? drives[random.next() % drives.size()] : Drive::excitation;
        const auto units = arriving<TestType>(drive, *weights, random);
        std::array<Element, TestType::receptors> own{};
        std::array<Element*, TestType::receptors> own_pointers{};
        for (std::size_t receptor = 0; receptor < TestType::receptors; ++receptor) {
          own[receptor] = sums[receptor][neuron] = static_cast<Element>(units[receptor]);
          pointers[receptor] = sums[receptor].data(), own_pointers[receptor] = &own[receptor];
        }
        if (!alone[neuron].step(own_pointers, step).empty()) expected.push_back(neuron);
      }
      const auto fired = all.step(pointers, step);
      REQUIRE(std::vector(fired.begin(), fired.end()) == expected);
      spikes += static_cast<std::uint32_t>(expected.size());
      for (std::size_t word = 0; word < TestType::word_count; ++word)
        for (std::size_t neuron = 0; neuron < count; ++neuron)
          REQUIRE(all.words(word)[neuron] == alone[neuron].words(word)[0]);
    }
    std::uint32_t saturations = 0;
    for (const auto& one : alone) saturations += one.saturations();
    if constexpr (!is_compact<TestType>) CHECK(all.saturations() == saturations);
    CHECK(all.saturations() > 0);
  }
  CHECK((spikes > 0 || Is<typename TestType::Threshold, threshold::None>));
}

TEMPLATE_TEST_CASE("contract: at the ends of all ranges excitation excites and inhibition inhibits",
                   "[kernels][neuron]", ALIASES) {
  // What wraps has the other sign.
  for (const double share : {0.001, 0.1, 1.0}) {
    const auto given = given_for<TestType>(share, 0.0);
    const auto made = TestType::make(given, 0.1);
    if (!made) continue;
    INFO("share " << share);
    const double threshold = compositions::threshold_mv<TestType>();
    constexpr bool is_readout = Is<typename TestType::Threshold, threshold::None>;
    Population<TestType, 1> population(made.value());
    Sfc32 random(StreamId{1, 2, 3});
    std::array<std::array<compositions::ElementOf<TestType>, 1>, TestType::receptors> sums{};
    std::array<compositions::ElementOf<TestType>*, TestType::receptors> pointers{};
    for (std::uint32_t phase = 0; phase < 4; ++phase) {
      const Drive drive = phase % 2 == 0 ? Drive::most_excitation : Drive::most_inhibition;
      std::uint32_t spikes = 0;
      for (std::uint32_t step = 0; step < 3000; ++step) {
        const auto units = arriving<TestType>(drive, {}, random);
        for (std::size_t receptor = 0; receptor < TestType::receptors; ++receptor) {
          sums[receptor][0] = static_cast<compositions::ElementOf<TestType>>(units[receptor]);
          pointers[receptor] = sums[receptor].data();
        }
        const bool has_fired = !population.step(pointers, step).empty();
        if (step < 2000) continue; // what the other left is gone
        spikes += has_fired ? 1U : 0U;
        const double v = population.value(place_of<TestType>.membrane.v, 0);
        INFO("phase " << phase << ", step " << step << ": " << v << " mV");
        if (phase % 2 != 0 || !is_readout)
          REQUIRE((v < threshold || Is<typename TestType::Membrane, membrane::Integrator>));
        if (phase % 2 == 0 && is_readout) REQUIRE(v > threshold);
        REQUIRE(std::fabs(v - threshold) < 1100.0 * std::ldexp(1.0, std::max(0, 22 - made.value().making.unit_bits)));
      }
      CHECK((spikes > 0) == (phase % 2 == 0 && !is_readout));
    }
    CHECK(population.saturations() > 0);
  }
}

TEST_CASE("contract: a range that a membrane with a fixed unit does not have is refused", "[kernels][neuron]") {
  using Model = Neuron<membrane::Izhikevich, synapse::Exponential<2>>;
  auto given = compositions::parameters_of<Model>(0);
  given.synapses.weights.fill({.largest = 1.0, .rate_hz = 10.0, .fan_in = 10.0});
  CHECK(Model::make(given, 0.1).ok());
  given.synapses.weights[1] = {.largest = 1.0, .rate_hz = 1000.0, .fan_in = 1000.0};
  CHECK(Model::make(given, 0.1).status().error == Error::weight_out_of_range);
  using Exponential = Neuron<membrane::AdEx, synapse::Exponential<2>>;
  auto other = compositions::parameters_of<Exponential>(0);
  other.synapses.weights.fill({.largest = 1.0, .drive_mv = 1e8});
  CHECK(Exponential::make(other, 0.1).status().error == Error::weight_out_of_range);
}

TEST_CASE("contract: a drift of a neuron's own is refused where synapses carry that of all", "[kernels][neuron]") {
  const auto check = [](auto model, Error expected) {
    using Model = decltype(model);
    auto given = compositions::parameters_of<Model>(0);
    static Population<Model, 2> population(Model::make(given, 0.1).value());
    CHECK(population.set(1, given).ok());
    given.membrane.i_offset_na += 0.01;
    CHECK(population.set(1, given).error == expected);
  };
  check(Neuron<PerNeuron<membrane::Lif>, synapse::Driven<1>>{}, Error::parameters_contradict);
  check(Neuron<PerNeuron<membrane::Lif>, PerNeuron<synapse::Driven<1>>>{}, Error::none);
  check(Neuron<PerNeuron<membrane::Lif>, synapse::Exponential<1>>{}, Error::none);
}

TEST_CASE("contract: a neuron with a reset of its own shows it in its refractory period", "[kernels][neuron]") {
  const auto check = [](auto model) {
    using Model = decltype(model);
    auto given = compositions::parameters_of<Model>(0);
    static Population<Model, 2> population(Model::make(given, 0.1).value());
    given.reset.v_mv = -72.0;
    REQUIRE(population.set(1, given).ok());
    std::array<std::array<std::int32_t, 2>, 2> sums{};
    std::uint32_t spikes = 0;
    for (std::uint32_t step = 0; step < 200; ++step) {
      sums[0] = {60000, 60000};
      for (const std::uint32_t neuron : population.step(std::array{sums[0].data(), sums[1].data()}, step)) {
        ++spikes;
        CHECK(population.value(place_of<Model>.membrane.v, neuron) == Approx(neuron == 1 ? -72.0 : -65.0).margin(1e-3));
      }
    }
    CHECK(spikes > 2);
  };
  check(Neuron<membrane::Lif, synapse::Exponential<2>, PerNeuron<reset::ToValue>, refractory::InMembrane>{});
  check(Neuron<membrane::Lif, synapse::Exponential<2>, PerNeuron<reset::ToValue>, refractory::InQueue>{});
  check(Neuron<membrane::Lif, synapse::Exponential<2>, PerNeuron<reset::ToValue>, refractory::Counted>{});
}

TEMPLATE_TEST_CASE("contract: a membrane that is set integrates from there on, and no other is changed",
                   "[kernels][neuron]", LifOne, LifTwo, Packed, CompactOne, CompactTwo) {
  using Element = compositions::ElementOf<TestType>;
  constexpr std::size_t count = 5;
  constexpr auto place = place_of<TestType>.membrane.v;
  auto given = compositions::parameters_of<TestType>(0);
  given.membrane.i_offset_na = 0.4, given.refractory.period_ms = 8.0;
  const auto made = TestType::make(given, 0.1).value();
  static Population<TestType, count> all(made), untouched(made);
  static Population<TestType, 1> fresh(made);
  std::uint32_t spikes = 0, waited = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 4 : 20)) {
    INFO("seed " << seed);
    Sfc32 random(StreamId{seed, 6, 4});
    all = untouched = Population<TestType, count>(made);
    fresh = Population<TestType, 1>(made);
    std::array<std::array<Element, count>, TestType::receptors> sums{};
    std::array<Element*, TestType::receptors> pointers{};
    for (std::size_t receptor = 0; receptor < TestType::receptors; ++receptor)
      pointers[receptor] = sums[receptor].data();
    for (std::uint32_t step = seed - 1500; step != seed + 1500; ++step) {
      if (random.next() % 64 == 0) {
        const double mv = -50.0 - uniform_between(random, 1, 15);
        if (all.value(place, 2) != TestType::value(made, place, all.words(place)[2])) ++waited;
        REQUIRE(all.set(place, 2, mv).ok());
        fresh = Population<TestType, 1>(made);
        for (std::size_t word = 0; word < TestType::word_count; ++word) fresh.words(word)[0] = all.words(word)[2];
      }
      std::vector<std::uint32_t> expected, found;
      for (const std::uint32_t neuron : untouched.step(pointers, step))
        if (neuron != 2) expected.push_back(neuron);
      if (!fresh.step(pointers, step).empty()) expected.push_back(2);
      std::sort(expected.begin(), expected.end());
      for (const std::uint32_t neuron : all.step(pointers, step)) found.push_back(neuron);
      REQUIRE(found == expected);
      spikes += static_cast<std::uint32_t>(found.size());
      for (std::size_t word = 0; word < TestType::word_count; ++word)
        for (std::size_t neuron = 0; neuron < count; ++neuron)
          REQUIRE(all.words(word)[neuron] == (neuron == 2 ? fresh.words(word)[0] : untouched.words(word)[neuron]));
    }
  }
  CHECK(spikes > 100);
  CHECK((waited > 3 || !TestType::Refractory::has_queue));
}
