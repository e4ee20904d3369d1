// SPDX-License-Identifier: BSL-1.0
// Three services with timers and a mailbox, statistics on: what the scheduler takes.
#include <cstdint>

#include <neuromorph/sched/interrupt_mailbox.hpp>
#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>

namespace {
using namespace neuromorph;
using Tick = std::uint32_t;
volatile std::uint32_t counter, word, work;
struct CounterClock {
  using Tick = std::uint32_t;
  static constexpr AlarmKind alarm_kind = AlarmKind::wakes_core;
  static Tick now() { return counter; }
  static void alarm(Tick at) { counter = at; }
};
CounterClock time_source;
Scheduler<CounterClock, 16, SchedulerOptions{.statistics = true, .most_services = 3}> scheduler(time_source);
Timer<> neurons = constant_timer<TimerTiming<Tick>{.service = 0, .period = 1000}>();
Timer<> learning = constant_timer<TimerTiming<Tick>{.service = 1, .period = 5000}>();
InterruptMailbox packets(2, time_source, 300);
} // namespace

int main() {
  Services services(service<0>([] { work = 1; }), service<1>([] { work = 2; }), service<2>([] { work = 3; }));
  MailboxSignaller signaller(word);
  scheduler.execute(signaller, services, neurons, learning, packets);
  return static_cast<int>(scheduler.statistics(0).misses);
}
