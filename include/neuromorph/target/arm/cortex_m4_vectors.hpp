// SPDX-License-Identifier: BSL-1.0
/// \file
/// ARMv7E-M: vectors of bytes and halfwords by the SIMD instructions on 32-bit words.
// requires: -mthumb -mcpu=cortex-m4 (arm)
//
// Each instruction takes one cycle. Comparisons set the four GE flags, by which SEL selects: intrinsics tell the
// compiler so, and assembly is left for what has none.
//
// Cycles are of a pass of a loop over arrays, "for" what the compiler makes of target/arm/word_vectors.hpp (benchmarks
// vector/... and vector/.../words). The loads, the store and the loop take 26 of them, as GCC 12 fetches two words by
// LDRD here and by LDR there: an addition takes 30 for 50, held at the ends 31 for 102, a comparison 32 for 62, min and
// max 31 for 81.
#ifndef NEUROMORPH_TARGET_ARM_CORTEX_M4_VECTORS_HPP
#define NEUROMORPH_TARGET_ARM_CORTEX_M4_VECTORS_HPP

#if !defined(__ARM_FEATURE_SIMD32) || !__ARM_FEATURE_SIMD32 || !defined(__thumb2__) || defined(__ARM_BIG_ENDIAN)
#error "neuromorph/target/arm/cortex_m4_vectors.hpp needs Thumb-2 with DSP: use -mthumb -mcpu=cortex-m4"
#endif

#include <arm_acle.h>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/target/arm/word_vectors.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

struct CortexM4WordLanes : WordLanes {
  template <class Element>
  [[nodiscard]] static Word add(Word a, Word b) noexcept {
    if constexpr (sizeof(Element) == 1) return __uadd8(a, b);
    if constexpr (sizeof(Element) == 2) return __uadd16(a, b);
  }
  template <class Element>
  [[nodiscard]] static Word subtract(Word a, Word b) noexcept {
    if constexpr (sizeof(Element) == 1) return __usub8(a, b);
    if constexpr (sizeof(Element) == 2) return __usub16(a, b);
  }
  template <class Element>
  [[nodiscard]] static Word add_saturating(Word a, Word b) noexcept {
    if constexpr (std::is_same_v<Element, std::uint8_t>) return __uqadd8(a, b);
    if constexpr (std::is_same_v<Element, std::int8_t>) return word(__qadd8(number(a), number(b)));
    if constexpr (std::is_same_v<Element, std::uint16_t>) return __uqadd16(a, b);
    if constexpr (std::is_same_v<Element, std::int16_t>) return word(__qadd16(number(a), number(b)));
  }
  template <class Element>
  [[nodiscard]] static Word subtract_saturating(Word a, Word b) noexcept {
    if constexpr (std::is_same_v<Element, std::uint8_t>) return __uqsub8(a, b);
    if constexpr (std::is_same_v<Element, std::int8_t>) return word(__qsub8(number(a), number(b)));
    if constexpr (std::is_same_v<Element, std::uint16_t>) return __uqsub16(a, b);
    if constexpr (std::is_same_v<Element, std::int16_t>) return word(__qsub16(number(a), number(b)));
  }

  /// Bytes 65 for 109.
  template <class Element>
  [[nodiscard]] static Word multiply(Word a, Word b) noexcept {
    if constexpr (sizeof(Element) == 2) return WordLanes::multiply<Element>(a, b);
    // the lowest byte of a product needs the lowest bytes alone
    Word result, second, c, d;
    asm("lsr %[c], %[a], #8\n\t"
        "lsr %[d], %[b], #8\n\t"
        "smulbb %[r], %[a], %[b]\n\t"
        "smulbb %[s], %[c], %[d]\n\t"
        "smultt %[c], %[c], %[d]\n\t"
        "smultt %[d], %[a], %[b]\n\t"
        "bfi %[r], %[s], #8, #8\n\t"
        "bfi %[r], %[d], #16, #8\n\t"
        "bfi %[r], %[c], #24, #8"
        : [r] "=&r"(result), [s] "=&r"(second), [c] "=&r"(c), [d] "=&r"(d)
        : [a] "r"(a), [b] "r"(b));
    return result;
  }
  /// Bytes 77 for 129.
  template <class Element>
  [[nodiscard]] static Word multiply_high(Word a, Word b) noexcept {
    if constexpr (sizeof(Element) == 2) return WordLanes::multiply_high<Element>(a, b);
    return byte_products<Element, false>(a, b);
  }
  /// Bytes 85 for 136, halfwords 49 for 70.
  template <class Element>
  [[nodiscard]] static Word multiply_fractional(Word a, Word b) noexcept {
    if constexpr (sizeof(Element) == 1) return byte_products<Element, true>(a, b);
    Word low, high;
    asm("smulbb %[low], %[a], %[b]\n\t"
        "smultt %[high], %[a], %[b]\n\t"
        "qadd %[low], %[low], %[low]\n\t"
        "qadd %[high], %[high], %[high]\n\t"
        "pkhtb %[low], %[high], %[low], asr #16"
        : [low] "=&r"(low), [high] "=&r"(high)
        : [a] "r"(a), [b] "r"(b));
    return low;
  }
  /// Differences, signs and sums of two lanes at once; saturation to one bit is the sign, and nothing sets GE flags. A
  /// vector of the STDP rule takes 176 for 273 (mask/stdp/unmasked).
  template <unsigned Shift, bool Away>
  [[nodiscard]] static Word scaled_difference(Word a, Word b, Word factor, Word, Word offset) noexcept {
    Word even, odd, c, d;
    asm("uxtb16 %[even], %[a]\n\t"
        "uxtb16 %[c], %[b]\n\t"
        "uxtb16 %[odd], %[a], ror #8\n\t"
        "uxtb16 %[d], %[b], ror #8\n\t"
        "qsub16 %[even], %[even], %[c]\n\t"
        "qsub16 %[odd], %[odd], %[d]\n\t"
        "smulbb %[c], %[even], %[f]\n\t"
        "smultt %[even], %[even], %[f]\n\t"
        "smulbb %[d], %[odd], %[f]\n\t"
        "smultt %[odd], %[odd], %[f]\n\t"
        "pkhbt %[even], %[c], %[even], lsl #16\n\t"
        "pkhbt %[odd], %[d], %[odd], lsl #16\n\t"
        ".if %c[away]\n\t"
        "ssat16 %[c], #1, %[even]\n\t"
        "ssat16 %[d], #1, %[odd]\n\t"
        "qadd16 %[even], %[even], %[c]\n\t"
        "qadd16 %[odd], %[odd], %[d]\n\t"
        ".endif\n\t"
        "qadd16 %[even], %[even], %[e]\n\t"
        "qadd16 %[odd], %[odd], %[o]\n\t"
        ".if %c[doubled]\n\t"
        "qadd16 %[even], %[even], %[even]\n\t"
        "qadd16 %[odd], %[odd], %[odd]\n\t"
        ".endif\n\t"
        "and %[odd], %[odd], #0xFF00FF00\n\t"
        "uxtab16 %[even], %[odd], %[even], ror #8"
        : [even] "=&r"(even), [odd] "=&r"(odd), [c] "=&r"(c), [d] "=&r"(d)
        : [a] "r"(a), [b] "r"(b), [f] "r"(factor), [e] "r"(offset & even_bytes), [o] "r"(offset >> 8 & even_bytes),
          [away] "n"(Away), [doubled] "n"(Shift == 7));
    return even;
  }
  template <class Element>
  [[nodiscard]] static Word(min)(Word a, Word b) noexcept {
    compare<Element>(a, b);
    return __sel(b, a);
  }
  template <class Element>
  [[nodiscard]] static Word(max)(Word a, Word b) noexcept {
    compare<Element>(a, b);
    return __sel(a, b);
  }

  template <class Element>
  [[nodiscard]] static Word equal(Word a, Word b) noexcept {
    compare<std::make_unsigned_t<Element>>(0, a ^ b);
    return __sel(~Word{0}, 0);
  }
  template <class Element>
  [[nodiscard]] static Word nonzero(Word a) noexcept {
    compare<Element>(0, a);
    return __sel(0, ~Word{0});
  }
  template <class Element>
  [[nodiscard]] static Word less(Word a, Word b) noexcept {
    compare<Element>(a, b);
    return __sel(0, ~Word{0});
  }
  /// Doubling all bits carries, doubling none does not.
  [[nodiscard]] static Word select(Word flag, Word when_true, Word when_false) noexcept {
    (void)__uadd8(flag, flag);
    return __sel(when_true, when_false);
  }

  /// 28 for 42.
  template <class Element>
  [[nodiscard]] static Pair unpack(Word a) noexcept {
    Word low, high;
    if constexpr (std::is_signed_v<Element>)
      asm("sxtb16 %[low], %[a]\n\tsxtb16 %[high], %[a], ror #8" : [low] "=&r"(low), [high] "=r"(high) : [a] "r"(a));
    else
      asm("uxtb16 %[low], %[a]\n\tuxtb16 %[high], %[a], ror #8" : [low] "=&r"(low), [high] "=r"(high) : [a] "r"(a));
    return {halves(low, high), upper_halves(low, high)};
  }
  [[nodiscard]] static Pair unpack_flags(Word a) noexcept { return unpack<std::int8_t>(a); }
  /// 46 for 47, and 8 instructions less.
  [[nodiscard]] static Word pack(Word low, Word high) noexcept {
    Word even, odd;
    asm("pkhbt %[even], %[low], %[high], lsl #16\n\t"
        "pkhtb %[odd], %[high], %[low], asr #16\n\t"
        "uxtb16 %[even], %[even]\n\t"
        "uxtb16 %[odd], %[odd]\n\t"
        "orr %[even], %[even], %[odd], lsl #8"
        : [even] "=&r"(even), [odd] "=&r"(odd)
        : [low] "r"(low), [high] "r"(high));
    return even;
  }
  /// 53 for 177.
  template <class Element>
  [[nodiscard]] static Word pack_saturating(Word low, Word high) noexcept {
    if constexpr (std::is_signed_v<Element>) {
      asm("ssat16 %0, #8, %0" : "+r"(low));
      asm("ssat16 %0, #8, %0" : "+r"(high));
      return pack(low, high);
    } else {
      asm("usat16 %0, #8, %0" : "+r"(low));
      asm("usat16 %0, #8, %0" : "+r"(high));
      return halves(low | low >> 8, high | high >> 8);
    }
  }

private:
  [[nodiscard]] static std::int32_t number(Word a) noexcept { return static_cast<std::int32_t>(a); }
  [[nodiscard]] static Word word(std::int32_t a) noexcept { return static_cast<Word>(a); }

  /// Sets the GE flags of the lanes where a is at least b.
  template <class Element>
  static void compare(Word a, Word b) noexcept {
    if constexpr (std::is_same_v<Element, std::uint8_t>) (void)__usub8(a, b);
    if constexpr (std::is_same_v<Element, std::int8_t>) (void)__ssub8(number(a), number(b));
    if constexpr (std::is_same_v<Element, std::uint16_t>) (void)__usub16(a, b);
    if constexpr (std::is_same_v<Element, std::int16_t>) (void)__ssub16(number(a), number(b));
  }

  /// The upper bytes of products, which are doubled and held before if IsDouble.
  template <class Element, bool IsDouble>
  [[nodiscard]] static Word byte_products(Word a, Word b) noexcept {
    Word even, odd, c, d;
    asm(".if %c[sign]\n\t"
        "sxtb16 %[c], %[a]\n\t"
        "sxtb16 %[d], %[b]\n\t"
        ".else\n\t"
        "uxtb16 %[c], %[a]\n\t"
        "uxtb16 %[d], %[b]\n\t"
        ".endif\n\t"
        "smulbb %[even], %[c], %[d]\n\t"
        "smultt %[odd], %[c], %[d]\n\t"
        "pkhbt %[even], %[even], %[odd], lsl #16\n\t"
        ".if %c[sign]\n\t"
        "sxtb16 %[c], %[a], ror #8\n\t"
        "sxtb16 %[d], %[b], ror #8\n\t"
        ".else\n\t"
        "uxtb16 %[c], %[a], ror #8\n\t"
        "uxtb16 %[d], %[b], ror #8\n\t"
        ".endif\n\t"
        "smulbb %[odd], %[c], %[d]\n\t"
        "smultt %[c], %[c], %[d]\n\t"
        "pkhbt %[odd], %[odd], %[c], lsl #16\n\t"
        ".if %c[doubled]\n\t"
        "qadd16 %[even], %[even], %[even]\n\t"
        "qadd16 %[odd], %[odd], %[odd]\n\t"
        ".endif\n\t"
        "and %[odd], %[odd], #0xFF00FF00\n\t"
        "uxtab16 %[even], %[odd], %[even], ror #8"
        : [even] "=&r"(even), [odd] "=&r"(odd), [c] "=&r"(c), [d] "=&r"(d)
        : [a] "r"(a), [b] "r"(b), [sign] "n"(std::is_signed_v<Element>), [doubled] "n"(IsDouble));
    return even;
  }
};

using CortexM4Vectors = WordVectors<CortexM4WordLanes>;

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
