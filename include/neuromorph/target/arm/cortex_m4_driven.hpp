// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loops of LIF neurons whose psps carry the constant drive, for ARMv7E-M.
// requires: -mthumb -mcpu=cortex-m4 (arm)
//
// A branch that is not taken costs one cycle and conditions cost an IT, so each neuron has its own test. Loads stand
// together, since only a load after a load overlaps. Groups of 16 neurons; other counts enter in the middle.
#ifndef NEUROMORPH_TARGET_ARM_CORTEX_M4_DRIVEN_HPP
#define NEUROMORPH_TARGET_ARM_CORTEX_M4_DRIVEN_HPP

#if !defined(__ARM_FEATURE_SIMD32) || !__ARM_FEATURE_SIMD32 || !defined(__thumb2__)
#error "neuromorph/target/arm/cortex_m4_driven.hpp needs the DSP extension: use -mcpu=cortex-m4 or target::Generic"
#endif

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Base of CortexM4: what it does better than the compiler's loop of these neurons. See synapse::Driven for the meaning.
struct CortexM4Driven {
  using Offers = offer::List<offer::DrivenLif>;
  /// Steps `count` neurons, 1 or more; lists the addresses of the membranes of those that fired. The loop is a function
  /// that saves nothing: the compiler is told what it changes. Counts that the compiler knows enter it by a known place.
  ///
  /// Cycles per neuron, 4 more per 16: one time constant 12 (three loads 4, two products, two sums, the test, three
  /// stores), two 20 (benchmark neuron/compact_lif1, neuron/compact_lif2).
  ///
  /// \tparam Loop  which loop, see detail::DrivenLoops
  /// \param status  the one of the machine, whose bit 27 says that a psp was held, or that something else was since
  ///                somebody cleared it
  template <class Loop, class Cursor, class Factors>
  [[gnu::always_inline]] static inline std::uint32_t* driven_lif(const Cursor& cursor, std::size_t count,
                                                                 const Factors& factors, std::uint32_t* spikes,
                                                                 std::uint32_t& status) noexcept {
    if constexpr (Loop::two) {
      if (__builtin_constant_p(count) && count % 16 == 0)
        return two<Loop, true>(cursor, count, factors, spikes, status);
      else
        return two<Loop, false>(cursor, count, factors, spikes, status);
    } else {
      if (__builtin_constant_p(count) && count % 16 == 0)
        return one<Loop, 0>(cursor, count, factors, spikes, status);
      else if (__builtin_constant_p(count))
        return one<Loop, 1>(cursor, count, factors, spikes, status);
      else
        return one<Loop, 2>(cursor, count, factors, spikes, status);
    }
  }
  static void forget_what_was_held() noexcept { asm volatile("msr apsr_nzcvq, %0" : : "r"(0) : "cc"); }

private:
  /// \tparam entry  0: the first neuron of a loop, 1: another that the compiler knows, 2: one that the loop computes
  template <class Loop, int entry, class Cursor, class Factors>
  [[gnu::always_inline]] static inline std::uint32_t* one(const Cursor& cursor, std::size_t count,
                                                          const Factors& factors, std::uint32_t* spikes,
                                                          std::uint32_t& status) noexcept {
    constexpr std::size_t neuron_bytes = 44, way_on = 16 * neuron_bytes + 32;
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
    register std::int32_t r8 asm("r8") = 0;
    register std::int32_t r12 asm("r12") = factors.membrane;
    register std::uint32_t r10 asm("r10");
    asm volatile("bl %c[loop] + %c[place]"
                 : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3), "=r"(r10)
                 : [loop] "i"(&one_loop<Loop>), "r"(r4), "r"(r5), "r"(r6), "r"(r8), "r"(r12),
                   [place] "i"(entry == 0   ? 0
                               : entry == 1 ? neuron_bytes * (16 - count % 16)
                                            : way_on)
                 : "r9", "r11", "lr", "cc", "memory");
    status = r10;
    return r0;
  }
  /// \tparam is_whole  a multiple of 16 neurons
  template <class Loop, bool is_whole, class Cursor, class Factors>
  [[gnu::always_inline]] static inline std::uint32_t* two(const Cursor& cursor, std::size_t count,
                                                          const Factors& factors, std::uint32_t* spikes,
                                                          std::uint32_t& status) noexcept {
    auto* const psp = cursor.psp.front();
    auto* const input = cursor.input.front();
    auto* const inhibition = cursor.psp.back();
    auto* const inhibiting = cursor.input.back();
    const std::uint32_t both =
        (static_cast<std::uint32_t>(factors.psp) & 0xFFFF0000U) | static_cast<std::uint32_t>(factors.membrane) >> 16;
    // no call from here to the loop, as above
    register std::uint32_t* r0 asm("r0") = spikes;
    register std::int32_t* r1 asm("r1") = cursor.membrane;
    register auto* r2 asm("r2") = psp;
    register auto* r3 asm("r3") = input;
    register std::uint32_t r4 asm("r4") = both;
    register std::int32_t r5 asm("r5") = factors.offset;
    register std::int32_t* r6 asm("r6") = cursor.membrane + count;
    register auto* r8 asm("r8") = inhibition;
    register auto* r9 asm("r9") = inhibiting;
    register std::int32_t r10 asm("r10") = factors.inhibition;
    register std::uint32_t r11 asm("r11");
    register std::int32_t r12 asm("r12") = factors.inhibition_offset;
    asm volatile("bl %c[loop]"
                 : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3), "+r"(r8), "+r"(r9), "=r"(r11)
                 : [loop] "i"(&two_loop<Loop, is_whole>), "r"(r4), "r"(r5), "r"(r6), "r"(r10), "r"(r12)
                 : "lr", "cc", "memory");
    status = r11;
    return r0;
  }

  /// r0 spikes, r1 membrane, r2 psp, r3 input, r4 factor of the psp, r5 its offset, r6 end, r8 zero, r12 factor of the
  /// membrane. Aligned, or the address at the end would be wrong by two where functions are not.
  template <class Loop>
  [[gnu::naked, gnu::noinline, gnu::aligned(4)]] static void one_loop() noexcept {
    asm volatile(".syntax unified\n\t"
                 "1:\n\t"
                 ".rept 16\n\t"
                 "ldr.w r9, [r1]\n\t"
                 "ldr.w r10, [r2]\n\t"
                 ".if %c[size] == 4\n\t"
                 "ldr.w r11, [r3]\n\t"
                 "str.w r8, [r3], #4\n\t"
                 ".else\n\t"
                 "ldrsh.w r11, [r3]\n\t"
                 "strh.w r8, [r3], #2\n\t"
                 ".endif\n\t"
                 "smlawt r9, r9, r12, r9\n\t"
                 "adds.w r9, r9, r10, asr %[shift]\n\t"
                 "smlawt r10, r10, r4, r5\n\t"
                 "qdadd r11, r11, r10\n\t"
                 "bpl.w 2f\n\t"
                 "str.w r11, [r2], #4\n\t"
                 "str.w r9, [r1], #4\n\t"
                 ".endr\n\t"
                 "5:\n\t"
                 "cmp.w r1, r6\n\t"
                 "bne.w 1b\n\t"
                 "mrs r10, apsr\n\t"
                 "bx lr\n\t"
                 "nop\n\t"

                 "2:\n\t" // the neuron at r1 fired
                 "str.w r11, [r2], #4\n\t"
                 "str r1, [r0], #4\n\t"
                 "mov.w r11, %[down]\n\t"
                 "str.w r11, [r1], #4\n\t"
                 // on to the neuron at r1: the rest of its group is before 5
                 "sub.w r11, r6, r1\n\t"
                 "and.w r11, r11, #60\n\t"
                 "mov.w r10, #11\n\t"
                 "mul r11, r11, r10\n\t"
                 "adr.w r10, 5b\n\t"
                 "sub.w r10, r10, r11\n\t"
                 "mov pc, r10"
                 :
                 : [size] "i"(Loop::input_size), [down] "i"(Loop::down), [shift] "i"(Loop::shift));
  }
  /// r0 spikes, r1 membrane, r2 psp, r3 input, r4 factors, r5 offset, r6 end, r8 inhibitory psp, r9 its input, r10 its
  /// factor, r12 its offset; r0, r6 and r7 are saved, lr is zero.
  template <class Loop, bool is_whole>
  [[gnu::naked, gnu::noinline, gnu::aligned(4)]] static void two_loop() noexcept {
    asm volatile(
        ".syntax unified\n\t"
        ".macro neuromorph_load_input to, from\n\t"
        ".if %c[size] == 4\n\t"
        "ldr.w \\to, [\\from]\n\t"
        "str.w lr, [\\from], #4\n\t"
        ".else\n\t"
        "ldrsh.w \\to, [\\from]\n\t"
        "strh.w lr, [\\from], #2\n\t"
        ".endif\n\t"
        ".endm\n\t"

        "push {r0, r6, r7, lr}\n\t"
        "mov.w lr, #0\n\t"
        ".if !%c[whole]\n\t"
        "b.w 3f\n\t"
        ".endif\n\t"
        "1:\n\t"
        ".rept 16\n\t"
        "ldr.w r6, [r2]\n\t"
        "ldr.w r0, [r1]\n\t"
        "neuromorph_load_input r11, r3\n\t"
        "smlawt r7, r6, r4, r5\n\t"
        "smlawb r0, r0, r4, r0\n\t"
        "qdadd r11, r11, r7\n\t"
        "str.w r11, [r2], #4\n\t"
        "ldr.w r11, [r8]\n\t"
        "neuromorph_load_input r7, r9\n\t"
        "add.w r0, r0, r6, asr %[shift]\n\t"
        "smlawt r6, r11, r10, r12\n\t"
        "subs.w r0, r0, r11, asr %[shift]\n\t"
        "qdadd r7, r7, r6\n\t"
        "str.w r7, [r8], #4\n\t"
        "bpl.w 2f\n\t"
        "str.w r0, [r1], #4\n\t"
        ".endr\n\t"
        "5:\n\t"
        "ldr.w r11, [sp, #4]\n\t"
        "cmp.w r1, r11\n\t"
        "bne.w 1b\n\t"
        "mrs r11, apsr\n\t"
        "pop {r0, r6, r7, pc}\n\t"

        "2:\n\t" // the neuron at r1 fired
        "ldr.w r11, [sp]\n\t"
        "str r1, [r11], #4\n\t"
        "str.w r11, [sp]\n\t"
        "mov.w r11, %[down]\n\t"
        "str.w r11, [r1], #4\n\t"
        "3:\n\t" // on to the neuron at r1: the rest of its group is before 5
        "ldr.w r11, [sp, #4]\n\t"
        "sub.w r11, r11, r1\n\t"
        "and.w r11, r11, #60\n\t"
        "mov.w r7, #18\n\t"
        "mul r11, r11, r7\n\t"
        "adr.w r7, 5b\n\t"
        "sub.w r7, r7, r11\n\t"
        "mov pc, r7\n\t"
        ".purgem neuromorph_load_input"
        :
        : [size] "i"(Loop::input_size), [whole] "i"(is_whole), [down] "i"(Loop::down), [shift] "i"(Loop::shift));
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
