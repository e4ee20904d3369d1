// SPDX-License-Identifier: BSL-1.0
// Turns of the scheduler with 32-bit ticks.
#include "sched_loop.hpp"

bool run() {
  MEASURE_LOOP("1", std::uint32_t, 1);
  MEASURE_LOOP("4", std::uint32_t, 4);
  MEASURE_LOOP("16", std::uint32_t, 16);
  MEASURE_LOOP("64", std::uint32_t, 64);
  MEASURE_LOOP_BY_POINTER("16", std::uint32_t, 16);
  return right;
}
