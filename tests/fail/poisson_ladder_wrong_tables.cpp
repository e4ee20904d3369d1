// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a PoissonLadder has tables of 2^-16 to 2^5 events a step
// whole: 15
#include <neuromorph/kernels/random/poisson_sources.hpp>

using namespace neuromorph;

int main() {
#ifdef NEUROMORPH_KO
  return PoissonLadder<-3, 6>::highest_rate != 0 ? 0 : 1;
#else
  return PoissonLadder<-3, 5>::highest_rate != 0 ? 0 : 1;
#endif
}
