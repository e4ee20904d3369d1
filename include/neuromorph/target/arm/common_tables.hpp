// SPDX-License-Identifier: BSL-1.0
/// \file
/// Discrete values from tables for ARMv5TE in ARM state and ARMv7E-M: the lookups of words from any random source.
// requires: -marm -mcpu=arm968e-s (arm)
// requires: -mthumb -mcpu=cortex-m4 (arm)
//
// How to read the schedules: armv5te.hpp and cortex_m4.hpp. The next word is loaded between the lookups of this one and
// their use, so `words` has one element more than are looked up.
#ifndef NEUROMORPH_TARGET_ARM_COMMON_TABLES_HPP
#define NEUROMORPH_TARGET_ARM_COMMON_TABLES_HPP

#if !defined(__ARM_FEATURE_DSP) || !__ARM_FEATURE_DSP || defined(__ARM_BIG_ENDIAN)
#error "neuromorph/target/arm/common_tables.hpp needs little-endian ARM with DSP: -marm -mcpu=arm968e-s or cortex-m4"
#endif

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/discrete_lookup.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Base of Armv5te and CortexM4. The operations are those of kernels/random/discrete_table.hpp.
struct ArmTables {
  using Offers = offer::List<offer::ByteCells, offer::PairCells, offer::WordPositions>;
  /// ARM968E-S: 14 cycles a word, 4 more per 4; Cortex-M4: 16; one with escapes about 25 more, the call about 35
  /// (benchmark poisson/1.6/bytes/small).
  ///
  ///     and v0, w, #255          and v1, v2 by a shifted mask; mov v3, w, lsr #24
  ///     ldrsb v0, [cells, v0]    four; Cortex-M4: 5
  ///     ldr w, [words], #4
  ///     orr v0, v0, v1, lsl #8
  ///     orr v0, v0, v2, lsl #16
  ///     orrs v0, v0, v3, lsl #24 negative if one of the four is: a marked cell
  ///     str v0, [to], #4
  ///     blmi ..                  stores each byte by itself and notes those marked; Cortex-M4: and its IT
  ///
  /// Bound: the word, per cell index, load, and a share of merges and store that makes one, and the check: 14, and for
  /// the Cortex-M4 two more, as the first of the loads takes two and the condition an IT. Counted: a store for each
  /// byte (three more, to merge what is checked).
  [[nodiscard]] static std::size_t byte_cells(const std::uint32_t* words, std::size_t count, const std::uint8_t* cells,
                                              std::uint8_t* to, std::uint8_t* marked) noexcept {
    return in_words<192>(
        to, 4 * count, [=](std::uint8_t* aligned) { return aligned_byte_cells(words, count, cells, aligned, marked); });
  }

  /// ARM968E-S: 23 cycles for two words, 4 more per 4; Cortex-M4: 28; a word of the output with escapes about 12 more
  /// (benchmark poisson/1.6/pairs/small). As bytes; the second word's first pair is stored with the first word's last.
  /// Bound: two words, six indices, loads, and halves of merges and stores, and a check: 21.
  [[nodiscard]] static std::size_t pair_cells(const std::uint32_t* words, std::size_t count, const std::uint16_t* cells,
                                              std::uint8_t* to, std::uint8_t* marked) noexcept {
    return in_words<288>(
        to, 6 * count, [=](std::uint8_t* aligned) { return aligned_pair_cells(words, count, cells, aligned, marked); });
  }

  /// ARM968E-S: 11 cycles a value, 4 more per 4; Cortex-M4: 14; about 15 for each above the fourth bound, the call 60
  /// (benchmark poisson/1.6/word/small).
  ///
  ///     ldr next, [words], #4
  ///     cmp b0, w              the first four bounds are in registers
  ///     mov k, #0
  ///     movlo k, #1            Cortex-M4: two IT
  ///     cmplo b1, w
  ///     movlo k, #2
  ///     cmplo b2, w
  ///     movlo k, #3
  ///     cmplo b3, w
  ///     bls ..                 above b3, or equal to a bound: behind the loop
  ///     strb k, [to], #1
  ///
  /// Bound: as Armv5teTables has it, with a load in place of the generator. Counted: four positions in a word as there
  /// (9.5, but needs `to` aligned).
  [[gnu::noinline, nodiscard]] static std::size_t word_positions(const std::uint32_t* words, std::size_t count,
                                                                 const std::uint32_t* high, std::uint8_t* to,
                                                                 OpenValue* open) noexcept {
    const std::array<std::uint32_t, 4> first = first_bounds(high);
    struct {
      OpenValue* open;
      const std::uint8_t* begin;
      std::uint32_t bounds[2];
      const std::uint32_t* fifth;
    } rest{open, to, {first[0], first[1]}, high + 4};
    std::uint32_t bound0 = first[0], bound1 = first[1], word, next, value;
    asm volatile(".syntax unified\n\t"
                 ".macro neuromorph_word w, next\n\t"
                 "ldr \\next, [%[words]], #4\n\t"
                 "cmp %[b0], \\w\n\t"
                 "mov %[k], #0\n\t"
                 "itttt lo\n\t"
                 "movlo %[k], #1\n\t"
                 "cmplo %[b1], \\w\n\t"
                 "movlo %[k], #2\n\t"
                 "cmplo %[b2], \\w\n\t"
                 "itt lo\n\t"
                 "movlo %[k], #3\n\t"
                 "cmplo %[b3], \\w\n\t"
                 "bls 3f\n\t"
                 "2:\n"
                 "strb %[k], [%[to]], #1\n\t"
                 ".subsection 1\n\t"
                 "3:\n"
                 "beq 5f\n\t"
                 "ldr %[b1], [%[rest], #16]\n\t"
                 "4:\n"
                 "ldr %[b0], [%[b1]], #4\n\t"
                 "add %[k], %[k], #1\n\t"
                 "cmp %[b0], \\w\n\t"
                 "blo 4b\n\t"
                 "bne 6f\n\t"
                 "5:\n"
                 "ldr %[b0], [%[rest]]\n\t"
                 "ldr %[b1], [%[rest], #4]\n\t"
                 "str \\w, [%[b0], #4]\n\t"
                 "sub %[b1], %[to], %[b1]\n\t"
                 "str %[b1], [%[b0]], #8\n\t"
                 "str %[b0], [%[rest]]\n\t"
                 "6:\n"
                 "ldr %[b0], [%[rest], #8]\n\t"
                 "ldr %[b1], [%[rest], #12]\n\t"
                 "b 2b\n\t"
                 ".previous\n\t"
                 ".endm\n\t"
                 "ldr %[w], [%[words]], #4\n\t"
                 "subs %[count], %[count], #4\n\t"
                 "bmi 12f\n\t"
                 "11:\n"
                 "neuromorph_word %[w], %[next]\n\t"
                 "neuromorph_word %[next], %[w]\n\t"
                 "neuromorph_word %[w], %[next]\n\t"
                 "neuromorph_word %[next], %[w]\n\t"
                 "subs %[count], %[count], #4\n\t"
                 "bpl 11b\n\t"
                 "12:\n"
                 "adds %[count], %[count], #4\n\t"
                 "beq 14f\n\t"
                 "13:\n"
                 "neuromorph_word %[w], %[next]\n\t"
                 "mov %[w], %[next]\n\t"
                 "subs %[count], %[count], #1\n\t"
                 "bne 13b\n\t"
                 "14:\n"
                 ".purgem neuromorph_word\n\t"
                 : [words] "+r"(words), [count] "+r"(count), [to] "+r"(to), [b0] "+r"(bound0), [b1] "+r"(bound1),
                   [w] "=&r"(word), [next] "=&r"(next), [k] "=&r"(value)
                 : [b2] "r"(first[2]), [b3] "r"(first[3]), [rest] "r"(&rest)
                 : "cc", "memory");
    return static_cast<std::size_t>(rest.open - open);
  }

protected:
  /// Calls `loop` with `to`, or, where that is not aligned as words are, with memory that is, and copies.
  template <std::size_t MostBytes, class Loop>
  static auto in_words(std::uint8_t* to, std::size_t bytes, Loop loop) noexcept -> decltype(loop(to)) {
    if (reinterpret_cast<std::uintptr_t>(to) % 4 == 0) return loop(to);
    alignas(4) std::array<std::uint8_t, MostBytes> aligned; // NOLINT: written before it is read
    const auto result = loop(aligned.data());
    __builtin_memcpy(to, aligned.data(), bytes);
    return result;
  }

  /// The first four bounds, the end repeated.
  [[nodiscard]] static std::array<std::uint32_t, 4> first_bounds(const std::uint32_t* high) noexcept {
    constexpr std::uint32_t end = 0xFFFF'FFFFU;
    const std::uint32_t first = high[0], second = first == end ? end : high[1], third = second == end ? end : high[2];
    return {first, second, third, third == end ? end : high[3]};
  }

private:
  [[gnu::noinline]] static std::size_t aligned_byte_cells(const std::uint32_t* words, std::size_t count,
                                                          const std::uint8_t* cells, std::uint8_t* to,
                                                          std::uint8_t* marked) noexcept {
    const std::uint8_t* const begin = to + 4;
    std::uint8_t* const first = marked;
    std::uint32_t word, value0, value1, value2, value3;
    asm volatile(".syntax unified\n\t"
                 ".macro neuromorph_word\n\t"
                 "and %[v0], %[w], #255\n\t"
                 "and %[v1], %[mask], %[w], lsr #8\n\t"
                 "and %[v2], %[mask], %[w], lsr #16\n\t"
                 "mov %[v3], %[w], lsr #24\n\t"
                 "ldrsb %[v0], [%[cells], %[v0]]\n\t"
                 "ldrsb %[v1], [%[cells], %[v1]]\n\t"
                 "ldrsb %[v2], [%[cells], %[v2]]\n\t"
                 "ldrsb %[v3], [%[cells], %[v3]]\n\t"
                 "ldr %[w], [%[words]], #4\n\t"
                 "orr %[v0], %[v0], %[v1], lsl #8\n\t"
                 "orr %[v0], %[v0], %[v2], lsl #16\n\t"
                 "orrs %[v0], %[v0], %[v3], lsl #24\n\t"
                 "str %[v0], [%[to]], #4\n\t"
                 "it mi\n\t"
                 "blmi 9f\n\t"
                 ".endm\n\t"
                 "ldr %[w], [%[words]], #4\n\t"
                 "subs %[count], %[count], #4\n\t"
                 "bmi 2f\n\t"
                 "1:\n"
                 ".rept 4\n\t"
                 "neuromorph_word\n\t"
                 ".endr\n\t"
                 "subs %[count], %[count], #4\n\t"
                 "bpl 1b\n\t"
                 "2:\n"
                 "adds %[count], %[count], #4\n\t"
                 "beq 4f\n\t"
                 "3:\n"
                 "neuromorph_word\n\t"
                 "subs %[count], %[count], #1\n\t"
                 "bne 3b\n\t"
                 "b 4f\n\t"
                 "9:\n"
                 "strb %[v0], [%[to], #-4]\n\t"
                 "strb %[v1], [%[to], #-3]\n\t"
                 "strb %[v2], [%[to], #-2]\n\t"
                 "strb %[v3], [%[to], #-1]\n\t"
                 "tst %[v0], #128\n\t"
                 "sub %[v0], %[to], %[begin]\n\t"
                 "it ne\n\t"
                 "strbne %[v0], [%[marked]], #1\n\t"
                 ".irp value, %[v1], %[v2], %[v3]\n\t"
                 "cmp \\value, #0\n\t"
                 "add %[v0], %[v0], #1\n\t"
                 "it mi\n\t"
                 "strbmi %[v0], [%[marked]], #1\n\t"
                 ".endr\n\t"
                 "bx lr\n\t"
                 "4:\n"
                 ".purgem neuromorph_word\n\t"
                 : [words] "+r"(words), [count] "+r"(count), [to] "+r"(to), [marked] "+r"(marked), [w] "=&r"(word),
                   [v0] "=&r"(value0), [v1] "=&r"(value1), [v2] "=&r"(value2), [v3] "=&r"(value3)
                 : [cells] "r"(cells), [begin] "r"(begin), [mask] "r"(255)
                 : "lr", "cc", "memory");
    return static_cast<std::size_t>(marked - first);
  }

  [[gnu::noinline]] static std::size_t aligned_pair_cells(const std::uint32_t* words, std::size_t count,
                                                          const std::uint16_t* cells, std::uint8_t* to,
                                                          std::uint8_t* marked) noexcept {
    const std::uint8_t* const begin = to + 4;
    std::uint8_t* const first = marked;
    std::uint32_t word, value0, value1, value2, value3;
    asm volatile(".syntax unified\n\t"
                 ".macro neuromorph_first\n\t"
                 "and %[v0], %[mask], %[w], lsl #1\n\t"
                 "and %[v1], %[mask], %[w], lsr #9\n\t"
                 "and %[v2], %[mask], %[w], lsr #19\n\t"
                 "ldrsh %[v0], [%[cells], %[v0]]\n\t"
                 "ldrsh %[v1], [%[cells], %[v1]]\n\t"
                 "ldrsh %[v2], [%[cells], %[v2]]\n\t"
                 "ldr %[w], [%[words]], #4\n\t"
                 "orrs %[v0], %[v0], %[v1], lsl #16\n\t"
                 "str %[v0], [%[to]], #4\n\t"
                 "it mi\n\t"
                 "blmi 7f\n\t"
                 ".endm\n\t"
                 ".macro neuromorph_second\n\t"
                 "and %[v1], %[mask], %[w], lsl #1\n\t"
                 "and %[v0], %[mask], %[w], lsr #9\n\t"
                 "and %[v3], %[mask], %[w], lsr #19\n\t"
                 "ldrsh %[v1], [%[cells], %[v1]]\n\t"
                 "ldrsh %[v0], [%[cells], %[v0]]\n\t"
                 "ldrsh %[v3], [%[cells], %[v3]]\n\t"
                 "ldr %[w], [%[words]], #4\n\t"
                 "orrs %[v2], %[v2], %[v1], lsl #16\n\t"
                 "str %[v2], [%[to]], #4\n\t"
                 "it mi\n\t"
                 "blmi 8f\n\t"
                 "orrs %[v0], %[v0], %[v3], lsl #16\n\t"
                 "str %[v0], [%[to]], #4\n\t"
                 "it mi\n\t"
                 "blmi 9f\n\t"
                 ".endm\n\t"
                 ".macro neuromorph_note low, high\n\t"
                 "strh \\high, [%[to], #-2]\n\t"
                 "tst \\low, #0x8000\n\t"
                 "sub \\low, %[to], %[begin]\n\t"
                 "mov \\low, \\low, lsr #1\n\t"
                 "it ne\n\t"
                 "strbne \\low, [%[marked]], #1\n\t"
                 "cmp \\high, #0\n\t"
                 "add \\low, \\low, #1\n\t"
                 "it mi\n\t"
                 "strbmi \\low, [%[marked]], #1\n\t"
                 "bx lr\n\t"
                 ".endm\n\t"
                 "ldr %[w], [%[words]], #4\n\t"
                 "subs %[count], %[count], #4\n\t"
                 "bmi 2f\n\t"
                 "1:\n"
                 ".rept 2\n\t"
                 "neuromorph_first\n\t"
                 "neuromorph_second\n\t"
                 ".endr\n\t"
                 "subs %[count], %[count], #4\n\t"
                 "bpl 1b\n\t"
                 "2:\n"
                 "adds %[count], %[count], #2\n\t"
                 "bmi 3f\n\t"
                 "neuromorph_first\n\t"
                 "neuromorph_second\n\t"
                 "sub %[count], %[count], #2\n\t"
                 "3:\n"
                 "adds %[count], %[count], #2\n\t"
                 "beq 4f\n\t"
                 "neuromorph_first\n\t"
                 "cmp %[v2], #0\n\t"
                 "strh %[v2], [%[to]], #4\n\t"
                 "sub %[v0], %[to], %[begin]\n\t"
                 "mov %[v0], %[v0], lsr #1\n\t"
                 "it mi\n\t"
                 "strbmi %[v0], [%[marked]], #1\n\t"
                 "b 4f\n\t"
                 "7:\n"
                 "neuromorph_note %[v0], %[v1]\n\t"
                 "8:\n"
                 "neuromorph_note %[v2], %[v1]\n\t"
                 "9:\n"
                 "neuromorph_note %[v0], %[v3]\n\t"
                 "4:\n"
                 ".purgem neuromorph_first\n\t"
                 ".purgem neuromorph_second\n\t"
                 ".purgem neuromorph_note\n\t"
                 : [words] "+r"(words), [count] "+r"(count), [to] "+r"(to), [marked] "+r"(marked), [w] "=&r"(word),
                   [v0] "=&r"(value0), [v1] "=&r"(value1), [v2] "=&r"(value2), [v3] "=&r"(value3)
                 : [cells] "r"(cells), [begin] "r"(begin), [mask] "r"(0x7FE)
                 : "lr", "cc", "memory");
    return static_cast<std::size_t>(marked - first);
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
