// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a scheduler is not copied: its queue points into itself; pass a reference; see docs/scheduling.md
// whole: 15
#include <neuromorph/sched/scheduler.hpp>

using namespace neuromorph;
using Executer = Scheduler<VirtualClock<>, 4>;

int main() {
  VirtualClock<> clock;
  Executer scheduler(clock);
#ifdef NEUROMORPH_KO
  Executer other = scheduler;
#else
  Executer& other = scheduler;
#endif
  return static_cast<int>(other.counts().run);
}
