// SPDX-License-Identifier: BSL-1.0
// gc::Sliding (gc.hpp).
#include <neuromorph/gc/sliding.hpp>

#include "gc.hpp"

using namespace neuromorph;

bool run() {
  bool right = true;
  MEASURE_GOAL("gc.sliding", 0, gc::Sliding<1450>)
  MEASURE_PAPERS("gc.sliding", 40, 4, gc::Sliding<40 * 4>)
  MEASURE_PAPERS("gc.sliding", 40, 16, gc::Sliding<40 * 16>)
  MEASURE_PAPERS("gc.sliding", 255, 4, gc::Sliding<255 * 4>)
  MEASURE_PAPERS("gc.sliding", 255, 16, gc::Sliding<255 * 16>)
  return right;
}
