// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a Result is given where its value is asked for: ask ok(), then pass value(); see docs/errors.md
// whole: 15
#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/neurons/population.hpp>

using namespace neuromorph;

int main() {
  const auto made = Lif<>::make({.membrane = {.c_nf = 0.25}, .synapses = {{5.0, 5.0}}}, 0.1);
#ifdef NEUROMORPH_KO
  Population<Lif<>, 4> cells(made);
#else
  Population<Lif<>, 4> cells(made.value());
#endif
  return static_cast<int>(cells.saturations());
}
