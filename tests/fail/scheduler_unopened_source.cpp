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
  CallableSignaller signaller([](std::uint32_t) { return Signal::exit; });
  Scheduler<VirtualClock<>, 4> scheduler(clock);
#ifdef NEUROMORPH_KO
  scheduler.execute(signaller, services, timer);
#else
  scheduler.execute(signaller, services, timer.value());
#endif
  return 0;
}
