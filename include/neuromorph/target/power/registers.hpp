// SPDX-License-Identifier: BSL-1.0
/// \file
/// The registers of an interrupted PowerPC program, as debuggers want them.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_TARGET_POWER_REGISTERS_HPP
#define NEUROMORPH_TARGET_POWER_REGISTERS_HPP

#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

struct PowerRegisters {
  std::uint32_t general[32];
  std::uint32_t pc; ///< the instruction that was not executed
  std::uint32_t machine_state, condition, link, counter, fixed_exceptions;
};

/// With those of the vector unit of a plasticity processor, a slice of 128 bits each, in the order of memory.
struct S2ppRegisters : PowerRegisters {
  std::uint8_t vectors[32][16];
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
