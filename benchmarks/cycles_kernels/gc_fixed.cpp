// SPDX-License-Identifier: BSL-1.0
// gc::Fixed (gc.hpp).
#include <neuromorph/gc/fixed.hpp>

#include "gc.hpp"

bool run() {
  bool right = true;
  MEASURE_BUFFERS("gc.fixed", 3, neuromorph::gc::Fixed)
  return right;
}
