// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a source lacks 'using Offers', an offer::List of what it has of 'WakeAt', 'IsDue' and
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct Button {
#ifdef NEUROMORPH_KO
  bool is_dew(std::uint32_t) const { return false; }
#else
  using Offers = offer::List<>;
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
