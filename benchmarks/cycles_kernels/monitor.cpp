// SPDX-License-Identifier: BSL-1.0
// A report of a monitor, by what it is of, and a spike that is counted for its population. The clock is a word in memory.
#include <cstdint>

#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/firmware/monitor.hpp>

#include "measure.hpp"

namespace {
using namespace neuromorph;
std::uint32_t volatile ticks;
struct Ticks {
  using Tick = std::uint32_t;
  static constexpr AlarmKind alarm_kind = AlarmKind::none;
  [[nodiscard]] static Tick now() noexcept { return ticks; }
};
firmware::Mailbox<firmware::Channel<"mon ", 1024>> mailbox;
constinit firmware::Monitor monitor(Ticks{}, mailbox.writer<"mon ">());
firmware::SpikeCounts<"excitatory", "inhibitory"> spikes({80, 100});
Provenance counts;
VirtualClock<> virtual_time;
Scheduler<VirtualClock<>, 4, SchedulerOptions{.statistics = true, .most_services = 4}> scheduler(virtual_time);
struct Core {
  bool is_done = false;
  void begin_step(std::uint32_t) { is_done = false; }
  bool neurons() { return !is_done && (is_done = true); }
  bool is_idle() const { return true; }
};
} // namespace

bool run() {
  mailbox.start(200'000'000, 1);
  Services services(firmware::named<"one">(service<0>([] { virtual_time.advance(3); })),
                    firmware::named<"two">(service<1>([] { virtual_time.advance(5); })),
                    firmware::named<"three">(service<2>([] { virtual_time.advance(7); })),
                    firmware::named<"four">(service<3>([] { virtual_time.advance(9); })));
  auto first = Timer<>::from({.service = 0, .period = 100}).value(),
       second = Timer<>::from({.service = 1, .period = 200}).value();
  auto third = Timer<>::from({.service = 2, .period = 300}).value(),
       fourth = Timer<>::from({.service = 3, .period = 400}).value();
  auto signaller = TimerSignaller<>::from(0, 1000, 2000).value();
  scheduler.execute(signaller, services, first, second, third, fourth);
  Core core;
  ExecutiveTasks tasks(core, task<ExecutiveCall::begin_step, &Core::begin_step>(),
                       task<ExecutiveTask::neurons, &Core::neurons>(), task<ExecutiveCall::is_idle, &Core::is_idle>());
  Executive executive(virtual_time, tasks, {.start = virtual_time.now(), .period = 100, .budget = {}});
  auto other = TimerSignaller<>::from(virtual_time.now(), virtual_time.now() + 1000, virtual_time.now() + 2000).value();
  executive.execute(other);
  bool right = true;
  for (std::uint32_t neuron = 0; neuron < 100; ++neuron) MEASURE("monitor.note", 1, spikes.note(fresh(neuron)));
  MEASURE("monitor.announce", 1, right = right && monitor.announce(services, spikes));
  MEASURE("monitor.report.nothing", 1, right = right && monitor.report());
  MEASURE("monitor.report.core", 1, right = right && monitor.report(counts));
  MEASURE("monitor.report.scheduler", 1, right = right && monitor.report(scheduler));
  MEASURE("monitor.report.executive", 1, right = right && monitor.report(executive));
  MEASURE("monitor.report.spikes", 1, right = right && monitor.report(spikes));
  MEASURE("monitor.report.all", 1, right = right && monitor.report(counts, executive, scheduler, spikes));
  return right && spikes.of(0) == 80 && spikes.of(1) == 20 && mailbox.writer<"mon ">().refused() == 0;
}
