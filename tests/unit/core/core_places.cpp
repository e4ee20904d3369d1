// SPDX-License-Identifier: BSL-1.0
// A core whose spikes come at every place of a step, against its parts called in order. It has short windows, one to eight
// buffers, several collectors, and an engine that refuses and keeps waiting.
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

namespace {

/// Refuses requests, and keeps them waiting, for as long as it likes. Copies when a request is over, not before.
class Moody {
public:
  explicit Moody(std::uint32_t seed) : random_(seed) {
    refuses_ = static_cast<std::uint32_t>(random_() % 4 * 20);
    waits_ = static_cast<std::uint32_t>(1 + random_() % 4 * 30);
  }
  std::uint32_t start(void* to, const void* from, std::size_t bytes) {
    if (left_ == 0 && random_() % 20 == 0) left_ = static_cast<std::uint32_t>(random_() % (1 + refuses_));
    if (left_ != 0) {
      --left_;
      return 0;
    }
    jobs_.push_back({to, from, bytes, static_cast<std::uint32_t>(1 + random_() % waits_)});
    return ++started_;
  }
  bool is_complete(std::uint32_t handle) const { return static_cast<std::int32_t>(completed_ - handle) >= 0; }
  void poll() {
    if (jobs_.empty() || --jobs_.front().polls != 0) return;
    const Job job = jobs_.front();
    jobs_.pop_front();
    std::memcpy(job.to, job.from, job.bytes);
    ++completed_;
  }

private:
  struct Job {
    void* to;
    const void* from;
    std::size_t bytes;
    std::uint32_t polls;
  };
  std::mt19937 random_;
  std::deque<Job> jobs_;
  std::uint32_t refuses_, waits_, left_ = 0, started_ = 0, completed_ = 0;
};

/// What a rule with no end to its rows does, and with a trace of more than one word: each event moves a weight, by its neuron's
/// count of events and its row's of spikes.
struct Counting {
  using Offers = offer::List<offer::OwnWord>;
  static constexpr bool own_word = true;
  struct RowTrace {
    std::uint32_t spikes = 0, unused = 0x1234;
  };
  struct NeuronTrace {
    std::uint16_t events = 0;
  };
  static constexpr RowTrace aged(auto&, RowTrace row, std::uint32_t) { return row; }
  static constexpr RowTrace pre_spiked(auto&, RowTrace row, std::uint32_t) { return {row.spikes + 1, row.unused}; }
  static constexpr NeuronTrace post_spiked(auto&, NeuronTrace neuron, std::uint32_t) {
    return {static_cast<std::uint16_t>(neuron.events + 1)};
  }
  static constexpr void at_post(auto& synapse, RowTrace row, std::uint32_t, NeuronTrace neuron) {
    synapse.up((neuron.events + row.spikes % 4 + 1U) << 19);
    synapse.set_own_word(synapse.own_word() * 5 + neuron.events + row.spikes);
  }
  static constexpr void at_pre(auto& synapse, RowTrace row, std::uint32_t, NeuronTrace, std::uint32_t) {
    synapse.down((row.spikes % 64 + 1) << 23);
    synapse.set_own_word(synapse.own_word() * 3 + row.spikes);
  }
};

/// Of the last spike and the last event, for so many ticks each, exactly: a flush rounds nothing.
template <std::uint32_t Ticks>
struct LastOnes {
  using Offers = offer::List<offer::IsSpent>;
  struct RowTrace {
    std::uint32_t left = 0, spikes = 0; ///< of Ticks, and how many in all
  };
  using NeuronTrace = Share;
  static constexpr std::uint32_t after(std::uint32_t left, std::uint32_t ticks) {
    return left > ticks ? left - ticks : 0;
  }
  static constexpr RowTrace aged(auto&, RowTrace row, std::uint32_t ticks) {
    return {after(row.left, ticks), row.spikes};
  }
  static constexpr RowTrace pre_spiked(auto&, RowTrace row, std::uint32_t) { return {Ticks, row.spikes + 1}; }
  static constexpr NeuronTrace post_spiked(auto&, NeuronTrace neuron, std::uint32_t) { return neuron + 1; }
  static constexpr bool is_spent(RowTrace row) { return row.left == 0; }
  static constexpr void at_post(auto& synapse, RowTrace row, std::uint32_t ticks, NeuronTrace neuron) {
    if (after(row.left, ticks) != 0) synapse.up((after(row.left, ticks) + row.spikes % 8 + neuron % 8) << 20);
  }
  static constexpr void at_pre(auto& synapse, RowTrace row, std::uint32_t, NeuronTrace neuron, std::uint32_t since) {
    if (neuron != 0 && since < Ticks) synapse.down((Ticks - since + row.spikes % 8 + neuron % 8) << 20);
  }
};

template <std::uint32_t Window, std::size_t Buffers, class Collector = gc::Fifo<neurons*(Window + 2)>>
void at_every_place(std::uint32_t seed, Provenance& sum) {
  using First = DeferredUpdate<Word, LastOnes<Window - Ring::slots>, weight::Additive>;
  using Second = DeferredUpdate<Word, Counting, weight::Additive>;
  using CoreType =
      Core<CoreSizes{.neurons = neurons, .row_words = 48, .buffers = Buffers, .spikes = 32, .populations = 4}, Lif<>,
           Ring, Moody, Nowhere, PlasticRules<First, Second>, CoreHistory<Window, gc::Fifo<neurons*(Window + 2)>>>;
  INFO("window " << Window << ", buffers " << Buffers << ", seed " << seed);
  std::mt19937 random(seed);
  const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  First first = First::from({.lowest = 0, .highest = 4000}, {}).value();
  Second second = Second::from({.lowest = 0, .highest = 3000}, {}).value();

  // Rows: static, of the first rule, of the second; some are empty, none, or too long.
  constexpr std::uint32_t sources = 10;
  struct RowsOf {
    std::vector<std::uint32_t> words, starts{0};
  };
  std::array<RowsOf, 3> near;
  const auto word = [&](std::int32_t weight) {
    Synapse synapse{weight, 0, 0, 0};
    synapse.delay = 1 + draw(8);
    synapse.type = draw(8) == 0 ? 1 : 0;
    synapse.index = draw(neurons);
    return Word::encode(synapse).value();
  };
  const auto fill = [&]<class Update>(const Update& update, RowsOf& to) {
    for (std::uint32_t source = 0; source < sources; ++source) {
      const std::size_t begin = to.words.size();
      const std::uint32_t drawn = draw(12), kind = source < 4 ? source : drawn, fixed = draw(4);
      const std::uint32_t room = kind == 0 ? 0 : kind == 1 ? 30 : draw(8);
      if (kind != 2) { // else it has no words
        to.words.resize(begin + Update::Row::words(room, fixed));
        auto row = Update::Row::make(std::span(to.words).subspan(begin), room, 0).value();
        for (std::uint32_t at = draw(room + 1); at != 0; --at) {
          const auto weight = static_cast<std::int32_t>(draw(3000));
          row.append(word(weight), update.state_of(weight).value());
        }
        for (std::uint32_t& synapse : row.fixed()) synapse = word(some_weight);
        if (kind == 3) to.words[begin] |= 0xFFFF; // more synapses than places
      }
      to.starts.push_back(static_cast<std::uint32_t>(to.words.size()));
    }
  };
  for (std::uint32_t source = 0; source < sources; ++source) {
    for (std::uint32_t left = source == 0 ? 60 : draw(12); left != 0; --left)
      near[0].words.push_back(word(some_weight));
    near[0].starts.push_back(static_cast<std::uint32_t>(near[0].words.size()));
  }
  fill(first, near[1]);
  fill(second, near[2]);
  auto far = near;
  const std::uint32_t shift = draw(2); // ages need not begin at a whole word
  std::vector<std::uint16_t> ages(2 * sources + 2, 0xBEEF);

  Moody engine(seed);
  const auto core = std::make_unique<CoreType>(cell, engine, Nowhere{}, PlasticRules<First, Second>(first, second));
  std::array<typename CoreType::Entry, 3> entries{};
  for (std::uint32_t population = 0; population < 3; ++population)
    entries[population] = {
        Network::key_of(population, 0),
        0xFFFF'F000,
        {PopulationRows::indexed(far[population].words, far[population].starts).value(), population}};
  std::shuffle(entries.begin(), entries.end(), random);
  REQUIRE(core->load(entries, std::span(ages).subspan(shift)).ok());

  // The same, said plainly: nothing is deferred by the core, and no row is flushed but at the end.
  Population<Lif<>, neurons> population{cell};
  Ring ring{};
  AllEvents<Share> first_events;
  AllEvents<Counting::NeuronTrace> second_events;
  Provenance expected;
  std::uint32_t time = 0;
  std::vector<std::uint32_t> came; // in this step: keys
  const auto apply = [&](std::uint32_t key) {
    const std::uint32_t of = key / 0x1000 - 1, source = key % 0x1000;
    if (of > 2) {
      ++expected.keys_unknown;
      return;
    }
    if (source >= sources) {
      ++expected.rows_not_found;
      return;
    }
    const auto words = std::span(near[of].words)
                           .subspan(near[of].starts[source], near[of].starts[source + 1] - near[of].starts[source]);
    if (words.empty() || words.size() > 48) {
      ++(words.empty() ? expected.rows_empty : expected.rows_too_long);
      return;
    }
    ++expected.rows_processed;
    if (of == 0) {
      add_row(ring, std::span<const std::uint32_t>(words), time);
      return;
    }
    const RowUpdate outcome =
        of == 1 ? first.pre_spike(words, time, first_events) : second.pre_spike(words, time, second_events);
    if (outcome == RowUpdate::changed) ++expected.write_backs;
    if (outcome == RowUpdate::wrong) return;
    const auto add = [&](const auto& row) {
      add_row(ring, row.plastic(), time);
      add_row(ring, row.fixed(), time);
    };
    if (of == 1)
      add(typename First::Row(words));
    else
      add(typename Second::Row(words));
  };

  constexpr std::uint32_t steps = 3 * Window + 400;
  std::vector<std::uint32_t> activity(3 * sources + 2);
  for (std::uint32_t& of : activity) of = draw(3) == 0 ? 5000 : 40;
  for (std::uint32_t of = 0; of < 3; ++of) // the odd ones come often
    std::fill_n(activity.begin() + of * sources, 4, 40U);
  const auto receives = [&] {
    const std::uint32_t source = draw(static_cast<std::uint32_t>(activity.size()));
    if (draw(activity[source]) != 0) return;
    std::uint32_t key = source == 3 * sources ? 0x77'0000 : Network::key_of(source / sources, source % sources);
    if (source == 3 * sources + 1) key = Network::key_of(source % 3, sources + draw(3)); // no row of theirs
    for (std::uint32_t kind = draw(50), times = kind == 0 ? 40 : kind < 8 ? 3 : 1; times != 0; --times)
      if (core->receive(key)) {
        came.push_back(key);
        ++expected.spikes_received;
      } else {
        ++expected.spikes_dropped;
      }
  };
  const auto turn = [&](bool may_step) { // of an executive that has no order
    switch (draw(4)) {
    case 0: static_cast<void>(core->feed_dma()); break;
    case 1: static_cast<void>(core->synaptic_rows()); break;
    case 2: static_cast<void>(core->write_back()); break;
    default:
      if (may_step) return core->neurons();
    }
    return true;
  };
  const auto compare = [&] {
    bool is_same = std::ranges::equal(core->ring().elements(), ring.elements());
    for (std::size_t place = 0; place < Lif<>::word_count; ++place)
      is_same = is_same && std::ranges::equal(core->population().words(place), population.words(place));
    return is_same;
  };
  for (std::uint32_t step = 1; step <= steps; ++step) {
    // What has come since the last one began.
    for (const std::uint32_t key : came) apply(key);
    came.clear();
    core->begin_step(step);
    ++time;
    bool is_stepped = false;
    while (core->neurons() || !is_stepped) {
      for (std::uint32_t turns = draw(6); turns != 0; --turns) static_cast<void>(turn(true));
      receives();
      is_stepped = core->time() == time;
    }
    const auto fired = population.step(ring, time);
    REQUIRE(std::ranges::equal(fired, core->fired()));
    expected.spikes_sent += static_cast<std::uint32_t>(fired.size());
    for (const std::uint32_t neuron : fired) {
      first.post_spike(first_events, neuron, time);
      second.post_spike(second_events, neuron, time);
    }
    for (std::uint32_t turns = draw(200); turns != 0; --turns) {
      static_cast<void>(turn(false));
      if (draw(8) == 0) receives();
    }
    if (draw(3) == 0) {
      for (std::uint32_t turns = 0; !core->is_idle(); ++turns) {
        if (turns > 1'000'000) FAIL("it does not become idle");
        static_cast<void>(turn(true));
      }
      for (const std::uint32_t key : came) apply(key);
      came.clear();
      REQUIRE(compare());
    }
  }
  core->run_spikes();
  for (const std::uint32_t key : came) apply(key);
  REQUIRE(compare());
  const Provenance counts = core->provenance();
  // Rows that were flushed are as if they had not been, once the others have been, too.
  const auto until_now = [&]<class Update>(Update& update, auto& events, std::uint32_t of) {
    for (std::uint32_t source = 0; source < sources; ++source) {
      INFO("row " << source << " of " << of);
      const std::size_t begin = near[of].starts[source], size = near[of].starts[source + 1] - begin;
      const auto plain = std::span(near[of].words).subspan(begin, size),
                 learnt = std::span(far[of].words).subspan(begin, size);
      if (typename Update::Row(plain).is_whole() && size <= 48) {
        REQUIRE(typename Update::Row(learnt).is_whole());
        Update other = update;
        update.flush(plain, time, events);
        other.flush(learnt, time, events);
      }
      CHECK(std::ranges::equal(plain, learnt));
    }
  };
  until_now(second, second_events, 2);
  until_now(first, first_events, 1);
  CHECK(far[0].words == near[0].words);
  CHECK(counts.steps == steps);
  CHECK(counts.spikes_received == expected.spikes_received);
  CHECK(counts.spikes_dropped == expected.spikes_dropped);
  CHECK(counts.spikes_sent == expected.spikes_sent);
  CHECK(counts.rows_processed - counts.flushes == expected.rows_processed);
  CHECK(counts.rows_empty == expected.rows_empty);
  CHECK(counts.rows_too_long == expected.rows_too_long);
  CHECK(counts.rows_not_found == expected.rows_not_found);
  CHECK(counts.keys_unknown == expected.keys_unknown);
  CHECK(counts.history_truncated + counts.history_refused == 0);
  sum.rows_processed += counts.rows_processed, sum.flushes += counts.flushes, sum.held_up += counts.held_up;
  sum.late_spikes += counts.late_spikes, sum.spikes_dropped += counts.spikes_dropped;
  sum.rows_wrong += counts.rows_wrong, sum.rows_too_long += counts.rows_too_long;
  CHECK(ages[0] == (shift != 0 ? 0xBEEF : ages[0]));
  CHECK(ages[2 * sources + 1] == 0xBEEF);
}

} // namespace

TEST_CASE("core: spikes at every place of a step, whatever window, buffers and engine") {
  Provenance sum;
  for (const std::uint32_t seed : Seeds(sanitized ? 1 : 3)) {
    at_every_place<18, 1>(seed, sum);
    at_every_place<19, 2>(seed, sum);
    at_every_place<41, 3>(seed, sum);
    at_every_place<102, 8>(seed, sum);
    at_every_place<335, 5>(seed, sum);
    at_every_place<33, 4, gc::Sliding<900>>(seed, sum);
    at_every_place<50, 6, gc::Pool<1200>>(seed, sum);
    at_every_place<40, 7, gc::Ring<42>>(seed, sum);
  }
  CHECK(sum.rows_processed > 2000);
  CHECK(sum.flushes > 500);
  CHECK(sum.held_up > 50);
  CHECK(sum.late_spikes > 300);
  CHECK(sum.spikes_dropped > 0);
  CHECK(sum.rows_wrong > 10);
  CHECK(sum.rows_too_long > 0);
}
