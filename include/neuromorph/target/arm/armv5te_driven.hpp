// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loops of LIF neurons whose psps carry the constant drive, for ARMv5TE in ARM state.
// requires: -marm -mcpu=arm968e-s (arm)
//
// A group of neurons has no branch but one for every 16. Every instruction after the first neuron's sum is executed only
// while the membranes that came before are negative (MI). At the first that is not, the rest of the 16 does nothing, one
// cycle each, and pointers and registers stay as that neuron left them. The spike is stored behind the loop, and a
// computed jump enters the group behind that neuron. Counts that are no multiple of a group enter it in the middle.
//
// Cycles per neuron, and what bounds them, since the core issues one instruction and moves one word per cycle:
//
//   one time constant   10    three loads, three stores, two products, QDADD, the sum that makes the sign
//   two                 17    five loads, five stores, three products, two QDADDs, two sums
//
// One time constant, above it (benchmark neuron/compact_lif1): the branches 7 for 64 neurons. The call, constants of the step,
// the queue's head, and whether one fired or was held 51; and for each spike 75 for the rest of its 16, 19 for the jump,
// 85 for the way into the queue and out of it. A group of 64 takes 2.6 KB. The product of the psp stands behind the sum,
// in the psp's own register: a spike takes two cycles more, and factors come as they are, one to a register.
//
// Two time constants take all 14 registers, so that spikes and the end of the population lie on the stack (8 cycles a
// call).
#ifndef NEUROMORPH_TARGET_ARM_ARMV5TE_DRIVEN_HPP
#define NEUROMORPH_TARGET_ARM_ARMV5TE_DRIVEN_HPP

#if !defined(__ARM_FEATURE_DSP) || !__ARM_FEATURE_DSP || defined(__thumb__)
#error "neuromorph/target/arm/armv5te_driven.hpp needs ARM state with DSP: use -marm -mcpu=arm968e-s or target::Generic"
#endif

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Base of Armv5te: what it does better than the compiler's loop of these neurons. See synapse::Driven for the meaning.
struct Armv5teDriven {
  using Offers = offer::List<offer::DrivenLif>;
  /// Steps `count` neurons, 1 or more; lists the addresses of the membranes of those that fired. The loop is a function
  /// that saves nothing: the compiler is told what it changes. Counts that the compiler knows enter it by a known place.
  ///
  /// \tparam Loop  which loop, see detail::DrivenLoops
  /// \param status  the one of the machine, whose bit 27 says that a psp was held, or that something else was since
  ///                somebody cleared it
  template <class Loop, class Cursor, class Factors>
  [[gnu::always_inline]] static inline std::uint32_t* driven_lif(const Cursor& cursor, std::size_t count,
                                                                 const Factors& factors, std::uint32_t* spikes,
                                                                 std::uint32_t& status) noexcept {
    if constexpr (Loop::two) {
      if (__builtin_constant_p(count) && count == 32)
        return two<Loop, 1>(cursor, count, factors, spikes, status);
      else if (__builtin_constant_p(count) && count % 32 == 0)
        return two<Loop, 2>(cursor, count, factors, spikes, status);
      else
        return two<Loop, 0>(cursor, count, factors, spikes, status);
    } else {
      if (__builtin_constant_p(count) && count <= 32 && count % 32 != 0)
        return one<Loop, 32, true, Entry::known>(cursor, count, factors, spikes, status);
      else if (__builtin_constant_p(count) && count == 32)
        return one<Loop, 32, true, Entry::first>(cursor, count, factors, spikes, status);
      else if (__builtin_constant_p(count) && count % 64 != 0)
        return one<Loop, 64, false, Entry::known>(cursor, count, factors, spikes, status);
      else if (__builtin_constant_p(count) && count % 64 == 0)
        return one<Loop, 64, false, Entry::first>(cursor, count, factors, spikes, status);
      else
        return one<Loop, 32, false, Entry::computed>(cursor, count, factors, spikes, status);
    }
  }
  static void forget_what_was_held() noexcept { asm volatile("msr cpsr_f, #0" ::: "cc"); }

private:
  /// Where a loop begins: at its first neuron, at another that the compiler knows, or at one that it computes.
  enum class Entry { first, known, computed };

  template <class Loop, std::size_t group, bool is_single, Entry entry, class Cursor, class Factors>
  [[gnu::always_inline]] static inline std::uint32_t* one(const Cursor& cursor, std::size_t count,
                                                          const Factors& factors, std::uint32_t* spikes,
                                                          std::uint32_t& status) noexcept {
    auto* const psp = cursor.psp.front();
    auto* const input = cursor.input.front();
    // no call from here to the loop, not even where nothing is inlined: it would change these registers
    register std::int32_t* r6 asm("r6") = cursor.membrane + count;
    register std::uint32_t* r0 asm("r0") = spikes;
    register std::int32_t* r1 asm("r1") = cursor.membrane;
    register auto* r2 asm("r2") = psp;
    register auto* r3 asm("r3") = input;
    register std::int32_t r4 asm("r4") = factors.psp;
    register std::int32_t r5 asm("r5") = factors.offset;
    register std::int32_t r7 asm("r7") = 0;
    register std::int32_t r12 asm("r12") = factors.membrane;
    register std::uint32_t r10 asm("r10");
    if constexpr (entry == Entry::first) {
      asm volatile("bl %c[loop]"
                   : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3), "=r"(r10)
                   : [loop] "i"(&one_loop<Loop, group, is_single>), "r"(r4), "r"(r5), "r"(r6), "r"(r7), "r"(r12)
                   : "r8", "r9", "lr", "cc", "memory");
    } else {
      asm volatile("movs r10, #0x80000000\n\t" // MI
                   "bl %c[loop] + %c[place]"
                   : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3), "=r"(r10)
                   : [loop] "i"(&one_loop<Loop, group, is_single>), "r"(r4), "r"(r5), "r"(r6), "r"(r7),
                     "r"(r12), [place] "i"(entry == Entry::known ? bytes_of(group - count % group) : way_on(group))
                   : "r8", "r9", "lr", "cc", "memory");
    }
    status = r10;
    return r0;
  }
  /// The first so many neurons of a loop, with the branches behind every 16.
  static constexpr std::size_t bytes_of(std::size_t neurons) noexcept { return 40 * neurons + neurons / 16 * 4; }
  /// Where a loop finds the place of the neuron at r1.
  static constexpr std::size_t way_on(std::size_t group) noexcept { return bytes_of(group) - 4 + 12 * 4; }

  /// r0 spikes, r1 membrane, r2 psp, r3 input, r4 factor of the psp, r5 its offset, r6 end, r7 zero, r12 factor of
  /// the membrane.
  ///
  /// Each result is used at the earliest one instruction later, two after LDRSH; that of QDADD is stored at once.
  template <class Loop, std::size_t group, bool is_single>
  [[gnu::naked, gnu::noinline]] static void one_loop() noexcept {
    asm volatile(".syntax unified\n\t"
                 ".macro neuromorph_neuron when\n\t"
                 "ldr\\when r8, [r1]\n\t"
                 "ldr\\when r9, [r2]\n\t"
                 "smlawt\\when r8, r8, r12, r8\n\t"
                 ".if %c[size] == 4\n\t"
                 "ldr\\when r10, [r3]\n\t"
                 "str\\when r7, [r3], #4\n\t"
                 ".else\n\t"
                 "ldrsh\\when r10, [r3]\n\t"
                 "strh\\when r7, [r3], #2\n\t"
                 ".endif\n\t"
                 "adds\\when r8, r8, r9, asr %[shift]\n\t"
                 "smlawtmi r9, r9, r4, r5\n\t"
                 "strmi r8, [r1], #4\n\t"
                 "qdaddmi r10, r10, r9\n\t"
                 "strmi r10, [r2], #4\n\t"
                 ".endm\n\t"

                 "1:\n\t"
                 "neuromorph_neuron\n\t"
                 ".rept 15\n\t"
                 "neuromorph_neuron mi\n\t"
                 ".endr\n\t"
                 ".rept %c[group] / 16 - 1\n\t"
                 "bpl 2f\n\t"
                 ".rept 16\n\t"
                 "neuromorph_neuron mi\n\t"
                 ".endr\n\t"
                 ".endr\n\t"
                 "5:\n\t"
                 ".if %c[single]\n\t"
                 "bpl 2f\n\t"
                 ".else\n\t"
                 "cmpmi r1, r6\n\t"
                 "bmi 1b\n\t"
                 "cmp r1, r6\n\t"
                 "bne 2f\n\t"
                 ".endif\n\t"
                 "mrs r10, cpsr\n\t"
                 "bx lr\n\t"

                 "2:\n\t" // the neuron at r1 fired
                 "smlawt r9, r9, r4, r5\n\t"
                 "str r1, [r0], #4\n\t"
                 "qdadd r10, r10, r9\n\t"
                 "movs r8, %[down]\n\t" // negative
                 "str r10, [r2], #4\n\t"
                 "str r8, [r1], #4\n\t"
                 // on to the neuron at r1, with MI: the rest of its group is before 5
                 "sub r10, r6, r1\n\t"
                 "and r10, r10, #4 * (%c[group] - 1)\n\t"
                 "mov r9, r10, lsr #6\n\t" // branches behind 16 neurons
                 "add r10, r10, r10, lsl #2\n\t"
                 "add r10, r10, r9, lsl #1\n\t"
                 "add r10, r10, #(. - 5b + 12) / 2\n\t"
                 "sub pc, pc, r10, lsl #1\n\t"
                 ".purgem neuromorph_neuron"
                 :
                 : [size] "i"(Loop::input_size), [group] "i"(group), [single] "i"(is_single), [down] "i"(Loop::down),
                   [shift] "i"(Loop::shift));
  }

  template <class Loop, int groups, class Cursor, class Factors>
  [[gnu::always_inline]] static inline std::uint32_t* two(const Cursor& cursor, std::size_t count,
                                                          const Factors& factors, std::uint32_t* spikes,
                                                          std::uint32_t& status) noexcept {
    auto* const psp = cursor.psp.front();
    auto* const input = cursor.input.front();
    auto* const inhibition = cursor.psp.back();
    auto* const inhibiting = cursor.input.back();
    // no call from here to the loop, as above
    register std::uint32_t* r0 asm("r0") = spikes;
    register std::int32_t* r1 asm("r1") = cursor.membrane;
    register auto* r2 asm("r2") = psp;
    register auto* r3 asm("r3") = input;
    register std::int32_t r4 asm("r4") = static_cast<std::int32_t>(
        (static_cast<std::uint32_t>(factors.psp) & 0xFFFF0000U) | static_cast<std::uint32_t>(factors.membrane) >> 16);
    register std::int32_t r5 asm("r5") = factors.offset;
    register std::int32_t* r6 asm("r6") = cursor.membrane + count;
    register auto* r7 asm("r7") = inhibition;
    register auto* r8 asm("r8") = inhibiting;
    register std::int32_t r9 asm("r9") = factors.inhibition;
    register std::uint32_t r10 asm("r10");
    register std::int32_t r12 asm("r12") = factors.inhibition_offset;
    asm volatile("bl %c[loop]"
                 : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3), "+r"(r7), "+r"(r8), "=r"(r10)
                 : [loop] "i"(&two_loop<Loop, groups>), "r"(r4), "r"(r5), "r"(r6), "r"(r9), "r"(r12)
                 : "lr", "cc", "memory");
    status = r10;
    return r0;
  }

  /// r0 spikes, r1 membrane, r2 psp, r3 input, r4 factors, r5 offset, r6 end, r7 inhibitory psp, r8 its input, r9 its
  /// factor, r12 its offset; r0, r6 and r11 are saved, lr is zero.
  ///
  /// \tparam groups  1: 32 neurons, 2: a multiple, 0: any number
  template <class Loop, int groups>
  [[gnu::naked, gnu::noinline]] static void two_loop() noexcept {
    asm volatile(".syntax unified\n\t"
                 ".macro neuromorph_neuron when\n\t"
                 "ldr\\when r6, [r2]\n\t"
                 "neuromorph_load_input \\when, r10, r3\n\t"
                 "ldr\\when r0, [r1]\n\t"
                 "smlawt\\when r11, r6, r4, r5\n\t"
                 "smlawb\\when r0, r0, r4, r0\n\t"
                 "qdadd\\when r10, r10, r11\n\t"
                 "str\\when r10, [r2], #4\n\t"
                 "ldr\\when r10, [r7]\n\t"
                 "neuromorph_load_input \\when, r11, r8\n\t"
                 "add\\when r0, r0, r6, asr %[shift]\n\t"
                 "smlawt\\when r6, r10, r9, r12\n\t"
                 "subs\\when r0, r0, r10, asr %[shift]\n\t"
                 "qdaddmi r11, r11, r6\n\t"
                 "strmi r11, [r7], #4\n\t"
                 "strmi r0, [r1], #4\n\t"
                 ".endm\n\t"
                 ".macro neuromorph_load_input when, to, from\n\t"
                 ".if %c[size] == 4\n\t"
                 "ldr\\when \\to, [\\from]\n\t"
                 "str\\when lr, [\\from], #4\n\t"
                 ".else\n\t"
                 "ldrsh\\when \\to, [\\from]\n\t"
                 "strh\\when lr, [\\from], #2\n\t"
                 ".endif\n\t"
                 ".endm\n\t"

                 "push {r0, r6, r11, lr}\n\t"
                 "mov lr, #0\n\t"
                 ".if %c[whole] == 0\n\t"
                 "subs r10, r6, r1\n\t"
                 "ands r10, r10, #60\n\t"
                 "bne 3f\n\t"
                 ".endif\n\t"
                 "1:\n\t"
                 "neuromorph_neuron\n\t"
                 ".rept 15\n\t"
                 "neuromorph_neuron mi\n\t"
                 ".endr\n\t"
                 ".if %c[whole]\n\t"
                 "bpl 2f\n\t"
                 ".rept 16\n\t"
                 "neuromorph_neuron mi\n\t"
                 ".endr\n\t"
                 ".endif\n\t"
                 "5:\n\t"
                 ".if %c[one]\n\t"
                 "bpl 2f\n\t"
                 ".elseif %c[whole]\n\t"
                 "bpl 2f\n\t"
                 "ldr r10, [sp, #4]\n\t"
                 "subs r10, r10, r1\n\t"
                 "bne 1b\n\t"
                 ".else\n\t"
                 "ldr r0, [sp, #4]\n\t"
                 "cmpmi r1, r0\n\t"
                 "bmi 1b\n\t"
                 "cmp r1, r0\n\t"
                 "bne 2f\n\t"
                 ".endif\n\t"
                 "4:\n\t"
                 "mrs r10, cpsr\n\t"
                 "pop {r0, r6, r11, pc}\n\t"

                 "2:\n\t" // the neuron at r1 fired
                 "qdadd r11, r11, r6\n\t"
                 "str r11, [r7], #4\n\t"
                 "ldr r10, [sp]\n\t"
                 "str r1, [r10], #4\n\t"
                 "str r10, [sp]\n\t"
                 "mov r10, %[down]\n\t"
                 "str r10, [r1], #4\n\t"
                 "ldr r10, [sp, #4]\n\t"
                 "subs r10, r10, r1\n\t"
                 "beq 4b\n\t"
                 "ands r10, r10, #60 + 64 * %c[whole]\n\t"
                 "beq 1b\n\t"
                 "3:\n\t" // on to the neuron that stands r10 bytes of membranes before the end of a group, with MI
                 "add r11, r10, r10, lsl #4\n\t"
                 ".if %c[whole]\n\t"
                 "cmp r10, #64\n\t"
                 "addhi r11, r11, #4\n\t"
                 ".endif\n\t"
                 "teq r10, #0x80000000\n\t"
                 "add r11, r11, #. - 5b + 12\n\t"
                 "sub pc, pc, r11\n\t"
                 ".purgem neuromorph_neuron\n\t"
                 ".purgem neuromorph_load_input"
                 :
                 : [size] "i"(Loop::input_size), [whole] "i"(groups != 0), [one] "i"(groups == 1),
                   [down] "i"(Loop::down), [shift] "i"(Loop::shift));
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
