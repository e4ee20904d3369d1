// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: an interrupt cannot read a LongClock; give the mailbox the clock of 32 bits below it
// lines: 10
#include <neuromorph/sched/interrupt_mailbox.hpp>

using namespace neuromorph;

int main() {
  VirtualClock<> counter;
  LongClock<VirtualClock<>> clock(counter);
#ifdef NEUROMORPH_KO
  InterruptMailbox mailbox(1, clock, 100);
#else
  InterruptMailbox<VirtualClock<>, 8, std::uint64_t> mailbox(1, counter, 100);
#endif
  mailbox.post();
  Event<std::uint64_t> event;
  return mailbox.next_event(event, clock.now()) ? 0 : 1;
}
