// SPDX-License-Identifier: BSL-1.0
// gc::Baker (gc.hpp) with 255 neurons.
#include "gc_scratch.hpp"

using namespace trace_cycles;

bool run() {
  bool right = true;
  MEASURE_PAPERS(SCRATCH_KEY("gc.baker"), 255, 2, Baker<255 * 2, 2>)
  MEASURE_PAPERS(SCRATCH_KEY("gc.baker"), 255, 16, Baker<255 * 16, 16>)
  return right;
}
