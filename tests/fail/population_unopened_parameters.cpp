// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a Result is given where its value is asked for: ask ok(), then pass value(); see docs/errors.md
// whole: 15
#include <neuromorph/kernels/neurons/lif.hpp>
#include <neuromorph/kernels/neurons/population.hpp>

using namespace neuromorph;

int main() {
  const auto parameters = Lif<>::parameters({.tau_exc_ms = 5.0, .c_m_nf = 0.25}, 0.1);
#ifdef NEUROMORPH_KO
  Population<Lif<>, 4> cells(parameters, 0);
#else
  Population<Lif<>, 4> cells(parameters.value(), 0);
#endif
  return static_cast<int>(cells.saturations());
}
