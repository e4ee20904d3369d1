// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Model lacks what a neuron model must offer; see docs/neurons.md
// whole: 15
#include <array>
#include <cstdint>

#include <neuromorph/kernels/neurons/lif.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>

using namespace neuromorph;

struct NoModel {};

int main() {
#ifdef NEUROMORPH_KO
  using Model = NoModel;
  Population<Model, 4> cells(0, 0);
#else
  using Model = Lif<>;
  Population<Model, 4> cells(Model::parameters({.tau_exc_ms = 5.0, .c_m_nf = 0.25}, 0.1).value(), 0);
#endif
  RingBuffer<SynapticWord<8, 1, 4>, std::int32_t> ring;
  return static_cast<int>(cells.step(ring, 0).size() + cells.saturations());
}
