// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: OnMiss lacks 'void operator()(const Event<Tick>&, Tick)'; see docs/scheduling.md
// whole: 15
#include <neuromorph/sched/scheduler.hpp>

using namespace neuromorph;

int main() {
  VirtualClock<> clock;
#ifdef NEUROMORPH_KO
  Scheduler<VirtualClock<>, 4, SchedulerOptions{}, target::Generic> scheduler(clock); // a target, which comes last
#else
  Scheduler<VirtualClock<>, 4, SchedulerOptions{}, NoMissHook, target::Generic> scheduler(clock);
#endif
  return static_cast<int>(scheduler.counts().run);
}
