// SPDX-License-Identifier: BSL-1.0
// Times of all ranges in the ring of all events.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/support/trace_collectors.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"
#include "tests/support/trace_battery.hpp"

namespace {

using namespace battery;
using neuromorph::gc::AgeWindow;

/// An age that promises no window: in order of time, and nothing else is known of it.
struct Aged {
  using Offers = neuromorph::offer::List<>;
  using State = neuromorph::gc::NoState;
  static constexpr bool in_time_order = true;
  static constexpr void read(State&) noexcept {}
  [[nodiscard]] static constexpr bool is_dead(State, std::uint32_t time, std::uint32_t now) noexcept {
    return neuromorph::is_before(time + 20, now);
  }
};

} // namespace

template <>
struct reference::Death<Aged> {
  static constexpr unsigned reads = 0;
  static bool has_come(std::int64_t age, unsigned) { return age > 20; }
};

TEST_CASE("fifo: events die in order of time without a window, too", "[gc]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 2 : 6)) {
    CHECK(random_steps<Pair<battery::Fifo, std::uint32_t, 3, 5, Aged>>(seed, 600, 0U - 300U) == "");
    CHECK(random_steps<Pair<FifoGivesWay, std::uint32_t, 7, 40, Aged>>(seed, 600, 0) == "");
  }
}

// A tick of more than the longest step forgets all that is in memory, and then goes on; what comes between is kept.
TEMPLATE_TEST_CASE("fifo: a record may interrupt an advance that leaps at every place", "[gc]", battery::Fifo,
                   FifoGivesWay) {
  using Leaping = Pair<TestType, std::uint32_t, 3, 5, AgeWindow<20>, Machine<true>, InterruptHook>;
  for (unsigned events = 0; events <= 8; ++events)
    for (const std::uint32_t leap : {1U << 26, 1U << 30, 0x7FFFFFFFU}) {
      long place = 0;
      for (bool came = true; came; ++place) {
        INFO(events << " events, " << leap << " ticks, place " << place);
        static typename Leaping::Store* store;
        static std::uint32_t time;
        Leaping pair(1000);
        for (unsigned event = 0; event < events; ++event) REQUIRE(pair.record(event % 3, 1000) == "");
        store = &pair.store;
        time = 0;
        Interrupt::handler = [](void*) {
          time = store->now();
          const bool has_room = time != 1000 || store->events() < 5 || TestType::gives_way;
          CHECK(is_stored(store->record(1, time, 77)) == has_room);
        };
        Interrupt::places_left = place;
        store->advance_to(1000 + leap);
        Interrupt::places_left = -1;
        came = time != 0;
        const bool is_kept = came && time != 1000;
        unsigned shown = 0;
        for (std::uint32_t neuron = 0; neuron < 3; ++neuron)
          for (const auto& event : store->window(neuron, 1000 + leap - 21, 1000 + leap)) shown += event.trace == 77;
        CHECK(shown == (is_kept ? 1U : 0U));
        CHECK(store->is_consistent());
        CHECK(store->record(2, 1000 + leap, 78) == neuromorph::gc::Recorded::stored);
        CHECK(store->events() == (is_kept ? 2U : 1U));
      }
      CHECK(place > 2);
    }
}

TEST_CASE("fifo: records ahead before records behind, and ticks far apart", "[gc]") {
  using Papers = Pair<battery::Fifo, std::uint32_t, 255, 2040, AgeWindow<500>>;
  Papers pair(1000);
  std::string wrong;
  for (std::uint32_t event = 0; event < 100 && wrong.empty(); ++event) wrong = pair.record(event % 40, 1512);
  for (std::uint32_t event = 0; event < 50 && wrong.empty(); ++event) wrong = pair.record(100 + event, 500);
  for (const std::uint32_t now : {2012U, 3024U, 4036U, 5048U})
    if (wrong.empty()) wrong = pair.advance_to(now);
  if (wrong.empty()) wrong = pair.compare_all();
  // Ghosts of the 50 stood in the way of these.
  for (std::uint32_t now = 5049; now < 5600 && wrong.empty(); now += 10) {
    wrong = pair.advance_to(now);
    for (const std::uint32_t neuron : {2U, 100U, 149U})
      if (wrong.empty()) wrong = pair.record(neuron, now);
    if (wrong.empty()) wrong = pair.compare_all();
  }
  CHECK(wrong == "");
}

namespace {

/// Room for so many events of so many neurons leaves so many bits for times, or 32.
template <unsigned Bits, std::size_t Neurons, std::size_t Events, std::uint32_t Window>
struct Range {
  static constexpr bool packed = neuromorph::gc::packed_header_fits(Events + 1, Neurons, Window);
  static_assert(Bits == (packed ? 32 - std::bit_width(Neurons - 1) - std::bit_width(Events) : 32));
  template <class Case>
  using Stores = Pair<Case, std::uint32_t, Neurons, Events, AgeWindow<Window>>;
};

} // namespace

TEMPLATE_TEST_CASE("fifo: packed times are as if they had 64 bits", "[gc]", (Range<9, 130, 32767, 58>),
                   (Range<9, 130, 16384, 5>), (Range<10, 130, 16383, 120>), (Range<11, 130, 8191, 244>),
                   (Range<12, 130, 4095, 500>), (Range<13, 130, 2040, 1012>), (Range<13, 130, 1450, 500>),
                   (Range<13, 130, 1024, 0>), (Range<26, 4, 9, 20>), (Range<32, 4, 9, 0x8000000>),
                   (Range<32, 4, 9, 0x20000000>)) {
  for (const std::uint32_t seed : Seeds(sanitized ? 2 : 12)) {
    CHECK(all_times<typename TestType::template Stores<battery::Fifo>>(seed, 1000) == "");
    CHECK(all_times<typename TestType::template Stores<FifoGivesWay>>(seed, 1000) == "");
  }
}

// `ahead` is a promise to users; it must not shrink to keep the times apart.
static_assert(neuromorph::TraceStore<int, 255>::ahead == 512);
static_assert(neuromorph::gc::PackedHeader<4096, 2048, 58>::fits &&
              neuromorph::gc::PackedHeader<4096, 2048, 58>::ahead == 4);
static_assert(!neuromorph::gc::PackedHeader<4096, 2048, 59>::fits &&
              !neuromorph::gc::PackedHeader<8192, 2048, 5>::fits);
static_assert(neuromorph::gc::PackedHeader<1451, 255, 1012>::fits &&
              !neuromorph::gc::PackedHeader<1451, 255, 1013>::fits);

TEST_CASE("fifo: ticks alone give memory back, PerAdvance events at a time, soon after their death", "[gc]") {
  constexpr std::uint32_t window = 500, events = 100, per_advance = 3;
  using Fifo = neuromorph::gc::Fifo<200, neuromorph::gc::WhenFull::refuse_newest, per_advance>;
  for (const std::uint32_t start : {0U, 0U - 520U, 0x80000000U - 520U}) {
    neuromorph::TraceStore<std::uint32_t, 7, Fifo, AgeWindow<window>> store(start);
    for (std::uint32_t event = 0; event < events; ++event) REQUIRE(is_stored(store.record(event % 7, start, event)));
    std::uint32_t age = 0, first = 0, last = 0;
    while (last == 0 && age < 2 * window) {
      const auto before = store.events();
      const bool more = store.advance_to(start + ++age);
      const auto given_back = before - store.events();
      CHECK(given_back <= per_advance);
      CHECK(more == (given_back == per_advance));
      if (given_back != 0 && first == 0) first = age;
      if (store.events() == 0) last = age;
    }
    CHECK(first > window);
    CHECK(first <= window + 2 * 16); // a look in 16 ticks, at what has been dead for 16
    CHECK(last == first + (events - 1) / per_advance);
  }
}

TEST_CASE("fifo: what dies at once is gone soon, however far apart ticks are", "[gc]") {
  constexpr std::uint32_t window = 500, ahead = 512;
  using Fifo = neuromorph::gc::Fifo<2000, neuromorph::gc::WhenFull::refuse_newest, 1>;
  for (std::uint32_t apart = 1; apart < 1100; apart += 1 + apart / 4) {
    neuromorph::TraceStore<std::uint32_t, 255, Fifo, AgeWindow<window>> store(0U - 700U);
    unsigned stored = 0;
    for (std::uint32_t event = 0; event < 2000; ++event)
      stored += is_stored(store.record(event % 2 * 128 + event % 127, 0U - 700U + event % 2 * ahead, event));
    CHECK(stored == 2000);
    std::uint32_t age = 0;
    while (store.events() != 0 && age < 5000) store.advance_to(0U - 700U + (age += apart));
    CHECK(store.events() == 0);
    CHECK(age <= 2 * (window + ahead + 16) + apart); // two marks, as the ticks themselves take one a time
    CHECK(store.counts().reclaimed == 2000);
  }
}

TEST_CASE("fifo: all that came before a mark goes when the last of it is dead, no tick earlier", "[gc]") {
  // 496: looks are 16 ticks apart, so that one comes in the tick after that.
  using Papers = Pair<battery::Fifo, std::uint32_t, 255, 1450, AgeWindow<496>>;
  constexpr std::uint32_t longest = Papers::Store::Heap::longest_step, ahead = Papers::Store::ahead;
  static_assert(longest == 1008 && ahead == 512);
  for (const std::uint32_t start : {0U, 0U - 1500U}) {
    Papers pair(start);
    REQUIRE(pair.advance_to(start + longest) == "");
    REQUIRE(pair.record(3, start + longest + ahead) == "");
    REQUIRE(pair.advance_to(start + longest + 16) == ""); // the mark: what the clock showed before
    REQUIRE(pair.advance_to(start + 2 * longest) == "");
    CHECK(pair.compare_all() == ""); // alive in its last tick
    CHECK(pair.model.live() == 1);
    REQUIRE(pair.advance_to(start + 2 * longest + 1) == "");
    CHECK(pair.compare_all() == "");
    CHECK(pair.model.live() == 0);

    neuromorph::TraceStore<std::uint32_t, 255, neuromorph::gc::Fifo<1450>, AgeWindow<496>> store(start);
    bool is_consistent = true;
    for (std::uint32_t tick = 0; tick < 4 * longest; ++tick) {
      store.advance_to(start + tick);
      is_consistent = is_consistent && is_stored(store.record(tick % 255, start + tick, tick)) && store.is_consistent();
    }
    CHECK(is_consistent);
  }
}
