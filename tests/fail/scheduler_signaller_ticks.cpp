// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the signaller takes ticks of another width than the clock's; see docs/scheduling.md
// whole: 15
// lines: 10
#include <cstdint>

#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>

using namespace neuromorph;

int main() {
  VirtualClock<> clock;
  Services services(service<1>([] {}));
  auto timer = Timer<>::from({.service = 1, .period = 10}).value();
#ifdef NEUROMORPH_KO
  auto until = TimerSignaller<std::uint64_t>::from(0, 100, 200).value(); // the clock has 32 bits
#else
  auto until = TimerSignaller<std::uint32_t>::from(0, 100, 200).value();
#endif
  Scheduler<VirtualClock<>, 4> scheduler(clock);
  return scheduler.execute(until, services, timer) == Finished::by_finish ? 0 : 1;
}
