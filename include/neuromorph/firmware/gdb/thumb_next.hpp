// SPDX-License-Identifier: BSL-1.0
/// \file
/// Where a Thumb instruction goes: all of ARMv5TE's and ARMv7-M's that may change the program counter.
///
/// A step is a breakpoint there. Conditions, IT blocks among them, are evaluated, so that there is one place and not two.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_FIRMWARE_GDB_THUMB_NEXT_HPP
#define NEUROMORPH_FIRMWARE_GDB_THUMB_NEXT_HPP

#include <bit>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/gdb/arm_condition.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {
namespace gdb {

/// \param  general  r0 to r15; pc is the address of the instruction
/// \param  status   xPSR or CPSR
/// \param  it       the state of an IT block, 0 outside of any and on ARMv5TE
/// \param  read     (address, bytes) -> value; of 2 or 4 bytes, 1 for tables. What cannot be read is its to notice
/// \return the address of the next instruction, plus 1 if that is Thumb
/// \source ARM DDI 0403 (ARMv7-M), DDI 0100 (ARMv5TE), the sections of encodings
template <class Read>
[[nodiscard]] constexpr std::uint32_t thumb_next(const std::uint32_t* general, std::uint32_t status, std::uint32_t it,
                                                 Read&& read) {
  const std::uint32_t pc = general[15], first = read(pc, 2);
  const bool is_long = first >= 0xE800, may_be_skipped = (it & 15) != 0;
  const std::uint32_t second = is_long ? read(pc + 2, 2) : 0;
  const std::uint32_t after = pc + (is_long ? 4 : 2) + 1, seen_pc = pc + 4;
  if (may_be_skipped && !condition_holds(it >> 4U, status)) return after;

  const auto sign = [](std::uint32_t value, unsigned bits) { return (value ^ 1U << (bits - 1)) - (1U << (bits - 1)); };
  const auto value_of = [&](std::uint32_t number) { return number == 15 ? seen_pc : general[number]; };
  if (!is_long) {
    switch (first >> 11U) {
    case 0b11100: return seen_pc + 2 * sign(first & 0x7FF, 11) + 1;
    case 0b11010:
    case 0b11011:
      if (const std::uint32_t condition = first >> 8U & 15; condition < 14 && condition_holds(condition, status))
        return seen_pc + 2 * sign(first & 0xFF, 8) + 1;
      return after;
    case 0b10110: // compare with zero and branch
    case 0b10111:
      if ((first & 0xF500) == 0xB100) {
        const bool is_zero = general[first & 7] == 0, wants_zero = (first & 0x800) == 0;
        return is_zero == wants_zero ? seen_pc + ((first & 0x200) >> 3U | (first & 0xF8) >> 2U) + 1 : after;
      }
      if ((first & 0xFF00) == 0xBD00)
        return read(general[13] + 4 * static_cast<std::uint32_t>(std::popcount(first & 0xFF)), 4);
      return after;
    case 0b01000: {
      const std::uint32_t from = value_of(first >> 3U & 15), operation = first & 0xFF00;
      const bool is_to_pc = (first & 0x87) == 0x87;
      if (operation == 0x4700) return from;
      if (operation == 0x4400 && is_to_pc) return (seen_pc + from) | 1;
      if (operation == 0x4600 && is_to_pc) return from | 1;
      return after;
    }
    default: return after;
    }
  }

  const std::uint32_t base = first & 15;
  if ((first & 0xF800) == 0xF000 && (second & 0x8000) != 0) { // branches and what shares their space
    const std::uint32_t high = sign(first & 0x400, 11) << 1U; // S and all above it, at bit 11
    if ((second & 0x5000) == 0) {
      const std::uint32_t condition = first >> 6U & 15;
      if (condition >= 14 || !condition_holds(condition, status)) return after;
      const std::uint32_t offset = high << 9U | (second & 0x800) << 8U | (second & 0x2000) << 5U |
                                   (first & 0x3F) << 12U | (second & 0x7FF) << 1U;
      return seen_pc + offset + 1;
    }
    const std::uint32_t same = (first & 0x400) != 0 ? 0 : 0x2800; // J1 and J2 say where they differ from S
    const std::uint32_t bits = second ^ same;
    const std::uint32_t offset =
        high << 13U | (bits & 0x2000) << 10U | (bits & 0x800) << 11U | (first & 0x3FF) << 12U | (second & 0x7FF) << 1U;
    if ((second & 0x5000) == 0x4000) return (seen_pc + offset) & ~3U; // BLX: to ARM
    return seen_pc + offset + 1;
  }
  if ((first & 0xFF70) == 0xF850 && second >> 12U == 15) { // load word to pc
    std::uint32_t address = base == 15 ? seen_pc & ~3U : general[base];
    if (base == 15)
      address += (first & 0x80) != 0 ? second & 0xFFF : 0 - (second & 0xFFF);
    else if ((first & 0x80) != 0)
      address += second & 0xFFF;
    else if ((second & 0x800) == 0)
      address += general[second & 15] << (second >> 4U & 3);
    else if ((second & 0x400) != 0)
      address += (second & 0x200) != 0 ? second & 0xFF : 0 - (second & 0xFF);
    return read(address, 4);
  }
  if (((first & 0xFFD0) == 0xE890 || (first & 0xFFD0) == 0xE910) && (second & 0x8000) != 0) { // load several
    const auto others = static_cast<std::uint32_t>(std::popcount(second & 0x7FFF));
    return read((first & 0x100) != 0 ? general[base] - 4 : general[base] + 4 * others, 4);
  }
  if ((first & 0xFFF0) == 0xE8D0 && (second & 0xFFE0) == 0xF000) { // table branch
    const std::uint32_t index = general[second & 15], table = value_of(base);
    return seen_pc + 2 * ((second & 0x10) != 0 ? read(table + 2 * index, 2) : read(table + index, 1)) + 1;
  }
  return after;
}

} // namespace gdb
} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
