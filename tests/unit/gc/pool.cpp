// SPDX-License-Identifier: BSL-1.0
// Chains in a pool: what every collector must pass.
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "tests/support/trace_collectors.hpp"

using Collectors = std::tuple<battery::Pool, battery::SlowPool>;

#include "tests/support/trace_tests.hpp"

// Neurons that are read come first, but not alone: at each advance as many events die of reads as it has steps.
TEST_CASE("pool: what dies of age is found whatever is read", "[gc]") {
  using neuromorph::gc::AgeWindow, neuromorph::gc::EitherDead, neuromorph::gc::ReadCount;
  using neuromorph::gc::Recorded;
  constexpr std::uint32_t neurons = 20;
  neuromorph::TraceStore<std::uint32_t, neurons, neuromorph::gc::Pool<60, 4>, EitherDead<AgeWindow<20>, ReadCount<1>>>
      store;
  REQUIRE(store.record(0, 0, 1) == Recorded::stored); // nobody reads it
  for (std::uint32_t now = 1; now < 100; ++now) {
    store.advance_to(now);
    for (std::uint32_t more = 0; more < 6; ++more) {
      const std::uint32_t neuron = 1 + (now * 6 + more) % (neurons - 1);
      (void)store.record(neuron, now, now);
      (void)store.window(neuron, now - 20, now);
    }
    // Found after a round: half the steps are for neurons in turn and what they have.
    if (now > 20 + 1 + 2 * (neurons + 60) / 4) CHECK(store.counts().reclaimed_unread == 1);
  }
  CHECK(store.counts().reclaimed_unread == 1);
}

TEST_CASE("pool: with one step at each advance, reads and age are both served", "[gc]") {
  using neuromorph::gc::AgeWindow, neuromorph::gc::EitherDead, neuromorph::gc::ReadCount;
  neuromorph::TraceStore<std::uint32_t, 9, neuromorph::gc::Pool<20, 1>, EitherDead<AgeWindow<20>, ReadCount<1>>> store;
  for (std::uint32_t neuron = 0; neuron < 9; ++neuron) REQUIRE(is_stored(store.record(neuron, 0, 1)));
  (void)store.window(8, 0U - 1, 0);
  store.advance_to(1); // takes the turn
  store.advance_to(2); // takes what was read
  CHECK(store.counts().reclaimed == 1);
  for (std::uint32_t now = 21; now < 21 + 2 * 29; ++now) store.advance_to(now);
  CHECK(store.events() == 0);
  CHECK(store.counts().reclaimed_unread == 8);
}

TEST_CASE("pool: what a view shows stays, though a read was its end and an older event comes", "[gc]") {
  neuromorph::TraceStore<std::uint32_t, 2, neuromorph::gc::Pool<9>, neuromorph::gc::ReadCount<1>> store(10);
  for (const std::uint32_t trace : {1U, 2U}) REQUIRE(is_stored(store.record(0, 10, trace)));
  const auto view = store.window(0, 9, 10);
  CHECK(store.record(0, 8, 3) == neuromorph::gc::Recorded::refused_out_of_order); // the newest is known, though gone
  CHECK(is_stored(store.record(1, 8, 4)));
  std::uint32_t shown = 0;
  for (const auto& [time, trace] : view) shown = shown * 100 + time + trace;
  CHECK(shown == 1112);
}

TEST_CASE("pool: with few steps at each advance, what is dead is found before it looks young", "[gc]") {
  using neuromorph::gc::AgeWindow, neuromorph::gc::EitherDead, neuromorph::gc::ReadCount;
  for (const std::uint32_t seed : Seeds(streams_of(8))) {
    CHECK(all_times<Pair<SlowPool, std::uint32_t, 20, 60, ReadCount<2>>>(seed, 400) == "");
    CHECK(all_times<Pair<SlowPool, std::uint32_t, 20, 60, AgeWindow<neuromorph::gc::longest_life>>>(seed, 400) == "");
  }
}

TEST_CASE("pool: an advance that gives nothing back says so", "[gc]") {
  neuromorph::TraceStore<std::uint32_t, 9, neuromorph::gc::Pool<40, 4>, neuromorph::gc::AgeWindow<20>> store;
  for (std::uint32_t event = 0; event < 40; ++event) REQUIRE(is_stored(store.record(event % 9, 0, event)));
  for (std::uint32_t now = 1; now < 60; ++now) {
    const auto before = store.events();
    const bool more = store.advance_to(now);
    CHECK(more == (store.events() != before));
  }
  CHECK(store.events() == 0);
}

TEST_CASE("pool: what reads have made die is found first, of each neuron that was read", "[gc]") {
  neuromorph::TraceStore<std::uint32_t, 200, neuromorph::gc::Pool<20, 4>, neuromorph::gc::ReadCount<1>> store;
  std::uint32_t now = 0;
  for (const std::uint32_t reclaimed : {10U, 20U, 30U}) { // again and again
    for (std::uint32_t neuron = 190; neuron < 200; ++neuron) REQUIRE(is_stored(store.record(neuron, now, neuron)));
    for (std::uint32_t neuron = 190; neuron < 200; ++neuron) (void)store.window(neuron, now - 1, now);
    // Two of four steps: one takes the event, one the neuron from the list.
    for (unsigned tick = 0; tick < 11; ++tick) store.advance_to(++now);
    CHECK(store.counts().reclaimed == reclaimed);
  }
}

TEST_CASE("pool: an advance does as many steps as it is told", "[gc]") {
  const auto given_back = [](auto steps) {
    neuromorph::TraceStore<std::uint32_t, 1, neuromorph::gc::Pool<40, steps.value>, neuromorph::gc::AgeWindow<20>>
        store;
    for (std::uint32_t event = 0; event < 40; ++event) REQUIRE(is_stored(store.record(0, 0, event)));
    store.advance_to(21);
    const std::size_t left = store.events();
    store.advance_to(22);
    CHECK(left - store.events() == 40 - left);
    return 40 - left;
  };
  CHECK(given_back(std::integral_constant<std::size_t, 1>{}) == 1);
  CHECK(given_back(std::integral_constant<std::size_t, 3>{}) == 3);
  CHECK(given_back(std::integral_constant<std::size_t, 4>{}) == 4);
  CHECK(given_back(std::integral_constant<std::size_t, 5>{}) == 5);
  CHECK(given_back(std::integral_constant<std::size_t, 8>{}) == 8);
  CHECK(given_back(std::integral_constant<std::size_t, 11>{}) == 11);
}

TEST_CASE("pool: what was read before all was cleared does not stand in the way", "[gc]") {
  neuromorph::TraceStore<std::uint32_t, 200, neuromorph::gc::Pool<20, 4>, neuromorph::gc::ReadCount<1>> store;
  for (const std::uint32_t listed : {0U, 10U}) {
    // All of them wait to be looked at, and the last is being read, when memory is cleared.
    for (std::uint32_t neuron = 190; neuron < 190 + listed; ++neuron)
      REQUIRE(is_stored(store.record(neuron, 0, neuron)));
    for (std::uint32_t neuron = 190; neuron < 190 + listed; ++neuron) (void)store.window(neuron, 0U - 1, 0);
    store.clear();
    CHECK(store.is_consistent());
  }
  for (std::uint32_t neuron = 190; neuron < 200; ++neuron) REQUIRE(is_stored(store.record(neuron, 0, neuron)));
  for (std::uint32_t neuron = 190; neuron < 200; ++neuron) (void)store.window(neuron, 0U - 1, 0);
  for (std::uint32_t now = 1; now <= 11; ++now) store.advance_to(now);
  CHECK(store.counts().reclaimed == 10);
  CHECK(store.counts().cleared == 10);
  // The neuron of the last view is not left alone for ever.
  REQUIRE(is_stored(store.record(7, 11, 1)));
  (void)store.window(7, 0, 11);
  store.clear();
  REQUIRE(is_stored(store.record(7, 11, 1)));
  const std::uint32_t far = 12 + neuromorph::gc::longest_life;
  store.advance_to(far);
  for (std::uint32_t now = 1; now <= 60; ++now) store.advance_to(far + now);
  CHECK(store.events() == 0);
}

TEST_CASE("pool: a record that finds no place does as many steps as it is told", "[gc]") {
  using neuromorph::gc::Recorded;
  // A tick looks at as many neurons as a record.
  neuromorph::TraceStore<std::uint32_t, 6, neuromorph::gc::Pool<1, 3>, neuromorph::gc::AgeWindow<20>> three;
  REQUIRE(three.record(5, 0, 1) == Recorded::stored);
  three.advance_to(21);
  CHECK(three.record(0, 21, 2) == Recorded::stored); // at the third step
  neuromorph::TraceStore<std::uint32_t, 6, neuromorph::gc::Pool<1, 2>, neuromorph::gc::AgeWindow<20>> two;
  REQUIRE(two.record(4, 0, 1) == Recorded::stored);
  two.advance_to(21);
  CHECK(two.record(0, 21, 2) == Recorded::refused_full); // one more would do
  CHECK(two.record(0, 21, 3) == Recorded::stored);
}
