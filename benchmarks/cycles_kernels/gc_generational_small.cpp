// SPDX-License-Identifier: BSL-1.0
// gc::Generational with less memory (gc.hpp): another program, for the size of the instruction memory.
#include "gc_scratch.hpp"

using namespace trace_cycles;

bool run() {
  bool right = true;
  MEASURE_PAPERS(SCRATCH_KEY("gc.generational"), 40, 2, Generational<40 * 2, 2>)
  MEASURE_PAPERS(SCRATCH_KEY("gc.generational"), 40, 4, Generational<40 * 4, 4>)
  MEASURE_PAPERS(SCRATCH_KEY("gc.generational"), 40, 16, Generational<40 * 16, 16>)
  MEASURE_PAPERS(SCRATCH_KEY("gc.generational"), 255, 2, Generational<255 * 2, 2>)
  return right;
}
