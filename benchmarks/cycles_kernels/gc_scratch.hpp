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

/// Extensions of 4 events, 4 fragments; a tick looks at 16 neurons.
template <std::size_t Events, std::size_t Initial>
using Baker = gc::Baker<Events, Initial, 4, 4, 16, Copy, Copy, Scratch>;
/// Sixteen generations; a tick looks at up to 16 neurons whose events have died.
template <std::size_t Events, std::size_t Initial>
using Generational = gc::Generational<Events, Initial, 4, 4, 16, 16, Copy, Copy, Scratch>;
} // namespace trace_cycles

#endif
