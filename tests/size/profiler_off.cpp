// SPDX-License-Identifier: BSL-1.0
// The scheduler's firmware with a profiler that is off: services, a scope, a counter, a step.
// same bytes with: -DNOT_PROFILED
#include <cstdint>

#include <neuromorph/firmware/profiler.hpp>
#include <neuromorph/sched/interrupt_mailbox.hpp>
#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>

#if defined(NOT_PROFILED)
#define PROFILED(name, given) given
#define ONLY_PROFILED(...)
#else
#define PROFILED(name, given) neuromorph::firmware::profiled<name>(profiler, given)
#define ONLY_PROFILED(...) __VA_ARGS__
#endif

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
Scheduler<CounterClock, 16> scheduler(time_source);
Timer<> neurons = constant_timer<TimerTiming<Tick>{.service = 0, .period = 1000}>();
InterruptMailbox packets(2, time_source, 300);
ONLY_PROFILED(using Tags = firmware::ProfileTags<"neurons", "packets">;)
ONLY_PROFILED(constinit firmware::NoProfiler profiler(Tags{});)
} // namespace

int main() {
  ONLY_PROFILED(if (!profiler.announce()) return 2;)
  Services services(PROFILED("neurons", service<0>([] {
                               ONLY_PROFILED(profiler.step(7);)
                               ONLY_PROFILED(const auto scope = profiler.scope<"packets">();)
                               work = 1;
                             })),
                    PROFILED("packets", service<2>([] {
                               ONLY_PROFILED(const auto since = profiler.enter();)
                               work = work * 3;
                               ONLY_PROFILED(profiler.exit<"packets">(since);)
                               ONLY_PROFILED(profiler.counter<"packets">(7);)
                             })));
  MailboxSignaller signaller(word);
  scheduler.execute(signaller, services, neurons, packets);
  ONLY_PROFILED(if (!profiler.report()) return 2;)
  return static_cast<int>(scheduler.counts().run);
}
