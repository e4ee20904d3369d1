// SPDX-License-Identifier: BSL-1.0
// gc::Baker with less memory (gc.hpp): another program, for the size of the instruction memory.
#include "gc_scratch.hpp"

using namespace trace_cycles;

bool run() {
  bool right = true;
  MEASURE_PAPERS(SCRATCH_KEY("gc.baker"), 40, 2, Baker<40 * 2, 2>)
  MEASURE_PAPERS(SCRATCH_KEY("gc.baker"), 40, 4, Baker<40 * 4, 4>)
  MEASURE_PAPERS(SCRATCH_KEY("gc.baker"), 40, 16, Baker<40 * 16, 16>)
  MEASURE_PAPERS(SCRATCH_KEY("gc.baker"), 255, 2, Baker<255 * 2, 2>)
  return right;
}
