// SPDX-License-Identifier: BSL-1.0
/// \file
/// x86 with AVX-512 (BW, DQ, VL, VNNI; Ice Lake, Zen 4 and later): sixteen 32-bit lanes, four vectors of 128
/// bits at once.
// requires: -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni (x86)
#ifndef NEUROMORPH_TARGET_X86_AVX512_HPP
#define NEUROMORPH_TARGET_X86_AVX512_HPP

#if !defined(__AVX512BW__) || !defined(__AVX512DQ__) || !defined(__AVX512VL__) || !defined(__AVX512VNNI__)
#error "neuromorph/target/x86/avx512.hpp needs AVX-512 BW, DQ, VL and VNNI: use -march=native or target::Avx2"
#endif

#include <cstddef>
#include <cstdint>
#include <immintrin.h>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/target/compiler_lanes.hpp>
#include <neuromorph/target/discrete_lookup.hpp>
#include <neuromorph/target/generic.hpp>
#include <neuromorph/target/generic_vectors.hpp>
#include <neuromorph/target/lane_replay.hpp>
#include <neuromorph/target/x86/avx2.hpp>
#include <neuromorph/target/x86/avx512_neurons.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Four vectors at once. Flags are mask registers, one bit per lane: what a comparison gives and a blend takes, and
/// already their `bits`. Generic has them as vectors. These take 1.2 times as long to select by, twice for `any`, 6
/// times for `bits`. They take only 0.8 times where a comparison is to become a vector. The compiler's own code
/// takes 10 times as long for the upper half of products and twice for what saturates (benchmarks vector/*/avx512
/// and generic_4, on the Xeon of docs/performance.md).
struct Avx512Vectors : GenericVectors<4> {
  using Offers = offer::List<offer::NonzeroLanes>;
  using Portable = GenericVectors<4>;

  template <class Width>
  struct Flags {
    std::conditional_t<sizeof(Width) == 1, __mmask64, __mmask32> mask;
  };
  template <class Element>
  using FlagsOf = Flags<UnsignedLane<Element>>;

  template <class Element>
  [[nodiscard, gnu::always_inline]] static Register<Element> add_saturating(const Register<Element>& a,
                                                                            const Register<Element>& b) noexcept {
    if constexpr (std::is_same_v<Element, std::uint8_t>) return of<Register<Element>>(_mm512_adds_epu8(in(a), in(b)));
    if constexpr (std::is_same_v<Element, std::int8_t>) return of<Register<Element>>(_mm512_adds_epi8(in(a), in(b)));
    if constexpr (std::is_same_v<Element, std::uint16_t>) return of<Register<Element>>(_mm512_adds_epu16(in(a), in(b)));
    if constexpr (std::is_same_v<Element, std::int16_t>) return of<Register<Element>>(_mm512_adds_epi16(in(a), in(b)));
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static Register<Element> subtract_saturating(const Register<Element>& a,
                                                                                 const Register<Element>& b) noexcept {
    if constexpr (std::is_same_v<Element, std::uint8_t>) return of<Register<Element>>(_mm512_subs_epu8(in(a), in(b)));
    if constexpr (std::is_same_v<Element, std::int8_t>) return of<Register<Element>>(_mm512_subs_epi8(in(a), in(b)));
    if constexpr (std::is_same_v<Element, std::uint16_t>) return of<Register<Element>>(_mm512_subs_epu16(in(a), in(b)));
    if constexpr (std::is_same_v<Element, std::int16_t>) return of<Register<Element>>(_mm512_subs_epi16(in(a), in(b)));
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static Register<Element> multiply_high(const Register<Element>& a,
                                                                           const Register<Element>& b) noexcept {
    if constexpr (sizeof(Element) == 1) return Portable::multiply_high<Element>(a, b);
    if constexpr (std::is_unsigned_v<Element>) return of<Register<Element>>(_mm512_mulhi_epu16(in(a), in(b)));
    if constexpr (std::is_signed_v<Element>) return of<Register<Element>>(_mm512_mulhi_epi16(in(a), in(b)));
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static Register<Element>
  multiply_fractional(const Register<Element>& a,
                      const Register<Element>& b) noexcept requires std::is_signed_v<Element> {
    if constexpr (sizeof(Element) == 1) {
      return Portable::multiply_fractional<Element>(a, b);
    } else { // without being held, -1 times -1 gives -1, and nothing else does
      const auto high = _mm512_slli_epi16(_mm512_mulhi_epi16(in(a), in(b)), 1);
      const auto product = _mm512_or_si512(high, _mm512_srli_epi16(_mm512_mullo_epi16(in(a), in(b)), 15));
      const auto lost = _mm512_cmpeq_epi16_mask(product, _mm512_set1_epi16(-32768));
      return of<Register<Element>>(_mm512_mask_blend_epi16(lost, product, _mm512_set1_epi16(32767)));
    }
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static Register<Element>
  pack_saturating(const Register<std::int16_t>& low, const Register<std::int16_t>& high) noexcept {
    if constexpr (std::is_unsigned_v<Element>) return of<Register<Element>>(_mm512_packus_epi16(in(low), in(high)));
    if constexpr (std::is_signed_v<Element>) return of<Register<Element>>(_mm512_packs_epi16(in(low), in(high)));
  }

  // --- truth values ---

  template <class Element>
  [[nodiscard, gnu::always_inline]] static FlagsOf<Element> equal(const Register<Element>& a,
                                                                  const Register<Element>& b) noexcept {
    if constexpr (std::is_same_v<Element, std::uint8_t>) return {_mm512_cmpeq_epu8_mask(in(a), in(b))};
    if constexpr (std::is_same_v<Element, std::int8_t>) return {_mm512_cmpeq_epi8_mask(in(a), in(b))};
    if constexpr (std::is_same_v<Element, std::uint16_t>) return {_mm512_cmpeq_epu16_mask(in(a), in(b))};
    if constexpr (std::is_same_v<Element, std::int16_t>) return {_mm512_cmpeq_epi16_mask(in(a), in(b))};
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static FlagsOf<Element> less(const Register<Element>& a,
                                                                 const Register<Element>& b) noexcept {
    if constexpr (std::is_same_v<Element, std::uint8_t>) return {_mm512_cmplt_epu8_mask(in(a), in(b))};
    if constexpr (std::is_same_v<Element, std::int8_t>) return {_mm512_cmplt_epi8_mask(in(a), in(b))};
    if constexpr (std::is_same_v<Element, std::uint16_t>) return {_mm512_cmplt_epu16_mask(in(a), in(b))};
    if constexpr (std::is_same_v<Element, std::int16_t>) return {_mm512_cmplt_epi16_mask(in(a), in(b))};
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static Register<Element> select(const FlagsOf<Element>& flag,
                                                                    const Register<Element>& when_true,
                                                                    const Register<Element>& when_false) noexcept {
    if constexpr (sizeof(Element) == 1)
      return of<Register<Element>>(_mm512_mask_blend_epi8(flag.mask, in(when_false), in(when_true)));
    if constexpr (sizeof(Element) == 2)
      return of<Register<Element>>(_mm512_mask_blend_epi16(flag.mask, in(when_false), in(when_true)));
  }
  template <class Width>
  [[nodiscard, gnu::always_inline]] static Flags<Width> both(const Flags<Width>& a, const Flags<Width>& b) noexcept {
    return {a.mask & b.mask};
  }
  template <class Width>
  [[nodiscard, gnu::always_inline]] static Flags<Width> either(const Flags<Width>& a, const Flags<Width>& b) noexcept {
    return {a.mask | b.mask};
  }
  template <class Width>
  [[nodiscard, gnu::always_inline]] static Flags<Width> negate(const Flags<Width>& a) noexcept {
    return {~a.mask};
  }
  template <class Width>
  [[nodiscard, gnu::always_inline]] static Flags<Width> nonzero(const Register<Width>& a) noexcept {
    if constexpr (sizeof(Width) == 1) return {_mm512_test_epi8_mask(in(a), in(a))};
    if constexpr (sizeof(Width) == 2) return {_mm512_test_epi16_mask(in(a), in(a))};
  }
  using Portable::unpack_low, Portable::unpack_high;
  /// The lower bytes of each halfword of the mask, side by side.
  [[nodiscard, gnu::always_inline]] static Flags<std::uint16_t> unpack_low(const Flags<std::uint8_t>& a) noexcept {
    std::uint64_t word = a.mask & 0x00FF00FF00FF00FF;
    word = (word | word >> 8) & 0x0000FFFF0000FFFF;
    return {static_cast<__mmask32>(word | word >> 16)};
  }
  [[nodiscard, gnu::always_inline]] static Flags<std::uint16_t> unpack_high(const Flags<std::uint8_t>& a) noexcept {
    return unpack_low(Flags<std::uint8_t>{a.mask >> 8});
  }
  template <class Width>
  [[nodiscard, gnu::always_inline]] static std::uint64_t bits(const Flags<Width>& a) noexcept {
    return a.mask;
  }
  template <class Width>
  [[nodiscard, gnu::always_inline]] static bool any(const Flags<Width>& a) noexcept {
    return a.mask != 0;
  }
  template <class Width>
  [[nodiscard, gnu::always_inline]] static Register<Width> to_lanes(const Flags<Width>& a) noexcept {
    if constexpr (sizeof(Width) == 1) return of<Register<Width>>(_mm512_movm_epi8(a.mask));
    if constexpr (sizeof(Width) == 2) return of<Register<Width>>(_mm512_movm_epi16(a.mask));
  }
  template <class Width>
  [[nodiscard, gnu::always_inline]] static Flags<Width> from_lanes(const Register<Width>& a) noexcept {
    if constexpr (sizeof(Width) == 1) return {_mm512_movepi8_mask(in(a))};
    if constexpr (sizeof(Width) == 2) return {_mm512_movepi16_mask(in(a))};
  }

private:
  template <class Lanes>
  [[gnu::always_inline]] static __m512i in(const Lanes& a) noexcept {
    return (__m512i)seen_as<std::uint8_t, 64>(a);
  }
  template <class Lanes>
  [[gnu::always_inline]] static Lanes of(__m512i a) noexcept {
    return as_lanes<Lanes>(a);
  }
};

struct Avx512 : Generic, Avx512Neurons {
  using Offers = offer::List<Avx512Neurons::Offers, offer::VectorsAtOnce, offer::FillSfc32x16, offer::AliasCells,
                             offer::AddCounts>;
  static constexpr std::size_t vectors_at_once = 4; ///< what a rule should take
  template <std::size_t Count>
  using Vectors = std::conditional_t<Count == 4, Avx512Vectors, Avx2::Vectors<Count>>;

  typedef std::int32_t Words __attribute__((vector_size(64)));
  typedef std::uint32_t UnsignedWords __attribute__((vector_size(64)));

  struct Lanes : CompilerLanes<Words, UnsignedWords> {
    using Base = CompilerLanes<Words, UnsignedWords>;
    using Mask = __mmask16;

    using Base::load, Base::store; // of words
    [[nodiscard]] static Value load(const std::int16_t* from) noexcept {
      return Value(_mm512_maskz_cvtepi16_epi32(all, halves(from)));
    }
    [[nodiscard]] static Value load(const std::uint16_t* from) noexcept {
      return Value(_mm512_maskz_cvtepu16_epi32(all, halves(from)));
    }
    static void store(std::int16_t* to, Value value) noexcept { store_halves(to, value); }
    static void store(std::uint16_t* to, Value value) noexcept { store_halves(to, value); }

    // Without masks, which take longer from a comparison to a selection than all the rest.
    [[nodiscard]] static Value add_saturating(Value a, Value b) noexcept {
      const Value sum = add(a, b);
      const Value over = joined<(0xF0 ^ 0xAA) & (0xCC ^ 0xAA)>(a, b, sum) >> 31;
      return joined<0xCA>(over, (a >> 31) ^ INT32_MAX, sum); // where over, the end beside a; else the sum
    }
    [[nodiscard]] static Value subtract_saturating(Value a, Value b) noexcept {
      const Value difference = subtract(a, b);
      const Value over = joined<(0xF0 ^ 0xCC) & (0xF0 ^ 0xAA)>(a, b, difference) >> 31;
      return joined<0xCA>(over, (a >> 31) ^ INT32_MAX, difference);
    }

    [[nodiscard]] static Value multiply_high(Value a, Value b) noexcept {
      return upper_halves(even_products(a, b), odd_products(a, b));
    }
    [[nodiscard]] static Value multiply_high_nearest(Value a, Value b) noexcept {
      const auto half = _mm512_set1_epi64(0x80000000);
      return upper_halves(_mm512_add_epi64(even_products(a, b), half), _mm512_add_epi64(odd_products(a, b), half));
    }
    [[nodiscard]] static Value multiply_high_offset(Value a, Value b, Value offset) noexcept {
      const auto even = _mm512_maskz_mov_epi32(0x5555, bits_of(offset));
      return upper_halves(_mm512_add_epi64(even_products(a, b), even),
                          _mm512_add_epi64(odd_products(a, b), odd_lanes(offset)));
    }
    struct Factor { // as in target::Avx2, but that a mask keeps the upper halves
      Value high, low;
      __mmask32 replaced; // halves of the value by the lower product
    };
    [[nodiscard]] static Factor factor(Value decay) noexcept {
      const __mmask32 replaced = _mm512_test_epi16_mask(bits_of(decay), bits_of(splat(0xFFFF)));
      return {Value(Unsigned(decay) << 16), decay & 0xFFFF, replaced};
    }
    [[nodiscard]] static Value decay(Value value, Factor factor) noexcept {
      // Of the two sums, the lower one has bits only where the kept upper half has none: a masked product joins them.
      const auto kept = _mm512_mask_mulhi_epu16(bits_of(value), factor.replaced, bits_of(value), bits_of(factor.low));
      return Value(_mm512_dpwssd_epi32(kept, bits_of(value), bits_of(factor.high)));
    }
    [[nodiscard]] static Value decay_nearest(Value value, Factor factor) noexcept {
      const auto low_product = Unsigned(_mm512_mullo_epi16(bits_of(value), bits_of(factor.low)));
      return decay(value, factor) + Value(low_product >> 15); // there is nothing above bit 15
    }
    // By vectors of counts where they are not known: GCC copies a common count into a register again for each shift.
    [[nodiscard]] static Value shift_right(Value value, Shift amount) noexcept {
      if (__builtin_constant_p(amount[0])) return value >> amount;
      return Value(_mm512_maskz_srav_epi32(all, bits_of(value), bits_of(amount)));
    }
    [[nodiscard]] static Value shift_right_nearest(Value value, Shift amount) noexcept {
      const Value twice = shift_right(value, amount - 1);
      return twice - (twice >> 1);
    }

    [[nodiscard]] static bool any_overflow(Overflow overflow) noexcept {
      const auto lost = bits_of(overflow.lost);
      return _kortestz_mask16_u8(_mm512_test_epi32_mask(lost, lost), is_negative(overflow.wrapped)) == 0;
    }
    [[nodiscard]] static Mask is_negative(Value value) noexcept { return _mm512_movepi32_mask(bits_of(value)); }
    [[nodiscard]] static Mask less(Value a, Value b) noexcept {
      return _mm512_cmplt_epi32_mask(bits_of(a), bits_of(b));
    }
    [[nodiscard]] static Mask both(Mask a, Mask b) noexcept { return _kand_mask16(a, b); }
    [[nodiscard]] static Mask either(Mask a, Mask b) noexcept { return _kor_mask16(a, b); }
    [[nodiscard]] static Mask and_not(Mask keep, Mask drop) noexcept { return _kandn_mask16(drop, keep); }
    [[nodiscard]] static Value select(Mask mask, Value when_true, Value when_false) noexcept {
      return Value(_mm512_mask_mov_epi32(bits_of(when_false), mask, bits_of(when_true)));
    }
    [[nodiscard]] static std::uint32_t bits(Mask mask) noexcept { return mask; }
    /// `integrated` where `left` is below zero. Else one less than `left`, or `reset` where nothing is left: of -1 and
    /// the reset, which is below zero, the lesser one without a sign.
    [[nodiscard]] static Value count_down(Value left, Value integrated, Value reset) noexcept {
      const auto counted = _mm512_maskz_min_epu32(all, bits_of(subtract(left, splat(1))), bits_of(reset));
      return Value(_mm512_mask_mov_epi32(counted, is_negative(left), bits_of(integrated)));
    }

    [[nodiscard]] static Value load_pairs(const std::uint16_t* low, const std::uint16_t* high) noexcept {
      // both into one register, then one permutation that pairs them; masked forms, since GCC 12 warns of the others
      const __m512i both = _mm512_maskz_inserti64x4(0xFF, _mm512_castsi256_si512(halves(low)), halves(high), 1);
      const Value order = {0x00100000, 0x00110001, 0x00120002, 0x00130003, 0x00140004, 0x00150005,
                           0x00160006, 0x00170007, 0x00180008, 0x00190009, 0x001A000A, 0x001B000B,
                           0x001C000C, 0x001D000D, 0x001E000E, 0x001F000F};
      return Value(_mm512_maskz_permutexvar_epi16(0xFFFFFFFF, bits_of(order), both));
    }
    [[nodiscard]] static Value multiply_high_pairs(Value pairs, Value factors, Value dithers) noexcept {
      // one more where the lower product and the dither carry, that is where it is above 2^16 - 1 - dither
      const auto low = _mm512_mullo_epi16(bits_of(pairs), bits_of(factors));
      const auto high = _mm512_mulhi_epu16(bits_of(pairs), bits_of(factors));
      const __mmask32 carry = _mm512_cmpgt_epu16_mask(low, bits_of(~dithers));
      return Value(_mm512_mask_sub_epi16(high, carry, high, bits_of(splat(-1))));
    }
    [[nodiscard]] static Value add_saturating_pairs(Value a, Value b) noexcept {
      return Value(_mm512_adds_epu16(bits_of(a), bits_of(b)));
    }
    [[nodiscard]] static bool any_full_pair(Value pairs) noexcept {
      return _mm512_cmpeq_epi16_mask(bits_of(pairs), bits_of(splat(-1))) != 0;
    }
    [[nodiscard]] static Value multiply_add_pairs(Value accumulator, Value pairs, Value factors) noexcept {
      const auto centred = bits_of(pairs ^ splat(static_cast<std::int32_t>(0x80008000U)));
      return Value(_mm512_dpwssd_epi32(bits_of(accumulator), centred, bits_of(factors)));
    }

  private:
    static constexpr Mask all = 0xFFFF;
    /// Bit by bit a function of three: what it gives for 0xF0, 0xCC and 0xAA.
    template <int function>
    [[nodiscard]] static Value joined(Value a, Value b, Value c) noexcept {
      return Value(_mm512_ternarylogic_epi32(bits_of(a), bits_of(b), bits_of(c), function));
    }
    [[nodiscard]] static __m256i halves(const void* from) noexcept {
      return _mm256_loadu_si256(static_cast<const __m256i*>(from));
    }
    static void store_halves(void* to, Value value) noexcept {
      _mm256_storeu_si256(static_cast<__m256i*>(to), _mm512_maskz_cvtepi32_epi16(all, bits_of(value)));
    }
    // Products of 64 bits, of the even lanes and of the odd ones; and their upper halves, in the order of the lanes.
    [[nodiscard]] static __m512i odd_lanes(Value value) noexcept {
      return _mm512_maskz_srli_epi64(0xFF, bits_of(value), 32);
    }
    [[nodiscard]] static __m512i even_products(Value a, Value b) noexcept {
      return _mm512_maskz_mul_epi32(0xFF, bits_of(a), bits_of(b));
    }
    [[nodiscard]] static __m512i odd_products(Value a, Value b) noexcept {
      return _mm512_maskz_mul_epi32(0xFF, odd_lanes(a), odd_lanes(b));
    }
    [[nodiscard]] static Value upper_halves(__m512i even, __m512i odd) noexcept {
      return Value(_mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB));
    }
    [[nodiscard]] static __m512i bits_of(Value value) noexcept { return reinterpret_cast<__m512i>(value); }
  };

  /// As kernels/random/ and kernels/neurons/background.hpp have them. Masked forms where GCC 12 warns of the others.
  static void fill_sfc32x16(Sfc32Columns& state, std::size_t turn, std::uint32_t* to, std::size_t rounds) noexcept {
    constexpr __mmask16 all = 0xFFFF;
    __m512i a = _mm512_loadu_si512(state.a), b = _mm512_loadu_si512(state.b), c = _mm512_loadu_si512(state.c),
            counter = _mm512_loadu_si512(state.counter);
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i order = _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<std::int32_t>(turn))); // modulo 16
    for (; rounds != 0; --rounds, to += 16) {
      const __m512i words = _mm512_add_epi32(_mm512_add_epi32(a, b), counter);
      counter = _mm512_add_epi32(counter, _mm512_set1_epi32(1));
      a = _mm512_xor_si512(b, _mm512_maskz_srli_epi32(all, b, 9));
      b = _mm512_add_epi32(c, _mm512_maskz_slli_epi32(all, c, 3));
      c = _mm512_add_epi32(_mm512_maskz_rol_epi32(all, c, 21), words);
      _mm512_storeu_si512(to, _mm512_maskz_permutexvar_epi32(all, order, words));
    }
    _mm512_storeu_si512(state.a, a);
    _mm512_storeu_si512(state.b, b);
    _mm512_storeu_si512(state.c, c);
    _mm512_storeu_si512(state.counter, counter);
  }

  [[nodiscard]] static Begun alias_cells(const AliasLookup& table, const std::uint32_t* words, std::size_t count,
                                         std::uint8_t* to, std::uint16_t* open) noexcept {
    switch (table.cells) {
    case 32: return alias_cells_in<1>(table, words, count, to, open);
    case 64: return alias_cells_in<2>(table, words, count, to, open);
    default: return alias_cells_in<4>(table, words, count, to, open);
    }
  }

  /// Sums of 16 bits without a sign as such, others in lanes of 32.
  template <class Element>
  [[nodiscard]] static Begun add_counts(Element* sums, const std::uint8_t* counts, std::size_t count,
                                        std::int32_t weight) noexcept {
    if constexpr (std::is_same_v<Element, std::uint16_t>) {
      const auto magnitude = static_cast<std::uint32_t>(weight < 0 ? -std::int64_t{weight} : weight);
      if (magnitude <= 65535)
        return weight < 0 ? add_counts_to_halves<true>(sums, counts, count, magnitude)
                          : add_counts_to_halves<false>(sums, counts, count, magnitude);
    }
    if (weight <= -detail::weights_in_lanes || weight >= detail::weights_in_lanes) return {};
    return detail::add_counts_in_lanes<Lanes>(sums, counts, count, weight, [](const std::uint8_t* from) {
      return Lanes::Value(_mm512_maskz_cvtepu8_epi32(0xFFFF, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
    });
  }

private:
  /// 16-bit numbers in as many registers, looked up by the low bits of others.
  template <std::size_t Registers>
  struct Lookup {
    __m512i part[Registers];
    [[gnu::always_inline]] explicit Lookup(const std::uint16_t* from) noexcept {
      for (std::size_t at = 0; at < Registers; ++at) part[at] = _mm512_loadu_si512(from + 32 * at);
    }
    [[gnu::always_inline]] __m512i operator()(__m512i index) const noexcept {
      constexpr __mmask32 all = 0xFFFF'FFFF;
      if constexpr (Registers == 1) return _mm512_maskz_permutexvar_epi16(all, index, part[0]);
      if constexpr (Registers == 2) return _mm512_permutex2var_epi16(part[0], index, part[1]);
      if constexpr (Registers == 4)
        return _mm512_mask_mov_epi16(_mm512_permutex2var_epi16(part[0], index, part[1]),
                                     _mm512_test_epi16_mask(index, _mm512_set1_epi16(64)),
                                     _mm512_permutex2var_epi16(part[2], index, part[3]));
    }
  };

  template <std::size_t Registers>
  [[nodiscard]] static Begun alias_cells_in(const AliasLookup& table, const std::uint32_t* words, std::size_t count,
                                            std::uint8_t* to, std::uint16_t* open) noexcept {
    const Lookup<Registers> thresholds(table.thresholds), own(table.own), alias(table.alias);
    std::size_t at = 0, opened = 0;
    __mmask32 equal[2];
    const auto look_up = [&](std::size_t from, std::size_t which) {
      const __m512i halves = _mm512_loadu_si512(words + from / 2), threshold = thresholds(halves);
      equal[which] = _mm512_cmpeq_epu16_mask(halves, threshold);
      return _mm512_mask_mov_epi16(alias(halves), _mm512_cmplt_epu16_mask(halves, threshold), own(halves));
    };
    for (; at + 64 <= count; at += 64) {
      const __m512i low = look_up(at, 0), high = look_up(at + 32, 1);
      // in turns 64 bits of the one and of the other
      const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
      _mm512_storeu_si512(to + at, _mm512_maskz_permutexvar_epi64(0xFF, order, _mm512_packus_epi16(low, high)));
      for (std::uint64_t left = std::uint64_t{equal[1]} << 32 | equal[0]; left != 0; left &= left - 1)
        [[unlikely]] open[opened++] = static_cast<std::uint16_t>(at + static_cast<std::size_t>(__builtin_ctzll(left)));
    }
    return {at, opened};
  }

  template <bool subtracts>
  [[nodiscard]] static Begun add_counts_to_halves(std::uint16_t* sums, const std::uint8_t* counts, std::size_t count,
                                                  std::uint32_t weight) noexcept {
    const __m512i factor = _mm512_set1_epi16(static_cast<std::int16_t>(weight));
    std::size_t at = 0, held = 0;
    for (; at + 32 <= count; at += 32) {
      const __m512i events =
          _mm512_maskz_cvtepu8_epi16(0xFFFF'FFFF, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(counts + at)));
      const __m512i before = _mm512_loadu_si512(sums + at), product = _mm512_mullo_epi16(events, factor);
      const __m512i high = _mm512_mulhi_epu16(events, factor);
      const __mmask32 outside = _mm512_test_epi16_mask(high, high); // where the product alone leaves the range
      const __m512i sum = subtracts ? _mm512_subs_epu16(before, product) : _mm512_adds_epu16(before, product);
      const __m512i wrapped = subtracts ? _mm512_sub_epi16(before, product) : _mm512_add_epi16(before, product);
      const __m512i end = _mm512_set1_epi16(subtracts ? 0 : -1);
      _mm512_storeu_si512(sums + at, _mm512_mask_mov_epi16(sum, outside, end));
      held += static_cast<std::size_t>(__builtin_popcount(outside | _mm512_cmpneq_epu16_mask(sum, wrapped)));
    }
    return {at, held};
  }

public:
  /// Masked forms where GCC 12 warns of the others.
  struct UnsignedLanes {
    using Value = __m512i;
    using Mask = __mmask16;
    static constexpr std::size_t count = 16;

    [[nodiscard]] static Value load(const std::uint32_t* from) noexcept { return _mm512_loadu_si512(from); }
    static void store(std::uint32_t* to, Value value) noexcept { _mm512_storeu_si512(to, value); }
    [[nodiscard]] static Value splat(std::uint32_t value) noexcept {
      return _mm512_set1_epi32(static_cast<std::int32_t>(value));
    }
    [[nodiscard]] static Value gather(const std::uint32_t* from, Value index) noexcept {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion" // of the mask, in GCC's macro where nothing is optimised
      return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), all, index, from, 4);
#pragma GCC diagnostic pop
    }
    /// By loads of a record each, and a transposition: as long as two of the machine's gathers.
    static void gather_records(const std::uint32_t* from, Value index, Value (&to)[8]) noexcept {
      alignas(64) std::uint32_t at[count]; // in bytes
      _mm512_store_si512(at, _mm512_maskz_slli_epi32(all, index, 5));
      // Loads from there are fewer instructions than what compilers do to take the lanes out of the register.
      __asm__("" : "+m"(at));
      const auto record = [&](std::size_t lane) {
        return _mm256_load_si256(
            reinterpret_cast<const __m256i*>(reinterpret_cast<const char*>(from) + std::size_t{at[lane]}));
      };
      const auto records = [&](std::size_t low) { // and the one four lanes on
        return _mm512_maskz_inserti64x4(0xFF, _mm512_castsi256_si512(record(low)), record(low + 4), 1);
      };
      __m512i half[2]
                  [4]; // of lanes 0 to 7, 8 to 15: blocks with words k and k + 4 of four lanes, then of the next four
      for (std::size_t eight = 0; eight < 2; ++eight) {
        const __m512i a = records(8 * eight), b = records(8 * eight + 1), c = records(8 * eight + 2),
                      d = records(8 * eight + 3);
        const __m512i ab_low = _mm512_maskz_unpacklo_epi32(all, a, b), ab_high = _mm512_maskz_unpackhi_epi32(all, a, b);
        const __m512i cd_low = _mm512_maskz_unpacklo_epi32(all, c, d), cd_high = _mm512_maskz_unpackhi_epi32(all, c, d);
        half[eight][0] = _mm512_maskz_unpacklo_epi64(0xFF, ab_low, cd_low);
        half[eight][1] = _mm512_maskz_unpackhi_epi64(0xFF, ab_low, cd_low);
        half[eight][2] = _mm512_maskz_unpacklo_epi64(0xFF, ab_high, cd_high);
        half[eight][3] = _mm512_maskz_unpackhi_epi64(0xFF, ab_high, cd_high);
      }
      for (std::size_t word = 0; word < 4; ++word) {
        to[word] = _mm512_maskz_shuffle_i64x2(0xFF, half[0][word], half[1][word], 0x88);
        to[word + 4] = _mm512_maskz_shuffle_i64x2(0xFF, half[0][word], half[1][word], 0xDD);
      }
    }

    [[nodiscard]] static Value add(Value a, Value b) noexcept { return _mm512_add_epi32(a, b); }
    [[nodiscard]] static Value subtract(Value a, Value b) noexcept { return _mm512_sub_epi32(a, b); }
    [[nodiscard]] static Value multiply(Value a, Value b) noexcept { return _mm512_mullo_epi32(a, b); }
    [[nodiscard]] static Value multiply_high(Value a, Value b) noexcept {
      return upper_halves(even_products(a, b), odd_products(a, b));
    }
    template <unsigned Shift>
    [[nodiscard]] static Value multiply_nearest(Value a, Value b) noexcept {
      const Value half = _mm512_set1_epi64(std::int64_t{1} << (Shift - 1));
      const Value even = _mm512_add_epi64(even_products(a, b), half), odd = _mm512_add_epi64(odd_products(a, b), half);
      // The sum's bits from Shift on are moved to the upper half of the odd lanes, and to the lower half of the even ones.
      if constexpr (Shift == 32) return upper_halves(even, odd);
      return _mm512_mask_mov_epi32(_mm512_maskz_srli_epi64(0xFF, even, Shift), 0xAAAA,
                                   _mm512_maskz_slli_epi64(0xFF, odd, 32 - Shift));
    }
    [[nodiscard]] static Value(min)(Value a, Value b) noexcept { return _mm512_maskz_min_epu32(all, a, b); }
    [[nodiscard]] static Value bit_and(Value a, Value b) noexcept { return _mm512_and_si512(a, b); }
    [[nodiscard]] static Value bit_or(Value a, Value b) noexcept { return _mm512_or_si512(a, b); }
    [[nodiscard]] static Value bit_xor(Value a, Value b) noexcept { return _mm512_xor_si512(a, b); }
    [[nodiscard]] static Value shift_left(Value value, unsigned amount) noexcept {
      return _mm512_maskz_slli_epi32(all, value, amount);
    }
    [[nodiscard]] static Value shift_right(Value value, unsigned amount) noexcept {
      return _mm512_maskz_srli_epi32(all, value, amount);
    }

    [[nodiscard]] static Mask less(Value a, Value b) noexcept { return _mm512_cmplt_epu32_mask(a, b); }
    [[nodiscard]] static Mask first(std::size_t lanes) noexcept {
      return lanes >= count ? all : static_cast<Mask>((1U << lanes) - 1);
    }
    [[nodiscard]] static Mask both(Mask a, Mask b) noexcept { return _kand_mask16(a, b); }
    [[nodiscard]] static Mask either(Mask a, Mask b) noexcept { return _kor_mask16(a, b); }
    [[nodiscard]] static Mask and_not(Mask keep, Mask drop) noexcept { return _kandn_mask16(drop, keep); }
    [[nodiscard]] static std::uint32_t bits(Mask mask) noexcept { return mask; }
    static std::size_t store_places(std::uint32_t* to, Mask mask, std::uint32_t first) noexcept {
      const Value lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
      store(to, _mm512_maskz_compress_epi32(mask, add(lanes, splat(first)))); // to memory it takes far longer
      return static_cast<std::size_t>(__builtin_popcount(mask));
    }
    [[nodiscard]] static Value select(Mask mask, Value when_true, Value when_false) noexcept {
      return _mm512_mask_mov_epi32(when_false, mask, when_true);
    }

  private:
    static constexpr Mask all = 0xFFFF;
    [[nodiscard]] static Value even_products(Value a, Value b) noexcept { return _mm512_maskz_mul_epu32(0xFF, a, b); }
    [[nodiscard]] static Value odd_products(Value a, Value b) noexcept {
      return _mm512_maskz_mul_epu32(0xFF, _mm512_maskz_srli_epi64(0xFF, a, 32), _mm512_maskz_srli_epi64(0xFF, b, 32));
    }
    [[nodiscard]] static Value upper_halves(Value even, Value odd) noexcept {
      return _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
    }
  };
};
static_assert(VectorBackend<Avx512> && VectorBackend<Avx512, 2> && VectorBackend<Avx512, 4>);

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
