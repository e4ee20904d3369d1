// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the period of a timer is 1 tick to half the range of the clock; see docs/scheduling.md
#include <cstdint>

#include <neuromorph/sched/timer.hpp>

#ifdef NEUROMORPH_KO
constexpr std::uint32_t period = 0x8000'0000U;
#else
constexpr std::uint32_t period = 0x7FFF'FFFFU;
#endif

int main() {
  const auto timer =
      neuromorph::constant_timer<neuromorph::TimerTiming<std::uint32_t>{.service = 1, .period = period}>();
  return timer.is_stopped() ? 1 : 0;
}
