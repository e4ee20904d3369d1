// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the rate of a Poisson distribution is not above 0 and at most 64 events per step
// whole: 15
#include <neuromorph/kernels/random/kiss32.hpp>
#include <neuromorph/kernels/random/word_table.hpp>

using namespace neuromorph;

int main() {
  Kiss32 source;
#ifdef NEUROMORPH_KO
  return static_cast<int>(word_table<Poisson(65)>.draw(source));
#else
  return static_cast<int>(word_table<Poisson(64)>.draw(source));
#endif
}
