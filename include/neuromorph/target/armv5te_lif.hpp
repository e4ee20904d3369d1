// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loops of CompactLif for ARMv5TE in ARM state.
// requires: -marm -mcpu=arm968e-s (arm)
//
// All three work in groups of 16 or 32 neurons without a branch. Every instruction after the first neuron's addition is
// executed only while the membranes that came before are negative (MI); at the first that is not, the rest of 16 does
// nothing, one cycle each, and pointers and registers stay as that neuron left them. The spike is stored out of line,
// and a computed jump enters the group behind it; so do counts that are no multiple of 16.
//
// Lower bound for one neuron with words of its own: three loads, two stores, a multiplication for each of two decays,
// an addition of the input and one that makes the membrane's sign: 9 cycles, since the core issues one instruction a
// cycle and moves one word. Above it, for 32 neurons whose count the compiler knows, inlined: two tests; 20 for the
// queue's head, addresses and constants; about 260 for each spike with its way into and out of the queue, 8 per call at
// 10 Hz: 9.89 in all (cycles/arm968/lif/shared/mean). As a function of its own 10.86: BL 3, nine registers pushed 9,
// popped 13.
//
// Tried: the refractory countdown in the membrane word with one test per four neurons in registers (9.25, and 20 cycles
// at every refractory step, so 10.4 inlined and 11 called); signs gathered with AND (a cycle each); QADD and its sticky
// flag in place of the conditions (reading the flag takes 3, and a search must find who fired); groups of 16 with the
// end test in the condition (4 more per 32).
#ifndef NEUROMORPH_TARGET_ARMV5TE_LIF_HPP
#define NEUROMORPH_TARGET_ARMV5TE_LIF_HPP

#if !defined(__ARM_FEATURE_DSP) || !__ARM_FEATURE_DSP || defined(__thumb__)
#error "neuromorph/target/armv5te_lif.hpp needs ARM state with DSP: use -marm -mcpu=arm968e-s or target::Generic"
#endif

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Base of Armv5te: what it does better than CompactLif's own loops. See CompactLif for the meaning.
struct Armv5teLif {
  /// Shared constants, 32-bit psp. 9 cycles a neuron (cycles/arm968/lif/shared/mean).
  ///
  ///     ldr    v, [membrane]
  ///     ldr    p, [psp]
  ///     ldr    x, [input], #4          or ldrsh, #2
  ///     smlawt t, p, f, q              p was loaded two before
  ///     smlawb p, v, c, p              the coupling is the accumulator
  ///     add    x, x, t, lsl #1         t one instruction later
  ///     adds   v, v, p                 p one instruction later; the sign
  ///     str    x, [psp], #4
  ///     str    v, [membrane], #4
  template <int Groups, class Cursor, class Factors>
  [[gnu::always_inline]] static inline std::uint32_t*
  compact_lif_shared(Cursor cursor, std::int32_t* end, const Factors& factors, std::uint32_t* spikes) noexcept {
    std::int32_t v, p, x, t;
    // The line breaks at the end stand for the repeated instructions: the compiler counts lines to place its constants.
    asm volatile(
        ".syntax unified\n\t"
        ".if %c[whole] == 0\n\t"
        "sub %[t], %[end], %[membrane]\n\t"
        "ands %[t], %[t], #60\n\t"
        "bne 3f\n\t"
        ".endif\n\t"
        "1:\n\t"
        "ldr %[v], [%[membrane]]\n\t"
        "ldr %[p], [%[psp]]\n\t"
        ".if %c[size] == 4\n\t"
        "ldr %[x], [%[input]], #4\n\t"
        ".else\n\t"
        "ldrsh %[x], [%[input]], #2\n\t"
        ".endif\n\t"
        "smlawt %[t], %[p], %[f], %[q]\n\t"
        "smlawb %[p], %[v], %[c], %[p]\n\t"
        "add %[x], %[x], %[t], lsl #1\n\t"
        "adds %[v], %[v], %[p]\n\t"
        "strmi %[x], [%[psp]], #4\n\t"
        "strmi %[v], [%[membrane]], #4\n\t"
        ".rept 15 + 16 * %c[whole]\n\t"
        ".if %c[whole] && . - 1b == 576\n\t"
        "bpl 2f\n\t"
        ".endif\n\t"
        "ldrmi %[v], [%[membrane]]\n\t"
        "ldrmi %[p], [%[psp]]\n\t"
        ".if %c[size] == 4\n\t"
        "ldrmi %[x], [%[input]], #4\n\t"
        ".else\n\t"
        "ldrshmi %[x], [%[input]], #2\n\t"
        ".endif\n\t"
        "smlawtmi %[t], %[p], %[f], %[q]\n\t"
        "smlawbmi %[p], %[v], %[c], %[p]\n\t"
        "addmi %[x], %[x], %[t], lsl #1\n\t"
        "addsmi %[v], %[v], %[p]\n\t"
        "strmi %[x], [%[psp]], #4\n\t"
        "strmi %[v], [%[membrane]], #4\n\t"
        ".endr\n\t"
        ".if %c[whole]\n\t"
        "bpl 2f\n\t"
        ".if !%c[one]\n\t"
        "cmp %[membrane], %[end]\n\t"
        "bne 1b\n\t"
        ".endif\n\t"
        ".else\n\t"
        "cmpmi %[membrane], %[end]\n\t"
        "bmi 1b\n\t"
        "cmp %[membrane], %[end]\n\t"
        "bne 2f\n\t"
        ".endif\n\t"
        "4:\n\t"
        ".subsection 1\n\t"
        "2:\n\t"
        "str %[x], [%[psp]], #4\n\t"
        "str %[membrane], [%[spikes]], #4\n\t"
        "mov %[t], %[down]\n\t"
        "str %[t], [%[membrane]], #4\n\t"
        "subs %[t], %[end], %[membrane]\n\t"
        "beq 4b\n\t"
        "ands %[t], %[t], #60 + 64 * %c[whole]\n\t"
        "beq 1b\n\t"
        "3:\n\t"
        ".if %c[whole]\n\t"
        "cmp %[t], #64\n\t"
        "rsb %[t], %[t], #0\n\t"
        "add %[t], %[t], %[t], lsl #3\n\t"
        "add %[t], %[t], #1152\n\t"
        "addls %[t], %[t], #4\n\t"
        "adrl %[v], 1b\n\t"
        "teq %[v], #0x80000000\n\t"
        "add pc, %[v], %[t]\n\t"
        ".else\n\t"
        "rsbs %[t], %[t], #0\n\t"
        "add %[t], %[t], %[t], lsl #3\n\t"
        "add %[t], %[t], #576\n\t"
        "adrl %[v], 1b\n\t"
        "add pc, %[v], %[t]\n\t"
        ".endif\n\t"
        ".previous\n\t"
        "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
        "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
        "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
        "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
        "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
        "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
        : [membrane] "+&r"(cursor.membrane), [psp] "+&r"(cursor.psp), [input] "+&r"(cursor.input),
          [spikes] "+&r"(spikes), [x] "=&r"(x), [v] "=&r"(v), [p] "=&r"(p), [t] "=&r"(t)
        : [end] "r"(end), [c] "r"(factors.membrane), [f] "r"(factors.psp), [q] "r"(factors.offset),
          [size] "i"(sizeof *cursor.input), [whole] "i"(Groups != 0), [one] "i"(Groups == 1), [down] "i"(Cursor::down)
        : "cc", "memory");
    return spikes;
  }

  /// Constants by neuron, 32-bit psp. 11 cycles a neuron (cycles/arm968/lif/per_neuron/mean).
  /// One word holds both the decay and the drift; two words with dithered decays would take 14.
  ///
  ///     ldr    v, [membrane]
  ///     ldr    p, [psp]
  ///     ldr    x, [input], #4          or ldrsh, #2
  ///     ldr    c, [row], #4
  ///     smlawt t, p, f, q
  ///     smlawb p, v, c, p
  ///     add    v, v, c, asr #16
  ///     add    x, x, t, lsl #1
  ///     adds   v, v, p, asr #3
  ///     str    x, [psp], #4
  ///     str    v, [membrane], #4
  template <int Groups, class Cursor, class Factors>
  [[gnu::always_inline]] static inline std::uint32_t*
  compact_lif_rows(Cursor cursor, std::int32_t* end, const Factors& factors, std::uint32_t* spikes) noexcept {
    std::int32_t v, p, x, t, c;
    asm volatile(".syntax unified\n\t"
                 ".if %c[whole] == 0\n\t"
                 "sub %[t], %[end], %[membrane]\n\t"
                 "ands %[t], %[t], #60\n\t"
                 "bne 3f\n\t"
                 ".endif\n\t"
                 "1:\n\t"
                 "ldr %[v], [%[membrane]]\n\t"
                 "ldr %[p], [%[psp]]\n\t"
                 ".if %c[size] == 4\n\t"
                 "ldr %[x], [%[input]], #4\n\t"
                 ".else\n\t"
                 "ldrsh %[x], [%[input]], #2\n\t"
                 ".endif\n\t"
                 "ldr %[c], [%[row]], #4\n\t"
                 "smlawt %[t], %[p], %[f], %[q]\n\t"
                 "smlawb %[p], %[v], %[c], %[p]\n\t"
                 "add %[v], %[v], %[c], asr #16\n\t"
                 "add %[x], %[x], %[t], lsl #1\n\t"
                 "adds %[v], %[v], %[p], asr #3\n\t"
                 "strmi %[x], [%[psp]], #4\n\t"
                 "strmi %[v], [%[membrane]], #4\n\t"
                 ".rept 15 + 16 * %c[whole]\n\t"
                 ".if %c[whole] && . - 1b == 704\n\t"
                 "bpl 2f\n\t"
                 ".endif\n\t"
                 "ldrmi %[v], [%[membrane]]\n\t"
                 "ldrmi %[p], [%[psp]]\n\t"
                 ".if %c[size] == 4\n\t"
                 "ldrmi %[x], [%[input]], #4\n\t"
                 ".else\n\t"
                 "ldrshmi %[x], [%[input]], #2\n\t"
                 ".endif\n\t"
                 "ldrmi %[c], [%[row]], #4\n\t"
                 "smlawtmi %[t], %[p], %[f], %[q]\n\t"
                 "smlawbmi %[p], %[v], %[c], %[p]\n\t"
                 "addmi %[v], %[v], %[c], asr #16\n\t"
                 "addmi %[x], %[x], %[t], lsl #1\n\t"
                 "addsmi %[v], %[v], %[p], asr #3\n\t"
                 "strmi %[x], [%[psp]], #4\n\t"
                 "strmi %[v], [%[membrane]], #4\n\t"
                 ".endr\n\t"
                 ".if %c[whole]\n\t"
                 "bpl 2f\n\t"
                 ".if !%c[one]\n\t"
                 "cmp %[membrane], %[end]\n\t"
                 "bne 1b\n\t"
                 ".endif\n\t"
                 ".else\n\t"
                 "cmpmi %[membrane], %[end]\n\t"
                 "bmi 1b\n\t"
                 "cmp %[membrane], %[end]\n\t"
                 "bne 2f\n\t"
                 ".endif\n\t"
                 "4:\n\t"
                 ".subsection 1\n\t"
                 "2:\n\t"
                 "str %[x], [%[psp]], #4\n\t"
                 "str %[membrane], [%[spikes]], #4\n\t"
                 "mov %[t], %[down]\n\t"
                 "str %[t], [%[membrane]], #4\n\t"
                 "subs %[t], %[end], %[membrane]\n\t"
                 "beq 4b\n\t"
                 "ands %[t], %[t], #60 + 64 * %c[whole]\n\t"
                 "beq 1b\n\t"
                 "3:\n\t"
                 ".if %c[whole]\n\t"
                 "cmp %[t], #64\n\t"
                 "rsb %[t], %[t], #0\n\t"
                 "add %[x], %[t], %[t], lsl #1\n\t"
                 "add %[t], %[x], %[t], lsl #3\n\t"
                 "add %[t], %[t], #1408\n\t"
                 "addls %[t], %[t], #4\n\t"
                 "adrl %[v], 1b\n\t"
                 "teq %[v], #0x80000000\n\t"
                 "add pc, %[v], %[t]\n\t"
                 ".else\n\t"
                 "rsbs %[t], %[t], #0\n\t"
                 "add %[x], %[t], %[t], lsl #1\n\t"
                 "add %[t], %[x], %[t], lsl #3\n\t"
                 "add %[t], %[t], #704\n\t"
                 "adrl %[v], 1b\n\t"
                 "add pc, %[v], %[t]\n\t"
                 ".endif\n\t"
                 ".previous\n\t"
                 "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                 "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                 "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                 "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                 "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                 "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                 "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                 : [membrane] "+&r"(cursor.membrane), [psp] "+&r"(cursor.psp), [input] "+&r"(cursor.input),
                   [row] "+&r"(cursor.row), [spikes] "+&r"(spikes), [x] "=&r"(x), [v] "=&r"(v), [p] "=&r"(p),
                   [t] "=&r"(t), [c] "=&r"(c)
                 : [end] "r"(end), [f] "r"(factors.psp), [q] "r"(factors.offset), [size] "i"(sizeof *cursor.input),
                   [whole] "i"(Groups != 0), [one] "i"(Groups == 1), [down] "i"(Cursor::down)
                 : "cc", "memory");
    return spikes;
  }

  /// Shared constants, 16-bit psp and input. 15 cycles a pair (cycles/arm968/lif/shared/packed16/mean). Bound: eight
  /// loads and stores, one addition of both inputs, four multiplications, two signs: 15. Tried: both psps packed into
  /// one store (16: an AND and an addition for a store), one multiplication for the pair (its fraction spills into the
  /// lower half), the input added after the coupling, as in the 32-bit form (16: two additions).
  ///
  ///     ldr    x, [psp]
  ///     ldr    u, [input], #4
  ///     ldr    v, [membrane]
  ///     add    x, x, u
  ///     ldr    u, [membrane, #4]
  ///     smlawb t, f, x, q              the factor has 32 bits, the psps 16: both halves of a word for nothing
  ///     smlawb v, v, c, v
  ///     smlawt x, f, x, q
  ///     smlawb u, u, c, u
  ///     adds   v, v, t, lsl #7
  ///     strh   t, [psp], #2
  ///     str    v, [membrane], #4
  ///     adds   u, u, x, lsl #7
  ///     strh   x, [psp], #2
  ///     str    u, [membrane], #4
  template <int Groups, class Cursor, class Factors>
  [[gnu::always_inline]] static inline std::uint32_t*
  compact_lif_packed(Cursor cursor, std::int32_t* end, const Factors& factors, std::uint32_t* spikes) noexcept {
    std::int32_t even, odd, v, u;
    asm volatile(".syntax unified\n\t"
                 ".if %c[whole] == 0\n\t"
                 "sub %[t], %[end], %[membrane]\n\t"
                 "ands %[t], %[t], #56\n\t"
                 "bne 3f\n\t"
                 ".endif\n\t"
                 "1:\n\t"
                 "ldr %[x], [%[psp]]\n\t"
                 "ldr %[u], [%[input]], #4\n\t"
                 "ldr %[v], [%[membrane]]\n\t"
                 "add %[x], %[x], %[u]\n\t"
                 "ldr %[u], [%[membrane], #4]\n\t"
                 "smlawb %[t], %[f], %[x], %[q]\n\t"
                 "smlawb %[v], %[v], %[c], %[v]\n\t"
                 "smlawt %[x], %[f], %[x], %[q]\n\t"
                 "smlawb %[u], %[u], %[c], %[u]\n\t"
                 "adds %[v], %[v], %[t], lsl #7\n\t"
                 "strhmi %[t], [%[psp]], #2\n\t"
                 "strmi %[v], [%[membrane]], #4\n\t"
                 "addsmi %[u], %[u], %[x], lsl #7\n\t"
                 "strhmi %[x], [%[psp]], #2\n\t"
                 "strmi %[u], [%[membrane]], #4\n\t"
                 ".rept 7 + 8 * %c[whole]\n\t"
                 ".if %c[whole] && . - 1b == 480\n\t"
                 "bpl 2f\n\t"
                 ".endif\n\t"
                 "ldrmi %[x], [%[psp]]\n\t"
                 "ldrmi %[u], [%[input]], #4\n\t"
                 "ldrmi %[v], [%[membrane]]\n\t"
                 "addmi %[x], %[x], %[u]\n\t"
                 "ldrmi %[u], [%[membrane], #4]\n\t"
                 "smlawbmi %[t], %[f], %[x], %[q]\n\t"
                 "smlawbmi %[v], %[v], %[c], %[v]\n\t"
                 "smlawtmi %[x], %[f], %[x], %[q]\n\t"
                 "smlawbmi %[u], %[u], %[c], %[u]\n\t"
                 "addsmi %[v], %[v], %[t], lsl #7\n\t"
                 "strhmi %[t], [%[psp]], #2\n\t"
                 "strmi %[v], [%[membrane]], #4\n\t"
                 "addsmi %[u], %[u], %[x], lsl #7\n\t"
                 "strhmi %[x], [%[psp]], #2\n\t"
                 "strmi %[u], [%[membrane]], #4\n\t"
                 ".endr\n\t"
                 ".if %c[whole]\n\t"
                 "bpl 2f\n\t"
                 ".if !%c[one]\n\t"
                 "cmp %[membrane], %[end]\n\t"
                 "bne 1b\n\t"
                 ".endif\n\t"
                 ".else\n\t"
                 "cmpmi %[membrane], %[end]\n\t"
                 "bmi 1b\n\t"
                 "cmp %[membrane], %[end]\n\t"
                 "bne 2f\n\t"
                 ".endif\n\t"
                 "4:\n\t"
                 ".subsection 1\n\t"
                 "2:\n\t"
                 "sub %[v], %[end], %[membrane]\n\t"
                 "tst %[v], #4\n\t"
                 "bne 6f\n\t"
                 "strh %[t], [%[psp]], #2\n\t"
                 "str %[membrane], [%[spikes]], #4\n\t"
                 "mov %[v], %[down]\n\t"
                 "str %[v], [%[membrane]], #4\n\t"
                 "adds %[u], %[u], %[x], lsl #7\n\t"
                 "strhmi %[x], [%[psp]], #2\n\t"
                 "strmi %[u], [%[membrane]], #4\n\t"
                 "bmi 7f\n\t"
                 "6:\n\t"
                 "strh %[x], [%[psp]], #2\n\t"
                 "str %[membrane], [%[spikes]], #4\n\t"
                 "mov %[v], %[down]\n\t"
                 "str %[v], [%[membrane]], #4\n\t"
                 "7:\n\t"
                 "subs %[t], %[end], %[membrane]\n\t"
                 "beq 4b\n\t"
                 "ands %[t], %[t], #56 + 64 * %c[whole]\n\t"
                 "beq 1b\n\t"
                 "3:\n\t"
                 ".if %c[whole]\n\t"
                 "cmp %[t], #64\n\t"
                 "rsb %[t], %[t], #0\n\t"
                 "rsb %[t], %[t], %[t], lsl #4\n\t"
                 "add %[t], %[t], #1920\n\t"
                 "addls %[t], %[t], #8\n\t"
                 "adrl %[v], 1b\n\t"
                 "teq %[v], #0x80000000\n\t"
                 "add pc, %[v], %[t], asr #1\n\t"
                 ".else\n\t"
                 "rsbs %[t], %[t], #0\n\t"
                 "rsb %[t], %[t], %[t], lsl #4\n\t"
                 "add %[t], %[t], #960\n\t"
                 "adrl %[v], 1b\n\t"
                 "add pc, %[v], %[t], asr #1\n\t"
                 ".endif\n\t"
                 ".previous\n\t"
                 "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                 "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                 "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                 "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                 "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                 : [membrane] "+&r"(cursor.membrane), [psp] "+&r"(cursor.psp), [input] "+&r"(cursor.input),
                   [spikes] "+&r"(spikes), [x] "=&r"(odd), [v] "=&r"(v), [u] "=&r"(u), [t] "=&r"(even)
                 : [end] "r"(end), [c] "r"(factors.membrane), [f] "r"(factors.psp), [q] "r"(factors.offset),
                   [whole] "i"(Groups != 0), [one] "i"(Groups == 1), [down] "i"(Cursor::down)
                 : "cc", "memory");
    return spikes;
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
