// SPDX-License-Identifier: BSL-1.0
// Which neurons an advance of gc::Generational looks at: by their age, to the tick, and one in turn.
#include <cstddef>
#include <cstdint>

#include <neuromorph/gc/generational.hpp>
#include <neuromorph/gc/trace_store.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;

// Neurons that no turn comes to meanwhile, so that only their age finds them.
TEST_CASE("generational: an event goes with the first advance after its generation has died", "[gc][generational]") {
  constexpr std::uint32_t neurons = 400, window = 60, step = 8;
  using Store = TraceStore<std::uint8_t, neurons,
                           gc::Generational<gc::GenerationalOptions{.events = 800, .scan = 3, .heap_bytes = 16000}>,
                           gc::AgeWindow<window>>;
  for (std::uint32_t start = 0U - 40U; start != 40; ++start) {
    Store store(start);
    const std::uint32_t wait = start % 11;
    for (std::uint32_t tick = 1; tick <= wait; ++tick) store.advance_to(start + tick);
    // Three of one generation, the last in the next one, or all in one.
    const std::uint32_t first = start + wait, last = first + start % 7;
    REQUIRE(is_stored(store.record(300, first, 1)));
    REQUIRE(is_stored(store.record(301, first, 1)));
    REQUIRE(is_stored(store.record(299, last, 1)));
    const auto dies_after = [](std::uint32_t time) { return (time | (step - 1)) + window; };
    for (std::uint32_t now = first + 1; now != first + window + 2 * step; ++now) {
      store.advance_to(now);
      const std::size_t there =
          (is_before(dies_after(first), now) ? 0U : 2U) + (is_before(dies_after(last), now) ? 0U : 1U);
      INFO("start " << static_cast<std::int32_t>(start) << ", now " << now - start);
      REQUIRE(store.events() == there);
    }
    CHECK(store.counts().reclaimed == 3);
  }
}

TEST_CASE("generational: after a leap of the clock all that is dead is found by age, within a generation's time",
          "[gc][generational]") {
  constexpr std::uint32_t neurons = 200, window = 60, step = 8, scan = 8;
  using Store = TraceStore<
      std::uint8_t, neurons,
      gc::Generational<gc::GenerationalOptions{.events = 400, .words = 1000, .scan = scan, .heap_bytes = 16000}>,
      gc::AgeWindow<window>>;
  for (std::uint32_t leap = window + step; leap < 400; ++leap) {
    INFO("leap " << leap);
    Store store(0U - 77U);
    // Each tick another neuron, for several generations; no turn comes to them.
    for (std::uint32_t tick = 0; tick < 50; ++tick) {
      store.advance_to(0U - 77U + tick);
      REQUIRE(is_stored(store.record(tick + 150, 0U - 77U + tick, 1)));
    }
    const std::uint32_t end = 0U - 77U + 49U + leap;
    // A generation whose number the one has that is not over waits for that.
    for (std::size_t before = store.events(); before > step; before = store.events()) {
      store.advance_to(end);
      REQUIRE((store.events() + scan <= before || store.events() <= step));
      CHECK(store.events() + scan + 1 >= before);
    }
    for (std::uint32_t later = 1; later <= step; ++later) store.advance_to(end + later);
    CHECK(store.events() == 0);
  }
}

// A neuron that lives on goes to the list of its oldest event. What is left of the list that it was in is looked at next,
// also where the generation after that is over.
TEST_CASE("generational: a neuron that keeps younger events does not hide others of its generation",
          "[gc][generational]") {
  constexpr std::uint32_t neurons = 400, window = 60, step = 8, scan = 8;
  using Store = TraceStore<
      std::uint8_t, neurons,
      gc::Generational<gc::GenerationalOptions{.events = 800, .words = 1000, .scan = scan, .heap_bytes = 16000}>,
      gc::AgeWindow<window>>;
  for (std::uint32_t start = 0U - 20U; start != 20; ++start)
    for (const std::uint32_t leap : {window + step, window + 2 * step, window + 3 * step}) {
      INFO("start " << static_cast<std::int32_t>(start) << ", leap " << leap);
      Store store(start);
      for (std::uint32_t neuron = 300; neuron < 300 + scan; ++neuron)
        REQUIRE(is_stored(store.record(neuron, start, 1)));
      const std::uint32_t younger = start + leap - window / 2;
      for (std::uint32_t neuron = 300; neuron < 300 + scan; neuron += 2)
        REQUIRE(is_stored(store.record(neuron, younger, 2)));
      store.advance_to(start + leap);
      CHECK(store.events() == scan / 2); // the younger ones
      CHECK(store.counts().reclaimed == scan);
    }
}

TEST_CASE("generational: an advance looks at one neuron in turn, from the second one on", "[gc][generational]") {
  constexpr std::uint32_t neurons = 7;
  using Store =
      TraceStore<std::uint8_t, neurons, gc::Generational<gc::GenerationalOptions{.events = 20, .heap_bytes = 1000}>,
                 gc::EitherDead<gc::AgeWindow<1000>, gc::ReadCount<1>>>;
  for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
    INFO("neuron " << neuron);
    Store store;
    for (std::uint32_t other = 0; other < neurons; ++other) REQUIRE(is_stored(store.record(other, 0, 1)));
    (void)store.window(neuron, 0U - 1U, 0); // is dead now, and much younger than its generation
    for (std::uint32_t now = 1; now <= 2 * neurons; ++now) {
      store.advance_to(now);
      CHECK(store.events() == (now >= (neuron == 0 ? neurons : neuron) ? 6 : 7));
    }
  }
}
