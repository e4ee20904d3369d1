// SPDX-License-Identifier: BSL-1.0
/// \file
/// Cortex-M55 with Helium (the M-profile vector extension): vectors of bytes and halfwords in one register.
// requires: -mthumb -mcpu=cortex-m55 -mfloat-abi=hard (arm)
#ifndef NEUROMORPH_TARGET_ARM_HELIUM_HPP
#define NEUROMORPH_TARGET_ARM_HELIUM_HPP

#if !defined(__ARM_FEATURE_MVE) || !__ARM_FEATURE_MVE || defined(__ARM_BIG_ENDIAN)
#error "neuromorph/target/arm/helium.hpp needs Helium: use -mcpu=cortex-m55 -mfloat-abi=hard or target::CortexM4"
#endif

#include <arm_mve.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/target/arm/cortex_m4.hpp>
#include <neuromorph/target/compiler_registers.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Flags are the machine's predicates: one bit per byte, so two per halfword. A comparison makes one, a select takes
/// one. In between GCC 12 moves it through a core register, with three instructions of the core; flags in a vector
/// would take four of the vector unit, to make one and to select by it.
struct HeliumVectors : CompilerRegisters {
  template <class Width>
  struct Flags {
    mve_pred16_t predicate;
  };
  template <class Element>
  using FlagsOf = Flags<UnsignedLane<Element>>;

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
  template <class Element>
  [[nodiscard]] static Register<Element> multiply_high(const Register<Element>& a,
                                                       const Register<Element>& b) noexcept {
    if constexpr (std::is_same_v<Element, std::uint8_t>) return vmulhq_u8(a, b);
    if constexpr (std::is_same_v<Element, std::int8_t>) return vmulhq_s8(a, b);
    if constexpr (std::is_same_v<Element, std::uint16_t>) return vmulhq_u16(a, b);
    if constexpr (std::is_same_v<Element, std::int16_t>) return vmulhq_s16(a, b);
  }
  /// VQDMULH.
  template <class Element>
  [[nodiscard]] static Register<Element>
  multiply_fractional(const Register<Element>& a,
                      const Register<Element>& b) noexcept requires std::is_signed_v<Element> {
    if constexpr (sizeof(Element) == 1) return vqdmulhq_s8(a, b);
    if constexpr (sizeof(Element) == 2) return vqdmulhq_s16(a, b);
  }
  template <class Element>
  [[nodiscard]] static Register<Element>(min)(const Register<Element>& a, const Register<Element>& b) noexcept {
    if constexpr (std::is_same_v<Element, std::uint8_t>) return vminq_u8(a, b);
    if constexpr (std::is_same_v<Element, std::int8_t>) return vminq_s8(a, b);
    if constexpr (std::is_same_v<Element, std::uint16_t>) return vminq_u16(a, b);
    if constexpr (std::is_same_v<Element, std::int16_t>) return vminq_s16(a, b);
  }
  template <class Element>
  [[nodiscard]] static Register<Element>(max)(const Register<Element>& a, const Register<Element>& b) noexcept {
    if constexpr (std::is_same_v<Element, std::uint8_t>) return vmaxq_u8(a, b);
    if constexpr (std::is_same_v<Element, std::int8_t>) return vmaxq_s8(a, b);
    if constexpr (std::is_same_v<Element, std::uint16_t>) return vmaxq_u16(a, b);
    if constexpr (std::is_same_v<Element, std::int16_t>) return vmaxq_s16(a, b);
  }
  /// By an amount that is known, or by one in a core register, to the right by a negative one.
  template <class Element>
  [[nodiscard]] static Register<Element> shift_left(const Register<Element>& a, unsigned amount) noexcept {
    if (__builtin_constant_p(amount)) return CompilerRegisters::shift_left<Element>(a, amount);
    return shifted<Element>(a, static_cast<std::int32_t>(amount));
  }
  template <class Element>
  [[nodiscard]] static Register<Element> shift_right(const Register<Element>& a, unsigned amount) noexcept {
    if (__builtin_constant_p(amount)) return CompilerRegisters::shift_right<Element>(a, amount);
    return shifted<Element>(a, -static_cast<std::int32_t>(amount));
  }

  // --- widths: through memory, whose loads widen and whose stores narrow; between registers the machine only takes
  // every other lane ------------------------------------------------------------------------------------------------

  template <class Element>
  [[nodiscard]] static Register<DoubleLane<Element>> unpack_low(const Register<Element>& a) noexcept {
    return widened<Element>(a, 0);
  }
  template <class Element>
  [[nodiscard]] static Register<DoubleLane<Element>> unpack_high(const Register<Element>& a) noexcept {
    return widened<Element>(a, 8);
  }
  template <class Element, class From>
  [[nodiscard]] static Register<Element> pack(const Register<From>& low, const Register<From>& high) noexcept {
    std::array<std::uint8_t, 16> narrow;
    vstrbq_u16(narrow.data(), (uint16x8_t)low);
    vstrbq_u16(narrow.data() + 8, (uint16x8_t)high);
    return (Register<Element>)vld1q_u8(narrow.data());
  }
  template <class Element>
  [[nodiscard]] static Register<Element> pack_saturating(const Register<std::int16_t>& low,
                                                         const Register<std::int16_t>& high) noexcept {
    // held in the lower byte of each halfword, which the store takes; the upper one is what it was
    if constexpr (std::is_signed_v<Element>)
      return pack<Element, std::int16_t>((int16x8_t)vqmovnbq_s16((int8x16_t)low, low),
                                         (int16x8_t)vqmovnbq_s16((int8x16_t)high, high));
    if constexpr (std::is_unsigned_v<Element>)
      return pack<Element, std::uint16_t>((uint16x8_t)vqmovunbq_s16((uint8x16_t)low, low),
                                          (uint16x8_t)vqmovunbq_s16((uint8x16_t)high, high));
  }

  // --- truth values ------------------------------------------------------------------------------------------------

  template <class Element>
  [[nodiscard]] static FlagsOf<Element> equal(const Register<Element>& a, const Register<Element>& b) noexcept {
    if constexpr (sizeof(Element) == 1) return {vcmpeqq_u8((uint8x16_t)a, (uint8x16_t)b)};
    if constexpr (sizeof(Element) == 2) return {vcmpeqq_u16((uint16x8_t)a, (uint16x8_t)b)};
  }
  template <class Element>
  [[nodiscard]] static FlagsOf<Element> less(const Register<Element>& a, const Register<Element>& b) noexcept {
    if constexpr (std::is_same_v<Element, std::uint8_t>) return {vcmphiq_u8(b, a)};
    if constexpr (std::is_same_v<Element, std::int8_t>) return {vcmpgtq_s8(b, a)};
    if constexpr (std::is_same_v<Element, std::uint16_t>) return {vcmphiq_u16(b, a)};
    if constexpr (std::is_same_v<Element, std::int16_t>) return {vcmpgtq_s16(b, a)};
  }
  template <class Width>
  [[nodiscard]] static Flags<Width> nonzero(const Register<Width>& a) noexcept {
    if constexpr (sizeof(Width) == 1) return {vcmpneq_n_u8(a, 0)};
    if constexpr (sizeof(Width) == 2) return {vcmpneq_n_u16(a, 0)};
  }
  template <class Element>
  [[nodiscard]] static Register<Element> select(const FlagsOf<Element>& flag, const Register<Element>& when_true,
                                                const Register<Element>& when_false) noexcept {
    return (Register<Element>)vpselq_u8((uint8x16_t)when_true, (uint8x16_t)when_false, flag.predicate);
  }
  template <class Width>
  [[nodiscard]] static Flags<Width> both(const Flags<Width>& a, const Flags<Width>& b) noexcept {
    return {static_cast<mve_pred16_t>(a.predicate & b.predicate)};
  }
  template <class Width>
  [[nodiscard]] static Flags<Width> either(const Flags<Width>& a, const Flags<Width>& b) noexcept {
    return {static_cast<mve_pred16_t>(a.predicate | b.predicate)};
  }
  template <class Width>
  [[nodiscard]] static Flags<Width> negate(const Flags<Width>& a) noexcept {
    return {static_cast<mve_pred16_t>(~a.predicate)};
  }
  /// Each bit twice.
  [[nodiscard]] static Flags<std::uint16_t> unpack_low(const Flags<std::uint8_t>& a) noexcept {
    std::uint32_t bits = a.predicate & 0xFFU;
    bits = (bits | bits << 4) & 0x0F0F;
    bits = (bits | bits << 2) & 0x3333;
    bits = (bits | bits << 1) & 0x5555;
    return {static_cast<mve_pred16_t>(3 * bits)};
  }
  [[nodiscard]] static Flags<std::uint16_t> unpack_high(const Flags<std::uint8_t>& a) noexcept {
    return unpack_low(Flags<std::uint8_t>{static_cast<mve_pred16_t>(a.predicate >> 8)});
  }
  template <class Width>
  [[nodiscard]] static std::uint64_t bits(const Flags<Width>& a) noexcept {
    if constexpr (sizeof(Width) == 1) return a.predicate;
    if constexpr (sizeof(Width) == 2) {
      const uint16x8_t places = {1, 2, 4, 8, 16, 32, 64, 128};
      return vaddvq_p_u16(places, a.predicate);
    }
  }
  template <class Width>
  [[nodiscard]] static bool any(const Flags<Width>& a) noexcept {
    return a.predicate != 0;
  }
  template <class Width>
  [[nodiscard]] static Register<Width> to_lanes(const Flags<Width>& a) noexcept {
    return select<Width>(a, splat(static_cast<Width>(-1)), splat(Width{0}));
  }
  template <class Width>
  [[nodiscard]] static Flags<Width> from_lanes(const Register<Width>& a) noexcept {
    return nonzero<Width>(a);
  }

private:
  template <class Element>
  [[nodiscard]] static Register<Element> shifted(const Register<Element>& a, std::int32_t left) noexcept {
    if constexpr (std::is_same_v<Element, std::uint8_t>) return vshlq_r_u8(a, left);
    if constexpr (std::is_same_v<Element, std::int8_t>) return vshlq_r_s8(a, left);
    if constexpr (std::is_same_v<Element, std::uint16_t>) return vshlq_r_u16(a, left);
    if constexpr (std::is_same_v<Element, std::int16_t>) return vshlq_r_s16(a, left);
  }
  template <class Element>
  [[nodiscard]] static Register<DoubleLane<Element>> widened(const Register<Element>& a, std::size_t from) noexcept {
    std::array<Element, 16> wide;
    if constexpr (std::is_signed_v<Element>) {
      vst1q_s8(wide.data(), a);
      return vldrbq_s16(wide.data() + from);
    } else {
      vst1q_u8(wide.data(), a);
      return vldrbq_u16(wide.data() + from);
    }
  }
};

/// All else is CortexM4's: the same instructions.
struct Helium : CortexM4 {
  // CortexM4's loops over Lif and PackedLif need more registers than GCC 12 leaves here without optimisation; both are
  // stepped in C++.
  static void lif_membranes() = delete;
  static void lif_membranes_by_neuron() = delete;
  static void lif_psps() = delete;
  static void packed_lif_psps() = delete;
  using Offers =
      offer::List<ArmDsp::Offers, CortexM4Lif::Offers, ArmTables::Offers, offer::When<false, CortexM4Neurons::Offers>>;

  template <std::size_t Count>
  using Vectors = std::conditional_t<Count == 1, HeliumVectors, GenericVectors<Count>>;
};
static_assert(VectorBackend<Helium>);

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
