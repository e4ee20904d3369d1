// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the clock lacks 'using Tick', std::uint32_t or std::uint64_t; see docs/scheduling.md
// whole: 15
#include <cstdint>

#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>

using namespace neuromorph;

struct Time {
  static constexpr AlarmKind alarm_kind = AlarmKind::none;
#ifndef NEUROMORPH_KO
  using Tick = std::uint32_t;
#endif
  static std::uint32_t now() { return 0; }
};

int main() {
  Time time;
  Services services(service<1>([] {}));
  auto timer = Timer<>::from({.service = 1, .period = 10}).value();
  CallableSignaller signaller([](std::uint32_t) { return Signal::exit; });
  Scheduler<Time, 4> scheduler(time);
  return scheduler.execute(signaller, services, timer) == Finished::by_exit ? 0 : 1;
}
