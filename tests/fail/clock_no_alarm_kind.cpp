// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the clock lacks 'using AlarmKind', one of 'alarm_kind', 'None' without an alarm; see docs/scheduling.md
#include <neuromorph/sched/scheduler.hpp>

using namespace neuromorph;

struct Time {
  using Tick = std::uint32_t;
#ifndef NEUROMORPH_KO
  using AlarmKind = alarm_kind::WakesCore;
#endif
  static Tick now() { return 0; }
  static void alarm(Tick) {}
};

int main() {
  Time time;
  Scheduler<Time, 4> scheduler(time);
  return static_cast<int>(scheduler.counts().run);
}
