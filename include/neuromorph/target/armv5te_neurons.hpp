// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loops of Lif and PackedLif for ARMv5TE in ARM state.
// requires: -marm -mcpu=arm968e-s (arm)
//
// A step passes over the population first for the membranes, then for the psps. The constants of both and the words of
// one neuron need 15 registers and more; reading the psps twice costs as much as reading two constants again.
//
// Membranes go in pairs with one test: the first one's sign, then, as long as it is negative (MI), the second one's,
// then that of both words as they were. A spike or a neuron that waits, in either of the two, is done out of line, 21
// cycles more for the pair. Psps go without a branch: every instruction of a group is executed only while no psp left
// its range. At the first that does, the rest of the group does nothing, one cycle each, and the kernel does that
// neuron in C++.
//
// Loops are entered in their middle by a computed jump, so that a population of any size runs the same code. Nothing
// outside the arrays is read.
#ifndef NEUROMORPH_TARGET_ARMV5TE_NEURONS_HPP
#define NEUROMORPH_TARGET_ARMV5TE_NEURONS_HPP

#if !defined(__ARM_FEATURE_DSP) || !__ARM_FEATURE_DSP || defined(__thumb__)
#error "neuromorph/target/armv5te_neurons.hpp needs ARM state with DSP: use -marm -mcpu=arm968e-s or target::Generic"
#endif

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Base of Armv5te: what it does better than the loops of Lif and PackedLif, which say what is meant.
struct Armv5teNeurons {
  /// Membranes of PackedLif: 9 cycles a neuron, 4 more per 16 (benchmark lif/packed).
  ///
  ///     ldr u0, [psp], #4
  ///     ldr u1, [psp], #4
  ///     eor u0, u0, flip               psps as signed numbers, for 16 by 16 bits
  ///     eor u1, u1, flip
  ///     smlabb v0, u0, coupling, drift
  ///     smlatt v0, u0, coupling, v0
  ///     ldr u0, [membrane]
  ///     smlabb v1, u1, coupling, drift
  ///     smlatt v1, u1, coupling, v1
  ///     ldr u1, [membrane, #4]
  ///     smlawb v0, u0, decay, v0
  ///     smlawb v1, u1, decay, v1
  ///     adds v0, u0, v0                v0 one instruction later; the sign
  ///     str v0, [membrane], #4
  ///     addsmi v1, u1, v1
  ///     tstmi u0, u1
  ///     blpl                           a spike, or a neuron that waits
  ///     str v1, [membrane], #4
  ///
  /// Bound: two loads, a store, three products, the sum, and signed halves out of unsigned ones: 8. Above it half a
  /// test and half a branch for the signs of the words as they were. Counted: a test of four neurons (as long, and
  /// twice as many of them out of line); the wait of a neuron in line, by conditions (10).
  template <class Factors>
  [[gnu::noinline]] static std::uint32_t* packed_lif_membranes(std::int32_t* membrane, const std::int32_t* psp,
                                                               std::size_t pairs, const Factors& factors,
                                                               std::uint32_t* spikes) noexcept {
    auto decay =
        static_cast<std::uint32_t>(pairs / 8) << 16 | static_cast<std::uint16_t>(factors.decay); // and the passes
    std::uint32_t v0 = static_cast<std::uint32_t>(72 * (8 - pairs % 8));
    std::int32_t v1 = factors.reset, u0 = factors.after_spike, u1;
    asm volatile(".syntax unified\n\t"
                 "str %[u0], [sp, #-4]!\n\t"
                 "str %[v1], [sp, #-4]!\n\t"
                 "add pc, pc, %[v0]\n\t"
                 "nop\n"
                 "1:\n\t"
                 ".rept 8\n\t"
                 "ldr %[u0], [%[psp]], #4\n\t"
                 "ldr %[u1], [%[psp]], #4\n\t"
                 "eor %[u0], %[u0], %[flip]\n\t"
                 "eor %[u1], %[u1], %[flip]\n\t"
                 "smlabb %[v0], %[u0], %[coupling], %[drift]\n\t"
                 "smlatt %[v0], %[u0], %[coupling], %[v0]\n\t"
                 "ldr %[u0], [%[membrane]]\n\t"
                 "smlabb %[v1], %[u1], %[coupling], %[drift]\n\t"
                 "smlatt %[v1], %[u1], %[coupling], %[v1]\n\t"
                 "ldr %[u1], [%[membrane], #4]\n\t"
                 "smlawb %[v0], %[u0], %[decay], %[v0]\n\t"
                 "smlawb %[v1], %[u1], %[decay], %[v1]\n\t"
                 "adds %[v0], %[u0], %[v0]\n\t"
                 "str %[v0], [%[membrane]], #4\n\t"
                 "addsmi %[v1], %[u1], %[v1]\n\t"
                 "tstmi %[u0], %[u1]\n\t"
                 "blpl 2f\n\t"
                 "str %[v1], [%[membrane]], #4\n\t"
                 ".endr\n\t"
                 "subs %[decay], %[decay], #0x10000\n\t"
                 "bpl 1b\n\t"
                 "add sp, sp, #8\n\t"
                 ".subsection 1\n"
                 "2:\n\t"
                 "cmp %[v0], #0\n\t"
                 "addpl %[v1], %[u1], %[v1]\n\t" // was not reached
                 "sub %[membrane], %[membrane], #4\n\t"
                 "cmp %[u0], #0\n\t"
                 "ldreq %[v0], [sp]\n\t" // waited long enough: reset
                 "subgt %[v0], %[u0], #1\n\t"
                 "tstmi %[v0], %[v0], lsl #1\n\t" // the carry stays set unless it fired
                 "strcc %[membrane], [%[spikes]], #4\n\t"
                 "ldrcc %[v0], [sp, #4]\n\t" // after_spike
                 "cmp %[u1], #0\n\t"
                 "str %[v0], [%[membrane]], #4\n\t"
                 "ldreq %[v1], [sp]\n\t"
                 "subgt %[v1], %[u1], #1\n\t"
                 "tstmi %[v1], %[v1], lsl #1\n\t"
                 "strcc %[membrane], [%[spikes]], #4\n\t"
                 "ldrcc %[v1], [sp, #4]\n\t"
                 "bx lr\n\t"
                 ".previous"
                 : [membrane] "+r"(membrane), [psp] "+r"(psp), [spikes] "+r"(spikes), [decay] "+r"(decay),
                   [v0] "+r"(v0), [v1] "+r"(v1), [u0] "+r"(u0), [u1] "=&r"(u1)
                 : [flip] "r"(factors.flip), [coupling] "r"(factors.coupling), [drift] "r"(factors.drift)
                 : "lr", "cc", "memory");
    return spikes;
  }

  /// Psps of PackedLif, and their inputs set to zero: 11 cycles a neuron, 6 more per 16 (benchmark lif/packed). Stops
  /// at a neuron that may saturate, in which case the input of the one before it in its pair is not yet cleared.
  ///
  ///     ldr x, [psp]
  ///     ldrh e, [excitation], #2
  ///     eor x, x, flip
  ///     ldrh i, [inhibition], #2
  ///     smlawb l, factor0, x, offset0     15 fraction bits, 2^31 less: negative
  ///     smlawt x, factor1, x, offset1
  ///     adds l, e, l, asr #15             negative while 16 bits hold it
  ///     adds x, i, x, asr #15
  ///     add l, l, x, lsl #16
  ///     str l, [psp], #4
  ///     str zero, [excitation, #-4]       once for two
  ///     str zero, [inhibition, #-4]
  ///
  /// Bound: three loads, two stores, two products, two inputs, one word out of two halves, signed halves: 11. Counted:
  /// both inputs of two neurons loaded as words (as long: each but one must be taken out of its word), 16 by 16 bit
  /// products with the dither as accumulator (13: their sums do not fit 32 bits with the input).
  template <class Factors>
  [[gnu::noinline]] static std::int32_t* packed_lif_psps(std::int32_t* psp, std::uint16_t* excitation,
                                                         std::uint16_t* inhibition, std::size_t pairs,
                                                         const Factors& factors) noexcept {
    auto x = static_cast<std::uint32_t>(88 * (8 - pairs % 8));
    auto e = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(psp + 2 * pairs)); // the end
    std::uint32_t i, l;
    asm volatile(".syntax unified\n\t"
                 "str %[e], [sp, #-4]!\n\t"
                 "cmp %[psp], %[e]\n\t" // negative
                 "add pc, pc, %[x]\n\t"
                 "nop\n"
                 "1:\n\t"
                 ".rept 8\n\t"
                 ".rept 2\n\t"
                 "ldrmi %[x], [%[psp]]\n\t"
                 "ldrhmi %[e], [%[excitation]], #2\n\t"
                 "eormi %[x], %[x], %[flip]\n\t"
                 "ldrhmi %[i], [%[inhibition]], #2\n\t"
                 "smlawbmi %[l], %[factor0], %[x], %[offset0]\n\t"
                 "smlawtmi %[x], %[factor1], %[x], %[offset1]\n\t"
                 "addsmi %[l], %[e], %[l], asr #15\n\t"
                 "addsmi %[x], %[i], %[x], asr #15\n\t"
                 "addmi %[l], %[l], %[x], lsl #16\n\t"
                 "strmi %[l], [%[psp]], #4\n\t"
                 ".endr\n\t"
                 "strmi %[zero], [%[excitation], #-4]\n\t"
                 "strmi %[zero], [%[inhibition], #-4]\n\t"
                 ".endr\n\t"
                 "ldr %[l], [sp]\n\t"
                 "cmpmi %[psp], %[l]\n\t"
                 "bmi 1b\n\t"
                 "add sp, sp, #4"
                 : [psp] "+r"(psp), [excitation] "+r"(excitation), [inhibition] "+r"(inhibition), [x] "+r"(x),
                   [e] "+r"(e), [i] "=&r"(i), [l] "=&r"(l)
                 : [factor0] "r"(factors.factor[0]), [factor1] "r"(factors.factor[1]), [offset0] "r"(factors.offset[0]),
                   [offset1] "r"(factors.offset[1]), [flip] "r"(factors.flip), [zero] "r"(0)
                 : "cc", "memory");
    return psp;
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
