// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a table holds the outcomes 0 to 255, this distribution reaches further; see docs/sources.md
// whole: 15
// Outcomes are bytes.
#include <neuromorph/kernels/random/word_table.hpp>

[[maybe_unused]] constexpr auto& right = neuromorph::word_table<neuromorph::Binomial(255, 0.5)>;

#ifdef NEUROMORPH_KO
[[maybe_unused]] constexpr auto& wrong = neuromorph::word_table<neuromorph::Binomial(1000, 0.5)>;
#endif

int main() { return 0; }
