// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the clock lacks 'using Tick', std::uint32_t or std::uint64_t; see docs/scheduling.md
// whole: 15
#include <neuromorph/sched/scheduler.hpp>

using namespace neuromorph;

struct Time {
  static constexpr AlarmKind alarm_kind = AlarmKind::none;
#ifdef NEUROMORPH_KO
  using Tick = std::uint16_t;
#else
  using Tick = std::uint32_t;
#endif
  static Tick now() { return 0; }
};

int main() {
  Time time;
  Scheduler<Time, 4> scheduler(time);
  return static_cast<int>(scheduler.counts().run);
}
