// SPDX-License-Identifier: BSL-1.0
// gc::Fifo (gc.hpp).
#include <neuromorph/gc/fifo.hpp>

#include "gc.hpp"

bool run() {
  bool right = true;
  MEASURE_HEAP("gc.fifo", neuromorph::gc::Fifo)
  using Collector = neuromorph::gc::Fifo<trace_cycles::Goal::room>;
  MEASURE_APART("gc.fifo", 4, Collector)
  MEASURE_APART("gc.fifo", 16, Collector)
  MEASURE_APART("gc.fifo", 100, Collector)
  MEASURE_APART("gc.fifo", 600, Collector)
  return right;
}
