// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a weight is negative, infinite or not a number; see docs/sources.md
// whole: 15
// A weight below zero is no chance.
#include <neuromorph/kernels/random/word_table.hpp>

[[maybe_unused]] constexpr auto& right = neuromorph::word_table<neuromorph::Weights({0.5, 0.25})>;

#ifdef NEUROMORPH_KO
[[maybe_unused]] constexpr auto& wrong = neuromorph::word_table<neuromorph::Weights({0.5, -0.25})>;
#endif

int main() { return 0; }
