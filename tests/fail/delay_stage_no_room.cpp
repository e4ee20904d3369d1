// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a DelayStage has room for 1 to 65535 items; see docs/synapses.md
#include <neuromorph/kernels/synapses/delay_stage.hpp>

using namespace neuromorph;

#ifdef NEUROMORPH_KO
constexpr std::size_t capacity = 65536;
#else
constexpr std::size_t capacity = 65535;
#endif

int main() {
  static DelayStage<4, capacity> stage;
  return stage.put(0, 1, 1) ? 0 : 1;
}
