// SPDX-License-Identifier: BSL-1.0
/// \file
/// AArch64 with NEON: vectors of bytes and halfwords in one register.
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

/// Its lanes are Generic's, which the compiler makes into NEON's where a loop lets it.
struct Neon : Generic {
  template <std::size_t Count>
  using Vectors = std::conditional_t<Count == 1, NeonVectors, GenericVectors<Count>>;
};
static_assert(VectorBackend<Neon>);

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
