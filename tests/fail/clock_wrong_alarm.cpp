// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the clock says 'alarm_kind' and lacks 'void alarm(Tick at)'; see docs/scheduling.md
#include <neuromorph/sched/scheduler.hpp>

using namespace neuromorph;

struct Time {
  using Tick = std::uint32_t;
  static Tick now() { return 0; }
#ifdef NEUROMORPH_KO
  static constexpr AlarmKind alarm_kind = AlarmKind::wakes_core;
  static void alarm(Tick, int) {}
#else
  static constexpr AlarmKind alarm_kind = AlarmKind::wakes_core;
  static void alarm(Tick) {}
#endif
};

int main() {
  Time time;
  Scheduler<Time, 4> scheduler(time);
  return static_cast<int>(scheduler.counts().run);
}
