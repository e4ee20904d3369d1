// SPDX-License-Identifier: BSL-1.0
// gc::Baker (gc_variable.hpp) with 255 neurons at 10 Hz.
#include "gc_variable.hpp"

bool run() {
  bool right = true;
  MEASURE_VARIABLE("gc.baker", Baker)
  return right;
}
