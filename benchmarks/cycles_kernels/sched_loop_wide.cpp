// SPDX-License-Identifier: BSL-1.0
// Turns of the scheduler with 64-bit ticks.
#include "sched_loop.hpp"

bool run() {
  MEASURE_LOOP("wide.1", std::uint64_t, 1);
  MEASURE_LOOP("wide.4", std::uint64_t, 4);
  MEASURE_LOOP("wide.16", std::uint64_t, 16);
  MEASURE_LOOP("wide.64", std::uint64_t, 64);
  MEASURE_LOOP_BY_POINTER("wide.16", std::uint64_t, 16);
  return right;
}
