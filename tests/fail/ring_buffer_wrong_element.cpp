// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a ring buffer's Element is std::int32_t, std::int16_t or std::uint16_t; see docs/synapses.md
#include <neuromorph/kernels/synapses/ring_buffer.hpp>

#ifdef NEUROMORPH_KO
using Element = float;
#else
using Element = std::int16_t;
#endif
neuromorph::RingBuffer<neuromorph::SynapticWord<8, 1, 3>, Element> ring;
