// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Weights wants 1 to 256 weights; see docs/sources.md
// whole: 15
// A table of nothing has no outcome to give.
#include <neuromorph/kernels/random/word_table.hpp>

[[maybe_unused]] constexpr neuromorph::Weights right(std::array<double, 1>{1.0});

#ifdef NEUROMORPH_KO
[[maybe_unused]] constexpr neuromorph::Weights wrong(std::array<double, 0>{});
#endif

int main() { return 0; }
