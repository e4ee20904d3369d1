// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Lif rounds its products with rounding::Down or rounding::Nearest; see docs/neurons.md
#include <neuromorph/kernels/neurons/lif.hpp>

#ifdef NEUROMORPH_KO
template class neuromorph::Lif<2, int>;
#else
template class neuromorph::Lif<2, neuromorph::rounding::Nearest>;
#endif
