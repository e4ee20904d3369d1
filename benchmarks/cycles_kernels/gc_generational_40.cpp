// SPDX-License-Identifier: BSL-1.0
// gc::Generational (gc_scratch.hpp) with 40 neurons.
#include "gc_scratch.hpp"

bool run() {
  bool right = true;
  MEASURE_SCRATCH_40("gc.generational", Generational)
  return right;
}
