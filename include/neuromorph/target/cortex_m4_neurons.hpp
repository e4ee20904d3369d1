// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loops of Lif and PackedLif for ARMv7E-M.
// requires: -mthumb -mcpu=cortex-m4 (arm)
//
// As those for ARMv5TE (armv5te_neurons.hpp): first the membranes in pairs, then the psps. A branch that is not taken
// costs one cycle and conditions cost an IT, so a pair of membranes and every psp have a branch. Loads stand together,
// since only a load after a load overlaps.
#ifndef NEUROMORPH_TARGET_CORTEX_M4_NEURONS_HPP
#define NEUROMORPH_TARGET_CORTEX_M4_NEURONS_HPP

#if !defined(__ARM_FEATURE_SIMD32) || !__ARM_FEATURE_SIMD32 || !defined(__thumb2__)
#error "neuromorph/target/cortex_m4_neurons.hpp needs the DSP extension: use -mcpu=cortex-m4 or target::Generic"
#endif

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Base of CortexM4: what it does better than the loops of Lif and PackedLif, which say what is meant.
struct CortexM4Neurons {
  /// Membranes of PackedLif: 9.5 cycles a neuron, 4 more per 8 (benchmark lif/packed). For two: four loads 5, signed
  /// psps 2, SMLAD 2, SMLAWB 2, sums 2, the signs of four words 3 and a branch, stores 2.
  template <class Factors>
  [[gnu::noinline]] static std::uint32_t* packed_lif_membranes(std::int32_t* membrane, const std::int32_t* psp,
                                                               std::size_t pairs, const Factors& factors,
                                                               std::uint32_t* spikes) noexcept {
    auto decay =
        static_cast<std::uint32_t>(pairs / 4) << 16 | static_cast<std::uint16_t>(factors.decay); // and the passes
    auto v0 = static_cast<std::uint32_t>(72 * (4 - pairs % 4));
    std::int32_t v1 = factors.reset, u0 = factors.after_spike, u1, all;
    asm volatile(".syntax unified\n\t"
                 "str %[u0], [sp, #-4]!\n\t"
                 "str %[v1], [sp, #-4]!\n\t"
                 "adr.w %[u1], 1f\n\t"
                 "add.w %[u1], %[u1], %[v0]\n\t"
                 "mov pc, %[u1]\n\t"
                 ".balign 4\n"
                 "1:\n\t"
                 ".rept 4\n\t"
                 "ldr.w %[v0], [%[psp]], #4\n\t"
                 "ldr.w %[v1], [%[psp]], #4\n\t"
                 "ldr.w %[u0], [%[membrane]]\n\t"
                 "ldr.w %[u1], [%[membrane], #4]\n\t"
                 "eor.w %[v0], %[v0], %[flip]\n\t"
                 "eor.w %[v1], %[v1], %[flip]\n\t"
                 "smlad %[v0], %[v0], %[coupling], %[drift]\n\t"
                 "smlad %[v1], %[v1], %[coupling], %[drift]\n\t"
                 "smlawb %[v0], %[u0], %[decay], %[v0]\n\t"
                 "smlawb %[v1], %[u1], %[decay], %[v1]\n\t"
                 "add.w %[v0], %[u0], %[v0]\n\t"
                 "add.w %[v1], %[u1], %[v1]\n\t"
                 "and.w %[all], %[u0], %[u1]\n\t"
                 "and.w %[all], %[all], %[v0]\n\t"
                 "tst.w %[all], %[v1]\n\t"
                 "bpl.w 2f\n\t"
                 "str.w %[v0], [%[membrane]], #4\n\t"
                 "str.w %[v1], [%[membrane]], #4\n"
                 "3:\n\t"
                 ".subsection 1\n"
                 "2:\n\t" // a spike, or a neuron that waits
                 "cmp %[u0], #0\n\t"
                 "blt.n 4f\n\t"
                 "ite eq\n\t"
                 "ldreq %[v0], [sp]\n\t"
                 "subne %[v0], %[u0], #1\n\t"
                 "b.n 5f\n"
                 "4:\n\t"
                 "cmp %[v0], #0\n\t"
                 "blt.n 5f\n\t"
                 "str %[membrane], [%[spikes]], #4\n\t"
                 "ldr %[v0], [sp, #4]\n"
                 "5:\n\t"
                 "str %[v0], [%[membrane]], #4\n\t"
                 "cmp %[u1], #0\n\t"
                 "blt.n 4f\n\t"
                 "ite eq\n\t"
                 "ldreq %[v1], [sp]\n\t"
                 "subne %[v1], %[u1], #1\n\t"
                 "b.n 5f\n"
                 "4:\n\t"
                 "cmp %[v1], #0\n\t"
                 "blt.n 5f\n\t"
                 "str %[membrane], [%[spikes]], #4\n\t"
                 "ldr %[v1], [sp, #4]\n"
                 "5:\n\t"
                 "str %[v1], [%[membrane]], #4\n\t"
                 "b.w 3b\n\t"
                 ".previous\n\t"
                 ".endr\n\t"
                 "subs.w %[decay], %[decay], #0x10000\n\t"
                 "bpl.w 1b\n\t"
                 "add sp, sp, #8"
                 : [membrane] "+r"(membrane), [psp] "+r"(psp), [spikes] "+r"(spikes), [decay] "+r"(decay),
                   [v0] "+r"(v0), [v1] "+r"(v1), [u0] "+r"(u0), [u1] "=&r"(u1), [all] "=&r"(all)
                 : [flip] "r"(factors.flip), [coupling] "r"(factors.coupling), [drift] "r"(factors.drift)
                 : "cc", "memory");
    return spikes;
  }

  /// Psps of PackedLif, and their inputs set to zero: 14 cycles a neuron, 7 more per 8 (benchmark lif/packed). Stops at
  /// a neuron that may saturate, in which case the input of the one before it in its pair is not yet cleared. Three
  /// loads 4, signed psps, two products, two inputs, the signs of both sums and a branch 2, one word out of two halves,
  /// the store, and two stores for two neurons' input. Counted: 16-bit sums that saturate (UQADD16) with the inputs of
  /// two neurons loaded as words (as long: products and inputs must be put together first, and a stopped sum be found).
  template <class Factors>
  [[gnu::noinline]] static std::int32_t* packed_lif_psps(std::int32_t* psp, std::uint16_t* excitation,
                                                         std::uint16_t* inhibition, std::size_t pairs,
                                                         const Factors& factors) noexcept {
    auto x = static_cast<std::uint32_t>(104 * (4 - pairs % 4));
    auto e = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(psp + 2 * pairs)); // the end
    std::uint32_t i, l;
    asm volatile(".syntax unified\n\t"
                 "str %[e], [sp, #-4]!\n\t"
                 "adr.w %[i], 1f\n\t"
                 "add.w %[i], %[i], %[x]\n\t"
                 "mov pc, %[i]\n\t"
                 ".balign 4\n"
                 "1:\n\t"
                 ".rept 4\n\t"
                 ".rept 2\n\t"
                 "ldr.w %[x], [%[psp]]\n\t"
                 "ldrh.w %[e], [%[excitation]], #2\n\t"
                 "ldrh.w %[i], [%[inhibition]], #2\n\t"
                 "eor.w %[x], %[x], %[flip]\n\t"
                 "smlawb %[l], %[factor0], %[x], %[offset0]\n\t"
                 "smlawt %[x], %[factor1], %[x], %[offset1]\n\t"
                 "add.w %[l], %[e], %[l], asr #15\n\t"
                 "add.w %[x], %[i], %[x], asr #15\n\t"
                 "tst.w %[l], %[x]\n\t"
                 "bpl.w 2f\n\t"
                 "add.w %[l], %[l], %[x], lsl #16\n\t"
                 "str.w %[l], [%[psp]], #4\n\t"
                 ".endr\n\t"
                 "str.w %[zero], [%[excitation], #-4]\n\t"
                 "str.w %[zero], [%[inhibition], #-4]\n\t"
                 ".endr\n\t"
                 "ldr.w %[l], [sp]\n\t"
                 "cmp %[psp], %[l]\n\t"
                 "bne.w 1b\n"
                 "2:\n\t"
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
