// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a source takes ticks of another width than the clock's; see docs/scheduling.md
// whole: 15
#include <cstdint>

#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>

using namespace neuromorph;

int main() {
  VirtualClock<> clock;
  Services services(service<1>([] {}));
  CallableSignaller signaller([](auto) { return Signal::exit; });
#ifdef NEUROMORPH_KO
  auto timer = constant_timer<TimerTiming<std::uint64_t>{.service = 1, .period = 10}>();
#else
  auto timer = constant_timer<TimerTiming<std::uint32_t>{.service = 1, .period = 10}>();
#endif
  Scheduler<VirtualClock<>, 4> scheduler(clock);
  return scheduler.execute(signaller, services, timer) == Finished::by_exit ? 0 : 1;
}
