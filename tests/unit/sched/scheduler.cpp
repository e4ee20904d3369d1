// SPDX-License-Identifier: BSL-1.0
// The scheduler in virtual time: order against a brute-force model, every event accounted for, policies and signals.
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
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

/// Without interrupts.
template <class ClockType, std::size_t Capacity, SchedulerOptions Options = SchedulerOptions{},
          class OnMiss = NoMissHook>
using Quiet = Scheduler<ClockType, Capacity, Options, OnMiss, target::Generic>;

} // namespace

TEST_CASE("scheduler: waits, runs, finishes and exits by signals", "[sched][scheduler]") {
  VirtualClock<> clock;
  unsigned runs = 0, asked = 0;
  Services services(service<0>([&] {
    ++runs;
    clock.advance(1);
  }));
  struct Always { // a source that always has an event
    using Offers = offer::List<>;
    unsigned& asked;
    bool next_event(Event<Tick>& event, Tick now) {
      ++asked;
      event = {now + 100, 0};
      return true;
    }
  } always{asked};

  SECTION("a source that always has an event neither blocks the others nor the signals") {
    auto timer = Timer<>::from({.service = 0, .start = 0, .period = 10, .deadline = 5}).value();
    auto signaller = TimerSignaller<>::from(10, 30, 1000).value();
    Quiet<VirtualClock<>, 4> scheduler(clock);
    CallableSignaller turn([&](Tick) {
      if (clock.now() < 10) clock.advance(1);
      return signaller.signal(clock.now());
    });
    CHECK(scheduler.execute(turn, services, always, timer) == Finished::by_finish);
    CHECK(timer.missed() == 0);
    CHECK(scheduler.queue().empty());
    CHECK(asked + 2 + 1 == scheduler.counts().run);
  }
  SECTION("nothing is asked and nothing runs before the start") {
    unsigned turns = 0;
    CallableSignaller signaller([&](Tick) { return ++turns < 50 ? Signal::wait : Signal::exit; });
    Quiet<VirtualClock<>, 4> scheduler(clock);
    CHECK(scheduler.execute(signaller, services, always) == Finished::by_exit);
    CHECK(asked == 0);
    CHECK(runs == 0);
  }
  SECTION("a mailbox that another processor writes") {
    volatile std::uint32_t word = static_cast<std::uint32_t>(Signal::run);
    MailboxSignaller signaller(word);
    Services stopping(service<0>([&] {
      if (++runs == 5) word = static_cast<std::uint32_t>(Signal::finish);
    }));
    Quiet<VirtualClock<>, 4> scheduler(clock);
    CHECK(scheduler.execute(signaller, stopping, always) == Finished::by_finish);
    CHECK(runs == 8); // what was queued
    word = 77;
    CHECK(scheduler.execute(signaller, stopping, always) == Finished::by_exit);
  }
}

namespace {

/// A source of `count` events at once, one a poll.
struct Burst {
  using Offers = offer::List<>;
  unsigned count;
  bool next_event(Event<Tick>& event, Tick now) {
    if (count == 0) return false;
    event = {now + count, static_cast<ServiceId>(count-- % 2)};
    return true;
  }
};

} // namespace

TEST_CASE("scheduler: what is left at exit is kept, run or dropped, and counted", "[sched][scheduler]") {
  VirtualClock<> clock;
  unsigned runs = 0;
  Services services(service<0>([&] { ++runs; }), service<1>([&] { ++runs; }));
  const auto exit_after = [](unsigned turns) {
    return CallableSignaller([turns](Tick) mutable { return turns-- == 0 ? Signal::exit : Signal::run; });
  };
  // Two places each, one event is run in a turn: after 2 turns 5 are left.
  Burst a{100}, b{100}, c{100};
  auto signaller = exit_after(2);
  SECTION("kept") {
    Quiet<VirtualClock<>, 8, SchedulerOptions{.leftover = Leftover::keep}> scheduler(clock);
    CHECK(scheduler.execute(signaller, services, a, b, c) == Finished::by_exit);
    CHECK(scheduler.queue().size() == 5);
    CHECK(runs == 2);
    CallableSignaller finish([](Tick) { return Signal::finish; });
    CHECK(scheduler.execute(finish, services, a, b, c) == Finished::by_finish);
    CHECK(runs == 7);
  }
  SECTION("run") {
    Quiet<VirtualClock<>, 8, SchedulerOptions{.leftover = Leftover::run}> scheduler(clock);
    CHECK(scheduler.execute(signaller, services, a, b, c) == Finished::by_exit);
    CHECK(scheduler.queue().empty());
    CHECK(runs == 7);
    CHECK(scheduler.counts().run == 7);
  }
  SECTION("dropped") {
    Quiet<VirtualClock<>, 8, SchedulerOptions{.leftover = Leftover::drop}> scheduler(clock);
    CHECK(scheduler.execute(signaller, services, a, b, c) == Finished::by_exit);
    CHECK(scheduler.queue().empty());
    CHECK(runs == 2);
    CHECK(scheduler.counts().dropped_at_exit == 5);
  }
}

TEST_CASE("scheduler: each source has its places in the queue, and none can take another's", "[sched][scheduler]") {
  struct Always {
    using Offers = offer::List<>;
    ServiceId id;
    Tick deadline; // after now
    unsigned asked = 0;
    bool next_event(Event<Tick>& event, Tick now) {
      ++asked;
      event = {now + deadline, id};
      return true;
    }
  };
  const auto check = [&](auto capacity) {
    constexpr unsigned places = capacity / 3;
    VirtualClock<> clock;
    std::array<unsigned, 3> runs{};
    Services services(service<0>([&] { ++runs[0]; }), service<1>([&] { ++runs[1]; }), service<2>([&] { ++runs[2]; }));
    Always a{0, 100}, b{1, 100}, c{2, 100};
    unsigned turns = 0;
    std::size_t most = 0;
    Quiet<VirtualClock<>, capacity> scheduler(clock);
    CallableSignaller signaller([&](Tick) {
      clock.advance(1);
      if (turns == 1) {
        CHECK(a.asked == places); // until its places are taken
        CHECK(c.asked == places);
      }
      most = std::max(most, scheduler.queue().size());
      return ++turns > 300 ? Signal::finish : Signal::run;
    });
    CHECK(scheduler.execute(signaller, services, a, b, c) == Finished::by_finish);
    CHECK(a.asked + b.asked + c.asked == scheduler.counts().run);
    CHECK(scheduler.queue().high_water() == 3 * places);
    CHECK(most == 3 * places - 1); // after a run
    for (const unsigned count : runs) CHECK(count >= 100);
  };
  check(std::integral_constant<std::size_t, 3>{});
  check(std::integral_constant<std::size_t, 5>{});
  check(std::integral_constant<std::size_t, 6>{});
  check(std::integral_constant<std::size_t, 16>{});
  check(std::integral_constant<std::size_t, 99>{});

  // An urgent event runs next, however much others have.
  VirtualClock<> clock;
  std::vector<ServiceId> order;
  Services services(service<0>([&] { order.push_back(0), clock.advance(10); }),
                    service<1>([&] { order.push_back(1); }));
  Always flood{0, 1000};
  auto urgent = Timer<>::from({.service = 1, .start = 5, .period = 1000, .deadline = 10, .count = 1}).value();
  CallableSignaller signaller([&](Tick now) { return now < 50 ? Signal::run : Signal::finish; });
  Quiet<VirtualClock<>, 8> scheduler(clock);
  CHECK(scheduler.execute(signaller, services, flood, urgent) == Finished::by_finish);
  REQUIRE(order.size() > 3);
  CHECK(order[0] == 0);
  CHECK(order[1] == 1);
}

TEST_CASE("scheduler: a source hands over all that it has, as far as it has places", "[sched][scheduler]") {
  struct Thrice { // deadlines 30, 20, 10
    using Offers = offer::List<>;
    Tick next = 30;
    bool next_event(Event<Tick>& event, Tick) {
      if (next == 0) return false;
      event = {next, static_cast<ServiceId>(next / 10)};
      next -= 10;
      return true;
    }
  };
  const auto order = [](auto capacity) {
    VirtualClock<> clock;
    std::vector<int> found;
    Services services(service<1>([&] { found.push_back(10); }), service<2>([&] { found.push_back(20); }),
                      service<3>([&] { found.push_back(30); }));
    Thrice source;
    unsigned turns = 0;
    CallableSignaller signaller([&](Tick) { return ++turns < 9 ? Signal::run : Signal::finish; });
    Quiet<VirtualClock<>, capacity> scheduler(clock);
    scheduler.execute(signaller, services, source);
    return found;
  };
  CHECK(order(std::integral_constant<std::size_t, 3>{}) == std::vector<int>{10, 20, 30});
  CHECK(order(std::integral_constant<std::size_t, 80>{}) == std::vector<int>{10, 20, 30});
  CHECK(order(std::integral_constant<std::size_t, 2>{}) == std::vector<int>{20, 10, 30}); // with two places
  CHECK(order(std::integral_constant<std::size_t, 1>{}) == std::vector<int>{30, 20, 10});
}

TEST_CASE("scheduler: what is kept is safe when it goes on with other sources", "[sched][scheduler]") {
  struct Always {
    using Offers = offer::List<>;
    ServiceId id;
    unsigned made = 0;
    bool next_event(Event<Tick>& event, Tick now) {
      ++made;
      event = {now + 100, id};
      return true;
    }
  };
  VirtualClock<> clock;
  std::array<unsigned, 2> runs{};
  Services services(service<0>([&] { ++runs[0], clock.advance(1); }), service<1>([&] { ++runs[1], clock.advance(1); }));
  Always a{0}, b{0}, c{0}, d{0}, e{1};
  unsigned turns = 0;
  const auto until = [&](unsigned turn, Signal last) {
    return CallableSignaller([&turns, turn, last](Tick) { return ++turns > turn ? last : Signal::run; });
  };
  Quiet<VirtualClock<>, 8> scheduler(clock);
  auto first = until(1, Signal::exit);
  CHECK(scheduler.execute(first, services, a, b, c, d) == Finished::by_exit);
  CHECK(scheduler.queue().size() == 7); // two places each
  // One source, which may have all places but finds some taken by what was kept; and then four again.
  auto second = until(6, Signal::exit);
  CHECK(scheduler.execute(second, services, e) == Finished::by_exit);
  CHECK(scheduler.queue().high_water() == 8);
  auto third = until(40, Signal::finish);
  CHECK(scheduler.execute(third, services, e, a, b, c) == Finished::by_finish);
  CHECK(scheduler.queue().empty());
  CHECK(a.made + b.made + c.made + d.made == runs[0]);
  CHECK(e.made == runs[1]);
  CHECK(scheduler.counts().run == runs[0] + runs[1]);
  CHECK(scheduler.queue().high_water() == 8);
}

TEST_CASE("scheduler: what is kept holds the places of its position, also from another source there",
          "[sched][scheduler]") {
  struct Some {
    using Offers [[maybe_unused]] = offer::List<>;
    ServiceId id;
    Tick deadline;
    unsigned left;
    bool next_event(Event<Tick>& event, Tick now) {
      if (left == 0) return false;
      --left;
      event = {now + deadline, id};
      return true;
    }
  };
  const auto order = [](bool same_position) {
    VirtualClock<> clock;
    std::vector<int> ran;
    Services services(service<0>([&] { ran.push_back(0); }), service<1>([&] { ran.push_back(1); }));
    Some first{0, 1000, 3}, other{1, 5, 1}, urgent{1, 1, 2};
    unsigned turns = 0;
    CallableSignaller once([&](Tick) { return ++turns == 1 ? Signal::run : Signal::exit; });
    Quiet<VirtualClock<>, 4> scheduler(clock);
    scheduler.execute(once, services, first, other); // runs that of the other, and keeps two of the first
    REQUIRE(scheduler.queue().size() == 2);
    REQUIRE(ran == std::vector<int>{1});
    turns = 0, ran.clear();
    CallableSignaller then([&](Tick) { return ++turns < 9 ? Signal::run : Signal::finish; });
    if (same_position)
      scheduler.execute(then, services, urgent, first);
    else
      scheduler.execute(then, services, first, urgent);
    return ran;
  };
  CHECK(order(false) == std::vector<int>{1, 1, 0, 0, 0});
  CHECK(order(true) == std::vector<int>{0, 1, 1, 0, 0}); // the first of the urgent ones waits for a place
}

TEST_CASE("scheduler: virtual time stands still while a source hands over events that nobody serves",
          "[sched][scheduler]") {
  struct Many { // of which the last alone has a service; does not know when it is to be asked
    using Offers [[maybe_unused]] = offer::List<>;
    unsigned left = 50;
    bool next_event(Event<Tick>& event, Tick now) {
      if (left == 0) return false;
      event = {now + 100, static_cast<ServiceId>(--left == 0 ? 0 : 7)};
      return true;
    }
  } many;
  VirtualClock<> clock(1000);
  Tick ran_at = 0;
  Services services(service<0>([&] { ran_at = clock.now(); }));
  Quiet<VirtualClock<>, 2> scheduler(clock);
  CallableSignaller signaller([&](Tick) { return scheduler.counts().run == 0 ? Signal::run : Signal::finish; });
  scheduler.execute(signaller, services, many);
  CHECK(scheduler.counts().unknown == 49);
  CHECK(scheduler.queue().high_water() == 1); // they take no place
  CHECK(ran_at == 1000);                      // 25 turns later, in which something was done
}

TEST_CASE("scheduler: what is dropped gives its places back, and what is kept does not run while it waits",
          "[sched][scheduler]") {
  VirtualClock<> clock;
  unsigned runs = 0;
  Services services(service<0>([&] { ++runs; }), service<1>([&] { ++runs; }));
  const auto check = [&](auto& scheduler) {
    Burst burst{100};
    for (unsigned round = 0; round < 3; ++round) { // four places, of which a run leaves three
      unsigned turns = 0;
      CallableSignaller signaller([&](Tick) { return ++turns == 1 ? Signal::run : Signal::exit; });
      scheduler.execute(signaller, services, burst);
    }
    return burst.count;
  };
  Quiet<VirtualClock<>, 4, SchedulerOptions{.leftover = Leftover::drop}> drops(clock);
  CHECK(check(drops) == 100 - 12);
  CHECK(drops.counts().dropped_at_exit == 9);
  Quiet<VirtualClock<>, 4, SchedulerOptions{.leftover = Leftover::keep}> keeps(clock);
  CHECK(check(keeps) == 100 - 6);
  CHECK(runs == 6);
  unsigned turns = 0;
  Burst none{0};
  CallableSignaller waits([&](Tick) { return ++turns < 5 ? Signal::wait : Signal::exit; });
  CHECK(keeps.execute(waits, services, none) == Finished::by_exit);
  CHECK(runs == 6);
  CHECK(keeps.queue().size() == 3);
}

TEST_CASE("scheduler: an event for a service that is not there is counted", "[sched][scheduler]") {
  VirtualClock<> clock;
  unsigned runs = 0;
  Services services(service<1>([&] { ++runs; }));
  Burst burst{10}; // every second one names service 0
  CallableSignaller signaller([&](Tick) { return burst.count == 0 ? Signal::finish : Signal::run; });
  Quiet<VirtualClock<>, 4> scheduler(clock);
  CHECK(scheduler.execute(signaller, services, burst) == Finished::by_finish);
  CHECK(runs == 5);
  CHECK(scheduler.counts().unknown == 5);
}

TEST_CASE("scheduler: sleeps until the next time somebody knows", "[sched][scheduler]") {
  VirtualClock<> clock(0xFFFF'FF00U);
  std::vector<Tick> at;
  Services services(service<0>([&] { at.push_back(clock.now()); }));
  auto timer = Timer<>::from({.service = 0, .start = 0xFFFF'FFF0U, .period = 1000, .count = 3}).value();
  auto once = OneshotTimer<>::from(0, 50, 60).value();
  InterruptMailbox mailbox(0, clock, 10);
  auto signaller = TimerSignaller<>::from(0xFFFF'FF80U, 5000, 6000).value();
  Quiet<VirtualClock<>, 4, SchedulerOptions{.statistics = true}> scheduler(clock);
  CHECK(scheduler.execute(signaller, services, timer, once, mailbox) == Finished::by_finish);
  CHECK(at == std::vector<Tick>{0xFFFF'FFF0U, 50, 0xFFFF'FFF0U + 1000, 0xFFFF'FFF0U + 2000});
  CHECK(scheduler.counts().sleeps == 6); // the start, four events, the end
  CHECK(clock.now() == 5000);
}

TEST_CASE("scheduler: looks into a mailbox for signals at an interval while it sleeps", "[sched][scheduler]") {
  VirtualClock<> clock;
  volatile std::uint32_t word = static_cast<std::uint32_t>(Signal::run);
  std::vector<Tick> at;
  Services services(service<0>([&] {
    at.push_back(clock.now());
    if (at.size() == 3) word = static_cast<std::uint32_t>(Signal::finish);
  }));
  auto timer = Timer<>::from({.service = 0, .start = 1000, .period = 1000}).value();
  MailboxSignaller polls(word), sleeps(word, 300);
  Quiet<VirtualClock<>, 4> scheduler(clock);
  CHECK(scheduler.execute(sleeps, services, timer) == Finished::by_finish);
  CHECK(at == std::vector<Tick>{1000, 2000, 3000});
  CHECK(scheduler.counts().sleeps == 3 * 4); // 300, 600, 900, 1000
  Tick wakes = 0;
  CHECK(polls.wake_at(Tick{77}, wakes));
  CHECK(wakes == 77);
}

namespace {

struct Running { // time passes whenever somebody looks
  using Tick = std::uint32_t;
  static constexpr AlarmKind alarm_kind = AlarmKind::sleeps;
  Tick time = 0, furthest = 0;
  Tick now() { return time += 3; }
  void alarm(Tick at) {
    if (at - time > furthest) furthest = at - time;
    if (is_before(time, at)) time = at;
  }
};

} // namespace

TEST_CASE("scheduler: does not sleep through a time that comes while it falls asleep", "[sched][scheduler]") {
  for (Tick start = 0; start < 50; ++start) {
    Running clock{start};
    unsigned runs = 0;
    Services services(service<0>([&] { ++runs; }));
    auto timer = Timer<>::from({.service = 0, .start = 50, .period = 50}).value();
    struct Until { // that knows no time
      using Offers = offer::List<offer::WakeAt>;
      unsigned& runs;
      Signal signal(Tick) const { return runs < 20 ? Signal::run : Signal::finish; }
      bool wake_at(Tick, Tick&) const { return false; }
    } signaller{runs};
    Quiet<Running, 4> scheduler(clock);
    CHECK(scheduler.execute(signaller, services, timer) == Finished::by_finish);
    INFO("start " << start);
    CHECK(clock.furthest <= 50);
    CHECK(runs == 20);
    CHECK(timer.missed() == 0);
  }
}

namespace {

struct MissLog {
  std::vector<Event<Tick>>* missed = nullptr;
  void operator()(const Event<Tick>& event, Tick) { missed->push_back(event); }
};
constexpr SchedulerOptions budgeted{.statistics = true, .budgets = true};

} // namespace

TEST_CASE("scheduler: a miss is seen, counted and binned by its lateness", "[sched][scheduler]") {
  VirtualClock<> clock;
  const std::vector<Tick> takes{5, 10, 11, 13, 17, 100, 9};
  std::size_t run = 0;
  Services services(service<4>([&] { clock.advance(takes[run++]); }));
  auto timer = Timer<>::from({.service = 4, .start = 0, .period = 200, .deadline = 10, .count = 7}).value();
  auto signaller = TimerSignaller<>::from(0, 2000, 3000).value();
  std::vector<Event<Tick>> missed;
  Quiet<VirtualClock<>, 2, SchedulerOptions{.statistics = true}, MissLog> scheduler(clock, MissLog{&missed});
  scheduler.execute(signaller, services, timer);
  const auto& record = scheduler.statistics(0);
  CHECK(record.runs == 7);
  CHECK(record.misses == 4);
  CHECK(record.least_lateness == -5);
  CHECK(record.greatest_lateness == 90);
  CHECK(record.lateness_sum == -5 + 0 + 1 + 3 + 7 + 90 - 1);
  CHECK(record.longest_execution == 100);
  CHECK(record.histogram == std::array<std::uint32_t, 8>{3, 1, 1, 1, 0, 0, 0, 1});
  REQUIRE(missed.size() == 4);
  CHECK(missed[0] == Event<Tick>{410, 4});
}

TEST_CASE("scheduler: a budget keeps one service's overruns from the others", "[sched][scheduler]") {
  // A hog takes 8 of 10 where it said 2; the other needs 5 of 20 within 6 and is to be in time.
  const auto misses_of_the_other = [](bool with_budget) {
    VirtualClock<> clock;
    Services services(service<0>([&] { clock.advance(8); }), service<1>([&] { clock.advance(5); }));
    auto hog = Timer<>::from({.service = 0, .start = 0, .period = 10, .deadline = 10}).value();
    auto other = Timer<>::from({.service = 1, .start = 0, .period = 20, .deadline = 20}).value();
    auto signaller = TimerSignaller<>::from(0, 4000, 5000).value();
    Quiet<VirtualClock<>, 4, budgeted> scheduler(clock);
    if (with_budget) CHECK(scheduler.budgets().set(0, {.time = 2, .period = 10}).ok());
    scheduler.execute(signaller, services, hog, other);
    if (with_budget) CHECK(scheduler.budgets().postponed(0) > 300);
    return scheduler.statistics(1).misses;
  };
  CHECK(misses_of_the_other(false) > 20);
  CHECK(misses_of_the_other(true) == 0);
}

TEST_CASE("scheduler: a flood takes nothing from a service whose set was proved to fit", "[sched][scheduler]") {
  // The hog said 3 of 20 and posts ten times as often, more than the processor can take; the others fill the rest.
  for (const Tick start : {0U, 0xFFFF'FFF0U, 0x7FFF'FFF0U}) {
    VirtualClock<> clock(start);
    InterruptMailbox hog(0, clock, 20);
    std::vector<Event<Tick>> missed;
    Services services(service<0>([&] { hog.post(), hog.post(), clock.advance(3); }),
                      service<1>([&] { clock.advance(5); }), service<2>([&] { clock.advance(8); }));
    auto urgent = Timer<>::from({.service = 1, .start = start, .period = 12, .deadline = 12}).value();
    auto slow = Timer<>::from({.service = 2, .start = start + 1, .period = 50, .deadline = 40}).value();
    auto signaller = TimerSignaller<>::from(start, start + 12'000, start + 20'000).value();
    Quiet<VirtualClock<>, 6, budgeted, MissLog> scheduler(clock, MissLog{&missed});
    static_assert(check_fit(std::array{ServiceTiming{.period = 20, .deadline = 20, .execution = 3, .burst = 2},
                                       ServiceTiming{12, 12, 5}, ServiceTiming{50, 40, 8}})
                      .ok());
    CHECK(scheduler.budgets().set(0, {.time = 3, .period = 20}).ok());
    hog.post();
    scheduler.execute(signaller, services, hog, urgent, slow);
    INFO("start " << start);
    CHECK(scheduler.statistics(1).runs == 1000);
    CHECK(scheduler.statistics(1).misses == 0);
    CHECK(scheduler.statistics(2).runs == 240);
    CHECK(scheduler.statistics(2).misses == 0);
    CHECK(scheduler.queue().high_water() <= 4); // two places each, one of a timer
    // What the hog is late by its own deadlines is seen.
    const auto& record = scheduler.statistics(0);
    CHECK(record.runs > 600);
    CHECK(record.misses > record.runs / 2);
    CHECK(missed.size() == record.misses);
    CHECK(scheduler.budgets().postponed(0) >= record.misses);
  }
}

TEST_CASE("scheduler: a service within its budget keeps its own deadlines", "[sched][scheduler]") {
  VirtualClock<> clock;
  Services services(service<0>([&] { clock.advance(2); }));
  auto timer = Timer<>::from({.service = 0, .start = 0, .period = 10, .deadline = 3}).value();
  auto signaller = TimerSignaller<>::from(0, 1000, 2000).value();
  Quiet<VirtualClock<>, 4, budgeted> scheduler(clock);
  CHECK(scheduler.budgets().set(0, {.time = 3, .period = 10}).ok());
  scheduler.execute(signaller, services, timer);
  CHECK(scheduler.statistics(0).runs == 100);
  CHECK(scheduler.statistics(0).least_lateness == -1);
  CHECK(scheduler.statistics(0).greatest_lateness == -1);
  CHECK(scheduler.budgets().postponed(0) == 0);
}

TEST_CASE("scheduler: a budget holds for the place in the list of services that runs", "[sched][scheduler]") {
  // An event comes when service 0 stands first and runs when it stands second, where nothing has come.
  VirtualClock<> clock;
  std::vector<int> ran;
  const auto zero = service<0>([&] { ran.push_back(0), clock.advance(10); });
  const auto one = service<1>([&] { ran.push_back(1), clock.advance(10); });
  Services first(zero, one);
  Services second(one, zero);
  InterruptMailbox mailbox(0, clock, 20);
  Quiet<VirtualClock<>, 4, budgeted> scheduler(clock);
  for (const std::size_t position : {0U, 1U})
    REQUIRE(scheduler.budgets().set(position, {.time = 10, .period = 1000}).ok());
  const auto run = [&](auto& services, unsigned turns) {
    CallableSignaller some([&](Tick) { return turns-- != 0 ? Signal::run : Signal::exit; });
    scheduler.execute(some, services, mailbox);
  };
  mailbox.post(), mailbox.post();
  run(first, 1); // runs one, by its own deadline, and keeps the other
  CHECK(ran == std::vector<int>{0});
  REQUIRE(scheduler.queue().size() == 1);
  run(second, 1);
  CHECK(ran == std::vector<int>{0, 0});
  // What was put off is over in a period, and forgotten: it is not ahead again when half of the clock's range has passed.
  const std::uint32_t before = scheduler.budgets().postponed(1);
  clock.advance(2000);
  run(second, 1);
  clock.advance(longest_span<Tick> + 100);
  mailbox.post();
  run(second, 1);
  CHECK(ran == std::vector<int>{0, 0, 0});
  CHECK(scheduler.budgets().postponed(1) == before);
}

TEST_CASE("scheduler: a budget holds a burst of events, too", "[sched][scheduler]") {
  // Events that each keep to the budget but come forty at once, four a turn; the other service has what the budget
  // leaves it.
  for (const Tick start : {0U, 0xFFFF'FFF0U, 0x7FFF'FFF0U}) {
    VirtualClock<> clock(start);
    Services services(service<0>([&] { clock.advance(2); }), service<1>([&] { clock.advance(5); }));
    InterruptMailbox a(0, clock, 3), b(0, clock, 3), c(0, clock, 3), d(0, clock, 3);
    for (unsigned post = 0; post < 10; ++post) a.post(), b.post(), c.post(), d.post();
    auto other = Timer<>::from({.service = 1, .start = start, .period = 10}).value();
    auto signaller = TimerSignaller<>::from(start, start + 1000, start + 2000).value();
    Quiet<VirtualClock<>, 64, budgeted> scheduler(clock);
    CHECK(scheduler.budgets().set(0, {.time = 2, .period = 10}).ok());
    scheduler.execute(signaller, services, a, b, c, d, other);
    INFO("start " << start);
    CHECK(scheduler.statistics(0).runs == 40);
    CHECK(scheduler.statistics(1).runs == 100);
    CHECK(scheduler.statistics(1).misses == 0);
    CHECK(other.missed() == 0);
  }
}

namespace {

template <class Ticks>
struct LateDeadlines {
  std::vector<Ticks>* deadlines = nullptr;
  void operator()(const Event<Ticks>& event, Ticks) const { deadlines->push_back(event.deadline); }
};

} // namespace

TEST_CASE("scheduler: events that a budget puts off to the same deadline run in the order of their releases",
          "[sched][scheduler]") {
  // Posts at 0 to 4 and later ones while others wait, all of them late: their own deadlines must come in order.
  const auto check = [](auto clock, auto capacity) {
    using Clock = decltype(clock);
    using Ticks = typename Clock::Tick;
    const Ticks start = clock.now();
    InterruptMailbox<Clock, 16> mailbox(0, clock, 5U);
    std::vector<Ticks> found, wanted;
    unsigned more = 6;
    const auto post = [&] { wanted.push_back(clock.now() + 5), mailbox.post(); };
    for (unsigned at = 0; at < 5; ++at) post(), clock.advance(1);
    Services services(service<0>([&] {
      clock.advance(10);
      if (more != 0) --more, post(), clock.advance(1), post();
    }));
    auto signaller = TimerSignaller<Ticks>::from(start, start + 1000, start + 9000).value();
    Quiet<Clock, decltype(capacity)::value, budgeted, LateDeadlines<Ticks>> scheduler(clock, {&found});
    CHECK(scheduler.budgets().set(0, {.time = 10, .period = 1000}).ok());
    scheduler.execute(signaller, services, mailbox);
    CHECK(found.size() == 17);
    CHECK(found == wanted);
  };
  for (const std::uint64_t start : {0ULL, 0xFFFF'FFF8ULL, 0x7FFF'FFF8ULL, 0x1'0000'0000ULL}) {
    const VirtualClock<> narrow(static_cast<Tick>(start));
    const VirtualClock<std::uint64_t> wide(start);
    check(narrow, std::integral_constant<std::size_t, 1>{});
    check(narrow, std::integral_constant<std::size_t, 2>{});
    check(narrow, std::integral_constant<std::size_t, 8>{});
    check(narrow, std::integral_constant<std::size_t, 80>{});
    check(wide, std::integral_constant<std::size_t, 8>{});
    check(wide, std::integral_constant<std::size_t, 80>{});
  }
}

TEST_CASE("scheduler: an overrun long ago does not put off an event", "[sched][scheduler]") {
  struct Rare { // posts after more than half of the clock's range
    using Offers [[maybe_unused]] = offer::List<offer::WakeAt>;
    Tick start;
    InterruptMailbox<VirtualClock<>>& mailbox;
    unsigned turns = 0, posts = 0;
    Signal signal(Tick now) {
      if (posts == 0 || (posts == 1 && now - start > 0x9000'0000U)) ++posts, mailbox.post();
      return ++turns < 40 ? Signal::run : Signal::finish;
    }
    static bool wake_at(Tick, Tick&) { return false; }
  };
  for (const Tick start : {0U, 0x8000'0000U, 0xFFFF'0000U}) {
    VirtualClock<> clock(start);
    Services services(service<0>([&] { clock.advance(1000); }), service<1>([] {}));
    InterruptMailbox rare(0, clock, 5);
    auto slow = Timer<>::from({.service = 1, .start = start + 1, .period = 0x1000'0000U}).value();
    Rare signaller{start, rare};
    Quiet<VirtualClock<>, 4, budgeted> scheduler(clock);
    CHECK(scheduler.budgets().set(0, {.time = 10, .period = 100}).ok());
    scheduler.execute(signaller, services, rare, slow);
    INFO("start " << start);
    REQUIRE(scheduler.statistics(0).runs == 2);
    CHECK(scheduler.statistics(0).least_lateness == 1000 - 5); // both by their own deadlines
  }
}

TEST_CASE("scheduler: after any silence an event within its budget keeps its own deadline", "[sched][scheduler]") {
  // Posts, run at once, each later than the budget asks; looks between them as rare as a scheduler ever sleeps. Spans
  // from one tick to the whole range, deadlines up to the longest.
  for (const std::uint32_t seed : Seeds(2000)) {
    std::mt19937 random(seed);
    const auto word = [&] { return static_cast<Tick>(random()); };
    const auto any_span = [&](Tick most) { return word() % (std::min(most - 1, Tick{1} << word() % 32) + 1); };
    VirtualClock<> clock(word() % 2 == 0 ? word() : 0U - word() % 1000);
    Services services(service<0>([&] { clock.advance(1); }));
    const Tick deadline = word() % 4 == 0 ? longest_span<Tick> - word() % 3 : any_span(longest_span<Tick>);
    const Tick period = 1 + any_span(longest_span<Tick> / 2 - 1);
    InterruptMailbox mailbox(0, clock, deadline);
    Quiet<VirtualClock<>, 2, SchedulerOptions{.statistics = true, .budgets = true, .leftover = Leftover::drop}>
        scheduler(clock);
    REQUIRE(scheduler.budgets().set(0, {.time = 5, .period = period}).ok());
    INFO("seed " << seed << ", deadline " << deadline << ", period " << period);
    const auto turns = [&](unsigned count) {
      CallableSignaller some([&](Tick) { return count-- != 0 ? Signal::run : Signal::exit; });
      scheduler.execute(some, services, mailbox);
    };
    for (unsigned post = 0; post < 8; ++post) {
      mailbox.post();
      if (word() % 2 == 0) mailbox.post(); // is dropped
      turns(1);
      REQUIRE(scheduler.counts().run == post + 1);
      REQUIRE(scheduler.budgets().postponed(0) == 0);
      std::uint64_t silence = std::uint64_t{period} + (word() % 4 == 0 ? word() : any_span(~Tick{0}));
      while (silence != 0) {
        const std::uint64_t nap = std::min<std::uint64_t>(silence, 1 + any_span(longest_span<Tick> / 8 * 7));
        clock.advance(static_cast<Tick>(nap));
        silence -= nap;
        if (silence != 0) turns(1);
      }
    }
  }
}

TEST_CASE("scheduler: a new budget forgets what the old one has put off", "[sched][scheduler]") {
  VirtualClock<> clock;
  Services services(service<0>([&] { clock.advance(10); }));
  InterruptMailbox mailbox(0, clock, 5);
  Quiet<VirtualClock<>, 4, budgeted> scheduler(clock);
  const auto run = [&] {
    mailbox.post();
    CallableSignaller signaller([&](Tick) { return mailbox.pending() != 0 ? Signal::run : Signal::finish; });
    scheduler.execute(signaller, services, mailbox);
  };
  CHECK(scheduler.budgets().set(0, {.time = 1, .period = 1000}).ok());
  run();
  run();
  CHECK(scheduler.budgets().postponed(0) == 1);
  CHECK(scheduler.budgets().set(0, {.time = 1, .period = 1000}).ok());
  run();
  CHECK(scheduler.budgets().postponed(0) == 1);
}

TEST_CASE("scheduler: what a budget puts off stays within the clock's range", "[sched][scheduler]") {
  VirtualClock<> clock(0xFFFF'0000U);
  Services services(service<0>([&] { clock.advance(50); }), service<1>([&] { clock.advance(10); }));
  auto hog = Timer<>::from({.service = 0, .start = clock.now(), .period = 60}).value();
  auto other = Timer<>::from({.service = 1, .start = clock.now() + 7, .period = 100}).value();
  const Tick end = clock.now() + 50'000;
  auto signaller = TimerSignaller<>::from(clock.now(), end, end + 1'000'000).value();
  Quiet<VirtualClock<>, 4, budgeted> scheduler(clock);
  CHECK(scheduler.budgets().set(0, {.time = 1, .period = 0x3000'0000U}).ok());
  scheduler.execute(signaller, services, hog, other);
  CHECK(scheduler.statistics(1).runs == 500);
  CHECK(scheduler.statistics(1).misses == 0);

  CHECK(scheduler.budgets().set(0, {.time = 1, .period = 0x4000'0000U}) ==
        Status{Error::parameter_out_of_range, 0, 0x4000'0000, "period"});
  CHECK(scheduler.budgets().set(0, {.time = 0x4000'0000U, .period = 5}) ==
        Status{Error::parameter_out_of_range, 0, 0x4000'0000, "time"});
  CHECK(scheduler.budgets().set(0, {.time = 1, .period = 0}) == Status{Error::parameter_out_of_range, 0, 0, "period"});
  CHECK(scheduler.budgets().set(0, {.time = 0x3FFF'FFFFU, .period = 0x3FFF'FFFFU}).ok());
  CHECK(scheduler.budgets().set(services.position(77), {.time = 1, .period = 5}).ok()); // a place nobody has yet
  CHECK(scheduler.budgets().set(16, {.time = 1, .period = 5}) ==
        Status{Error::parameter_out_of_range, 0, 16, "position"});
}

namespace {

/// Events of any service, some of none, with deadlines that are past, equal or far ahead; none after `end`.
struct Wild {
  using Offers = offer::List<offer::WakeAt>;
  std::mt19937& random;
  std::array<unsigned, 4>& made;
  bool next_event(Event<Tick>& event, Tick now) {
    if (random() % 3 == 0) return false;
    event = {static_cast<Tick>(now + random() % 7 * 5 - 10), static_cast<ServiceId>(random() % 4)};
    ++made[event.service];
    return true;
  }
  static bool wake_at(Tick now, Tick& at) { // lies: long ago
    at = now - 12345;
    return true;
  }
};

template <std::size_t Capacity, Leftover Left>
void count_all_events() {
  for (const std::uint32_t seed : Seeds(40)) {
    std::mt19937 random(seed);
    VirtualClock<> clock(seed * 0x1000'0001U);
    std::array<unsigned, 4> made{}, runs{};
    const auto job = [&](unsigned which) { ++runs[which], clock.advance(random() % 8); };
    Services services(service<0>([&] { job(0); }), service<1>([&] { job(1); }), service<2>([&] { job(2); }));
    Services fewer(service<0>([&] { job(0); }), service<1>([&] { job(1); }));
    Wild a{random, made}, b{random, made}, c{random, made};
    Quiet<VirtualClock<>, Capacity, SchedulerOptions{.statistics = true, .budgets = true, .leftover = Left}> scheduler(
        clock);
    REQUIRE(scheduler.budgets().set(1, {.time = 3, .period = 20}).ok());
    const auto sum = [&] {
      const auto& counts = scheduler.counts();
      return counts.run + counts.unknown + counts.dropped_at_exit + scheduler.queue().size();
    };
    INFO("capacity " << Capacity << ", seed " << seed);
    for (const bool finishes : {false, true, false}) {
      unsigned turns = 0;
      CallableSignaller signaller([&](Tick) {
        clock.advance(1);
        return ++turns < 200 ? Signal::run : finishes ? Signal::finish : Signal::exit;
      });
      scheduler.execute(signaller, services, a, b, c);
      REQUIRE(made[0] + made[1] + made[2] + made[3] == sum());
      REQUIRE(scheduler.counts().run == runs[0] + runs[1] + runs[2]);
      if (finishes) REQUIRE(scheduler.queue().empty());
    }
    // What was kept for a service that is not there any more.
    CallableSignaller finish([](Tick) { return Signal::finish; });
    REQUIRE(scheduler.execute(finish, fewer) == Finished::by_finish);
    REQUIRE(made[0] + made[1] + made[2] + made[3] == sum());
    REQUIRE(scheduler.queue().empty());
    REQUIRE(scheduler.counts().run == runs[0] + runs[1] + runs[2]);
  }
}

} // namespace

TEST_CASE("scheduler: every event is run or counted", "[sched][scheduler]") {
  count_all_events<3, Leftover::keep>();
  count_all_events<4, Leftover::run>();
  count_all_events<7, Leftover::drop>();
  count_all_events<16, Leftover::keep>();
  count_all_events<70, Leftover::drop>();
  count_all_events<100, Leftover::keep>();
}
