// SPDX-License-Identifier: BSL-1.0
/// \file
/// ARMv5TE in ARM state: vectors of bytes and halfwords in words.
// requires: -marm -mcpu=arm968e-s (arm)
//
// It is what the compiler makes of target/arm/word_vectors.hpp, with exceptions. There the compiler turns 16 by 16 bit
// products into longer ones, or works on all four words at once and has no registers left. An instruction takes one
// cycle, and the result of a multiplication, QADD or QSUB one more before it can be used, in which something else is
// done.
//
// Cycles are of a pass of a loop over arrays, "for" what the compiler makes (benchmarks vector/... and
// vector/.../words); the loads, the store and the loop take 20 of them.
#ifndef NEUROMORPH_TARGET_ARM_ARMV5TE_VECTORS_HPP
#define NEUROMORPH_TARGET_ARM_ARMV5TE_VECTORS_HPP

#if !defined(__ARM_FEATURE_DSP) || !__ARM_FEATURE_DSP || defined(__thumb__) || defined(__ARM_BIG_ENDIAN)
#error "neuromorph/target/arm/armv5te_vectors.hpp needs ARM state with DSP: -marm -mcpu=arm968e-s or target::Generic"
#endif

#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/target/arm/word_vectors.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

struct Armv5teWordLanes : WordLanes {
  /// Signed ones: halfwords 53 for 97, bytes 81 for 97.
  template <class Element>
  [[nodiscard]] static Word add_saturating(Word a, Word b) noexcept {
    if constexpr (std::is_unsigned_v<Element>) return WordLanes::add_saturating<Element>(a, b);
    if constexpr (sizeof(Element) == 1) return signed_bytes_saturating<false>(a, b);
    return signed_halfwords_saturating<false>(a, b);
  }
  /// The same; unsigned bytes 61 for 74.
  template <class Element>
  [[nodiscard]] static Word subtract_saturating(Word a, Word b) noexcept {
    if constexpr (std::is_unsigned_v<Element>) return unsigned_difference<Element>(a, b);
    if constexpr (std::is_same_v<Element, std::int8_t>) return signed_bytes_saturating<true>(a, b);
    return signed_halfwords_saturating<true>(a, b);
  }

  /// 68 for 101: the lowest byte of a product needs the lowest bytes alone.
  template <class Element>
  [[nodiscard]] static Word multiply(Word a, Word b) noexcept {
    if constexpr (sizeof(Element) == 2) return WordLanes::multiply<Element>(a, b);
    Word result, second, c, d;
    asm("mov %[c], %[a], lsr #8\n\t"
        "mov %[d], %[b], lsr #8\n\t"
        "smulbb %[r], %[a], %[b]\n\t"
        "smulbb %[s], %[c], %[d]\n\t"
        "smultt %[c], %[c], %[d]\n\t"
        "smultt %[d], %[a], %[b]\n\t"
        "and %[r], %[r], #255\n\t"
        "and %[s], %[s], #255\n\t"
        "orr %[r], %[r], %[c], lsl #24\n\t"
        "and %[d], %[d], #255\n\t"
        "orr %[r], %[r], %[s], lsl #8\n\t"
        "orr %[r], %[r], %[d], lsl #16"
        : [r] "=&r"(result), [s] "=&r"(second), [c] "=&r"(c), [d] "=&r"(d)
        : [a] "r"(a), [b] "r"(b));
    return result;
  }
  /// 72 for 124.
  template <class Element>
  [[nodiscard]] static Word multiply_high(Word a, Word b) noexcept {
    if constexpr (std::is_same_v<Element, std::int8_t>) return signed_products<false>(a, b);
    if constexpr (sizeof(Element) == 2) return WordLanes::multiply_high<Element>(a, b);
    Word even, odd, c, d;
    asm("and %[c], %[a], %[mask]\n\t"
        "and %[d], %[b], %[mask]\n\t"
        "smulbb %[even], %[c], %[d]\n\t"
        "smultt %[odd], %[c], %[d]\n\t"
        "and %[c], %[mask], %[a], lsr #8\n\t"
        "and %[d], %[mask], %[b], lsr #8\n\t"
        "orr %[even], %[even], %[odd], lsl #16\n\t"
        "smultt %[odd], %[c], %[d]\n\t"
        "smulbb %[c], %[c], %[d]\n\t"
        "bic %[even], %[even], %[mask]\n\t"
        "orr %[odd], %[c], %[odd], lsl #16\n\t"
        "bic %[odd], %[odd], %[mask]\n\t"
        "orr %[even], %[odd], %[even], lsr #8"
        : [even] "=&r"(even), [odd] "=&r"(odd), [c] "=&r"(c), [d] "=&r"(d)
        : [a] "r"(a), [b] "r"(b), [mask] "r"(even_bytes));
    return even;
  }
  /// Halfwords 48 for 66, bytes 94 for 139.
  template <class Element>
  [[nodiscard]] static Word multiply_fractional(Word a, Word b) noexcept {
    if constexpr (sizeof(Element) == 1) return signed_products<true>(a, b);
    Word low, high;
    asm("smulbb %[low], %[a], %[b]\n\t"
        "smultt %[high], %[a], %[b]\n\t"
        "qadd %[low], %[low], %[low]\n\t"
        "qadd %[high], %[high], %[high]\n\t"
        "mov %[low], %[low], lsr #16\n\t"
        "mov %[high], %[high], lsr #16\n\t"
        "orr %[low], %[low], %[high], lsl #16"
        : [low] "=&r"(low), [high] "=&r"(high)
        : [a] "r"(a), [b] "r"(b));
    return low;
  }

  /// Products of both bytes added up in one register, and what is not of their bytes dropped. A vector of the STDP rule
  /// takes 331 for 386 (mask/stdp/unmasked).
  template <unsigned Shift, bool Away>
  [[nodiscard]] static Word scaled_difference(Word a, Word b, Word factor, Word minus, Word offset) noexcept {
    Word c, d, p, q, r, s;
    asm("and %[c], %[mask], %[a]\n\t"
        "smulbb %[p], %[c], %[f]\n\t"
        "smultb %[q], %[c], %[f]\n\t"
        "and %[c], %[mask], %[b]\n\t"
        "and %[d], %[mask], %[a], lsr #8\n\t"
        "smlabb %[p], %[c], %[m], %[p]\n\t"
        "smlatb %[q], %[c], %[m], %[q]\n\t"
        "smulbb %[r], %[d], %[f]\n\t"
        "smultb %[s], %[d], %[f]\n\t"
        "and %[d], %[mask], %[b], lsr #8\n\t"
        "smlabb %[r], %[d], %[m], %[r]\n\t"
        "smlatb %[s], %[d], %[m], %[s]\n\t"
        ".if %c[away]\n\t"
        "add %[p], %[p], %[p], asr #31\n\t"
        "add %[q], %[q], %[q], asr #31\n\t"
        "add %[r], %[r], %[r], asr #31\n\t"
        "add %[s], %[s], %[s], asr #31\n\t"
        ".endif"
        : [c] "=&r"(c), [d] "=&r"(d), [p] "=&r"(p), [q] "=&r"(q), [r] "=&r"(r), [s] "=&r"(s)
        : [a] "r"(a), [b] "r"(b), [f] "r"(factor), [m] "r"(minus), [mask] "r"(even_bytes), [away] "n"(Away));
    p += offset & 0xFF, r += offset >> 8 & 0xFF, q += offset >> 16 & 0xFF, s += offset >> 24;
    constexpr Word byte = 0xFFU << Shift;
    return (p & byte) >> Shift | (r & byte) << (8 - Shift) | (q & byte) << (16 - Shift) | s >> Shift << 24;
  }

  /// 56 for 67, signed 60 for 74; `less` 45 for 50.
  template <class Element>
  [[nodiscard]] static Word(min)(Word a, Word b) noexcept {
    const Compared compared = compare<Element>(a, b);
    return b ^ (compared.differ & compared.less);
  }
  template <class Element>
  [[nodiscard]] static Word(max)(Word a, Word b) noexcept {
    const Compared compared = compare<Element>(a, b);
    return a ^ (compared.differ & compared.less);
  }
  template <class Element>
  [[nodiscard]] static Word less(Word a, Word b) noexcept {
    return compare<Element>(a, b).less;
  }

  /// 124 for 178, signed ones.
  template <class Element>
  [[nodiscard]] static Word pack_saturating(Word low, Word high) noexcept {
    Word result, other;
    if constexpr (std::is_unsigned_v<Element>)
      asm("mov %[r], %[low], lsl #16\n\t"
          "movs %[r], %[r], asr #16\n\t"
          "movmi %[r], #0\n\t"
          "cmp %[r], #255\n\t"
          "movgt %[r], #255\n\t"
          "movs %[o], %[low], asr #16\n\t"
          "movmi %[o], #0\n\t"
          "cmp %[o], #255\n\t"
          "movgt %[o], #255\n\t"
          "orr %[r], %[r], %[o], lsl #8\n\t"
          "mov %[o], %[high], lsl #16\n\t"
          "movs %[o], %[o], asr #16\n\t"
          "movmi %[o], #0\n\t"
          "cmp %[o], #255\n\t"
          "movgt %[o], #255\n\t"
          "orr %[r], %[r], %[o], lsl #16\n\t"
          "movs %[o], %[high], asr #16\n\t"
          "movmi %[o], #0\n\t"
          "cmp %[o], #255\n\t"
          "movgt %[o], #255\n\t"
          "orr %[r], %[r], %[o], lsl #24"
          : [r] "=&r"(result), [o] "=&r"(other)
          : [low] "r"(low), [high] "r"(high)
          : "cc");
    else // 128 more, held as above, and the tops turned
      asm("mov %[r], #128\n\t"
          "mov %[o], %[low], lsl #16\n\t"
          "adds %[r], %[r], %[o], asr #16\n\t"
          "movmi %[r], #0\n\t"
          "cmp %[r], #255\n\t"
          "movgt %[r], #255\n\t"
          "mov %[o], #128\n\t"
          "adds %[o], %[o], %[low], asr #16\n\t"
          "movmi %[o], #0\n\t"
          "cmp %[o], #255\n\t"
          "movgt %[o], #255\n\t"
          "orr %[r], %[r], %[o], lsl #8\n\t"
          "mov %[o], %[high], lsl #16\n\t"
          "mov %[o], %[o], asr #16\n\t"
          "adds %[o], %[o], #128\n\t"
          "movmi %[o], #0\n\t"
          "cmp %[o], #255\n\t"
          "movgt %[o], #255\n\t"
          "orr %[r], %[r], %[o], lsl #16\n\t"
          "mov %[o], #128\n\t"
          "adds %[o], %[o], %[high], asr #16\n\t"
          "movmi %[o], #0\n\t"
          "cmp %[o], #255\n\t"
          "movgt %[o], #255\n\t"
          "orr %[r], %[r], %[o], lsl #24\n\t"
          "eor %[r], %[r], %[tops]"
          : [r] "=&r"(result), [o] "=&r"(other)
          : [low] "r"(low), [high] "r"(high), [tops] "r"(tops<Element>)
          : "cc");
    return result;
  }

private:
  struct Compared {
    Word differ, less;
  };
  template <class Element>
  [[nodiscard]] static Compared compare(Word a, Word b) noexcept {
    Word differ, less, only_b;
    asm("eor %[differ], %[a], %[b]\n\t"
        "bic %[only_b], %[b], %[a]\n\t"
        "orr %[less], %[tops], %[differ], lsr #1\n\t"
        "sub %[less], %[less], %[only_b]\n\t"
        ".if %c[sign]\n\t"
        "eor %[less], %[less], %[differ]\n\t"
        ".endif\n\t"
        "bic %[less], %[ones], %[less], lsr %[bits] - 1\n\t"
        "rsb %[less], %[less], %[less], lsl %[bits]"
        : [differ] "=&r"(differ), [less] "=&r"(less), [only_b] "=&r"(only_b)
        : [a] "r"(a), [b] "r"(b), [tops] "r"(tops<Element>), [ones] "r"(in_each<Element>(1)),
          [sign] "n"(std::is_signed_v<Element>), [bits] "n"(8 * sizeof(Element)));
    return {differ, less};
  }

  /// Signed halfwords are held at the ends of words. What is below an upper half does no harm if only one operand has
  /// it: it neither carries nor keeps a sum from leaving the range.
  template <bool IsDifference>
  [[nodiscard]] static Word signed_halfwords_saturating(Word a, Word b) noexcept {
    Word low, high, shifted;
    asm("mov %[shifted], %[b], lsl #16\n\t"
        "mov %[low], %[a], lsl #16\n\t"
        "sub %[high], %[b], %[shifted], lsr #16\n\t"
        ".if %c[difference]\n\t"
        "qsub %[low], %[low], %[shifted]\n\t"
        "qsub %[high], %[a], %[high]\n\t"
        ".else\n\t"
        "qadd %[low], %[low], %[shifted]\n\t"
        "qadd %[high], %[a], %[high]\n\t"
        ".endif\n\t"
        "mov %[low], %[low], lsr #16\n\t"
        "mov %[high], %[high], lsr #16\n\t"
        "orr %[low], %[low], %[high], lsl #16"
        : [low] "=&r"(low), [high] "=&r"(high), [shifted] "=&r"(shifted)
        : [a] "r"(a), [b] "r"(b), [difference] "n"(IsDifference));
    return low;
  }
  /// WordLanes's sum or difference of signed bytes, with its constants in two registers.
  template <bool IsDifference>
  [[nodiscard]] static Word signed_bytes_saturating(Word a, Word b) noexcept {
    Word result, differ, other;
    asm("bic %[t], %[b], %[tops]\n\t"
        "eor %[d], %[a], %[b]\n\t"
        ".if %c[difference]\n\t"
        "orr %[r], %[a], %[tops]\n\t"
        "sub %[r], %[r], %[t]\n\t"
        "bic %[t], %[tops], %[d]\n\t"
        "eor %[r], %[r], %[t]\n\t"
        "eor %[t], %[a], %[r]\n\t"
        "and %[t], %[t], %[d]\n\t"
        ".else\n\t"
        "bic %[r], %[a], %[tops]\n\t"
        "add %[r], %[r], %[t]\n\t"
        "and %[t], %[tops], %[d]\n\t"
        "eor %[r], %[r], %[t]\n\t"
        "eor %[t], %[a], %[r]\n\t"
        "bic %[t], %[t], %[d]\n\t"
        ".endif\n\t"
        "and %[t], %[ones], %[t], lsr #7\n\t"
        "and %[d], %[ones], %[r], lsr #7\n\t"
        "rsb %[t], %[t], %[t], lsl #8\n\t" // where it left the range
        "sub %[d], %[tops], %[d]\n\t"      // the end that it left by
        "eor %[d], %[d], %[r]\n\t"
        "and %[d], %[d], %[t]\n\t"
        "eor %[r], %[r], %[d]"
        : [r] "=&r"(result), [d] "=&r"(differ), [t] "=&r"(other)
        : [a] "r"(a), [b] "r"(b), [tops] "r"(tops<std::int8_t>), [ones] "r"(in_each<std::int8_t>(1)),
          [difference] "n"(IsDifference));
    return result;
  }
  /// WordLanes's difference of unsigned lanes, at least 0.
  template <class Element>
  [[nodiscard]] static Word unsigned_difference(Word a, Word b) noexcept {
    Word result, differ, other;
    asm("eor %[d], %[a], %[b]\n\t"
        "bic %[t], %[b], %[a]\n\t"
        "orr %[r], %[tops], %[d], lsr #1\n\t"
        "sub %[r], %[r], %[t]\n\t"
        "bic %[t], %[ones], %[r], lsr %[bits] - 1\n\t"
        "and %[d], %[d], %[ones]\n\t"
        "rsb %[t], %[t], %[t], lsl %[bits]\n\t"
        "bic %[r], %[r], %[tops]\n\t"
        "orr %[r], %[d], %[r], lsl #1\n\t"
        "bic %[r], %[r], %[t]"
        : [r] "=&r"(result), [d] "=&r"(differ), [t] "=&r"(other)
        : [a] "r"(a), [b] "r"(b), [tops] "r"(tops<Element>), [ones] "r"(in_each<Element>(1)),
          [bits] "n"(8 * sizeof(Element)));
    return result;
  }

  /// The upper bytes of products, or of doubled ones. A doubled product takes the top of the one below it into its
  /// lowest bit, which is dropped. Of these only -1 times -1 gives -1 and must be held.
  template <bool IsDouble>
  [[nodiscard]] static Word signed_products(Word a, Word b) noexcept {
    Word even, odd, c, d;
    asm("and %[c], %[mask], %[a], lsl #8\n\t"
        "and %[d], %[mask], %[b], lsl #8\n\t"
        "smulbb %[even], %[c], %[d]\n\t"
        "smultt %[odd], %[c], %[d]\n\t"
        "and %[c], %[a], %[mask]\n\t"
        "and %[d], %[b], %[mask]\n\t"
        "orr %[even], %[odd], %[even], lsr #16\n\t"
        "smulbb %[odd], %[c], %[d]\n\t"
        "smultt %[c], %[c], %[d]\n\t"
        "and %[even], %[mask], %[even], lsl %[doubled]\n\t"
        "orr %[odd], %[c], %[odd], lsr #16\n\t"
        "and %[odd], %[mask], %[odd], lsl %[doubled]\n\t"
        "orr %[even], %[odd], %[even], lsr #8\n\t"
        ".if %c[doubled]\n\t"
        "bic %[c], %[even], %[tops]\n\t"
        "sub %[c], %[tops], %[c]\n\t"
        "and %[c], %[c], %[even]\n\t"
        "and %[c], %[c], %[tops]\n\t"
        "sub %[even], %[even], %[c], lsr #7\n\t"
        ".endif"
        : [even] "=&r"(even), [odd] "=&r"(odd), [c] "=&r"(c), [d] "=&r"(d)
        : [a] "r"(a), [b] "r"(b), [mask] "r"(~even_bytes), [tops] "r"(tops<std::int8_t>), [doubled] "n"(IsDouble));
    return even;
  }
};

using Armv5teVectors = WordVectors<Armv5teWordLanes>;

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
