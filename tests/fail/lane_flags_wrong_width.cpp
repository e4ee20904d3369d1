// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: LaneFlags' Width is std::uint8_t or std::uint16_t; see docs/vectors.md
#include <neuromorph/vec.hpp>

#ifdef NEUROMORPH_KO
using Width = std::int8_t;
#else
using Width = std::uint8_t;
#endif
int main() { return neuromorph::LaneFlags<Width>().any() ? 1 : 0; }
