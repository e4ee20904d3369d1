// SPDX-License-Identifier: BSL-1.0
/// \file
/// AArch64 with NEON: four 32-bit lanes, vectors of bytes and halfwords in one register.
// requires: -march=armv8-a (aarch64)
#ifndef NEUROMORPH_TARGET_ARM_NEON_HPP
#define NEUROMORPH_TARGET_ARM_NEON_HPP

#if !defined(__aarch64__) || !defined(__ARM_NEON) || defined(__AARCH64EB__)
#error "neuromorph/target/arm/neon.hpp needs little-endian AArch64 with NEON: use -march=armv8-a or target::Generic"
#endif

#include <arm_neon.h>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/target/compiler_lanes.hpp>
#include <neuromorph/target/compiler_registers.hpp>
#include <neuromorph/target/generic.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

struct NeonVectors : CompilerRegisters {
  template <class Element>
  [[nodiscard]] static Register<Element> add_saturating(const Register<Element>& a,
                                                        const Register<Element>& b) noexcept {
    if constexpr (std::is_same_v<Element, std::uint8_t>) return vqaddq_u8(a, b);
    if constexpr (std::is_same_v<Element, std::int8_t>) return vqaddq_s8(a, b);
    if constexpr (std::is_same_v<Element, std::uint16_t>) return vqaddq_u16(a, b);
    if constexpr (std::is_same_v<Element, std::int16_t>) return vqaddq_s16(a, b);
  }
  template <class Element>
  [[nodiscard]] static Register<Element> subtract_saturating(const Register<Element>& a,
                                                             const Register<Element>& b) noexcept {
    if constexpr (std::is_same_v<Element, std::uint8_t>) return vqsubq_u8(a, b);
    if constexpr (std::is_same_v<Element, std::int8_t>) return vqsubq_s8(a, b);
    if constexpr (std::is_same_v<Element, std::uint16_t>) return vqsubq_u16(a, b);
    if constexpr (std::is_same_v<Element, std::int16_t>) return vqsubq_s16(a, b);
  }
  /// Long products, of which the odd parts are the upper halves.
  template <class Element>
  [[nodiscard]] static Register<Element> multiply_high(const Register<Element>& a,
                                                       const Register<Element>& b) noexcept {
    if constexpr (std::is_same_v<Element, std::uint8_t>) {
      const uint16x8_t low = vmull_u8(vget_low_u8(a), vget_low_u8(b)), high = vmull_high_u8(a, b);
      return vuzp2q_u8(vreinterpretq_u8_u16(low), vreinterpretq_u8_u16(high));
    }
    if constexpr (std::is_same_v<Element, std::int8_t>) {
      const int16x8_t low = vmull_s8(vget_low_s8(a), vget_low_s8(b)), high = vmull_high_s8(a, b);
      return vuzp2q_s8(vreinterpretq_s8_s16(low), vreinterpretq_s8_s16(high));
    }
    if constexpr (std::is_same_v<Element, std::uint16_t>) {
      const uint32x4_t low = vmull_u16(vget_low_u16(a), vget_low_u16(b)), high = vmull_high_u16(a, b);
      return vuzp2q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high));
    }
    if constexpr (std::is_same_v<Element, std::int16_t>) {
      const int32x4_t low = vmull_s16(vget_low_s16(a), vget_low_s16(b)), high = vmull_high_s16(a, b);
      return vuzp2q_s16(vreinterpretq_s16_s32(low), vreinterpretq_s16_s32(high));
    }
  }
  /// SQDMULH, which bytes lack.
  template <class Element>
  [[nodiscard]] static Register<Element>
  multiply_fractional(const Register<Element>& a,
                      const Register<Element>& b) noexcept requires std::is_signed_v<Element> {
    if constexpr (sizeof(Element) == 2) return vqdmulhq_s16(a, b);
    if constexpr (sizeof(Element) == 1) {
      const int8x8_t low = vqshrn_n_s16(vmull_s8(vget_low_s8(a), vget_low_s8(b)), 7);
      return vqshrn_high_n_s16(low, vmull_high_s8(a, b), 7);
    }
  }

  // --- widths ------------------------------------------------------------------------------------------------------

  template <class Element>
  [[nodiscard]] static Register<DoubleLane<Element>> unpack_low(const Register<Element>& a) noexcept {
    if constexpr (std::is_signed_v<Element>) return vmovl_s8(vget_low_s8(a));
    if constexpr (std::is_unsigned_v<Element>) return vmovl_u8(vget_low_u8(a));
  }
  template <class Element>
  [[nodiscard]] static Register<DoubleLane<Element>> unpack_high(const Register<Element>& a) noexcept {
    if constexpr (std::is_signed_v<Element>) return vmovl_high_s8(a);
    if constexpr (std::is_unsigned_v<Element>) return vmovl_high_u8(a);
  }
  template <class Element, class From>
  [[nodiscard]] static Register<Element> pack(const Register<From>& low, const Register<From>& high) noexcept {
    return (Register<Element>)vuzp1q_u8((uint8x16_t)low, (uint8x16_t)high);
  }
  template <class Element>
  [[nodiscard]] static Register<Element> pack_saturating(const Register<std::int16_t>& low,
                                                         const Register<std::int16_t>& high) noexcept {
    if constexpr (std::is_signed_v<Element>) return vqmovn_high_s16(vqmovn_s16(low), high);
    if constexpr (std::is_unsigned_v<Element>) return vqmovun_high_s16(vqmovun_s16(low), high);
  }

  // --- truth values ------------------------------------------------------------------------------------------------

  /// One BSL.
  template <class Element>
  [[nodiscard]] static Register<Element> select(const FlagsOf<Element>& flag, const Register<Element>& when_true,
                                                const Register<Element>& when_false) noexcept {
    return (Register<Element>)vbslq_u8((uint8x16_t)flag, (uint8x16_t)when_true, (uint8x16_t)when_false);
  }
  [[nodiscard]] static Flags<std::uint16_t> unpack_low(const Flags<std::uint8_t>& a) noexcept {
    return (Flags<std::uint16_t>)vmovl_s8(vget_low_s8((int8x16_t)a));
  }
  [[nodiscard]] static Flags<std::uint16_t> unpack_high(const Flags<std::uint8_t>& a) noexcept {
    return (Flags<std::uint16_t>)vmovl_high_s8((int8x16_t)a);
  }
  /// A power of two in each lane, summed by adding neighbours until one lane has the sum.
  template <class Width>
  [[nodiscard]] static std::uint64_t bits(const Flags<Width>& a) noexcept {
    if constexpr (sizeof(Width) == 1) {
      const uint8x16_t places = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
      uint8x16_t sums = vandq_u8(a, places);
      for (int round = 0; round < 3; ++round) sums = vpaddq_u8(sums, sums);
      return vgetq_lane_u16(vreinterpretq_u16_u8(sums), 0);
    } else {
      const uint16x8_t places = {1, 2, 4, 8, 16, 32, 64, 128};
      return vaddvq_u16(vandq_u16(a, places));
    }
  }
  template <class Width>
  [[nodiscard]] static bool any(const Flags<Width>& a) noexcept {
    return vmaxvq_u32((uint32x4_t)a) != 0;
  }
};

struct Neon : Generic {
  template <std::size_t Count>
  using Vectors = std::conditional_t<Count == 1, NeonVectors, GenericVectors<Count>>;

  typedef std::int32_t Words __attribute__((vector_size(16)));
  typedef std::uint32_t UnsignedWords __attribute__((vector_size(16)));

  struct Lanes : CompilerLanes<Words, UnsignedWords> {
    using Base = CompilerLanes<Words, UnsignedWords>;

    using Base::load, Base::store; // of words
    [[nodiscard]] static Value load(const std::int16_t* from) noexcept { return vmovl_s16(vld1_s16(from)); }
    [[nodiscard]] static Value load(const std::uint16_t* from) noexcept { return Value(vmovl_u16(vld1_u16(from))); }
    static void store(std::int16_t* to, Value value) noexcept { vst1_s16(to, vmovn_s32(value)); }
    static void store(std::uint16_t* to, Value value) noexcept { vst1_u16(to, vmovn_u32(Unsigned(value))); }

    [[nodiscard]] static Value add_saturating(Value a, Value b) noexcept { return vqaddq_s32(a, b); }
    [[nodiscard]] static Value subtract_saturating(Value a, Value b) noexcept { return vqsubq_s32(a, b); }

    [[nodiscard]] static Value multiply_high(Value a, Value b) noexcept {
      return vuzp2q_s32(vreinterpretq_s32_s64(low_products(a, b)), vreinterpretq_s32_s64(vmull_high_s32(a, b)));
    }
    [[nodiscard]] static Value multiply_high_nearest(Value a, Value b) noexcept {
      return vrshrn_high_n_s64(vrshrn_n_s64(low_products(a, b), 32), vmull_high_s32(a, b), 32);
    }
    [[nodiscard]] static Value multiply_high_offset(Value a, Value b, Value offset) noexcept {
      const auto low = vaddw_u32(vreinterpretq_u64_s64(low_products(a, b)), vget_low_u32(Unsigned(offset)));
      const auto high = vaddw_high_u32(vreinterpretq_u64_s64(vmull_high_s32(a, b)), Unsigned(offset));
      return vuzp2q_s32(vreinterpretq_s32_u64(low), vreinterpretq_s32_u64(high));
    }
    /// One SRSHL, to the left by less than nothing.
    [[nodiscard]] static Value shift_right_nearest(Value value, Shift amount) noexcept {
      return vrshlq_s32(value, -amount);
    }

    /// A factor times 2^15, so that SQDMULH, which doubles, gives the product over 2^16. It never saturates.
    using Factor = Value;
    [[nodiscard]] static Factor factor(Value decay) noexcept { return Value(Unsigned(decay) << 15); }
    [[nodiscard]] static Value decay(Value value, Factor factor) noexcept {
      return add(value, vqdmulhq_s32(value, factor));
    }
    [[nodiscard]] static Value decay_nearest(Value value, Factor factor) noexcept {
      return add(value, vqrdmulhq_s32(value, factor));
    }
    [[nodiscard]] static bool any_overflow(Overflow overflow) noexcept {
      return vmaxvq_u32(Unsigned((overflow.wrapped >> 31) | overflow.lost)) != 0;
    }

    [[nodiscard]] static Value load_pairs(const std::uint16_t* low, const std::uint16_t* high) noexcept {
      const uint16x8_t lows = vcombine_u16(vld1_u16(low), vcreate_u16(0)),
                       highs = vcombine_u16(vld1_u16(high), vcreate_u16(0));
      return Value(vzip1q_u16(lows, highs));
    }
    [[nodiscard]] static Value multiply_high_pairs(Value pairs, Value factors, Value dithers) noexcept {
      const auto a = halves(pairs), by = halves(factors), plus = halves(dithers);
      const auto low = vaddw_u16(vmull_u16(vget_low_u16(a), vget_low_u16(by)), vget_low_u16(plus));
      const auto high = vaddw_high_u16(vmull_high_u16(a, by), plus);
      return Value(vuzp2q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high)));
    }
    [[nodiscard]] static Value add_saturating_pairs(Value a, Value b) noexcept {
      return Value(vqaddq_u16(halves(a), halves(b)));
    }
    [[nodiscard]] static bool any_full_pair(Value pairs) noexcept { return vmaxvq_u16(halves(pairs)) == 0xFFFF; }
    [[nodiscard]] static Value multiply_add_pairs(Value accumulator, Value pairs, Value factors) noexcept {
      const auto a = vreinterpretq_s16_u16(halves(pairs ^ splat(static_cast<std::int32_t>(0x80008000U))));
      const auto by = vreinterpretq_s16_u16(halves(factors));
      return add(accumulator, vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(by)), vmull_high_s16(a, by)));
    }

    /// One BSL.
    [[nodiscard]] static Value select(Mask mask, Value when_true, Value when_false) noexcept {
      return vbslq_s32(Unsigned(mask), when_true, when_false);
    }
    [[nodiscard]] static std::uint32_t bits(Mask mask) noexcept {
      const Unsigned places = {1, 2, 4, 8};
      return vaddvq_u32(Unsigned(mask) & places);
    }

  private:
    [[nodiscard]] static int64x2_t low_products(Value a, Value b) noexcept {
      return vmull_s32(vget_low_s32(a), vget_low_s32(b));
    }
    [[nodiscard]] static uint16x8_t halves(Value pairs) noexcept { return (uint16x8_t)pairs; }
  };
};
static_assert(VectorBackend<Neon>);

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
