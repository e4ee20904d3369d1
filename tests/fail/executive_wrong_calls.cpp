// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the task 'random_numbers' is not a 'bool()'; see docs/scheduling.md
// expect: neuromorph: the task 'neurons' is not a 'bool()'; see docs/scheduling.md
// expect: neuromorph: the task 'is_idle' is not a 'bool()'; see docs/scheduling.md
// expect: neuromorph: the task 'begin_step' is not a 'void(std::uint32_t step)'; see docs/scheduling.md
// whole: 15
#include <neuromorph/sched/executive.hpp>

using namespace neuromorph;
using enum ExecutiveTask;
using enum ExecutiveCall;

struct Core {
#ifdef NEUROMORPH_KO
  static void random_numbers() {}
  void neurons() {}
  int is_idle() const { return 1; }
  void begin_step() {}
#else
  static bool random_numbers() { return false; }
  bool neurons() { return false; }
  bool is_idle() const { return true; }
  void begin_step(std::uint32_t) {}
#endif
};

int main() {
  VirtualClock<> time;
  Core core;
  ExecutiveTasks tasks(core, task<random_numbers, &Core::random_numbers>(), task<neurons, &Core::neurons>(),
                       task<is_idle, &Core::is_idle>(), task<begin_step, &Core::begin_step>());
  Executive executive(time, tasks, {.start = 0, .period = 1000, .budget = {}});
  auto signaller = TimerSignaller<>::from(0, 1000, 2000).value();
  return executive.execute(signaller) == Finished::by_finish ? 0 : 1;
}
