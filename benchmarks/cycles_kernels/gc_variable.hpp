// SPDX-License-Identifier: BSL-1.0
// gc::Baker and gc::Generational, with memory for twice as many events as the others, and so few words at a time that no
// call takes 1000 cycles.
#ifndef BENCHMARKS_CYCLES_KERNELS_GC_VARIABLE_HPP
#define BENCHMARKS_CYCLES_KERNELS_GC_VARIABLE_HPP

#include <cstddef>

#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/generational.hpp>

#include "gc.hpp"

namespace trace_cycles {
template <std::size_t Events, std::size_t Times = 2>
using Baker = gc::Baker<gc::BakerOptions{.events = 2 * Events, .words = 44, .heap_bytes = 8 * Times* Events}>;
template <std::size_t Events, std::size_t Times = 2>
using Generational = gc::Generational<gc::GenerationalOptions{
    .events = 2 * Events, .words = 32, .scan = 1, .heap_bytes = 8 * Times* Events}>;
} // namespace trace_cycles

// The keys of Baker or Generational, in two programs for the size of the instruction memory.
#define MEASURE_VARIABLE(key, Collector)                                                                               \
  using OfGoal = trace_cycles::Collector<trace_cycles::Goal::room>;                                                    \
  MEASURE_GOAL(key, 0, OfGoal)                                                                                         \
  MEASURE_APART(key, 4, OfGoal)                                                                                        \
  MEASURE_APART(key, 16, OfGoal)                                                                                       \
  MEASURE_APART(key, 100, OfGoal)                                                                                      \
  MEASURE_APART(key, 600, OfGoal)
#define MEASURE_VARIABLE_PAPERS(key, Collector)                                                                        \
  MEASURE_PAPERS(key, 40, 4, trace_cycles::Collector<40 * 4>)                                                          \
  MEASURE_PAPERS(key, 40, 16, trace_cycles::Collector<40 * 16>)                                                        \
  MEASURE_PAPERS(key, 255, 4, trace_cycles::Collector<255 * 4>)                                                        \
  MEASURE_PAPERS(key, 255, 16, trace_cycles::Collector<255 * 16, 1>)

#endif
