// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: weights of layers have 4, 8, 16 or 32 bits
#include <neuromorph/kernels/layers/rows.hpp>

neuromorph::layers::Dense<4, 3, 2> right{};

#ifdef NEUROMORPH_KO
neuromorph::layers::Dense<12, 3, 2> wrong{};
#endif

int main() { return static_cast<int>(right.weights[0]); }
