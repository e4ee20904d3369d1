// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: sums of input are of std::int32_t, std::int16_t or std::uint16_t
#include <neuromorph/kernels/neurons/background.hpp>

std::uint16_t sums[2];
std::uint8_t counts[2];
std::uint32_t right() { return neuromorph::add_events(sums, counts, 3); }

#ifdef NEUROMORPH_KO
std::uint64_t wide[2];
std::uint32_t wrong() { return neuromorph::add_events(wide, counts, 3); }
#endif

int main() { return 0; }
