// SPDX-License-Identifier: BSL-1.0
// Chains in a pool: what every collector must pass.
#include <cstdint>
#include <tuple>

#include "tests/support/trace_collectors.hpp"

using Collectors = std::tuple<battery::Pool, battery::SlowPool>;

#include "tests/support/trace_tests.hpp"

// Neurons that are read come first, but not alone: each tick as many events die of reads as it has steps.
TEST_CASE("pool: what dies of age is found whatever is read", "[gc]") {
  using neuromorph::gc::AgeWindow, neuromorph::gc::EitherDead, neuromorph::gc::ReadCount;
  using neuromorph::gc::Recorded;
  constexpr std::uint32_t neurons = 20;
  neuromorph::TraceStore<std::uint32_t, neurons, neuromorph::gc::Pool<60, 4>, EitherDead<AgeWindow<20>, ReadCount<1>>>
      store;
  REQUIRE(store.record(0, 0, 1) == Recorded::stored); // nobody reads it
  for (std::uint32_t now = 1; now < 100; ++now) {
    store.tick(now);
    for (std::uint32_t more = 0; more < 6; ++more) {
      const std::uint32_t neuron = 1 + (now * 6 + more) % (neurons - 1);
      (void)store.record(neuron, now, now);
      (void)store.window(neuron, now - 20, now);
    }
    // Found after a round: half the steps are for neurons in turn and what they have.
    if (now > 20 + 1 + 2 * (neurons + 60) / 4) CHECK(store.statistics().reclaimed_unread == 1);
  }
  CHECK(store.statistics().reclaimed_unread == 1);
}

TEST_CASE("pool: with one step a tick, reads and age are both served", "[gc]") {
  using neuromorph::gc::AgeWindow, neuromorph::gc::EitherDead, neuromorph::gc::ReadCount;
  neuromorph::TraceStore<std::uint32_t, 9, neuromorph::gc::Pool<20, 1>, EitherDead<AgeWindow<20>, ReadCount<1>>> store;
  for (std::uint32_t neuron = 0; neuron < 9; ++neuron) REQUIRE(is_stored(store.record(neuron, 0, 1)));
  (void)store.window(8, 0U - 1, 0);
  store.tick(1); // takes the turn
  store.tick(2); // takes what was read
  CHECK(store.statistics().reclaimed == 1);
  for (std::uint32_t now = 21; now < 21 + 2 * 29; ++now) store.tick(now);
  CHECK(store.events() == 0);
  CHECK(store.statistics().reclaimed_unread == 8);
}

TEST_CASE("pool: what a view shows stays, though a read was its end and an older event comes", "[gc]") {
  neuromorph::TraceStore<std::uint32_t, 2, neuromorph::gc::Pool<9>, neuromorph::gc::ReadCount<1>> store(10);
  for (const std::uint32_t trace : {1U, 2U}) REQUIRE(is_stored(store.record(0, 10, trace)));
  const auto view = store.window(0, 9, 10);
  CHECK(is_stored(store.record(0, 8, 3))); // what would be younger is gone
  CHECK(is_stored(store.record(1, 8, 4)));
  std::uint32_t shown = 0;
  for (const auto& [time, trace] : view) shown = shown * 100 + time + trace;
  CHECK(shown == 1112);
}

TEST_CASE("pool: with few steps a tick, what is dead is found before it looks young", "[gc]") {
  using neuromorph::gc::AgeWindow, neuromorph::gc::EitherDead, neuromorph::gc::ReadCount;
  for (const std::uint32_t seed : Seeds(streams_of(8))) {
    CHECK(all_times<Pair<SlowPool, std::uint32_t, 20, 60, ReadCount<2>>>(seed, 400) == "");
    CHECK(all_times<Pair<SlowPool, std::uint32_t, 20, 60, AgeWindow<neuromorph::gc::longest_life>>>(seed, 400) == "");
  }
}

TEST_CASE("pool: a tick that gives nothing back says so", "[gc]") {
  neuromorph::TraceStore<std::uint32_t, 9, neuromorph::gc::Pool<40, 4>, neuromorph::gc::AgeWindow<20>> store;
  for (std::uint32_t event = 0; event < 40; ++event) REQUIRE(is_stored(store.record(event % 9, 0, event)));
  for (std::uint32_t now = 1; now < 60; ++now) {
    const auto before = store.events();
    const bool more = store.tick(now);
    CHECK(more == (store.events() != before));
  }
  CHECK(store.events() == 0);
}

TEST_CASE("pool: what reads have made die is found first, of each neuron that was read", "[gc]") {
  neuromorph::TraceStore<std::uint32_t, 200, neuromorph::gc::Pool<20, 4>, neuromorph::gc::ReadCount<1>> store;
  for (std::uint32_t neuron = 190; neuron < 200; ++neuron) REQUIRE(is_stored(store.record(neuron, 0, neuron)));
  for (std::uint32_t neuron = 190; neuron < 200; ++neuron) (void)store.window(neuron, 0U - 1, 0);
  // Two of four steps: one takes the event, one the neuron from the list.
  for (std::uint32_t now = 1; now <= 11; ++now) store.tick(now);
  CHECK(store.statistics().reclaimed == 10);
}
