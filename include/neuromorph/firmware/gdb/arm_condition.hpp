// SPDX-License-Identifier: BSL-1.0
/// \file
/// What instructions of ARM and Thumb have in common: conditions, lists of registers.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_FIRMWARE_GDB_ARM_CONDITION_HPP
#define NEUROMORPH_FIRMWARE_GDB_ARM_CONDITION_HPP

#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {
namespace gdb {

/// For each pair of conditions, the flags NZCV with which the first of them holds: a bit for each of the sixteen.
inline constexpr std::uint16_t condition_flags[8] = {0xF0F0, 0xCCCC, 0xFF00, 0xAAAA, 0x0C0C, 0xAA55, 0x0A05, 0xFFFF};

/// \param condition  0..15; 14 always holds, 15 never
/// \param status     N, Z, C, V in its highest bits
[[nodiscard]] constexpr bool condition_holds(std::uint32_t condition, std::uint32_t status) noexcept {
  return ((static_cast<std::uint32_t>(condition_flags[condition >> 1U & 7]) >> (status >> 28U) ^ condition) & 1) != 0;
}

/// How many registers a list names.
[[nodiscard, gnu::cold]] constexpr std::uint32_t ones_of(std::uint32_t list) noexcept {
  std::uint32_t count = 0;
  for (; list != 0; list >>= 1U) count += list & 1; // no call of the compiler's, which has a table
  return count;
}

} // namespace gdb
} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
