// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Lif has 1 or 2 synaptic time constants
#include <neuromorph/kernels/neurons/lif.hpp>

#ifdef NEUROMORPH_KO
using Model = neuromorph::Lif<3>;
#else
using Model = neuromorph::Lif<2>;
#endif
int size = sizeof(Model);
