// SPDX-License-Identifier: BSL-1.0
// The synapse array of the vector unit that s2pp_trap.cpp adds to a program.
#ifndef NEUROMORPH_TESTS_SUPPORT_S2PP_TRAP_HPP
#define NEUROMORPH_TESTS_SUPPORT_S2PP_TRAP_HPP

#include <array>
#include <cstdint>

#include "tests/support/s2pp.hpp"

namespace s2pp {

/// Addresses 0 to 4095 of the vector space; there is nothing at others.
inline constexpr std::uint32_t vectors = 4096;
extern std::array<Bytes, vectors> vector_space;

} // namespace s2pp

#endif
