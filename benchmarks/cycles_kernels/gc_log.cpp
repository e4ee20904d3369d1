// SPDX-License-Identifier: BSL-1.0
// gc::Log (gc.hpp).
#include <neuromorph/gc/log.hpp>

#include "gc.hpp"

bool run() {
  bool right = true;
  MEASURE_HEAP("gc.log", neuromorph::gc::Log)
  return right;
}
