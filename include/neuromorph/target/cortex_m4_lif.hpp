// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loops of CompactLif for ARMv7E-M.
// requires: -mthumb -mcpu=cortex-m4 (arm)
//
// A branch that is not taken costs one cycle and conditions cost an IT, so each neuron has its own test. Loads stand
// together, since only a load after a load overlaps. Groups of eight neurons; other counts enter in the middle.
#ifndef NEUROMORPH_TARGET_CORTEX_M4_LIF_HPP
#define NEUROMORPH_TARGET_CORTEX_M4_LIF_HPP

#if !defined(__ARM_FEATURE_SIMD32) || !__ARM_FEATURE_SIMD32 || !defined(__thumb2__)
#error "neuromorph/target/cortex_m4_lif.hpp needs the DSP extension: use -mcpu=cortex-m4 or target::Generic"
#endif

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Base of CortexM4: what it does better than CompactLif's own loops. See CompactLif for the meaning.
struct CortexM4Lif {
  /// Shared constants, 32-bit psp: 11 cycles a neuron, 4 more per group (cycles/cortex_m4/lif/shared): three loads 4,
  /// two products, two additions, the test, two stores.
  template <int Groups, class Cursor, class Factors>
  [[gnu::always_inline]] static inline std::uint32_t*
  compact_lif_shared(Cursor cursor, std::int32_t* end, const Factors& factors, std::uint32_t* spikes) noexcept {
    std::int32_t v, p, x, t;
    // The line breaks at the end stand for the repeated instructions: the compiler counts lines to place its constants.
    asm volatile(".syntax unified\n\t"
                 ".if %c[whole] == 0\n\t"
                 "sub.w %[t], %[end], %[membrane]\n\t"
                 "ands.w %[t], %[t], #28\n\t"
                 "bne.w 3f\n\t"
                 ".endif\n\t"
                 "1:\n\t"
                 ".rept 8\n\t"
                 "ldr.w %[v], [%[membrane]]\n\t"
                 "ldr.w %[p], [%[psp]]\n\t"
                 ".if %c[size] == 4\n\t"
                 "ldr.w %[x], [%[input]], #4\n\t"
                 ".else\n\t"
                 "ldrsh.w %[x], [%[input]], #2\n\t"
                 ".endif\n\t"
                 "smlawt %[t], %[p], %[f], %[q]\n\t"
                 "smlawb %[p], %[v], %[c], %[p]\n\t"
                 "add.w %[x], %[x], %[t], lsl #1\n\t"
                 "adds.w %[v], %[v], %[p]\n\t"
                 "bpl.w 2f\n\t"
                 "str.w %[x], [%[psp]], #4\n\t"
                 "str.w %[v], [%[membrane]], #4\n\t"
                 ".endr\n\t"
                 "cmp %[membrane], %[end]\n\t"
                 "bne.w 1b\n\t"
                 "4:\n\t"
                 ".subsection 1\n\t"
                 "2:\n\t"
                 "str.w %[x], [%[psp]], #4\n\t"
                 "str %[membrane], [%[spikes]], #4\n\t"
                 "mov %[t], %[down]\n\t"
                 "str %[t], [%[membrane]], #4\n\t"
                 "subs.w %[t], %[end], %[membrane]\n\t"
                 "beq.w 4b\n\t"
                 "ands.w %[t], %[t], #28\n\t"
                 "beq.w 1b\n\t"
                 "3:\n\t"
                 "mov.w %[v], #10\n\t"
                 "mul %[t], %[t], %[v]\n\t"
                 "rsb.w %[t], %[t], #320\n\t"
                 "adr.w %[v], 1b\n\t"
                 "add.w %[v], %[v], %[t]\n\t"
                 "mov pc, %[v]\n\t"
                 ".previous\n\t"
                 "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                 "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                 : [membrane] "+&r"(cursor.membrane), [psp] "+&r"(cursor.psp), [input] "+&r"(cursor.input),
                   [spikes] "+&r"(spikes), [x] "=&r"(x), [v] "=&r"(v), [p] "=&r"(p), [t] "=&r"(t)
                 : [end] "r"(end), [c] "r"(factors.membrane), [f] "r"(factors.psp), [q] "r"(factors.offset),
                   [size] "i"(sizeof *cursor.input), [whole] "i"(Groups != 0), [down] "i"(Cursor::down)
                 : "cc", "memory");
    return spikes;
  }

  /// Constants by neuron, 32-bit psp: 13 cycles a neuron, 4 more per group (cycles/cortex_m4/lif/per_neuron).
  template <int Groups, class Cursor, class Factors>
  [[gnu::always_inline]] static inline std::uint32_t*
  compact_lif_rows(Cursor cursor, std::int32_t* end, const Factors& factors, std::uint32_t* spikes) noexcept {
    std::int32_t v, p, x, t, c;
    asm volatile(".syntax unified\n\t"
                 ".if %c[whole] == 0\n\t"
                 "sub.w %[t], %[end], %[membrane]\n\t"
                 "ands.w %[t], %[t], #28\n\t"
                 "bne.w 3f\n\t"
                 ".endif\n\t"
                 "1:\n\t"
                 ".rept 8\n\t"
                 "ldr.w %[v], [%[membrane]]\n\t"
                 "ldr.w %[p], [%[psp]]\n\t"
                 ".if %c[size] == 4\n\t"
                 "ldr.w %[x], [%[input]], #4\n\t"
                 ".else\n\t"
                 "ldrsh.w %[x], [%[input]], #2\n\t"
                 ".endif\n\t"
                 "ldr.w %[c], [%[row]], #4\n\t"
                 "smlawt %[t], %[p], %[f], %[q]\n\t"
                 "smlawb %[p], %[v], %[c], %[p]\n\t"
                 "add.w %[v], %[v], %[c], asr #16\n\t"
                 "add.w %[x], %[x], %[t], lsl #1\n\t"
                 "adds.w %[v], %[v], %[p], asr #3\n\t"
                 "bpl.w 2f\n\t"
                 "str.w %[x], [%[psp]], #4\n\t"
                 "str.w %[v], [%[membrane]], #4\n\t"
                 ".endr\n\t"
                 "cmp %[membrane], %[end]\n\t"
                 "bne.w 1b\n\t"
                 "4:\n\t"
                 ".subsection 1\n\t"
                 "2:\n\t"
                 "str.w %[x], [%[psp]], #4\n\t"
                 "str %[membrane], [%[spikes]], #4\n\t"
                 "mov %[t], %[down]\n\t"
                 "str %[t], [%[membrane]], #4\n\t"
                 "subs.w %[t], %[end], %[membrane]\n\t"
                 "beq.w 4b\n\t"
                 "ands.w %[t], %[t], #28\n\t"
                 "beq.w 1b\n\t"
                 "3:\n\t"
                 "mov.w %[v], #12\n\t"
                 "mul %[t], %[t], %[v]\n\t"
                 "rsb.w %[t], %[t], #384\n\t"
                 "adr.w %[v], 1b\n\t"
                 "add.w %[v], %[v], %[t]\n\t"
                 "mov pc, %[v]\n\t"
                 ".previous\n\t"
                 "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                 "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                 : [membrane] "+&r"(cursor.membrane), [psp] "+&r"(cursor.psp), [input] "+&r"(cursor.input),
                   [row] "+&r"(cursor.row), [spikes] "+&r"(spikes), [x] "=&r"(x), [v] "=&r"(v), [p] "=&r"(p),
                   [t] "=&r"(t), [c] "=&r"(c)
                 : [end] "r"(end), [f] "r"(factors.psp), [q] "r"(factors.offset), [size] "i"(sizeof *cursor.input),
                   [whole] "i"(Groups != 0), [down] "i"(Cursor::down)
                 : "cc", "memory");
    return spikes;
  }

  /// Shared constants, 16-bit psp and input: 19 cycles a pair, 4 more per four pairs
  /// (cycles/cortex_m4/lif/shared/packed16). The second membrane is loaded before the first stores, which overlap with
  /// it.
  template <int Groups, class Cursor, class Factors>
  [[gnu::always_inline]] static inline std::uint32_t*
  compact_lif_packed(Cursor cursor, std::int32_t* end, const Factors& factors, std::uint32_t* spikes) noexcept {
    std::int32_t even, odd, v, u;
    asm volatile(".syntax unified\n\t"
                 ".if %c[whole] == 0\n\t"
                 "sub.w %[t], %[end], %[membrane]\n\t"
                 "ands.w %[t], %[t], #24\n\t"
                 "bne.w 3f\n\t"
                 ".endif\n\t"
                 "1:\n\t"
                 ".rept 4\n\t"
                 "ldr.w %[x], [%[psp]]\n\t"
                 "ldr.w %[u], [%[input]], #4\n\t"
                 "ldr.w %[v], [%[membrane]]\n\t"
                 "add.w %[x], %[x], %[u]\n\t"
                 "smlawb %[t], %[f], %[x], %[q]\n\t"
                 "smlawb %[v], %[v], %[c], %[v]\n\t"
                 "smlawt %[x], %[f], %[x], %[q]\n\t"
                 "adds.w %[v], %[v], %[t], lsl #7\n\t"
                 "bpl.w 2f\n\t"
                 "ldr.w %[u], [%[membrane], #4]\n\t"
                 "strh.w %[t], [%[psp]], #2\n\t"
                 "str.w %[v], [%[membrane]], #4\n\t"
                 "smlawb %[u], %[u], %[c], %[u]\n\t"
                 "adds.w %[u], %[u], %[x], lsl #7\n\t"
                 "bpl.w 6f\n\t"
                 "strh.w %[x], [%[psp]], #2\n\t"
                 "str.w %[u], [%[membrane]], #4\n\t"
                 ".endr\n\t"
                 "cmp %[membrane], %[end]\n\t"
                 "bne.w 1b\n\t"
                 "4:\n\t"
                 ".subsection 1\n\t"
                 "2:\n\t"
                 "strh.w %[t], [%[psp]], #2\n\t"
                 "str.w %[membrane], [%[spikes]], #4\n\t"
                 "mov.w %[v], %[down]\n\t"
                 "str.w %[v], [%[membrane]], #4\n\t"
                 "ldr.w %[u], [%[membrane]]\n\t"
                 "smlawb %[u], %[u], %[c], %[u]\n\t"
                 "adds.w %[u], %[u], %[x], lsl #7\n\t"
                 "bpl.w 6f\n\t"
                 "strh.w %[x], [%[psp]], #2\n\t"
                 "str.w %[u], [%[membrane]], #4\n\t"
                 "b.w 7f\n\t"
                 "6:\n\t"
                 "strh.w %[x], [%[psp]], #2\n\t"
                 "str.w %[membrane], [%[spikes]], #4\n\t"
                 "mov.w %[v], %[down]\n\t"
                 "str.w %[v], [%[membrane]], #4\n\t"
                 "7:\n\t"
                 "subs.w %[t], %[end], %[membrane]\n\t"
                 "beq.w 4b\n\t"
                 "ands.w %[t], %[t], #24\n\t"
                 "beq.w 1b\n\t"
                 "3:\n\t"
                 "lsr.w %[t], %[t], #1\n\t"
                 "mov.w %[v], #17\n\t"
                 "mul %[t], %[t], %[v]\n\t"
                 "rsb.w %[t], %[t], #272\n\t"
                 "adr.w %[v], 1b\n\t"
                 "add.w %[v], %[v], %[t]\n\t"
                 "mov pc, %[v]\n\t"
                 ".previous\n\t"
                 "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                 "\n\n\n"
                 : [membrane] "+&r"(cursor.membrane), [psp] "+&r"(cursor.psp), [input] "+&r"(cursor.input),
                   [spikes] "+&r"(spikes), [x] "=&r"(odd), [v] "=&r"(v), [u] "=&r"(u), [t] "=&r"(even)
                 : [end] "r"(end), [c] "r"(factors.membrane), [f] "r"(factors.psp), [q] "r"(factors.offset),
                   [whole] "i"(Groups != 0), [down] "i"(Cursor::down)
                 : "cc", "memory");
    return spikes;
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
