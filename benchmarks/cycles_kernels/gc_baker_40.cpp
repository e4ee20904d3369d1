// SPDX-License-Identifier: BSL-1.0
// gc::Baker (gc_scratch.hpp) with 40 neurons.
#include "gc_scratch.hpp"

bool run() {
  bool right = true;
  MEASURE_SCRATCH_40("gc.baker", Baker)
  return right;
}
