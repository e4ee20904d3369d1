// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loop of Izhikevich's membranes for ARMv5TE in ARM state.
// requires: -marm -mcpu=arm968e-s (arm)
//
// 52 cycles a neuron, 6 more per 4: eight products 24, six loads, two stores, 18 sums and shifts, the test 2. Nothing is
// waited for: what follows a product or a load does something else. Psps, which the loop of LIF neurons does, are 16.
//
// Bound: 50, as drift and u would be loaded once less if there were 16 registers. Counted: halves of constants, SMULW (18
// less; a single step is then off by 2e-3 mV, though not their mean), products to nearest (13 more).
#ifndef NEUROMORPH_TARGET_ARM_ARMV5TE_IZHIKEVICH_HPP
#define NEUROMORPH_TARGET_ARM_ARMV5TE_IZHIKEVICH_HPP

#if !defined(__ARM_FEATURE_DSP) || !__ARM_FEATURE_DSP || defined(__thumb__)
#error "neuromorph/target/arm/armv5te_izhikevich.hpp needs ARM state with DSP: -marm -mcpu=arm968e-s or target::Generic"
#endif

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Base of Armv5te: what it does better than the step of a composed neuron, which says what is meant.
struct Armv5teIzhikevich {
  using Offers = offer::List<offer::IzhikevichMembranes>;

  /// Steps an even number of membranes, at least two; lists the addresses of those that fired. Returns the list's end.
  /// \param block  pointers and constants, at the places that detail::IzhikevichLoops::Block gives them
  template <class Block>
  [[gnu::always_inline]] static inline std::uint32_t* izhikevich_membranes(const Block& block) noexcept {
    static_assert(sizeof(Block) == 44);
    return izhikevich_loop(&block);
  }

private:
  /// r0 membrane, r1 from it to u, r2 psp, r3 level, r4 quadratic, r5 slope, r6 pull, r7 sensitivity; on the stack drift, end,
  /// spikes. r8 is what flows, then the rise; r9 v, r10 u, lr the half step's v, r12 its u.
  [[gnu::naked, gnu::noinline]] static std::uint32_t* izhikevich_loop(const void* /*block*/) noexcept {
    asm volatile(".syntax unified\n\t"
                 ".macro neuromorph_neuron\n\t"
                 "ldr r9, [r2, r1]\n\t"
                 "ldr r8, [r2], #4\n\t"
                 "ldr r12, [sp]\n\t"
                 "sub r8, r8, r9\n\t"
                 "ldr r9, [r0]\n\t"
                 "add r8, r12, r8, asr #2\n\t"
                 "ldr r10, [r0, r1]\n\t"
                 "smull r11, r12, r9, r4\n\t"
                 "mov r8, r8, asr #3\n\t"
                 "add r12, r12, r5\n\t"
                 "smull r11, r12, r9, r12\n\t"
                 "sub lr, r8, r10, asr #2\n\t"
                 "add lr, lr, r12, lsl #1\n\t"
                 "smull r11, r12, r9, r7\n\t"
                 "sub r11, r3, r10\n\t"
                 "add r12, r12, r11\n\t"
                 "smull r11, r12, r6, r12\n\t"
                 "qdadd lr, r9, lr\n\t"
                 "add r12, r10, r12, asr #1\n\t"
                 "smull r11, r10, lr, r4\n\t"
                 "sub r8, r8, r12, asr #2\n\t"
                 "add r10, r10, r5\n\t"
                 "smull r11, r10, lr, r10\n\t"
                 "sub r12, r3, r12\n\t"
                 "add r8, r8, r10, lsl #1\n\t"
                 "smull r11, r10, lr, r7\n\t"
                 "qadd r8, r8, r8\n\t"
                 "add r12, r10, r12\n\t"
                 "smull r11, r12, r6, r12\n\t"
                 "ldr r10, [r0, r1]\n\t"
                 "qdadd r9, r9, r8\n\t"
                 "add r12, r10, r12\n\t"
                 "str r12, [r0, r1]\n\t"
                 "str r9, [r0], #4\n\t"
                 "cmp r9, #0\n\t"
                 "blpl 3f\n\t"
                 ".endm\n\t"

                 "push {r4-r11, lr}\n\t"
                 "add r4, r0, #32\n\t"
                 "ldmia r4, {r1, r2, r3}\n\t"
                 "push {r1, r2, r3}\n\t"
                 "ldmia r0, {r0-r7}\n\t"
                 "ldr r8, [sp, #4]\n\t"
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

                 "3:\n\t" // the neuron before r0 fired
                 "ldr r8, [sp, #8]\n\t"
                 "sub r9, r0, #4\n\t"
                 "str r9, [r8], #4\n\t"
                 "str r8, [sp, #8]\n\t"
                 "bx lr\n\t"
                 ".purgem neuromorph_neuron");
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
