// SPDX-License-Identifier: BSL-1.0
// The scheduler in virtual time: order against a brute-force model, every event accounted for, policies and signals.
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <neuromorph/sched/interrupt_mailbox.hpp>
#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;

namespace {

using Tick = std::uint32_t;

struct Run {
  unsigned service;
  std::uint64_t start; // from the beginning of the test
  bool operator==(const Run&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Run& run) { return out << run.service << "@" << run.start; }

struct Task {
  Tick start, period, deadline, execution;
};

/// Earliest deadline first by the book: the releases are listed, the earliest deadline is looked for among all that
/// have come; equal ones in the order of release by poll and source. A period that was not seen at a poll is lost.
std::vector<Run> by_the_book(const std::vector<Task>& tasks, std::uint64_t end, std::vector<unsigned>& lost) {
  struct Job {
    std::uint64_t deadline, arrival;
    unsigned task;
  };
  std::vector<Run> runs;
  std::vector<Job> waiting;
  std::vector<std::uint64_t> next(tasks.size(), 0); // number of the period that is awaited
  lost.assign(tasks.size(), 0);
  std::uint64_t now = 0, arrivals = 0;
  for (;;) {
    if (now < end)
      for (unsigned task = 0; task < tasks.size(); ++task) {
        const Task& t = tasks[task];
        if (now < t.start || (now - t.start) / t.period < next[task]) continue;
        const std::uint64_t running = (now - t.start) / t.period;
        lost[task] += static_cast<unsigned>(running - next[task]);
        next[task] = running + 1;
        waiting.push_back({t.start + running * t.period + t.deadline, arrivals++, task});
      }
    if (waiting.empty()) {
      if (now >= end) return runs;
      ++now; // tick by tick
      continue;
    }
    std::size_t first = 0;
    for (std::size_t i = 1; i < waiting.size(); ++i)
      if (waiting[i].deadline < waiting[first].deadline) first = i;
    const unsigned task = waiting[first].task;
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(first));
    runs.push_back({task, now});
    now += tasks[task].execution;
  }
}

template <class Ticks>
struct Quiet : SchedulerOptions {
  using Target = target::Generic;
};
struct Counting : SchedulerOptions {
  using Target = target::Generic;
  using Statistics = WithStatistics;
};

/// Four services of which each takes up to 1 / share of its period. Overload needs a queue that holds what piles up.
template <class Ticks, std::size_t Capacity>
void compare_random_set(std::uint32_t seed, Ticks offset, Tick share) {
  std::mt19937 random(seed);
  const auto draw = [&](Tick least, Tick most) { return std::uniform_int_distribution<Tick>(least, most)(random); };
  std::vector<Task> tasks;
  for (int i = 0; i < 4; ++i) {
    const Tick period = draw(2 * share, 20 * share);
    tasks.push_back({draw(0, 10), period, draw(1, 2 * period), draw(1, std::max(period / share, 1U))});
  }
  const std::uint64_t end = 400;
  std::vector<unsigned> lost;
  const std::vector<Run> expected = by_the_book(tasks, end, lost);

  VirtualClock<Ticks> clock(offset);
  std::vector<Run> found;
  const auto job = [&](unsigned task) {
    found.push_back({task, static_cast<std::uint64_t>(static_cast<Ticks>(clock.now() - offset))});
    clock.advance(tasks[task].execution);
  };
  Services services(service<3>([&] { job(0); }), service<200>([&] { job(1); }), service<0>([&] { job(2); }),
                    service<17>([&] { job(3); }));
  const auto timer = [&](unsigned task, ServiceId id) {
    const Task& t = tasks[task];
    return Timer<Ticks>::from({id, static_cast<Ticks>(offset + t.start), t.period, t.deadline}).value();
  };
  auto t0 = timer(0, 3), t1 = timer(1, 200), t2 = timer(2, 0), t3 = timer(3, 17);
  auto signaller =
      TimerSignaller<Ticks>::from(offset, static_cast<Ticks>(offset + end), static_cast<Ticks>(offset + 100 * end))
          .value();
  Scheduler<VirtualClock<Ticks>, Capacity, Counting> scheduler(clock);
  INFO("seed " << seed << ", offset " << offset);
  REQUIRE(scheduler.execute(signaller, services, t0, t1, t2, t3) == Finished::by_finish);
  REQUIRE(found == expected);
  REQUIRE(t0.missed() == lost[0]);
  REQUIRE(t1.missed() == lost[1]);
  REQUIRE(t2.missed() == lost[2]);
  REQUIRE(t3.missed() == lost[3]);
  REQUIRE(scheduler.counts().run == expected.size());
  std::size_t runs = 0;
  for (std::size_t position = 0; position < 4; ++position) {
    const auto& record = scheduler.statistics(position);
    std::uint32_t binned = 0;
    for (const auto bin : record.histogram) binned += bin;
    REQUIRE(binned == record.runs);
    REQUIRE(record.histogram[0] + record.misses == record.runs);
    if (record.runs != 0) REQUIRE(record.longest_execution == tasks[position].execution);
    runs += record.runs;
  }
  REQUIRE(runs == expected.size());
}

} // namespace

TEST_CASE("scheduler: runs what a brute-force model runs, when it does", "[sched][scheduler]") {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    compare_random_set<std::uint32_t, 1000>(seed, 0, 1);
    compare_random_set<std::uint32_t, 1000>(seed, 0xFFFF'FF38U, 2); // wraps in the middle
    compare_random_set<std::uint32_t, 16>(seed, 0x7FFF'FF38U, 5);
    compare_random_set<std::uint64_t, 16>(seed, 0xFFFF'FFFF'FFFF'FF38ULL, 5);
  }
}

TEST_CASE("scheduler: services of all kinds", "[sched][scheduler]") {
  static int called = 0;
  struct Rule {
    int runs = 0;
    void run() { ++runs; }
  } rule;
  int captured = 0;
  Services services(service<0>(+[] { ++called; }), service<1>(rule, &Rule::run),
                    service<2>([&captured] { ++captured; }));
  for (std::size_t position = 0; position < 3; ++position) services.exec(position);
  services.exec(1);
  CHECK(called == 1);
  CHECK(rule.runs == 2);
  CHECK(captured == 1);
  CHECK(services.position(2) == 2);
  CHECK(services.position(3) == services.none);
  CHECK(services.position(255) == services.none);
}

TEST_CASE("scheduler: waits, runs, finishes and exits by signals", "[sched][scheduler]") {
  VirtualClock<> clock;
  unsigned runs = 0, asked = 0;
  Services services(service<0>([&] {
    ++runs;
    clock.advance(1);
  }));
  struct Always { // a source that always has an event
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
    Scheduler<VirtualClock<>, 4, Quiet<Tick>> scheduler(clock);
    CallableSignaller turn([&](Tick) {
      if (clock.now() < 10) clock.advance(1);
      return signaller.signal(clock.now());
    });
    CHECK(scheduler.execute(turn, services, always, timer) == Finished::by_finish);
    CHECK(timer.missed() <= 1); // the period before the start
    CHECK(scheduler.queue().empty());
    CHECK(asked + 2 + 1 - timer.missed() == scheduler.counts().run + scheduler.queue().refused());
  }
  SECTION("nothing is asked and nothing runs before the start") {
    unsigned turns = 0;
    CallableSignaller signaller([&](Tick) { return ++turns < 50 ? Signal::wait : Signal::exit; });
    Scheduler<VirtualClock<>, 4, Quiet<Tick>> scheduler(clock);
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
    Scheduler<VirtualClock<>, 4, Quiet<Tick>> scheduler(clock);
    CHECK(scheduler.execute(signaller, stopping, always) == Finished::by_finish);
    CHECK(runs == 5);
    word = 77;
    CHECK(scheduler.execute(signaller, stopping, always) == Finished::by_exit);
  }
}

namespace {

template <class Left>
struct Leaving : SchedulerOptions {
  using Target = target::Generic;
  using Leftover = Left;
};
/// A source of `count` events at once, one a poll.
struct Burst {
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
  // Three events a turn, one is run: after 2 turns 4 are left.
  Burst a{100}, b{100}, c{100};
  auto signaller = exit_after(2);
  SECTION("kept") {
    Scheduler<VirtualClock<>, 8, Leaving<leftover::Keep>> scheduler(clock);
    CHECK(scheduler.execute(signaller, services, a, b, c) == Finished::by_exit);
    CHECK(scheduler.queue().size() == 4);
    CHECK(runs == 2);
    CallableSignaller finish([](Tick) { return Signal::finish; });
    CHECK(scheduler.execute(finish, services, a, b, c) == Finished::by_finish);
    CHECK(runs == 6);
  }
  SECTION("run") {
    Scheduler<VirtualClock<>, 8, Leaving<leftover::Run>> scheduler(clock);
    CHECK(scheduler.execute(signaller, services, a, b, c) == Finished::by_exit);
    CHECK(scheduler.queue().empty());
    CHECK(runs == 6);
    CHECK(scheduler.counts().run == 6);
  }
  SECTION("dropped") {
    Scheduler<VirtualClock<>, 8, Leaving<leftover::Drop>> scheduler(clock);
    CHECK(scheduler.execute(signaller, services, a, b, c) == Finished::by_exit);
    CHECK(scheduler.queue().empty());
    CHECK(runs == 2);
    CHECK(scheduler.counts().dropped_at_exit == 4);
  }
}

TEST_CASE("scheduler: a full queue leaves events with their sources, and all of them get their turn",
          "[sched][scheduler]") {
  struct Always {
    ServiceId id;
    unsigned asked = 0;
    bool next_event(Event<Tick>& event, Tick now) {
      ++asked;
      event = {now + 100, id};
      return true;
    }
  };
  const auto check = [&](auto capacity) {
    VirtualClock<> clock;
    std::array<unsigned, 3> runs{};
    Services services(service<0>([&] { ++runs[0]; }), service<1>([&] { ++runs[1]; }), service<2>([&] { ++runs[2]; }));
    Always a{0}, b{1}, c{2};
    unsigned turns = 0;
    CallableSignaller signaller([&](Tick) {
      clock.advance(1);
      return ++turns > 300 ? Signal::finish : Signal::run;
    });
    Scheduler<VirtualClock<>, capacity, Quiet<Tick>> scheduler(clock);
    CHECK(scheduler.execute(signaller, services, a, b, c) == Finished::by_finish);
    CHECK(scheduler.queue().refused() == 0);
    CHECK(a.asked + b.asked + c.asked == scheduler.counts().run);
    for (const unsigned count : runs) CHECK(count >= 100);
  };
  check(std::integral_constant<std::size_t, 1>{});
  check(std::integral_constant<std::size_t, 2>{});
  check(std::integral_constant<std::size_t, 3>{});
  check(std::integral_constant<std::size_t, 16>{});
}

TEST_CASE("scheduler: an event for a service that is not there is counted", "[sched][scheduler]") {
  VirtualClock<> clock;
  unsigned runs = 0;
  Services services(service<1>([&] { ++runs; }));
  Burst burst{10}; // every second one names service 0
  CallableSignaller signaller([&](Tick) { return burst.count == 0 ? Signal::finish : Signal::run; });
  Scheduler<VirtualClock<>, 4, Quiet<Tick>> scheduler(clock);
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
  InterruptMailbox<> mailbox(0, 10);
  auto signaller = TimerSignaller<>::from(0xFFFF'FF80U, 5000, 6000).value();
  Scheduler<VirtualClock<>, 4, Counting> scheduler(clock);
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
  Scheduler<VirtualClock<>, 4, Quiet<Tick>> scheduler(clock);
  CHECK(scheduler.execute(sleeps, services, timer) == Finished::by_finish);
  CHECK(at == std::vector<Tick>{1000, 2000, 3000});
  CHECK(scheduler.counts().sleeps == 3 * 4); // 300, 600, 900, 1000
  Tick wakes = 0;
  CHECK(polls.wake_at(Tick{77}, wakes));
  CHECK(wakes == 77);
}

TEST_CASE("scheduler: does not sleep through a time that comes while it falls asleep", "[sched][scheduler]") {
  struct Running { // time passes whenever somebody looks
    using Tick = std::uint32_t;
    using AlarmKind = alarm_kind::Sleeps;
    Tick time = 0, furthest = 0;
    Tick now() { return time += 3; }
    void alarm(Tick at) {
      if (at - time > furthest) furthest = at - time;
      if (is_before(time, at)) time = at;
    }
  };
  for (Tick start = 0; start < 50; ++start) {
    Running clock{start};
    unsigned runs = 0;
    Services services(service<0>([&] { ++runs; }));
    auto timer = Timer<>::from({.service = 0, .start = 50, .period = 50}).value();
    struct Until { // that knows no time
      unsigned& runs;
      Signal signal(Tick) const { return runs < 20 ? Signal::run : Signal::finish; }
      bool wake_at(Tick, Tick&) const { return false; }
    } signaller{runs};
    Scheduler<Running, 4, Quiet<Tick>> scheduler(clock);
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
struct Hooked : SchedulerOptions {
  using Target = target::Generic;
  using OnMiss = MissLog;
  using Statistics = WithStatistics;
};
struct Budgeted : SchedulerOptions {
  using Target = target::Generic;
  using Statistics = WithStatistics;
  using Budgets = WithBudgets;
};

} // namespace

TEST_CASE("scheduler: a miss is seen, counted and binned by its lateness", "[sched][scheduler]") {
  VirtualClock<> clock;
  const std::vector<Tick> takes{5, 10, 11, 13, 17, 100, 9};
  std::size_t run = 0;
  Services services(service<4>([&] { clock.advance(takes[run++]); }));
  auto timer = Timer<>::from({.service = 4, .start = 0, .period = 200, .deadline = 10, .count = 7}).value();
  auto signaller = TimerSignaller<>::from(0, 2000, 3000).value();
  std::vector<Event<Tick>> missed;
  Scheduler<VirtualClock<>, 2, Hooked> scheduler(clock, MissLog{&missed});
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
    Scheduler<VirtualClock<>, 4, Budgeted> scheduler(clock);
    if (with_budget) CHECK(scheduler.budgets().set(0, {.time = 2, .period = 10}).ok());
    scheduler.execute(signaller, services, hog, other);
    if (with_budget) CHECK(scheduler.budgets().postponed(0) > 300);
    return scheduler.statistics(1).misses;
  };
  CHECK(misses_of_the_other(false) > 20);
  CHECK(misses_of_the_other(true) == 0);
}

TEST_CASE("scheduler: a service within its budget keeps its own deadlines", "[sched][scheduler]") {
  VirtualClock<> clock;
  Services services(service<0>([&] { clock.advance(2); }));
  auto timer = Timer<>::from({.service = 0, .start = 0, .period = 10, .deadline = 3}).value();
  auto signaller = TimerSignaller<>::from(0, 1000, 2000).value();
  Scheduler<VirtualClock<>, 4, Budgeted> scheduler(clock);
  CHECK(scheduler.budgets().set(0, {.time = 3, .period = 10}).ok());
  scheduler.execute(signaller, services, timer);
  CHECK(scheduler.statistics(0).runs == 100);
  CHECK(scheduler.statistics(0).least_lateness == -1);
  CHECK(scheduler.statistics(0).greatest_lateness == -1);
  CHECK(scheduler.budgets().postponed(0) == 0);
}

TEST_CASE("scheduler: a budget holds a burst of events, too", "[sched][scheduler]") {
  // Events that each keep to the budget but come forty at once, four a turn; the other service has what the budget
  // leaves it.
  for (const Tick start : {0U, 0xFFFF'FFF0U, 0x7FFF'FFF0U}) {
    VirtualClock<> clock(start);
    Services services(service<0>([&] { clock.advance(2); }), service<1>([&] { clock.advance(5); }));
    InterruptMailbox<> a(0, 3), b(0, 3), c(0, 3), d(0, 3);
    for (unsigned post = 0; post < 10; ++post) a.post(), b.post(), c.post(), d.post();
    auto other = Timer<>::from({.service = 1, .start = start, .period = 10}).value();
    auto signaller = TimerSignaller<>::from(start, start + 1000, start + 2000).value();
    Scheduler<VirtualClock<>, 64, Budgeted> scheduler(clock);
    CHECK(scheduler.budgets().set(0, {.time = 2, .period = 10}).ok());
    scheduler.execute(signaller, services, a, b, c, d, other);
    INFO("start " << start);
    CHECK(scheduler.statistics(0).runs == 40);
    CHECK(scheduler.statistics(1).runs == 100);
    CHECK(scheduler.statistics(1).misses == 0);
    CHECK(other.missed() == 0);
  }
}

TEST_CASE("scheduler: an overrun long ago does not put off an event", "[sched][scheduler]") {
  struct Rare { // posts after more than half of the clock's range
    Tick start;
    InterruptMailbox<>& mailbox;
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
    InterruptMailbox<> rare(0, 5);
    auto slow = Timer<>::from({.service = 1, .start = start + 1, .period = 0x1000'0000U}).value();
    Rare signaller{start, rare};
    Scheduler<VirtualClock<>, 4, Budgeted> scheduler(clock);
    CHECK(scheduler.budgets().set(0, {.time = 10, .period = 100}).ok());
    scheduler.execute(signaller, services, rare, slow);
    INFO("start " << start);
    REQUIRE(scheduler.statistics(0).runs == 2);
    CHECK(scheduler.statistics(0).least_lateness == 1000 - 5); // both by their own deadlines
  }
}

TEST_CASE("scheduler: what a budget puts off stays within the clock's range", "[sched][scheduler]") {
  VirtualClock<> clock(0xFFFF'0000U);
  Services services(service<0>([&] { clock.advance(50); }), service<1>([&] { clock.advance(10); }));
  auto hog = Timer<>::from({.service = 0, .start = clock.now(), .period = 60}).value();
  auto other = Timer<>::from({.service = 1, .start = clock.now() + 7, .period = 100}).value();
  const Tick end = clock.now() + 50'000;
  auto signaller = TimerSignaller<>::from(clock.now(), end, end + 1'000'000).value();
  Scheduler<VirtualClock<>, 4, Budgeted> scheduler(clock);
  CHECK(scheduler.budgets().set(0, {.time = 1, .period = 0x3000'0000U}).ok());
  scheduler.execute(signaller, services, hog, other);
  CHECK(scheduler.statistics(1).runs == 500);
  CHECK(scheduler.statistics(1).misses == 0);

  CHECK(scheduler.budgets().set(0, {.time = 1, .period = 0x4000'0000U}) ==
        Status{Error::parameter_out_of_range, 1, 0x4000'0000});
  CHECK(scheduler.budgets().set(0, {.time = 0x4000'0000U, .period = 5}).where == 0);
  CHECK(scheduler.budgets().set(0, {.time = 1, .period = 0}).where == 1);
  CHECK(scheduler.budgets().set(services.position(77), {.time = 1, .period = 5}).ok()); // a place nobody has yet
  CHECK(scheduler.budgets().set(16, {.time = 1, .period = 5}) == Status{Error::parameter_out_of_range, 2, 16});
}

namespace {

template <class Policy, class Left>
struct Hostile : SchedulerOptions {
  using Target = target::Generic;
  using Full = Policy;
  using Leftover = Left;
  using Statistics = WithStatistics;
  using Budgets = WithBudgets;
};

/// Events of any service, some of none, with deadlines that are past, equal or far ahead; none after `end`.
struct Wild {
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

template <std::size_t Capacity, class Policy, class Left>
void count_all_events() {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    VirtualClock<> clock(seed * 0x1000'0001U);
    std::array<unsigned, 4> made{}, runs{};
    const auto job = [&](unsigned which) { ++runs[which], clock.advance(random() % 8); };
    Services services(service<0>([&] { job(0); }), service<1>([&] { job(1); }), service<2>([&] { job(2); }));
    Services fewer(service<0>([&] { job(0); }), service<1>([&] { job(1); }));
    Wild a{random, made}, b{random, made}, c{random, made};
    Scheduler<VirtualClock<>, Capacity, Hostile<Policy, Left>> scheduler(clock);
    REQUIRE(scheduler.budgets().set(1, {.time = 3, .period = 20}).ok());
    const auto sum = [&] {
      const auto& counts = scheduler.counts();
      return counts.run + counts.unknown + counts.dropped_at_exit + scheduler.queue().refused() +
             scheduler.queue().dropped() + scheduler.queue().size();
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

TEST_CASE("scheduler: every event is run or counted, whatever gives way", "[sched][scheduler]") {
  count_all_events<1, queue_full::RefuseNewest, leftover::Keep>();
  count_all_events<1, queue_full::DropLatestDeadline, leftover::Keep>();
  count_all_events<2, queue_full::RefuseNewest, leftover::Drop>();
  count_all_events<2, queue_full::DropLatestDeadline, leftover::Keep>();
  count_all_events<2, queue_full::DropLatestDeadline, leftover::Run>();
  count_all_events<5, queue_full::DropLatestDeadline, leftover::Drop>();
  count_all_events<70, queue_full::DropLatestDeadline, leftover::Keep>();
}

TEST_CASE("service_statistics: extremes of both widths", "[sched][service_statistics]") {
  WithStatistics::Of<std::uint32_t, 1> narrow;
  narrow.note(0, 0, 0, 0x7FFF'FFFFU);
  narrow.note(0, 0x7FFF'FFFFU, 0, 0);
  CHECK(narrow.records[0].greatest_lateness == 0x7FFF'FFFF);
  CHECK(narrow.records[0].least_lateness == -0x7FFF'FFFF);
  CHECK(narrow.records[0].lateness_sum == 0);
  CHECK(narrow.records[0].misses == 1);
  CHECK(narrow.records[0].longest_execution == 0x7FFF'FFFFU);
  WithStatistics::Of<std::uint64_t, 1> wide;
  for (unsigned run = 0; run < 5; ++run) wide.note(0, 0, 0, longest_span<std::uint64_t>);
  CHECK(wide.records[0].lateness_sum == INT64_MAX);
  for (unsigned run = 0; run < 9; ++run) wide.note(0, longest_span<std::uint64_t>, 0, 0);
  CHECK(wide.records[0].lateness_sum == INT64_MIN);
}

TEST_CASE("interrupt_mailbox: every post becomes an event", "[sched][interrupt_mailbox]") {
  InterruptMailbox<> mailbox(9, 25);
  Event<Tick> event;
  Tick at = 0;
  CHECK_FALSE(mailbox.next_event(event, 5));
  CHECK_FALSE(mailbox.wake_at(5, at));
  mailbox.post();
  mailbox.post();
  CHECK(mailbox.pending() == 2);
  CHECK(mailbox.wake_at(5, at));
  CHECK(mailbox.next_event(event, 0xFFFF'FFF0U));
  CHECK(event == Event<Tick>{9, 9});
  CHECK(mailbox.next_event(event, 0));
  CHECK_FALSE(mailbox.next_event(event, 0));
  CHECK(mailbox.posted() == 2);
}

TEST_CASE("interrupt_mailbox: a sporadic source keeps its interval and loses nothing", "[sched][interrupt_mailbox]") {
  for (std::uint32_t seed = 1; seed < 50; ++seed) {
    std::mt19937 random(seed);
    const Tick offset = seed % 2 == 0 ? 0xFFFF'FF00U : 0;
    Sporadic<> source(2, 5, 7);
    std::vector<Tick> events;
    unsigned posts = 0;
    for (Tick time = 0; time < 1000; ++time) {
      if (time < 700 && random() % 6 == 0) source.post(), ++posts;
      if (random() % 3 == 0) continue;
      Event<Tick> event;
      if (source.next_event(event, offset + time)) {
        REQUIRE(event == Event<Tick>{offset + time + 5, 2});
        if (!events.empty()) REQUIRE(time - events.back() >= 7);
        events.push_back(time);
      }
    }
    const bool came_closer = posts > 140;
    INFO("seed " << seed);
    REQUIRE(events.size() + source.pending() == posts);
    REQUIRE(source.deferred() <= posts);
    if (came_closer) REQUIRE(source.deferred() > 0);
  }
}
