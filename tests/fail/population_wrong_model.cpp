// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a Population is of a Neuron<...>, composed of parts; see docs/neurons.md
// whole: 15
#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>

using namespace neuromorph;

int main() {
#ifdef NEUROMORPH_KO
  Population<membrane::Lif, 4> cells(0);
#else
  Population<Lif<>, 4> cells({});
#endif
  RingBuffer<SynapticWord<8, 1, 4>, std::int32_t> ring;
  return static_cast<int>(cells.step(ring, 0).size() + cells.saturations());
}
