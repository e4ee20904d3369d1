// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loop of CompactLif for ARMv7E-M.
// requires: -mthumb -mcpu=cortex-m4 (arm)
//
// A branch that is not taken costs one cycle and conditions cost an IT, so each neuron has its own test. Loads stand
// together, since only a load after a load overlaps. Groups of 16 neurons; other counts enter in the middle.
#ifndef NEUROMORPH_TARGET_ARM_CORTEX_M4_LIF_HPP
#define NEUROMORPH_TARGET_ARM_CORTEX_M4_LIF_HPP

#if !defined(__ARM_FEATURE_SIMD32) || !__ARM_FEATURE_SIMD32 || !defined(__thumb2__)
#error "neuromorph/target/arm/cortex_m4_lif.hpp needs the DSP extension: use -mcpu=cortex-m4 or target::Generic"
#endif

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Base of CortexM4: what it does better than CompactLif's own loops. See CompactLif for the meaning.
struct CortexM4Lif {
  using Offers = offer::List<offer::CompactLif>;
  /// Steps the neurons from `cursor` to `end`; lists the addresses of the membranes of those that fired. The loop is a
  /// function that saves nothing: the compiler is told what it changes.
  ///
  /// Cycles per neuron, 4 more per 16: shared constants 11 (three loads 4, two products, two additions, the test, two
  /// stores), by neuron 13, two time constants 18, a packed pair 19; one more where input is cleared
  /// (cycles/cortex_m4/lif).
  ///
  /// \tparam Loop  which loop, see CompactLif
  template <class Loop, class Cursor, class Factors>
  [[gnu::always_inline]] static inline std::uint32_t*
  compact_lif(const Cursor& cursor, std::int32_t* end, const Factors& factors, std::uint32_t* spikes) noexcept {
    [[maybe_unused]] const std::int32_t third = Loop::third(cursor, factors);
    auto* const psp = cursor.psp.front();
    auto* const input = cursor.input.front();
    [[maybe_unused]] auto* const inhibition = cursor.psp.back();
    [[maybe_unused]] auto* const inhibiting = cursor.input.back();
    // no call from here to the loop, not even where nothing is inlined: it would change these registers
    register std::uint32_t* r0 asm("r0") = spikes;
    register std::int32_t* r1 asm("r1") = cursor.membrane;
    register auto* r2 asm("r2") = psp;
    register auto* r3 asm("r3") = input;
    register std::int32_t r4 asm("r4") = factors.psp;
    register std::int32_t r5 asm("r5") = factors.offset;
    register std::int32_t* r6 asm("r6") = end;
    if constexpr (Loop::two) {
      register auto* r8 asm("r8") = inhibition;
      register auto* r9 asm("r9") = inhibiting;
      register std::int32_t r10 asm("r10") = factors.inhibition;
      register std::int32_t r12 asm("r12") = factors.inhibition_offset;
      asm volatile("bl %c[loop]"
                   : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3), "+r"(r8), "+r"(r9)
                   : [loop] "i"(&compact_lif_loop<Loop>), "r"(r4), "r"(r5), "r"(r6), "r"(r10), "r"(r12)
                   : "r11", "lr", "cc", "memory");
    } else if constexpr (!Loop::packed && !Loop::by_neuron) {
      asm volatile("bl %c[loop]"
                   : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)
                   : [loop] "i"(&compact_lif_loop<Loop>), "r"(r4), "r"(r5), "r"(r6)
                   : "r9", "r10", "r11", "r12", "lr", "cc", "memory");
    } else {
      register std::int32_t r8 asm("r8") = third;
      asm volatile("bl %c[loop]"
                   : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)
                   : [loop] "i"(&compact_lif_loop<Loop>), "r"(r4), "r"(r5), "r"(r6), "r"(r8)
                   : "r9", "r10", "r11", "r12", "lr", "cc", "memory");
    }
    return r0;
  }

private:
  /// Twice the instructions of a neuron.
  template <class Loop>
  static constexpr int twice = Loop::packed ? 17 + Loop::clear
                               : Loop::two  ? 32 + 4 * Loop::clear
                                            : 20 + 4 * Loop::by_neuron + 2 * Loop::clear;

  /// r0 spikes, r1 membrane, r2 psp, r3 input, r4 factors, r5 offset, r6 end, r8 packed: the membrane's factor, by
  /// neuron: from a membrane to its row. Where input is cleared lr is zero. With two time constants r8 is the
  /// inhibitory psp, r9 its input, r10 its factor, r12 its offset; r0, r6 and r7 are saved.
  template <class Loop>
  [[gnu::naked, gnu::noinline]] static void compact_lif_loop() noexcept {
    asm volatile(".syntax unified\n\t"
                 ".balign 4\n\t" // or the address at the end would be wrong by two where functions are not
                 ".macro neuromorph_load_input to, from\n\t"
                 ".if %c[size] == 4 && %c[clear]\n\t"
                 "ldr.w \\to, [\\from]\n\t"
                 "str.w lr, [\\from], #4\n\t"
                 ".elseif %c[size] == 4\n\t"
                 "ldr.w \\to, [\\from], #4\n\t"
                 ".elseif %c[clear]\n\t"
                 "ldrsh.w \\to, [\\from]\n\t"
                 "strh.w lr, [\\from], #2\n\t"
                 ".else\n\t"
                 "ldrsh.w \\to, [\\from], #2\n\t"
                 ".endif\n\t"
                 ".endm\n\t"
                 ".macro neuromorph_rest\n\t" // bytes of membranes to the end
                 ".if %c[two]\n\t"
                 "ldr.w r11, [sp, #4]\n\t"
                 "subs.w r11, r11, r1\n\t"
                 ".else\n\t"
                 "subs.w r11, r6, r1\n\t"
                 ".endif\n\t"
                 ".endm\n\t"

                 ".if %c[two]\n\t"
                 "push {r0, r6, r7, lr}\n\t"
                 "mov.w lr, #0\n\t"
                 ".elseif %c[save]\n\t"
                 "push {r7, lr}\n\t"
                 "mov.w lr, #0\n\t"
                 ".endif\n\t"
                 ".if %c[whole] == 0\n\t"
                 "neuromorph_rest\n\t"
                 "ands.w r11, r11, #60\n\t"
                 "bne.w 3f\n\t"
                 ".endif\n\t"
                 "1:\n\t"
                 ".rept 16 / (1 + %c[packed])\n\t"
                 ".if %c[packed]\n\t"
                 "ldr.w r11, [r2]\n\t"
                 ".if %c[clear]\n\t"
                 "ldr.w r10, [r3]\n\t"
                 "ldr.w r9, [r1]\n\t"
                 "str.w lr, [r3], #4\n\t"
                 ".else\n\t"
                 "ldr.w r10, [r3], #4\n\t"
                 "ldr.w r9, [r1]\n\t"
                 ".endif\n\t"
                 "add.w r11, r11, r10\n\t"
                 "smlawb r12, r4, r11, r5\n\t"
                 "smlawb r9, r9, r8, r9\n\t"
                 "smlawt r11, r4, r11, r5\n\t"
                 "adds.w r9, r9, r12, lsl #7\n\t"
                 "bpl.w 2f\n\t"
                 "ldr.w r10, [r1, #4]\n\t" // overlaps with the stores
                 "strh.w r12, [r2], #2\n\t"
                 "str.w r9, [r1], #4\n\t"
                 "smlawb r10, r10, r8, r10\n\t"
                 "adds.w r10, r10, r11, lsl #7\n\t"
                 "bpl.w 6f\n\t"
                 "strh.w r11, [r2], #2\n\t"
                 "str.w r10, [r1], #4\n\t"
                 ".elseif %c[two]\n\t"
                 "ldr.w r6, [r2]\n\t"
                 "ldr.w r0, [r1]\n\t"
                 "neuromorph_load_input r11, r3\n\t"
                 "smlawt r7, r6, r4, r5\n\t"
                 "smlawb r6, r0, r4, r6\n\t"
                 "add.w r11, r11, r7, lsl #1\n\t"
                 "str.w r11, [r2], #4\n\t"
                 "ldr.w r11, [r8]\n\t"
                 "neuromorph_load_input r7, r9\n\t"
                 "sub.w r6, r6, r11\n\t"
                 "smlawt r11, r11, r10, r12\n\t"
                 "add.w r7, r7, r11, lsl #1\n\t"
                 "str.w r7, [r8], #4\n\t"
                 "adds.w r0, r0, r6\n\t"
                 "bpl.w 2f\n\t"
                 "str.w r0, [r1], #4\n\t"
                 ".else\n\t"
                 "ldr.w r9, [r1]\n\t"
                 "ldr.w r10, [r2]\n\t"
                 ".if %c[own]\n\t"
                 "ldr.w r7, [r1, r8]\n\t"
                 ".endif\n\t"
                 "neuromorph_load_input r11, r3\n\t"
                 "smlawt r12, r10, r4, r5\n\t"
                 ".if %c[own]\n\t"
                 "smlawb r10, r9, r7, r10\n\t"
                 "add.w r9, r9, r7, asr #16\n\t"
                 "add.w r11, r11, r12, lsl #1\n\t"
                 "adds.w r9, r9, r10, asr #3\n\t"
                 ".else\n\t"
                 "smlawb r10, r9, r4, r10\n\t"
                 "add.w r11, r11, r12, lsl #1\n\t"
                 "adds.w r9, r9, r10\n\t"
                 ".endif\n\t"
                 "bpl.w 2f\n\t"
                 "str.w r11, [r2], #4\n\t"
                 "str.w r9, [r1], #4\n\t"
                 ".endif\n\t"
                 ".endr\n\t"
                 "5:\n\t"
                 "neuromorph_rest\n\t"
                 "bne.w 1b\n\t"
                 "4:\n\t"
                 ".if %c[two]\n\t"
                 "pop {r0, r6, r7, pc}\n\t"
                 ".elseif %c[save]\n\t"
                 "pop {r7, pc}\n\t"
                 ".else\n\t"
                 "bx lr\n\t"
                 ".endif\n\t"

                 "2:\n\t" // the neuron at r1 fired
                 ".if %c[packed]\n\t"
                 "strh.w r12, [r2], #2\n\t"
                 "str r1, [r0], #4\n\t"
                 "mov.w r9, %[down]\n\t"
                 "str.w r9, [r1], #4\n\t"
                 "ldr.w r10, [r1]\n\t"
                 "smlawb r10, r10, r8, r10\n\t"
                 "adds.w r10, r10, r11, lsl #7\n\t"
                 "bpl.w 6f\n\t"
                 "strh.w r11, [r2], #2\n\t"
                 "str.w r10, [r1], #4\n\t"
                 "b.w 7f\n\t"
                 "6:\n\t"
                 "strh.w r11, [r2], #2\n\t"
                 ".elseif !%c[two]\n\t"
                 "str.w r11, [r2], #4\n\t"
                 ".endif\n\t"
                 ".if %c[two]\n\t"
                 "ldr.w r11, [sp]\n\t"
                 "str r1, [r11], #4\n\t"
                 "str.w r11, [sp]\n\t"
                 ".else\n\t"
                 "str r1, [r0], #4\n\t"
                 ".endif\n\t"
                 "mov.w r11, %[down]\n\t"
                 "str.w r11, [r1], #4\n\t"
                 "7:\n\t"
                 "neuromorph_rest\n\t"
                 "beq.w 4b\n\t"
                 "ands.w r11, r11, #60\n\t"
                 "beq.w 1b\n\t"
                 "3:\n\t" // on to the neuron that stands r11 bytes of membranes before the end of a group
                 ".if %c[two]\n\t"
                 "spare .req r7\n\t"
                 ".else\n\t"
                 "spare .req r12\n\t"
                 ".endif\n\t"
                 "mov.w spare, %[twice]\n\t"
                 "mul r11, r11, spare\n\t"
                 "adr.w spare, 5b\n\t"
                 "sub.w spare, spare, r11, lsr #1\n\t"
                 "mov pc, spare\n\t"
                 ".unreq spare\n\t"
                 ".purgem neuromorph_rest\n\t"
                 ".purgem neuromorph_load_input"
                 :
                 : [packed] "i"(Loop::packed), [two] "i"(Loop::two), [own] "i"(Loop::by_neuron),
                   [size] "i"(Loop::input_size), [clear] "i"(Loop::clear), [save] "i"(Loop::clear || Loop::by_neuron),
                   [whole] "i"(Loop::groups != 0), [down] "i"(Loop::down), [twice] "i"(twice<Loop>));
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
