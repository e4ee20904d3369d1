// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the scheduler keeps no budgets: its options lack 'using Budgets = WithBudgets'; see docs/scheduling.md
// whole: 15
#include <neuromorph/sched/scheduler.hpp>

using namespace neuromorph;

struct Options : SchedulerOptions {
#ifndef NEUROMORPH_KO
  using Budgets = WithBudgets;
#endif
};

int main() {
  VirtualClock<> clock;
  Scheduler<VirtualClock<>, 4, Options> scheduler(clock);
  return scheduler.budgets().set(0, {.time = 1, .period = 2}).ok() ? 0 : 1;
}
