// SPDX-License-Identifier: BSL-1.0
/// \file
/// The registers of an interrupted ARM program, as exceptions leave them and debuggers want them.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_TARGET_ARM_REGISTERS_HPP
#define NEUROMORPH_TARGET_ARM_REGISTERS_HPP

#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

struct ArmRegisters {
  std::uint32_t general[16]; ///< r0 to r12, sp, lr, pc: the instruction that was not executed
  std::uint32_t status;      ///< CPSR, or xPSR
};

/// With those of floating point and Helium: sixteen of 64 bits, two of which are a vector.
struct ArmVectorRegisters : ArmRegisters {
  std::uint32_t vectors[32];
  std::uint32_t float_status; ///< FPSCR
  std::uint32_t predicates;   ///< VPR
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
