// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a DecayTable has 1 to 2^16 ticks, a LongDecayTable up to 2^20
#include <neuromorph/kernels/plasticity/decay_table.hpp>

#ifdef NEUROMORPH_KO
using Table = neuromorph::DecayTable<65537>;
#else
using Table = neuromorph::LongDecayTable<65537>;
#endif

int main() { return sizeof(Table) > 4 ? 0 : 1; }
