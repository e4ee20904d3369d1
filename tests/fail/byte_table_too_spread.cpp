// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: this distribution leaves less than half of a byte table whole; take word_table
// A table of escapes is slower than a search.
#include <neuromorph/kernels/random/byte_table.hpp>
#include <neuromorph/kernels/random/word_table.hpp>

constexpr auto& right = neuromorph::word_table<neuromorph::Binomial(250, 0.8)>;

#ifdef NEUROMORPH_KO
constexpr auto& wrong = neuromorph::byte_table<neuromorph::Binomial(250, 0.8)>;
#endif

int main() { return 0; }
