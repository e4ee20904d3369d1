// SPDX-License-Identifier: BSL-1.0
// gc::Baker (gc.hpp).
#include "gc_scratch.hpp"

using namespace trace_cycles;

bool run() {
  bool right = true;
  MEASURE_GOAL(SCRATCH_KEY("gc.baker"), 0, Baker<1450, 4>)
  MEASURE_PAPERS(SCRATCH_KEY("gc.baker"), 255, 4, Baker<255 * 4, 4>)
  MEASURE_PAPERS(SCRATCH_KEY("gc.baker"), 255, 16, Baker<255 * 16, 16>)
  return right;
}
