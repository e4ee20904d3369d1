// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a source lacks 'bool next_event(Event<Tick>&, Tick)'; see docs/scheduling.md
// lines: 10
#include <cstdint>

#include <neuromorph/sched/scheduler.hpp>

using namespace neuromorph;

struct Button {
  using Offers = offer::List<>;
  using Tick = std::uint32_t;
#ifdef NEUROMORPH_KO
  bool next_event(Tick) { return false; }
#else
  bool next_event(Event<Tick>&, Tick) { return false; }
#endif
};

int main() {
  VirtualClock<> clock;
  Services services(service<1>([] {}));
  Button button;
  CallableSignaller signaller([](std::uint32_t) { return Signal::exit; });
  Scheduler<VirtualClock<>, 4> scheduler(clock);
  return scheduler.execute(signaller, services, button) == Finished::by_exit ? 0 : 1;
}
