// SPDX-License-Identifier: BSL-1.0
/// \file
/// An exception of ARMv5TE whose handler sees and changes all registers of the program that it interrupts.
///
///     void fault(target::ArmRegisters& registers) noexcept { stub.stopped(registers, ...); }
///     extern "C" [[gnu::naked]] void data_abort_handler() { target::armv5te_exception<fault, target::ArmVector::data_abort>(); }
// requires: -marm -mcpu=arm968e-s (arm)
#ifndef NEUROMORPH_TARGET_ARM_ARMV5TE_EXCEPTION_HPP
#define NEUROMORPH_TARGET_ARM_ARMV5TE_EXCEPTION_HPP

#if !defined(__arm__) || defined(__thumb__) || __ARM_ARCH != 5
#error "neuromorph/target/arm/armv5te_exception.hpp needs ARMv5TE in ARM state: use -marm -mcpu=arm968e-s"
#endif

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/arm/registers.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Stops the program where it stands: a stub's handler takes it from here.
[[gnu::always_inline]] inline void breakpoint() noexcept { asm volatile("bkpt 0" : : : "memory"); }

enum class ArmVector : std::uint8_t { undefined, prefetch_abort, data_abort, irq };

namespace detail {
/// How far behind the instruction that was not executed lr is.
template <ArmVector from>
inline constexpr std::uint32_t behind = from == ArmVector::data_abort ? 8 : 4;
} // namespace detail

/// All of a naked function that the vector leads to. Uses 72 bytes of the stack of the exception's mode, and what the
/// handler takes; that stack is 8-byte aligned, and no exception of the same mode comes meanwhile.
template <void (*handler)(ArmRegisters&) noexcept, ArmVector from>
[[gnu::always_inline]] inline void armv5te_exception() noexcept {
  asm volatile("sub sp, sp, #72\n\t"
               "stmia sp, {r0-r12}\n\t"
               "mrs r1, spsr\n\t"
               "sub r0, lr, %0\n\t"
               ".if %c1\n\t" // undefined: two bytes behind in Thumb state
               "tst r1, #0x20\n\t"
               "addne r0, r0, #2\n\t"
               ".endif\n\t"
               "str r0, [sp, #60]\n\t"
               "str r1, [sp, #64]\n\t"
               // sp and lr are those of the interrupted mode; a user's are system mode's
               "mrs r2, cpsr\n\t"
               "ands r3, r1, #0x0F\n\t"
               "moveq r3, #0x0F\n\t"
               "orr r3, r3, #0xD0\n\t"
               "add r4, sp, #52\n\t"
               "msr cpsr_c, r3\n\t"
               "stmia r4, {sp, lr}\n\t"
               "msr cpsr_c, r2\n\t"
               "mov r0, sp\n\t"
               "bl %c2\n\t"
               "ldr r1, [sp, #64]\n\t"
               "msr spsr_cxsf, r1\n\t"
               "mrs r2, cpsr\n\t"
               "ands r3, r1, #0x0F\n\t"
               "moveq r3, #0x0F\n\t"
               "orr r3, r3, #0xD0\n\t"
               "add r4, sp, #52\n\t"
               "msr cpsr_c, r3\n\t"
               "ldr sp, [r4]\n\t"
               "ldr lr, [r4, #4]\n\t"
               "msr cpsr_c, r2\n\t"
               "ldr lr, [sp, #60]\n\t"
               "ldmia sp, {r0-r12}\n\t"
               "add sp, sp, #72\n\t"
               "movs pc, lr"
               :
               : "i"(detail::behind<from>), "i"(from == ArmVector::undefined), "i"(handler));
}

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
