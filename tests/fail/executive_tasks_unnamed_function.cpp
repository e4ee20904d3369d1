// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: an ExecutiveTasks takes the core, then tasks: 'task<name, &Core::function>()' or
// whole: 15
#include <neuromorph/sched/executive.hpp>

using namespace neuromorph;
using enum ExecutiveTask;
using enum ExecutiveCall;

struct Core {
  void begin_step(std::uint32_t) {}
  bool neurons() { return false; }
  bool is_idle() const { return true; }
};

int main() {
  VirtualClock<> time;
  Core core;
#ifdef NEUROMORPH_KO
  ExecutiveTasks tasks(core, task<neurons, &Core::neurons>(), task<is_idle, &Core::is_idle>(),
                       task<begin_step, &Core::begin_step>(), [] { return false; });
#else
  ExecutiveTasks tasks(core, task<neurons, &Core::neurons>(), task<is_idle, &Core::is_idle>(),
                       task<begin_step, &Core::begin_step>(), task<feed_dma>([] { return false; }));
#endif
  Executive executive(time, tasks, {.start = 0, .period = 1000, .budget = {}});
  auto signaller = TimerSignaller<>::from(0, 1000, 2000).value();
  return executive.execute(signaller) == Finished::by_finish ? 0 : 1;
}
