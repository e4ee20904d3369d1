// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a hypergeometric distribution marks or draws more items than there are; see docs/sources.md
// whole: 15
// No more items can be drawn than there are.
#include <neuromorph/kernels/random/word_table.hpp>

[[maybe_unused]] constexpr auto& right = neuromorph::word_table<neuromorph::Hypergeometric{50, 5, 10}>;

#ifdef NEUROMORPH_KO
[[maybe_unused]] constexpr auto& wrong = neuromorph::word_table<neuromorph::Hypergeometric{10, 5, 50}>;
#endif

int main() { return 0; }
