// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Leftover is leftover::Keep, Run or Drop; see docs/scheduling.md
#include <cstdint>

#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>

using namespace neuromorph;

struct Options : SchedulerOptions {
#ifdef NEUROMORPH_KO
  using Leftover = missed::Skip;
#else
  using Leftover = leftover::Drop;
#endif
};

int main() {
  VirtualClock<> clock;
  Services services(service<1>([] {}));
  CallableSignaller signaller([](std::uint32_t) { return Signal::exit; });
  Scheduler<VirtualClock<>, 4, Options> scheduler(clock);
  return scheduler.execute(signaller, services) == Finished::by_exit ? 0 : 1;
}
