// SPDX-License-Identifier: BSL-1.0
// expect: rate_is_negative_or_not_finite
// A negative rate has no waiting times.
#include <neuromorph/kernels/random/poisson.hpp>

[[maybe_unused]] constexpr auto right = neuromorph::poisson_intervals(0.5);

#ifdef NEUROMORPH_KO
[[maybe_unused]] constexpr auto wrong = neuromorph::poisson_intervals(-0.5);
#endif

int main() { return 0; }
