// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a source names a service that is not there; see docs/scheduling.md
#include <cstdint>

#include <neuromorph/sched/interrupt_mailbox.hpp>
#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>

using namespace neuromorph;

int main() {
  VirtualClock<> clock;
  Services services(service<1>([] {}), service<2>([] {}));
  auto timer = constant_timer<TimerTiming<std::uint32_t>{.service = 1, .period = 10}>();
#ifdef NEUROMORPH_KO
  ForService<3, InterruptMailbox<VirtualClock<>>> mailbox(clock, 5U);
#else
  ForService<2, InterruptMailbox<VirtualClock<>>> mailbox(clock, 5U);
#endif
  CallableSignaller signaller([](std::uint32_t) { return Signal::exit; });
  Scheduler<VirtualClock<>, 4> scheduler(clock);
  return scheduler.execute(signaller, services, timer, mailbox) == Finished::by_exit ? 0 : 1;
}
