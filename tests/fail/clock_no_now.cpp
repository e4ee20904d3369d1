// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the clock lacks 'Tick now()'; see docs/scheduling.md
// whole: 15
#include <neuromorph/sched/scheduler.hpp>

using namespace neuromorph;

struct Time {
  using Tick = std::uint32_t;
  static constexpr AlarmKind alarm_kind = AlarmKind::none;
#ifdef NEUROMORPH_KO
  static int now() { return 0; }
#else
  static Tick now() { return 0; }
#endif
};

int main() {
  Time time;
  Scheduler<Time, 4> scheduler(time);
  return static_cast<int>(scheduler.counts().run);
}
