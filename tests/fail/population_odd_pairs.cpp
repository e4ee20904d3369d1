// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: CompactLif<std::int16_t> has two neurons per word: an even number; see docs/neurons.md
#include <neuromorph/kernels/neurons/compact_lif.hpp>
#include <neuromorph/kernels/neurons/population.hpp>

#ifdef NEUROMORPH_KO
constexpr int neurons = 5;
#else
constexpr int neurons = 6;
#endif
int size = sizeof(neuromorph::Population<neuromorph::CompactLif<std::int16_t>, neurons>);
