// SPDX-License-Identifier: BSL-1.0
// Turns of the scheduler with 64-bit ticks.
#include "sched_loop.hpp"

bool run() {
  MEASURE_LOOPS("wide.", std::uint64_t);
  return right;
}
