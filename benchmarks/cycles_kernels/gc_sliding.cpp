// SPDX-License-Identifier: BSL-1.0
// gc::Sliding (gc.hpp).
#include <neuromorph/gc/sliding.hpp>

#include "gc.hpp"

bool run() {
  bool right = true;
  MEASURE_HEAP("gc.sliding", neuromorph::gc::Sliding)
  return right;
}
