// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the scheduler keeps no statistics: its SchedulerOptions lack '.statistics = true'; see docs/scheduling.md
// whole: 15
#include <neuromorph/sched/scheduler.hpp>

using namespace neuromorph;

#ifdef NEUROMORPH_KO
constexpr SchedulerOptions options{};
#else
constexpr SchedulerOptions options{.statistics = true};
#endif

int main() {
  VirtualClock<> clock;
  Scheduler<VirtualClock<>, 4, options> scheduler(clock);
  return static_cast<int>(scheduler.statistics(0).misses);
}
