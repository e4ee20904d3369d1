// SPDX-License-Identifier: BSL-1.0
// gc::Ring (gc.hpp), with 255 neurons at 10 Hz, and 40 as in the papers.
#include <neuromorph/gc/ring.hpp>

#include "gc.hpp"

bool run() {
  bool right = true;
  MEASURE_GOAL("gc.ring", 1, neuromorph::gc::Ring<16>)
  MEASURE_PAPERS("gc.ring", 40, 2, neuromorph::gc::Ring<2>)
  MEASURE_PAPERS("gc.ring", 40, 4, neuromorph::gc::Ring<4>)
  MEASURE_PAPERS("gc.ring", 40, 16, neuromorph::gc::Ring<16>)
  return right;
}
