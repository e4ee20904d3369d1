// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: this distribution leaves less than half of a pair table whole; take byte_table or word_table
// A table of escapes is slower than a table of bytes.
#include <neuromorph/kernels/random/byte_table.hpp>
#include <neuromorph/kernels/random/pair_table.hpp>

constexpr auto& right = neuromorph::byte_table<neuromorph::Poisson(64)>;

#ifdef NEUROMORPH_KO
constexpr auto& wrong = neuromorph::pair_table<neuromorph::Poisson(64)>;
#endif

int main() { return 0; }
