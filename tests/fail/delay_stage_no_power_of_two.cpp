// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a DelayStage has a power of two of steps, 2 to 65536; see docs/synapses.md
#include <neuromorph/kernels/synapses/delay_stage.hpp>

using namespace neuromorph;

#ifdef NEUROMORPH_KO
constexpr std::size_t steps = 24;
#else
constexpr std::size_t steps = 32;
#endif

int main() {
  DelayStage<steps, 4> stage;
  return stage.put(0, 1, 1) ? 0 : 1;
}
