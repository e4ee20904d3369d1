// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the scheduler's queue has fewer places than there are sources; see docs/scheduling.md
// lines: 10
#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>

using namespace neuromorph;

#ifdef NEUROMORPH_KO
constexpr unsigned places = 1;
#else
constexpr unsigned places = 2;
#endif

int main() {
  VirtualClock<> clock;
  Services services(service<1>([] {}));
  Timer<> a, b;
  CallableSignaller signaller([](std::uint32_t) { return Signal::exit; });
  Scheduler<VirtualClock<>, places> scheduler(clock);
  return scheduler.execute(signaller, services, a, b) == Finished::by_exit ? 0 : 1;
}
