// SPDX-License-Identifier: BSL-1.0
// A million events under a timer interrupt that posts while the scheduler runs and sleeps: nothing is lost, every count
// is right. On boards the interrupt is real: SysTick's on a Cortex-M, that of an SP804 on the ARM926; elsewhere it
// comes when the clock is read.
#include <array>
#include <cstdint>
#include <cstdio>

#include <neuromorph/sched/interrupt_mailbox.hpp>
#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>
#include <neuromorph/target/native.hpp>

#include "tests/support/board_timer.hpp"

namespace {

using namespace neuromorph;
using Tick = std::uint32_t;

constexpr unsigned boxes = 4;
constexpr std::uint32_t wanted = 1'000'000; // events of the mailboxes

using ClockType = board_timer::Clock;
using board_timer::time_source;
using Mailbox = InterruptMailbox<ClockType, 64>;
std::array<Mailbox, boxes> mailboxes{Mailbox{0, time_source, 400}, Mailbox{1, time_source, 300},
                                     Mailbox{2, time_source, 200}, Mailbox{3, time_source, 100}};
Sporadic sporadic(4, time_source, 500, 3);
std::array<volatile std::uint32_t, boxes> written; // before the post, as a driver does with what came
volatile std::uint32_t interrupts, posts;

/// What a timer interrupt does: eight posts, and a rare one.
void interrupt() {
  if (posts >= wanted) return;
  interrupts = interrupts + 1;
  for (unsigned which = 0; which < 8; ++which) {
    const unsigned box = (which * which + interrupts) % boxes;
    written[box] = written[box] + 1;
    mailboxes[box].post();
    posts = posts + 1;
  }
  if (interrupts % 16 == 0) sporadic.post();
}

constexpr Tick period = 100 * board_timer::unit;

/// Until all has been posted and taken.
struct UntilTaken {
  using Offers = offer::List<offer::WakeAt>;
  static bool is_taken() {
    bool taken = posts >= wanted && sporadic.pending() == 0;
    for (const auto& mailbox : mailboxes) taken = taken && mailbox.pending() == 0;
    return taken;
  }
  static Signal signal(Tick) { return is_taken() ? Signal::finish : Signal::run; }
  static bool wake_at(Tick, Tick&) { return false; }
};

bool right = true;
void require(bool condition, const char* what) {
  if (!condition) std::printf("wrong: %s\n", what), right = false;
}

} // namespace

void board_timer::on_interrupt() { interrupt(); }

int main() {
  std::array<std::uint32_t, boxes> runs{};
  std::uint32_t of_sporadic = 0, of_timer = 0;
  const auto run = [&](unsigned box) {
    ++runs[box];
    if (static_cast<std::int32_t>(written[box] - runs[box]) < 0)
      require(false, "an event before what was written for it");
  };
  Services services(service<0>([&] { run(0); }), service<1>([&] { run(1); }), service<2>([&] { run(2); }),
                    service<3>([&] { run(3); }), service<4>([&] { ++of_sporadic; }), service<5>([&] { ++of_timer; }));
  board_timer::start(20);
  const Tick begin = time_source.now() + period;
  auto timer = Timer<>::from({.service = 5, .start = begin, .period = period}).value();
  Scheduler<ClockType, 16, SchedulerOptions{.statistics = true}, NoMissHook, board_timer::Target> scheduler(
      time_source);
  UntilTaken signaller;
  const Finished finished =
      scheduler.execute(signaller, services, timer, mailboxes[0], mailboxes[1], mailboxes[2], mailboxes[3], sporadic);
  const Tick end = time_source.now();
  board_timer::stop();

  const SchedulerCounts& counts = scheduler.counts();
  std::printf("%u interrupts, %u events of mailboxes, %u sporadic (%u deferred), %u of the timer (%u periods missed); "
              "at most %u queued, %u sleeps\n",
              static_cast<unsigned>(interrupts), static_cast<unsigned>(posts), static_cast<unsigned>(of_sporadic),
              static_cast<unsigned>(sporadic.deferred()), static_cast<unsigned>(of_timer),
              static_cast<unsigned>(timer.missed()), static_cast<unsigned>(scheduler.queue().high_water()),
              static_cast<unsigned>(counts.sleeps));
  require(finished == Finished::by_finish, "end");
  require(posts >= wanted && posts == 8 * interrupts, "posts");
  std::uint32_t all = of_sporadic + of_timer;
  for (unsigned box = 0; box < boxes; ++box) {
    require(runs[box] == mailboxes[box].posted() && runs[box] == written[box], "runs of a mailbox");
    require(scheduler.statistics(box).runs == runs[box], "statistics of a mailbox");
    all += runs[box];
  }
  require(of_sporadic == sporadic.posted() && of_sporadic == interrupts / 16, "runs of the sporadic source");
  require(counts.run == all && counts.unknown == 0 && counts.dropped_at_exit == 0, "counts");
  require(scheduler.queue().empty(), "queue");
  require(counts.sleeps > 0, "it slept");
  // Each period that has begun was an event, or is one now.
  Tick events = of_timer;
  for (Event<Tick> event; timer.next_event(event, end);) ++events;
  require(events == (end - begin) / period + 1 && timer.missed() == 0, "periods");
  return right ? 0 : 1;
}
