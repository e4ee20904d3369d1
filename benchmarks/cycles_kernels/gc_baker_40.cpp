// SPDX-License-Identifier: BSL-1.0
// gc::Baker (gc.hpp) with 40 neurons: another program, for the size of the instruction memory.
#include "gc_scratch.hpp"

using namespace trace_cycles;

bool run() {
  bool right = true;
  MEASURE_PAPERS(SCRATCH_KEY("gc.baker"), 40, 2, Baker<40 * 2, 2>)
  MEASURE_PAPERS(SCRATCH_KEY("gc.baker"), 40, 4, Baker<40 * 4, 4>)
  MEASURE_PAPERS(SCRATCH_KEY("gc.baker"), 40, 16, Baker<40 * 16, 16>)
  return right;
}
