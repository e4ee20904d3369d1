// SPDX-License-Identifier: BSL-1.0
// gc::Pool (gc.hpp).
#include <neuromorph/gc/pool.hpp>

#include "gc.hpp"

bool run() {
  bool right = true;
  MEASURE_HEAP("gc.pool", neuromorph::gc::Pool)
  return right;
}
