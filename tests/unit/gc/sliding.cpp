// SPDX-License-Identifier: BSL-1.0
// Sliding runs: what every collector must pass.
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "tests/support/trace_collectors.hpp"

using Collectors = std::tuple<battery::Sliding, battery::SlidingFast>;

#include "tests/support/trace_tests.hpp"

// The goal for the densest collector: an eighth beyond the live events' own bytes, and 8 a neuron. With as many events
// as are alive on average in the papers' network it takes less than their own bytes; with room for chance, too.
using Papers = neuromorph::TraceStore<std::int32_t, 255, neuromorph::gc::Sliding<1450>, neuromorph::gc::AgeWindow<500>>;
static_assert(Papers::Heap::bytes == 9764 && sizeof(Papers::Heap) == 9764);
static_assert(Papers::Heap::bytes < 1277 * 8);
// Times of 32 bits, and one byte of reads.
static_assert(neuromorph::TraceStore<std::int32_t, 255, neuromorph::gc::Sliding<1450>,
                                     neuromorph::gc::ReadCount<100>>::Heap::bytes < 1450 * (8 + 1) + 255 * 8);
// As short times as with the window alone, and one byte of reads.
template <class Liveness>
constexpr std::size_t bytes_with =
    neuromorph::TraceStore<std::int32_t, 255, neuromorph::gc::Sliding<1450>, Liveness>::Heap::bytes;
static_assert(bytes_with<neuromorph::gc::EitherDead<neuromorph::gc::AgeWindow<500>, neuromorph::gc::ReadCount<100>>> <=
              Papers::Heap::bytes + 1450 + 2 + 4); // rounded up to words; the counter of what dies unread

TEST_CASE("sliding: an advance moves no more events than it may", "[gc]") {
  neuromorph::TraceStore<std::uint16_t, 60, neuromorph::gc::Sliding<256, 7>, neuromorph::gc::AgeWindow<50>> store;
  neuromorph::Sfc32 random;
  std::uint32_t by_ticks = 0, before = 0;
  for (std::uint32_t now = 1; now < 5000; ++now) {
    before = store.counts().moved_bytes;
    store.advance_to(now);
    const std::uint32_t moved = store.counts().moved_bytes - before;
    CHECK(moved <= 7 * 4);
    by_ticks += moved;
    // A few neurons fire, now these, now those.
    for (unsigned spikes = random.next() % 9; spikes != 0; --spikes)
      store.record((now / 70 * 13 + random.next() % 8) % 60, now, 1);
  }
  CHECK(by_ticks > 1000);
}

TEST_CASE("sliding: one neuron takes all memory, then others take it back", "[gc]") {
  neuromorph::TraceStore<std::uint32_t, 5, neuromorph::gc::Sliding<100>, neuromorph::gc::AgeWindow<30>> store;
  for (std::uint32_t event = 0; event < 100; ++event) REQUIRE(is_stored(store.record(2, event / 10, event)));
  CHECK(store.record(2, 10, 0) == neuromorph::gc::Recorded::refused_full);
  CHECK(store.record(0, 10, 0) == neuromorph::gc::Recorded::refused_full);
  for (std::uint32_t now = 30; now < 42; ++now) {
    store.advance_to(now);
    // Ten die at a time, from 31 on.
    for (std::uint32_t event = 0; event < 12; ++event)
      CHECK(is_stored(store.record(event % 5 == 2 ? 1 : event % 5, now, event)) ==
            (now > 30 && now < 41 && event < 10));
    CHECK(store.is_consistent());
  }
  CHECK(store.events() == 100);
  std::uint32_t shown = 0;
  for (std::uint32_t neuron = 0; neuron < 5; ++neuron)
    for (const auto& event : store.window(neuron, 0, 42)) shown += event.time > 30;
  CHECK(shown == 100);
}

TEST_CASE("sliding: more neurons than events, and each finds room when it alone fires", "[gc]") {
  neuromorph::TraceStore<std::uint32_t, 9, neuromorph::gc::Sliding<2>, neuromorph::gc::AgeWindow<3>> store;
  for (std::uint32_t turn = 0; turn < 40; ++turn) {
    const std::uint32_t now = 20 * turn, neuron = turn * 4 % 9;
    for (std::uint32_t tick = now - 19; turn != 0 && tick != now + 1; ++tick) store.advance_to(tick);
    CHECK(is_stored(store.record(neuron, now, 1)));
    CHECK(is_stored(store.record(neuron, now, 2)));
    CHECK(store.is_consistent());
  }
}

TEST_CASE("sliding: the clock may leap by any number of ticks", "[gc]") {
  using Leaping = battery::Pair<battery::Sliding, std::uint32_t, 100, 100, neuromorph::gc::AgeWindow<500>>;
  static_assert(Leaping::Store::Heap::longest_step < 500 && Leaping::Store::ahead == 4096);
  const std::uint32_t most = 500 + 4096;
  for (const std::uint32_t jump : {300U, 499U, 500U, 501U, 1000U, 4501U, most - 1, most, most + 1, 60000U, 65536U,
                                   70000U, 0x7FFFFFFFU - 600, 0x7FFFFFFFU - 499, 0x7FFFFFFFU}) {
    INFO("jump " << jump);
    Leaping pair(0U - 1000U);
    for (const std::uint32_t later : {0U, 1U, 500U, 4095U, 4096U})
      for (std::uint32_t neuron = 0; neuron < 20; ++neuron)
        REQUIRE(pair.record(later == 1 ? 0 : neuron + later % 7, 0U - 1000U + later) == "");
    CHECK(pair.advance_to(0U - 1000U + jump) == "");
    CHECK(pair.compare_all() == "");
    REQUIRE(pair.record(7, pair.store.now()) == "");
    CHECK(pair.advance_to(pair.store.now() + 1) == "");
    CHECK(pair.compare_all() == "");
  }
}
