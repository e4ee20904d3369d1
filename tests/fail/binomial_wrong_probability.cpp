// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the probability of a binomial distribution is not in 0 to 1; see docs/sources.md
// whole: 15
// A probability in percent must not be taken for one.
#include <neuromorph/kernels/random/word_table.hpp>

[[maybe_unused]] constexpr auto& right = neuromorph::word_table<neuromorph::Binomial(10, 0.02)>;

#ifdef NEUROMORPH_KO
[[maybe_unused]] constexpr auto& wrong = neuromorph::word_table<neuromorph::Binomial(10, 2.0)>;
#endif

int main() { return 0; }
