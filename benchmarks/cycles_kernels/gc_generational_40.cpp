// SPDX-License-Identifier: BSL-1.0
// gc::Generational (gc.hpp) with 40 neurons: another program, for the size of the instruction memory.
#include "gc_scratch.hpp"

using namespace trace_cycles;

bool run() {
  bool right = true;
  MEASURE_PAPERS(SCRATCH_KEY("gc.generational"), 40, 2, Generational<40 * 2, 2>)
  MEASURE_PAPERS(SCRATCH_KEY("gc.generational"), 40, 4, Generational<40 * 4, 4>)
  MEASURE_PAPERS(SCRATCH_KEY("gc.generational"), 40, 16, Generational<40 * 16, 16>)
  return right;
}
