// SPDX-License-Identifier: BSL-1.0
// Variable buffers in generations: what every collector must pass, and that dead events are found by their age.
#include <array>
#include <cstddef>
#include <tuple>

#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/baker_collectors.hpp"

using Collectors = std::tuple<battery::Generational, battery::GenerationalTight>;

#include "tests/support/trace_tests.hpp"

// Most events are read before they are old, and found in turn, or when there is no room.
TEMPLATE_TEST_CASE("generational: events die of reads before their age", "[gc][generational]", battery::Generational,
                   battery::GenerationalTight) {
  using namespace neuromorph::gc;
  for (const std::uint32_t seed : Seeds(streams_of(12))) {
    using Narrow = EitherDead<AgeWindow<20>, ReadCount<2>>;
    CHECK(random_steps<Pair<TestType, std::uint32_t, 4, 9, Narrow>>(seed, 1500, 0U - 300U) == "");
    CHECK(random_steps<Pair<TestType, ThreeBytes, 7, 40, EitherDead<ReadCount<1>, AgeWindow<20>>>>(seed, 1500, 0) ==
          "");
    CHECK(all_times<Pair<TestType, std::uint32_t, 5, 9, EitherDead<AgeWindow<500>, ReadCount<2>>>>(seed, 400) == "");
  }
}

// The papers' generations are a table of an integer for each neuron in each of them; a link for each neuron is enough.
template <std::size_t Neurons, std::size_t Generations>
constexpr bool takes_links_only() {
  using namespace neuromorph;
  using InTurn =
      TraceStore<std::int32_t, Neurons, gc::Baker<gc::BakerOptions{.events = 4 * Neurons, .heap_bytes = 40000}>>;
  using ByAge = TraceStore<std::int32_t, Neurons,
                           gc::Generational<gc::GenerationalOptions{
                               .events = 4 * Neurons, .heap_bytes = 40000, .generations = Generations}>>;
  return ByAge::bytes - InTurn::bytes <= 2 * Neurons + 4 * Generations + 8;
}
static_assert(takes_links_only<1, 16>() && takes_links_only<40, 16>() && takes_links_only<255, 16>());
static_assert(takes_links_only<255, 256>() && takes_links_only<2000, 64>());

TEST_CASE("generational: an event stays for two generations after its death at most", "[gc][generational]") {
  using namespace neuromorph;
  constexpr std::uint32_t neurons = 100, window = 60, ticks = 4000;
  // No turn finds much: an advance looks at one neuron in turn, and at eight by age.
  using Store = TraceStore<std::uint8_t, neurons,
                           gc::Generational<gc::GenerationalOptions{.events = 4000, .scan = 8, .heap_bytes = 100000}>,
                           gc::AgeWindow<window>>;
  constexpr std::uint32_t step = 8;
  static Store store(0U - 1000U);
  Sfc32 random;
  std::array<std::uint32_t, ticks> recorded{};
  std::uint32_t most_late = 0;
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    const std::uint32_t now = 0U - 1000U + tick;
    store.advance_to(now);
    std::uint32_t young = 0;
    for (std::uint32_t age = 1; age <= window + 2 * step && age <= tick; ++age) young += recorded[tick - age];
    CHECK(store.events() <= young);
    std::uint32_t alive = 0;
    for (std::uint32_t age = 1; age <= window && age <= tick; ++age) alive += recorded[tick - age];
    REQUIRE(store.events() >= alive);
    if (store.events() - alive > most_late) most_late = static_cast<std::uint32_t>(store.events()) - alive;
    const std::uint32_t events = tick % 500 < 300 ? random.next() % 3 : 0; // some silence
    for (std::uint32_t event = 0; event < events; ++event) {
      REQUIRE(store.record(random.next() % neurons, now, 1) == gc::Recorded::stored);
      ++recorded[tick];
    }
  }
  CHECK(most_late > 0); // it does not look at everything
}
