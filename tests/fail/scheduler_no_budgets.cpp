// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the scheduler keeps no budgets: its SchedulerOptions lack '.budgets = true'; see docs/scheduling.md
// whole: 15
#include <neuromorph/sched/scheduler.hpp>

using namespace neuromorph;

#ifdef NEUROMORPH_KO
constexpr SchedulerOptions options{};
#else
constexpr SchedulerOptions options{.budgets = true};
#endif

int main() {
  VirtualClock<> clock;
  Scheduler<VirtualClock<>, 4, options> scheduler(clock);
  return scheduler.budgets().set(0, {.time = 1, .period = 2}).ok() ? 0 : 1;
}
