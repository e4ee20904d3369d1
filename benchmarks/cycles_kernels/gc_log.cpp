// SPDX-License-Identifier: BSL-1.0
// gc::Log (gc.hpp).
#include <neuromorph/gc/log.hpp>

#include "gc.hpp"

using namespace neuromorph;

bool run() {
  bool right = true;
  MEASURE_GOAL("gc.log", 0, gc::Log<1450>)
  MEASURE_PAPERS("gc.log", 40, 4, gc::Log<40 * 4>)
  MEASURE_PAPERS("gc.log", 40, 16, gc::Log<40 * 16>)
  MEASURE_PAPERS("gc.log", 255, 4, gc::Log<255 * 4>)
  MEASURE_PAPERS("gc.log", 255, 16, gc::Log<255 * 16>)
  return right;
}
