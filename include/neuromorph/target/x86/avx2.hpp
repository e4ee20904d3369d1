// SPDX-License-Identifier: BSL-1.0
/// \file
/// x86 with AVX2: eight 32-bit lanes, two vectors of 128 bits at once.
// requires: -mavx2 (x86)
#ifndef NEUROMORPH_TARGET_X86_AVX2_HPP
#define NEUROMORPH_TARGET_X86_AVX2_HPP

#if !defined(__AVX2__)
#error "neuromorph/target/x86/avx2.hpp needs AVX2: use -mavx2 or target::Generic"
#endif

#include <cstddef>
#include <cstdint>
#include <immintrin.h>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/overflow.hpp>
#include <neuromorph/target/compiler_lanes.hpp>
#include <neuromorph/target/discrete_lookup.hpp>
#include <neuromorph/target/generic.hpp>
#include <neuromorph/target/generic_vectors.hpp>
#include <neuromorph/target/lane_replay.hpp>
#include <neuromorph/target/x86/sse41.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Two vectors at once. The compiler's own code for Generic, which all else is, takes about twice as long for what
/// saturates, 3 times for `bits`, 1.4 times for `any`. Benchmarks: vector/*/avx2 and generic_2, on the Xeon of
/// docs/performance.md.
struct Avx2Vectors : GenericVectors<2> {
  using Portable = GenericVectors<2>;

  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element>
  add_saturating(const Register<Element>& a, const Register<Element>& b) noexcept {
    if (std::is_constant_evaluated()) return Portable::add_saturating<Element>(a, b);
    if constexpr (std::is_same_v<Element, std::uint8_t>) return of<Register<Element>>(_mm256_adds_epu8(in(a), in(b)));
    if constexpr (std::is_same_v<Element, std::int8_t>) return of<Register<Element>>(_mm256_adds_epi8(in(a), in(b)));
    if constexpr (std::is_same_v<Element, std::uint16_t>) return of<Register<Element>>(_mm256_adds_epu16(in(a), in(b)));
    if constexpr (std::is_same_v<Element, std::int16_t>) return of<Register<Element>>(_mm256_adds_epi16(in(a), in(b)));
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element>
  subtract_saturating(const Register<Element>& a, const Register<Element>& b) noexcept {
    if (std::is_constant_evaluated()) return Portable::subtract_saturating<Element>(a, b);
    if constexpr (std::is_same_v<Element, std::uint8_t>) return of<Register<Element>>(_mm256_subs_epu8(in(a), in(b)));
    if constexpr (std::is_same_v<Element, std::int8_t>) return of<Register<Element>>(_mm256_subs_epi8(in(a), in(b)));
    if constexpr (std::is_same_v<Element, std::uint16_t>) return of<Register<Element>>(_mm256_subs_epu16(in(a), in(b)));
    if constexpr (std::is_same_v<Element, std::int16_t>) return of<Register<Element>>(_mm256_subs_epi16(in(a), in(b)));
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element>
  multiply_high(const Register<Element>& a, const Register<Element>& b) noexcept {
    if (sizeof(Element) == 1 || std::is_constant_evaluated()) return Portable::multiply_high<Element>(a, b);
    if constexpr (std::is_unsigned_v<Element>) return of<Register<Element>>(_mm256_mulhi_epu16(in(a), in(b)));
    if constexpr (std::is_signed_v<Element>) return of<Register<Element>>(_mm256_mulhi_epi16(in(a), in(b)));
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element>
  multiply_fractional(const Register<Element>& a,
                      const Register<Element>& b) noexcept requires std::is_signed_v<Element> {
    if (sizeof(Element) == 1 || std::is_constant_evaluated()) return Portable::multiply_fractional<Element>(a, b);
    // without being held, -1 times -1 gives -1, and nothing else does
    const auto high = _mm256_slli_epi16(_mm256_mulhi_epi16(in(a), in(b)), 1);
    const auto product = _mm256_or_si256(high, _mm256_srli_epi16(_mm256_mullo_epi16(in(a), in(b)), 15));
    return of<Register<Element>>(_mm256_xor_si256(product, _mm256_cmpeq_epi16(product, _mm256_set1_epi16(-32768))));
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element>
  pack_saturating(const Register<std::int16_t>& low, const Register<std::int16_t>& high) noexcept {
    if (std::is_constant_evaluated()) return Portable::pack_saturating<Element>(low, high);
    if constexpr (std::is_unsigned_v<Element>) return of<Register<Element>>(_mm256_packus_epi16(in(low), in(high)));
    if constexpr (std::is_signed_v<Element>) return of<Register<Element>>(_mm256_packs_epi16(in(low), in(high)));
  }

  template <class Width>
  [[nodiscard, gnu::always_inline]] static constexpr std::uint64_t bits(const Flags<Width>& a) noexcept {
    if (std::is_constant_evaluated()) return Portable::bits<Width>(a);
    if constexpr (sizeof(Width) == 1) {
      return static_cast<std::uint32_t>(_mm256_movemask_epi8(in(a)));
    } else { // each half of the register has its eight twice
      const auto twice = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_packs_epi16(in(a), in(a))));
      return (twice & 0xFF) | (twice >> 8 & 0xFF00);
    }
  }
  template <class Width>
  [[nodiscard, gnu::always_inline]] static constexpr bool any(const Flags<Width>& a) noexcept {
    if (std::is_constant_evaluated()) return Portable::any<Width>(a);
    return _mm256_testz_si256(in(a), in(a)) == 0;
  }

private:
  template <class Lanes>
  [[gnu::always_inline]] static __m256i in(const Lanes& a) noexcept {
    return (__m256i)seen_as<std::uint8_t, 32>(a);
  }
  template <class Lanes>
  [[gnu::always_inline]] static Lanes of(__m256i a) noexcept {
    return as_lanes<Lanes>(a);
  }
};

namespace detail {
/// Counts times a weight to sums, whole groups of lanes; what a sum may hold is that of kernels/neurons/background.hpp.
///
/// \param weight  below 2^23 in magnitude, so that products have 32 bits
/// \param widen   of as many counts as there are lanes, a Value
template <class Lanes, class Element, class Widen>
[[nodiscard]] Begun add_counts_in_lanes(Element* sums, const std::uint8_t* counts, std::size_t count,
                                        std::int32_t weight, Widen widen) noexcept {
  constexpr std::int32_t end = (std::int32_t{1} << 30) - 1;
  const auto factor = Lanes::splat(weight), zero = Lanes::splat(0);
  const auto most = Lanes::splat(sizeof(Element) == 4 ? end : std::int32_t{overflow::highest<Element>});
  const auto least = Lanes::splat(sizeof(Element) == 4 ? -end : std::int32_t{overflow::lowest<Element>});
  std::size_t at = 0, held = 0;
  for (; at + Lanes::count <= count; at += Lanes::count) {
    const auto before = Lanes::load(sums + at), events = widen(counts + at);
    const auto sum = Lanes::add_saturating(before, Lanes::multiply(events, factor)); // beyond the end where it is held
    const auto some = Lanes::less(zero, events);
    const auto out = Lanes::both(some, Lanes::either(Lanes::less(most, sum), Lanes::less(sum, least)));
    Lanes::store(sums + at, Lanes::select(some, (Lanes::min)((Lanes::max)(sum, least), most), before));
    held += static_cast<std::size_t>(__builtin_popcount(Lanes::bits(out)));
  }
  return {at, held};
}
inline constexpr std::int32_t weights_in_lanes = 1 << 23; ///< those below, in magnitude

} // namespace detail

struct Avx2 : Generic {
  using Offers = offer::List<offer::VectorsAtOnce, offer::FillSfc32x16, offer::AliasCells, offer::AddCounts>;
  static constexpr std::size_t vectors_at_once = 2; ///< what a rule should take
  template <std::size_t Count>
  using Vectors = std::conditional_t<Count == 2, Avx2Vectors, Sse41::Vectors<Count>>;

  typedef std::int32_t Words __attribute__((vector_size(32)));
  typedef std::uint32_t UnsignedWords __attribute__((vector_size(32)));

  struct Lanes : CompilerLanes<Words, UnsignedWords> {
    using Base = CompilerLanes<Words, UnsignedWords>;

    using Base::load, Base::store; // of words
    [[nodiscard]] static Value load(const std::int16_t* from) noexcept {
      return Value(_mm256_cvtepi16_epi32(halves(from)));
    }
    [[nodiscard]] static Value load(const std::uint16_t* from) noexcept {
      return Value(_mm256_cvtepu16_epi32(halves(from)));
    }
    static void store(std::int16_t* to, Value value) noexcept { store_halves(to, value); }
    static void store(std::uint16_t* to, Value value) noexcept { store_halves(to, value); }

    [[nodiscard]] static Value multiply_high(Value a, Value b) noexcept {
      return upper_halves(even_products(a, b), odd_products(a, b));
    }
    [[nodiscard]] static Value multiply_high_nearest(Value a, Value b) noexcept {
      const auto half = _mm256_set1_epi64x(0x80000000);
      return upper_halves(_mm256_add_epi64(even_products(a, b), half), _mm256_add_epi64(odd_products(a, b), half));
    }
    [[nodiscard]] static Value multiply_high_offset(Value a, Value b, Value offset) noexcept {
      const auto even = _mm256_blend_epi32(bits_of(offset), _mm256_setzero_si256(), 0xAA);
      return upper_halves(_mm256_add_epi64(even_products(a, b), even),
                          _mm256_add_epi64(odd_products(a, b), _mm256_srli_epi64(bits_of(offset), 32)));
    }

    // A 32 by 16 bit product is the sum of two 16 by 16 bit ones: madd takes the signed upper half of the
    // value, mulhi the unsigned lower one. For a negative factor f, mulhi by f + 2^16 is too large by the
    // lower half itself, which is why the value is added without its lower half.
    struct Factor {
      Value high; // the factor in the upper halves
      Value low;  // the factor modulo 2^16 in the lower halves
      Value keep; // bits of the value that the products are added to; the lower one has none of them
    };
    [[nodiscard]] static Factor factor(Value decay) noexcept {
      return {Value(Unsigned(decay) << 16), decay & 0xFFFF, (decay == 0) | splat(-0x10000)};
    }
    [[nodiscard]] static Value decay(Value value, Factor factor) noexcept {
      const auto high = _mm256_madd_epi16(bits_of(value), bits_of(factor.high));
      const auto low = _mm256_mulhi_epu16(bits_of(value), bits_of(factor.low));
      return ((value & factor.keep) | Value(low)) + Value(high);
    }
    [[nodiscard]] static Value decay_nearest(Value value, Factor factor) noexcept {
      const auto low_product = Unsigned(_mm256_mullo_epi16(bits_of(value), bits_of(factor.low)));
      return decay(value, factor) + Value(low_product >> 15); // there is nothing above bit 15
    }

    [[nodiscard]] static bool any_overflow(Overflow overflow) noexcept {
      const auto any = bits_of((overflow.wrapped >> 31) | overflow.lost);
      return _mm256_testz_si256(any, any) == 0;
    }
    // Not as comparisons, which GCC joins and takes apart again: six operations for the bits of these three.
    [[nodiscard]] static Mask is_negative(Value value) noexcept { return Value(_mm256_srai_epi32(bits_of(value), 31)); }
    [[nodiscard]] static Mask and_not(Mask keep, Mask drop) noexcept {
      return Value(_mm256_andnot_si256(bits_of(drop), bits_of(keep)));
    }
    [[nodiscard]] static Value select(Mask mask, Value when_true, Value when_false) noexcept {
      return Value(_mm256_blendv_epi8(bits_of(when_false), bits_of(when_true), bits_of(mask)));
    }
    [[nodiscard]] static std::uint32_t bits(Mask mask) noexcept {
      return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(bits_of(mask))));
    }

    /// `integrated` where `left` is below zero. Else one less than `left`, or `reset` where nothing is left: of -1 and
    /// the reset, which is below zero, the lesser one without a sign.
    [[nodiscard]] static Value count_down(Value left, Value integrated, Value reset) noexcept {
      const auto counted = _mm256_min_epu32(bits_of(subtract(left, splat(1))), bits_of(reset));
      return Value(_mm256_castps_si256(_mm256_blendv_ps(
          _mm256_castsi256_ps(counted), _mm256_castsi256_ps(bits_of(integrated)), _mm256_castsi256_ps(bits_of(left)))));
    }

    [[nodiscard]] static Value load_pairs(const std::uint16_t* low, const std::uint16_t* high) noexcept {
      return load(low) | Value(Unsigned(load(high)) << 16);
    }
    [[nodiscard]] static Value multiply_high_pairs(Value pairs, Value factors, Value dithers) noexcept {
      // one more where the lower product and the dither carry, that is where it is above 2^16 - 1 - dither
      const auto low = _mm256_mullo_epi16(bits_of(pairs), bits_of(factors));
      const auto high = _mm256_mulhi_epu16(bits_of(pairs), bits_of(factors));
      const auto most = bits_of(~dithers);
      const auto no_carry = _mm256_cmpeq_epi16(_mm256_min_epu16(low, most), low);
      return Value(_mm256_add_epi16(_mm256_sub_epi16(high, bits_of(splat(-1))), no_carry));
    }
    [[nodiscard]] static Value add_saturating_pairs(Value a, Value b) noexcept {
      return Value(_mm256_adds_epu16(bits_of(a), bits_of(b)));
    }
    [[nodiscard]] static bool any_full_pair(Value pairs) noexcept {
      return _mm256_movemask_epi8(_mm256_cmpeq_epi16(bits_of(pairs), bits_of(splat(-1)))) != 0;
    }
    [[nodiscard]] static Value multiply_add_pairs(Value accumulator, Value pairs, Value factors) noexcept {
      const auto centred = bits_of(pairs ^ splat(static_cast<std::int32_t>(0x80008000U)));
      return add(accumulator, Value(_mm256_madd_epi16(centred, bits_of(factors))));
    }

  private:
    [[nodiscard]] static __m128i halves(const void* from) noexcept {
      return _mm_loadu_si128(static_cast<const __m128i*>(from));
    }
    static void store_halves(void* to, Value value) noexcept {
      // the lower halves of both 128 bits, side by side
      const auto packed = _mm256_packus_epi32(bits_of(value & 0xFFFF), _mm256_setzero_si256());
      _mm_storeu_si128(static_cast<__m128i*>(to), _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08)));
    }
    // Products of 64 bits, of the even lanes and of the odd ones; and their upper halves, in the order of the lanes.
    [[nodiscard]] static __m256i even_products(Value a, Value b) noexcept {
      return _mm256_mul_epi32(bits_of(a), bits_of(b));
    }
    [[nodiscard]] static __m256i odd_products(Value a, Value b) noexcept {
      return _mm256_mul_epi32(_mm256_srli_epi64(bits_of(a), 32), _mm256_srli_epi64(bits_of(b), 32));
    }
    [[nodiscard]] static Value upper_halves(__m256i even, __m256i odd) noexcept {
      return Value(_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA));
    }
    [[nodiscard]] static __m256i bits_of(Value value) noexcept { return reinterpret_cast<__m256i>(value); }
  };

  /// As kernels/random/ and kernels/neurons/background.hpp have them.
  static void fill_sfc32x16(Sfc32Columns& state, std::size_t turn, std::uint32_t* to, std::size_t rounds) noexcept {
    __m256i a[2], b[2], c[2], counter[2];
    for (std::size_t half = 0; half < 2; ++half) {
      a[half] = load_whole(state.a + 8 * half);
      b[half] = load_whole(state.b + 8 * half);
      c[half] = load_whole(state.c + 8 * half);
      counter[half] = load_whole(state.counter + 8 * half);
    }
    // Lane (k + turn) mod 16 is to be at k: within its half by a permutation, and from the half that bit 3 says.
    const __m256i order =
        _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(static_cast<std::int32_t>(turn)));
    const __m256i from_high = _mm256_slli_epi32(order, 28); // its sign
    for (; rounds != 0; --rounds, to += 16) {
      __m256i ordered[2];
      for (std::size_t half = 0; half < 2; ++half) {
        const __m256i words = _mm256_add_epi32(_mm256_add_epi32(a[half], b[half]), counter[half]);
        counter[half] = _mm256_add_epi32(counter[half], _mm256_set1_epi32(1));
        a[half] = _mm256_xor_si256(b[half], _mm256_srli_epi32(b[half], 9));
        b[half] = _mm256_add_epi32(c[half], _mm256_slli_epi32(c[half], 3));
        c[half] =
            _mm256_add_epi32(_mm256_or_si256(_mm256_slli_epi32(c[half], 21), _mm256_srli_epi32(c[half], 11)), words);
        ordered[half] = _mm256_permutevar8x32_epi32(words, order);
      }
      store_whole(to, select_words(from_high, ordered[1], ordered[0]));
      store_whole(to + 8, select_words(from_high, ordered[0], ordered[1]));
    }
    for (std::size_t half = 0; half < 2; ++half) {
      store_whole(state.a + 8 * half, a[half]);
      store_whole(state.b + 8 * half, b[half]);
      store_whole(state.c + 8 * half, c[half]);
      store_whole(state.counter + 8 * half, counter[half]);
    }
  }

  /// Of 32 cells by shuffles of bytes; more would take longer than loads.
  [[nodiscard]] static Begun alias_cells(const AliasLookup& table, const std::uint32_t* words, std::size_t count,
                                         std::uint8_t* to, std::uint16_t* open) noexcept {
    std::size_t at = 0, opened = 0;
    if (table.cells == 32) {
      const ByteCells upper(table.thresholds, 8), lower(table.thresholds, 0), own(table.own, 0), alias(table.alias, 0);
      for (; at + 32 <= count; at += 32) {
        const __m256i a = load_whole(words + at / 2), b = load_whole(words + at / 2 + 8);
        const __m256i low = lower_bytes(a, b), high = lower_bytes(_mm256_srli_epi16(a, 8), _mm256_srli_epi16(b, 8));
        const __m256i index = _mm256_and_si256(low, _mm256_set1_epi8(31)), side = _mm256_slli_epi16(low, 3);
        const __m256i threshold_high = upper(index, side), threshold_low = lower(index, side);
        const __m256i same_high = _mm256_cmpeq_epi8(high, threshold_high);
        const __m256i not_below =
            _mm256_blendv_epi8(at_least(high, threshold_high), at_least(low, threshold_low), same_high);
        const __m256i equal = _mm256_and_si256(same_high, _mm256_cmpeq_epi8(low, threshold_low));
        const __m256i values = _mm256_blendv_epi8(own(index, side), alias(index, side), not_below);
        store_whole(to + at, in_order(values));
        for (auto left = static_cast<std::uint32_t>(_mm256_movemask_epi8(in_order(equal))); left != 0; left &= left - 1)
          [[unlikely]] open[opened++] = static_cast<std::uint16_t>(at + static_cast<std::size_t>(__builtin_ctz(left)));
      }
    }
    return {at, opened};
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
      return Lanes::Value(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
    });
  }

private:
  [[nodiscard]] static __m256i load_whole(const void* from) noexcept {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }
  static void store_whole(void* to, __m256i value) noexcept { _mm256_storeu_si256(static_cast<__m256i*>(to), value); }
  /// By the signs of words.
  [[nodiscard]] static __m256i select_words(__m256i sign, __m256i when_set, __m256i otherwise) noexcept {
    return _mm256_castps_si256(
        _mm256_blendv_ps(_mm256_castsi256_ps(otherwise), _mm256_castsi256_ps(when_set), _mm256_castsi256_ps(sign)));
  }
  /// Those of the halfwords of a and b, in turns 64 bits of the one and of the other; `in_order` puts them in order.
  [[nodiscard]] static __m256i lower_bytes(__m256i a, __m256i b) noexcept {
    const __m256i bytes = _mm256_set1_epi16(0xFF);
    return _mm256_packus_epi16(_mm256_and_si256(a, bytes), _mm256_and_si256(b, bytes));
  }
  [[nodiscard]] static __m256i in_order(__m256i bytes) noexcept { return _mm256_permute4x64_epi64(bytes, 0xD8); }
  /// Bytes without a sign.
  [[nodiscard]] static __m256i at_least(__m256i a, __m256i b) noexcept {
    return _mm256_cmpeq_epi8(_mm256_max_epu8(a, b), a);
  }

  /// A byte of each of 32 halfwords, looked up by numbers of five bits.
  struct ByteCells {
    __m256i low, high; ///< cells 0 to 15, and 16 to 31, twice each
    ByteCells(const std::uint16_t* from, int shift) noexcept {
      const __m128i by = _mm_cvtsi32_si128(shift);
      const __m256i all =
          in_order(lower_bytes(_mm256_srl_epi16(load_whole(from), by), _mm256_srl_epi16(load_whole(from + 16), by)));
      low = _mm256_permute2x128_si256(all, all, 0x00);
      high = _mm256_permute2x128_si256(all, all, 0x11);
    }
    /// \param side  its bytes' signs are the numbers' bits 4
    [[nodiscard]] __m256i operator()(__m256i index, __m256i side) const noexcept {
      return _mm256_blendv_epi8(_mm256_shuffle_epi8(low, index), _mm256_shuffle_epi8(high, index), side);
    }
  };

  template <bool subtracts>
  [[nodiscard]] static Begun add_counts_to_halves(std::uint16_t* sums, const std::uint8_t* counts, std::size_t count,
                                                  std::uint32_t weight) noexcept {
    const __m256i factor = _mm256_set1_epi16(static_cast<std::int16_t>(weight)), zero = _mm256_setzero_si256();
    std::size_t at = 0, held_bytes = 0;
    for (; at + 16 <= count; at += 16) {
      const __m256i events = _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(counts + at)));
      const __m256i before = load_whole(sums + at), product = _mm256_mullo_epi16(events, factor);
      const __m256i inside = _mm256_cmpeq_epi16(_mm256_mulhi_epu16(events, factor), zero);
      const __m256i sum = subtracts ? _mm256_subs_epu16(before, product) : _mm256_adds_epu16(before, product);
      const __m256i wrapped = subtracts ? _mm256_sub_epi16(before, product) : _mm256_add_epi16(before, product);
      // where the product alone leaves the range, the end
      const __m256i outside = _mm256_andnot_si256(inside, _mm256_set1_epi16(-1));
      store_whole(sums + at, subtracts ? _mm256_and_si256(sum, inside) : _mm256_or_si256(sum, outside));
      const __m256i right = _mm256_and_si256(inside, _mm256_cmpeq_epi16(sum, wrapped));
      held_bytes +=
          static_cast<std::size_t>(__builtin_popcount(~static_cast<std::uint32_t>(_mm256_movemask_epi8(right))));
    }
    return {at, held_bytes / 2};
  }

public:
  struct UnsignedLanes {
    using Value = __m256i;
    using Mask = __m256i; ///< all bits of a lane, or none
    static constexpr std::size_t count = 8;

    [[nodiscard]] static Value load(const std::uint32_t* from) noexcept {
      return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    }
    static void store(std::uint32_t* to, Value value) noexcept {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
    }
    [[nodiscard]] static Value splat(std::uint32_t value) noexcept {
      return _mm256_set1_epi32(static_cast<std::int32_t>(value));
    }
    [[nodiscard]] static Value gather(const std::uint32_t* from, Value index) noexcept {
      return _mm256_i32gather_epi32(reinterpret_cast<const int*>(from), index, 4);
    }
    /// By loads of a record each, and a transposition.
    static void gather_records(const std::uint32_t* from, Value index, Value (&to)[8]) noexcept {
      alignas(32) std::uint32_t at[count];
      _mm256_store_si256(reinterpret_cast<__m256i*>(at), index);
      __asm__("" : "+m"(at)); // compilers would take the lanes out of the register, which takes longer
      const auto half = [&](std::size_t lane, std::size_t word) {
        return _mm_load_si128(reinterpret_cast<const __m128i*>(from + std::size_t{at[lane]} * 8 + word));
      };
      for (std::size_t word = 0; word < 8; word += 4) {
        const auto halves = [&](std::size_t low) { // and the one four lanes on
          return _mm256_inserti128_si256(_mm256_castsi128_si256(half(low, word)), half(low + 4, word), 1);
        };
        const __m256i a = halves(0), b = halves(1), c = halves(2), d = halves(3);
        const __m256i ab_low = _mm256_unpacklo_epi32(a, b), ab_high = _mm256_unpackhi_epi32(a, b);
        const __m256i cd_low = _mm256_unpacklo_epi32(c, d), cd_high = _mm256_unpackhi_epi32(c, d);
        to[word] = _mm256_unpacklo_epi64(ab_low, cd_low);
        to[word + 1] = _mm256_unpackhi_epi64(ab_low, cd_low);
        to[word + 2] = _mm256_unpacklo_epi64(ab_high, cd_high);
        to[word + 3] = _mm256_unpackhi_epi64(ab_high, cd_high);
      }
    }

    [[nodiscard]] static Value add(Value a, Value b) noexcept { return _mm256_add_epi32(a, b); }
    [[nodiscard]] static Value subtract(Value a, Value b) noexcept { return _mm256_sub_epi32(a, b); }
    [[nodiscard]] static Value multiply(Value a, Value b) noexcept { return _mm256_mullo_epi32(a, b); }
    [[nodiscard]] static Value multiply_high(Value a, Value b) noexcept {
      return upper_halves(even_products(a, b), odd_products(a, b));
    }
    template <unsigned Shift>
    [[nodiscard]] static Value multiply_nearest(Value a, Value b) noexcept {
      const Value half = _mm256_set1_epi64x(std::int64_t{1} << (Shift - 1));
      const Value even = _mm256_add_epi64(even_products(a, b), half), odd = _mm256_add_epi64(odd_products(a, b), half);
      return _mm256_blend_epi32(_mm256_srli_epi64(even, Shift), _mm256_slli_epi64(odd, 32 - Shift), 0xAA);
    }
    [[nodiscard]] static Value(min)(Value a, Value b) noexcept { return _mm256_min_epu32(a, b); }
    [[nodiscard]] static Value bit_and(Value a, Value b) noexcept { return _mm256_and_si256(a, b); }
    [[nodiscard]] static Value bit_or(Value a, Value b) noexcept { return _mm256_or_si256(a, b); }
    [[nodiscard]] static Value bit_xor(Value a, Value b) noexcept { return _mm256_xor_si256(a, b); }
    [[nodiscard]] static Value shift_left(Value value, unsigned amount) noexcept {
      return _mm256_slli_epi32(value, static_cast<int>(amount));
    }
    [[nodiscard]] static Value shift_right(Value value, unsigned amount) noexcept {
      return _mm256_srli_epi32(value, static_cast<int>(amount));
    }

    [[nodiscard]] static Mask less(Value a, Value b) noexcept {
      const Value sign = _mm256_set1_epi32(INT32_MIN);
      return _mm256_cmpgt_epi32(_mm256_xor_si256(b, sign), _mm256_xor_si256(a, sign));
    }
    [[nodiscard]] static Mask first(std::size_t lanes) noexcept {
      return _mm256_cmpgt_epi32(splat(lanes >= count ? count : static_cast<std::uint32_t>(lanes)),
                                _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    }
    [[nodiscard]] static Mask both(Mask a, Mask b) noexcept { return _mm256_and_si256(a, b); }
    [[nodiscard]] static Mask either(Mask a, Mask b) noexcept { return _mm256_or_si256(a, b); }
    [[nodiscard]] static Mask and_not(Mask keep, Mask drop) noexcept { return _mm256_andnot_si256(drop, keep); }
    [[nodiscard]] static std::uint32_t bits(Mask mask) noexcept {
      return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(mask)));
    }
    static std::size_t store_places(std::uint32_t* to, Mask mask, std::uint32_t first) noexcept {
      std::size_t places = 0;
      for (std::uint32_t left = bits(mask); left != 0; left &= left - 1)
        to[places++] = first + static_cast<std::uint32_t>(__builtin_ctz(left));
      return places;
    }
    [[nodiscard]] static Value select(Mask mask, Value when_true, Value when_false) noexcept {
      return _mm256_blendv_epi8(when_false, when_true, mask);
    }

  private:
    [[nodiscard]] static Value even_products(Value a, Value b) noexcept { return _mm256_mul_epu32(a, b); }
    [[nodiscard]] static Value odd_products(Value a, Value b) noexcept {
      return _mm256_mul_epu32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32));
    }
    [[nodiscard]] static Value upper_halves(Value even, Value odd) noexcept {
      return _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA);
    }
  };
};
static_assert(VectorBackend<Avx2> && VectorBackend<Avx2, 2>);

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
