// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a source takes ticks of another width than the clock's; see docs/scheduling.md
// whole: 15
// lines: 10
#include <cstdint>

#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>

using namespace neuromorph;

struct Button {
  using Offers = offer::List<>;
#ifdef NEUROMORPH_KO
  bool next_event(Event<std::uint32_t>&, std::uint64_t) { return false; }
#else
  bool next_event(Event<std::uint32_t>&, std::uint32_t) { return false; }
#endif
};

int main() {
  VirtualClock<> clock;
  Services services(service<1>([] {}));
  auto timer = Timer<>::from({.service = 1, .period = 10}).value();
  Button button;
  CallableSignaller until([](std::uint32_t now) { return now < 100 ? Signal::run : Signal::exit; });
  Scheduler<VirtualClock<>, 4> scheduler(clock);
  return scheduler.execute(until, services, button, timer) == Finished::by_exit ? 0 : 1;
}
