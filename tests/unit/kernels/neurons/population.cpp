// SPDX-License-Identifier: BSL-1.0
// A population: the memory of neurons, its words in physical units, input that comes from no row.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <neuromorph/kernels/neurons/currents/noise.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/neurons/refractory/counted.hpp>
#include <neuromorph/kernels/neurons/refractory/in_queue.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/random/alias_table.hpp>
#include <neuromorph/kernels/random/byte_table.hpp>
#include <neuromorph/kernels/random/jkiss64.hpp>
#include <neuromorph/kernels/random/poisson.hpp>
#include <neuromorph/kernels/random/sfc32x16.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/limits.hpp"

using namespace neuromorph;

TEST_CASE("population: background input is what its table draws, and held where it ends", "[kernels][neuron]") {
  using Model = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::InMembrane>;
  const auto made =
      Model::make({.membrane = {.c_nf = 0.25}, .synapses = {{5.0, 10.0}, {{{.largest = 0.1}, {.largest = 0.1}}}}}, 0.1)
          .value();
  static Population<Model, 250> population(made);
  const auto check = [&]<class Element>(RingBuffer<SynapticWord<8, 1, 4>, Element>& ring, std::int32_t weight,
                                        std::int64_t least, std::int64_t most) {
    Jkiss64 source(StreamId{1, 2, 3}), same(StreamId{1, 2, 3});
    const std::uint32_t before = population.input_saturations();
    std::uint32_t saturations = 0;
    std::array<std::int64_t, 250> expected{};
    for (std::uint32_t round = 0; round < 3; ++round) {
      std::array<std::uint8_t, 250> counts{};
      byte_table<Poisson(1.6)>.fill(same, counts); // more than a block of the table
      for (std::size_t at = 0; at < 250; ++at) {
        std::int64_t sum = expected[at] + std::int64_t{weight} * counts[at];
        if (sum > most) sum = most, ++saturations;
        if (sum < least) sum = least, ++saturations;
        expected[at] = sum;
      }
      population.add_background(ring, 7, 1, byte_table<Poisson(1.6)>, source, weight);
    }
    for (std::size_t at = 0; at < 250; ++at) REQUIRE(ring.slot(7, 1)[at] == expected[at]);
    CHECK(population.input_saturations() - before == saturations);
    return saturations;
  };
  static RingBuffer<SynapticWord<8, 1, 4>> words;
  CHECK(check(words, 1000, -(1 << 30) + 1, (1 << 30) - 1) == 0);
  static RingBuffer<SynapticWord<8, 1, 4>> more;
  CHECK(check(more, 1 << 28, -(1 << 30) + 1, (1 << 30) - 1) > 0);
  static RingBuffer<SynapticWord<8, 1, 4>> less;
  CHECK(check(less, -(1 << 28), -(1 << 30) + 1, (1 << 30) - 1) > 0);
  static RingBuffer<SynapticWord<8, 1, 4>, std::uint16_t> halves;
  CHECK(check(halves, 20000, 0, 65535) > 0);
  static RingBuffer<SynapticWord<8, 1, 4>, std::int16_t> signed_halves;
  CHECK(check(signed_halves, -9000, -32768, 32767) > 0);

  // events that somebody else has counted: from a neuron on, no further than the last
  static RingBuffer<SynapticWord<8, 1, 4>, std::int16_t> own;
  std::array<std::uint8_t, 30> counts{};
  for (std::size_t at = 0; at < 30; ++at) counts[at] = static_cast<std::uint8_t>(at % 7);
  const std::uint32_t before = population.input_saturations();
  population.add_events(own, 3, 0, counts, 6000, 240);
  population.add_events(own, 3, 0, std::span<const std::uint8_t>{counts}.first(5), -100, 238);
  for (std::size_t at = 0; at < 256; ++at) {
    int expected = at >= 240 && at < 250 ? std::min(32767, 6000 * static_cast<int>((at - 240) % 7)) : 0;
    if (at >= 238 && at < 243) expected -= 100 * static_cast<int>(at - 238);
    REQUIRE(own.slot(3, 0)[at] == expected);
  }
  population.add_events(own, 3, 0, counts, 6000, 250); // of nobody
  population.add_events(own, 3, 0, counts, 6000, 251);
  REQUIRE(own.slot(3, 0)[250] == 0);
  REQUIRE(own.slot(3, 0)[251] == 0);
  CHECK(population.input_saturations() - before == 1); // 6 times 6000
}

TEST_CASE("population: a step with background is add_background and a step", "[kernels][neuron]") {
  using Model = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::InMembrane>;
  const auto made =
      Model::make({.membrane = {.c_nf = 0.25}, .synapses = {{5.0, 10.0}, {{{.largest = 0.1}, {.largest = 0.1}}}}}, 0.1)
          .value();
  static Population<Model, 1500> one(made), other(made);
  static RingBuffer<SynapticWord<11, 1, 4>> ring_of_one, ring_of_other;
  const auto weight = static_cast<std::int32_t>(Model::weight(made, 0, 0.08).value());
  Sfc32x16 excitation(StreamId{1, 2, 3}), same_excitation = excitation;
  Jkiss64 inhibition(StreamId{1, 2, 4}), same_inhibition = inhibition;
  std::size_t spikes = 0;
  for (std::uint32_t step = 0; step < 400; ++step) {
    const std::array<std::uint8_t, 2> event{1, 1};
    one.add_events(ring_of_one, step + 3, 0, event, weight, step);
    other.add_events(ring_of_other, step + 3, 0, event, weight, step);
    const auto fired = one.step(ring_of_one, step, Background{0, alias_table<Poisson(1.2)>, excitation, weight},
                                Background{1, byte_table<Poisson(1.6)>, inhibition, weight / 16});
    other.add_background(ring_of_other, step, 0, alias_table<Poisson(1.2)>, same_excitation, weight);
    other.add_background(ring_of_other, step, 1, byte_table<Poisson(1.6)>, same_inhibition, weight / 16);
    const auto expected = other.step<target::Generic>(ring_of_other, step);
    REQUIRE(std::equal(fired.begin(), fired.end(), expected.begin(), expected.end()));
    spikes += fired.size();
  }
  for (std::size_t word = 0; word < Model::word_count; ++word)
    REQUIRE(std::equal(one.words(word).begin(), one.words(word).end(), other.words(word).begin()));
  CHECK(excitation == same_excitation);
  CHECK(inhibition == same_inhibition);
  CHECK(spikes > 1500);
}

namespace {

using InMembrane = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::InMembrane>;
using InQueue = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::InQueue>;
using Counted = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::Counted>;

template <class Model>
typename Model::Made made_of(double i_offset_na = 0.0) {
  return Model::make({.membrane = {.c_nf = 0.25, .i_offset_na = i_offset_na},
                      .synapses = {{5.0, 10.0}, {{{.largest = 0.1}, {.largest = 0.1}}}},
                      .reset = {-60.0},
                      .refractory = {0.5}},
                     0.1)
      .value();
}
/// Without input.
template <class Model, std::size_t count>
std::vector<std::uint32_t> spikes_of(Population<Model, count>& population, std::uint32_t step) {
  std::array<std::array<std::int32_t, count>, 2> sums{};
  const auto fired = population.step(std::array{sums[0].data(), sums[1].data()}, step);
  return {fired.begin(), fired.end()};
}

} // namespace

TEST_CASE("population: where nothing is drawn a sum stays as it is", "[kernels][neuron]") {
  static Population<InMembrane, 4> population(made_of<InMembrane>());
  static RingBuffer<SynapticWord<8, 1, 4>> ring;
  constexpr std::int32_t most = (1 << 30) - 1;
  const std::array before{most + 5, -most - 5, most, -most};
  std::copy(before.begin(), before.end(), ring.slot(0, 0).begin());
  const std::array<std::uint8_t, 4> none{};
  population.add_events(ring, 0, 0, none, 1000);
  CHECK(std::equal(before.begin(), before.end(), ring.slot(0, 0).begin()));
  CHECK(population.input_saturations() == 0);
  // to the ends, and one beyond
  const std::array<std::uint8_t, 4> one{1, 1, 1, 1};
  const std::array<std::int32_t, 4> near{most - 10, most - 9, 10 - most, 9 - most};
  std::copy(near.begin(), near.end(), ring.slot(0, 0).begin());
  population.add_events(ring, 0, 0, std::span{one}.first(2), 10);
  population.add_events(ring, 0, 0, std::span{one}.last(2), -10, 2);
  CHECK(std::equal(ring.slot(0, 0).begin(), ring.slot(0, 0).begin() + 4, std::array{most, most, -most, -most}.begin()));
  CHECK(population.input_saturations() == 2);
}

TEMPLATE_TEST_CASE("population: a neuron that waits shows its reset, and its psps", "[kernels][neuron]", InMembrane,
                   InQueue, Counted) {
  const auto made = made_of<TestType>(0.25); // 20 mV above rest
  static Population<TestType, 3> population(made);
  population = Population<TestType, 3>(made);
  constexpr auto places = place_of<TestType>;
  std::uint32_t waited = 0, fired = 0, since = 1000;
  for (std::uint32_t step = 0; step < 2000; ++step) {
    for (std::size_t receptor = 0; receptor < 2; ++receptor)
      for (std::size_t neuron = 0; neuron < 3; ++neuron)
        REQUIRE(population.set(places.synapses[receptor], neuron, 1e-6 * static_cast<double>(neuron)).ok());
    const std::array<std::array<std::int32_t, 3>, 2> psps{
        {{population.words(places.synapses[0])[0], population.words(places.synapses[0])[1],
          population.words(places.synapses[0])[2]},
         {population.words(places.synapses[1])[0], population.words(places.synapses[1])[1],
          population.words(places.synapses[1])[2]}}};
    for (std::size_t receptor = 0; receptor < 2; ++receptor)
      for (std::size_t neuron = 0; neuron < 3; ++neuron)
        REQUIRE(population.value(places.synapses[receptor], neuron) ==
                psps[receptor][neuron] * made.quantities.synapses[receptor].per_unit);
    const bool has_fired = !spikes_of(population, step).empty();
    since = has_fired ? 0 : since + 1;
    fired += has_fired ? 1 : 0;
    for (std::size_t neuron = 0; neuron < 3; ++neuron) {
      const double v = population.value(places.membrane.v, neuron);
      if (since < 5)
        REQUIRE(v == Approx(-60.0).margin(1e-5));
      else
        REQUIRE((v > -65.5 && v < -50.0));
    }
    waited += since < 5 ? 1 : 0;
  }
  CHECK(fired > 3);
  CHECK(waited == 5 * fired);
}

TEST_CASE("population: of what cannot be set it says where", "[kernels][neuron]") {
  using Model = Neuron<PerNeuron<membrane::Lif>, synapse::Exponential<2>, refractory::InMembrane>;
  const auto made = made_of<Model>();
  static Population<Model, 5> population(made);
  constexpr std::size_t v = place_of<Model>.membrane.v, psp = place_of<Model>.synapses[1];
  STATIC_REQUIRE(Model::word_count == 3);
  CHECK(population.set(3, 4, -60.0) == Status{Error::index_out_of_range, 4, std::size_t{3}, "place"});
  CHECK(population.set(3, 7, -60.0) == Status{Error::index_out_of_range, 7, std::size_t{3}, "place"});
  CHECK(population.set(99, 7, -60.0) == Status{Error::index_out_of_range, 7, std::size_t{99}, "place"});
  CHECK(population.set(v, 5, -60.0) == Status{Error::index_out_of_range, 5, std::size_t{5}, "neuron"});
  CHECK(population.set(psp, 6, -60.0) == Status{Error::index_out_of_range, 6, std::size_t{6}, "neuron"});
  CHECK(population.set(std::size_t{5}, Model::Parameters{.membrane = {.c_nf = 0.25}}) ==
        Status{Error::index_out_of_range, 5, std::size_t{5}, "neuron"});
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double wrong : {infinite, -infinite, 1e300, -1e300})
    for (const std::size_t place : {v, psp})
      CHECK(population.set(place, 2, wrong) == Status{Error::parameter_out_of_range, 2, wrong, "value"});
  CHECK_FALSE(population.set(psp, 2, std::nan("")).ok());
  for (std::size_t neuron = 0; neuron < 5; ++neuron) { // as they were
    CHECK(population.words(v)[neuron] == made.initial.membrane.v);
    CHECK(population.words(psp)[neuron] == 0);
  }

  // a psp to the ends of its word, a membrane from the last 1/64 of its range to the threshold
  const double unit = made.quantities.synapses[1].per_unit, word = std::ldexp(1.0, 31);
  const auto takes = [&](std::size_t place) {
    return [place](double value) { return population.set(place, 4, value).ok(); };
  };
  CHECK(limit_between(0.0, 1e9, takes(psp)).next == Approx((word - 0.5) * unit).epsilon(1e-15));
  CHECK(limit_between(0.0, -1e9, takes(psp)).next == Approx((-word - 0.5) * unit).epsilon(1e-15));
  REQUIRE(population.set(psp, 4, (word - 1.0) * unit).ok());
  CHECK(population.words(psp)[4] == INT32_MAX);
  REQUIRE(population.set(psp, 4, -word * unit).ok());
  CHECK(population.words(psp)[4] == INT32_MIN);
  CHECK(limit_between(-60.0, 0.0, takes(v)).next == Approx(-50.0 - 0x1p-23).epsilon(1e-14));
  CHECK(limit_between(-60.0, -1e9, takes(v)).next == Approx(-50.0 - 504.0 - 0x1p-23).epsilon(1e-14));
  REQUIRE(population.set(v, 3, -55.25 + 0x1.4p-23).ok()); // to nearest
  CHECK(population.words(v)[3] == -(21 << 20) + 1);
  CHECK(population.words(v)[2] == made.initial.membrane.v);
}

TEST_CASE("population: a copy has a queue of its own", "[kernels][neuron]") {
  const auto made = made_of<InQueue>(0.25);
  Population<InQueue, 4> kept(made), assigned(made), first(made);
  std::optional<Population<InQueue, 4>> source(first), copied;
  std::uint32_t spikes = 0;
  for (std::uint32_t step = 0; step < 3000; ++step) {
    for (std::size_t neuron = 0; neuron < 4; ++neuron) // not all at once
      if (step == 0) REQUIRE(first.set(0, neuron, -60.0 + 2.0 * static_cast<double>(neuron)).ok());
    const auto fired = spikes_of(first, step);
    spikes += static_cast<std::uint32_t>(fired.size());
    if (step % 3 == 1) {
      // another goes on with it while this one stands still, and is gone
      source.emplace(first);
      copied.emplace(*source);
      assigned = *copied;
      const auto& same = assigned;
      assigned = same;
      source.reset();
      for (std::uint32_t more = 1; more < 8; ++more)
        CHECK(spikes_of(*copied, step + more) == spikes_of(assigned, step + more));
      kept = first;
      for (std::uint32_t more = 1; more < 8; ++more) (void)spikes_of(kept, step + more);
      for (std::size_t neuron = 0; neuron < 4; ++neuron) {
        REQUIRE(kept.words(0)[neuron] == assigned.words(0)[neuron]);
        REQUIRE(kept.words(0)[neuron] == copied->words(0)[neuron]);
      }
      copied.reset();
    }
  }
  CHECK(spikes > 20);
}

TEST_CASE("population: what the original does afterwards changes no copy", "[kernels][neuron]") {
  const auto made = made_of<InQueue>(0.25);
  Population<InQueue, 4> undisturbed(made), original(made);
  for (std::size_t neuron = 0; neuron < 4; ++neuron) // not all at once
    REQUIRE(undisturbed.set(0, neuron, -60.0 + 2.0 * static_cast<double>(neuron)).ok());
  std::uint32_t step = 0, waiting = 0;
  while (step < 1000 && spikes_of(undisturbed, step) != std::vector<std::uint32_t>{1}) ++step; // one waits
  original = undisturbed;
  const Population<InQueue, 4> copied(original);
  Population<InQueue, 4> assigned(made), built(copied);
  assigned = copied;
  for (std::uint32_t more = 1; more < 300; ++more) { // the other way round, with other periods of waiting
    for (std::size_t neuron = 0; neuron < 4 && more % 40 == 1; ++neuron)
      (void)original.set(0, neuron, -50.001 - static_cast<double>(3 - neuron));
    waiting += static_cast<std::uint32_t>(spikes_of(original, step + more).size());
  }
  CHECK(waiting > 4);
  for (std::uint32_t more = 1; more < 300; ++more) {
    const auto expected = spikes_of(undisturbed, step + more);
    REQUIRE(spikes_of(built, step + more) == expected);
    REQUIRE(spikes_of(assigned, step + more) == expected);
    REQUIRE(std::equal(undisturbed.words(0).begin(), undisturbed.words(0).end(), built.words(0).begin()));
    REQUIRE(std::equal(undisturbed.words(0).begin(), undisturbed.words(0).end(), assigned.words(0).begin()));
  }
}

TEST_CASE("population: what is drawn for a neuron depends on its number", "[kernels][neuron]") {
  using Model = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::InMembrane, current::WhiteNoise<>>;
  const auto made = Model::make({.membrane = {.c_nf = 0.25},
                                 .synapses = {{5.0, 10.0}, {{{.largest = 0.1}, {.largest = 0.1}}}},
                                 .current = {.stdev_na = 0.5, .interval_ms = 0.1, .seed = 3}},
                                0.1)
                        .value();
  static Population<Model, 8> all(made, 100);
  static Population<Model, 3> some(made, 102);
  static Population<Model, 8> others(made);
  for (std::uint32_t step = 0; step < 50; ++step) {
    (void)spikes_of(all, step), (void)spikes_of(some, step), (void)spikes_of(others, step);
    for (std::size_t neuron = 0; neuron < 3; ++neuron) REQUIRE(some.words(0)[neuron] == all.words(0)[neuron + 2]);
  }
  for (std::size_t neuron = 0; neuron < 8; ++neuron) CHECK(others.words(0)[neuron] != all.words(0)[neuron]);
}

TEST_CASE("population: sums that were held are added up", "[kernels][neuron]") {
  static Population<InMembrane, 2> population(made_of<InMembrane>());
  CHECK(population.saturations() == 0);
  CHECK(population.input_saturations() == 0);
  std::uint32_t expected = 0;
  for (std::uint32_t step = 0; step < 40; ++step) {
    std::array<std::array<std::int32_t, 2>, 2> sums{};
    sums[1] = {step % 4 == 0 ? (1 << 30) - 1 : 0, step % 8 == 0 ? (1 << 30) - 1 : 0};
    expected += (step % 4 == 0 ? 1U : 0U) + (step % 8 == 0 ? 1U : 0U);
    (void)population.step(std::array{sums[0].data(), sums[1].data()}, step);
    CHECK(population.saturations() == expected);
    CHECK((sums[1][0] == 0 && sums[1][1] == 0)); // taken
  }
}
