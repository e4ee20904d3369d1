// SPDX-License-Identifier: BSL-1.0
/// \file
/// An ARMv5TE core as a gdb stub sees it, in ARM and Thumb state: steps by a breakpoint at the next instruction.
///
/// The registers come from `target/arm/armv5te_exception.hpp`. Code is in memory that can be written; what must be told of
/// that, a cache, says a policy.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_FIRMWARE_GDB_ARMV5TE_HPP
#define NEUROMORPH_FIRMWARE_GDB_ARMV5TE_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/gdb/arm_next.hpp>
#include <neuromorph/firmware/gdb/machine.hpp>
#include <neuromorph/firmware/gdb/memory.hpp>
#include <neuromorph/firmware/gdb/thumb_next.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/target/arm/registers.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {
namespace gdb {

/// \tparam Memory  what is at an address, and what is done where code was written; a test's own
template <class Memory = OwnMemory<>>
struct Armv5te : Memory {
  using Registers = target::ArmRegisters;
  using Offers = offer::List<>;
  static constexpr const char* architecture = "arm";
  static constexpr Feature features[] = {
      {"org.gnu.gdb.arm.core", "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 sp lr pc cpsr", 32}};

  [[nodiscard]] static std::uint32_t& pc(Registers& registers) noexcept { return registers.general[15]; }
  [[nodiscard]] static Place here(const Registers& registers) noexcept {
    return {registers.general[15], static_cast<std::uint8_t>(is_thumb(registers) ? 2 : 4)};
  }
  [[nodiscard]] static BreakInstruction break_instruction(std::uint8_t kind) noexcept {
    if ((kind & ~1U) == 2) return {0xBE00, 2};
    return {0xE120'0070, static_cast<std::uint8_t>(kind == 4 ? 4 : 0)};
  }
  template <class Read>
  [[nodiscard]] static Place next(const Registers& registers, Read&& read) {
    const std::uint32_t address = is_thumb(registers) ? thumb_next(registers.general, registers.status, 0, read)
                                                      : arm_next(registers.general, registers.status, read);
    if ((address & 1) != 0) return {address & ~1U, 2};
    return {address & ~3U, 4};
  }

private:
  [[nodiscard]] static bool is_thumb(const Registers& registers) noexcept { return (registers.status & 0x20) != 0; }
};

} // namespace gdb
} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
