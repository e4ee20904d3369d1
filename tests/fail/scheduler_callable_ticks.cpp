// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the signaller takes ticks of another width than the clock's; see docs/scheduling.md
// lines: 10
#include <cstdint>

#include <neuromorph/sched/scheduler.hpp>

using namespace neuromorph;

int main() {
  VirtualClock<> clock;
  Services services(service<1>([] {}));
#ifdef NEUROMORPH_KO
  CallableSignaller until([](std::uint64_t now) { return now < 100 ? Signal::run : Signal::exit; });
#else
  CallableSignaller until([](auto now) { return now < 100 ? Signal::run : Signal::exit; });
#endif
  Scheduler<VirtualClock<>, 4> scheduler(clock);
  return scheduler.execute(until, services) == Finished::by_exit ? 0 : 1;
}
