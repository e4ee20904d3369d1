// SPDX-License-Identifier: BSL-1.0
/// \file
/// x86 with SSE4.1: vectors of bytes and halfwords in one register of 128 bits.
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
#include <neuromorph/target/generic.hpp>
#include <neuromorph/target/generic_vectors.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// The compiler's own code for Generic, which all else is, takes 2 to 3 times as long for what saturates, 1.2 times for
/// differences without sign, 2.4 times for `bits`, 1.4 times for `any` (benchmarks vector/*/sse41 and generic, GCC 12,
/// -O3 -march=native, on the Xeon of docs/performance.md); for the upper half of products as long, but 10 times where
/// it does not vectorise (-Os).
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
};
static_assert(VectorBackend<Sse41>);

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
