// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: all weights are zero; see docs/sources.md
// whole: 15
// Some outcome must be possible.
#include <neuromorph/kernels/random/word_table.hpp>

[[maybe_unused]] constexpr auto& right = neuromorph::word_table<neuromorph::Weights({0.0, 1.0})>;

#ifdef NEUROMORPH_KO
[[maybe_unused]] constexpr auto& wrong = neuromorph::word_table<neuromorph::Weights({0.0, 0.0})>;
#endif

int main() { return 0; }
