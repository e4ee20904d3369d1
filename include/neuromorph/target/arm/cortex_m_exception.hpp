// SPDX-License-Identifier: BSL-1.0
/// \file
/// An exception of ARMv7-M whose handler sees and changes all registers of the program that it interrupts.
///
///     void fault(target::ArmRegisters& registers) noexcept { stub.stopped(registers, ...); }
///     extern "C" [[gnu::naked]] void hard_fault_handler() { target::cortex_m_exception<fault>(); }
// requires: -mthumb -mcpu=cortex-m4 (arm)
#ifndef NEUROMORPH_TARGET_ARM_CORTEX_M_EXCEPTION_HPP
#define NEUROMORPH_TARGET_ARM_CORTEX_M_EXCEPTION_HPP

#if !defined(__ARM_ARCH_PROFILE) || __ARM_ARCH_PROFILE != 'M' || !defined(__thumb2__)
#error "neuromorph/target/arm/cortex_m_exception.hpp needs ARMv7-M or later: use -mthumb -mcpu=cortex-m4"
#endif

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/arm/registers.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Stops the program where it stands: a stub's handler takes it from here.
[[gnu::always_inline]] inline void breakpoint() noexcept { asm volatile("bkpt 0" : : : "memory"); }

namespace detail {

/// Not on the stack: a stack pointer that the handler has changed moves the frame over what it has there.
template <class Registers>
inline Registers cortex_m_registers;

/// \param frame  where the processor has pushed what it pushes
/// \param how    the value with which an exception returns
/// \return where the frame has to stand when the program goes on
template <class Registers, void (*handler)(Registers&) noexcept>
[[gnu::noinline, gnu::cold]] std::uint32_t cortex_m_handle(std::uint32_t frame, std::uint32_t how) noexcept {
  static constexpr std::uint32_t aligned = 1U << 9; // in the status that was pushed: a word is between frame and stack
  Registers& registers = cortex_m_registers<Registers>;
  const std::uint32_t bytes = (how & 0x10) != 0 ? 32 : 104; // with those of floating point
  registers.general[13] = frame + bytes + ((registers.status & aligned) >> 7U);
  registers.status &= ~aligned;

  handler(registers);

  const std::uint32_t stack = (registers.general[13] & ~3U) - bytes, place = stack & ~7U;
  registers.status = (registers.status & ~aligned) | (stack - place) << 7U;
  return place;
}

} // namespace detail

/// All of a naked function that stands in the vector table: of a fault, or of the interrupt of the debugger's channel.
/// Uses 8 bytes of the main stack, and what the handler takes. One exception at a time.
/// \pre the program's floating-point registers are left alone: with a frame that holds them, the stack pointer must not be
///      changed. `helium_exception.hpp` has them, too
template <void (*handler)(ArmRegisters&) noexcept>
[[gnu::always_inline]] inline void cortex_m_exception() noexcept {
  asm volatile("movw r1, #:lower16:%c1\n\t"
               "movt r1, #:upper16:%c1\n\t"
               "add r2, r1, #16\n\t"
               "stm r2, {r4-r11}\n\t"
               "tst lr, #4\n\t"
               "ite eq\n\t"
               "mrseq r0, msp\n\t"
               "mrsne r0, psp\n\t"
               "mov r4, r1\n\t"
               "ldm r0, {r1-r3, r5-r9}\n\t" // r0 to r3, r12, lr, pc, xPSR
               "stm r4, {r1-r3, r5}\n\t"
               "str r6, [r4, #48]\n\t"
               "strd r7, r8, [r4, #56]\n\t"
               "str r9, [r4, #64]\n\t"
               "mov r1, lr\n\t"
               "push {r3, lr}\n\t"
               "bl %c0\n\t"
               "pop {r3, lr}\n\t"
               "tst lr, #4\n\t"
               "ite eq\n\t"
               "moveq sp, r0\n\t"
               "msrne psp, r0\n\t"
               "ldr r6, [r4, #48]\n\t"
               "ldrd r7, r8, [r4, #56]\n\t"
               "ldr r9, [r4, #64]\n\t"
               "ldm r4!, {r1-r3, r5}\n\t"
               "stm r0, {r1-r3, r5-r9}\n\t"
               "ldm r4, {r4-r11}\n\t"
               "bx lr"
               :
               : "i"(&detail::cortex_m_handle<ArmRegisters, handler>), "i"(&detail::cortex_m_registers<ArmRegisters>));
}

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
