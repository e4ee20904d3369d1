// SPDX-License-Identifier: BSL-1.0
/// \file
/// Discrete values from tables for ARMv5TE in ARM state, drawn from JKISS64 in the same loop.
// requires: -marm -mcpu=arm968e-s (arm)
//
// How to read the schedules: armv5te.hpp. The generator's nine instructions are those of ArmDsp::fill_jkiss64 without
// the store; every stall of a lookup has another lookup in it. Fourteen registers are in use, the frame pointer's among
// them, which the statements save and restore themselves.
//
// Lower bounds: a word takes 11 cycles (products 3 + 2 and a zero to add to, xorshift 3, two sums). The core issues one
// instruction a cycle, and nothing finds a field of a word, loads by it or merges two values in less than one.
//
// Separate loops, 1152 values in a call: words by fill_jkiss64, then lookups by ArmTables, then escapes in C++
// take 8.31 (bytes), 6.05 (pairs) and 29.1 cycles (words). The same in C++ alone 12.8, 10.5 and 47.6 (benchmarks
// poisson/1.6/.../generic).
#ifndef NEUROMORPH_TARGET_ARM_ARMV5TE_TABLES_HPP
#define NEUROMORPH_TARGET_ARM_ARMV5TE_TABLES_HPP

#if !defined(__ARM_FEATURE_DSP) || !__ARM_FEATURE_DSP || defined(__thumb__)
#error "neuromorph/target/arm/armv5te_tables.hpp needs ARM state with DSP: use -marm -mcpu=arm968e-s or target::Generic"
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/target/arm/common_tables.hpp>
#include <neuromorph/target/discrete_lookup.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Base of Armv5te. The operations are those of kernels/random/discrete_table.hpp.
struct Armv5teTables : ArmTables {
  using Offers = offer::List<ArmTables::Offers, offer::ByteBlocks, offer::PairBlocks, offer::WordBlocks>;
  template <class Lookup>
  struct Blocks {
    const Lookup* table;
    std::size_t blocks;
    std::uint8_t* to;

    template <class State>
    void jkiss64(State& state) const noexcept {
      jkiss64_blocks(state, *table, blocks, to);
    }
  };
  struct Words {
    const std::uint32_t* high;
    std::size_t blocks;
    std::uint8_t* to;
    OpenValue* open;

    template <class State>
    WordBlocks jkiss64(State& state) const noexcept {
      return jkiss64_words(state, high, blocks, to, open);
    }
  };

  template <class Source>
  requires requires(Source& source, Blocks<ByteLookup> loop) { source.draw_inside(loop); }
  static void byte_blocks(Source& source, const ByteLookup& table, std::size_t blocks, std::uint8_t* to) noexcept {
    draw_blocks<192>(source, table, blocks, to);
  }

  template <class Source>
  requires requires(Source& source, Blocks<PairLookup> loop) { source.draw_inside(loop); }
  static void pair_blocks(Source& source, const PairLookup& table, std::size_t blocks, std::uint8_t* to) noexcept {
    draw_blocks<288>(source, table, blocks, to);
  }

  template <class Source>
  requires requires(Source& source, Words loop) { source.draw_inside(loop); }
  [[nodiscard]] static WordBlocks word_blocks(Source& source, const std::uint32_t* high, std::size_t blocks,
                                              std::uint8_t* to, OpenValue* open) noexcept {
    return in_words<48>(to, 48, [&](std::uint8_t* aligned) {
      return source.draw_inside(Words{high, aligned == to ? blocks : 1, aligned, open});
    });
  }

private:
  template <std::size_t BlockValues, class Source, class Lookup>
  static void draw_blocks(Source& source, const Lookup& table, std::size_t blocks, std::uint8_t* to) noexcept {
    while (blocks != 0) {
      const std::size_t done = in_words<BlockValues>(to, BlockValues, [&](std::uint8_t* aligned) {
        const std::size_t some = aligned == to ? blocks : 1;
        source.draw_inside(Blocks<Lookup>{&table, some, aligned});
        return some;
      });
      to += BlockValues * done;
      blocks -= done;
    }
  }

  /// Bytes, 24 cycles a word, 4 more per 12 words:
  ///
  ///     11 cycles              the word w
  ///     and v0, w, #255        and v1, v2 by a shifted mask; mov w, w, lsr #24
  ///     ldrsb v0, [cells, v0]  four
  ///     orr v0, v0, v1, lsl #8
  ///     orr v0, v0, v2, lsl #16
  ///     orrs v0, v0, w, lsl #24  a marked cell is negative: so is the sum of all, if any is
  ///     str v0, [to], #4
  ///     stmdbmi sp!, {to, v1, v2, w}
  ///
  /// Pairs, 43 cycles for two words, 4 1/2 more per 24: index, ldrsh and half a merge for each, and each of the three
  /// stored words with `stmdbmi sp!, {to, upper pair}`. The second word's first pair goes with the first word's last.
  ///
  /// What a marked cell spoils is above it, so that `to` and the registers are all that the list needs. It grows down
  /// the stack, without a branch, 48 entries of 16 bytes or 72 of 8. No register is left for where it began, which is
  /// at a multiple of 128, under a word of 0, as no entry has one. The bytes' passes are counted in the top of the
  /// mask, the pairs' by the overflow flag, which nothing else touches. At the end of a block the words in the list are
  /// put right and each escape is resolved: a word of 11, the start by its number, a linear search with 5 cycles a
  /// step.
  ///
  /// An escape takes about 70 cycles, a block 25, the call 75, and of the stack up to 1 KB. At a rate of 1.6, with 1152
  /// values in a call, a value takes 6.93 by bytes and 4.71 by pairs. Escapes are 0.8 and 1.0 of these (benchmarks
  /// poisson/1.6/bytes and poisson/1.6/pairs).
  ///
  /// Bound: the word, and per cell an index, a load, and a share of merges and store that makes one: 23 for 4, 20 for
  /// 6. Here it is 24 and 21 1/2, with the check for escapes. An escape's own: another word, its key 2, a bound's load
  /// and comparison, the outcome and its store, 18: with 3 cells of 256 or 29 of 1024, 5.95 and 3.55 a value.
  ///
  /// Run: separate loops, see above; two stalls and a taken branch more for each escape (6.97 and 4.77). Counted: a
  /// branch to code behind the loop that notes where escapes are (6 more for each word that has one, and 900 bytes).
  /// The word in the list, and its lookups once more (8 more, half the stack). One check for two words of pairs (41,
  /// but then six lookups more for one in six, 43.8).
  template <class Lookup, class State>
  [[gnu::noinline]] static void jkiss64_blocks(State& generator, const Lookup& table, std::size_t blocks,
                                               std::uint8_t* values) noexcept {
    register std::uint8_t* to asm("r0") = values;
    register State* state asm("r1") = &generator;
    register const Lookup* parts asm("r2") = &table;
    register std::size_t left asm("r3") = blocks;
    register std::uint32_t factor asm("r7") = 314'527'869;
    register std::uint32_t addend asm("r8") = 1'234'567;
    register std::uint32_t multiplier asm("r9") = 4'294'584'393;
    // The frame, up from the multiple of 128: zero; end of the list, to, stack pointer, state, blocks; cells, starts,
    // high + 4, low - high - 4; listed - high - 4, word_high + 4, word_low - word_high - 4, word_last + 4; three that
    // give way to an open key, frame pointer. While a list is worked off, the stack pointer is 768 below it.
    asm volatile(".syntax unified\n\t"
                 ".macro neuromorph_draw z, c, h\n\t" // a word to z
                 "mov \\h, #0\n\t"
                 "eor ip, ip, ip, lsl #5\n\t"
                 "umlal \\c, \\h, r9, \\z\n\t"
                 "eor ip, ip, ip, lsr #7\n\t"
                 "mla fp, r7, fp, r8\n\t"
                 "eor ip, ip, ip, lsl #22\n\t"
                 "add r3, fp, ip\n\t"
                 "add \\z, r3, \\c\n\t"
                 ".endm\n\t"
                 ".macro neuromorph_bytes w\n\t"
                 "and r3, \\w, #255\n\t"
                 "and r1, lr, \\w, lsr #8\n\t"
                 "and r2, lr, \\w, lsr #16\n\t"
                 "ldrsb r3, [r10, r3]\n\t"
                 "mov \\w, \\w, lsr #24\n\t"
                 "ldrsb r1, [r10, r1]\n\t"
                 "ldrsb r2, [r10, r2]\n\t"
                 "ldrsb \\w, [r10, \\w]\n\t"
                 "orr r3, r3, r1, lsl #8\n\t"
                 "orr r3, r3, r2, lsl #16\n\t"
                 "orrs r3, r3, \\w, lsl #24\n\t"
                 "str r3, [r0], #4\n\t"
                 "stmdbmi sp!, {r0, r1, r2, \\w}\n\t"
                 ".endm\n\t"
                 ".macro neuromorph_two_words z, c, h\n\t"
                 "neuromorph_draw \\z, \\c, \\h\n\t"
                 ".if %c[pairs]\n\t"
                 "and r3, lr, \\z, lsl #1\n\t"
                 "and r1, lr, \\z, lsr #9\n\t"
                 "ldrsh r3, [r10, r3]\n\t"
                 "ldrsh r1, [r10, r1]\n\t"
                 "and r2, lr, \\z, lsr #19\n\t"
                 "ldrsh r2, [r10, r2]\n\t"
                 "orrs r3, r3, r1, lsl #16\n\t"
                 "str r3, [r0], #4\n\t"
                 "stmdbmi sp!, {r0, r1}\n\t"
                 "neuromorph_draw \\c, \\h, \\z\n\t"
                 "and r1, lr, \\c, lsl #1\n\t"
                 "and r3, lr, \\c, lsr #9\n\t"
                 "ldrsh r1, [r10, r1]\n\t"
                 "ldrsh r3, [r10, r3]\n\t"
                 "and \\c, lr, \\c, lsr #19\n\t"
                 "ldrsh \\c, [r10, \\c]\n\t"
                 "orrs r2, r2, r1, lsl #16\n\t"
                 "str r2, [r0], #4\n\t"
                 "stmdbmi sp!, {r0, r1}\n\t"
                 "orrs r3, r3, \\c, lsl #16\n\t"
                 "str r3, [r0], #4\n\t"
                 "stmdbmi sp!, {r0, \\c}\n\t"
                 ".else\n\t"
                 "neuromorph_bytes \\z\n\t"
                 "neuromorph_draw \\c, \\h, \\z\n\t"
                 "neuromorph_bytes \\c\n\t"
                 ".endif\n\t"
                 ".endm\n\t"
                 // a word to r6; with `start`, the first place to search to r10
                 ".macro neuromorph_next_key start\n\t"
                 "mov r6, #0\n\t"
                 "eor ip, ip, ip, lsl #5\n\t"
                 "umlal r5, r6, r9, r4\n\t"
                 ".ifnb \\start\n\t"
                 "ldr r10, [sp, #768 + 28]\n\t"
                 ".endif\n\t"
                 "eor ip, ip, ip, lsr #7\n\t"
                 "mla fp, r7, fp, r8\n\t"
                 "mov r4, r5\n\t"
                 "mov r5, r6\n\t"
                 ".ifnb \\start\n\t"
                 ".if %c[pairs]\n\t"
                 "mov r6, r2, lsr #22\n\t"
                 "ldrh r10, [r10, r6]\n\t"
                 ".else\n\t"
                 "ldrb r10, [r10, r2]\n\t"
                 ".endif\n\t"
                 ".endif\n\t"
                 "eor ip, ip, ip, lsl #22\n\t"
                 "add r6, fp, ip\n\t"
                 "add r6, r6, r4\n\t"
                 ".endm\n\t"
                 // r10 after the bound that is at least the key r6; `then` to r6
                 ".macro neuromorph_search then, delta, last\n\t"
                 "1:\n"
                 "cmp r2, r6\n\t"
                 "ldrlo r2, [r10], #4\n\t"
                 "blo 1b\n\t"
                 "ldr r6, [sp, #768 + \\then]\n\t"
                 "beq 3f\n\t"
                 "2:\n"
                 ".subsection 1\n\t"
                 "3:\n" // equal: the lower half decides
                 ".ifnb \\last\n\t"
                 "ldr r6, [sp, #768 + \\last]\n\t"
                 "cmp r10, r6\n\t"
                 "beq 6f\n\t"
                 ".endif\n\t"
                 "str r2, [sp, #768 + 56]\n\t"
                 "str r0, [sp, #768 + 60]\n\t"
                 "str r1, [sp, #768 + 64]\n\t"
                 "neuromorph_next_key\n\t"
                 "ldr r0, [sp, #768 + \\delta]\n\t"
                 "ldr r1, [sp, #768 + 56]\n\t"
                 "4:\n"
                 "ldr r2, [r10, #-4]\n\t"
                 "cmp r2, r1\n\t"
                 "bne 5f\n\t"
                 ".ifnb \\last\n\t"
                 "ldr r2, [sp, #768 + \\last]\n\t"
                 "cmp r10, r2\n\t"
                 "beq 5f\n\t"
                 ".endif\n\t"
                 "ldr r2, [r10, r0]\n\t"
                 "cmp r2, r6\n\t"
                 "addls r10, r10, #4\n\t"
                 "bls 4b\n\t"
                 "5:\n"
                 "ldr r0, [sp, #768 + 60]\n\t"
                 "ldr r1, [sp, #768 + 64]\n\t"
                 "6:\n"
                 "ldr r6, [sp, #768 + \\then]\n\t"
                 "b 2b\n\t"
                 ".previous\n\t"
                 ".endm\n\t"

                 "mov ip, sp\n\t" // the frame
                 "sub sp, sp, #72\n\t"
                 "bic sp, sp, #124\n\t"
                 "str fp, [sp, #68]\n\t"
                 "mov lr, #0\n\t"
                 "str lr, [sp]\n\t"
                 "str ip, [sp, #12]\n\t"
                 "str r1, [sp, #16]\n\t"
                 "str r3, [sp, #20]\n\t"
                 "ldm r2!, {r4, r5, r6, r10}\n\t"
                 "add r6, r6, #4\n\t"
                 "sub r10, r10, r6\n\t"
                 "add lr, sp, #24\n\t"
                 "stm lr!, {r4, r5, r6, r10}\n\t"
                 "mov r10, r4\n\t"
                 ".if %c[pairs]\n\t"
                 "ldm r2, {r3, r4, r5, ip}\n\t"
                 "sub r3, r3, r6\n\t"
                 "add r4, r4, #4\n\t"
                 "sub r5, r5, r4\n\t"
                 "add ip, ip, #4\n\t"
                 "stm lr, {r3, r4, r5, ip}\n\t"
                 ".endif\n\t"
                 "ldr fp, [r1]\n\t"
                 "ldr ip, [r1, #4]\n\t"
                 "ldr r4, [r1, #8]\n\t"
                 "ldr r5, [r1, #12]\n\t"
                 "b 10f\n\t"

                 "9:\n" // resolves an escape; r2 has its number, r0 its place
                 ".if %c[pairs]\n\t"
                 "mov r2, r2, lsl #23\n\t"
                 "neuromorph_next_key 1\n\t"
                 "mov r6, r6, lsr #10\n\t"
                 "orr r6, r6, r2, lsr #1\n\t"
                 "ldr r2, [sp, #768 + 32]\n\t"
                 "add r10, r2, r10, lsl #2\n\t"
                 "ldr r2, [r10, #-4]\n\t"
                 "neuromorph_search 40, 36\n\t"
                 "ldr r2, [r10, r6]\n\t"
                 "cmp r2, #65536\n\t"
                 "strh r2, [r0]\n\t"
                 "bxlo lr\n\t"
                 "neuromorph_next_key\n\t"
                 "ldr r10, [sp, #768 + 44]\n\t"
                 "ldr r2, [r10, #-4]\n\t"
                 "neuromorph_search 44, 48, 52\n\t"
                 ".else\n\t"
                 "mov r2, r2, lsr #25\n\t"
                 "neuromorph_next_key 1\n\t"
                 "mov r6, r6, lsr #8\n\t"
                 "orr r6, r6, r2, lsl #24\n\t"
                 "ldr r2, [sp, #768 + 32]\n\t"
                 "add r10, r2, r10, lsl #2\n\t"
                 "ldr r2, [r10, #-4]\n\t"
                 "neuromorph_search 32, 36\n\t"
                 ".endif\n\t"
                 "sub r10, r10, r6\n\t"
                 "mov r10, r10, lsr #2\n\t"
                 "strb r10, [r0, #%c[pairs]]\n\t"
                 "bx lr\n\t"

                 "10:\n" // a block
                 ".if %c[pairs]\n\t"
                 "mov lr, #0x7F0\n\t"
                 "orr lr, lr, #0xE\n\t"
                 "cmp r0, #0\n\t"
                 ".else\n\t"
                 "mov lr, #0xFF\n\t"
                 "orr lr, lr, #0x3000000\n\t"
                 ".endif\n\t"
                 "11:\n"
                 ".rept 2 + 2 * %c[pairs]\n\t"
                 "neuromorph_two_words r4, r5, r6\n\t"
                 "neuromorph_two_words r6, r4, r5\n\t"
                 "neuromorph_two_words r5, r6, r4\n\t"
                 ".endr\n\t"
                 ".if %c[pairs]\n\t"
                 "bvs 12f\n\t"
                 "mov r3, #0x80000000\n\t"
                 "cmp r3, #1\n\t"
                 "b 11b\n\t"
                 ".else\n\t"
                 "subs lr, lr, #0x1000000\n\t"
                 "bpl 11b\n\t"
                 ".endif\n\t"

                 "12:\n" // where the list began
                 "add r3, sp, #124\n\t"
                 "bic r3, r3, #124\n\t"
                 "13:\n"
                 "ldr r1, [r3]\n\t"
                 "cmp r1, #0\n\t"
                 "addne r3, r3, #128\n\t"
                 "bne 13b\n\t"
                 "cmp r3, sp\n\t"
                 "beq 16f\n\t"
                 "mov r1, sp\n\t"
                 "sub sp, r3, #768\n\t"
                 "str r1, [sp, #768 + 4]\n\t"
                 "str r0, [sp, #768 + 8]\n\t"
                 "14:\n" // an entry
                 ".if %c[pairs]\n\t"
                 "ldmdb r3!, {r0, r1}\n\t"
                 "ldrsh r2, [r0, #-4]!\n\t"
                 "strh r1, [r0, #2]\n\t"
                 "cmp r2, #0\n\t"
                 "blmi 9b\n\t"
                 "add r0, r0, #2\n\t"
                 "movs r2, r1\n\t"
                 "ldr r1, [sp, #768 + 4]\n\t"
                 "blmi 9b\n\t"
                 ".else\n\t"
                 "ldmdb r3!, {r0, r1, r2, r10}\n\t"
                 "strb r1, [r0, #-3]\n\t"
                 "strb r2, [r0, #-2]\n\t"
                 "strb r10, [r0, #-1]\n\t"
                 "ldr r1, [r0, #-4]!\n\t"
                 "movs r2, r1, lsl #25\n\t"
                 "blcs 9b\n\t"
                 "add r0, r0, #1\n\t"
                 "movs r2, r1, lsl #17\n\t"
                 "blcs 9b\n\t"
                 "add r0, r0, #1\n\t"
                 "movs r2, r1, lsl #9\n\t"
                 "blcs 9b\n\t"
                 "add r0, r0, #1\n\t"
                 "movs r2, r1, lsl #1\n\t"
                 "ldr r1, [sp, #768 + 4]\n\t"
                 "blcs 9b\n\t"
                 ".endif\n\t"
                 "cmp r3, r1\n\t"
                 "bne 14b\n\t"
                 "ldr r0, [sp, #768 + 8]\n\t"
                 "ldr r10, [sp, #768 + 24]\n\t"
                 "add sp, sp, #768\n\t"
                 "16:\n" // the next block
                 "ldr r3, [sp, #20]\n\t"
                 "subs r3, r3, #1\n\t"
                 "str r3, [sp, #20]\n\t"
                 "bne 10b\n\t"
                 "ldr r1, [sp, #16]\n\t"
                 "str fp, [r1]\n\t"
                 "str ip, [r1, #4]\n\t"
                 "str r4, [r1, #8]\n\t"
                 "str r5, [r1, #12]\n\t"
                 "ldr fp, [sp, #68]\n\t"
                 "ldr sp, [sp, #12]\n\t"
                 ".purgem neuromorph_draw\n\t"
                 ".purgem neuromorph_bytes\n\t"
                 ".purgem neuromorph_two_words\n\t"
                 ".purgem neuromorph_next_key\n\t"
                 ".purgem neuromorph_search\n\t"
                 : "+r"(to), "+r"(state), "+r"(parts), "+r"(left)
                 : "r"(factor), "r"(addend), "r"(multiplier), [pairs] "n"(std::is_same_v<Lookup, PairLookup>)
                 : "r4", "r5", "r6", "r10", "ip", "lr", "cc", "memory");
  }

  /// 19 1/2 cycles a value, 7 more per 12, about 17 for each above the fourth bound, the call 90:
  ///
  ///     11 cycles                the word w
  ///     cmp b0, w                the first four bounds are in registers
  ///     addlo k, k, #1 << ..     k has the positions of four words, each in its byte; mov k, #0 for the first
  ///     cmplo b1, w
  ///     addlo k, k, #1 << ..
  ///     cmplo b2, w
  ///     addlo k, k, #1 << ..
  ///     cmplo b3, w
  ///     bls ..                   above b3, or equal to a bound: behind the loop, where each word has its code
  ///     str k, [to], #4          for four
  ///
  /// At a rate of 1.6 a value takes 21.7 (benchmark poisson/1.6/word). A word that is equal to a bound is noted as
  /// open, and the passes end with its block.
  ///
  /// Bound: the word, one instruction that looks at it, one for the outcome, a share of the store: 13.25. A search by
  /// comparisons has k + 1 of them with k steps between, and half a cycle for zero and store, 15.7 at a mean of 1.6.
  /// With no branch on random bits, as a taken one is 3, all four, 18.5, and then 8 of 100 words go on.
  ///
  /// Run: a loop of its own, see above. Counted: words above b3 in a list on the stack (23.7, as it is worked
  /// off every 24 words); a store for each value (23.2). Halving the range (as many instructions for three bounds, and
  /// words that are equal to one pass unseen). A guide of 256 bytes by the word's upper byte (18, but a byte table is
  /// not larger and takes 7).
  template <class State>
  [[gnu::noinline]] static WordBlocks jkiss64_words(State& generator, const std::uint32_t* high, std::size_t blocks,
                                                    std::uint8_t* values, OpenValue* open) noexcept {
    const std::array<std::uint32_t, 4> first = first_bounds(high);
    const std::uint32_t* const first_at = first.data(); // a call must not stand between the registers below
    register std::uint8_t* to asm("r0") = values;
    register State* state asm("r1") = &generator;
    register const std::uint32_t* bounds asm("r2") = high;
    register std::size_t passes asm("r3") = 4 * blocks;
    register OpenValue* opened asm("r4") = open;
    register const std::uint32_t* four asm("r10") = first_at;
    register std::uint32_t factor asm("r7") = 314'527'869;
    register std::uint32_t addend asm("r8") = 1'234'567;
    register std::uint32_t multiplier asm("r9") = 4'294'584'393;
    // The frame: two bounds, high + 16, passes, open, two that give way to an open value with the first value's place
    // between them, state, frame pointer.
    asm volatile(".syntax unified\n\t"
                 ".macro neuromorph_word w, c, h, byte\n\t"
                 "mov \\h, #0\n\t"
                 "eor ip, ip, ip, lsl #5\n\t"
                 "umlal \\c, \\h, r9, \\w\n\t"
                 "eor ip, ip, ip, lsr #7\n\t"
                 "mla fp, r7, fp, r8\n\t"
                 "eor ip, ip, ip, lsl #22\n\t"
                 "add \\w, fp, ip\n\t"
                 "add \\w, \\w, \\c\n\t"
                 "cmp r1, \\w\n\t"
                 ".if \\byte == 0\n\t"
                 "mov r3, #0\n\t"
                 ".endif\n\t"
                 "addlo r3, r3, #1 << (8 * \\byte)\n\t"
                 "cmplo r2, \\w\n\t"
                 "addlo r3, r3, #1 << (8 * \\byte)\n\t"
                 "cmplo r10, \\w\n\t"
                 "addlo r3, r3, #1 << (8 * \\byte)\n\t"
                 "cmplo lr, \\w\n\t"
                 "bls 3f\n\t"
                 "2:\n"
                 ".if \\byte == 3\n\t"
                 "str r3, [r0], #4\n\t"
                 ".endif\n\t"
                 ".subsection 1\n\t"
                 "3:\n" // above the fourth bound, or equal to one
                 "beq 5f\n\t"
                 "ldr r1, [sp, #8]\n\t"
                 "add r3, r3, #1 << (8 * \\byte)\n\t"
                 "ldr r2, [r1], #4\n\t"
                 "4:\n"
                 "cmp r2, \\w\n\t"
                 "addlo r3, r3, #1 << (8 * \\byte)\n\t"
                 "ldrlo r2, [r1], #4\n\t"
                 "blo 4b\n\t"
                 "ldmne sp, {r1, r2}\n\t"
                 "bne 2b\n\t"
                 "5:\n" // equal
                 "str lr, [sp, #20]\n\t"
                 "mov r1, #\\byte\n\t"
                 "mov r2, \\w\n\t"
                 "bl 9f\n\t"
                 "ldr lr, [sp, #20]\n\t"
                 "ldm sp, {r1, r2}\n\t"
                 "b 2b\n\t"
                 ".previous\n\t"
                 ".endm\n\t"

                 "sub sp, sp, #40\n\t"
                 "add r2, r2, #16\n\t"
                 "str r2, [sp, #8]\n\t"
                 "str r3, [sp, #12]\n\t"
                 "str r4, [sp, #16]\n\t"
                 "str r0, [sp, #24]\n\t"
                 "str r1, [sp, #32]\n\t"
                 "str fp, [sp, #36]\n\t"
                 "ldr fp, [r1]\n\t"
                 "ldr ip, [r1, #4]\n\t"
                 "ldr r4, [r1, #8]\n\t"
                 "ldr r5, [r1, #12]\n\t"
                 "ldm r10, {r1, r2, r10, lr}\n\t"
                 "stm sp, {r1, r2}\n\t"
                 "1:\n"
                 "neuromorph_word r4, r5, r6, 0\n\t"
                 "neuromorph_word r5, r6, r4, 1\n\t"
                 "neuromorph_word r6, r4, r5, 2\n\t"
                 "neuromorph_word r4, r5, r6, 3\n\t"
                 "neuromorph_word r5, r6, r4, 0\n\t"
                 "neuromorph_word r6, r4, r5, 1\n\t"
                 "neuromorph_word r4, r5, r6, 2\n\t"
                 "neuromorph_word r5, r6, r4, 3\n\t"
                 "neuromorph_word r6, r4, r5, 0\n\t"
                 "neuromorph_word r4, r5, r6, 1\n\t"
                 "neuromorph_word r5, r6, r4, 2\n\t"
                 "neuromorph_word r6, r4, r5, 3\n\t"
                 "ldr r3, [sp, #12]\n\t"
                 "subs r3, r3, #1\n\t"
                 "str r3, [sp, #12]\n\t"
                 "bne 1b\n\t"
                 "ldr r1, [sp, #32]\n\t"
                 "str fp, [r1]\n\t"
                 "str ip, [r1, #4]\n\t"
                 "str r4, [r1, #8]\n\t"
                 "str r5, [r1, #12]\n\t"
                 "ldr r4, [sp, #16]\n\t"
                 "ldr fp, [sp, #36]\n\t"
                 "add sp, sp, #40\n\t"
                 ".subsection 1\n\t"
                 "9:\n" // notes an open value; the last pass is that of its block
                 "str r3, [sp, #28]\n\t"
                 "add r1, r1, r0\n\t"
                 "ldr r3, [sp, #24]\n\t"
                 "sub r1, r1, r3\n\t"
                 "ldr r3, [sp, #16]\n\t"
                 "stm r3!, {r1, r2}\n\t"
                 "str r3, [sp, #16]\n\t"
                 "ldr r3, [sp, #12]\n\t"
                 "sub r3, r3, #1\n\t"
                 "and r3, r3, #3\n\t"
                 "add r3, r3, #1\n\t"
                 "str r3, [sp, #12]\n\t"
                 "ldr r3, [sp, #28]\n\t"
                 "bx lr\n\t"
                 ".previous\n\t"
                 ".purgem neuromorph_word\n\t"
                 : "+r"(to), "+r"(state), "+r"(bounds), "+r"(passes), "+r"(opened), "+r"(four)
                 : "r"(factor), "r"(addend), "r"(multiplier)
                 : "r5", "r6", "ip", "lr", "cc", "memory");
    const std::size_t done = static_cast<std::size_t>(to - values) / 48;
    for (OpenValue* value = open; value != opened; ++value)
      value->position -= static_cast<std::uint32_t>(48 * (done - 1));
    return {done, static_cast<std::size_t>(opened - open)};
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
