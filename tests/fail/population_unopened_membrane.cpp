// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the membrane is a Result that nobody looked at: ask ok(), then pass value(); see docs/errors.md
// whole: 15
#include <neuromorph/kernels/neurons/lif.hpp>
#include <neuromorph/kernels/neurons/population.hpp>

using namespace neuromorph;

int main() {
  const auto parameters = Lif<>::parameters({.tau_exc_ms = 5.0, .c_m_nf = 0.25}, 0.1).value();
  const auto rest = Lif<>::membrane(parameters, -65.0);
#ifdef NEUROMORPH_KO
  Population<Lif<>, 4> cells(parameters, rest);
#else
  Population<Lif<>, 4> cells(parameters, rest.value());
#endif
  return static_cast<int>(cells.saturations());
}
