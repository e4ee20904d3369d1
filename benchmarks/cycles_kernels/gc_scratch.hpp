// SPDX-License-Identifier: BSL-1.0
// Trace stores with scratch memory, in SDRAM where there is such; a copy takes the processor both ways, by load and
// store multiple.
#ifndef BENCHMARKS_CYCLES_KERNELS_GC_SCRATCH_HPP
#define BENCHMARKS_CYCLES_KERNELS_GC_SCRATCH_HPP

#include <cstddef>

#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/generational.hpp>

#include "gc.hpp"

namespace trace_cycles {
#if defined(__thumb__)
#define SCRATCH_KEY(key) key
using Scratch = gc::ScratchInside;
#else
#define SCRATCH_KEY(key) key ".sdram20"
using Scratch = gc::ScratchAt<0x60000000>;
#endif
using Copy = target::CopyBlock<>;

/// Extensions of 4 events, 4 fragments; an advance looks at 16 neurons.
template <std::size_t Events, std::size_t Initial>
using Baker = gc::Baker<Events, Initial, 4, 4, 16, Copy, Copy, Scratch>;
/// Sixteen generations; an advance looks at up to 16 neurons whose events have died.
template <std::size_t Events, std::size_t Initial>
using Generational = gc::Generational<Events, Initial, 4, 4, 16, 16, Copy, Copy, Scratch>;
} // namespace trace_cycles

// The keys of Baker or Generational, in three programs for the size of the instruction memory. With 255 neurons at 10
// Hz they need more room than is used, or compact all the time: here, twice as much.
#define MEASURE_SCRATCH(key, Collector)                                                                                \
  MEASURE_GOAL(SCRATCH_KEY(key), 0, trace_cycles::Collector<2 * trace_cycles::Goal::room, 4>)                          \
  MEASURE_PAPERS(SCRATCH_KEY(key), 255, 4, trace_cycles::Collector<255 * 4, 4>)
#define MEASURE_SCRATCH_255(key, Collector)                                                                            \
  MEASURE_PAPERS(SCRATCH_KEY(key), 255, 2, trace_cycles::Collector<255 * 2, 2>)                                        \
  MEASURE_PAPERS(SCRATCH_KEY(key), 255, 16, trace_cycles::Collector<255 * 16, 16>)
#define MEASURE_SCRATCH_40(key, Collector)                                                                             \
  MEASURE_PAPERS(SCRATCH_KEY(key), 40, 2, trace_cycles::Collector<40 * 2, 2>)                                          \
  MEASURE_PAPERS(SCRATCH_KEY(key), 40, 4, trace_cycles::Collector<40 * 4, 4>)                                          \
  MEASURE_PAPERS(SCRATCH_KEY(key), 40, 16, trace_cycles::Collector<40 * 16, 16>)

#endif
