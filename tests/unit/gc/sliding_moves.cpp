// SPDX-License-Identifier: BSL-1.0
// Where advances put runs: so that each neuron has its part of what is free, and records move little.
#include <cstdint>

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
