// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the rate of a Poisson distribution is not above 0 and at most 64 events per step
// whole: 15
// A rate above the table's limit must not be tabulated.
#include <neuromorph/kernels/random/byte_table.hpp>

[[maybe_unused]] constexpr auto& right = neuromorph::byte_table<neuromorph::Poisson(64)>;

#ifdef NEUROMORPH_KO
[[maybe_unused]] constexpr auto& wrong = neuromorph::byte_table<neuromorph::Poisson(64.5)>;
#endif

int main() { return 0; }
