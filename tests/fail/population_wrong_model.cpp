// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Model lacks what a neuron model must offer; see docs/neurons.md
// whole: 15
#include <neuromorph/kernels/neurons/lif.hpp>
#include <neuromorph/kernels/neurons/population.hpp>

struct NoModel {
  struct Parameters {};
  struct State {};
  static constexpr unsigned psp_count = 1;
};
#ifdef NEUROMORPH_KO
using Model = NoModel;
#else
using Model = neuromorph::Lif<>;
#endif
using Cells = neuromorph::Population<Model, 4>;
int size = sizeof(Cells);
