// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: SynapticWord needs 8 to 24 bits for index, type and delay, the weight takes the rest
#include <neuromorph/kernels/synapses/synaptic_word.hpp>

#ifdef NEUROMORPH_KO
using Word = neuromorph::SynapticWord<20, 1, 4>;
#else
using Word = neuromorph::SynapticWord<16, 1, 4>;
#endif
unsigned bits = Word::weight_bits;
