// SPDX-License-Identifier: BSL-1.0
// A mailbox with a monitor: two names announced, a report of a core's counters, of three services and of two populations.
#include <cstdint>

#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/firmware/monitor.hpp>

namespace {

using namespace neuromorph;
struct Timer {
  using Tick = std::uint32_t;
  static constexpr AlarmKind alarm_kind = AlarmKind::none;
  [[nodiscard]] static Tick now() noexcept { return *reinterpret_cast<volatile Tick*>(0x101E'2004); }
};
firmware::Mailbox<firmware::Channel<"mon ", 256>> mailbox;
constinit firmware::Monitor monitor(Timer{}, mailbox.writer<"mon ">());
Timer timer;
Scheduler<Timer, 4, SchedulerOptions{.statistics = true, .most_services = 3}> scheduler(timer);
firmware::SpikeCounts<"excitatory", "inhibitory"> spikes({80, 100});
Provenance counts;
volatile std::uint32_t input = 3;

} // namespace

int main() {
  mailbox.start(200'000'000, input);
  spikes.note(input);
  counts.steps = input;
  const bool is_announced = monitor.announce(spikes);
  return is_announced && monitor.report(counts, scheduler, spikes) ? 0 : 1;
}
