// SPDX-License-Identifier: BSL-1.0
// gc::Ring (gc.hpp).
#include <neuromorph/gc/ring.hpp>

#include "gc.hpp"

using namespace neuromorph;

bool run() {
  bool right = true;
  MEASURE_GOAL("gc.ring", 1, gc::Ring<16>)
  MEASURE_PAPERS("gc.ring", 40, 2, gc::Ring<2>)
  MEASURE_PAPERS("gc.ring", 40, 4, gc::Ring<4>)
  MEASURE_PAPERS("gc.ring", 40, 16, gc::Ring<16>)
  MEASURE_PAPERS("gc.ring", 255, 2, gc::Ring<2>)
  MEASURE_PAPERS("gc.ring", 255, 4, gc::Ring<4>)
  MEASURE_PAPERS("gc.ring", 255, 16, gc::Ring<16>)
  return right;
}
