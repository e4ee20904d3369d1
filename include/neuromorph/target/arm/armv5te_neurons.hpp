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
#ifndef NEUROMORPH_TARGET_ARM_ARMV5TE_NEURONS_HPP
#define NEUROMORPH_TARGET_ARM_ARMV5TE_NEURONS_HPP

#if !defined(__ARM_FEATURE_DSP) || !__ARM_FEATURE_DSP || defined(__thumb__)
#error "neuromorph/target/arm/armv5te_neurons.hpp needs ARM state with DSP: -marm -mcpu=arm968e-s or target::Generic"
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

/// Base of Armv5te: what it does better than the loops of Lif and PackedLif, which say what is meant.
struct Armv5teNeurons {
  using Offers = offer::List<offer::LifMembranes, offer::LifMembranesByNeuron, offer::LifPsps, offer::PackedLifPsps>;
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
  ///
  /// Membranes of Lif with shared constants: with two time constants 9 cycles a neuron, with one 7, 4 more per 16
  /// (benchmarks lif/two, lif/one).
  ///
  ///     ldr v0, [psp0], #4                ldr v0, [psp0], #4
  ///     ldr u0, [membrane]                ldr v1, [psp0], #4
  ///     ldr n, [psp1], #4                 ldr u0, [membrane]
  ///     smlawb v0, v0, coupling, u0       smlawb v0, v0, coupling, drift
  ///     smlawb n, n, coupling, drift      ldr u1, [membrane, #4]
  ///     smlawb v0, u0, decay, v0          smlawb v0, u0, decay, v0
  ///     ldr v1, [psp0], #4                smlawb v1, v1, coupling, drift
  ///     ldr u1, [membrane, #4]            smlawb v1, u1, decay, v1
  ///     subs v0, v0, n                    adds v0, u0, v0
  ///     ldr n, [psp1], #4
  ///     smlawb v1, v1, coupling, u1
  ///     smlawb n, n, coupling, drift
  ///     smlawb v1, u1, decay, v1
  ///     str v0, [membrane], #4            str v0, [membrane], #4
  ///     subsmi v1, v1, n                  addsmi v1, u1, v1
  ///     tstmi u0, u1                      tstmi u0, u1
  ///     blpl                              blpl
  ///     str v1, [membrane], #4            str v1, [membrane], #4
  ///
  /// The shift of a psp rides on a product, factor 2^(16 - psp_shift); the word as it was and the drift, with two time
  /// constants subtracted from 0, are the accumulators. Bound: loads, the store, a product for each word, the sum: 8
  /// and 6.
  ///
  /// \tparam TimeConstants  of Lif; 0: PackedLif, `second` is the flip of its psps; otherwise the address of the
  /// inhibitory psps. Reset and after_spike are on the stack.
  template <unsigned TimeConstants, class Factors>
  [[gnu::noinline]] static std::uint32_t* lif_membranes(std::int32_t* membrane, const std::int32_t* first,
                                                        std::uintptr_t second, std::size_t pairs,
                                                        const Factors& factors, std::uint32_t* spikes) noexcept {
    auto decay =
        static_cast<std::uint32_t>(pairs / 8) << 16 | static_cast<std::uint16_t>(factors.decay); // and the passes
    std::uint32_t v0 = skipped<(TimeConstants == 1 ? 56 : 72), 8>(pairs);
    std::int32_t v1 = factors.reset, u0 = factors.after_spike, u1, n;
    asm volatile(".syntax unified\n\t"
                 "str %[u0], [sp, #-4]!\n\t"
                 "str %[v1], [sp, #-4]!\n\t"
                 "add pc, pc, %[v0]\n\t"
                 "nop\n"
                 "1:\n\t"
                 ".rept 8\n\t"
                 ".if %c[kind] == 0\n\t"
                 "ldr %[u0], [%[first]], #4\n\t"
                 "ldr %[u1], [%[first]], #4\n\t"
                 "eor %[u0], %[u0], %[second]\n\t"
                 "eor %[u1], %[u1], %[second]\n\t"
                 "smlabb %[v0], %[u0], %[coupling], %[drift]\n\t"
                 "smlatt %[v0], %[u0], %[coupling], %[v0]\n\t"
                 "ldr %[u0], [%[membrane]]\n\t"
                 "smlabb %[v1], %[u1], %[coupling], %[drift]\n\t"
                 "smlatt %[v1], %[u1], %[coupling], %[v1]\n\t"
                 "ldr %[u1], [%[membrane], #4]\n\t"
                 "smlawb %[v0], %[u0], %[decay], %[v0]\n\t"
                 "smlawb %[v1], %[u1], %[decay], %[v1]\n\t"
                 "adds %[v0], %[u0], %[v0]\n\t"
                 ".elseif %c[kind] == 1\n\t"
                 "ldr %[v0], [%[first]], #4\n\t"
                 "ldr %[v1], [%[first]], #4\n\t"
                 "ldr %[u0], [%[membrane]]\n\t"
                 "smlawb %[v0], %[v0], %[coupling], %[drift]\n\t"
                 "ldr %[u1], [%[membrane], #4]\n\t"
                 "smlawb %[v0], %[u0], %[decay], %[v0]\n\t"
                 "smlawb %[v1], %[v1], %[coupling], %[drift]\n\t"
                 "smlawb %[v1], %[u1], %[decay], %[v1]\n\t"
                 "adds %[v0], %[u0], %[v0]\n\t"
                 ".else\n\t"
                 "ldr %[v0], [%[first]], #4\n\t"
                 "ldr %[u0], [%[membrane]]\n\t"
                 "ldr %[n], [%[second]], #4\n\t"
                 "smlawb %[v0], %[v0], %[coupling], %[u0]\n\t"
                 "smlawb %[n], %[n], %[coupling], %[drift]\n\t"
                 "smlawb %[v0], %[u0], %[decay], %[v0]\n\t"
                 "ldr %[v1], [%[first]], #4\n\t"
                 "ldr %[u1], [%[membrane], #4]\n\t"
                 "subs %[v0], %[v0], %[n]\n\t"
                 "ldr %[n], [%[second]], #4\n\t"
                 "smlawb %[v1], %[v1], %[coupling], %[u1]\n\t"
                 "smlawb %[n], %[n], %[coupling], %[drift]\n\t"
                 "smlawb %[v1], %[u1], %[decay], %[v1]\n\t"
                 ".endif\n\t"
                 "str %[v0], [%[membrane]], #4\n\t"
                 ".if %c[kind] == 2\n\t"
                 "subsmi %[v1], %[v1], %[n]\n\t"
                 ".else\n\t"
                 "addsmi %[v1], %[u1], %[v1]\n\t"
                 ".endif\n\t"
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
                 ".if %c[kind] == 2\n\t"
                 "subpl %[v1], %[v1], %[n]\n\t" // was not reached
                 ".else\n\t"
                 "addpl %[v1], %[u1], %[v1]\n\t"
                 ".endif\n\t"
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
                 : [membrane] "+r"(membrane), [first] "+r"(first), [second] "+r"(second), [spikes] "+r"(spikes),
                   [decay] "+r"(decay), [v0] "+r"(v0), [v1] "+r"(v1), [u0] "+r"(u0), [u1] "=&r"(u1), [n] "=&r"(n)
                 : [coupling] "r"(factors.coupling), [drift] "r"(factors.drift), [kind] "i"(TimeConstants)
                 : "lr", "cc", "memory");
    return spikes;
  }

  /// Membranes of Lif with constants of their own: with two time constants 13 cycles a neuron, with one 10, 7 more per
  /// 16 (benchmarks lif/two/per_neuron, lif/one/per_neuron).
  ///
  ///     ldr v0, [drift], #4            v1, likewise, after subs
  ///     ldr u1, [psp0], #4
  ///     ldr n, [decay], #4
  ///     ldr u0, [membrane]
  ///     smlawb v0, u1, scale, v0
  ///     add n, n, scale, lsr #16       the dither
  ///     ldr v1, [psp1], #4
  ///     smlawt v0, u0, n, v0
  ///     smulwb v1, v1, scale
  ///     add v0, v0, u0
  ///     subs v0, v0, v1
  ///
  /// Bound: as with shared constants, two loads and the dither more, and a sum, since only one accumulator is left: 12
  /// and 9.
  template <unsigned TimeConstants, class Rows>
  [[gnu::noinline]] static std::uint32_t* lif_membranes_by_neuron(std::int32_t* membrane, const std::int32_t* psp0,
                                                                  const std::int32_t* psp1, std::size_t pairs,
                                                                  const Rows& rows, std::uint32_t* spikes) noexcept {
    const std::int32_t *decay = rows.decay, *drift = rows.drift;
    std::uint32_t v0 = skipped<(TimeConstants == 1 ? 80 : 104), 8>(pairs);
    std::size_t u1 = pairs / 8;
    // distances of the columns
    std::ptrdiff_t v1 = reinterpret_cast<std::intptr_t>(rows.reset) - reinterpret_cast<std::intptr_t>(membrane),
                   u0 = reinterpret_cast<std::intptr_t>(rows.after_spike) - reinterpret_cast<std::intptr_t>(membrane);
    std::int32_t n;
    asm volatile(
        ".syntax unified\n\t"
        "str %[u1], [sp, #-4]!\n\t"
        "str %[u0], [sp, #-4]!\n\t"
        "str %[v1], [sp, #-4]!\n\t"
        "add pc, pc, %[v0]\n\t"
        "nop\n"
        "1:\n\t"
        ".rept 8\n\t"
        ".if %c[two]\n\t"
        "ldr %[v0], [%[drift]], #4\n\t"
        "ldr %[u1], [%[psp0]], #4\n\t"
        "ldr %[n], [%[decay]], #4\n\t"
        "ldr %[u0], [%[membrane]]\n\t"
        "smlawb %[v0], %[u1], %[scale], %[v0]\n\t"
        "add %[n], %[n], %[scale], lsr #16\n\t"
        "ldr %[v1], [%[psp1]], #4\n\t"
        "smlawt %[v0], %[u0], %[n], %[v0]\n\t"
        "smulwb %[v1], %[v1], %[scale]\n\t"
        "add %[v0], %[v0], %[u0]\n\t"
        "subs %[v0], %[v0], %[v1]\n\t"
        "ldr %[v1], [%[drift]], #4\n\t"
        "ldr %[u1], [%[psp0]], #4\n\t"
        "ldr %[n], [%[decay]], #4\n\t"
        "smlawb %[v1], %[u1], %[scale], %[v1]\n\t"
        "ldr %[u1], [%[membrane], #4]\n\t"
        "add %[n], %[n], %[scale], lsr #16\n\t"
        "smlawt %[v1], %[u1], %[n], %[v1]\n\t"
        "ldr %[n], [%[psp1]], #4\n\t"
        "str %[v0], [%[membrane]], #4\n\t"
        "smulwb %[n], %[n], %[scale]\n\t"
        "add %[v1], %[v1], %[u1]\n\t"
        "subsmi %[v1], %[v1], %[n]\n\t"
        ".else\n\t"
        "ldr %[v0], [%[drift]], #4\n\t"
        "ldr %[u0], [%[psp0]], #4\n\t"
        "ldr %[n], [%[decay]], #4\n\t"
        "smlawb %[v0], %[u0], %[scale], %[v0]\n\t"
        "ldr %[u0], [%[membrane]]\n\t"
        "add %[n], %[n], %[scale], lsr #16\n\t"
        "smlawt %[v0], %[u0], %[n], %[v0]\n\t"
        "ldr %[v1], [%[drift]], #4\n\t"
        "ldr %[u1], [%[psp0]], #4\n\t"
        "ldr %[n], [%[decay]], #4\n\t"
        "adds %[v0], %[u0], %[v0]\n\t"
        "smlawb %[v1], %[u1], %[scale], %[v1]\n\t"
        "ldr %[u1], [%[membrane], #4]\n\t"
        "add %[n], %[n], %[scale], lsr #16\n\t"
        "smlawt %[v1], %[u1], %[n], %[v1]\n\t"
        "str %[v0], [%[membrane]], #4\n\t"
        "addsmi %[v1], %[u1], %[v1]\n\t"
        ".endif\n\t"
        "tstmi %[u0], %[u1]\n\t"
        "blpl 2f\n\t"
        "str %[v1], [%[membrane]], #4\n\t"
        ".endr\n\t"
        "ldr %[n], [sp, #8]\n\t"
        "subs %[n], %[n], #1\n\t"
        "str %[n], [sp, #8]\n\t"
        "bpl 1b\n\t"
        "add sp, sp, #12\n\t"
        ".subsection 1\n"
        "2:\n\t" // as in membranes
        "cmp %[v0], #0\n\t"
        ".if %c[two]\n\t"
        "subpl %[v1], %[v1], %[n]\n\t"
        ".else\n\t"
        "addpl %[v1], %[u1], %[v1]\n\t"
        ".endif\n\t"
        "sub %[membrane], %[membrane], #4\n\t"
        "cmp %[u0], #0\n\t"
        "ldreq %[v0], [sp]\n\t"
        "subgt %[v0], %[u0], #1\n\t"
        "ldreq %[v0], [%[membrane], %[v0]]\n\t"
        "tstmi %[v0], %[v0], lsl #1\n\t"
        "strcc %[membrane], [%[spikes]], #4\n\t"
        "ldrcc %[v0], [sp, #4]\n\t"
        "ldrcc %[v0], [%[membrane], %[v0]]\n\t"
        "cmp %[u1], #0\n\t"
        "str %[v0], [%[membrane]], #4\n\t"
        "ldreq %[v1], [sp]\n\t"
        "subgt %[v1], %[u1], #1\n\t"
        "ldreq %[v1], [%[membrane], %[v1]]\n\t"
        "tstmi %[v1], %[v1], lsl #1\n\t"
        "strcc %[membrane], [%[spikes]], #4\n\t"
        "ldrcc %[v1], [sp, #4]\n\t"
        "ldrcc %[v1], [%[membrane], %[v1]]\n\t"
        "bx lr\n\t"
        ".previous"
        : [membrane] "+r"(membrane), [psp0] "+r"(psp0), [psp1] "+r"(psp1), [decay] "+r"(decay), [drift] "+r"(drift),
          [spikes] "+r"(spikes), [v0] "+r"(v0), [v1] "+r"(v1), [u0] "+r"(u0), [u1] "+r"(u1), [n] "=&r"(n)
        : [scale] "r"(rows.scale), [two] "i"(TimeConstants == 2)
        : "lr", "cc", "memory");
    return spikes;
  }

  /// Psps of Lif that take one input each, and these set to zero: 8 cycles a neuron with 32-bit elements, 6.5 with 16
  /// bits, 6 more per 16 (benchmark lif/two). Stops at a neuron that may saturate, or before it in the same pair.
  ///
  ///     ldr p0, [psp]                  ldrh x0, [input], #2
  ///     ldr x0, [input]                ldrh x1, [input], #2
  ///     ldr p1, [psp, #4]              ldr p0, [psp]
  ///     ldr x1, [input, #4]            ldr p1, [psp, #4]
  ///     cmn limit, x0, lsr #1          overflows (V) if x0 2^shift does: not for 16 bits
  ///     cmn limit, x1, lsr #1
  ///     smlawb p0, p0, decay, p0
  ///     smlawb p1, p1, decay, p1
  ///     adds p0, p0, x0, lsl shift     2
  ///     str p0, [psp], #4
  ///     str zero, [input], #4
  ///     adds p1, p1, x1, lsl shift     2
  ///     str p1, [psp], #4
  ///     str zero, [input], #4          str zero, [input, #-4]
  ///
  /// Bound: two loads, two stores, or three halves of one, the product and the sum: 6 and 5. Above it the shift by a
  /// register, as two shifts that the compiler knows would need 200 loops, and the test of what is shifted out.
  /// Counted: the sum by MLA (as long, and without flags), by UMLAL (3, its upper word tells what is lost, but not the
  /// sign).
  ///
  /// `Differences`: with the difference of two inputs: 12 and 9 cycles (benchmark lif/one). Bound, with an input, its
  /// store and a difference more: 9 and 7.
  ///
  ///     ldr x0, [input]                ldrh x0, [input], #2
  ///     ldr i, [less]                  ldrh p0, [less], #2
  ///     ldr x1, [input, #4]            ldrh x1, [input], #2
  ///     orr p0, x0, i                  ldrh i, [less], #2
  ///     sub x0, x0, i                  sub x0, x0, p0
  ///     ldr i, [less, #4]              ldr p0, [psp]
  ///     cmn limit, p0, lsr #1          sub x1, x1, i
  ///     orr p1, x1, i                  ldr p1, [psp, #4]
  ///     sub x1, x1, i
  ///     ldr p0, [psp]
  ///     cmn limit, p1, lsr #1
  ///     ldr p1, [psp, #4]              and on with smlawb
  ///
  /// `ByNeuron`: with decays of their own, `factors.decay` is the dither: two cycles more, for the load and the dither.
  template <bool Differences, bool ByNeuron, class Element, class Factors>
  [[gnu::noinline]] static std::int32_t* lif_psps(std::int32_t* psp, Element* input, Element* less,
                                                  const std::int32_t* decays, std::size_t pairs,
                                                  const Factors& factors) noexcept {
    constexpr unsigned instructions =
        (sizeof(Element) == 4 ? (Differences ? 22 : 14) : (Differences ? 16 : 11)) + (ByNeuron ? 4 : 0);
    std::uint32_t p0 = skipped<4 * instructions, 8>(pairs);
    auto i = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(psp + 2 * pairs)); // the end
    std::int32_t p1, x0, x1;
    asm volatile(".syntax unified\n\t"
                 ".macro neuromorph_half to, from\n\t"
                 ".if %c[sign]\n\t"
                 "ldrshvc \\to, [\\from], #2\n\t"
                 ".else\n\t"
                 "ldrhvc \\to, [\\from], #2\n\t"
                 ".endif\n\t"
                 ".endm\n\t"
                 "str %[i], [sp, #-4]!\n\t"
                 "cmp %[psp], %[psp]\n\t" // no overflow
                 "add pc, pc, %[p0]\n\t"
                 "nop\n"
                 "1:\n\t"
                 ".rept 8\n\t"
                 ".if %c[size] == 4 && !%c[differences]\n\t"
                 "ldrvc %[p0], [%[psp]]\n\t"
                 "ldrvc %[x0], [%[input]]\n\t"
                 "ldrvc %[p1], [%[psp], #4]\n\t"
                 "ldrvc %[x1], [%[input], #4]\n\t"
                 ".if %c[own]\n\t"
                 "ldrvc %[i], [%[decays]], #4\n\t"
                 ".endif\n\t"
                 "cmnvc %[limit], %[x0], lsr #1\n\t"
                 "cmnvc %[limit], %[x1], lsr #1\n\t"
                 ".elseif %c[size] == 4\n\t"
                 "ldrvc %[x0], [%[input]]\n\t"
                 "ldrvc %[i], [%[less]]\n\t"
                 "ldrvc %[x1], [%[input], #4]\n\t"
                 "orrvc %[p0], %[x0], %[i]\n\t"
                 "subvc %[x0], %[x0], %[i]\n\t"
                 "ldrvc %[i], [%[less], #4]\n\t"
                 "cmnvc %[limit], %[p0], lsr #1\n\t"
                 "orrvc %[p1], %[x1], %[i]\n\t"
                 "subvc %[x1], %[x1], %[i]\n\t"
                 "ldrvc %[p0], [%[psp]]\n\t"
                 "cmnvc %[limit], %[p1], lsr #1\n\t"
                 ".if %c[own]\n\t"
                 "ldrvc %[i], [%[decays]], #4\n\t"
                 ".endif\n\t"
                 "ldrvc %[p1], [%[psp], #4]\n\t"
                 ".elseif !%c[differences]\n\t"
                 "neuromorph_half %[x0], %[input]\n\t"
                 "neuromorph_half %[x1], %[input]\n\t"
                 "ldrvc %[p0], [%[psp]]\n\t"
                 ".if %c[own]\n\t"
                 "ldrvc %[i], [%[decays]], #4\n\t"
                 ".endif\n\t"
                 "ldrvc %[p1], [%[psp], #4]\n\t"
                 ".else\n\t"
                 "neuromorph_half %[x0], %[input]\n\t"
                 "neuromorph_half %[p0], %[less]\n\t"
                 "neuromorph_half %[x1], %[input]\n\t"
                 "neuromorph_half %[i], %[less]\n\t"
                 "subvc %[x0], %[x0], %[p0]\n\t"
                 "ldrvc %[p0], [%[psp]]\n\t"
                 "subvc %[x1], %[x1], %[i]\n\t"
                 ".if %c[own]\n\t"
                 "ldrvc %[i], [%[decays]], #4\n\t"
                 ".endif\n\t"
                 "ldrvc %[p1], [%[psp], #4]\n\t"
                 ".endif\n\t"
                 ".if %c[own]\n\t" // %[decay] is the dither, its sum with a decay in the upper half
                 "addvc %[i], %[i], %[decay]\n\t"
                 "smlawtvc %[p0], %[p0], %[i], %[p0]\n\t"
                 "ldrvc %[i], [%[decays]], #4\n\t"
                 "addsvc %[p0], %[p0], %[x0], lsl %[shift]\n\t"
                 "addvc %[i], %[i], %[decay]\n\t"
                 "smlawtvc %[p1], %[p1], %[i], %[p1]\n\t"
                 ".else\n\t"
                 "smlawbvc %[p0], %[p0], %[decay], %[p0]\n\t"
                 "smlawbvc %[p1], %[p1], %[decay], %[p1]\n\t"
                 "addsvc %[p0], %[p0], %[x0], lsl %[shift]\n\t"
                 ".endif\n\t"
                 "strvc %[p0], [%[psp]], #4\n\t"
                 ".if %c[size] == 4\n\t"
                 "strvc %[zero], [%[input]], #4\n\t"
                 ".if %c[differences]\n\t"
                 "strvc %[zero], [%[less]], #4\n\t"
                 ".endif\n\t"
                 ".endif\n\t"
                 "addsvc %[p1], %[p1], %[x1], lsl %[shift]\n\t"
                 "strvc %[p1], [%[psp]], #4\n\t"
                 ".if %c[size] == 4\n\t"
                 "strvc %[zero], [%[input]], #4\n\t"
                 ".if %c[differences]\n\t"
                 "strvc %[zero], [%[less]], #4\n\t"
                 ".endif\n\t"
                 ".else\n\t"
                 "strvc %[zero], [%[input], #-4]\n\t"
                 ".if %c[differences]\n\t"
                 "strvc %[zero], [%[less], #-4]\n\t"
                 ".endif\n\t"
                 ".endif\n\t"
                 ".endr\n\t"
                 "ldr %[i], [sp]\n\t"
                 "bvs 2f\n\t"
                 "teq %[psp], %[i]\n\t"
                 "bne 1b\n"
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
    std::uint32_t x = skipped<88, 8>(pairs);
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
