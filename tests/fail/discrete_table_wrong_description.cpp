// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a description lacks 'Result<Cumulative> cumulative() const'; see docs/sources.md
// whole: 15
// A table is of a distribution.
#include <neuromorph/kernels/random/word_table.hpp>

constexpr auto& right = neuromorph::word_table<neuromorph::Poisson(2)>;

#ifdef NEUROMORPH_KO
constexpr auto& wrong = neuromorph::word_table<2>;
#endif

int main() { return 0; }
