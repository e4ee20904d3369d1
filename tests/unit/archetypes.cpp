// SPDX-License-Identifier: BSL-1.0
// Every template with the minimal types of archetypes.hpp.
#include <array>
#include <cstdint>

#include <neuromorph/kernels/synapses/weight_plan.hpp>
#include <neuromorph/neuromorph.hpp>

#include "tests/archetypes.hpp"
#include "tests/support/catch.hpp"

TEST_CASE("archetypes: minimal parts of a neuron, row format and backend make a working core", "[archetypes]") {
  neuromorph::RingBuffer<archetype::RowFormat> ring;
  neuromorph::Population<neuromorph::Neuron<archetype::Membrane, archetype::Synapses>, 5> population({});
  const auto fired = population.step<archetype::Backend>(ring, 0);
  CHECK(fired.size() == 5);

  std::array<std::uint32_t, 1> words{};
  std::array<std::uint32_t, 2> first{};
  std::array<std::uint32_t, 1> filled{};
  auto builder = neuromorph::RowBuilder<archetype::RowFormat>::from(first, filled, 5).value();
  REQUIRE(builder.count(0).ok());
  REQUIRE(builder.place(words).ok());
  REQUIRE(builder.add(0, {7, 1, 0, 3}).ok());
  const auto rows = builder.finish().value();
  CHECK(neuromorph::check_row<archetype::RowFormat>(rows.row(0), 5).ok());
  neuromorph::add_row(ring, rows.row(0), 0);
  CHECK(ring.slot(1, 0)[3] == 7);
}

namespace {
/// What a key leads to: may be made and copied.
struct Payload {
  Payload() = default;
  int number = 0;
};
} // namespace

TEST_CASE("archetypes: tables, stages, mixed rows and plans need no more of a payload and a row format",
          "[archetypes]") {
  using namespace neuromorph;
  std::array<KeyEntry<Payload>, 1> entries{};
  entries[0].payload.number = 3;
  auto table = KeyTable<Payload, 2>::from(entries).value();
  CHECK(table.find(0).payload->number == 3);
  DelayStage<2, 1, Payload> stage;
  Payload item;
  REQUIRE(stage.put(0, 1, entries[0].payload));
  CHECK((stage.take(1, item) && item.number == 3));

  CHECK(staged_delay<archetype::RowFormat>(5) == StagedDelay{4, 1});
  RingBuffer<archetype::RowFormat> ring;
  std::array<std::uint32_t, 8> words{};
  std::array<Synapse, 4> synapses{};
  for (std::uint32_t at = 0; at < 4; ++at) synapses[at] = {7, 1 + at % 2, 0, at};
  RowCosts costs = row_costs_arm968;
  costs.words.event = 100'000; // anything but words
  const auto made = write_mixed_row<archetype::RowFormat>(words, synapses, costs).value();
  CHECK(made.rowlets == 2);
  const auto row = std::span<const std::uint32_t>{words}.first(made.words);
  CHECK(check_mixed_row<archetype::RowFormat>(row, 5).ok());
  add_mixed_row<archetype::Backend>(ring, row, 0);
  CHECK((ring.slot(1, 0)[2] == 7 && ring.slot(2, 0)[3] == 7));

  std::array<double, 64> work{};
  const std::array inputs{SynapticInput{.weight = 0.3, .synapses = 4, .rate_hz = 10}};
  CHECK(plan_weights<archetype::RowFormat, std::int32_t>(inputs, {}, work).value().bits ==
        29); // this format takes any weight
}

TEST_CASE("archetypes: a trace store needs no more of a collector and of a liveness policy", "[archetypes]") {
  neuromorph::TraceStore<short, 3, archetype::Collector, archetype::Liveness, archetype::Backend> smallest;
  CHECK(is_stored(smallest.record(1, 0, 7)));
  CHECK(smallest.record(1, 0, 7) == neuromorph::gc::Recorded::refused_full);
  CHECK((*smallest.window(1, 0U - 1, 0).begin()).trace == 7);
  smallest.advance_to(1);
  smallest.clear();
  CHECK(smallest.events() == 0);

  neuromorph::TraceStore<short, 3, neuromorph::gc::Pool<1>, archetype::Liveness, archetype::Backend> pool;
  CHECK(is_stored(pool.record(1, 0, 7)));
  CHECK_FALSE(pool.window(1, 0U - 1, 0).empty());
  CHECK(pool.window(1, 0U - 1, 0).empty()); // it is dead now
}

TEST_CASE("archetypes: a minimal clock, source and signaller make a scheduler and an executive", "[archetypes]") {
  archetype::Clock clock;
  archetype::EventSource source;
  archetype::Signaller signaller;
  unsigned runs = 0;
  neuromorph::Services services(neuromorph::service<1>([&] { ++runs; }));
  neuromorph::Scheduler<archetype::Clock, 4> scheduler(clock);
  CHECK(scheduler.execute(signaller, services, source) == neuromorph::Finished::by_finish);
  CHECK(runs == scheduler.counts().run);
  CHECK(runs == source.asked / 2);

  archetype::Clock again;
  archetype::Core core;
  neuromorph::ExecutiveTasks tasks(
      core, neuromorph::task<neuromorph::ExecutiveCall::begin_step, &archetype::Core::begin_step>(),
      neuromorph::task<neuromorph::ExecutiveTask::neurons, &archetype::Core::neurons>());
  neuromorph::Executive executive(again, tasks, {.start = 0, .period = 10});
  CHECK(executive.execute(signaller) == neuromorph::Finished::by_finish);
  CHECK(core.steps == executive.counts().steps);
  CHECK(core.chunks == core.steps);
  CHECK(core.steps >= 9);
}

TEST_CASE("archetypes: a minimal random source feeds every helper", "[archetypes]") {
  archetype::RandomSource source;
  CHECK(neuromorph::uniform_below(source, 10) < 10);
  CHECK(neuromorph::uniform_between(source, -3, -3) == -3);
  CHECK_FALSE(neuromorph::bernoulli(source, neuromorph::Probability::from_threshold(0)));
}

TEST_CASE("archetypes: the LIF neuron needs no more than a backend", "[archetypes]") {
  constexpr auto made = neuromorph::Lif<>::make({.membrane = {.c_nf = 0.2}, .synapses = {{5.0, 5.0}}}, 0.1).value();
  neuromorph::Population<neuromorph::Lif<>, 3> population(made);
  neuromorph::RingBuffer<neuromorph::SynapticWord<4, 1, 3>> ring;
  CHECK(population.step<archetype::Backend>(ring, 0).empty());
}

TEST_CASE("archetypes: a minimal memory serves every rule, and a minimal rule every mask", "[archetypes]") {
  using namespace neuromorph;
  std::array<std::uint8_t, 16> lanes{}, causal{}, acausal{};
  const archetype::VectorMemory weights{&lanes};
  static constexpr auto half = make_mask<SynapseSet<1, 16>::where([](auto, auto column) { return column < 8; })>();
  static constexpr auto all = make_mask<SynapseSet<1, 16>::all()>();
  static constinit TaggedMask<1> tags(3);
  static constinit CachedTaggedMask<1, 4> cached(3);
  const archetype::VectorRule rule{weights};
  RuleSequence sequence(later_wins, MaskWrapper(half, rule), MaskWrapper(all, rule), TaggedMaskWrapper(tags, 3, rule),
                        TaggedMaskWrapper(cached, 3, rule));
  REQUIRE(sequence.run().ok());
  CHECK(lanes[7] == 4);
  CHECK(lanes[8] == 3);

  lanes.fill(20), causal.fill(100);
  const archetype::VectorMemory causes{&causal}, others{&acausal};
  const auto run = [](const auto& mask, auto made) { return MaskWrapper(mask, made).run().ok(); };
  for (int turn = 0; turn < 2; ++turn) {
    CHECK((turn == 0 ? run(half, StdpRule{weights, causes, others}) : run(all, StdpRule{weights, causes, others})));
    CHECK(run(half, StdpSamplingRule{weights, causes, others}));
    CHECK(run(half, AdditiveRule{weights, SameVectors<std::int8_t>(20)}));
    CHECK(run(all, AdditiveRule{weights, SameVectors<std::int8_t>(20), 5, WeightRange{}, archetype::RandomSource{}}));
    CHECK(run(all, MultiplicativeRule{weights, SameVectors<std::int8_t>(20)}));
    CHECK(run(half, HomeostasisRule<1, archetype::VectorMemory, archetype::VectorMemory>{weights, causes}));
    CHECK(run(all, RandomWalkRule{weights, archetype::RandomSource{}}));
  }
  CHECK(run(half, ConstantRule{weights, 9}));
  CHECK(lanes[0] == 9);
  CHECK(causal[0] == 0);
  CHECK(causal[15] == 0);
}

namespace {

/// Every operation on vectors once.
template <class Element, class Target>
std::uint64_t digest_of_vectors() {
  using Lanes = neuromorph::Vec<Element, Target>;
  using Unsigned = neuromorph::Vec<std::make_unsigned_t<Element>, Target>;
  neuromorph::Digest digest;
  archetype::RandomSource source;
  const Lanes a = Lanes::random(source), b = Lanes::random(source), c(Element{77});
  const auto flags = (a < b) | !(a == c);
  const auto add = [&](const auto& lanes) {
    for (const auto lane : lanes.array()) digest.add(static_cast<std::uint32_t>(lane));
  };
  add(a + b - c * a);
  add((-a ^ (~b & c)) | (a << 2));
  add(add_saturating(a, b));
  add(subtract_saturating(a >> 1, b));
  add(multiply_high(a, b));
  add(multiply_add(a, b, c));
  add(clamp(a, b, c));
  add(shift_right_stochastic(a, 2, b));
  add(select(flags & (a <= b), a, b));
  add(Unsigned::Flags::nonzero(a.template as<std::make_unsigned_t<Element>>()).to_lanes());
  if constexpr (std::is_signed_v<Element>) add(multiply_add_fractional(a, b, c));
  if constexpr (sizeof(Element) == 1) {
    add(unpack_low(a));
    add(select(unpack_high(flags), unpack_high(a), unpack_low(b)));
  } else {
    add(neuromorph::pack<std::int8_t>(a, b));
    if constexpr (std::is_signed_v<Element>) add(neuromorph::pack_saturating<std::uint8_t>(a, b));
  }
  digest.add(static_cast<std::uint32_t>(a.sum()) + flags.count() + (flags.any() ? 100U : 0U) +
             (flags.all() ? 200U : 0U));
  return digest.value();
}

} // namespace

TEST_CASE("archetypes: vectors need no more than the operations of a backend", "[archetypes]") {
  using neuromorph::target::Generic;
  CHECK(digest_of_vectors<std::uint8_t, archetype::VectorBackend>() == digest_of_vectors<std::uint8_t, Generic>());
  CHECK(digest_of_vectors<std::int8_t, archetype::VectorBackend>() == digest_of_vectors<std::int8_t, Generic>());
  CHECK(digest_of_vectors<std::uint16_t, archetype::VectorBackend>() == digest_of_vectors<std::uint16_t, Generic>());
  CHECK(digest_of_vectors<std::int16_t, archetype::VectorBackend>() == digest_of_vectors<std::int16_t, Generic>());
}
