// SPDX-License-Identifier: BSL-1.0
// gc::Fixed (gc.hpp).
#include <neuromorph/gc/fixed.hpp>

#include "gc.hpp"

using namespace neuromorph;

bool run() {
  bool right = true;
  MEASURE_GOAL("gc.fixed", 3, gc::Fixed<16>)
  MEASURE_PAPERS("gc.fixed", 40, 2, gc::Fixed<2>)
  MEASURE_PAPERS("gc.fixed", 40, 4, gc::Fixed<4>)
  MEASURE_PAPERS("gc.fixed", 40, 16, gc::Fixed<16>)
  MEASURE_PAPERS("gc.fixed", 255, 2, gc::Fixed<2>)
  MEASURE_PAPERS("gc.fixed", 255, 4, gc::Fixed<4>)
  MEASURE_PAPERS("gc.fixed", 255, 16, gc::Fixed<16>)
  return right;
}
