// SPDX-License-Identifier: BSL-1.0
// What advances look at, and where they put runs: so that each neuron has its part of what is free, and records move
// little. And how short times are told.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/gc/sliding.hpp>
#include <neuromorph/gc/trace_store.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;

TEST_CASE("sliding: advances share what is free among the neurons, from whichever end it was taken", "[gc]") {
  constexpr std::uint32_t neurons = 8, events = 640, each = 40;
  using Store = TraceStore<std::uint32_t, neurons, gc::Sliding<events, 64>, gc::AgeWindow<50>>;
  for (std::uint32_t greedy = 0; greedy < neurons; ++greedy) {
    INFO("neuron " << greedy << " has had all");
    Store store;
    for (std::uint32_t event = 0; event < events; ++event) REQUIRE(is_stored(store.record(greedy, 0, event)));
    store.advance_to(60);
    for (std::uint32_t event = 0; event < neurons * each; ++event)
      REQUIRE(is_stored(store.record(event / each, 60, event)));
    const std::uint32_t crowded = store.counts().moved_bytes;
    for (std::uint32_t now = 61; now <= 100; ++now) store.advance_to(now);
    const std::uint32_t spread = store.counts().moved_bytes;
    CHECK(spread > crowded);
    // 40 are free for each, and a run may be 10 off, at either side.
    for (std::uint32_t event = 0; event < neurons * 15; ++event)
      REQUIRE(is_stored(store.record(event % neurons, 100, event)));
    CHECK(store.counts().moved_bytes - spread <= each * 6); // the last run, from the end of memory
    CHECK(store.is_consistent());
  }
}

TEST_CASE("sliding: an advance looks at as many neurons as it has steps", "[gc]") {
  constexpr std::uint32_t neurons = 40;
  const auto check = [](auto steps) {
    TraceStore<std::uint16_t, neurons, gc::Sliding<100, steps()>, gc::AgeWindow<50>> store;
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) REQUIRE(is_stored(store.record(neuron, 0, 1)));
    store.advance_to(50); // none is dead yet, and this round begins with others
    for (std::uint32_t advances = 1; advances * steps() <= neurons - steps(); ++advances) {
      store.advance_to(51);
      CHECK(store.events() == neurons - advances * steps());
    }
  };
  check(std::integral_constant<std::size_t, 1>{});
  check(std::integral_constant<std::size_t, 4>{});
  check(std::integral_constant<std::size_t, 5>{});
  check(std::integral_constant<std::size_t, 8>{});
}

TEST_CASE("sliding: times of 16 bits are told from as far ahead as may be to the oldest", "[gc]") {
  using gc::ShortTime;
  static_assert(ShortTime::ahead == 4096 && ShortTime::oldest + ShortTime::ahead == 0xFFFF);
  std::uint32_t wrong = 0;
  for (std::uint32_t time = 0U - 70'000U; time != 70'000; ++time)
    for (const std::uint32_t age : {0U - ShortTime::ahead, 0U - 1U, 0U, 1U, ShortTime::oldest})
      wrong += ShortTime(time).time(time + age) != time ? 1U : 0U;
  CHECK(wrong == 0);
}
