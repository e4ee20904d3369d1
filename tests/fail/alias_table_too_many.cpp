// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: this distribution has more than the 128 outcomes of an alias table; take word_table
// Its cells have to fit a machine's registers.
#include <neuromorph/kernels/random/alias_table.hpp>
#include <neuromorph/kernels/random/word_table.hpp>

constexpr auto& right = neuromorph::word_table<neuromorph::Poisson(60.0)>;

#ifdef NEUROMORPH_KO
constexpr auto& wrong = neuromorph::alias_table<neuromorph::Poisson(60.0)>;
#endif

int main() { return 0; }
