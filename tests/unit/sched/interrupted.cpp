// SPDX-License-Identifier: BSL-1.0
// An interrupt after every single machine instruction of what polls a mailbox, and of what pushes to and pops from a
// queue. Also of whole turns of the scheduler, its sleep included. The processor's single-step mode brings it there,
// so it falls also where no line of C++ ends.
#include <cstdint>
#include <vector>

#include <neuromorph/sched/event_queue.hpp>
#include <neuromorph/sched/interrupt_mailbox.hpp>
#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"

#if defined(__x86_64__) && defined(__linux__)

#include <csignal>

using namespace neuromorph;
using Tick = std::uint32_t;

namespace {

/// Runs a function step by step and calls `interrupt` after instruction `at` and, if not 0, `again` later.
struct SingleStep {
  static inline volatile unsigned steps, at, again;
  static inline void (*interrupt)();

  static void on_trap(int) {
    const unsigned step = steps + 1;
    steps = step;
    if (step == at || (again != 0 && step == at + again)) interrupt();
  }

  SingleStep() {
    struct sigaction action = {};
    action.sa_handler = on_trap;
    sigaction(SIGTRAP, &action, &before_);
  }
  ~SingleStep() { sigaction(SIGTRAP, &before_, nullptr); }

  /// Whether the function was still running when the (last) interrupt came.
  template <class Function>
  [[nodiscard]] bool run(unsigned first, unsigned second, void (*handler)(), const Function& function) {
    steps = 0;
    at = first;
    again = second;
    interrupt = handler;
    // Past the red zone.
    asm volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp" ::
                     : "memory", "cc");
    function();
    asm volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp" ::
                     : "memory", "cc");
    return steps >= first + second;
  }

private:
  struct sigaction before_ = {};
};

using Mailbox = InterruptMailbox<VirtualClock<>, 2>;
Mailbox* left;
Mailbox* right_one;
VirtualClock<>* time_now;
std::array<Tick, 3> posted_at; // of each post
unsigned posts;
Sporadic<VirtualClock<>>* sporadic;

// With sanitizers or without optimisation there are many more instructions: not each of them then, but places in all.
#if TESTS_SANITIZED || !defined(__OPTIMIZE__)
constexpr unsigned stride = 97;
#else
constexpr unsigned stride = 1;
#endif

/// Two mailboxes, one of them posted to beforehand, and a queue; in each round both are asked and one event is taken.
template <std::size_t Capacity>
void interrupt_everywhere(unsigned second) {
  SingleStep stepper;
  unsigned at = 1, longest = 0;
  for (bool within = true; within; at += stride) {
    VirtualClock<> clock;
    Mailbox a(1, clock, 50), b(2, clock, 40);
    left = &a, right_one = &b;
    time_now = &clock;
    posted_at = {}, posts = 1;
    a.post();
    EventQueue<Tick, Capacity> queue;
    std::array<QueueEntry<Tick, std::uint32_t>, 16> taken{};
    unsigned count = 0, wrong = 0;
    std::array<unsigned, 3> of{};
    const auto round = [&](Tick now) {
      Event<Tick> event;
      if (!queue.full() && a.next_event(event, now)) static_cast<void>(queue.push({event.deadline, event.service}));
      if (!queue.full() && b.next_event(event, now)) static_cast<void>(queue.push({event.deadline, event.service}));
      if (!queue.empty()) taken[count++] = queue.pop();
      clock.advance(1);
    };
    within = stepper.run(
        at, second,
        [] {
          posted_at[posts++] = time_now->now();
          left->post();
          right_one->post();
        },
        [&] {
          for (Tick now = 0; now < 3; ++now) round(now);
        });
    longest = SingleStep::steps;
    for (Tick now = 3; now < 12; ++now) round(now); // what is left
    INFO("capacity " << Capacity << ", interrupt after instruction " << at << ", again after " << second);
    const unsigned interrupts = !within ? (longest >= at ? 1U : 0U) : second == 0 ? 1U : 2U;
    REQUIRE(a.posted() == 1 + interrupts);
    REQUIRE(b.posted() == interrupts);
    REQUIRE(a.pending() + b.pending() == 0);
    REQUIRE(queue.empty());
    REQUIRE(count == a.posted() + b.posted());
    REQUIRE(a.unstamped() <= (second == 0 ? 0U : 1U));
    for (unsigned event = 0; event < count; ++event) { // each counts from its own post
      const unsigned service = taken[event].rest, number = of[service]++ + service - 1;
      if (a.unstamped() == 0)
        wrong += taken[event].deadline == posted_at[number] + (service == 1 ? 50U : 40U) ? 0U : 1U;
    }
    REQUIRE(wrong == 0);
    REQUIRE(of[1] == a.posted());
    REQUIRE(of[2] == b.posted());
  }
  CHECK(longest > 30); // it did go through the operations
}

} // namespace

TEST_CASE("interrupted: nothing is lost at any instruction of mailbox and queue", "[sched][interrupted]") {
  SECTION("1") { interrupt_everywhere<1>(0); }
  SECTION("2") { interrupt_everywhere<2>(0); }
  SECTION("5") { interrupt_everywhere<5>(0); }
  SECTION("70") { interrupt_everywhere<70>(0); }
  SECTION("a second one behind") { interrupt_everywhere<3>(1); }
}

TEST_CASE("interrupted: a sporadic source loses nothing and keeps its interval", "[sched][interrupted]") {
  SingleStep stepper;
  unsigned at = 1;
  for (bool within = true; within; at += stride) {
    VirtualClock<> clock;
    Sporadic source(3, clock, 10, 4);
    sporadic = &source;
    source.post();
    std::array<Tick, 16> events{};
    unsigned count = 0;
    const auto ask = [&](Tick now) {
      Event<Tick> event;
      if (source.next_event(event, now)) events[count++] = now;
    };
    within = stepper.run(
        at, 0, [] { sporadic->post(); },
        [&] {
          for (Tick now = 0; now < 6; ++now) ask(now);
        });
    for (Tick now = 6; now < 16; ++now) ask(now);
    INFO("interrupt after instruction " << at);
    REQUIRE(count == source.posted());
    for (unsigned event = 1; event < count; ++event) REQUIRE(events[event] - events[event - 1] >= 4);
  }
  CHECK(at > 60);
}

namespace {

/// Interrupts as a core has them: a lock keeps them waiting, and one that waits ends a sleep.
struct Core : target::Generic {
  static inline volatile unsigned locks;
  static inline volatile bool waits, slept_through;
  static inline InterruptMailbox<VirtualClock<>>* mailbox;

  static void interrupt() {
    if (locks != 0)
      waits = true;
    else
      mailbox->post();
  }
  struct InterruptLock {
    InterruptLock() noexcept { locks = locks + 1; }
    ~InterruptLock() {
      locks = locks - 1;
      if (locks == 0 && waits) {
        waits = false;
        mailbox->post();
      }
    }
    InterruptLock(const InterruptLock&) = delete;
    InterruptLock& operator=(const InterruptLock&) = delete;
  };
  static void wait_for_interrupt() noexcept {
    if (mailbox->pending() != 0) slept_through = true; // an event is there, and nobody would wake us
  }
};

/// Virtual time for which a core waits as for a board's.
struct WakingClock : VirtualClock<> {
  static constexpr AlarmKind alarm_kind = AlarmKind::wakes_core;
};
/// Runs until so many services have run, and knows no time.
struct UntilRuns {
  using Offers = offer::List<offer::WakeAt>;
  const unsigned& runs;
  unsigned wanted;
  Signal signal(Tick) const { return runs < wanted ? Signal::run : Signal::finish; }
  bool wake_at(Tick, Tick&) const { return false; }
};

} // namespace

TEST_CASE("interrupted: no instruction of a turn or of falling asleep misses an interrupt", "[sched][interrupted]") {
  SingleStep stepper;
  unsigned at = 1, sleeps = 0;
  for (bool within = true; within; at += stride) {
    WakingClock clock;
    InterruptMailbox<VirtualClock<>> mailbox(1, clock, 50);
    Core::mailbox = &mailbox;
    Core::locks = 0;
    Core::waits = false;
    Core::slept_through = false;
    unsigned runs = 0, of_timer = 0;
    Services services(service<1>([&] { ++runs; }), service<2>([&] { ++runs, ++of_timer; }));
    auto timer = Timer<>::from({.service = 2, .start = 10, .period = 100, .count = 3}).value();
    UntilRuns signaller{runs, 3};
    Scheduler<WakingClock, 4, SchedulerOptions{}, NoMissHook, Core> scheduler(clock);
    within = stepper.run(at, 0, Core::interrupt, [&] { scheduler.execute(signaller, services, timer, mailbox); });
    INFO("interrupt after instruction " << at);
    REQUIRE_FALSE(Core::slept_through);
    REQUIRE(runs >= 3);
    REQUIRE(scheduler.counts().run == runs);
    REQUIRE(scheduler.queue().empty());
    REQUIRE(runs - of_timer + mailbox.pending() == mailbox.posted());
    REQUIRE(timer.missed() == 0);
    sleeps += scheduler.counts().sleeps;
  }
  CHECK(at > 200);
  CHECK(sleeps > 200 / stride);
}

#else

TEST_CASE("interrupted: needs single steps, which are written for x86-64 and Linux", "[sched][interrupted]") {}

#endif
