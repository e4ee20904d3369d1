// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loop of Izhikevich's membranes for ARMv7E-M.
// requires: -mthumb -mcpu=cortex-m4 (arm)
//
// 31 cycles a neuron, 6 more per 4: five loads 6, eight products 8, 13 sums and shifts, two stores, the test 2. A product
// takes its sum along (SMMLA). Psps, which the loop of LIF neurons does, are 20.
#ifndef NEUROMORPH_TARGET_ARM_CORTEX_M4_IZHIKEVICH_HPP
#define NEUROMORPH_TARGET_ARM_CORTEX_M4_IZHIKEVICH_HPP

#if !defined(__ARM_FEATURE_SIMD32) || !__ARM_FEATURE_SIMD32 || !defined(__thumb2__)
#error "neuromorph/target/arm/cortex_m4_izhikevich.hpp needs the DSP extension: use -mcpu=cortex-m4 or target::Generic"
#endif

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Base of CortexM4: what it does better than the step of a composed neuron, which says what is meant.
struct CortexM4Izhikevich {
  using Offers = offer::List<offer::IzhikevichMembranes>;

  /// As that of ARMv5TE (armv5te_izhikevich.hpp).
  template <class Block>
  [[gnu::always_inline]] static inline std::uint32_t* izhikevich_membranes(const Block& block) noexcept {
    static_assert(sizeof(Block) == 44);
    return izhikevich_loop(&block);
  }

private:
  /// r0 membrane, r1 from it to u, r2 psp, r3 level, r4 quadratic, r5 slope, r6 pull, r7 sensitivity; on the stack drift, end,
  /// spikes. r8 is what flows, then the rise; r10 v, r11 u, r12 the half step's v, r9 its u.
  [[gnu::naked, gnu::noinline]] static std::uint32_t* izhikevich_loop(const void* /*block*/) noexcept {
    asm volatile(".syntax unified\n\t"
                 ".macro neuromorph_neuron\n\t"
                 "ldr.w r9, [r2, r1]\n\t"
                 "ldr.w r8, [r2], #4\n\t"
                 "ldr.w r12, [sp]\n\t"
                 "ldr.w r10, [r0]\n\t"
                 "ldr.w r11, [r0, r1]\n\t"
                 "sub.w r8, r8, r9\n\t"
                 "add.w r8, r12, r8, asr #2\n\t"
                 "asr.w r8, r8, #3\n\t"
                 "smmla r9, r10, r4, r5\n\t"
                 "smmul r9, r10, r9\n\t"
                 "sub.w r12, r8, r11, asr #2\n\t"
                 "add.w r12, r12, r9, lsl #1\n\t"
                 "qdadd r12, r10, r12\n\t"
                 "smmla r9, r10, r7, r3\n\t"
                 "sub.w r9, r9, r11\n\t"
                 "smmul r9, r9, r6\n\t"
                 "add.w r9, r11, r9, asr #1\n\t"
                 "smmla lr, r12, r4, r5\n\t"
                 "smmul lr, r12, lr\n\t"
                 "sub.w r8, r8, r9, asr #2\n\t"
                 "add.w r8, r8, lr, lsl #1\n\t"
                 "qadd r8, r8, r8\n\t"
                 "qdadd r10, r10, r8\n\t"
                 "smmla lr, r12, r7, r3\n\t"
                 "sub.w lr, lr, r9\n\t"
                 "smmla r11, lr, r6, r11\n\t"
                 "str.w r11, [r0, r1]\n\t"
                 "str.w r10, [r0], #4\n\t"
                 "cmp.w r10, #0\n\t"
                 "bpl.w 3f\n\t"
                 "4:\n\t"
                 ".subsection 1\n\t"
                 "3:\n\t" // the neuron before r0 fired
                 "ldr.w r8, [sp, #8]\n\t"
                 "sub.w r9, r0, #4\n\t"
                 "str.w r9, [r8], #4\n\t"
                 "str.w r8, [sp, #8]\n\t"
                 "b.w 4b\n\t"
                 ".previous\n\t"
                 ".endm\n\t"

                 "push {r4-r11, lr}\n\t"
                 "add r4, r0, #32\n\t"
                 "ldm.w r4, {r1, r2, r3}\n\t"
                 "push {r1, r2, r3}\n\t"
                 "ldm.w r0, {r0-r7}\n\t"
                 "ldr.w r8, [sp, #4]\n\t"
                 "sub.w r8, r8, r0\n\t"
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
