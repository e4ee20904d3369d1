// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the constants are a Result that nobody looked at: ask ok(), then pass value(); see docs/errors.md
// whole: 15
#include <array>
#include <cstdint>

#include <neuromorph/kernels/neurons/compact_lif.hpp>

using namespace neuromorph;
using Model = CompactLif<>;

int main() {
  const auto made = Model::parameters({.tau_exc_ms = 5.0, .c_m_nf = 0.25}, 0.1, {}, {});
  Model::State state;
  std::array<std::int32_t*, Model::receptors> input{};
  std::array<std::uint32_t, 4> spikes{};
#ifdef NEUROMORPH_KO
  return Model::step(state, made, input, 0, spikes).ok() ? 0 : 1;
#else
  return Model::step(state, made.value(), input, 0, spikes).ok() ? 0 : 1;
#endif
}
