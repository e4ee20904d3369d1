// SPDX-License-Identifier: BSL-1.0
// gc::Log (gc.hpp).
#include <neuromorph/gc/log.hpp>

#include "gc.hpp"

bool run() {
  bool right = true;
  MEASURE_HEAP("gc.log", neuromorph::gc::Log)
  using Collector = neuromorph::gc::Log<trace_cycles::Goal::room>;
  MEASURE_APART("gc.log", 4, Collector)
  MEASURE_APART("gc.log", 16, Collector)
  MEASURE_APART("gc.log", 100, Collector)
  MEASURE_APART("gc.log", 600, Collector)
  return right;
}
