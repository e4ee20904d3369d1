// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the tasks lack 'void begin_step(std::uint32_t step)'; see docs/scheduling.md
// lines: 12
#include <neuromorph/sched/executive.hpp>

using namespace neuromorph;

struct Tasks {
#ifndef NEUROMORPH_KO
  void begin_step(std::uint32_t) {}
#endif
  bool neurons() { return false; }
  bool is_idle() const { return true; }
};

int main() {
  VirtualClock<> time;
  Tasks tasks;
  Executive executive(time, tasks, {.start = 0, .period = 1000, .budget = {}});
  auto signaller = TimerSignaller<>::from(0, 1000, 2000).value();
  return executive.execute(signaller) == Finished::by_finish ? 0 : 1;
}
