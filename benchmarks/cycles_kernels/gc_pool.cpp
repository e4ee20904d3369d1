// SPDX-License-Identifier: BSL-1.0
// gc::Pool (gc.hpp).
#include <neuromorph/gc/pool.hpp>

#include "gc.hpp"

using namespace neuromorph;

bool run() {
  bool right = true;
  MEASURE_GOAL("gc.pool", 0, gc::Pool<1450>)
  MEASURE_PAPERS("gc.pool", 40, 4, gc::Pool<40 * 4>)
  MEASURE_PAPERS("gc.pool", 40, 16, gc::Pool<40 * 16>)
  MEASURE_PAPERS("gc.pool", 255, 4, gc::Pool<255 * 4>)
  MEASURE_PAPERS("gc.pool", 255, 16, gc::Pool<255 * 16>)
  return right;
}
