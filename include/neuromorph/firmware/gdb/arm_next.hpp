// SPDX-License-Identifier: BSL-1.0
/// \file
/// Where an ARM instruction goes: all of ARMv5TE's that may change the program counter.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_FIRMWARE_GDB_ARM_NEXT_HPP
#define NEUROMORPH_FIRMWARE_GDB_ARM_NEXT_HPP

#include <bit>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/gdb/arm_condition.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {
namespace gdb {
namespace detail {

/// A register by immediate or register, shifted: the last operand of data processing and of loads.
[[nodiscard]] constexpr std::uint32_t shifted(std::uint32_t value, std::uint32_t kind, std::uint32_t by,
                                              bool by_register, bool carry) noexcept {
  if (by == 0 && by_register) return value;
  switch (kind) {
  case 0: return by < 32 ? value << by : 0;
  case 1: return by != 0 && by < 32 ? value >> by : 0; // immediate 0 stands for 32
  case 2: return static_cast<std::uint32_t>(static_cast<std::int32_t>(value) >> (by != 0 && by < 32 ? by : 31));
  default:
    if (by == 0) return value >> 1U | std::uint32_t{carry} << 31U;
    return std::rotr(value, static_cast<int>(by & 31));
  }
}

} // namespace detail

/// \param  general  r0 to r15; pc is the address of the instruction
/// \param  status   CPSR
/// \param  read     (address, bytes) -> value; of 4 bytes. What cannot be read is its to notice
/// \return the address of the next instruction, plus 1 if that is Thumb. Where an exception returns, its state is not
///         known and taken for ARM
/// \source ARM DDI 0100, chapter A3 and A5
template <class Read>
[[nodiscard]] constexpr std::uint32_t arm_next(const std::uint32_t* general, std::uint32_t status, Read&& read) {
  const std::uint32_t pc = general[15], word = read(pc, 4), after = pc + 4, condition = word >> 28U;
  const bool carry = (status >> 29U & 1) != 0;
  const auto value_of = [&](std::uint32_t number) { return number == 15 ? pc + 8 : general[number]; };
  const auto branch = [&] { return pc + 8 + ((word << 8U ^ 0x80000000U) >> 6U) - 0x2000000U; };
  if (condition == 15) // BLX to Thumb; nothing else of these goes anywhere
    return (word & 0x0E000000) == 0x0A000000 ? branch() + (word >> 23U & 2) + 1 : after;
  if (!condition_holds(condition, status)) return after;
  if ((word & 0x0E000000) == 0x0A000000) return branch();
  if ((word & 0x0FFFFFD0) == 0x012FFF10) return value_of(word & 15); // BX, BLX

  const std::uint32_t base = word >> 16U & 15;
  const bool adds = (word & 0x00800000) != 0, before = (word & 0x01000000) != 0;
  if ((word & 0x0E108000) == 0x08108000) { // load several
    const std::uint32_t others = ones_of(word & 0x7FFF);
    const std::uint32_t up = 4 * others + (before ? 4 : 0), down = before ? 0 - 4U : 0;
    return read(general[base] + (adds ? up : down), 4);
  }
  if ((word & 0x0000F000) != 0x0000F000) return after;
  const std::uint32_t from = value_of(word & 15);
  if ((word & 0x0C500000) == 0x04100000) { // load word
    if ((word & 0x02000010) == 0x02000010) return after;
    std::uint32_t offset = word & 0xFFF;
    if ((word & 0x02000000) != 0) offset = detail::shifted(from, word >> 5U & 3, word >> 7U & 31, false, carry);
    if (!before) offset = 0;
    return read(value_of(base) + (adds ? offset : 0 - offset), 4);
  }
  if ((word & 0x0C000000) != 0 || (word & 0x02000090) == 0x00000090) return after; // multiplies, halfwords
  const std::uint32_t operation = word >> 21U & 15;
  if ((operation & 12) == 8) return after; // comparisons, status registers
  std::uint32_t second = 0;
  if ((word & 0x02000000) != 0) {
    second = std::rotr(word & 0xFF, static_cast<int>(word >> 7U & 30));
  } else if ((word & 0x10) != 0) {
    second = detail::shifted(from, word >> 5U & 3, general[word >> 8U & 15] & 0xFF, true, carry);
  } else {
    second = detail::shifted(from, word >> 5U & 3, word >> 7U & 31, false, carry);
  }
  const std::uint32_t first = value_of(base), borrow = carry ? 0 : 1;
  std::uint32_t result = 0;
  switch (operation) {
  case 0: result = first & second; break;
  case 1: result = first ^ second; break;
  case 2: result = first - second; break;
  case 3: result = second - first; break;
  case 4: result = first + second; break;
  case 5: result = first + second + 1 - borrow; break;
  case 6: result = first - second - borrow; break;
  case 7: result = second - first - borrow; break;
  case 12: result = first | second; break;
  case 13: result = second; break;
  case 14: result = first & ~second; break;
  default: result = ~second; break;
  }
  return result & ~3U;
}

} // namespace gdb
} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
