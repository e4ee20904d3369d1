// SPDX-License-Identifier: BSL-1.0
// Turns of the scheduler with 32-bit ticks.
#include "sched_loop.hpp"

bool run() {
  MEASURE_LOOPS("", std::uint32_t);
  return right;
}
