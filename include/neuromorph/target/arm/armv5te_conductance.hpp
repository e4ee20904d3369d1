// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loop of leaky membranes under two conductances for ARMv5TE in ARM state.
// requires: -marm -mcpu=arm968e-s (arm)
//
// 37 cycles a neuron, 6 more per 4. The distances and their products 8, the summed rate 3, the bound of the membrane 2, the
// leak 1. The polynomial and its doubling 11, sums 3, five loads 6, a store, the test 2. Nothing is waited for. A neuron
// that waits takes 9 more. Psps, which the loop of LIF neurons does, are 16.
#ifndef NEUROMORPH_TARGET_ARM_ARMV5TE_CONDUCTANCE_HPP
#define NEUROMORPH_TARGET_ARM_ARMV5TE_CONDUCTANCE_HPP

#if !defined(__ARM_FEATURE_DSP) || !__ARM_FEATURE_DSP || defined(__thumb__)
#error "neuromorph/target/arm/armv5te_conductance.hpp needs ARM state with DSP: -mcpu=arm968e-s or target::Generic"
#endif

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Base of Armv5te: what it does better than the step of a composed neuron, which says what is meant.
struct Armv5teConductance {
  using Offers = offer::List<offer::ConductanceMembranes>;

  /// Steps an even number of membranes, at least two; lists those that fired by the addresses of their excitation. Returns
  /// the list's end.
  /// \param block  pointers and constants, at the places that detail::ConductanceLoops::Block gives them
  template <class Block>
  [[gnu::always_inline]] static inline std::uint32_t* conductance_membranes(const Block& block) noexcept {
    static_assert(sizeof(Block) == 40);
    return conductance_loop(&block);
  }

private:
  /// r0 excitation, r1 from a column to the next, r2 the leak's rate, r3 and r4 reversal potentials, r5 factors, r6 drift; on
  /// the stack dither, last, spikes. r9 is the membrane, r10 the rate and half of exp(-z) - 1, r7 the change.
  [[gnu::naked, gnu::noinline]] static std::uint32_t* conductance_loop(const void* /*block*/) noexcept {
    asm volatile(".syntax unified\n\t"
                 ".macro neuromorph_neuron\n\t"
                 "ldr r7, [r0, #4]!\n\t"
                 "ldr r8, [r0, r1]\n\t"
                 "ldr r9, [r0, -r1]\n\t"
                 "sub r10, r2, r7, asr #2\n\t"
                 "subs r10, r10, r8, asr #2\n\t"
                 "movgt r10, #0\n\t"
                 "cmn r9, #0x20000000\n\t"
                 "smlawt r11, r10, r5, r10\n\t" // third
                 "movlt r9, #0xE0000000\n\t"
                 "sub lr, r3, r9\n\t"
                 "smull r12, r7, lr, r7\n\t"
                 "sub lr, r4, r9\n\t"
                 "smull r12, r8, lr, r8\n\t"
                 "mov lr, r10, asr #1\n\t"
                 "mov r12, r11, asr #1\n\t"
                 "smlawt lr, lr, r12, lr\n\t" // fourth
                 "add r7, r7, r8\n\t"
                 "smlawt r11, r11, lr, r11\n\t"
                 "smlawb r8, r9, r5, r6\n\t"
                 "smlawt r11, r10, r11, r10\n\t" // phi1 - 1
                 "add r7, r7, r8\n\t"
                 "ldr r12, [sp]\n\t"
                 "smlawt r10, r10, r11, r10\n\t"
                 "add lr, r11, r12\n\t"
                 "smlawt r7, r7, lr, r7\n\t"
                 "add lr, r10, r12\n\t"
                 "smlawt r7, r7, lr, r7\n\t"
                 "ldr r8, [r0, r1, lsl #1]\n\t"
                 "adds r9, r9, r7\n\t"
                 "cmpmi r8, #1\n\t"
                 "blpl 3f\n\t"
                 "str r9, [r0, -r1]\n\t"
                 ".endm\n\t"

                 "push {r4-r11, lr}\n\t"
                 "add r4, r0, #28\n\t"
                 "ldmia r4, {r1, r2, r3}\n\t"
                 "push {r1, r2, r3}\n\t"
                 "ldmia r0, {r0-r6}\n\t"
                 "ldr r8, [sp, #4]\n\t"
                 "sub r0, r0, #4\n\t"
                 "sub r8, r8, r0\n\t"
                 "tst r8, #8\n\t"
                 "bne 2f\n\t"
                 "1:\n\t"
                 "neuromorph_neuron\n\t"
                 "neuromorph_neuron\n\t"
                 "2:\n\t"
                 "neuromorph_neuron\n\t"
                 "neuromorph_neuron\n\t"
                 "ldr r8, [sp, #4]\n\t"
                 "cmp r0, r8\n\t"
                 "bne 1b\n\t"
                 "ldr r0, [sp, #8]\n\t"
                 "add sp, sp, #12\n\t"
                 "pop {r4-r11, pc}\n\t"

                 "3:\n\t" // the neuron waits, or has fired
                 "subs r8, r8, #1\n\t"
                 "ldrpl r9, [r0, -r1]\n\t"
                 "strpl r8, [r0, r1, lsl #1]\n\t"
                 "bxpl lr\n\t"
                 "ldr r8, [sp, #8]\n\t"
                 "str r0, [r8], #4\n\t"
                 "str r8, [sp, #8]\n\t"
                 "bx lr\n\t"
                 ".purgem neuromorph_neuron");
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
