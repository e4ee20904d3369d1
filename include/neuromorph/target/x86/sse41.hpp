// SPDX-License-Identifier: BSL-1.0
/// \file
/// x86 with SSE4.1: four 32-bit lanes, vectors of bytes and halfwords in one register of 128 bits.
// requires: -msse4.1 (x86)
#ifndef NEUROMORPH_TARGET_X86_SSE41_HPP
#define NEUROMORPH_TARGET_X86_SSE41_HPP

#if !defined(__SSE4_1__)
#error "neuromorph/target/x86/sse41.hpp needs SSE4.1: use -msse4.1 or target::Generic"
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <immintrin.h>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/target/compiler_lanes.hpp>
#include <neuromorph/target/generic.hpp>
#include <neuromorph/target/generic_vectors.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// All else is the compiler's own code for Generic. It takes 2 to 3 times as long for what saturates, 1.2 times for
/// differences without sign, 2.4 times for `bits`, 1.4 times for `any`. Benchmarks: vector/*/sse41 and generic, GCC 12,
/// -O3 -march=native, on the Xeon of docs/performance.md. For the upper half of products as long, but 10 times where it
/// does not vectorise (-Os).
struct Sse41Vectors : GenericVectors<1> {
  using Portable = GenericVectors<1>;

  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element>
  add_saturating(const Register<Element>& a, const Register<Element>& b) noexcept {
    if (std::is_constant_evaluated()) return Portable::add_saturating<Element>(a, b);
    if constexpr (std::is_same_v<Element, std::uint8_t>) return of<Register<Element>>(_mm_adds_epu8(in(a), in(b)));
    if constexpr (std::is_same_v<Element, std::int8_t>) return of<Register<Element>>(_mm_adds_epi8(in(a), in(b)));
    if constexpr (std::is_same_v<Element, std::uint16_t>) return of<Register<Element>>(_mm_adds_epu16(in(a), in(b)));
    if constexpr (std::is_same_v<Element, std::int16_t>) return of<Register<Element>>(_mm_adds_epi16(in(a), in(b)));
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element>
  subtract_saturating(const Register<Element>& a, const Register<Element>& b) noexcept {
    if (std::is_constant_evaluated()) return Portable::subtract_saturating<Element>(a, b);
    if constexpr (std::is_same_v<Element, std::uint8_t>) return of<Register<Element>>(_mm_subs_epu8(in(a), in(b)));
    if constexpr (std::is_same_v<Element, std::int8_t>) return of<Register<Element>>(_mm_subs_epi8(in(a), in(b)));
    if constexpr (std::is_same_v<Element, std::uint16_t>) return of<Register<Element>>(_mm_subs_epu16(in(a), in(b)));
    if constexpr (std::is_same_v<Element, std::int16_t>) return of<Register<Element>>(_mm_subs_epi16(in(a), in(b)));
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element>
  multiply_high(const Register<Element>& a, const Register<Element>& b) noexcept {
    if (sizeof(Element) == 1 || std::is_constant_evaluated()) return Portable::multiply_high<Element>(a, b);
    if constexpr (std::is_unsigned_v<Element>) return of<Register<Element>>(_mm_mulhi_epu16(in(a), in(b)));
    if constexpr (std::is_signed_v<Element>) return of<Register<Element>>(_mm_mulhi_epi16(in(a), in(b)));
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element>
  multiply_fractional(const Register<Element>& a,
                      const Register<Element>& b) noexcept requires std::is_signed_v<Element> {
    if (sizeof(Element) == 1 || std::is_constant_evaluated()) return Portable::multiply_fractional<Element>(a, b);
    // without being held, -1 times -1 gives -1, and nothing else does
    const auto high = _mm_slli_epi16(_mm_mulhi_epi16(in(a), in(b)), 1);
    const auto product = _mm_or_si128(high, _mm_srli_epi16(_mm_mullo_epi16(in(a), in(b)), 15));
    return of<Register<Element>>(_mm_xor_si128(product, _mm_cmpeq_epi16(product, _mm_set1_epi16(-32768))));
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element>
  pack_saturating(const Register<std::int16_t>& low, const Register<std::int16_t>& high) noexcept {
    if (std::is_constant_evaluated()) return Portable::pack_saturating<Element>(low, high);
    if constexpr (std::is_unsigned_v<Element>) return of<Register<Element>>(_mm_packus_epi16(in(low), in(high)));
    if constexpr (std::is_signed_v<Element>) return of<Register<Element>>(_mm_packs_epi16(in(low), in(high)));
  }

  template <class Width>
  [[nodiscard, gnu::always_inline]] static constexpr std::uint64_t bits(const Flags<Width>& a) noexcept {
    if (std::is_constant_evaluated()) return Portable::bits<Width>(a);
    if constexpr (sizeof(Width) == 1) {
      return static_cast<std::uint32_t>(_mm_movemask_epi8(in(a)));
    } else {
      return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(in(a), _mm_setzero_si128())));
    }
  }
  template <class Width>
  [[nodiscard, gnu::always_inline]] static constexpr bool any(const Flags<Width>& a) noexcept {
    if (std::is_constant_evaluated()) return Portable::any<Width>(a);
    return _mm_testz_si128(in(a), in(a)) == 0;
  }

private:
  template <class Lanes>
  [[gnu::always_inline]] static __m128i in(const Lanes& a) noexcept {
    return (__m128i)seen_as<std::uint8_t, 16>(a);
  }
  template <class Lanes>
  [[gnu::always_inline]] static Lanes of(__m128i a) noexcept {
    return as_lanes<Lanes>(a);
  }
};

struct Sse41 : Generic {
  template <std::size_t Count>
  using Vectors = std::conditional_t<Count == 1, Sse41Vectors, GenericVectors<Count>>;

  typedef std::int32_t Words __attribute__((vector_size(16)));
  typedef std::uint32_t UnsignedWords __attribute__((vector_size(16)));

  struct Lanes : CompilerLanes<Words, UnsignedWords> {
    using Base = CompilerLanes<Words, UnsignedWords>;

    using Base::load, Base::store; // of words
    [[nodiscard]] static Value load(const std::int16_t* from) noexcept {
      return Value(_mm_cvtepi16_epi32(halves(from)));
    }
    [[nodiscard]] static Value load(const std::uint16_t* from) noexcept {
      return Value(_mm_cvtepu16_epi32(halves(from)));
    }
    static void store(std::int16_t* to, Value value) noexcept { store_halves(to, value); }
    static void store(std::uint16_t* to, Value value) noexcept { store_halves(to, value); }

    [[nodiscard]] static Value multiply_high(Value a, Value b) noexcept {
      return upper_halves(even_products(a, b), odd_products(a, b));
    }
    [[nodiscard]] static Value multiply_high_nearest(Value a, Value b) noexcept {
      const auto half = _mm_set1_epi64x(0x80000000);
      return upper_halves(_mm_add_epi64(even_products(a, b), half), _mm_add_epi64(odd_products(a, b), half));
    }
    [[nodiscard]] static Value multiply_high_offset(Value a, Value b, Value offset) noexcept {
      const auto even = _mm_blend_epi16(bits_of(offset), _mm_setzero_si128(), 0xCC);
      return upper_halves(_mm_add_epi64(even_products(a, b), even),
                          _mm_add_epi64(odd_products(a, b), _mm_srli_epi64(bits_of(offset), 32)));
    }

    // All lanes are shifted by the number in the lower half of a register.
    [[nodiscard]] static Shift shift(unsigned amount) noexcept {
      return Value(_mm_cvtsi32_si128(static_cast<int>(amount)));
    }
    [[nodiscard]] static Value shift_right(Value value, Shift amount) noexcept {
      return Value(_mm_sra_epi32(bits_of(value), bits_of(amount)));
    }
    [[nodiscard]] static Value shift_right_nearest(Value value, Shift amount) noexcept {
      const Value twice = shift_right(value, amount - shift(1));
      return (twice >> 1) + (twice & 1);
    }
    [[nodiscard]] static Value shift_right_unsigned(Value value, Shift amount) noexcept {
      return Value(_mm_srl_epi32(bits_of(value), bits_of(amount)));
    }
    [[nodiscard]] static Value shift_left(Value value, Shift amount) noexcept {
      return Value(_mm_sll_epi32(bits_of(value), bits_of(amount)));
    }
    /// All lanes by each of the amounts, of which one lane is taken.
    [[nodiscard]] static Value shift_right_each(Value value, Value amounts) noexcept {
      const auto low = bits_of(amounts), high = _mm_unpackhi_epi64(low, low);
      // an amount into the lower half, zeros above it: as the lower halves of the first two, or of the last two
      const auto first = _mm_sra_epi32(bits_of(value), _mm_cvtepu32_epi64(low)),
                 second = _mm_sra_epi32(bits_of(value), _mm_srli_epi64(low, 32)),
                 third = _mm_sra_epi32(bits_of(value), _mm_cvtepu32_epi64(high)),
                 fourth = _mm_sra_epi32(bits_of(value), _mm_srli_epi64(high, 32));
      const auto even = _mm_blend_epi16(first, third, 0xF0), odd = _mm_blend_epi16(second, fourth, 0xF0);
      return Value(_mm_blend_epi16(even, odd, 0xCC));
    }

    // The decay as on AVX2, which explains it.
    struct Factor {
      Value high, low, keep;
    };
    [[nodiscard]] static Factor factor(Value decay) noexcept {
      return {Value(Unsigned(decay) << 16), decay & 0xFFFF, (decay == 0) | splat(-0x10000)};
    }
    [[nodiscard]] static Value decay(Value value, Factor factor) noexcept {
      const auto high = _mm_madd_epi16(bits_of(value), bits_of(factor.high));
      const auto low = _mm_mulhi_epu16(bits_of(value), bits_of(factor.low));
      return (value & factor.keep) + Value(high) + Value(low);
    }
    [[nodiscard]] static Value decay_nearest(Value value, Factor factor) noexcept {
      const auto low_product = Unsigned(_mm_mullo_epi16(bits_of(value), bits_of(factor.low)));
      return decay(value, factor) + Value(low_product >> 15); // there is nothing above bit 15
    }

    [[nodiscard]] static Scale scale(unsigned amount) noexcept {
      return {shift(amount), Base::scale(amount).lost_bits};
    }
    [[nodiscard]] static Value add_scaled(Value value, Value input, Scale scale, Overflow& overflow) noexcept {
      const Value scaled = shift_left(input, scale.amount);
      const Value sum = add(value, scaled);
      overflow.wrapped |= (value ^ sum) & (scaled ^ sum);
      overflow.lost |= shift_right(scaled, scale.amount) ^ input;
      return sum;
    }
    [[nodiscard]] static Value add_scaled_magnitudes(Value value, Value input, Scale scale,
                                                     Overflow& overflow) noexcept {
      const Value sum = add(value, shift_left(input, scale.amount));
      overflow.wrapped |= sum;
      overflow.lost |= input & scale.lost_bits;
      return sum;
    }
    [[nodiscard]] static bool any_overflow(Overflow overflow) noexcept {
      const auto any = bits_of((overflow.wrapped >> 31) | overflow.lost);
      return _mm_testz_si128(any, any) == 0;
    }
    [[nodiscard]] static std::uint32_t bits(Mask mask) noexcept {
      return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(bits_of(mask))));
    }

    [[nodiscard]] static Value load_pairs(const std::uint16_t* low, const std::uint16_t* high) noexcept {
      return Value(_mm_unpacklo_epi16(halves(low), halves(high)));
    }
    [[nodiscard]] static Value multiply_high_pairs(Value pairs, Value factors, Value dithers) noexcept {
      // one more where the lower product and the dither carry, that is where it is above 2^16 - 1 - dither
      const auto low = _mm_mullo_epi16(bits_of(pairs), bits_of(factors));
      const auto high = _mm_mulhi_epu16(bits_of(pairs), bits_of(factors));
      const auto no_carry = _mm_cmpeq_epi16(_mm_min_epu16(low, bits_of(~dithers)), low);
      return Value(_mm_add_epi16(_mm_sub_epi16(high, bits_of(splat(-1))), no_carry));
    }
    [[nodiscard]] static Value add_saturating_pairs(Value a, Value b) noexcept {
      return Value(_mm_adds_epu16(bits_of(a), bits_of(b)));
    }
    [[nodiscard]] static bool any_full_pair(Value pairs) noexcept {
      return _mm_movemask_epi8(_mm_cmpeq_epi16(bits_of(pairs), bits_of(splat(-1)))) != 0;
    }
    [[nodiscard]] static Value multiply_add_pairs(Value accumulator, Value pairs, Value factors) noexcept {
      const auto centred = bits_of(pairs ^ splat(static_cast<std::int32_t>(0x80008000U)));
      return add(accumulator, Value(_mm_madd_epi16(centred, bits_of(factors))));
    }

  private:
    [[nodiscard]] static __m128i halves(const void* from) noexcept {
      return _mm_loadl_epi64(static_cast<const __m128i*>(from));
    }
    static void store_halves(void* to, Value value) noexcept {
      const auto lower = bits_of(value & 0xFFFF);
      _mm_storel_epi64(static_cast<__m128i*>(to), _mm_packus_epi32(lower, lower));
    }
    // Products of 64 bits, of the even lanes and of the odd ones; and their upper halves, in the order of the lanes.
    [[nodiscard]] static __m128i even_products(Value a, Value b) noexcept {
      return _mm_mul_epi32(bits_of(a), bits_of(b));
    }
    [[nodiscard]] static __m128i odd_products(Value a, Value b) noexcept {
      return _mm_mul_epi32(_mm_srli_epi64(bits_of(a), 32), _mm_srli_epi64(bits_of(b), 32));
    }
    [[nodiscard]] static Value upper_halves(__m128i even, __m128i odd) noexcept {
      return Value(_mm_blend_epi16(_mm_srli_epi64(even, 32), odd, 0xCC));
    }
    [[nodiscard]] static __m128i bits_of(Value value) noexcept { return reinterpret_cast<__m128i>(value); }
  };
};
static_assert(VectorBackend<Sse41>);

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
