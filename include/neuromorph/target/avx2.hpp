// SPDX-License-Identifier: BSL-1.0
/// \file
/// x86 with AVX2: eight 32-bit lanes.
// requires: -mavx2 (x86)
#ifndef NEUROMORPH_TARGET_AVX2_HPP
#define NEUROMORPH_TARGET_AVX2_HPP

#if !defined(__AVX2__)
#error "neuromorph/target/avx2.hpp needs AVX2: use -mavx2 or target::Generic"
#endif

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include <neuromorph/config.hpp>
#include <neuromorph/target/generic.hpp>
#include <neuromorph/target/vector_lanes.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

struct Avx2 : Generic {
  typedef std::int32_t Words __attribute__((vector_size(32)));
  typedef std::uint32_t UnsignedWords __attribute__((vector_size(32)));

  struct Lanes : VectorLanes<Words, UnsignedWords> {
    // A 32 by 16 bit product is the sum of two 16 by 16 bit ones: madd takes the signed upper half of the
    // value, mulhi the unsigned lower one. For a negative factor f, mulhi by f + 2^16 is too large by the
    // lower half itself, which is why the value is added without its lower half.
    struct Factor {
      Value high; // the factor in the upper halves
      Value low;  // the factor modulo 2^16 in the lower halves
      Value keep; // bits of the value that the products are added to
    };
    [[nodiscard]] static Factor factor(Value decay) noexcept {
      return {Value(Unsigned(decay) << 16), decay & 0xFFFF, (decay == 0) | splat(-0x10000)};
    }
    [[nodiscard]] static Value decay(Value value, Factor factor) noexcept {
      const auto high = _mm256_madd_epi16(bits_of(value), bits_of(factor.high));
      const auto low = _mm256_mulhi_epu16(bits_of(value), bits_of(factor.low));
      return (value & factor.keep) + Value(high) + Value(low);
    }
    [[nodiscard]] static Value decay_nearest(Value value, Factor factor) noexcept {
      const auto low_product = Value(_mm256_mullo_epi16(bits_of(value), bits_of(factor.low)));
      return decay(value, factor) + ((low_product >> 15) & 1);
    }

    [[nodiscard]] static bool any_overflow(Overflow overflow) noexcept {
      const auto any = bits_of((overflow.wrapped >> 31) | overflow.lost);
      return _mm256_testz_si256(any, any) == 0;
    }
    [[nodiscard]] static std::uint32_t bits(Mask mask) noexcept {
      return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(bits_of(mask))));
    }

  private:
    [[nodiscard]] static __m256i bits_of(Value value) noexcept { return reinterpret_cast<__m256i>(value); }
  };
};
static_assert(Backend<Avx2>);

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
