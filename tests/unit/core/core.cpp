// SPDX-License-Identifier: BSL-1.0
// The composed core against the same parts called one after the other: rows in plain memory, all events of all neurons kept,
// no engine, no queue, no flush. Neurons, ring and rows agree word by word after each step, whatever the order in which the
// spikes of a step come and however slow the engine is; and each counter is provoked.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include <neuromorph/core/core.hpp>
#include <neuromorph/gc/pool.hpp>
#include <neuromorph/gc/ring.hpp>
#include <neuromorph/gc/sliding.hpp>
#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/multiplicative.hpp>
#include <neuromorph/sched/clock.hpp>
#include <neuromorph/sched/executive.hpp>
#include <neuromorph/sched/signaller.hpp>
#include <neuromorph/target/device/simulated_dma.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"
#include "tests/support/small_core.hpp"

using namespace neuromorph;
using namespace small_core;

TEST_CASE("core: steps, rows and weights are those of its parts, in whatever order spikes come") {
  std::uint64_t spikes = 0, fired_in_all = 0, flushes = 0, held_up = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 4 : 20)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
    Plain plain{Network(random)};
    Network far = plain.network;
    target::DmaSpeed speed;
    speed.start = draw(200);
    speed.per_word = 1 + draw(30);
    Dma dma(speed);
    const auto core = std::make_unique<Learner<>>(cell, dma, Nowhere{}, Rules(pairs, other_pairs));
    auto entries = far.entries<Learner<>::Entry>();
    std::vector<std::uint16_t> ages(2 * Network::sources, 0xFFFF);
    REQUIRE(core->load(entries, ages).ok());

    std::bernoulli_distribution fires_more(0.3);
    const unsigned per_step = 1 + draw(8);
    std::vector<unsigned> activity(3 * Network::sources); // some sources are silent for windows on end
    for (unsigned& of : activity) of = draw(4) == 0 ? 1 : 40;
    std::uint64_t received = 0, sent = 0;
    for (std::uint32_t step = 1; step <= 700; ++step) {
      core->run_step();
      const auto fired = plain.step();
      REQUIRE(std::equal(fired.begin(), fired.end(), core->fired().begin(), core->fired().end()));
      sent += fired.size();
      std::vector<std::uint32_t> sources;
      for (std::uint32_t source = 0; source < activity.size(); ++source)
        if (draw(400 / per_step) < activity[source] / 8 || (activity[source] == 1 && draw(250) == 0)) {
          sources.push_back(source);
          if (fires_more(random)) sources.push_back(source); // twice in a step
        }
      for (const std::uint32_t source : sources) plain.spike(source / Network::sources, source % Network::sources);
      std::shuffle(sources.begin(), sources.end(), random);
      for (const std::uint32_t source : sources) {
        REQUIRE(core->receive(Network::key_of(source / Network::sources, source % Network::sources)));
        for (std::uint32_t turns = draw(4); turns != 0; --turns) // some are processed before others come
          static_cast<void>(core->feed_dma() || core->synaptic_rows() || core->write_back());
      }
      received += sources.size();
      if (draw(2) == 0)
        core->run_spikes(); // else the next step begins with them
      else
        continue;
      REQUIRE(std::ranges::equal(core->ring().elements(), plain.ring.elements()));
    }
    core->run_spikes();
    CHECK(far.fixed == plain.network.fixed);
    CHECK(far.plastic == plain.network.plastic);
    CHECK(far.others == plain.network.others);
    const Provenance counts = core->provenance();
    CHECK(counts.spikes_received == received);
    CHECK(counts.spikes_sent == sent);
    CHECK(counts.steps == 700);
    CHECK(counts.flushes == plain.flushes);
    CHECK(counts.write_backs == plain.changes + plain.flushes);
    CHECK(counts.late_spikes != 0);
    CHECK(counts.greatest_lateness == 1);
    CHECK(counts.history_truncated == 0);
    CHECK(counts.history_refused == 0);
    CHECK(counts.spikes_dropped + counts.keys_unknown + counts.rows_not_found + counts.rows_wrong == 0);
    CHECK(counts.weights_held_at_lowest + counts.weights_held_at_highest ==
          plain.first.counts().held_at_lowest + plain.first.counts().held_at_highest +
              plain.second.counts().held_at_lowest + plain.second.counts().held_at_highest);
    spikes += received;
    fired_in_all += sent;
    flushes += counts.flushes;
    held_up += counts.held_up;
  }
  CHECK(spikes > 2000);
  CHECK(fired_in_all > 500);
  CHECK(flushes > 50);
  CHECK(held_up > 10);
}

TEST_CASE("core: one without rules is its parts, whatever comes while it steps") {
  using Static = Core<CoreSizes{.neurons = neurons, .row_words = 9, .buffers = 3, .spikes = 64, .populations = 4},
                      Lif<>, Ring, Dma, Nowhere>;
  std::uint64_t applied = 0, empty = 0, too_long = 0, unknown = 0, not_found = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 4 : 20)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
    Plain plain{Network(random)};
    Network far = plain.network;
    target::DmaSpeed speed;
    speed.start = draw(200);
    speed.per_word = 1 + draw(30);
    Dma dma(speed);
    const auto core = std::make_unique<Static>(cell, dma);
    std::array<Static::Entry, 1> entries;
    entries[0].key = Network::key_of(0, 0);
    entries[0].mask = 0xFFFFF000;
    entries[0].payload.rows = PopulationRows::indexed(far.fixed, far.first).value();
    REQUIRE(core->load(entries).ok());

    std::uint64_t received = 0, most = 5 + draw(16);
    const auto spikes = [&](auto between) {
      for (std::uint64_t left = draw(static_cast<std::uint32_t>(most)); left != 0; --left) {
        const std::uint32_t source = draw(Network::sources + 2);
        REQUIRE(core->receive(source > Network::sources ? 0 : Network::key_of(0, source)));
        ++received;
        between();
        if (source > Network::sources) {
          ++unknown;
        } else if (source == Network::sources) {
          ++not_found;
        } else if (const auto words = plain.words_of(0, source); words.empty()) {
          ++empty;
        } else if (words.size() > 9) {
          ++too_long;
        } else {
          ++applied;
          plain.spike(0, source);
        }
      }
    };
    const auto some_turns = [&] {
      for (std::uint32_t turns = draw(4); turns != 0; --turns)
        static_cast<void>(core->feed_dma() || core->synaptic_rows() || core->write_back() || core->neurons());
    };
    for (std::uint32_t step = 1; step <= 300; ++step) {
      core->begin_step(step);
      const auto fired = plain.step();
      spikes(some_turns); // of this step, while the last one ends
      while (core->time() != step)
        static_cast<void>(core->feed_dma() || core->synaptic_rows() || core->write_back() || core->neurons());
      REQUIRE(std::equal(fired.begin(), fired.end(), core->fired().begin(), core->fired().end()));
      if (draw(2) == 0) {
        spikes(some_turns);
        core->run_spikes();
        REQUIRE(std::ranges::equal(core->ring().elements(), plain.ring.elements()));
      }
    }
    core->run_spikes();
    const Provenance counts = core->provenance();
    CHECK(counts.spikes_received == received);
    CHECK(counts.steps == 300);
    CHECK(counts.write_backs + counts.held_up + counts.flushes + counts.spikes_dropped == 0);
    CHECK(counts.rows_processed + counts.rows_empty + counts.rows_too_long + counts.keys_unknown +
              counts.rows_not_found ==
          received);
    applied -= counts.rows_processed, empty -= counts.rows_empty, too_long -= counts.rows_too_long;
    unknown -= counts.keys_unknown, not_found -= counts.rows_not_found;
    REQUIRE(applied + empty + too_long + unknown + not_found == 0);
    CHECK(counts.rows_processed > 300);
    CHECK(counts.keys_unknown > 0);
    CHECK(counts.rows_not_found > 0);
  }
}

TEST_CASE("core: a source that is silent for longer than the history learns all the same") {
  // 0.5 Hz, a history of 500 ticks, traces of 20 ms; neurons fire at about 20 Hz. Weights against those of all events,
  // without a flush; and against what is learnt with the history alone.
  using Slow = DecayTable<280>;
  using Update = DeferredUpdate<Word, timing::Pair<Slow>, weight::Additive>;
  using SlowCore = Core<CoreSizes{.neurons = neurons, .row_words = 64, .populations = 1}, Lif<>, Ring, Dma, Nowhere,
                        PlasticRules<Update>, CoreHistory<500, gc::Fifo<1000>>>;
  const auto rule = timing::Pair<Slow>::from({.a_plus = 0.02, .a_minus = 0.01}, 1.0).value();
  const Update update = Update::from({.lowest = 0, .highest = 1}, rule).value(); // so weak that neurons do not notice
  Update all_update = update, short_update = update;
  Dma dma;
  const auto core = std::make_unique<SlowCore>(cell, dma, Nowhere{}, PlasticRules<Update>(update));
  std::vector<std::uint32_t> words(Update::Row::words(neurons, 0));
  auto row = Update::Row::make(words, neurons, 0).value();
  for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
    core->population().words(place_of<Lif<>>.membrane.v)[neuron] /= static_cast<std::int32_t>(neuron + 1);
    row.append(Word::encode({0, 1 + neuron % 8, 0, neuron}).value(), 0x4000'0000);
  }
  std::vector<std::uint32_t> all_words = words, short_words = words;
  std::array<SlowCore::Entry, 1> entries{{{7, ~0U, {PopulationRows::of_length(words, 43).value(), 1}}}};
  std::vector<std::uint16_t> ages(1);
  REQUIRE(core->load(entries, ages).ok());
  AllEvents<Share> all_events;
  TraceStore<Share, neurons, gc::Fifo<1000>> short_events;
  std::uint32_t fired = 0;
  for (std::uint32_t step = 1; step <= 20'001; ++step) {
    core->run_step();
    short_events.advance_to(step);
    for (const std::uint32_t neuron : core->fired()) {
      ++fired;
      all_update.post_spike(all_events, neuron, step);
      static_cast<void>(short_update.post_spike(short_events, neuron, step));
    }
    if (step % 2000 != 1) continue;
    REQUIRE(core->receive(7));
    core->run_spikes();
    all_update.pre_spike(all_words, step, all_events);
    short_update.pre_spike(short_words, step, short_events);
  }
  CHECK(fired > 2000);
  std::uint32_t error = 0, error_without = 0;
  const PlasticRow<Share> all_row(all_words), short_row(short_words);
  for (std::size_t at = 0; at < neurons; ++at) {
    const auto off = [&](std::uint32_t state) {
      const std::int64_t by = std::int64_t{state} - all_row.states()[at];
      return static_cast<std::uint32_t>(by < 0 ? -by : by);
    };
    error = std::max(error, off(row.states()[at]));
    error_without = std::max(error_without, off(short_row.states()[at]));
  }
  CHECK(error < 1000); // of 2^32, of traces that were rounded once more
  CHECK(error_without > 0x1000'0000);
  const Provenance counts = core->provenance();
  CHECK(counts.history_truncated == 0);
  CHECK(counts.history_refused == 0);
  CHECK(counts.flushes >= 10);
  CHECK(counts.flushes <= 20); // one for each spike, or two where the trace was not quite spent
  CHECK(short_update.counts().truncated != 0);
}

namespace {

/// Each event takes the same, whether the row has had a spike or not.
struct Toll {
  using Offers = offer::List<>;
  using RowTrace = Share;
  using NeuronTrace = Share;
  static constexpr Share toll = 1U << 20;
  static constexpr Share aged(auto&, Share row, std::uint32_t) { return row; }
  static constexpr Share pre_spiked(auto&, Share row, std::uint32_t) { return row; }
  static constexpr Share post_spiked(auto&, Share neuron, std::uint32_t) { return neuron; }
  static constexpr void at_post(auto& synapse, Share, std::uint32_t, Share) { synapse.down(toll); }
  static constexpr void at_pre(auto&, Share, std::uint32_t, Share, std::uint32_t) {}
};

} // namespace

TEST_CASE("core: a row whose rule calls none spent learns before its first spike") {
  using Update = DeferredUpdate<Word, Toll, weight::Additive, PostSynapticDelay::none>;
  using TollCore = Core<CoreSizes{.neurons = neurons, .row_words = 64, .populations = 1}, Lif<>, Ring, Dma, Nowhere,
                        PlasticRules<Update>, CoreHistory<100, gc::Fifo<1000>>>;
  Update update = Update::from({.lowest = 0, .highest = 1}, Toll{}).value();
  Dma dma;
  const auto core = std::make_unique<TollCore>(cell, dma, Nowhere{}, PlasticRules<Update>(update));
  constexpr std::size_t length = Update::Row::words(neurons, 0);
  std::vector<std::uint32_t> words(4 * length); // the rows after the first: no places, no row, no words
  auto row = Update::Row::make(std::span(words).first(length), neurons, 0).value();
  for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) row.append(Word::encode({1, 1, 0, neuron}).value(), ~0U);
  REQUIRE(Update::Row::make(std::span(words).subspan(length, length), 0, 0).ok());
  words[2 * length] = 5; // five synapses in no room
  constexpr auto size = static_cast<std::uint32_t>(length);
  const std::array<std::uint32_t, 5> first{0, size, 2 * size, 3 * size, 3 * size};
  std::array<TollCore::Entry, 1> entries{{{4, ~3U, {PopulationRows::indexed(words, first).value(), 1}}}};
  std::vector<std::uint16_t> ages(4);
  REQUIRE(core->load(entries, ages).ok());
  std::array<std::uint32_t, neurons> events{};
  std::uint32_t fired = 0;
  constexpr std::uint32_t steps = sanitized ? 34'000 : 67'000; // ages go round once, or twice
  for (std::uint32_t step = 1; step <= steps; ++step) {
    core->run_step();
    for (const std::uint32_t neuron : core->fired()) ++events[neuron], ++fired;
  }
  REQUIRE(core->receive(4));
  core->run_spikes();
  CHECK(fired > steps / 50 * neurons);
  for (std::size_t at = 0; at < neurons; ++at) CHECK(row.states()[at] == ~0U - events[at] * Toll::toll);
  const Provenance counts = core->provenance();
  CHECK(counts.history_truncated == 0);
  CHECK(counts.history_refused == 0);
  CHECK(counts.rows_wrong == 1);
  CHECK(counts.flushes >= steps / 100 + 2);
  CHECK(counts.flushes <= steps / 60 + 2);
}

namespace {

/// Does with spikes what is said once the core is there.
struct Later {
  const std::function<void(std::uint32_t)>* to = nullptr;
  void operator()(std::uint32_t neuron) const { (*to)(neuron); }
};

} // namespace

// All neurons fire at once, which takes several chunks to send. The spikes of the first wake rows, which learn from all
// events of the step, those of the last neurons, too.
TEST_CASE("core: rows that it wakes itself while it sends learn from the whole step") {
  using Update = DeferredUpdate<Word, Toll, weight::Additive, PostSynapticDelay::none>;
  using Loop = Core<CoreSizes{.neurons = neurons, .row_words = 64, .populations = 1}, Lif<>, Ring, Dma, Later,
                    PlasticRules<Update>, CoreHistory<100, gc::Fifo<2000>>>;
  static_assert(neurons > 2 * Loop::spikes_in_chunk);
  const Update update = Update::from({.lowest = 0, .highest = 1}, Toll{}).value();
  Dma dma;
  std::function<void(std::uint32_t)> back;
  const auto core = std::make_unique<Loop>(cell, dma, Later{&back}, PlasticRules<Update>(update));
  back = [&](std::uint32_t neuron) { REQUIRE(core->receive(neuron)); };
  constexpr std::size_t length = Update::Row::words(neurons, 0);
  std::vector<std::uint32_t> words(neurons * length);
  std::vector<Update::Row> rows;
  for (std::uint32_t source = 0; source < neurons; ++source) {
    rows.push_back(Update::Row::make(std::span(words).subspan(source * length, length), neurons, 0).value());
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
      rows.back().append(Word::encode({1, 1, 0, neuron}).value(), ~0U);
  }
  std::array<Loop::Entry, 1> entries{{{0, ~31U, {PopulationRows::of_length(words, length).value(), 1}}}};
  std::vector<std::uint16_t> ages(neurons);
  REQUIRE(core->load(entries, ages).ok());
  std::array<std::uint32_t, neurons> events{};
  std::uint32_t at_once = 0;
  for (std::uint32_t step = 1; step <= 300; ++step) {
    core->begin_step(step);
    do // each row has long arrived when the next chunk is sent
      for (unsigned turn = 0; turn < 200; ++turn)
        static_cast<void>(core->feed_dma() || core->synaptic_rows() || core->write_back());
    while (core->neurons());
    const auto fired = core->fired();
    for (const std::uint32_t neuron : fired) ++events[neuron];
    at_once += fired.size() == neurons ? 1U : 0U;
    core->run_spikes();
    for (const std::uint32_t source : fired)
      for (std::size_t at = 0; at < neurons; ++at) REQUIRE(rows[source].states()[at] == ~0U - events[at] * Toll::toll);
  }
  CHECK(at_once > 5);
  CHECK(core->provenance().rows_processed - core->provenance().flushes == core->provenance().spikes_sent);
}

namespace {

struct ReadOrOld {
  static constexpr std::uint32_t window = 100;
  template <class Trace, std::size_t Size>
  using Store = TraceStore<Trace, Size, gc::Pool<64>, gc::EitherDead<gc::AgeWindow<window>, gc::ReadCount<3>>>;
};

/// Makes a neuron fire in the next step.
template <class CoreType>
void let_fire(CoreType& core, std::uint32_t neuron) {
  core.population().words(place_of<Lif<>>.membrane.v)[neuron] = -1; // a little below the threshold, and driven
}

} // namespace

TEST_CASE("core: nothing has been counted at first") {
  using Words = std::array<std::uint32_t, sizeof(Provenance) / 4>;
  CHECK(std::bit_cast<Words>(Provenance{}) == Words{});
  Dma dma;
  const auto core = std::make_unique<Learner<>>(cell, dma);
  CHECK(core->provenance() == Provenance{});
}

TEST_CASE("core: what is lost, late or held is counted, each by its name") {
  Dma dma;
  std::mt19937 random(1);
  Network network(random);

  SECTION("a full queue, unknown keys, rows that are not there, empty, too long or wrong") {
    const auto core = std::make_unique<Learner<4>>(cell, dma, Nowhere{}, Rules(pairs, other_pairs));
    std::vector<std::uint32_t> rows(60), wrong(10), first{0, 0, 3, 60, 70};
    wrong[0] = 0x0005'0006; // more synapses than places
    std::array<Learner<4>::Entry, 2> entries{{{0x100, ~0xFFU, {PopulationRows::indexed(rows, first).value()}},
                                              {0x200, ~0xFFU, {PopulationRows::of_length(wrong, 10).value(), 2}}}};
    std::vector<std::uint16_t> ages(1);
    REQUIRE(core->load(entries, ages).ok());
    core->run_step();
    for (const std::uint32_t key : {0x100U, 0x101U, 0x102U, 0x103U, 0x104U, 0x1FFU, 0x200U, 0x300U, 0x2FU}) {
      CHECK(core->receive(key));
      core->run_spikes();
    }
    const Provenance counts = core->provenance();
    CHECK(counts.spikes_received == 9);
    CHECK(counts.rows_processed == 2); // the one of three words, and the one that is wrong
    CHECK(counts.rows_empty == 1);
    CHECK(counts.rows_too_long == 1);
    CHECK(counts.rows_not_found == 3);
    CHECK(counts.last_key_not_found == 0x1FF);
    CHECK(counts.rows_wrong == 1);
    CHECK(counts.keys_unknown == 2);
    CHECK(counts.last_unknown_key == 0x2F);
    CHECK(counts.write_backs == 0);
    CHECK(counts.most_waiting == 1);
    CHECK(counts.spikes_dropped == 0);
    for (int spike = 0; spike < 7; ++spike) CHECK(core->receive(0x101) == (spike < 4));
    CHECK(core->provenance().spikes_dropped == 3);
    CHECK(core->provenance().most_waiting == 4);
  }
  SECTION("rows that are refused") {
    const auto core = std::make_unique<Learner<>>(cell, dma, Nowhere{}, Rules(pairs, other_pairs));
    auto entries = network.entries<Learner<>::Entry>();
    std::vector<std::uint16_t> ages(23);
    Status status = core->load(entries, ages);
    CHECK(status.error == Error::lengths_differ);
    CHECK(status.value.whole() == 24);
    entries[2].payload.rule = 3;
    status = core->load(entries, ages);
    CHECK(status.error == Error::parameter_out_of_range);
    CHECK(status.where == 2);
    entries[2].payload.rule = 0;
    entries[1].key = entries[0].key;
    CHECK(core->load(entries, ages).error == Error::keys_overlap);
    CHECK(core->receive(entries[0].key));
    core->run_spikes();
    CHECK(core->provenance().keys_unknown == 1); // as it was: without a population
    // 2^24 rows have a rule at most: all populations have the same words here.
    std::vector<std::uint32_t> words((1U << 22) + 1);
    std::array<Learner<>::Entry, 4> many{};
    for (std::uint32_t at = 0; at < many.size(); ++at)
      many[at] = {at, ~0U, {PopulationRows::of_length(std::span(words).first(1U << 22), 1).value(), 1}};
    CHECK(core->load(many, ages) == Status{Error::lengths_differ, 0, 1U << 24, "ages"});
    many[3].payload.rows = PopulationRows::of_length(words, 1).value();
    CHECK(core->load(many, ages) == Status{Error::parameter_out_of_range, 0, (1U << 24) + 1, "rows"});
  }
  SECTION("spikes that the next step has to wait for") {
    const auto core = std::make_unique<Learner<>>(cell, dma, Nowhere{}, Rules(pairs, other_pairs));
    auto entries = network.entries<Learner<>::Entry>();
    std::vector<std::uint16_t> ages(24);
    REQUIRE(core->load(entries, ages).ok());
    core->begin_step(1);
    while (core->neurons()) {}
    for (std::uint32_t source = 0; source < 5; ++source) CHECK(core->receive(Network::key_of(1, source)));
    CHECK(core->feed_dma()); // one has been asked for
    core->begin_step(4);     // two steps were left out
    CHECK(core->provenance().late_spikes == 5);
    CHECK(core->provenance().greatest_lateness == 3);
    CHECK(core->receive(Network::key_of(0, 0))); // of the step that has begun: none waits for it
    while (core->time() == 1)
      static_cast<void>(core->feed_dma() || core->synaptic_rows() || core->write_back() || core->neurons());
    CHECK(core->provenance().rows_processed + core->provenance().rows_empty == 5);
    CHECK_FALSE(core->is_idle());
    core->run_spikes();
    CHECK(core->is_idle());
    CHECK(core->time() == 2);
    const auto early = std::make_unique<Learner<>>(cell, dma, Nowhere{}, Rules(pairs, other_pairs));
    REQUIRE(early->load(entries, ages).ok());
    CHECK(early->receive(Network::key_of(0, 0)));
    early->begin_step(1); // a spike before the first step
    CHECK(early->provenance().late_spikes == 1);
    CHECK(early->provenance().greatest_lateness == 1);
  }
  SECTION("the same row again") {
    const auto core = std::make_unique<Learner<>>(cell, dma, Nowhere{}, Rules(pairs, other_pairs));
    auto entries = network.entries<Learner<>::Entry>();
    std::vector<std::uint16_t> ages(24);
    REQUIRE(core->load(entries, ages).ok());
    std::uint32_t source = 0; // with a plastic synapse
    while (network.plastic[network.first_plastic[source]] == 0) ++source;
    core->run_step();
    CHECK(core->receive(Network::key_of(1, source)));
    CHECK(core->receive(Network::key_of(1, source)));
    core->run_spikes();
    CHECK(core->provenance().held_up == 1);
    CHECK(core->provenance().write_backs == 2);
  }
  SECTION("sums and words at the end of their range") {
    using Narrow = RingBuffer<Word, std::uint16_t>;
    using NarrowCore =
        Core<CoreSizes{.neurons = neurons, .row_words = 40, .populations = 1}, Lif<>, Narrow, Dma, Nowhere>;
    const auto core = std::make_unique<NarrowCore>(cell, dma);
    std::vector<std::uint32_t> rows{Word::encode({50'000, 1, 0, 3}).value(), Word::encode({50'000, 1, 0, 3}).value()};
    std::array<NarrowCore::Entry, 1> entries{{{1, ~0U, {PopulationRows::of_length(rows, 2).value()}}}};
    REQUIRE(core->load(entries).ok());
    core->run_step();
    CHECK(core->receive(1));
    core->run_spikes();
    CHECK(core->provenance().ring_saturations == 1);
    CHECK(core->provenance().neuron_saturations == 0);
    core->population().words(1)[3] = INT32_MAX;
    core->run_step();
    CHECK(core->provenance().neuron_saturations == 1);
    const std::array<std::uint8_t, 1> many{255};
    core->population().add_events(core->ring(), core->time() + 1, 0, many, 50'000);
    CHECK(core->provenance().neuron_saturations == 2);
  }
  SECTION("weights and traces at the end of theirs, and a history that began before its time") {
    using Update = DeferredUpdate<Word, timing::Pair<Table>, weight::Additive>;
    using Small = Core<CoreSizes{.neurons = neurons, .row_words = 40, .populations = 1}, Lif<>, Ring, Dma, Nowhere,
                       PlasticRules<Update>, CoreHistory<window>>;
    const Update update = Update::from({.lowest = 0, .highest = 1}, pair_rule(0.9, 0.9)).value();
    const auto core = std::make_unique<Small>(cell, dma, Nowhere{}, PlasticRules<Update>(update));
    std::vector<std::uint32_t> words(Update::Row::words(1, 0));
    auto row = Update::Row::make(words, 1, 0).value();
    row.append(Word::encode({0, 1, 0, 2}).value(), 0x8000'0000);
    std::array<Small::Entry, 1> entries{{{1, ~0U, {PopulationRows::of_length(words, 5).value(), 1}}}};
    std::vector<std::uint16_t> ages(1);
    REQUIRE(core->load(entries, ages).ok());
    core->run_step();
    for (int spike = 0; spike < 2; ++spike) {
      CHECK(core->receive(1));
      core->run_spikes();
    }
    CHECK(core->provenance().traces_held == 1);
    const auto fires = [&] {
      let_fire(*core, 2);
      core->run_step();
      CHECK(std::ranges::count(core->fired(), 2U) == 1);
    };
    fires();
    core->run_step();
    CHECK(core->receive(1));
    core->run_spikes();
    CHECK(core->provenance().weights_held_at_highest == 1);
    CHECK(core->provenance().weights_held_at_lowest == 0);
    core->run_step();
    CHECK(core->receive(1));
    core->run_spikes();
    core->run_step();
    CHECK(core->receive(1));
    core->run_spikes();
    CHECK(core->provenance().weights_held_at_lowest >= 1);
    CHECK(core->provenance().weights_held_at_lowest <= 2);
    CHECK(core->provenance().history_truncated == 0);
    while (core->time() < 2 * window) {
      if (core->time() == 60) fires();
      core->run_step();
    }
    row.set(20, 1000); // as if it had been so long without a flush
    CHECK(core->receive(1));
    core->run_spikes();
    CHECK(core->provenance().history_truncated == 1);
  }
  SECTION("events that a history has no room for") {
    using Small = Core<CoreSizes{.neurons = neurons, .row_words = 40, .populations = 1}, Lif<>, Ring, Dma, Nowhere,
                       PlasticRules<Pairs>, CoreHistory<window, gc::Fifo<8>>>;
    const auto core = std::make_unique<Small>(cell, dma, Nowhere{}, PlasticRules<Pairs>(pairs));
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) let_fire(*core, neuron);
    core->run_step();
    CHECK(core->provenance().spikes_sent == neurons);
    CHECK(core->provenance().history_refused == neurons - 8);
  }
  SECTION("events that gave way to others") {
    using Small = Core<CoreSizes{.neurons = neurons, .row_words = 40, .populations = 1}, Lif<>, Ring, Dma, Nowhere,
                       PlasticRules<Pairs>, CoreHistory<window, gc::Fifo<8, gc::WhenFull::oldest_gives_way>>>;
    const auto core = std::make_unique<Small>(cell, dma, Nowhere{}, PlasticRules<Pairs>(pairs));
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) let_fire(*core, neuron);
    core->run_step();
    CHECK(core->provenance().spikes_sent == neurons);
    CHECK(core->provenance().history_refused == neurons - 8);
  }
  SECTION("events that died before all had read them") {
    using Reading = Core<CoreSizes{.neurons = neurons, .row_words = 40, .populations = 1}, Lif<>, Ring, Dma, Nowhere,
                         PlasticRules<Pairs>, ReadOrOld>;
    const auto core = std::make_unique<Reading>(cell, dma, Nowhere{}, PlasticRules<Pairs>(pairs));
    let_fire(*core, 5);
    core->run_step();
    const std::uint32_t sent = core->provenance().spikes_sent;
    CHECK(sent >= 1);
    while (core->time() < 2 * window) core->run_step();
    CHECK(core->provenance().history_expired_unread >= sent);
  }
  SECTION("steps that the recording has no room for") {
    const auto core = std::make_unique<Learner<>>(cell, dma);
    std::array<std::uint32_t, 11> to{};
    core->record({to, {.spikes = true}});
    CHECK(core->steps_until_full() == 5);
    for (std::uint32_t step = 1; step <= 8; ++step) {
      let_fire(*core, step);
      core->run_step();
      CHECK(core->steps_until_full() == (step < 5 ? 5 - step : 0));
    }
    CHECK(core->provenance().recording_lost == 3);
    REQUIRE(core->recording().recorded().size() == 10);
    for (std::uint32_t step = 1; step <= 5; ++step) {
      CHECK(to[2 * step - 2] == step);
      CHECK((to[2 * step - 1] >> step & 1) == 1);
    }
  }
}

TEST_CASE("core: a row that is due is flushed, but not if its spike is under way") {
  using Small = Core<CoreSizes{.neurons = neurons, .row_words = 40, .populations = 1}, Lif<>, Ring, Dma, Nowhere,
                     PlasticRules<Pairs>, CoreHistory<window>>;
  for (const bool has_spike : {false, true}) {
    target::DmaSpeed speed;
    speed.start = 100; // so that the row is long on its way
    Dma dma(speed);
    const auto core = std::make_unique<Small>(cell, dma, Nowhere{}, PlasticRules<Pairs>(pairs));
    std::vector<std::uint32_t> words(Pairs::Row::words(1, 0));
    auto row = Pairs::Row::make(words, 1, 0).value();
    row.append(Word::encode({1000, 1, 0, 2}).value(), pairs.state_of(1000).value());
    std::array<Small::Entry, 1> entries{{{1, ~0U, {PopulationRows::of_length(words, 5).value(), 1}}}};
    std::vector<std::uint16_t> ages(1);
    REQUIRE(core->load(entries, ages).ok());
    core->run_step();
    CHECK(core->receive(1));
    while (core->time() < 1 + Small::flush_after) core->run_step();
    CHECK(core->provenance().flushes == 0);
    if (has_spike) CHECK(core->receive(1));
    core->run_step();
    CHECK(core->provenance().flushes == (has_spike ? 0 : 1));
    CHECK(core->provenance().write_backs == 2);
    CHECK(row.time() == 1 + Small::flush_after);
    // And once more, after a flush or without one.
    while (core->time() < 1 + 2 * Small::flush_after) core->run_step();
    CHECK(core->receive(1));
    core->run_step();
    CHECK(core->provenance().flushes == (has_spike ? 0 : 1));
    CHECK(core->provenance().write_backs == 3);
  }
}

// So many that a step looks at more than a chunk of them, from odd places on, and beyond the end of a population.
TEST_CASE("core: of many rows those are flushed whose turn it is and that are old, and no others") {
  using Update = DeferredUpdate<Word, Toll, weight::Additive, PostSynapticDelay::none>;
  using Many = Core<CoreSizes{.neurons = neurons, .row_words = 8, .spikes = 64, .populations = 4}, Lif<>, Ring, Dma,
                    Nowhere, PlasticRules<Update>, CoreHistory<window, gc::Fifo<2000>>>;
  const Update update = Update::from({.lowest = 0, .highest = 1}, Toll{}).value();
  constexpr std::size_t length = Update::Row::words(1, 0);
  for (const std::uint32_t seed : Seeds(sanitized ? 1 : 3)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
    Dma dma;
    const auto core = std::make_unique<Many>(cell, dma, Nowhere{}, PlasticRules<Update>(update));
    const std::array<std::uint32_t, 3> sizes{301 + draw(200), 1 + draw(3), 401 + draw(200)}; // in the order of keys
    std::array<std::vector<std::uint32_t>, 3> words;
    std::array<Many::Entry, 4> entries{};
    entries[3] = {
        0x9000, ~0xFFFU, {PopulationRows::of_length(words[0], 1).value()}}; // without rows, and without a rule
    std::vector<std::uint32_t*> rows;                                       // all that learn
    std::vector<std::uint32_t> keys;
    for (std::uint32_t population = 0; population < 3; ++population) {
      words[population].resize(sizes[population] * length);
      for (std::uint32_t at = 0; at < sizes[population]; ++at) {
        auto row = Update::Row::make(std::span(words[population]).subspan(at * length, length), 1, 0).value();
        row.append(Word::encode({1, 1, 0, draw(neurons)}).value(), ~0U);
        rows.push_back(words[population].data() + at * length);
        keys.push_back(0x1000 * (population + 1) + at);
      }
      entries[(population + seed) % 3] = {
          0x1000 * (population + 1), ~0xFFFU, {PopulationRows::of_length(words[population], length).value(), 1}};
    }
    const auto count = static_cast<std::uint32_t>(rows.size());
    std::vector<std::uint16_t> ages(count);
    REQUIRE(core->load(entries, ages).ok());
    std::vector<std::uint32_t> touched(count); // rows of this rule learn from the start on
    std::uint32_t next = 0, flushes = 0;
    for (std::uint32_t step = 1; step <= 300; ++step) {
      const std::uint32_t time = step - 1;
      for (std::uint32_t left = (count + window / 4 - 1) / (window / 4); left != 0; --left, next = (next + 1) % count)
        if (time - touched[next] >= Many::flush_after) touched[next] = time, ++flushes;
      core->run_step();
      for (std::uint32_t left = draw(20); left != 0; --left) {
        const std::uint32_t which = draw(count);
        REQUIRE(core->receive(keys[which]));
        touched[which] = step;
      }
      core->run_spikes();
      for (std::uint32_t which = 0; which < count; ++which)
        if (rows[which][1] != touched[which]) REQUIRE(rows[which][1] == touched[which]);
      REQUIRE(core->provenance().flushes == flushes);
    }
    CHECK(flushes > count);
    CHECK(core->provenance().history_truncated == 0);
  }
}

namespace {

/// Takes time when spikes are sent.
struct Slowly {
  VirtualClock<>* time = nullptr;
  std::uint32_t takes = 0;
  void operator()(std::uint32_t) const {
    if (time != nullptr) time->advance(takes);
  }
};

} // namespace

TEST_CASE("core: an executive runs it, and tells what it took too much of") {
  using Slow = Core<CoreSizes{.neurons = neurons, .row_words = 40, .spikes = 64, .populations = 4}, Lif<>, Ring, Dma,
                    Slowly, Rules, CoreHistory<window>>;
  std::mt19937 random(2);
  for (const bool leaves_out : {false, true}) {
    Network network(random), far = network;
    VirtualClock<> time;
    Dma dma, other_dma;
    const auto core = std::make_unique<Slow>(cell, dma, Slowly{&time, 250}, Rules(pairs, other_pairs));
    const auto same = std::make_unique<Slow>(cell, other_dma, Slowly{}, Rules(pairs, other_pairs));
    auto entries = network.entries<Slow::Entry>(), other_entries = far.entries<Slow::Entry>();
    std::vector<std::uint16_t> ages(24), other_ages(24);
    REQUIRE(core->load(entries, ages).ok());
    REQUIRE(same->load(other_entries, other_ages).ok());
    for (std::uint32_t neuron = 0; neuron < 5; ++neuron) let_fire(*core, neuron), let_fire(*same, neuron); // at once
    for (std::uint32_t source = 0; source < 12; ++source) {
      CHECK(core->receive(Network::key_of(source % 3, source)));
      CHECK(same->receive(Network::key_of(source % 3, source)));
    }
    auto signaller = TimerSignaller<>::from(0, 9'900, 100'000).value();
    const ExecutiveTiming<std::uint32_t> timing{.start = 0, .period = 100, .budget = {0, 0, 0, 0, 50}};
    Provenance counts;
    const auto execute = [&](auto executive) {
      CHECK(executive.execute(signaller) == Finished::by_finish);
      counts = core->provenance(executive);
    };
    if (leaves_out)
      execute(Executive<VirtualClock<>, decltype(core->tasks()), Overrun::leave_out>(time, core->tasks(), timing));
    else
      execute(Executive(time, core->tasks(), timing));
    CHECK(counts.steps + counts.steps_left_out == 99);
    CHECK(counts.overruns >= 1);
    CHECK((counts.steps_left_out != 0) == leaves_out);
    CHECK(counts.furthest_behind >= 11);
    CHECK(counts.over_budget[4] >= 1);
    CHECK(counts.over_budget[0] == 0);
    CHECK(counts.rows_processed + counts.rows_empty == 12 + counts.flushes);
    // The same as in lockstep.
    same->run_spikes();
    while (same->time() < core->time()) {
      same->run_step();
      same->run_spikes();
    }
    CHECK(std::ranges::equal(core->ring().elements(), same->ring().elements()));
    for (std::size_t place = 0; place < Lif<>::word_count; ++place)
      CHECK(std::ranges::equal(core->population().words(place), same->population().words(place)));
    CHECK(network.plastic == far.plastic);
  }
}
