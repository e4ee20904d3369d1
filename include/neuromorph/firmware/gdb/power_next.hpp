// SPDX-License-Identifier: BSL-1.0
/// \file
/// Where an instruction of PowerPC goes, of 32 bits.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_FIRMWARE_GDB_POWER_NEXT_HPP
#define NEUROMORPH_FIRMWARE_GDB_POWER_NEXT_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/power/registers.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {
namespace gdb {

/// Whether the next instruction can be told, and which one it is: of those that return from an interrupt it cannot.
/// \source Power ISA, book I, Branch Facility
[[nodiscard]] constexpr bool power_next(const target::PowerRegisters& registers, std::uint32_t word,
                                        std::uint32_t& address) noexcept {
  const std::uint32_t operation = word >> 26U, extended = word >> 1U & 0x3FF;
  const std::uint32_t origin = (word & 2) != 0 ? 0 : registers.pc; // absolute, or relative
  address = registers.pc + 4;
  if (operation == 18) {
    address = origin + (((word & 0x03FF'FFFC) ^ 0x0200'0000) - 0x0200'0000);
    return true;
  }
  const bool to_link = operation == 19 && extended == 16, to_counter = operation == 19 && extended == 528;
  if (operation == 19 && (extended == 50 || extended == 51)) return false; // from interrupts
  if (operation != 16 && !to_link && !to_counter) return true;

  const std::uint32_t options = word >> 21U, bit = word >> 16U & 31;
  const bool counts = (options & 4) == 0 && !to_counter; // down; goes where that is not 0, or where it is
  const bool is_right_count = !counts || (registers.counter != 1) != ((options & 2) != 0);
  const bool is_right_condition = (options & 16) != 0 || (registers.condition << bit >> 31U) == (options >> 3U & 1);
  if (!is_right_count || !is_right_condition) return true;
  if (operation == 16)
    address = origin + (((word & 0xFFFC) ^ 0x8000) - 0x8000);
  else
    address = (to_link ? registers.link : registers.counter) & ~3U;
  return true;
}

} // namespace gdb
} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
