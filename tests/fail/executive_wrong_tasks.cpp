// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the task 'receive_spikes' is not a 'bool()'; see docs/scheduling.md
// expect: neuromorph: the task 'feed_dma' is not a 'bool()'; see docs/scheduling.md
// expect: neuromorph: the task 'synaptic_rows' is not a 'bool()'; see docs/scheduling.md
// expect: neuromorph: the task 'write_back' is not a 'bool()'; see docs/scheduling.md
// expect: neuromorph: the task 'prefetch' is not a 'bool()'; see docs/scheduling.md
// whole: 15
#include <neuromorph/sched/executive.hpp>

using namespace neuromorph;
using enum ExecutiveTask;
using enum ExecutiveCall;

struct Core {
#ifdef NEUROMORPH_KO
  void receive_spikes() {}
  int feed_dma() { return 0; }
  bool synaptic_rows(int) { return false; }
  void write_back() {}
  bool prefetch(std::uint32_t) { return false; }
#else
  bool receive_spikes() { return false; }
  bool feed_dma() { return false; }
  bool synaptic_rows() { return false; }
  bool write_back() { return false; }
  bool prefetch() { return false; }
#endif
  bool neurons() { return false; }
  bool is_idle() const { return true; }
  void begin_step(std::uint32_t) {}
};

int main() {
  VirtualClock<> time;
  Core core;
  ExecutiveTasks tasks(core, task<receive_spikes, &Core::receive_spikes>(), task<feed_dma, &Core::feed_dma>(),
                       task<synaptic_rows, &Core::synaptic_rows>(), task<write_back, &Core::write_back>(),
                       task<prefetch, &Core::prefetch>(), task<neurons, &Core::neurons>(),
                       task<is_idle, &Core::is_idle>(), task<begin_step, &Core::begin_step>());
  Executive executive(time, tasks, {.start = 0, .period = 1000, .budget = {}});
  auto signaller = TimerSignaller<>::from(0, 1000, 2000).value();
  return executive.execute(signaller) == Finished::by_finish ? 0 : 1;
}
