// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: CompactLif has 1 synaptic time constant or, with a 32-bit psp, 2; see docs/neurons.md
#include <neuromorph/kernels/neurons/compact_lif.hpp>

#ifdef NEUROMORPH_KO
using Psp = std::int16_t;
#else
using Psp = std::int32_t;
#endif
int size = sizeof(neuromorph::CompactLif<Psp, 2>::Parameters);
