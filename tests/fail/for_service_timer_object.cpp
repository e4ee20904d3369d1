// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: ForService takes the arguments of its source that follow the service, not a finished source; a timer is made by constant_timer; see docs/scheduling.md
// whole: 15
#include <cstdint>

#include <neuromorph/sched/event.hpp>
#include <neuromorph/sched/timer.hpp>

using namespace neuromorph;

int main() {
#ifdef NEUROMORPH_KO
  const auto timer = Timer<>::from({.service = 1, .period = 10}).value();
  ForService<1, Timer<>> step(timer);
#else
  auto step = constant_timer<TimerTiming<std::uint32_t>{.service = 1, .period = 10}>();
#endif
  return step.is_stopped() ? 1 : 0;
}
