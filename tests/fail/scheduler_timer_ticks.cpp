// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a source takes ticks of another width than the clock's; see docs/scheduling.md
// whole: 15
// lines: 10
#include <cstdint>

#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>

using namespace neuromorph;

int main() {
  VirtualClock<std::uint64_t> clock;
  Services services(service<1>([] {}));
#ifdef NEUROMORPH_KO
  auto timer = Timer<>::from({.service = 1, .period = 10}).value(); // of 32 bits
#else
  auto timer = Timer<std::uint64_t>::from({.service = 1, .period = 10}).value();
#endif
  auto until = TimerSignaller<std::uint64_t>::from(0, 100, 200).value();
  Scheduler<VirtualClock<std::uint64_t>, 4> scheduler(clock);
  return scheduler.execute(until, services, timer) == Finished::by_finish ? 0 : 1;
}
