// SPDX-License-Identifier: BSL-1.0
// expect: leftovers
// whole: 10
#include <neuromorph/sched/scheduler.hpp>

using namespace neuromorph;

#ifdef NEUROMORPH_KO
constexpr SchedulerOptions options{.leftovers = Leftover::drop};
#else
constexpr SchedulerOptions options{.leftover = Leftover::drop};
#endif

int main() {
  VirtualClock<> clock;
  Scheduler<VirtualClock<>, 4, options> scheduler(clock);
  return static_cast<int>(scheduler.counts().run);
}
