// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the clock lacks 'static constexpr AlarmKind alarm_kind', 'AlarmKind::none' without an alarm; see docs/scheduling.md
#include <neuromorph/sched/clock.hpp>

using namespace neuromorph;

struct Time {
  using Tick = std::uint32_t;
#ifndef NEUROMORPH_KO
  static constexpr AlarmKind alarm_kind = AlarmKind::wakes_core;
#endif
  static Tick now() { return 0; }
  static void alarm(Tick) {}
};

int main() {
  Time time;
  LongClock<Time> longer(time);
  return static_cast<int>(longer.now());
}
