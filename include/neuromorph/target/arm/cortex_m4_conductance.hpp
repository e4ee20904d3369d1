// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loop of leaky membranes under two conductances for ARMv7E-M.
// requires: -mthumb -mcpu=cortex-m4 (arm)
//
// 32 cycles a neuron, 6 more per 4. Four loads together 5, one alone 2, the summed rate 3, the bound of the membrane 1, the
// distances and their products 4. The leak 1, the polynomial and its doubling 11, a sum, a store, the test 3. Psps, which
// the loop of LIF neurons does, are 20.
#ifndef NEUROMORPH_TARGET_ARM_CORTEX_M4_CONDUCTANCE_HPP
#define NEUROMORPH_TARGET_ARM_CORTEX_M4_CONDUCTANCE_HPP

#if !defined(__ARM_FEATURE_SIMD32) || !__ARM_FEATURE_SIMD32 || !defined(__thumb2__)
#error "neuromorph/target/arm/cortex_m4_conductance.hpp needs the DSP extension: use -mcpu=cortex-m4 or target::Generic"
#endif

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Base of CortexM4: what it does better than the step of a composed neuron, which says what is meant.
struct CortexM4Conductance {
  using Offers = offer::List<offer::ConductanceMembranes>;

  /// As that of ARMv5TE (armv5te_conductance.hpp).
  template <class Block>
  [[gnu::always_inline]] static inline std::uint32_t* conductance_membranes(const Block& block) noexcept {
    static_assert(sizeof(Block) == 40);
    return conductance_loop(&block);
  }

private:
  /// r0 membrane, r1 from a column to the next, r7 thrice that, r2 the leak's rate, r3 and r4 reversal potentials, r5 factors,
  /// r6 dither. On the stack drift, end, spikes. r10 is the membrane, r11 the rate and half of exp(-z) - 1, lr the change.
  [[gnu::naked, gnu::noinline]] static std::uint32_t* conductance_loop(const void* /*block*/) noexcept {
    asm volatile(".syntax unified\n\t"
                 ".macro neuromorph_neuron\n\t"
                 "ldr.w r8, [r0, r1]\n\t"
                 "ldr.w r9, [r0, r1, lsl #1]\n\t"
                 "ldr.w r10, [r0]\n\t"
                 "ldr.w lr, [sp]\n\t"
                 "sub.w r11, r2, r8, asr #2\n\t"
                 "sub.w r11, r11, r9, asr #2\n\t"
                 "and.w r11, r11, r11, asr #31\n\t"
                 "ssat r10, #30, r10\n\t" // from below: it is negative
                 "smlawb lr, r10, r5, lr\n\t"
                 "sub.w r12, r3, r10\n\t"
                 "smmla lr, r12, r8, lr\n\t"
                 "sub.w r12, r4, r10\n\t"
                 "smmla lr, r12, r9, lr\n\t"
                 "smlawt r12, r11, r5, r11\n\t" // third
                 "asr.w r8, r11, #1\n\t"
                 "asr.w r9, r12, #1\n\t"
                 "smlawt r8, r8, r9, r8\n\t" // fourth
                 "smlawt r12, r12, r8, r12\n\t"
                 "smlawt r12, r11, r12, r11\n\t" // phi1 - 1
                 "smlawt r11, r11, r12, r11\n\t"
                 "add.w r12, r12, r6\n\t"
                 "smlawt lr, lr, r12, lr\n\t"
                 "add.w r12, r11, r6\n\t"
                 "smlawt lr, lr, r12, lr\n\t"
                 "ldr.w r8, [r0, r7]\n\t"
                 "add.w r10, r10, lr\n\t"
                 "sub.w r8, r8, #1\n\t"
                 "ands.w r8, r8, r10\n\t"
                 "bpl.w 3f\n\t"
                 "4:\n\t"
                 "str.w r10, [r0], #4\n\t"
                 ".subsection 1\n\t"
                 "3:\n\t" // the neuron waits, or has fired
                 "ldr.w r8, [r0, r7]\n\t"
                 "subs.w r8, r8, #1\n\t"
                 "bmi.n 5f\n\t"
                 "ldr.w r10, [r0]\n\t"
                 "str.w r8, [r0, r7]\n\t"
                 "b.w 4b\n\t"
                 "5:\n\t"
                 "ldr.w r8, [sp, #8]\n\t"
                 "add.w r9, r0, r1\n\t"
                 "str.w r9, [r8], #4\n\t"
                 "str.w r8, [sp, #8]\n\t"
                 "b.w 4b\n\t"
                 ".previous\n\t"
                 ".endm\n\t"

                 "push {r4-r11, lr}\n\t"
                 "add.w r4, r0, #24\n\t"
                 "ldm.w r4, {r1, r6, r7, r12}\n\t" // drift, dither, last, spikes
                 "ldr.w r2, [r0, #4]\n\t"
                 "sub.w r7, r7, r2\n\t"
                 "add.w r7, r7, #4\n\t"
                 "push {r12}\n\t"
                 "push {r7}\n\t"
                 "push {r1}\n\t"
                 "mov.w r8, r7\n\t"
                 "ldm.w r0, {r0-r5}\n\t"
                 "sub.w r0, r0, r1\n\t"
                 "sub.w r8, r8, r0\n\t"
                 "add.w r7, r1, r1, lsl #1\n\t"
                 "tst.w r8, #8\n\t"
                 "bne.w 2f\n\t"
                 "1:\n\t"
                 "neuromorph_neuron\n\t"
                 "neuromorph_neuron\n\t"
                 "2:\n\t"
                 "neuromorph_neuron\n\t"
                 "neuromorph_neuron\n\t"
                 "ldr.w r8, [sp, #4]\n\t"
                 "cmp.w r0, r8\n\t"
                 "bne.w 1b\n\t"
                 "ldr.w r0, [sp, #8]\n\t"
                 "add sp, sp, #12\n\t"
                 "pop {r4-r11, pc}\n\t"
                 ".purgem neuromorph_neuron");
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
