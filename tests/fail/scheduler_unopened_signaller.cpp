// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a signaller or a source is a Result that nobody looked at: ask ok(), then pass value(); see docs/errors.md
// whole: 15
// lines: 10
#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>

using namespace neuromorph;

int main() {
  VirtualClock<> clock;
  Services services(service<1>([] {}));
  auto timer = Timer<>::from({.service = 1, .period = 10});
  auto until = TimerSignaller<>::from(0, 100, 200);
  Scheduler<VirtualClock<>, 4> scheduler(clock);
#ifdef NEUROMORPH_KO
  scheduler.execute(until, services, timer.value());
#else
  scheduler.execute(until.value(), services, timer.value());
#endif
  return 0;
}
