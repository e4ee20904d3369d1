// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a signaller is a Result that nobody looked at: ask ok(), then pass value(); see docs/errors.md
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
  ExecutiveTasks tasks(core, task<begin_step, &Core::begin_step>(), task<neurons, &Core::neurons>(),
                       task<is_idle, &Core::is_idle>());
  Executive executive(time, tasks, {.start = 0, .period = 1000, .budget = {}});
  auto signaller = TimerSignaller<>::from(0, 1000, 2000);
#ifdef NEUROMORPH_KO
  return executive.execute(signaller) == Finished::by_finish ? 0 : 1;
#else
  return executive.execute(signaller.value()) == Finished::by_finish ? 0 : 1;
#endif
}
