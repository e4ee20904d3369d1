// SPDX-License-Identifier: BSL-1.0
// gc::Generational (gc_variable.hpp) with the papers' neurons.
#include "gc_variable.hpp"

bool run() {
  bool right = true;
  MEASURE_VARIABLE_PAPERS("gc.generational", Generational)
  return right;
}
