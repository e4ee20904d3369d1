// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a source offers 'IsDue' and lacks 'bool is_due(Tick now)'; see docs/scheduling.md
// expect: neuromorph: a source offers 'EventService' and lacks 'static constexpr ServiceId service'
// expect: neuromorph: a source offers 'WakeAt' and lacks 'bool wake_at(Tick now, Tick& at)'; see docs/scheduling.md
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct Button {
#ifdef NEUROMORPH_KO
  using Offers = offer::List<offer::WakeAt, offer::IsDue, offer::EventService>;
  int wake_at(std::uint32_t, std::uint32_t&) const { return 0; }
  bool is_due() const { return false; }
  ServiceId service = 0;
#else
  using Offers = offer::List<offer::WakeAt, offer::IsDue, offer::EventService>;
  bool wake_at(std::uint32_t, std::uint32_t&) const { return false; }
  bool is_due(std::uint32_t) const { return false; }
  static constexpr ServiceId service = 0;
#endif
  static bool next_event(Event<std::uint32_t>&, std::uint32_t) { return false; }
};

int main() {
  VirtualClock<> clock;
  auto signaller = TimerSignaller<>::from(0, 100, 200).value();
  Button button;
  Services services(service<0>([] {}));
  Scheduler<VirtualClock<>, 1> scheduler(clock);
  return scheduler.execute(signaller, services, button) == Finished::by_finish ? 0 : 1;
}
