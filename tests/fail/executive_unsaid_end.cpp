// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the signaller has 'run_ended', and its 'Offers' lacks 'offer::RunEnded'; see docs/scheduling.md
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct Until {
#ifdef NEUROMORPH_KO
  using Offers = offer::List<>;
  static void run_ended() {}
#else
  using Offers = offer::List<offer::RunEnded>;
  static std::uint32_t run_ended() { return 100; }
#endif
  Signal signal(std::uint32_t now) const { return now < 100 ? Signal::run : Signal::exit; }
};

int main() {
  VirtualClock<> clock;
  ExecutiveTasks tasks(task<ExecutiveCall::begin_step>([](std::uint32_t) {}),
                       task<ExecutiveTask::neurons>([] { return false; }),
                       task<ExecutiveCall::is_idle>([] { return true; }));
  Executive executive(clock, tasks, {.start = 0, .period = 10});
  Until until;
  return executive.execute(until) == Finished::by_exit ? 0 : 1;
}
