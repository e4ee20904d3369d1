// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a source takes ticks of another width than the clock's; see docs/scheduling.md
// whole: 15
#include <cstdint>

#include <neuromorph/sched/interrupt_mailbox.hpp>
#include <neuromorph/sched/scheduler.hpp>

using namespace neuromorph;

int main() {
  VirtualClock<> clock;
  Services services(service<1>([] {}));
  CallableSignaller signaller([](auto) { return Signal::exit; });
#ifdef NEUROMORPH_KO
  VirtualClock<std::uint64_t> other;
  ForService<1, InterruptMailbox<VirtualClock<std::uint64_t>>> mailbox(other, 10U);
#else
  ForService<1, InterruptMailbox<VirtualClock<>>> mailbox(clock, 10U);
#endif
  Scheduler<VirtualClock<>, 4> scheduler(clock);
  return scheduler.execute(signaller, services, mailbox) == Finished::by_exit ? 0 : 1;
}
