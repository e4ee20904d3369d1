// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the signaller takes ticks of another width than the clock's; see docs/scheduling.md
// lines: 10
#include <cstdint>

#include <neuromorph/sched/executive.hpp>

using namespace neuromorph;
using enum ExecutiveTask;
using enum ExecutiveCall;

struct Core {
  void begin_step(std::uint32_t) {}
  bool neurons() { return false; }
  bool is_idle() const { return true; }
};
struct Until { // without `using Tick`
  using Offers = offer::List<>;
#ifdef NEUROMORPH_KO
  Signal signal(std::uint32_t now) const { return now < 100 ? Signal::run : Signal::exit; }
#else
  Signal signal(std::uint64_t now) const { return now < 100 ? Signal::run : Signal::exit; }
#endif
};

int main() {
  VirtualClock<std::uint64_t> clock;
  Core core;
  ExecutiveTasks tasks(core, task<begin_step, &Core::begin_step>(), task<neurons, &Core::neurons>(),
                       task<is_idle, &Core::is_idle>());
  Executive executive(clock, tasks, {.start = 0, .period = 10});
  Until until;
  return executive.execute(until) == Finished::by_exit ? 0 : 1;
}
