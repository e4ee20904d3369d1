// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the signaller lacks 'Signal signal(Tick)'; see docs/scheduling.md
// whole: 15
#include <neuromorph/sched/executive.hpp>

using namespace neuromorph;
using enum ExecutiveTask;
using enum ExecutiveCall;

struct Ends {
  using Offers = offer::List<>;
#ifdef NEUROMORPH_KO
  static Signal singal(std::uint32_t) { return Signal::exit; }
#else
  static Signal signal(std::uint32_t) { return Signal::exit; }
#endif
};

struct Core {
  void begin_step(std::uint32_t) {}
  bool neurons() { return false; }
  bool is_idle() const { return true; }
};

int main() {
  VirtualClock<> clock;
  Core core;
  ExecutiveTasks tasks(core, task<begin_step, &Core::begin_step>(), task<neurons, &Core::neurons>(),
                       task<is_idle, &Core::is_idle>());
  Executive executive(clock, tasks, {.start = 0, .period = 1000, .budget = {}});
  Ends ends;
  return executive.execute(ends) == Finished::by_exit ? 0 : 1;
}
