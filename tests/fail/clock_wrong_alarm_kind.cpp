// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the clock lacks 'static constexpr AlarmKind alarm_kind', 'AlarmKind::none' without an alarm; see docs/scheduling.md
#include <neuromorph/sched/scheduler.hpp>

using namespace neuromorph;

struct Time {
  using Tick = std::uint32_t;
#ifdef NEUROMORPH_KO
  static constexpr int alarm_kind = 0;
#else
  static constexpr AlarmKind alarm_kind = AlarmKind::wakes_core;
#endif
  static Tick now() { return 0; }
  static void alarm(Tick) {}
};

int main() {
  Time time;
  Scheduler<Time, 4> scheduler(time);
  return static_cast<int>(scheduler.counts().run);
}
