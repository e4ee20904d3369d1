// SPDX-License-Identifier: BSL-1.0
// expect: a_constant_does_not_fit_this_format
// lines: 30
// A constant outside its format must not saturate or wrap unseen; one is outside u0.32.
#include <neuromorph/fixed.hpp>

constexpr auto fits = neuromorph::UnsignedAccum::constant(1.0);

#ifdef NEUROMORPH_KO
constexpr auto overflows = neuromorph::UnsignedLongFract::constant(1.0);
#endif

int main() { return fits.raw() == 65536 ? 0 : 1; }
