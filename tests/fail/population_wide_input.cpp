// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: these synapses take sums of std::uint16_t, as a RingBuffer<Format, std::uint16_t> has them
#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>

using namespace neuromorph;
#ifdef NEUROMORPH_KO
RingBuffer<SynapticWord<8, 1, 4>> ring;
#else
RingBuffer<SynapticWord<8, 1, 4>, std::uint16_t> ring;
#endif
Population<PackedLif, 4> cells({});
std::size_t step() { return cells.step(ring, 0).size(); }
