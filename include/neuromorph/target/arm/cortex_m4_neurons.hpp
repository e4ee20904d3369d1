// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loops of Lif and PackedLif for ARMv7E-M.
// requires: -mthumb -mcpu=cortex-m4 (arm)
//
// As those for ARMv5TE (armv5te_neurons.hpp): first the membranes in pairs, then the psps. A branch that is not taken
// costs one cycle and conditions cost an IT, so a pair of membranes and every psp have a branch. Loads stand together,
// since only a load after a load overlaps.
#ifndef NEUROMORPH_TARGET_ARM_CORTEX_M4_NEURONS_HPP
#define NEUROMORPH_TARGET_ARM_CORTEX_M4_NEURONS_HPP

#if !defined(__ARM_FEATURE_SIMD32) || !__ARM_FEATURE_SIMD32 || !defined(__thumb2__)
#error "neuromorph/target/arm/cortex_m4_neurons.hpp needs the DSP extension: use -mcpu=cortex-m4 or target::Generic"
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/target/arm/common_dsp.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Base of CortexM4: what it does better than the loops of Lif and PackedLif, which say what is meant.
struct CortexM4Neurons {
  using Offers = offer::List<offer::LifMembranes, offer::LifMembranesByNeuron, offer::LifPsps, offer::PackedLifPsps>;
  /// Membranes of PackedLif: 9.5 cycles a neuron, 4 more per 8 (benchmark lif/packed). For two: four loads 5, signed
  /// psps 2, SMLAD 2, SMLAWB 2, sums 2, the signs of four words 3 and a branch, stores 2.
  ///
  /// Membranes of Lif with shared constants: with two time constants 10.5 cycles a neuron, with one 8.5, 4 more per 8
  /// (benchmarks lif/two, lif/one). As on ARMv5TE the shift of a psp rides on a product. For two: loads 7 or 5,
  /// products 6 or 4, differences or sums 2, the signs of four words 3 and a branch, stores 2.
  ///
  /// \tparam TimeConstants  of Lif; 0: PackedLif, `second` is the flip of its psps; otherwise the address of the
  /// inhibitory psps. Reset and after_spike are on the stack.
  template <unsigned TimeConstants, class Factors>
  [[gnu::noinline]] static std::uint32_t* lif_membranes(std::int32_t* membrane, const std::int32_t* first,
                                                        std::uintptr_t second, std::size_t pairs,
                                                        const Factors& factors, std::uint32_t* spikes) noexcept {
    auto decay =
        static_cast<std::uint32_t>(pairs / 4) << 16 | static_cast<std::uint16_t>(factors.decay); // and the passes
    std::uint32_t v0 = skipped<(TimeConstants == 0 ? 72 : TimeConstants == 1 ? 64 : 80), 4>(pairs);
    std::int32_t v1 = factors.reset, u0 = factors.after_spike, u1, n, all;
    asm volatile(".syntax unified\n\t"
                 ".macro neuromorph_settle v, u\n\t" // a spike, or a neuron that waits
                 "cmp \\u, #0\n\t"
                 "blt.n 4f\n\t"
                 "ite eq\n\t"
                 "ldreq \\v, [sp]\n\t"
                 "subne \\v, \\u, #1\n\t"
                 "b.n 5f\n\t"
                 "4:\n\t"
                 "cmp \\v, #0\n\t"
                 "blt.n 5f\n\t"
                 "str %[membrane], [%[spikes]], #4\n\t"
                 "ldr \\v, [sp, #4]\n\t"
                 "5:\n\t"
                 "str \\v, [%[membrane]], #4\n\t"
                 ".endm\n\t"
                 "str %[u0], [sp, #-4]!\n\t"
                 "str %[v1], [sp, #-4]!\n\t"
                 "adr.w %[n], 1f\n\t"
                 "add.w %[n], %[n], %[v0]\n\t"
                 "mov pc, %[n]\n\t"
                 ".balign 4\n\t"
                 "1:\n\t"
                 ".rept 4\n\t"
                 ".if %c[kind] == 0\n\t"
                 "ldr.w %[v0], [%[first]], #4\n\t"
                 "ldr.w %[v1], [%[first]], #4\n\t"
                 "ldr.w %[u0], [%[membrane]]\n\t"
                 "ldr.w %[u1], [%[membrane], #4]\n\t"
                 "eor.w %[v0], %[v0], %[second]\n\t"
                 "eor.w %[v1], %[v1], %[second]\n\t"
                 "smlad %[v0], %[v0], %[coupling], %[drift]\n\t"
                 "smlad %[v1], %[v1], %[coupling], %[drift]\n\t"
                 "smlawb %[v0], %[u0], %[decay], %[v0]\n\t"
                 "smlawb %[v1], %[u1], %[decay], %[v1]\n\t"
                 "add.w %[v0], %[u0], %[v0]\n\t"
                 "add.w %[v1], %[u1], %[v1]\n\t"
                 ".elseif %c[kind] == 1\n\t"
                 "ldr.w %[v0], [%[first]], #4\n\t"
                 "ldr.w %[v1], [%[first]], #4\n\t"
                 "ldr.w %[u0], [%[membrane]]\n\t"
                 "ldr.w %[u1], [%[membrane], #4]\n\t"
                 "smlawb %[v0], %[v0], %[coupling], %[drift]\n\t"
                 "smlawb %[v1], %[v1], %[coupling], %[drift]\n\t"
                 "smlawb %[v0], %[u0], %[decay], %[v0]\n\t"
                 "smlawb %[v1], %[u1], %[decay], %[v1]\n\t"
                 "add.w %[v0], %[u0], %[v0]\n\t"
                 "add.w %[v1], %[u1], %[v1]\n\t"
                 ".else\n\t"
                 "ldr.w %[v0], [%[first]], #4\n\t"
                 "ldr.w %[v1], [%[first]], #4\n\t"
                 "ldr.w %[n], [%[second]], #4\n\t"
                 "ldr.w %[all], [%[second]], #4\n\t"
                 "ldr.w %[u0], [%[membrane]]\n\t"
                 "ldr.w %[u1], [%[membrane], #4]\n\t"
                 "smlawb %[v0], %[v0], %[coupling], %[u0]\n\t"
                 "smlawb %[v1], %[v1], %[coupling], %[u1]\n\t"
                 "smlawb %[v0], %[u0], %[decay], %[v0]\n\t"
                 "smlawb %[v1], %[u1], %[decay], %[v1]\n\t"
                 "smlawb %[n], %[n], %[coupling], %[drift]\n\t"
                 "smlawb %[all], %[all], %[coupling], %[drift]\n\t"
                 "sub.w %[v0], %[v0], %[n]\n\t"
                 "sub.w %[v1], %[v1], %[all]\n\t"
                 ".endif\n\t"
                 "and.w %[all], %[u0], %[u1]\n\t"
                 "and.w %[all], %[all], %[v0]\n\t"
                 "tst.w %[all], %[v1]\n\t"
                 "bpl.w 2f\n\t"
                 "str.w %[v0], [%[membrane]], #4\n\t"
                 "str.w %[v1], [%[membrane]], #4\n\t"
                 "3:\n\t"
                 ".subsection 1\n\t"
                 "2:\n\t"
                 "neuromorph_settle %[v0], %[u0]\n\t"
                 "neuromorph_settle %[v1], %[u1]\n\t"
                 "b.w 3b\n\t"
                 ".previous\n\t"
                 ".endr\n\t"
                 "subs.w %[decay], %[decay], #0x10000\n\t"
                 "bpl.w 1b\n\t"
                 "add sp, sp, #8\n\t"
                 ".purgem neuromorph_settle"
                 : [membrane] "+r"(membrane), [first] "+r"(first), [second] "+r"(second), [spikes] "+r"(spikes),
                   [decay] "+r"(decay), [v0] "+r"(v0), [v1] "+r"(v1), [u0] "+r"(u0), [u1] "=&r"(u1), [n] "=&r"(n),
                   [all] "=&r"(all)
                 : [coupling] "r"(factors.coupling), [drift] "r"(factors.drift), [kind] "i"(TimeConstants)
                 : "cc", "memory");
    return spikes;
  }

  /// Membranes of Lif with constants of their own: with two time constants 16 cycles a neuron, with one 13, 7 more per
  /// 8 (benchmarks lif/two/per_neuron, lif/one/per_neuron).
  template <unsigned TimeConstants, class Rows>
  [[gnu::noinline]] static std::uint32_t* lif_membranes_by_neuron(std::int32_t* membrane, const std::int32_t* psp0,
                                                                  const std::int32_t* psp1, std::size_t pairs,
                                                                  const Rows& rows, std::uint32_t* spikes) noexcept {
    const std::int32_t *decay = rows.decay, *drift = rows.drift;
    std::uint32_t v0 = skipped<(TimeConstants == 1 ? 88 : 112), 4>(pairs);
    std::size_t u1 = pairs / 4;
    // distances of the columns
    std::ptrdiff_t v1 = reinterpret_cast<std::intptr_t>(rows.reset) - reinterpret_cast<std::intptr_t>(membrane),
                   u0 = reinterpret_cast<std::intptr_t>(rows.after_spike) - reinterpret_cast<std::intptr_t>(membrane);
    std::int32_t n, all;
    asm volatile(".syntax unified\n\t"
                 ".macro neuromorph_settle v, u\n\t" // a spike, or a neuron that waits
                 "cmp \\u, #0\n\t"
                 "blt.n 4f\n\t"
                 "ite eq\n\t"
                 "ldreq \\v, [sp]\n\t"
                 "subne \\v, \\u, #1\n\t"
                 "it eq\n\t"
                 "ldreq \\v, [%[membrane], \\v]\n\t"
                 "b.n 5f\n\t"
                 "4:\n\t"
                 "cmp \\v, #0\n\t"
                 "blt.n 5f\n\t"
                 "str %[membrane], [%[spikes]], #4\n\t"
                 "ldr \\v, [sp, #4]\n\t"
                 "ldr \\v, [%[membrane], \\v]\n\t"
                 "5:\n\t"
                 "str \\v, [%[membrane]], #4\n\t"
                 ".endm\n\t"
                 ".macro neuromorph_membrane v, u, at\n\t"
                 "ldr.w \\v, [%[drift]], #4\n\t"
                 "ldr.w \\u, [%[psp0]], #4\n\t"
                 "ldr.w %[n], [%[decay]], #4\n\t"
                 ".if %c[two]\n\t"
                 "ldr.w %[all], [%[psp1]], #4\n\t"
                 ".endif\n\t"
                 "smlawb \\v, \\u, %[scale], \\v\n\t"
                 "ldr.w \\u, [%[membrane], #\\at]\n\t"
                 "add.w %[n], %[n], %[scale], lsr #16\n\t"
                 "smlawt \\v, \\u, %[n], \\v\n\t"
                 ".if %c[two]\n\t"
                 "smulwb %[all], %[all], %[scale]\n\t"
                 ".endif\n\t"
                 "add.w \\v, \\v, \\u\n\t"
                 ".if %c[two]\n\t"
                 "sub.w \\v, \\v, %[all]\n\t"
                 ".endif\n\t"
                 ".endm\n\t"
                 "str %[u1], [sp, #-4]!\n\t"
                 "str %[u0], [sp, #-4]!\n\t"
                 "str %[v1], [sp, #-4]!\n\t"
                 "adr.w %[n], 1f\n\t"
                 "add.w %[n], %[n], %[v0]\n\t"
                 "mov pc, %[n]\n\t"
                 ".balign 4\n\t"
                 "1:\n\t"
                 ".rept 4\n\t"
                 "neuromorph_membrane %[v0], %[u0], 0\n\t"
                 "neuromorph_membrane %[v1], %[u1], 4\n\t"
                 "and.w %[all], %[u0], %[u1]\n\t"
                 "and.w %[all], %[all], %[v0]\n\t"
                 "tst.w %[all], %[v1]\n\t"
                 "bpl.w 2f\n\t"
                 "str.w %[v0], [%[membrane]], #4\n\t"
                 "str.w %[v1], [%[membrane]], #4\n\t"
                 "3:\n\t"
                 ".subsection 1\n\t"
                 "2:\n\t"
                 "neuromorph_settle %[v0], %[u0]\n\t"
                 "neuromorph_settle %[v1], %[u1]\n\t"
                 "b.w 3b\n\t"
                 ".previous\n\t"
                 ".endr\n\t"
                 "ldr %[n], [sp, #8]\n\t"
                 "subs.w %[n], %[n], #1\n\t"
                 "str %[n], [sp, #8]\n\t"
                 "bpl.w 1b\n\t"
                 "add sp, sp, #12\n\t"
                 ".purgem neuromorph_settle\n\t"
                 ".purgem neuromorph_membrane"
                 : [membrane] "+r"(membrane), [psp0] "+r"(psp0), [psp1] "+r"(psp1), [decay] "+r"(decay),
                   [drift] "+r"(drift), [spikes] "+r"(spikes), [v0] "+r"(v0), [v1] "+r"(v1), [u0] "+r"(u0),
                   [u1] "+r"(u1), [n] "=&r"(n), [all] "=&r"(all)
                 : [scale] "r"(rows.scale), [two] "i"(TimeConstants == 2)
                 : "cc", "memory");
    return spikes;
  }

  /// Psps of Lif that take one input each, and these set to zero: 10 cycles a neuron with 32-bit elements, 8 with 16
  /// bits, 6 more per 8 (benchmark lif/two). Stops at a pair with a neuron that may saturate. For two: loads 5, what
  /// the shift would lose 3 (not for 16 bits), products 2, shifts 2, sums with a branch each 4, stores 4 or 3.
  ///
  /// `Differences`: with the difference of two inputs: 14.5 and 11 cycles (benchmark lif/one).
  ///
  /// `ByNeuron`: with decays of their own, `factors.decay` is the dither: three cycles more, for the load and the
  /// dither.
  template <bool Differences, bool ByNeuron, class Element, class Factors>
  [[gnu::noinline]] static std::int32_t* lif_psps(std::int32_t* psp, Element* input, Element* less,
                                                  const std::int32_t* decays, std::size_t pairs,
                                                  const Factors& factors) noexcept {
    constexpr unsigned instructions =
        (sizeof(Element) == 4 ? (Differences ? 27 : 19) : (Differences ? 20 : 15)) + (ByNeuron ? 4 : 0);
    std::uint32_t p0 = skipped<4 * instructions, 4>(pairs);
    auto i = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(psp + 2 * pairs)); // the end
    std::int32_t p1, x0, x1;
    asm volatile(".syntax unified\n\t"
                 ".macro neuromorph_half to, from\n\t"
                 ".if %c[sign]\n\t"
                 "ldrsh.w \\to, [\\from], #2\n\t"
                 ".else\n\t"
                 "ldrh.w \\to, [\\from], #2\n\t"
                 ".endif\n\t"
                 ".endm\n\t"
                 "str %[i], [sp, #-4]!\n\t"
                 "adr.w %[i], 1f\n\t"
                 "add.w %[i], %[i], %[p0]\n\t"
                 "mov pc, %[i]\n\t"
                 ".balign 4\n\t"
                 "1:\n\t"
                 ".rept 4\n\t"
                 ".if %c[differences]\n\t"
                 ".if %c[size] == 4\n\t"
                 "ldr.w %[x0], [%[input]]\n\t"
                 "ldr.w %[p0], [%[less]]\n\t"
                 "ldr.w %[x1], [%[input], #4]\n\t"
                 "ldr.w %[p1], [%[less], #4]\n\t"
                 "orr.w %[i], %[x0], %[p0]\n\t"
                 "orr.w %[i], %[i], %[x1]\n\t"
                 "orr.w %[i], %[i], %[p1]\n\t"
                 "cmn.w %[limit], %[i], lsr #1\n\t"
                 "bvs.w 2f\n\t"
                 ".else\n\t"
                 "neuromorph_half %[x0], %[input]\n\t"
                 "neuromorph_half %[p0], %[less]\n\t"
                 "neuromorph_half %[x1], %[input]\n\t"
                 "neuromorph_half %[p1], %[less]\n\t"
                 ".endif\n\t"
                 "sub.w %[x0], %[x0], %[p0]\n\t"
                 "sub.w %[x1], %[x1], %[p1]\n\t"
                 "ldr.w %[p0], [%[psp]]\n\t"
                 "ldr.w %[p1], [%[psp], #4]\n\t"
                 ".else\n\t"
                 ".if %c[size] == 4\n\t"
                 "ldr.w %[x0], [%[input]]\n\t"
                 "ldr.w %[x1], [%[input], #4]\n\t"
                 ".else\n\t"
                 "neuromorph_half %[x0], %[input]\n\t"
                 "neuromorph_half %[x1], %[input]\n\t"
                 ".endif\n\t"
                 "ldr.w %[p0], [%[psp]]\n\t"
                 "ldr.w %[p1], [%[psp], #4]\n\t"
                 ".if %c[size] == 4\n\t"
                 "orr.w %[i], %[x0], %[x1]\n\t"
                 "cmn.w %[limit], %[i], lsr #1\n\t"
                 "bvs.w 2f\n\t"
                 ".endif\n\t"
                 ".endif\n\t"
                 ".if %c[own]\n\t" // %[decay] is the dither, its sum with a decay in the upper half
                 "ldr.w %[i], [%[decays]], #4\n\t"
                 "add.w %[i], %[i], %[decay]\n\t"
                 "smlawt %[p0], %[p0], %[i], %[p0]\n\t"
                 "ldr.w %[i], [%[decays]], #4\n\t"
                 "add.w %[i], %[i], %[decay]\n\t"
                 "smlawt %[p1], %[p1], %[i], %[p1]\n\t"
                 ".else\n\t"
                 "smlawb %[p0], %[p0], %[decay], %[p0]\n\t"
                 "smlawb %[p1], %[p1], %[decay], %[p1]\n\t"
                 ".endif\n\t"
                 "lsl.w %[x0], %[x0], %[shift]\n\t"
                 "lsl.w %[x1], %[x1], %[shift]\n\t"
                 "adds.w %[p0], %[p0], %[x0]\n\t"
                 "bvs.w 2f\n\t"
                 "adds.w %[p1], %[p1], %[x1]\n\t"
                 "bvs.w 2f\n\t"
                 "str.w %[p0], [%[psp]], #4\n\t"
                 "str.w %[p1], [%[psp]], #4\n\t"
                 ".if %c[size] == 4\n\t"
                 "str.w %[zero], [%[input]], #4\n\t"
                 "str.w %[zero], [%[input]], #4\n\t"
                 ".if %c[differences]\n\t"
                 "str.w %[zero], [%[less]], #4\n\t"
                 "str.w %[zero], [%[less]], #4\n\t"
                 ".endif\n\t"
                 ".else\n\t"
                 "str.w %[zero], [%[input], #-4]\n\t"
                 ".if %c[differences]\n\t"
                 "str.w %[zero], [%[less], #-4]\n\t"
                 ".endif\n\t"
                 ".endif\n\t"
                 ".endr\n\t"
                 "ldr.w %[i], [sp]\n\t"
                 "cmp %[psp], %[i]\n\t"
                 "bne.w 1b\n\t"
                 "2:\n\t"
                 "add sp, sp, #4\n\t"
                 ".purgem neuromorph_half"
                 : [psp] "+r"(psp), [input] "+r"(input), [less] "+r"(less), [decays] "+r"(decays), [p0] "+r"(p0),
                   [p1] "=&r"(p1), [x0] "=&r"(x0), [x1] "=&r"(x1), [i] "+r"(i)
                 : [decay] "r"(factors.decay), [shift] "r"(factors.shift), [limit] "r"(factors.limit), [zero] "r"(0),
                   [size] "i"(sizeof(Element)), [sign] "i"(std::is_signed_v<Element>), [differences] "i"(Differences),
                   [own] "i"(ByNeuron)
                 : "cc", "memory");
    return psp;
  }

  /// Psps of PackedLif, and their inputs set to zero: 14 cycles a neuron, 7 more per 8 (benchmark lif/packed). Stops at
  /// a neuron that may saturate, in which case the input of the one before it in its pair is not yet cleared. Three
  /// loads 4, signed psps, two products, two inputs, the signs of both sums and a branch 2. Then one word out of two
  /// halves, the store, and two stores for two neurons' input. Counted: 16-bit sums that saturate (UQADD16) with the
  /// inputs of two neurons loaded as words (as long: products and inputs must be put together first, and a stopped sum
  /// be found).
  template <class Factors>
  [[gnu::noinline]] static std::int32_t* packed_lif_psps(std::int32_t* psp, std::uint16_t* excitation,
                                                         std::uint16_t* inhibition, std::size_t pairs,
                                                         const Factors& factors) noexcept {
    std::uint32_t x = skipped<104, 4>(pairs);
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
