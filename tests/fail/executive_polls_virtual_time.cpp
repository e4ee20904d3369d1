// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: without 'bool is_idle() const' of the tasks an executive polls, and virtual time stands still;
// see docs/scheduling.md lines: 12
#include <neuromorph/sched/executive.hpp>

using namespace neuromorph;

struct Tasks {
  void begin_step(std::uint32_t) {}
  bool neurons() { return false; }
#ifndef NEUROMORPH_KO
  bool is_idle() const { return true; }
#endif
};

int main() {
  VirtualClock<> time;
  Tasks tasks;
  Executive executive(time, tasks, {.start = 0, .period = 1000, .budget = {}});
  auto signaller = TimerSignaller<>::from(0, 1000, 2000).value();
  return executive.execute(signaller) == Finished::by_finish ? 0 : 1;
}
