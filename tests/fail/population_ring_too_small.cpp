// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the ring buffer has fewer elements than the population has neurons
#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>

#ifdef NEUROMORPH_KO
constexpr unsigned index_bits = 5;
#else
constexpr unsigned index_bits = 6;
#endif
neuromorph::RingBuffer<neuromorph::SynapticWord<index_bits, 1, 3>> ring;
neuromorph::Population<neuromorph::Lif<>, 50> cells({});
void step() { (void)cells.step(ring, 0); }
