// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Vec's Element is std::uint8_t, int8_t, uint16_t or int16_t; see docs/vectors.md
#include <neuromorph/vec.hpp>

#ifdef NEUROMORPH_KO
using Element = std::int32_t;
#else
using Element = std::int16_t;
#endif
int main() { return neuromorph::Vec<Element>(Element{0}).sum(); }
