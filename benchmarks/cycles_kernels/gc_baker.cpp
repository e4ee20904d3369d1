// SPDX-License-Identifier: BSL-1.0
// gc::Baker (gc.hpp), which needs more room than is used, or compacts all the time: here, twice as much.
#include "gc_scratch.hpp"

using namespace trace_cycles;

bool run() {
  bool right = true;
  MEASURE_GOAL(SCRATCH_KEY("gc.baker"), 0, Baker<2 * Goal::room, 4>)
  MEASURE_PAPERS(SCRATCH_KEY("gc.baker"), 255, 4, Baker<255 * 4, 4>)
  return right;
}
