// SPDX-License-Identifier: BSL-1.0
// gc::Ring (gc.hpp).
#include <neuromorph/gc/ring.hpp>

#include "gc.hpp"

bool run() {
  bool right = true;
  MEASURE_BUFFERS("gc.ring", 1, neuromorph::gc::Ring)
  return right;
}
