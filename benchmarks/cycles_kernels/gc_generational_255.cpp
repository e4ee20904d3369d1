// SPDX-License-Identifier: BSL-1.0
// gc::Generational (gc.hpp) with 255 neurons.
#include "gc_scratch.hpp"

using namespace trace_cycles;

bool run() {
  bool right = true;
  MEASURE_PAPERS(SCRATCH_KEY("gc.generational"), 255, 2, Generational<255 * 2, 2>)
  MEASURE_PAPERS(SCRATCH_KEY("gc.generational"), 255, 16, Generational<255 * 16, 16>)
  return right;
}
