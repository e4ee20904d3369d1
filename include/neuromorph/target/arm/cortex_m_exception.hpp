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
inline ArmRegisters cortex_m_registers;

/// \param frame       what the processor has pushed
/// \param others      r4 to r11
/// \param how         the value with which an exception returns
/// \return where the frame has to stand when the program goes on
template <void (*handler)(ArmRegisters&) noexcept>
[[gnu::noinline]] std::uint32_t cortex_m_handle(const std::uint32_t* frame, const std::uint32_t* others,
                                                std::uint32_t how) noexcept {
  static constexpr std::uint32_t aligned = 1U << 9; // the processor has pushed a word more
  ArmRegisters& registers = cortex_m_registers;
  for (unsigned at = 0; at < 4; ++at) registers.general[at] = frame[at];
  for (unsigned at = 0; at < 8; ++at) registers.general[4 + at] = others[at];
  registers.general[12] = frame[4];
  registers.general[14] = frame[5];
  registers.general[15] = frame[6];
  registers.status = frame[7] & ~aligned;
  const std::uint32_t bytes = (how & 0x10) != 0 ? 32 : 104; // with those of floating point
  const std::uint32_t end = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(frame)) + bytes;
  registers.general[13] = end + ((frame[7] & aligned) != 0 ? 4 : 0);

  handler(registers);

  const std::uint32_t stack = registers.general[13] & ~3U, place = (stack - bytes) & ~7U;
  registers.status = (registers.status & ~aligned) | (place + bytes != stack ? aligned : 0);
  return place;
}

} // namespace detail

/// All of a naked function that stands in the vector table: of a fault, or of the interrupt of the debugger's channel.
/// Uses 40 bytes of the main stack, and what the handler takes. One exception at a time.
/// \pre the program's floating-point registers are the handler's to leave alone: with a frame that holds them, the stack
///      pointer must not be changed
template <void (*handler)(ArmRegisters&) noexcept>
[[gnu::always_inline]] inline void cortex_m_exception() noexcept {
  asm volatile("tst lr, #4\n\t"
               "ite eq\n\t"
               "mrseq r0, msp\n\t"
               "mrsne r0, psp\n\t"
               "push {r4-r11}\n\t"
               "mov r1, sp\n\t"
               "mov r2, lr\n\t"
               "push {r2, lr}\n\t"
               "bl %c0\n\t"
               "pop {r3, lr}\n\t"
               "add sp, sp, #32\n\t"
               "tst lr, #4\n\t"
               "ite eq\n\t"
               "moveq sp, r0\n\t"
               "msrne psp, r0\n\t"
               "movw r12, #:lower16:%c1\n\t"
               "movt r12, #:upper16:%c1\n\t"
               "ldm r12, {r4-r7}\n\t" // r0 to r3
               "stm r0!, {r4-r7}\n\t"
               "ldr r4, [r12, #48]\n\t" // r12
               "ldr r5, [r12, #56]\n\t" // lr
               "ldr r6, [r12, #60]\n\t" // pc
               "ldr r7, [r12, #64]\n\t" // xPSR
               "stm r0, {r4-r7}\n\t"
               "add r12, r12, #16\n\t"
               "ldm r12, {r4-r11}\n\t"
               "bx lr"
               :
               : "i"(&detail::cortex_m_handle<handler>), "i"(&detail::cortex_m_registers));
}

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
