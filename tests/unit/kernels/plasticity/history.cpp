// SPDX-License-Identifier: BSL-1.0
// What plastic synapses ask of the past of their neurons, in the terms of a rule. What stores answer beside a model that
// never frees, at all times and with interrupts, is in tests/unit/gc.
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/generational.hpp>
#include <neuromorph/gc/pool.hpp>
#include <neuromorph/gc/ring.hpp>
#include <neuromorph/gc/sliding.hpp>
#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/kernels/plasticity/history.hpp>

#include "tests/archetypes.hpp"
#include "tests/support/catch.hpp"

using namespace neuromorph;

namespace {

template <class Collector, class Liveness = gc::AgeWindow<20>>
using Store = TraceStore<std::int32_t, 4, Collector, Liveness>;
static_assert(History<Store<gc::Fifo<9>>> && History<Store<gc::Fifo<9, gc::WhenFull::oldest_gives_way>>>);
static_assert(History<Store<gc::Pool<9>, gc::ReadCount<2>>> && History<Store<gc::Sliding<9>>>);
static_assert(History<Store<gc::Ring<9>>> && History<Store<gc::Baker<gc::BakerOptions{.events = 9}>>>);
static_assert(History<Store<gc::Generational<gc::GenerationalOptions{.events = 9}>>> && History<archetype::History> &&
              !History<int>);

/// What a synapse is told, as text: the event before in front of a bar.
template <class Past>
std::string told(const Past& past, std::uint32_t neuron) {
  std::string before = "-", events;
  const bool all = past.of(
      neuron,
      [&](std::uint32_t time, const auto& trace) { before = std::to_string(time) + ":" + std::to_string(trace); },
      [&](std::uint32_t time, const auto& trace) {
        events += " " + std::to_string(time) + ":" + std::to_string(trace);
      });
  return before + " |" + events + (all ? "" : " ...");
}

} // namespace

TEST_CASE("history: a minimal one is enough for a row", "[history]") {
  archetype::History history;
  const auto past = history.past(3, 7);
  CHECK(told(past, 0) == "- | 5:50");
  CHECK(told(past, 1) == "- |");
  CHECK(told(history.past(5, 7), 0) == "5:50 |");
  CHECK(past.complete_after() == 0);
}

TEMPLATE_TEST_CASE("history: what a synapse is told", "[history]", gc::Fifo<9>, gc::Pool<9>, gc::Sliding<9>,
                   gc::Ring<9>, gc::Baker<gc::BakerOptions{.events = 9}>,
                   (gc::Fifo<9, gc::WhenFull::oldest_gives_way>)) {
  Store<TestType> store(100);
  CHECK(told(store.past(90, 100), 1) == "- |"); // it never fired
  REQUIRE(gc::is_stored(store.record(1, 96, 1)));
  REQUIRE(gc::is_stored(store.record(1, 98, 2)));
  REQUIRE(gc::is_stored(store.record(1, 98, 3)));
  REQUIRE(gc::is_stored(store.record(1, 100, 4)));
  // Several rows at once, in any order.
  const auto all = store.past(90, 100), some = store.past(97, 99), none = store.past(98, 99),
             later = store.past(100, 105);
  CHECK(told(some, 1) == "96:1 | 98:2 98:3");
  CHECK(told(none, 1) == "98:3 |"); // of one tick the later one is the last
  CHECK(told(all, 1) == "- | 96:1 98:2 98:3 100:4");
  CHECK(told(later, 1) == "100:4 |");
  CHECK(told(some, 1) == "96:1 | 98:2 98:3");
  CHECK(told(store.past(100, 90), 1) == "100:4 |"); // an empty window
  CHECK(told(store.past(95, 95), 1) == "- |");
  CHECK(told(some, 0) == "- |");
  CHECK(store.counts().incomplete_windows == 0);
}

TEMPLATE_TEST_CASE("history: a rule that goes on from each event needs none before a window with events", "[history]",
                   gc::Fifo<9>, gc::Pool<9>, gc::Sliding<9>, gc::Ring<9>, gc::Baker<gc::BakerOptions{.events = 9}>,
                   (gc::Fifo<9, gc::WhenFull::oldest_gives_way>), archetype::History) {
  const auto last = [](const auto& past, std::uint32_t neuron) {
    std::uint32_t time = 0;
    const auto see = [&](std::uint32_t at, const auto&) { time = at; };
    unsigned calls = 0;
    const auto see_if_none = [&](std::uint32_t at, const auto&) {
      CHECK(++calls == 1);
      time = at;
    };
    CHECK(past.of(neuron, IfNone{see_if_none}, see));
    return time;
  };
  if constexpr (std::is_same_v<TestType, archetype::History>) {
    TestType history;
    CHECK(last(history.past(3, 7), 0) == 5);
    CHECK(last(history.past(5, 7), 0) == 5);
    CHECK(last(history.past(3, 7), 1) == 0);
  } else {
    Store<TestType> store(100);
    for (const std::uint32_t time : {95U, 97U, 98U, 98U}) REQUIRE(gc::is_stored(store.record(1, time, 1)));
    for (std::uint32_t after = 90; after <= 100; ++after)
      for (std::uint32_t until = after; until <= 100; ++until) {
        std::uint32_t expected = 0;
        for (const std::uint32_t time : {95U, 97U, 98U})
          if (time <= until) expected = time;
        CHECK(last(store.past(after, until), 1) == expected);
      }
    CHECK(last(store.past(90, 100), 0) == 0);
  }
}

TEMPLATE_TEST_CASE("history: a spike and an event of one tick meet once", "[history]", gc::Fifo<9>, gc::Pool<9>) {
  // Pre-synaptic spikes at 10, 20 and 30; the neuron fires at 20 and 30.
  Store<TestType> store(10);
  std::string replayed;
  std::uint32_t last = 0;
  for (std::uint32_t now = 10; now <= 30; now += 10) {
    store.advance_to(now);
    if (now != 10) REQUIRE(gc::is_stored(store.record(2, now, static_cast<std::int32_t>(now))));
    if (now != 10) replayed += told(store.past(last, now), 2) + "; ";
    last = now;
  }
  CHECK(replayed == "- | 20:20; 20:20 | 30:30; ");
}

TEMPLATE_TEST_CASE("history: the newest event never dies", "[history]", gc::Fifo<9>, gc::Pool<9>, gc::Sliding<9>,
                   gc::Ring<9>, gc::Baker<gc::BakerOptions{.events = 9}>) {
  Store<TestType> store(100);
  CHECK_FALSE(store.newest(1).exists);
  CHECK_FALSE(store.newest(4).exists); // there is no such neuron
  REQUIRE(gc::is_stored(store.record(1, 90, 1)));
  REQUIRE(gc::is_stored(store.record(1, 100, 2)));
  std::uint32_t now = 100;
  while (now < 400000) store.advance_to(now += 1000);
  // The window is 20 ticks. What came between 90 and 100 may be missing, and what was before 90.
  CHECK(store.newest(1).exists);
  CHECK(store.newest(1).time == 100);
  CHECK(store.newest(1).trace == 2);
  CHECK(told(store.past(100, now), 1) == "100:2 |");
  CHECK(told(store.past(now - 1, now), 1) == "100:2 |");
  CHECK(store.counts().incomplete_windows == 0);
  CHECK(told(store.past(80, now), 1) == "- | 100:2 ...");
  CHECK(store.counts().incomplete_windows == 1);
  CHECK(told(store.past(80, 99), 1) == "- | ...");
  CHECK(told(store.past(80, now), 0) == "- |"); // nothing can be missing of one that never fired
  CHECK(store.counts().incomplete_windows == 2);
  CHECK(store.past(0, now).complete_after() == now - 21);
  // A next event, which finds it.
  const auto decayed = [](const auto& last) { return last.exists ? last.trace + 10 : 10; };
  REQUIRE(gc::is_stored(store.update(1, now, decayed)));
  REQUIRE(gc::is_stored(store.update(0, now, decayed)));
  CHECK(store.newest(1).trace == 12);
  CHECK(store.newest(0).trace == 10);
  // A refused one leaves it.
  CHECK(store.record(1, now - 1, 7) == gc::Recorded::refused_out_of_order);
  CHECK(store.record(1, now - 21, 7) == gc::Recorded::refused_expired);
  CHECK(store.newest(1).trace == 12);
  store.clear();
  CHECK_FALSE(store.newest(1).exists);
  CHECK(told(store.past(now - 5, now), 1) == "- |");
}

TEMPLATE_TEST_CASE("history: the newest event is forgotten after 2^29 ticks, however the clock moves", "[history]",
                   gc::Fifo<9>, gc::Pool<9>) {
  for (const std::uint32_t start : {0U, 1U, 0x7FFFFFFFU, 0x80000001U})
    for (const std::uint32_t ticks : {511U, 5000U, (1U << 21) + 1, 1U << 26}) {
      INFO("from " << start << " by " << ticks);
      Store<TestType> store(start);
      for (const std::uint32_t neuron : {0U, 3U}) REQUIRE(gc::is_stored(store.record(neuron, start, 7)));
      unsigned wrong = 0;
      std::uint64_t age = 0;
      const auto look = [&] {
        for (std::uint32_t neuron = 0; neuron < 4; ++neuron) {
          const bool is_known = (neuron == 0 || neuron == 3) && age <= 1U << 29;
          const std::uint32_t now = store.now();
          wrong += store.newest(neuron).exists != is_known;
          wrong += told(store.past(now, now), neuron) != (is_known ? std::to_string(start) + ":7 |" : "- |");
        }
      };
      for (std::uint32_t step = 0; age < std::uint64_t{5} << 30; ++step) {
        store.advance_to(store.now() + ticks);
        age += ticks;
        if (step % (1U + (1U << 26) / ticks) == 0 || (age > 536870000 && age < 536872000)) look();
      }
      CHECK(wrong == 0);
    }
}

TEST_CASE("history: what is not read does not die of it, and what died of reads is the newest still", "[history]") {
  TraceStore<std::int32_t, 2, gc::Pool<9>, gc::ReadCount<1>> store(10);
  REQUIRE(gc::is_stored(store.record(0, 8, 1)));
  REQUIRE(gc::is_stored(store.record(0, 10, 2)));
  for (unsigned look = 0; look < 3; ++look) CHECK(told(store.past(0, 10), 0) == "- | 8:1 10:2");
  CHECK_FALSE(store.window(0, 0, 10).empty());
  CHECK(store.window(0, 0, 10).empty());
  CHECK(told(store.past(0, 10), 0) == "- | 10:2");
  CHECK(told(store.past(10, 10), 0) == "10:2 |");
}
