// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the tasks lack 'bool neurons()'; see docs/scheduling.md
// lines: 12
#include <neuromorph/sched/executive.hpp>

using namespace neuromorph;

struct Tasks {
  void begin_step(std::uint32_t) {}
#ifdef NEUROMORPH_KO
  void neurons() {}
#else
  bool neurons() { return false; }
#endif
  bool is_idle() const { return true; }
};

int main() {
  VirtualClock<> time;
  Tasks tasks;
  Executive executive(time, tasks, {.start = 0, .period = 1000, .budget = {}});
  auto signaller = TimerSignaller<>::from(0, 1000, 2000).value();
  return executive.execute(signaller) == Finished::by_finish ? 0 : 1;
}
