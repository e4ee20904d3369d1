// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: an alias table has 32, 64 or 128 cells
#include <neuromorph/kernels/random/alias_table.hpp>

neuromorph::AliasTable<64> right;

#ifdef NEUROMORPH_KO
neuromorph::AliasTable<48> wrong;
#endif

int main() { return 0; }
