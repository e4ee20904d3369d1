// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a source has 'wake_at', and its 'Offers' lacks 'offer::WakeAt'; see docs/scheduling.md
// expect: neuromorph: a source has 'is_due', and its 'Offers' lacks 'offer::IsDue'; see docs/scheduling.md
// expect: neuromorph: a source has 'service', and its 'Offers' lacks 'offer::EventService'; see docs/scheduling.md
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct Button {
#ifdef NEUROMORPH_KO
  using Offers = offer::List<>;
  template <class Tick>
  bool wake_at(Tick, Tick&) const {
    return false;
  }

private:
  bool is_due(std::uint32_t) const { return false; }
  static constexpr ServiceId service = 0;

public:
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
