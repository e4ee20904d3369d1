// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the signaller offers 'WakeAt' and lacks 'bool wake_at(Tick now, Tick& at)'; see docs/scheduling.md
// expect: neuromorph: the signaller offers 'RunEnded' and lacks 'Tick run_ended() const'; see docs/scheduling.md
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct Until {
#ifdef NEUROMORPH_KO
  using Offers = offer::List<offer::WakeAt, offer::RunEnded>;
  bool wake_up(std::uint32_t, std::uint32_t& at) const {
    at = 100;
    return true;
  }
  std::uint32_t run_endet() const { return 100; }
#else
  using Offers = offer::List<offer::WakeAt, offer::RunEnded>;
  bool wake_at(std::uint32_t, std::uint32_t& at) const {
    at = 100;
    return true;
  }
  std::uint32_t run_ended() const { return 100; }
#endif
  Signal signal(std::uint32_t now) const { return now < 100 ? Signal::run : Signal::exit; }
};

int main() {
  VirtualClock<> clock;
  Until until;
  auto timer = Timer<>::from({.service = 0, .period = 10}).value();
  Services services(service<0>([] {}));
  Scheduler<VirtualClock<>, 1> scheduler(clock);
  return scheduler.execute(until, services, timer) == Finished::by_exit ? 0 : 1;
}
