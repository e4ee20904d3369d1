// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the rate of a Poisson distribution is not above 0 and at most 64 events per step
// whole: 15
// A source that never fires is a mistake where the rate is a constant.
#include <neuromorph/kernels/random/word_table.hpp>

[[maybe_unused]] constexpr auto& right = neuromorph::word_table<neuromorph::Poisson(1e-9)>;

#ifdef NEUROMORPH_KO
[[maybe_unused]] constexpr auto& wrong = neuromorph::word_table<neuromorph::Poisson(0)>;
#endif

int main() { return 0; }
