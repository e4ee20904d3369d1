// SPDX-License-Identifier: BSL-1.0
/// \file
/// x86 with AVX-512 (BW, DQ, VL, VNNI; Ice Lake, Zen 4 and later): sixteen 32-bit lanes.
// requires: -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni (x86)
#ifndef NEUROMORPH_TARGET_AVX512_HPP
#define NEUROMORPH_TARGET_AVX512_HPP

#if !defined(__AVX512BW__) || !defined(__AVX512DQ__) || !defined(__AVX512VL__) || !defined(__AVX512VNNI__)
#error "neuromorph/target/avx512.hpp needs AVX-512 BW, DQ, VL and VNNI: use -march=native or target::Avx2"
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

struct Avx512 : Generic {
  typedef std::int32_t Words __attribute__((vector_size(64)));
  typedef std::uint32_t UnsignedWords __attribute__((vector_size(64)));

  struct Lanes : VectorLanes<Words, UnsignedWords> {
    using Mask = __mmask16;
    struct Factor { // as in target::Avx2
      Value high, low, keep;
    };
    [[nodiscard]] static Factor factor(Value decay) noexcept {
      return {Value(Unsigned(decay) << 16), decay & 0xFFFF, (decay == 0) | splat(-0x10000)};
    }
    [[nodiscard]] static Value decay(Value value, Factor factor) noexcept {
      const auto high = _mm512_dpwssd_epi32(bits_of(value & factor.keep), bits_of(value), bits_of(factor.high));
      return Value(high) + Value(_mm512_mulhi_epu16(bits_of(value), bits_of(factor.low)));
    }
    [[nodiscard]] static Value decay_nearest(Value value, Factor factor) noexcept {
      const auto low_product = Value(_mm512_mullo_epi16(bits_of(value), bits_of(factor.low)));
      return decay(value, factor) + ((low_product >> 15) & 1);
    }

    [[nodiscard]] static bool any_overflow(Overflow overflow) noexcept {
      const auto lost = bits_of(overflow.lost);
      return _kortestz_mask16_u8(_mm512_test_epi32_mask(lost, lost), is_negative(overflow.wrapped)) == 0;
    }
    [[nodiscard]] static Mask is_negative(Value value) noexcept { return _mm512_movepi32_mask(bits_of(value)); }
    [[nodiscard]] static Mask and_not(Mask keep, Mask drop) noexcept { return _kandn_mask16(drop, keep); }
    [[nodiscard]] static Value select(Mask mask, Value when_true, Value when_false) noexcept {
      return Value(_mm512_mask_mov_epi32(bits_of(when_false), mask, bits_of(when_true)));
    }
    [[nodiscard]] static std::uint32_t bits(Mask mask) noexcept { return mask; }

  private:
    [[nodiscard]] static __m512i bits_of(Value value) noexcept { return reinterpret_cast<__m512i>(value); }
  };
};
static_assert(Backend<Avx512>);

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
