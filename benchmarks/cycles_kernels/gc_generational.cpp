// SPDX-License-Identifier: BSL-1.0
// gc::Generational (gc_scratch.hpp).
#include "gc_scratch.hpp"

bool run() {
  bool right = true;
  MEASURE_SCRATCH("gc.generational", Generational)
  return right;
}
