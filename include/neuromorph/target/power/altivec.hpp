// SPDX-License-Identifier: BSL-1.0
/// \file
/// Big-endian PowerPC with AltiVec: vectors of bytes and halfwords in one register.
// requires: -maltivec -mabi=altivec (powerpc)
#ifndef NEUROMORPH_TARGET_POWER_ALTIVEC_HPP
#define NEUROMORPH_TARGET_POWER_ALTIVEC_HPP

#if !defined(__ALTIVEC__) || !defined(__BIG_ENDIAN__)
#error "neuromorph/target/power/altivec.hpp needs big-endian PowerPC with AltiVec: use -maltivec or target::Generic"
#endif

#include <altivec.h>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/target/compiler_registers.hpp>
#include <neuromorph/target/generic.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Lane 0 is the leftmost of a register, as it is the first in memory. Types are written __vector: altivec.h and other
/// headers of vendors may define macros without the underscores.
struct AltiVecVectors : CompilerRegisters {
  /// A halfword of the machine has its upper byte first.
  template <class To, class From>
  [[nodiscard]] static Register<To> cast(const Register<From>& a) noexcept {
    if constexpr (sizeof(To) == sizeof(From)) return (Register<To>)a;
    if constexpr (sizeof(To) != sizeof(From)) return (Register<To>)vec_rl((Halfwords)a, vec_splat_u16(8));
  }

  template <class Element>
  [[nodiscard]] static Register<Element> add_saturating(const Register<Element>& a,
                                                        const Register<Element>& b) noexcept {
    return vec_adds(a, b);
  }
  template <class Element>
  [[nodiscard]] static Register<Element> subtract_saturating(const Register<Element>& a,
                                                             const Register<Element>& b) noexcept {
    return vec_subs(a, b);
  }
  template <class Element>
  [[nodiscard]] static Register<Element> multiply_high(const Register<Element>& a,
                                                       const Register<Element>& b) noexcept {
    return upper_halves<Element>(vec_mule(a, b), vec_mulo(a, b));
  }
  /// VMHADDSHS, which bytes lack.
  template <class Element>
  [[nodiscard]] static Register<Element>
  multiply_fractional(const Register<Element>& a,
                      const Register<Element>& b) noexcept requires std::is_signed_v<Element> {
    if constexpr (sizeof(Element) == 2) return vec_madds(a, b, splat(Element{0}));
    if constexpr (sizeof(Element) == 1) {
      const auto even = vec_mule(a, b), odd = vec_mulo(a, b);
      return upper_halves<Element>(vec_adds(even, even), vec_adds(odd, odd));
    }
  }
  template <class Element>
  [[nodiscard]] static Register<Element>(min)(const Register<Element>& a, const Register<Element>& b) noexcept {
    return vec_min(a, b);
  }
  template <class Element>
  [[nodiscard]] static Register<Element>(max)(const Register<Element>& a, const Register<Element>& b) noexcept {
    return vec_max(a, b);
  }

  // --- widths ------------------------------------------------------------------------------------------------------

  template <class Element>
  [[nodiscard]] static Register<DoubleLane<Element>> unpack_low(const Register<Element>& a) noexcept {
    if constexpr (std::is_signed_v<Element>) return vec_unpackh(a);
    if constexpr (std::is_unsigned_v<Element>) return (Halfwords)vec_mergeh(splat(Element{0}), a);
  }
  template <class Element>
  [[nodiscard]] static Register<DoubleLane<Element>> unpack_high(const Register<Element>& a) noexcept {
    if constexpr (std::is_signed_v<Element>) return vec_unpackl(a);
    if constexpr (std::is_unsigned_v<Element>) return (Halfwords)vec_mergel(splat(Element{0}), a);
  }
  template <class Element, class From>
  [[nodiscard]] static Register<Element> pack(const Register<From>& low, const Register<From>& high) noexcept {
    return (Register<Element>)vec_pack(low, high);
  }
  template <class Element>
  [[nodiscard]] static Register<Element> pack_saturating(const Register<std::int16_t>& low,
                                                         const Register<std::int16_t>& high) noexcept {
    if constexpr (std::is_signed_v<Element>) return vec_packs(low, high);
    if constexpr (std::is_unsigned_v<Element>) return vec_packsu(low, high);
  }

  // --- truth values ------------------------------------------------------------------------------------------------

  /// One VSEL.
  template <class Element>
  [[nodiscard]] static Register<Element> select(const FlagsOf<Element>& flag, const Register<Element>& when_true,
                                                const Register<Element>& when_false) noexcept {
    return vec_sel(when_false, when_true, flag);
  }
  [[nodiscard]] static Flags<std::uint16_t> unpack_low(const Flags<std::uint8_t>& a) noexcept {
    return (Halfwords)vec_mergeh(a, a);
  }
  [[nodiscard]] static Flags<std::uint16_t> unpack_high(const Flags<std::uint8_t>& a) noexcept {
    return (Halfwords)vec_mergel(a, a);
  }
  /// A power of two in each lane, summed within words, then across them.
  template <class Width>
  [[nodiscard]] static std::uint64_t bits(const Flags<Width>& a) noexcept {
    using Words = __vector signed int;
    Words sums;
    if constexpr (sizeof(Width) == 1) {
      constexpr __vector unsigned char places{1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
      constexpr __vector unsigned int up{0, 0, 8, 8};
      sums = (Words)vec_sl(vec_sum4s(vec_and(a, places), vec_splat_u32(0)), up);
    } else {
      constexpr __vector signed short places{1, 2, 4, 8, 16, 32, 64, 128};
      sums = vec_sum4s(vec_and((__vector signed short)a, places), vec_splat_s32(0));
    }
    return static_cast<std::uint32_t>(vec_sums(sums, vec_splat_s32(0))[3]);
  }
  template <class Width>
  [[nodiscard]] static bool any(const Flags<Width>& a) noexcept {
    return vec_any_ne(a, splat(Width{0})) != 0;
  }

private:
  using Halfwords = Register<std::uint16_t>;

  /// Of the products of even and odd lanes, in the order of the lanes.
  template <class Element, class Products>
  [[nodiscard]] static Register<Element> upper_halves(const Products& even, const Products& odd) noexcept {
    constexpr __vector unsigned char of_bytes{0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30};
    constexpr __vector unsigned char of_halfwords{0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29};
    return vec_perm((Register<Element>)even, (Register<Element>)odd, sizeof(Element) == 1 ? of_bytes : of_halfwords);
  }
};

/// Its lanes are Generic's.
struct AltiVec : Generic {
  template <std::size_t Count>
  using Vectors = std::conditional_t<Count == 1, AltiVecVectors, GenericVectors<Count>>;
};
static_assert(VectorBackend<AltiVec>);

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
