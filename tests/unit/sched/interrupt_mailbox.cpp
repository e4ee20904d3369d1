// SPDX-License-Identifier: BSL-1.0
// What interrupts note: every post becomes an event, released when it was posted, however late the loop looks.
#include <cstdint>
#include <random>
#include <vector>

#include <neuromorph/sched/feasibility.hpp>
#include <neuromorph/sched/interrupt_mailbox.hpp>
#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

using Tick = std::uint32_t;
using Clock32 = VirtualClock<>;

/// Events until there are none, as deadlines.
template <class Source, class Ticks>
std::vector<Ticks> drain(Source& source, Ticks now) {
  std::vector<Ticks> deadlines;
  for (Event<Ticks> event; source.next_event(event, now);) deadlines.push_back(event.deadline);
  return deadlines;
}

} // namespace

TEST_CASE("interrupt_mailbox: every post becomes an event, released when it was posted", "[sched][interrupt_mailbox]") {
  for (const Tick start : {0U, 0xFFFF'FFF0U, 0x7FFF'FFF0U}) {
    Clock32 clock(start);
    InterruptMailbox mailbox(9, clock, 25);
    Event<Tick> event;
    Tick at = 0;
    CHECK_FALSE(mailbox.next_event(event, start + 5));
    CHECK_FALSE(mailbox.wake_at(start + 5, at));
    mailbox.post();
    clock.advance(7);
    mailbox.post();
    mailbox.post(start + 10); // a time that the interrupt knows
    CHECK(mailbox.pending() == 3);
    CHECK(mailbox.is_due(start + 1000));
    CHECK(mailbox.wake_at(start + 1000, at));
    CHECK(at == start + 1000);
    CHECK(mailbox.next_event(event, start + 1000));
    CHECK(event == Event<Tick>{start + 25, 9});
    CHECK(drain(mailbox, start + 1000) == std::vector<Tick>{start + 32, start + 35});
    CHECK(mailbox.posted() == 3);
    CHECK(mailbox.unstamped() == 0);
    CHECK_FALSE(mailbox.is_due(start + 1000));
  }
}

TEST_CASE("interrupt_mailbox: a deadline is as far ahead as ticks can tell at most", "[sched][interrupt_mailbox]") {
  for (const Tick deadline : {longest_span<Tick> - 1, longest_span<Tick>, longest_span<Tick> + 1, ~Tick{0}}) {
    Clock32 clock(0xFFFF'FFF0U);
    InterruptMailbox mailbox(1, clock, deadline);
    mailbox.post();
    const Tick held = deadline < longest_span<Tick> ? deadline : longest_span<Tick>;
    CHECK(drain(mailbox, clock.now()) == std::vector<Tick>{clock.now() + held});
    CHECK(is_before(clock.now(), clock.now() + held));
  }
}

TEST_CASE("interrupt_mailbox: a post that comes after the turn began counts from its own time",
          "[sched][interrupt_mailbox]") {
  Clock32 clock(0xFFFF'FFFEU);
  InterruptMailbox mailbox(1, clock, 10);
  Sporadic sporadic(1, clock, 10, 5);
  const Tick now = clock.now();
  clock.advance(4);
  mailbox.post(), sporadic.post();
  CHECK(drain(mailbox, now) == std::vector<Tick>{now + 14});
  CHECK(drain(sporadic, now) == std::vector<Tick>{now + 14});
}

TEST_CASE("interrupt_mailbox: posts beyond its depth are not lost, and count from an earlier one",
          "[sched][interrupt_mailbox]") {
  Clock32 clock(0xFFFF'FFF0U);
  InterruptMailbox<Clock32, 2> mailbox(1, clock, 100);
  const Tick start = clock.now();
  const auto post = [&](Tick at) { clock.advance(start + at - clock.now()), mailbox.post(); };
  post(0), post(5), post(6), post(9);
  CHECK(mailbox.unstamped() == 2);
  CHECK(mailbox.pending() == 4);
  Event<Tick> event;
  REQUIRE(mailbox.next_event(event, start + 20));
  CHECK(event.deadline == start + 100);
  post(21); // there are three
  REQUIRE(mailbox.next_event(event, start + 22));
  REQUIRE(mailbox.next_event(event, start + 22));
  CHECK(event.deadline == start + 105); // of the one at 6
  post(23);                             // two wait, and this is the third
  CHECK(mailbox.unstamped() == 4);
  CHECK(drain(mailbox, start + 30) == std::vector<Tick>{start + 105, start + 105, start + 105});
  post(40);
  CHECK(drain(mailbox, start + 40) == std::vector<Tick>{start + 140}); // stamped again
}

TEST_CASE("interrupt_mailbox: what waits for long stays in the past, and a silence is not taken for a wait",
          "[sched][interrupt_mailbox]") {
  constexpr Tick oldest = longest_span<Tick> / 4;
  for (const Tick start : {0U, 1U, 0x7FFF'FFFFU, 0xFFFF'FFFFU}) {
    Clock32 clock(start);
    InterruptMailbox<Clock32, 4> mailbox(1, clock, 7);
    for (int post = 0; post < 40; ++post) mailbox.post();
    // Taken one by one, each half of the clock's range after the other: all as old as can be.
    for (int post = 0; post < 40; ++post) {
      clock.advance(0x7FFF'FFFFU);
      Event<Tick> event;
      REQUIRE(mailbox.next_event(event, clock.now()));
      REQUIRE(event.deadline == clock.now() - oldest + 7);
    }
    for (const Tick silence : {0x7FFF'FFFFU, 0x8000'0000U, 0x8000'0001U, 0xFFFF'FFFFU, 0U, 1U}) {
      clock.advance(silence);
      mailbox.post();
      CHECK(drain(mailbox, clock.now()) == std::vector<Tick>{clock.now() + 7});
    }
  }
}

TEST_CASE("interrupt_mailbox: stamps of 32 bits are widened by a long clock, of 64 they are whole",
          "[sched][interrupt_mailbox]") {
  Clock32 low(0xFFFF'FF00U);
  LongClock<Clock32> clock(low);
  InterruptMailbox<Clock32, 8, std::uint64_t> mailbox(1, low, 1000);
  Sporadic<Clock32, 8, std::uint64_t> sporadic(1, low, 1000, std::uint64_t{1} << 40);
  CHECK(clock.now() == 0xFFFF'FF00ULL);
  mailbox.post(), sporadic.post(), sporadic.post();
  low.advance(0x200); // wraps
  mailbox.post();
  CHECK(drain(mailbox, clock.now()) == std::vector<std::uint64_t>{0xFFFF'FF00ULL + 1000, 0x1'0000'0100ULL + 1000});
  CHECK(drain(sporadic, clock.now()) == std::vector<std::uint64_t>{0xFFFF'FF00ULL + 1000});
  std::uint64_t at = 0;
  CHECK(sporadic.wake_at(clock.now(), at));
  CHECK(at == 0xFFFF'FF00ULL + (std::uint64_t{1} << 40));

  VirtualClock<std::uint64_t> wide(5);
  InterruptMailbox of_wide(1, wide, 10U);
  of_wide.post();
  wide.advance(1ULL << 50);
  CHECK(drain(of_wide, wide.now()) == std::vector<std::uint64_t>{15});
}

TEST_CASE("interrupt_mailbox: a sporadic source counts its interval from release to release",
          "[sched][interrupt_mailbox]") {
  // Against the definition: a release is the later of the post, and the one before plus the interval.
  for (const std::uint32_t seed : Seeds(300)) {
    std::mt19937 random(seed);
    const Tick interval = static_cast<Tick>(random() % 9), offset = seed % 3 == 0   ? 0xFFFF'FF00U
                                                                    : seed % 3 == 1 ? 0x7FFF'FF00U
                                                                                    : 0;
    const auto sparse = static_cast<unsigned>(1 + random() % 12);
    Clock32 clock(offset);
    Sporadic<Clock32, 1024> source(2, clock, 5, interval);
    std::vector<Tick> releases, found;
    unsigned early = 0, looked_at = 0;
    for (Tick time = 0; time < 1000; ++time, clock.advance(1)) {
      if (time < 700 && random() % sparse == 0) {
        source.post();
        const Tick allowed = releases.empty() ? time : releases.back() + interval;
        early += allowed > time ? 1U : 0U;
        releases.push_back(std::max(time, allowed));
      }
      if (time < 900 && random() % 3 == 0) continue;
      Event<Tick> event;
      INFO("seed " << seed << ", interval " << interval << ", at " << time);
      const bool is_there = looked_at < releases.size() && releases[looked_at] <= time;
      REQUIRE(source.next_event(event, clock.now()) == is_there);
      if (is_there) REQUIRE(event == Event<Tick>{offset + releases[looked_at++] + 5, 2});
      Tick at = 0;
      REQUIRE(source.wake_at(clock.now(), at) == (looked_at < releases.size()));
      if (looked_at < releases.size()) REQUIRE(at == offset + std::max(releases[looked_at], time));
    }
    INFO("seed " << seed);
    REQUIRE(looked_at + source.pending() == releases.size());
    if (source.pending() == 0) REQUIRE(source.deferred() == early);
    REQUIRE(source.deferred() <= early);
  }
}

TEST_CASE("interrupt_mailbox: releases keep the interval in whatever order it is posted and looked at",
          "[sched][interrupt_mailbox]") {
  Clock32 clock;
  Sporadic source(0, clock, 5U, 1000U);
  source.post(0);
  CHECK(drain(source, Tick{0}) == std::vector<Tick>{5});
  CHECK(drain(source, Tick{1002}).empty());
  source.post(990); // whose interrupt came late
  CHECK(drain(source, Tick{1003}) == std::vector<Tick>{1005});
  CHECK(source.deferred() == 1);
}

namespace {

/// Posts of any times, in order, and looks at any others, like those of a scheduler with few places; against the
/// definition, in times that do not wrap.
template <class Raw, class Ticks>
void keeps_interval(std::uint32_t seed) {
  using Time = std::int64_t;
  std::mt19937_64 random(seed);
  const auto up_to = [&](Time most) { return static_cast<Time>(random() % static_cast<std::uint64_t>(most + 1)); };
  const Time quarter = static_cast<Time>(longest_span<std::uint32_t> / 4); // of the narrowest clock
  const Time longest = sizeof(Ticks) == 4 ? Time{longest_span<std::uint32_t>} : Time{1} << 40;
  const Time intervals[] = {up_to(9), up_to(3000), up_to(longest), longest, longest - up_to(3)};
  const Time interval = intervals[random() % 5], deadline = up_to(100);
  const std::uint64_t bases[] = {0, 0x7FFF'FFFF, 0x8000'0000, 0xFFFF'FFF0, random()};
  const auto base = static_cast<Raw>(bases[random() % 5]);
  const auto tick = [&](Time time) { return static_cast<Ticks>(base + static_cast<Ticks>(time)); };

  VirtualClock<Raw> clock(base);
  Sporadic<VirtualClock<Raw>, 64, Ticks> source(2, clock, static_cast<Ticks>(deadline), static_cast<Ticks>(interval));
  std::vector<Time> posts;
  std::size_t taken = 0;
  Time now = quarter, allowed = -1;
  std::uint32_t deferred = 0;
  bool is_deferred = false;
  for (unsigned turn = 0; turn < 80; ++turn) {
    const bool waits = taken != posts.size();
    const Time step = random() % 3 == 0 ? up_to(interval / 3 + 1) : up_to(40);
    const Time far[] = {step, interval - up_to(2), up_to(0x7FFF'FFFF), 0x7FFF'FFFF, waits ? 0x9000'0000 : 0x7FFF'FFFF};
    now +=
        std::max<Time>(std::min<Time>(far[random() % 8 < 4 ? 0 : random() % 5], waits ? 0x9000'0000 : 0x7FFF'FFFF), 0);
    const Time seen = now - (random() % 4 == 0 ? std::min(up_to(3), step) : 0); // the turn has begun before
    if (posts.size() - taken < 60)
      for (std::uint64_t more = random() % 3; more != 0; --more) {
        const Time back = random() % 2 == 0 ? 0 : random() % 2 == 0 ? up_to(20) : up_to(quarter);
        posts.push_back(std::max(now - back, posts.empty() ? 0 : posts.back()));
        source.post(static_cast<Raw>(tick(posts.back())));
      }
    INFO("seed " << seed << ", turn " << turn << ", interval " << interval << ", base " << base << ", seen " << seen);
    if (!source.is_due(tick(seen))) {
      REQUIRE(taken == posts.size());
      continue;
    }
    for (std::uint64_t places = 1 + random() % 3;;) {
      Event<Ticks> event;
      Ticks at = 0;
      bool is_there = taken < posts.size();
      Time release = 0;
      REQUIRE(source.wake_at(tick(seen), at) == is_there);
      if (is_there) {
        const Time stamp = sizeof(Raw) == 4 ? std::max(posts[taken], seen - quarter) : posts[taken];
        release = std::max(stamp, allowed);
        if (stamp < allowed && !is_deferred) ++deferred, is_deferred = true;
        is_there = stamp >= allowed || seen >= allowed;
        REQUIRE(at == tick(is_there ? seen : allowed));
      }
      INFO("post " << taken << ", release " << release << ", allowed " << allowed);
      REQUIRE(source.next_event(event, tick(seen)) == is_there);
      REQUIRE(source.deferred() == deferred);
      if (!is_there) break;
      REQUIRE(event.deadline == tick(release + deadline));
      REQUIRE(event.service == 2);
      allowed = interval == 0 ? -1 : release + interval;
      is_deferred = false;
      ++taken;
      if (--places == 0) break;
    }
  }
  REQUIRE(source.pending() == posts.size() - taken);
}

} // namespace

TEST_CASE("interrupt_mailbox: intervals, waits and silences up to what a clock can tell",
          "[sched][interrupt_mailbox]") {
  for (const std::uint32_t seed : Seeds(3000)) {
    keeps_interval<std::uint32_t, std::uint32_t>(seed);
    keeps_interval<std::uint32_t, std::uint64_t>(seed); // of a LongClock
    keeps_interval<std::uint64_t, std::uint64_t>(seed);
  }
}

TEST_CASE("interrupt_mailbox: intervals up to the longest, and what is posted after them",
          "[sched][interrupt_mailbox]") {
  for (const Tick start : {0U, 0x8000'0000U, 0xFFFF'FFFFU})
    for (const Tick interval : {0x7FFF'FFFFU, 0x7FFF'FFFEU, 0x4000'0001U, 0x4000'0000U, 0x2000'0000U}) {
      Clock32 clock(start);
      Sporadic source(1, clock, 3, interval);
      source.post(), source.post(), source.post();
      CHECK(drain(source, clock.now()) == std::vector<Tick>{start + 3});
      clock.advance(interval - 1);
      CHECK(drain(source, clock.now()).empty());
      clock.advance(1);
      CHECK(drain(source, clock.now()) == std::vector<Tick>{start + interval + 3});
      clock.advance(interval / 2);
      CHECK(drain(source, clock.now()).empty());
      clock.advance(interval - interval / 2);
      CHECK(drain(source, clock.now()) == std::vector<Tick>{start + 2 * interval + 3});
      CHECK(source.deferred() == 2);
      // A silence of any length, in which it is asked.
      for (int ask = 0; ask < 5; ++ask) {
        clock.advance(0x7000'0000U);
        CHECK(drain(source, clock.now()).empty());
      }
      source.post();
      CHECK(drain(source, clock.now()) == std::vector<Tick>{clock.now() + 3});
      CHECK(source.deferred() == 2);
    }
}

// --- as a user sees it
// -----------------------------------------------------------------------------------------------

namespace {

/// Posts at times of its own while a service runs or the core sleeps.
struct Posting {
  using Tick = std::uint32_t;
  static constexpr AlarmKind alarm_kind = AlarmKind::sleeps;
  Tick time = 0, next = 0, interval = 0, last = 0;
  void (*post)(void*) = nullptr;
  void* to = nullptr;
  [[nodiscard]] Tick now() const { return time; }
  void advance(Tick span) { move(time + span); }
  void alarm(Tick at) {
    if (is_before(time, at)) move(is_before(next, at) && next <= last ? next : at);
  }

private:
  void move(Tick until) {
    for (; next <= last && !is_before(until, next); next += interval) {
      time = next;
      post(to);
    }
    time = until;
  }
};

} // namespace

TEST_CASE("interrupt_mailbox: posts one interval apart are in time and not deferred, however they are polled",
          "[sched][interrupt_mailbox]") {
  // Every 2000 us a post that takes 640; a timer of 1993 us that takes 500. Together 57 % of the core, 50 s.
  constexpr std::array timings{ServiceTiming{2000, 2000, 640}, ServiceTiming{1993, 1993, 500}};
  static_assert(check_fit(timings).ok());
  Posting clock;
  Sporadic source(0, clock, 2000, 2000);
  clock.interval = 2000, clock.last = 49'999'000, clock.to = &source;
  clock.post = [](void* to) { static_cast<decltype(source)*>(to)->post(); };
  std::uint32_t runs = 0, late = 0;
  Services services(service<0>([&] {
                      clock.advance(640);
                      late += clock.time > 2000 * runs + 2000 ? 1U : 0U;
                      ++runs;
                    }),
                    service<1>([&] { clock.advance(500); }));
  auto timer = Timer<>::from({.service = 1, .start = 0, .period = 1993}).value();
  auto signaller = TimerSignaller<>::from(0, 50'000'000, 60'000'000).value();
  Scheduler<Posting, 4, SchedulerOptions{.statistics = true}, NoMissHook, target::Generic> scheduler(clock);
  scheduler.execute(signaller, services, source, timer);
  CHECK(runs == 25'000);
  CHECK(late == 0);
  CHECK(source.deferred() == 0);
  CHECK(scheduler.statistics(0).misses == 0);
  CHECK(scheduler.statistics(1).misses == 0);
  CHECK(timer.missed() == 0);
}

TEST_CASE("interrupt_mailbox: a deadline counts from the post, and what is late is counted",
          "[sched][interrupt_mailbox]") {
  // Accepted, with a post at every tick of the longest run.
  static_assert(check_fit(std::array{ServiceTiming{9, 9, 1}, ServiceTiming{37, 17, 5}, ServiceTiming{39, 6, 2}}).ok());
  for (Tick first = 0; first < 37 * 39; ++first) {
    Posting clock;
    InterruptMailbox source(2, clock, 6);
    clock.next = first, clock.interval = 39, clock.last = 5000, clock.to = &source;
    clock.post = [](void* to) { static_cast<decltype(source)*>(to)->post(); };
    std::uint32_t runs = 0;
    Tick longest = 0;
    Services services(service<0>([&] { clock.advance(1); }), service<1>([&] { clock.advance(5); }), service<2>([&] {
                        clock.advance(2);
                        longest = std::max(longest, clock.time - (first + 39 * runs++));
                      }));
    auto a = Timer<>::from({.service = 0, .start = 0, .period = 9}).value();
    auto b = Timer<>::from({.service = 1, .start = 0, .period = 37, .deadline = 17}).value();
    auto signaller = TimerSignaller<>::from(0, 5200, 6000).value();
    Scheduler<Posting, 6, SchedulerOptions{.statistics = true}, NoMissHook, target::Generic> scheduler(clock);
    scheduler.execute(signaller, services, a, b, source);
    INFO("first post at " << first);
    REQUIRE(runs == (5000 - first) / 39 + 1);
    REQUIRE(longest <= 6);
    REQUIRE(scheduler.statistics(2).misses == 0);
    REQUIRE(static_cast<Tick>(6 + scheduler.statistics(2).greatest_lateness) == longest);
  }
  // The same with a longer run before it: late, and said to be.
  Posting clock;
  InterruptMailbox source(1, clock, 6);
  clock.next = 1, clock.interval = 1, clock.last = 1, clock.to = &source;
  clock.post = [](void* to) { static_cast<decltype(source)*>(to)->post(); };
  Services services(service<0>([&] { clock.advance(9); }), service<1>([&] { clock.advance(2); }));
  auto once = OneshotTimer<>::from(0, 0, 100).value();
  auto signaller = TimerSignaller<>::from(0, 50, 60).value();
  Scheduler<Posting, 2, SchedulerOptions{.statistics = true}, NoMissHook, target::Generic> scheduler(clock);
  scheduler.execute(signaller, services, once, source);
  CHECK(scheduler.statistics(1).misses == 1);
  CHECK(scheduler.statistics(1).greatest_lateness == 11 - (1 + 6));
}
