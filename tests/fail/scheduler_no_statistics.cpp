// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the scheduler keeps no statistics: its options lack 'using Statistics = WithStatistics'; see docs/scheduling.md
// whole: 15
#include <neuromorph/sched/scheduler.hpp>

using namespace neuromorph;

struct Options : SchedulerOptions {
#ifndef NEUROMORPH_KO
  using Statistics = WithStatistics;
#endif
};

int main() {
  VirtualClock<> clock;
  Scheduler<VirtualClock<>, 4, Options> scheduler(clock);
  return static_cast<int>(scheduler.statistics(0).misses);
}
