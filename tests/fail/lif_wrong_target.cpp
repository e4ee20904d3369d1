// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Target is no backend; see docs/target.md
#include <neuromorph/kernels/neurons/lif.hpp>

#ifdef NEUROMORPH_KO
using Target = int;
#else
using Target = neuromorph::target::Generic;
#endif
using Model = neuromorph::Lif<>;
void step(const Model::State& state, const Model::Parameters& parameters, std::span<std::uint32_t> spikes) {
  (void)Model::step<Target>(state, parameters, std::array<std::int32_t*, 2>{}, 0, spikes);
}
