// SPDX-License-Identifier: BSL-1.0
// gc::Ring (gc.hpp), with 255 neurons as in the papers.
#include <neuromorph/gc/ring.hpp>

#include "gc.hpp"

bool run() {
  bool right = true;
  MEASURE_PAPERS("gc.ring", 255, 2, neuromorph::gc::Ring<2>)
  MEASURE_PAPERS("gc.ring", 255, 4, neuromorph::gc::Ring<4>)
  MEASURE_PAPERS("gc.ring", 255, 16, neuromorph::gc::Ring<16>)
  return right;
}
