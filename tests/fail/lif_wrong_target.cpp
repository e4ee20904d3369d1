// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Target is no backend; see docs/target.md
#include <neuromorph/kernels/neurons/models/lif.hpp>

#ifdef NEUROMORPH_KO
using Target = int;
#else
using Target = neuromorph::target::Generic;
#endif
using Model = neuromorph::Lif<>;
void step(const Model::Columns& columns, const Model::Constants& constants, std::uint32_t* spikes) {
  (void)Model::step<Target>(columns, 4, constants, std::array<std::int32_t*, 2>{}, 0, spikes);
}
