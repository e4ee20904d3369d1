// SPDX-License-Identifier: BSL-1.0
// The synapse array of the vector unit that s2pp_trap.cpp adds to a program.
#ifndef NEUROMORPH_TESTS_SUPPORT_S2PP_TRAP_HPP
#define NEUROMORPH_TESTS_SUPPORT_S2PP_TRAP_HPP

#include <array>
#include <cstdint>

#include "tests/support/s2pp.hpp"

#ifndef S2PP_SLICES
#define S2PP_SLICES 1
#endif

namespace s2pp {

using Vector = std::array<std::uint8_t, 16 * S2PP_SLICES>;
/// Addresses 0 to 4095 of the vector space; there is nothing at others.
inline constexpr std::uint32_t vectors = 4096;
extern std::array<Vector, vectors> vector_space;

} // namespace s2pp

#endif
