// SPDX-License-Identifier: BSL-1.0
// gc::Baker (gc_variable.hpp) with the papers' neurons.
#include "gc_variable.hpp"

bool run() {
  bool right = true;
  MEASURE_VARIABLE_PAPERS("gc.baker", Baker)
  return right;
}
