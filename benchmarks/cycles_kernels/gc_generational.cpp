// SPDX-License-Identifier: BSL-1.0
// gc::Generational (gc.hpp).
#include "gc_scratch.hpp"

using namespace trace_cycles;

bool run() {
  bool right = true;
  MEASURE_GOAL(SCRATCH_KEY("gc.generational"), 0, Generational<1450, 4>)
  MEASURE_PAPERS(SCRATCH_KEY("gc.generational"), 255, 4, Generational<255 * 4, 4>)
  MEASURE_PAPERS(SCRATCH_KEY("gc.generational"), 255, 16, Generational<255 * 16, 16>)
  return right;
}
