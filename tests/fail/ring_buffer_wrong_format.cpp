// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Format is no row format; see docs/synapses.md
// whole: 15
#include <neuromorph/kernels/synapses/ring_buffer.hpp>

#ifdef NEUROMORPH_KO
using Format = int;
#else
using Format = neuromorph::SynapticWord<8, 1, 3>;
#endif
neuromorph::RingBuffer<Format> ring;
