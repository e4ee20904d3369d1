// SPDX-License-Identifier: BSL-1.0
// With checks of level 2 a store looks at its collector's invariants after every step.
#undef NEUROMORPH_CHECKS
#define NEUROMORPH_CHECKS 2
#include <cstdint>
#include <tuple>

#include "tests/support/trace_collectors.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/trace_battery.hpp"

namespace {

using namespace neuromorph;

/// A log that is broken from its fourth event on.
struct Broken {
  template <class Layout>
  class Heap : public gc::Fifo<8>::Heap<Layout> {
  public:
    using gc::Fifo<8>::Heap<Layout>::Heap;
    [[nodiscard]] constexpr bool is_consistent() const noexcept { return this->events() < 4; }
  };
};

} // namespace

using Collectors = std::tuple<battery::Fifo, battery::Pool, battery::Ring, battery::Sliding>;

TEMPLATE_LIST_TEST_CASE("checks: invariants hold after every step", "[gc]", Collectors) {
  battery::Pair<TestType, std::uint32_t, 3, 5> pair(0);
  for (std::uint32_t now = 1; now < 200; ++now) {
    REQUIRE(pair.advance_to(now) == "");
    for (std::uint32_t neuron = 0; neuron < 3; ++neuron) REQUIRE(pair.record(now % 3, now) == "");
  }
  pair.store.clear();
  CHECK(pair.store.counts().broken == 0);
}

TEST_CASE("checks: what interrupts an advance leaves the looking to the advance's end", "[gc]") {
  using Store = TraceStore<std::int32_t, 2, Broken, gc::AgeWindow<20>, battery::Machine<true>, battery::InterruptHook>;
  static Store store;
  static unsigned broken = 99;
  for (unsigned event = 0; event < 3; ++event) store.record(0, 0, 1);
  battery::Interrupt::handler = [](void*) { store.record(1, 0, 1), broken = store.counts().broken; };
  battery::Interrupt::places_left = 1; // inside
  store.advance_to(1);
  CHECK(broken == 0);
  CHECK(store.counts().broken == 1);
}

TEST_CASE("checks: broken invariants are counted, step by step", "[gc]") {
  TraceStore<std::int32_t, 2, Broken> store;
  for (unsigned event = 0; event < 3; ++event) store.record(0, 0, 1);
  store.advance_to(1);
  CHECK(store.counts().broken == 0);
  store.record(1, 1, 1);
  CHECK(store.counts().broken == 1);
  store.record(1, 1, 1);
  store.advance_to(2);
  CHECK(store.counts().broken == 3);
  store.clear();
  CHECK(store.counts().broken == 3);
}
