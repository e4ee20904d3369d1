// SPDX-License-Identifier: BSL-1.0
// What the front does with every collector, and that a view which is used too late is noticed.
#undef NEUROMORPH_CHECKS
#define NEUROMORPH_CHECKS 1
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/pool.hpp>
#include <neuromorph/gc/ring.hpp>
#include <neuromorph/gc/sliding.hpp>
#include <neuromorph/gc/trace_store.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/trace_battery.hpp"

namespace {

using namespace neuromorph;
using gc::Recorded;

template <class Store>
std::vector<std::int32_t> shown(Store& store, std::uint32_t neuron, std::uint32_t after, std::uint32_t until) {
  std::vector<std::int32_t> traces;
  for (const auto& [time, trace] : store.window(neuron, after, until)) traces.push_back(trace);
  return traces;
}

constexpr int at_compile_time() {
  TraceStore<std::int32_t, 3, gc::Fifo<4>> store(10);
  store.record(1, 10, 5);
  store.record(2, 11, 6);
  store.record(1, 12, 7);
  int digits = 0;
  for (const auto& [time, trace] : store.window(1, 9, 12)) digits = digits * 10 + trace;
  return digits;
}
static_assert(at_compile_time() == 57);

// The collector is the log of all events; nothing of it is in the image of a program.
static_assert(TraceStore<std::int32_t, 255>::bytes < 19500);
constinit TraceStore<std::int32_t, 255> in_zeroed_memory;

struct NoDefault {
  explicit NoDefault(int of) : value(of) {}
  int value;
};

} // namespace

TEST_CASE("trace_store: shows a neuron's events in (after, until], oldest first, where they are stored", "[gc]") {
  TraceStore<std::int32_t, 3, gc::Fifo<10>> store(100);
  for (const std::int32_t time : {100, 101, 103, 103, 107})
    REQUIRE(store.record(1, static_cast<std::uint32_t>(time), time * 10) == Recorded::stored);
  REQUIRE(store.record(0, 102, -1) == Recorded::stored);
  CHECK(shown(store, 1, 99, 107) == std::vector{1000, 1010, 1030, 1030, 1070});
  CHECK(shown(store, 1, 100, 103) == std::vector{1010, 1030, 1030});
  CHECK(shown(store, 1, 103, 106).empty());
  CHECK(shown(store, 1, 107, 100).empty());
  CHECK(shown(store, 2, 0, 200).empty());
  CHECK(shown(store, 3, 0, 200).empty()); // there is none

  const auto view = store.window(1, 99, 107);
  const auto first = view.begin();
  auto second = first;
  CHECK((*second++).time == 100);
  CHECK((*second).time == 101);
  CHECK((*first).time == 100); // a copy goes its own way
  CHECK(&(*first).trace == &(*view.begin()).trace);
  CHECK_FALSE(view.empty());
  CHECK(store.window(2, 0, 200).empty());
}

TEST_CASE("trace_store: says what became of an event, and counts it", "[gc]") {
  TraceStore<std::int32_t, 2, gc::Fifo<3>, gc::AgeWindow<20>> store(1000);
  CHECK(store.record(0, 1000, 1) == Recorded::stored);
  CHECK(store.record(0, 999, 1) == Recorded::refused_out_of_order);
  CHECK(store.record(1, 980, 1) == Recorded::stored); // older than another neuron's
  CHECK(store.record(1, 979, 1) == Recorded::refused_expired);
  CHECK(store.record(0, 1000 + store.ahead, 1) == Recorded::stored);
  CHECK(store.record(0, 1001 + store.ahead, 1) == Recorded::refused_too_far_ahead);
  CHECK(store.record(2, 1000, 1) == Recorded::refused_no_such_neuron);
  CHECK(store.record(1, 1000, 1) == Recorded::refused_full);
  const gc::Counts counted = store.counts();
  CHECK(counted == gc::Counts{.stored = 3,
                              .refused_full = 1,
                              .refused_out_of_order = 1,
                              .refused_expired = 1,
                              .refused_too_far_ahead = 1,
                              .refused_no_such_neuron = 1,
                              .most_events = 3});
  store.clear();
  CHECK(store.events() == 0);
  CHECK(store.counts().cleared == 3);
  CHECK(store.record(1, 1000, 1) == Recorded::stored);
  for (auto outcome = 0; outcome < 7; ++outcome) {
    const std::string sentence = describe(static_cast<Recorded>(outcome));
    CHECK(sentence != "unknown outcome");
    CHECK(sentence.starts_with("stored") == is_stored(static_cast<Recorded>(outcome)));
  }
  CHECK(describe(static_cast<Recorded>(7)) == std::string("unknown outcome"));
}

// What the papers expect of a core in a millisecond; one copy of them prints 213.
TEMPLATE_TEST_CASE("trace_store: takes 2^13 events a tick", "[gc]", gc::Fifo<4 << 13>, gc::Pool<4 << 13>,
                   gc::Ring<128>) {
  constexpr std::uint32_t neurons = 255, events = 1U << 13, window = 2, ticks = 20, start = 0U - 10U;
  static TraceStore<std::int32_t, neurons, TestType, gc::AgeWindow<window>> store(start);
  std::int32_t traces = 0;
  for (std::uint32_t now = start; now != start + ticks; ++now) {
    store.advance_to(now);
    for (std::uint32_t event = 0; event < events; ++event)
      REQUIRE(store.record(event % neurons, now, ++traces) == Recorded::stored);
    // All of this tick and of two before, and each where it belongs.
    const std::uint32_t alive = now - start < window ? now - start + 1 : window + 1;
    std::uint32_t count = 0, misplaced = 0;
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
      for (const auto& [time, trace] : store.window(neuron, now - window - 1, now)) {
        const auto number = static_cast<std::uint32_t>(trace - 1);
        misplaced += number / events != time - start || number % events % neurons != neuron;
        ++count;
      }
    REQUIRE(count == alive * events);
    REQUIRE(misplaced == 0);
  }
  CHECK(store.counts().stored == ticks * events);
  CHECK(store.counts().reclaimed >= (ticks - window - 2) * events);
}

TEST_CASE("trace_store: the clock does not go back", "[gc]") {
  TraceStore<std::int32_t, 2, gc::Fifo<3>, gc::AgeWindow<20>> store(1000);
  store.advance_to(1030);
  store.advance_to(1010);
  CHECK(store.now() == 1030);
  CHECK(store.record(0, 1009, 1) == Recorded::refused_expired);
  store.advance_to(1030U + (1U << 31) + 5); // more than half way round is back
  CHECK(store.now() == 1030);
}

TEST_CASE("trace_store: a view that is used after a change is noticed", "[gc]") {
  const auto counted = [](auto& store, auto change) {
    store.advance_to(10);
    store.record(0, 10, 1);
    store.record(0, 10, 2);
    const auto view = store.window(0, 0, 10);
    CHECK_FALSE(view.is_stale());
    for (auto at = view.begin(); at != view.end(); ++at) (void)*at;
    REQUIRE(store.counts().stale_views == 0);
    change();
    const bool stale = view.is_stale();
    for (auto at = view.begin(); at != view.end(); ++at) (void)*at;
    CHECK((store.counts().stale_views != 0) == stale);
    return stale;
  };
  SECTION("tick") {
    TraceStore<std::int32_t, 2, gc::Fifo<30>> store;
    CHECK(counted(store, [&] { store.advance_to(11); }));
  }
  SECTION("clear") {
    TraceStore<std::int32_t, 2, gc::Ring<30>> store;
    CHECK(counted(store, [&] { store.clear(); }));
  }
  SECTION("record, where it can move or free what is shown") {
    TraceStore<std::int32_t, 2, gc::Sliding<30>> store;
    CHECK(counted(store, [&] { store.record(1, 10, 3); }));
    TraceStore<std::int32_t, 2, gc::Fifo<30, gc::WhenFull::oldest_gives_way>> giving;
    CHECK(counted(giving, [&] { giving.record(1, 10, 3); }));
  }
  SECTION("not a record, where that leaves views as they are") {
    TraceStore<std::int32_t, 2, gc::Fifo<30>> store;
    CHECK_FALSE(counted(store, [&] { store.record(0, 10, 3); }));
    TraceStore<std::int32_t, 2, gc::Pool<30>> pool;
    CHECK_FALSE(counted(pool, [&] { pool.record(0, 10, 3); }));
  }
  SECTION("not a record that was refused") {
    TraceStore<std::int32_t, 2, gc::Sliding<30>> store;
    CHECK_FALSE(counted(store, [&] { store.record(2, 10, 3); }));
  }
  SECTION("another window, where reads count") {
    TraceStore<std::int32_t, 2, gc::Pool<30>, gc::ReadCount<5>> store;
    CHECK(counted(store, [&] { (void)store.window(1, 0, 10); }));
  }
  SECTION("in the middle of a loop") {
    TraceStore<std::int32_t, 2, gc::Fifo<30>> store;
    store.record(0, 0, 1);
    store.record(0, 0, 2);
    unsigned times = 0;
    for (const auto& event : store.window(0, 0U - 1, 0)) {
      (void)event;
      ++times;
      store.advance_to(1);
    }
    CHECK(times == 1); // a view that is stale is at its end
    CHECK(store.counts().stale_views != 0);
  }
}

// What an interrupt records before the search for the window's events is shown; what it records after that may move
// them.
TEMPLATE_TEST_CASE("trace_store: a view is not stale from birth", "[gc]", gc::Sliding<30>,
                   gc::Baker<gc::BakerOptions{.events = 30}>, (gc::Ring<30, gc::WhenFull::oldest_gives_way>),
                   (gc::Fifo<30, gc::WhenFull::oldest_gives_way>)) {
  using Store =
      TraceStore<std::int32_t, 2, TestType, gc::AgeWindow<20>, battery::Machine<true>, battery::InterruptHook>;
  static_assert(!Store::keeps_views);
  long place = 0;
  for (bool came = true; came; ++place) {
    static Store* store;
    static bool has_come;
    Store made;
    store = &made;
    has_come = false;
    made.record(0, 0, 1);
    battery::Interrupt::handler = [](void*) {
      has_come = true;
      CHECK(store->record(0, 0, 2) == Recorded::stored);
    };
    battery::Interrupt::places_left = place;
    const auto view = made.window(0, 0U - 1, 0);
    battery::Interrupt::places_left = -1;
    came = has_come;
    unsigned events = 0;
    for (const auto& event : view) events += event.time == 0;
    CHECK(view.is_stale() == (came && place != 0));
    CHECK(events == (!came ? 1U : place == 0 ? 2U : 0U));
  }
  CHECK(place == 3); // before the search, after it
}

TEST_CASE("trace_store: a window that reaches back beyond what is kept says so, and is counted", "[gc]") {
  TraceStore<std::int32_t, 2, gc::Fifo<3, gc::WhenFull::oldest_gives_way>, gc::AgeWindow<20>> store(100);
  CHECK(store.window(0, 79, 100).is_complete()); // at 80 an event would be alive
  CHECK_FALSE(store.window(0, 78, 100).is_complete());
  CHECK(store.window(0, 78, 78).is_complete()); // nothing is asked for
  CHECK_FALSE(store.window(0, 60, 70).is_complete());
  CHECK_FALSE(store.window(2, 99, 100).is_complete()); // there is no such neuron
  CHECK(store.counts().incomplete_windows == 3);
  CHECK(store.window(0, 100U + (1U << 30), 100U + (1U << 30) + 5).is_complete());
  CHECK_FALSE(store.window(0, 100U - 0x7FFFFFFFU, 100U + 0x7FFFFFFFU).is_complete());
  for (const std::uint32_t time : {95U, 90U, 100U, 100U, 100U}) CHECK(is_stored(store.record(time % 2, time, 1)));
  CHECK(store.window(0, 95, 100).is_complete()); // those of 95 and 90 gave way
  CHECK_FALSE(store.window(0, 94, 100).is_complete());
  store.advance_to(116); // those times are dead now, so what gave way is missed no more than they are
  CHECK(store.window(0, 95, 116).is_complete());
  CHECK(store.counts().incomplete_windows == 5);
}

TEST_CASE("trace_store: who gives way is who was recorded first, and a window of any neuron says so", "[gc]") {
  TraceStore<std::int32_t, 3, gc::Fifo<3, gc::WhenFull::oldest_gives_way>, gc::AgeWindow<20>> store(100);
  REQUIRE(store.record(0, 100, 1) == Recorded::stored);
  REQUIRE(store.record(1, 90, 2) == Recorded::stored); // of an earlier time
  REQUIRE(store.record(1, 100, 3) == Recorded::stored);
  REQUIRE(store.record(1, 100, 4) == Recorded::stored_oldest_gave_way);
  CHECK(shown(store, 0, 79, 100).empty());
  CHECK(shown(store, 1, 79, 100) == std::vector{2, 3, 4});
  for (const std::uint32_t neuron : {0U, 1U, 2U}) {
    CHECK(store.window(neuron, 100, 105).is_complete());
    CHECK_FALSE(store.window(neuron, 99, 100).is_complete()); // what came at 100 may be missing
  }
  // What gave way is gone, but stays its neuron's newest: an older one is out of order.
  CHECK(store.newest(0).trace == 1);
  CHECK(store.record(0, 99, 5) == Recorded::refused_out_of_order);
  CHECK(store.record(0, 100, 5) == Recorded::stored_oldest_gave_way);
  CHECK(shown(store, 0, 79, 100) == std::vector{5});
  CHECK(shown(store, 1, 79, 100) == std::vector{3, 4});

  // With memory of its own, the neuron's own oldest.
  TraceStore<std::int32_t, 2, gc::Ring<2, gc::WhenFull::oldest_gives_way>, gc::AgeWindow<20>> ring(100);
  for (const std::int32_t trace : {1, 2, 3}) CHECK(is_stored(ring.record(1, 90, trace)));
  CHECK(ring.record(0, 85, 4) == Recorded::stored);
  CHECK(shown(ring, 1, 79, 100) == std::vector{2, 3});
  CHECK(shown(ring, 0, 79, 100) == std::vector{4});
  CHECK_FALSE(ring.window(0, 89, 100).is_complete());
  CHECK(ring.window(0, 90, 100).is_complete());
}

TEMPLATE_TEST_CASE("trace_store: where reads count, what all have read is gone and not missed", "[gc]", gc::Pool<9>,
                   gc::Sliding<9>, gc::Baker<gc::BakerOptions{.events = 9}>,
                   (gc::Ring<9, gc::WhenFull::refuse_newest>)) {
  TraceStore<std::int32_t, 2, TestType, gc::EitherDead<gc::AgeWindow<20>, gc::ReadCount<2>>> store(100);
  REQUIRE(store.record(0, 98, 1) == Recorded::stored);
  REQUIRE(store.record(0, 100, 2) == Recorded::stored);
  CHECK(shown(store, 0, 90, 98) == std::vector{1});
  CHECK(shown(store, 0, 90, 98) == std::vector{1}); // all have read it
  CHECK(shown(store, 0, 98, 100) == std::vector{2});
  CHECK(shown(store, 0, 90, 100) == std::vector{2}); // and this one
  CHECK(store.window(0, 90, 100).empty());
  CHECK(store.window(0, 90, 100).is_complete());
  // An older one than the newest is out of order, though that is gone.
  CHECK(store.newest(0).exists);
  CHECK(store.newest(0).trace == 2);
  CHECK(store.record(0, 99, 3) == Recorded::refused_out_of_order);
  CHECK(store.record(0, 100, 3) == Recorded::stored);
  // Dead but younger than one that is alive: not gone, so shown, and in the order.
  CHECK(store.record(0, 101, 5) == Recorded::stored);
  CHECK(shown(store, 0, 100, 101) == std::vector{5});
  CHECK(shown(store, 0, 100, 101) == std::vector{5});
  CHECK(shown(store, 0, 100, 101) == std::vector{5});
  CHECK(shown(store, 0, 90, 101) == std::vector{3, 5});
  CHECK(store.counts().incomplete_windows == 0);
  // Of age the rest dies unread.
  store.advance_to(117);
  CHECK_FALSE(store.window(0, 95, 117).is_complete());
  CHECK(store.window(0, 96, 117).is_complete());
  CHECK(shown(store, 0, 96, 117).empty());
}

TEST_CASE("trace_store: a view shows what is ahead of the clock, and not what was refused or cleared", "[gc]") {
  TraceStore<std::int32_t, 2, gc::Fifo<3>, gc::AgeWindow<20>> store(100);
  REQUIRE(store.record(0, 105, 1) == Recorded::stored);
  CHECK(store.record(0, 104, 2) == Recorded::refused_out_of_order);
  const auto view = store.window(0, 90, 105);
  CHECK(view.is_complete());
  CHECK((*view.begin()).trace == 1);
  CHECK(shown(store, 0, 90, 104).empty());
  store.clear();
  CHECK(store.window(0, 90, 105).empty());
  CHECK(store.window(0, 90, 105).is_complete());
  CHECK(store.record(0, 104, 2) == Recorded::stored); // what was cleared is gone
}

// Where reads count, nothing else is the end of an event.
TEMPLATE_TEST_CASE("trace_store: an event that no one reads does not stop its neuron for ever", "[gc]", gc::Pool<30>,
                   gc::Sliding<30>, gc::Baker<gc::BakerOptions{.events = 30}>, gc::Ring<30>) {
  for (const std::uint32_t step : {0x7FFFFFFFU, 1U << 30, 1U << 29, 1U << 24}) {
    TraceStore<std::int32_t, 2, TestType, gc::ReadCount<2>> store;
    CHECK(store.record(0, 0, 1) == Recorded::stored);
    CHECK(store.record(1, 0, 2) == Recorded::stored);
    CHECK(shown(store, 1, 0U - 1, 0).size() == 1);
    CHECK(shown(store, 1, 0U - 1, 0).size() == 1); // all have read it
    std::uint32_t now = 0;
    while (gc::longest_life - now > step && now < gc::longest_life) store.advance_to(now += step);
    if (step < gc::longest_life) {
      store.advance_to(gc::longest_life);
      CHECK(shown(store, 0, 0U - 1, 5).size() == 1); // one of two has read it
      now = gc::longest_life;
    }
    std::uint32_t last = now;
    for (std::uint64_t far = 0; far <= 0x280000000U; far += step) {
      store.advance_to(now += step);
      if (now - last < 1U << 28) continue;
      REQUIRE(store.record(0, now, 3) == Recorded::stored);
      last = now;
    }
    for (unsigned more = 0; more < 9; ++more) store.advance_to(++now);
    CHECK_FALSE(store.window(0, now - gc::longest_life - 2, now).is_complete());
    CHECK(store.counts().refused_out_of_order == 0);
    const gc::Counts counted = store.counts();
    CHECK(counted.reclaimed_unread == counted.reclaimed - 1);
    CHECK(counted.reclaimed_unread > 3);
  }
}

TEST_CASE("trace_store: what dies unread where reads count is counted", "[gc]") {
  using gc::AgeWindow;
  using gc::ReadCount;
  TraceStore<std::int32_t, 3, gc::Pool<9, 99>, gc::EitherDead<AgeWindow<20>, ReadCount<2>>> store;
  for (std::uint32_t neuron = 0; neuron < 3; ++neuron) CHECK(store.record(neuron, 0, 1) == Recorded::stored);
  CHECK(shown(store, 0, 0U - 1, 0).size() == 1);
  CHECK(shown(store, 0, 0U - 1, 0).size() == 1);
  CHECK(shown(store, 1, 0U - 1, 0).size() == 1);
  store.advance_to(1);
  CHECK(store.counts().reclaimed == 1);
  CHECK(store.counts().reclaimed_unread == 0);
  store.advance_to(21);
  CHECK(store.counts().reclaimed == 3);
  CHECK(store.counts().reclaimed_unread == 2); // by one of two, and by nobody
}

namespace {

/// Twice round the clock in equal steps, while two neurons are silent.
template <class Collector, std::size_t Neurons, std::uint32_t Window>
void stay_silent() {
  using Store = TraceStore<std::int32_t, Neurons, Collector, gc::AgeWindow<Window>>;
  constexpr std::uint32_t every = (1U << 29) / (Neurons + 1); // ticks in which a store looks at one neuron
  for (const std::uint32_t step : {every / 3, every - 1, every, every + 1, 2 * every + 1, (1U << 27) + 5,
                                   (1U << 28) - 1, 1U << 28, 1U << 29, (1U << 30) - 1, 1U << 30, 0x7FFFFFFFU})
    for (const std::uint32_t start : {0U, 0xC0000000U}) {
      INFO("neurons " << Neurons << ", window " << Window << ", steps of " << step << " from " << start);
      Store store(start);
      constexpr std::uint32_t last = Neurons - 1;
      REQUIRE(store.record(0, start, 5) == Recorded::stored);
      REQUIRE(store.record(last, start, 6) == Recorded::stored);
      bool is_right = true;
      for (std::uint64_t age = step; age < std::uint64_t{2} << 32; age += step) {
        store.advance_to(start + static_cast<std::uint32_t>(age));
        const bool is_known = age <= gc::longest_life && step < Store::forgets_after;
        for (const std::uint32_t neuron : {0U, last}) {
          is_right = is_right && store.newest(neuron).exists == is_known;
          unsigned before = 0, events = 0;
          is_right = is_right && store.past(store.now() - 9, store.now())
                                     .of(
                                         neuron, [&](std::uint32_t, std::int32_t) { ++before; },
                                         [&](std::uint32_t, std::int32_t) { ++events; });
          is_right = is_right && before == (is_known ? 1U : 0U) && events == 0;
        }
      }
      CHECK(is_right);
    }
}

} // namespace

// Else it would be young again when the clock has gone round.
TEMPLATE_TEST_CASE("trace_store: a newest event is forgotten 2^29 ticks later and for ever, however the clock moves",
                   "[gc]", gc::Fifo<9>, gc::Pool<9>, gc::Ring<9>, gc::Sliding<9>) {
  stay_silent<TestType, 1, 20>();
  stay_silent<TestType, 2, 20>();
  stay_silent<TestType, 7, 20>();
  stay_silent<TestType, 7, (1U << 27) + 9>(); // so that steps are quick ones
}

// By which a row finds out that an interrupt has recorded another event of the same tick.
TEMPLATE_TEST_CASE("trace_store: two traces are the same if each of their bits is", "[gc]",
                   (std::array<std::uint8_t, 1>), (std::array<std::uint8_t, 3>), (std::array<std::uint8_t, 4>),
                   (std::array<std::uint8_t, 8>), (std::array<std::uint8_t, 16>)) {
  for (const unsigned background : {0x00U, 0xFFU, 0xA5U}) {
    TestType one;
    one.fill(static_cast<std::uint8_t>(background));
    CHECK(gc::differing_bits(one, one) == 0);
    for (std::size_t byte = 0; byte < one.size(); ++byte)
      for (unsigned bit = 0; bit < 8; ++bit) {
        TestType other = one;
        other[byte] = static_cast<std::uint8_t>(other[byte] ^ 1U << bit);
        CHECK(gc::differing_bits(one, other) != 0);
        CHECK(gc::differing_bits(other, one) != 0);
        CHECK(gc::differing_bits(other, other) == 0);
      }
  }
}

TEST_CASE("trace_store: traces need no default constructor", "[gc]") {
  TraceStore<NoDefault, 2, gc::Fifo<3>> store;
  store.record(0, 0, NoDefault(7));
  CHECK((*store.window(0, 0U - 1, 0).begin()).trace.value == 7);
  CHECK(in_zeroed_memory.record(254, 0, 1) == Recorded::stored);
}
