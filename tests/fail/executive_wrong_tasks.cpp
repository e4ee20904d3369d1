// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: 'receive_spikes' of the tasks is not 'bool receive_spikes()'; see docs/scheduling.md
// expect: neuromorph: 'feed_dma' of the tasks is not 'bool feed_dma()'; see docs/scheduling.md
// expect: neuromorph: 'synaptic_rows' of the tasks is not 'bool synaptic_rows()'; see docs/scheduling.md
// expect: neuromorph: 'write_back' of the tasks is not 'bool write_back()'; see docs/scheduling.md
// expect: neuromorph: 'prefetch' of the tasks is not 'bool prefetch()'; see docs/scheduling.md
// expect: neuromorph: 'random_numbers' of the tasks is not 'bool random_numbers()'; see docs/scheduling.md
// expect: neuromorph: 'is_idle' of the tasks is not 'bool is_idle() const'; see docs/scheduling.md
#include <neuromorph/sched/executive.hpp>

using namespace neuromorph;

struct Tasks {
  void begin_step(std::uint32_t) {}
  bool neurons() { return false; }
#ifdef NEUROMORPH_KO
  void receive_spikes() {}
  int feed_dma() { return 0; }
  bool synaptic_rows(int) { return false; }
  void write_back() {}
  bool prefetch(std::uint32_t) { return false; }
  static void random_numbers() {}
  bool is_idle() { return true; }
#else
  bool receive_spikes() { return false; }
  bool feed_dma() { return false; }
  bool synaptic_rows() { return false; }
  bool write_back() { return false; }
  bool prefetch() { return false; }
  bool random_numbers() { return false; }
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
