// SPDX-License-Identifier: BSL-1.0
/// \file
/// Where a Thumb instruction goes: all of ARMv5TE's and ARMv7-M's that may change the program counter.
///
/// A step is a breakpoint there. Conditions, IT blocks among them, are evaluated, so that there is one place and not two.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_FIRMWARE_GDB_THUMB_NEXT_HPP
#define NEUROMORPH_FIRMWARE_GDB_THUMB_NEXT_HPP

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
/// \param  loaded_below  gets the end of the word that was loaded into pc, which is the new sp where that was the stack
/// \return the address of the next instruction, plus 1 if that is Thumb
/// \source ARM DDI 0403 (ARMv7-M), DDI 0100 (ARMv5TE), the sections of encodings
template <class Read>
[[nodiscard]] constexpr std::uint32_t thumb_next(const std::uint32_t* general, std::uint32_t status, std::uint32_t it,
                                                 Read&& read, std::uint32_t* loaded_below = nullptr) {
  const std::uint32_t pc = general[15], seen_pc = pc + 4, first = read(pc, 2);
  const bool is_long = first >= 0xE800;
  const std::uint32_t after = pc + (is_long ? 4 : 2) + 1;
  if ((it & 15) != 0 && !condition_holds(it >> 4U, status)) return after;

  const auto value_of = [&](std::uint32_t number) { return number == 15 ? seen_pc : general[number]; };
  // Places of two bytes each; the lowest bits of a value, of which the highest is the sign.
  const auto branch = [&](std::uint32_t value, unsigned bits) {
    const auto offset = static_cast<std::int32_t>(value << (32 - bits)) >> (31 - bits);
    return seen_pc + static_cast<std::uint32_t>(offset) + 1;
  };
  std::uint32_t address = 0; // of the word that pc becomes
  if (!is_long) {
    const std::uint32_t operation = first >> 8U, condition = operation & 15;
    if (operation >> 3U == 0x1C) return branch(first, 11);
    if (operation >> 4U == 0xD) return condition < 14 && condition_holds(condition, status) ? branch(first, 8) : after;
    if ((operation & 0xF5) == 0xB1) { // compare with zero and branch
      const bool is_zero = general[first & 7] == 0, wants_zero = (operation & 8) == 0;
      return is_zero == wants_zero ? seen_pc + ((first & 0x200) >> 3U | (first & 0xF8) >> 2U) + 1 : after;
    }
    if (operation >= 0x44 && operation <= 0x47) {
      const std::uint32_t from = value_of(first >> 3U & 15);
      if (operation == 0x47) return from;
      if (operation == 0x45 || (first & 0x87) != 0x87) return after;
      return (operation == 0x44 ? seen_pc + from : from) | 1;
    }
    if (operation != 0xBD) return after;
    address = general[13] + 4 * ones_of(first & 0xFF);
  } else {
    const std::uint32_t second = read(pc + 2, 2), base = first & 15, kind = first >> 4U;
    if (first >> 11U == 0x1E && (second & 0x8000) != 0) { // branches and what shares their space
      const std::uint32_t low = second & 0x7FF, kind_of_branch = second & 0x5000;
      if (kind_of_branch == 0) {
        const std::uint32_t condition = first >> 6U & 15;
        if (condition >= 14 || !condition_holds(condition, status)) return after;
        return branch(
            (first & 0x400) << 9U | (second & 0x800) << 7U | (second & 0x2000) << 4U | (first & 0x3F) << 11U | low, 20);
      }
      // As in Thumb-1; two bits that were ones there say where a longer offset is not its sign.
      std::uint32_t offset = static_cast<std::uint32_t>(static_cast<std::int32_t>(first << 21U) >> 9U) | low << 1U;
      offset ^= (~second & 0x2000) << 10U | (~second & 0x800) << 11U;
      const std::uint32_t place = seen_pc + offset + 1;
      return kind_of_branch == 0x4000 ? place & ~3U : place; // BLX: to ARM
    }
    if ((kind & 0xFF7) == 0xF85 && second >= 0xF000) { // load word
      const bool is_literal = base == 15, is_far = (first & 0x80) != 0;
      std::uint32_t offset = 0;
      address = is_literal ? seen_pc & ~3U : general[base];
      if (is_literal || is_far)
        offset = second & 0xFFF;
      else if ((second & 0x800) == 0)
        offset = general[second & 15] << (second >> 4U & 3);
      else if ((second & 0x400) != 0)
        offset = second & 0xFF;
      const bool is_down = is_literal ? !is_far : !is_far && (second & 0xA00) == 0x800;
      address += is_down ? 0 - offset : offset;
    } else if ((kind & 0xFFD) == 0xE89 && second >= 0x8000) { // load several
      address = general[base] + 4 * ones_of(second & 0x7FFF);
    } else if ((kind & 0xFFD) == 0xE91 && second >= 0x8000) {
      address = general[base] - 4;
    } else if (kind == 0xE8D && (second & 0xFFE0) == 0xF000) { // table branch
      const unsigned bytes = (second & 0x10) != 0 ? 2 : 1;
      return seen_pc + 2 * read(value_of(base) + bytes * general[second & 15], bytes) + 1;
    } else {
      return after;
    }
  }
  if (loaded_below != nullptr) *loaded_below = address + 4;
  return read(address, 4);
}

} // namespace gdb
} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
