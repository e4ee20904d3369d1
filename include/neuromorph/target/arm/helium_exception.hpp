// SPDX-License-Identifier: BSL-1.0
/// \file
/// An exception of ARMv8.1-M whose handler sees and changes all registers of the program, those of Helium, too.
// requires: -mthumb -mcpu=cortex-m55 -mfloat-abi=hard (arm)
#ifndef NEUROMORPH_TARGET_ARM_HELIUM_EXCEPTION_HPP
#define NEUROMORPH_TARGET_ARM_HELIUM_EXCEPTION_HPP

#if !defined(__ARM_FEATURE_MVE) || !__ARM_FEATURE_MVE
#error "neuromorph/target/arm/helium_exception.hpp needs Helium: use -mthumb -mcpu=cortex-m55 -mfloat-abi=hard"
#endif

#include <neuromorph/config.hpp>
#include <neuromorph/target/arm/cortex_m_exception.hpp>
#include <neuromorph/target/arm/registers.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// As `cortex_m_exception`. Half of the vectors may be in the frame: they are taken from there, and put there.
template <void (*handler)(ArmVectorRegisters&) noexcept>
[[gnu::always_inline]] inline void helium_exception() noexcept {
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
               "add r1, r4, #68\n\t"
               "vstm r1!, {d0-d15}\n\t" // the first of these makes the processor fill the frame
               "vmrs r2, fpscr\n\t"
               "vmrs r3, vpr\n\t"
               "tst lr, #16\n\t"
               "bne 1f\n\t"
               "add r5, r0, #32\n\t"
               "vldm r5!, {d0-d7}\n\t"
               "ldm r5, {r2, r3}\n\t"
               "add r5, r4, #68\n\t"
               "vstm r5, {d0-d7}\n"
               "1:\n\t"
               "stm r1, {r2, r3}\n\t"
               "mov r1, lr\n\t"
               "push {r3, lr}\n\t"
               "bl %c0\n\t"
               "pop {r3, lr}\n\t"
               "tst lr, #4\n\t"
               "ite eq\n\t"
               "moveq sp, r0\n\t"
               "msrne psp, r0\n\t"
               "add r1, r4, #68\n\t"
               "vldm r1!, {d0-d15}\n\t"
               "ldm r1, {r2, r3}\n\t"
               "vmsr fpscr, r2\n\t"
               "vmsr vpr, r3\n\t"
               "tst lr, #16\n\t"
               "bne 2f\n\t"
               "add r1, r0, #32\n\t"
               "vstm r1!, {d0-d7}\n\t"
               "stm r1, {r2, r3}\n"
               "2:\n\t"
               "ldr r6, [r4, #48]\n\t"
               "ldrd r7, r8, [r4, #56]\n\t"
               "ldr r9, [r4, #64]\n\t"
               "ldm r4!, {r1-r3, r5}\n\t"
               "stm r0, {r1-r3, r5-r9}\n\t"
               "ldm r4, {r4-r11}\n\t"
               "bx lr"
               :
               : "i"(&detail::cortex_m_handle<ArmVectorRegisters, handler>),
                 "i"(&detail::cortex_m_registers<ArmVectorRegisters>));
}

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
