// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loop of CompactLif for ARMv5TE in ARM state.
// requires: -marm -mcpu=arm968e-s (arm)
//
// It works in groups of 16 neurons without a branch. Every instruction after the first neuron's addition is executed
// only while the membranes that came before are negative (MI); at the first that is not, the rest of the group does
// nothing, one cycle each, and pointers and registers stay as that neuron left them. The spike is stored behind the
// loop, and a computed jump enters the group behind that neuron; so do counts that are no multiple of 16.
//
// Cycles per neuron, and what bounds them, since the core issues one instruction and moves one word per cycle:
//
//   shared     9    three loads, two stores, two products, the sum with the input, the sum that makes the sign
//   by neuron 11    besides a load (decay and drift share a word; two words would take 14) and a sum
//   two       15    five loads, three stores, three products, a sum for each input, the difference, the sum
//   packed     7.5  a pair: eight loads and stores, one sum with both inputs, four products, two signs
//
// and one more for each store where input is cleared. Above it for 32 neurons, called with constants of the step ready
// (cycles/arm968/lif/shared/mean): two tests of the sign, the queue's head 3, addresses and constants 8, BL and BX 6,
// whether one fired 4; and 210 for each spike, 7 at 10 Hz: 67 for the rest of its group, 25 for the jump, 110 for the
// way into the queue and out of it. A function that saves registers as the procedure call standard wants takes 29 more
// (key .../function): BL 3, eight pushed 8, popped 12, arguments. Such a function written by hand around the nine
// registers that the loop needs would take 327, 10.2 for a neuron (counted): arguments 4, BL 3, push 6, constants 2,
// addresses 2, the queue's head 3, the loop 290, pop 10, spikes 7. Hence the call that saves nothing.
//
// Two time constants take all 14 registers, so that spikes and the end of the population lie on the stack (8 cycles a
// call). Constants by neuron would need two more. With 16-bit psps, both of a neuron in one word, a neuron would take
// 14 (counted: four loads, three stores, three products, two sums for the input and two to couple): not enough for a
// psp with a tenth of the accuracy that can wrap.
//
// Tried: the loop inlined in the caller (9.89, at 1.2 KB for each use; 10.86 in a function); the refractory countdown
// in the membrane word with one test per four neurons in registers (9.25, and 20 cycles at every refractory step,
// so 10.4 inlined and 11 called); signs gathered with AND (a cycle each); QADD and its sticky flag in place of the
// conditions (reading the flag takes 3, and a search must find who fired); groups of 16 with the end test in the
// condition (4 more per 32). Packed: both psps in one store (16 for a pair: an AND and an addition for a store), one
// multiplication for the pair (its fraction spills into the lower half), the input added after the coupling as in the
// 32-bit form (16: two additions).
#ifndef NEUROMORPH_TARGET_ARM_ARMV5TE_LIF_HPP
#define NEUROMORPH_TARGET_ARM_ARMV5TE_LIF_HPP

#if !defined(__ARM_FEATURE_DSP) || !__ARM_FEATURE_DSP || defined(__thumb__)
#error "neuromorph/target/arm/armv5te_lif.hpp needs ARM state with DSP: use -marm -mcpu=arm968e-s or target::Generic"
#endif

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Base of Armv5te: what it does better than CompactLif's own loops. See CompactLif for the meaning.
struct Armv5teLif {
  using Offers = offer::List<offer::CompactLif>;
  /// Steps the neurons from `cursor` to `end`; lists the addresses of the membranes of those that fired. The loop is a
  /// function that saves nothing: the compiler is told what it changes.
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
      register auto* r7 asm("r7") = inhibition;
      register auto* r8 asm("r8") = inhibiting;
      register std::int32_t r9 asm("r9") = factors.inhibition;
      register std::int32_t r12 asm("r12") = factors.inhibition_offset;
      asm volatile("bl %c[loop]"
                   : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3), "+r"(r7), "+r"(r8)
                   : [loop] "i"(&compact_lif_loop<Loop>), "r"(r4), "r"(r5), "r"(r6), "r"(r9), "r"(r12)
                   : "r10", "lr", "cc", "memory");
    } else if constexpr (!Loop::packed && !Loop::by_neuron) {
      asm volatile("bl %c[loop]"
                   : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)
                   : [loop] "i"(&compact_lif_loop<Loop>), "r"(r4), "r"(r5), "r"(r6)
                   : "r8", "r9", "r10", "r12", "lr", "cc", "memory");
    } else {
      register std::int32_t r7 asm("r7") = third;
      asm volatile("bl %c[loop]"
                   : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)
                   : [loop] "i"(&compact_lif_loop<Loop>), "r"(r4), "r"(r5), "r"(r6), "r"(r7)
                   : "r8", "r9", "r10", "r12", "lr", "cc", "memory");
    }
    return r0;
  }

private:
  /// Twice the instructions of a neuron.
  template <class Loop>
  static constexpr int twice = Loop::packed ? 15 + Loop::clear
                               : Loop::two  ? 30 + 4 * Loop::clear
                                            : 18 + 4 * Loop::by_neuron + 2 * Loop::clear;

  /// r0 spikes, r1 membrane, r2 psp, r3 input, r4 factors, r5 offset, r6 end, r7 packed: the membrane's factor, by
  /// neuron: from a membrane to its row. Where input is cleared lr is zero. With two time constants r7 is the
  /// inhibitory psp, r8 its input, r9 its factor, r12 its offset; r0, r6 and r11 are saved.
  ///
  /// In the loop each result is used at the earliest one instruction later, two after LDRSH; a product as accumulator
  /// or stored at once.
  template <class Loop>
  [[gnu::naked, gnu::noinline]] static void compact_lif_loop() noexcept {
    asm volatile(
        ".syntax unified\n\t"
        ".macro neuromorph_neuron when\n\t" // one neuron, or a packed pair
        ".if %c[packed]\n\t"
        "ldr\\when r10, [r2]\n\t"
        ".if %c[clear]\n\t"
        "ldr\\when r9, [r3]\n\t"
        ".else\n\t"
        "ldr\\when r9, [r3], #4\n\t"
        ".endif\n\t"
        "ldr\\when r8, [r1]\n\t"
        "add\\when r10, r10, r9\n\t"
        "ldr\\when r9, [r1, #4]\n\t"
        ".if %c[clear]\n\t"
        "str\\when lr, [r3], #4\n\t"
        ".endif\n\t"
        "smlawb\\when r12, r4, r10, r5\n\t"
        "smlawb\\when r8, r8, r7, r8\n\t"
        "smlawt\\when r10, r4, r10, r5\n\t"
        "smlawb\\when r9, r9, r7, r9\n\t"
        "adds\\when r8, r8, r12, lsl #7\n\t"
        "strhmi r12, [r2], #2\n\t"
        "strmi r8, [r1], #4\n\t"
        "addsmi r9, r9, r10, lsl #7\n\t"
        "strhmi r10, [r2], #2\n\t"
        "strmi r9, [r1], #4\n\t"
        ".elseif %c[two]\n\t"
        "ldr\\when r6, [r2]\n\t"
        "neuromorph_load_input \\when, r10, r3\n\t"
        "ldr\\when r0, [r1]\n\t"
        "smlawt\\when r11, r6, r4, r5\n\t"
        ".if %c[shift]\n\t"
        "smlawb\\when r0, r0, r4, r0\n\t"
        "qdadd\\when r10, r10, r11\n\t"
        "str\\when r10, [r2], #4\n\t"
        "ldr\\when r10, [r7]\n\t"
        "neuromorph_load_input \\when, r11, r8\n\t"
        "add\\when r0, r0, r6, asr %[shift]\n\t"
        "smlawt\\when r6, r10, r9, r12\n\t"
        "subs\\when r0, r0, r10, asr %[shift]\n\t"
        "qdaddmi r11, r11, r6\n\t"
        ".else\n\t"
        "smlawb\\when r6, r0, r4, r6\n\t"
        "add\\when r10, r10, r11, lsl #1\n\t"
        "str\\when r10, [r2], #4\n\t"
        "ldr\\when r10, [r7]\n\t"
        "neuromorph_load_input \\when, r11, r8\n\t"
        "sub\\when r6, r6, r10\n\t"
        "smlawt\\when r10, r10, r9, r12\n\t"
        "adds\\when r0, r0, r6\n\t"
        "addmi r11, r11, r10, lsl #1\n\t"
        ".endif\n\t"
        "strmi r11, [r7], #4\n\t"
        "strmi r0, [r1], #4\n\t"
        ".else\n\t"
        "ldr\\when r8, [r1]\n\t"
        "ldr\\when r9, [r2]\n\t"
        ".if %c[own]\n\t"
        "ldr\\when r10, [r1, r7]\n\t"
        "smlawt\\when r12, r9, r4, r5\n\t"
        "smlawb\\when r9, r8, r10, r9\n\t"
        "add\\when r8, r8, r10, asr #16\n\t"
        "neuromorph_load_input \\when, r10, r3\n\t"
        "adds\\when r8, r8, r9, asr #3\n\t"
        "strmi r8, [r1], #4\n\t"
        "addmi r10, r10, r12, lsl #1\n\t"
        "strmi r10, [r2], #4\n\t"
        ".else\n\t"
        "neuromorph_load_input \\when, r10, r3\n\t"
        "smlawt\\when r12, r9, r4, r5\n\t"
        ".if %c[shift]\n\t"
        "smlawb\\when r8, r8, r4, r8\n\t"
        "qdadd\\when r10, r10, r12\n\t"
        "adds\\when r8, r8, r9, asr %[shift]\n\t"
        ".else\n\t"
        "smlawb\\when r9, r8, r4, r9\n\t"
        "add\\when r10, r10, r12, lsl #1\n\t"
        "adds\\when r8, r8, r9\n\t"
        ".endif\n\t"
        "strmi r10, [r2], #4\n\t"
        "strmi r8, [r1], #4\n\t"
        ".endif\n\t"
        ".endif\n\t"
        ".endm\n\t"
        ".macro neuromorph_load_input when, to, from\n\t"
        ".if %c[size] == 4\n\t"
        ".if %c[clear]\n\t"
        "ldr\\when \\to, [\\from]\n\t"
        ".if %c[shift] && !%c[two]\n\t"
        "str\\when r7, [\\from], #4\n\t"
        ".else\n\t"
        "str\\when lr, [\\from], #4\n\t"
        ".endif\n\t"
        ".else\n\t"
        "ldr\\when \\to, [\\from], #4\n\t"
        ".endif\n\t"
        ".elseif %c[clear]\n\t"
        "ldrsh\\when \\to, [\\from]\n\t"
        ".if %c[shift] && !%c[two]\n\t"
        "strh\\when r7, [\\from], #2\n\t"
        ".else\n\t"
        "strh\\when lr, [\\from], #2\n\t"
        ".endif\n\t"
        ".else\n\t"
        "ldrsh\\when \\to, [\\from], #2\n\t"
        ".endif\n\t"
        ".endm\n\t"

        ".macro neuromorph_rest\n\t" // bytes of membranes to the end
        ".if %c[two]\n\t"
        "ldr r10, [sp, #4]\n\t"
        "subs r10, r10, r1\n\t"
        ".else\n\t"
        "subs r10, r6, r1\n\t"
        ".endif\n\t"
        ".endm\n\t"

        ".if %c[two]\n\t"
        "push {r0, r6, r11, lr}\n\t"
        "mov lr, #0\n\t"
        ".elseif %c[clear] && %c[shift]\n\t"
        "mov r7, #0\n\t"
        ".elseif %c[clear]\n\t"
        "push {lr}\n\t"
        "mov lr, #0\n\t"
        ".endif\n\t"
        ".if %c[whole] == 0\n\t"
        "neuromorph_rest\n\t"
        "ands r10, r10, #60\n\t"
        "bne 3f\n\t"
        ".endif\n\t"
        "1:\n\t"
        "neuromorph_neuron\n\t"
        ".rept 16 / (1 + %c[packed]) - 1\n\t"
        "neuromorph_neuron mi\n\t"
        ".endr\n\t"
        ".if %c[whole]\n\t"
        "bpl 2f\n\t"
        ".rept 16 / (1 + %c[packed])\n\t"
        "neuromorph_neuron mi\n\t"
        ".endr\n\t"
        ".endif\n\t"
        "5:\n\t"
        ".if %c[whole]\n\t"
        "bpl 2f\n\t"
        ".if !%c[one]\n\t"
        "neuromorph_rest\n\t"
        "bne 1b\n\t"
        ".endif\n\t"
        ".elseif %c[two]\n\t"
        "ldr r0, [sp, #4]\n\t"
        "cmpmi r1, r0\n\t"
        "bmi 1b\n\t"
        "cmp r1, r0\n\t"
        "bne 2f\n\t"
        ".else\n\t"
        "cmpmi r1, r6\n\t"
        "bmi 1b\n\t"
        "cmp r1, r6\n\t"
        "bne 2f\n\t"
        ".endif\n\t"
        "4:\n\t"
        ".if %c[shift]\n\t"
        "mrs r10, cpsr\n\t"
        ".endif\n\t"
        ".if %c[two]\n\t"
        "pop {r0, r6, r11, pc}\n\t"
        ".elseif %c[clear] && !%c[shift]\n\t"
        "pop {pc}\n\t"
        ".else\n\t"
        "bx lr\n\t"
        ".endif\n\t"

        "2:\n\t" // the neuron at r1 fired
        ".if %c[packed]\n\t"
        "sub r8, r6, r1\n\t"
        "tst r8, #4\n\t"
        "bne 6f\n\t"
        "strh r12, [r2], #2\n\t"
        "str r1, [r0], #4\n\t"
        "mov r8, %[down]\n\t"
        "str r8, [r1], #4\n\t"
        "adds r9, r9, r10, lsl #7\n\t"
        "strhmi r10, [r2], #2\n\t"
        "strmi r9, [r1], #4\n\t"
        "bmi 7f\n\t"
        "6:\n\t"
        "strh r10, [r2], #2\n\t"
        ".elseif !%c[two]\n\t"
        ".if %c[own]\n\t"
        "add r10, r10, r12, lsl #1\n\t"
        ".endif\n\t"
        "str r10, [r2], #4\n\t"
        ".endif\n\t"
        ".if %c[two]\n\t"
        ".if %c[shift]\n\t"
        "qdadd r11, r11, r6\n\t"
        ".else\n\t"
        "add r11, r11, r10, lsl #1\n\t"
        ".endif\n\t"
        "str r11, [r7], #4\n\t"
        "ldr r10, [sp]\n\t"
        "str r1, [r10], #4\n\t"
        "str r10, [sp]\n\t"
        ".else\n\t"
        "str r1, [r0], #4\n\t"
        ".endif\n\t"
        "mov r10, %[down]\n\t"
        "str r10, [r1], #4\n\t"
        "7:\n\t"
        "neuromorph_rest\n\t"
        "beq 4b\n\t"
        "ands r10, r10, #60 + 64 * %c[whole]\n\t"
        "beq 1b\n\t"
        "3:\n\t" // on to the neuron that stands r10 bytes of membranes before the end of a group, with MI
        ".if %c[two]\n\t"
        "spare .req r11\n\t"
        ".else\n\t"
        "spare .req r12\n\t"
        ".endif\n\t"
        "mov spare, %[twice]\n\t"
        "mul spare, r10, spare\n\t"
        ".if %c[whole]\n\t"
        "cmp r10, #64\n\t"
        "addhi spare, spare, #8\n\t"
        ".endif\n\t"
        "teq r10, #0x80000000\n\t"
        "add spare, spare, #2 * (. - 5b) + 24\n\t"
        "sub pc, pc, spare, lsr #1\n\t"
        ".unreq spare\n\t"
        ".purgem neuromorph_rest\n\t"
        ".purgem neuromorph_neuron\n\t"
        ".purgem neuromorph_load_input"
        :
        : [packed] "i"(Loop::packed), [two] "i"(Loop::two), [own] "i"(Loop::by_neuron), [size] "i"(Loop::input_size),
          [clear] "i"(Loop::clear), [whole] "i"(Loop::groups != 0), [one] "i"(Loop::groups == 1),
          [down] "i"(Loop::down), [twice] "i"(twice<Loop>), [shift] "i"(Loop::shift));
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
