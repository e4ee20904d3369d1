// SPDX-License-Identifier: BSL-1.0
/// \file
/// A Cortex-M as a gdb stub sees it: steps by a breakpoint at the next instruction, and causes of faults.
///
/// The registers come from `target/arm/cortex_m_exception.hpp`. Code is in memory that can be written; what must be told of
/// that, a cache, says a policy.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_FIRMWARE_GDB_CORTEX_M_HPP
#define NEUROMORPH_FIRMWARE_GDB_CORTEX_M_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/gdb/loop_next.hpp>
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
template <class Memory = OwnMemory<>, class RegistersType = target::ArmRegisters>
struct CortexM : Memory {
  using Registers = RegistersType;
  using Offers = offer::List<>;
  static constexpr const char* architecture = "arm";
  static constexpr Feature features[] = {
      {"org.gnu.gdb.arm.m-profile", "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 sp lr pc xpsr", 32}};

  [[nodiscard]] static std::uint32_t& pc(Registers& registers) noexcept { return registers.general[15]; }
  [[nodiscard]] static Place here(const Registers& registers) noexcept { return {registers.general[15], 2}; }
  /// The same for instructions of two and of four bytes.
  [[nodiscard]] static BreakInstruction break_instruction(std::uint8_t) noexcept { return {0xBE00, 2}; }
  /// Of what returns from an interrupt: the interrupted program, if its frame is on the main stack.
  template <class Read>
  [[nodiscard]] static Place next(const Registers& registers, Read&& read) {
    const std::uint32_t status = registers.status;
    std::uint32_t stack = registers.general[13];
    std::uint32_t address =
        thumb_next(registers.general, status, (status >> 8U & 0xFC) | (status >> 25U & 3), read, &stack);
    if (address >> 24U == 0xFF) address = (address & 4) == 0 ? read(stack + 24, 4) : 0;
    return {address & ~1U, 2};
  }

  /// Why the program has stopped, by the processor's registers of faults, which are then empty again. A breakpoint is known
  /// by its instruction.
  [[nodiscard]] Signal signal() noexcept {
    static constexpr std::uint32_t configurable = 0xE000'ED28;
    const std::uint32_t cause = this->load(configurable, 4);
    this->store(configurable, 4, cause);
    if ((cause & 0x0200'0000) != 0) return Signal::arithmetic; // division by zero
    if ((cause & 0x000F'0000) != 0) return Signal::illegal_instruction;
    if ((cause & 0x0100'FF00) != 0) return Signal::bus_error; // unaligned, too
    return cause != 0 ? Signal::bad_access : Signal::trap;
  }
};

/// One of ARMv8.1-M with Helium: its vectors are gdb's `$q0` to `$q7`, and a step goes round its loops.
template <class Memory = OwnMemory<>>
struct CortexM55 : CortexM<Memory, target::ArmVectorRegisters> {
  using Registers = target::ArmVectorRegisters;
  using Offers = offer::List<>;
  static constexpr Feature features[] = {
      CortexM<Memory>::features[0],
      {"org.gnu.gdb.arm.vfp", "d0 d1 d2 d3 d4 d5 d6 d7 d8 d9 d10 d11 d12 d13 d14 d15", 64, "ieee_double"},
      {"", "fpscr", 32, "int"},
      {"org.gnu.gdb.arm.m-profile-mve", "vpr", 32, "int"}};

  template <class Read>
  [[nodiscard]] static Place next(const Registers& registers, Read&& read) {
    std::uint32_t address = 0;
    if (loop_next(registers.general, registers.float_status, read, address)) return {address & ~1U, 2};
    return CortexM<Memory, target::ArmVectorRegisters>::next(registers, read);
  }
};

} // namespace gdb
} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
