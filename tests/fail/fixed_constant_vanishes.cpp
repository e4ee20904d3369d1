// SPDX-License-Identifier: BSL-1.0
// expect: a_non_zero_constant_becomes_zero_in_this_format
// lines: 30
// A constant below half a unit of its format must not turn into zero unseen.
#include <neuromorph/fixed.hpp>

constexpr auto fits = neuromorph::UnsignedLongFract::constant(1e-6);

#ifdef NEUROMORPH_KO
constexpr auto vanishes = neuromorph::Accum::constant(1e-6);
#endif

int main() { return fits.raw() != 0 ? 0 : 1; }
