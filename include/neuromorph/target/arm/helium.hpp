// SPDX-License-Identifier: BSL-1.0
/// \file
/// Cortex-M55 with Helium (the M-profile vector extension): four 32-bit lanes, vectors of bytes and halfwords in one
/// register.
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
#include <neuromorph/target/compiler_lanes.hpp>
#include <neuromorph/target/compiler_registers.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Flags are the machine's predicates: one bit per byte, so two per halfword. A comparison makes one, a select takes
/// one. In between GCC 12 moves it through a core register, with three instructions of the core. Flags in a vector
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

/// All else is CortexM4's: the same instructions. The emulator counts no cycles, so its loops are compared by the
/// instructions in what GCC 12 makes with -O2. Those stay that C++ does not have in lanes (random numbers,
/// tables), and `word_positions`: 14 instructions a value. Counting bounds in lanes takes 7 for each bound and four values,
/// and 10 to note each.
struct Helium : CortexM4 {
  // Lif and PackedLif are stepped in lanes, with 25 and 21 instructions a neuron. CortexM4's loops have about as many,
  // and need more registers than GCC 12 leaves here without optimisation. Four neurons of CompactLif take 42 instructions
  // in lanes, 44 in CortexM4's loop.
  static void lif_membranes() = delete;
  static void lif_membranes_by_neuron() = delete;
  static void lif_psps() = delete;
  static void packed_lif_psps() = delete;
  static void driven_lif() = delete;
  static void izhikevich_membranes() = delete;
  static void conductance_membranes() = delete;
  using Offers = offer::List<ArmDsp::Offers, ArmTables::Offers,
                             offer::When<false, offer::List<CortexM4Conductance::Offers, CortexM4Driven::Offers,
                                                            CortexM4Izhikevich::Offers, CortexM4Neurons::Offers>>>;

  template <std::size_t Count>
  using Vectors = std::conditional_t<Count == 1, HeliumVectors, GenericVectors<Count>>;

  /// With eight vector registers, what can be is in core registers: amounts of shifts, and zeros to compare with.
  struct Lanes : CompilerLanes<int32x4_t, uint32x4_t> {
    using Base = CompilerLanes<int32x4_t, uint32x4_t>;

    [[nodiscard]] static Value load(const std::int32_t* from) noexcept { return vldrwq_s32(from); }
    [[nodiscard]] static Value load(const std::int16_t* from) noexcept { return vldrhq_s32(from); }
    [[nodiscard]] static Value load(const std::uint16_t* from) noexcept { return Value(vldrhq_u32(from)); }
    static void store(std::int32_t* to, Value value) noexcept { vstrwq_s32(to, value); }
    static void store(std::int16_t* to, Value value) noexcept { vstrhq_s32(to, value); }
    static void store(std::uint16_t* to, Value value) noexcept { vstrhq_u32(to, Unsigned(value)); }
    [[nodiscard]] static Value index() noexcept { return Value(vidupq_n_u32(0, 1)); }

    [[nodiscard]] static Value add_saturating(Value a, Value b) noexcept { return vqaddq_s32(a, b); }
    [[nodiscard]] static Value subtract_saturating(Value a, Value b) noexcept { return vqsubq_s32(a, b); }
    [[nodiscard]] static Value multiply_high(Value a, Value b) noexcept { return vmulhq_s32(a, b); }
    [[nodiscard]] static Value multiply_high_nearest(Value a, Value b) noexcept { return vrmulhq_s32(a, b); }
    [[nodiscard]] static Value multiply_high_offset(Value a, Value b, Value offset) noexcept {
      // The carry of the lower half and the offset is the highest bit of half their sum.
      const Unsigned halved = vhaddq_u32(Unsigned(multiply(a, b)), Unsigned(offset));
      return add(vmulhq_s32(a, b), Value(halved >> 31));
    }

    /// Known amounts are part of an instruction, others in a core register, to the right by less than nothing.
    using Shift = std::int32_t;
    [[nodiscard]] static Shift shift(unsigned amount) noexcept { return static_cast<Shift>(amount); }
    [[nodiscard]] static Value shift_right(Value value, Shift amount) noexcept {
      if (__builtin_constant_p(amount)) return value >> amount;
      return vshlq_r_s32(value, -amount);
    }
    [[nodiscard]] static Value shift_right_unsigned(Value value, Shift amount) noexcept {
      if (__builtin_constant_p(amount)) return Value(Unsigned(value) >> amount);
      return Value(vshlq_r_u32(Unsigned(value), -amount));
    }
    [[nodiscard]] static Value shift_left(Value value, Shift amount) noexcept {
      if (__builtin_constant_p(amount)) return Value(Unsigned(value) << amount);
      return vshlq_r_s32(value, amount);
    }
    [[nodiscard]] static Value shift_right_nearest(Value value, Shift amount) noexcept {
      return vrshlq_n_s32(value, -amount);
    }

    /// A factor times 2^15, so that VQDMULH, which doubles, gives the product over 2^16. It never saturates.
    using Factor = Value;
    [[nodiscard]] static Factor factor(Value decay) noexcept { return Value(Unsigned(decay) << 15); }
    [[nodiscard]] static Value decay(Value value, Factor factor) noexcept {
      return add(value, vqdmulhq_s32(value, factor));
    }
    [[nodiscard]] static Value decay_nearest(Value value, Factor factor) noexcept {
      return add(value, vqrdmulhq_s32(value, factor));
    }

    using Scale = Shift;
    [[nodiscard]] static Scale scale(unsigned amount) noexcept { return shift(amount); }
    [[nodiscard]] static Value add_scaled(Value value, Value input, Scale scale, Overflow& overflow) noexcept {
      const Value scaled = shift_left(input, scale);
      const Value sum = add(value, scaled);
      overflow.wrapped |= (value ^ sum) & (scaled ^ sum);
      overflow.lost |= shift_right(scaled, scale) ^ input;
      return sum;
    }
    [[nodiscard]] static Value add_scaled_magnitudes(Value value, Value input, Scale scale,
                                                     Overflow& overflow) noexcept {
      const Value sum = add(value, shift_left(input, scale));
      overflow.wrapped |= sum;
      overflow.lost |= shift_right(input, 31 - scale); // what moves into the sign and beyond
      return sum;
    }
    [[nodiscard]] static bool any_overflow(Overflow overflow) noexcept {
      return vmaxvq_u32(0, Unsigned((overflow.wrapped >> 31) | overflow.lost)) != 0;
    }

    [[nodiscard]] static Value load_pairs(const std::uint16_t* low, const std::uint16_t* high) noexcept {
      return Value(vsliq_n_u32(vldrhq_u32(low), vldrhq_u32(high), 16));
    }
    [[nodiscard]] static Value multiply_high_pairs(Value pairs, Value factors, Value dithers) noexcept {
      const auto a = uint16x8_t(pairs), by = uint16x8_t(factors);
      const uint16x8_t halved = vhaddq_u16(vmulq_u16(a, by), uint16x8_t(dithers)); // as in multiply_high_offset
      return Value(vaddq_u16(vmulhq_u16(a, by), halved >> 15));
    }
    [[nodiscard]] static Value add_saturating_pairs(Value a, Value b) noexcept {
      return Value(vqaddq_u16(uint16x8_t(a), uint16x8_t(b)));
    }
    [[nodiscard]] static bool any_full_pair(Value pairs) noexcept { return vmaxvq_u16(0, uint16x8_t(pairs)) == 0xFFFF; }
    [[nodiscard]] static Value multiply_add_pairs(Value accumulator, Value pairs, Value factors) noexcept {
      const auto centred = int16x8_t(pairs ^ splat(static_cast<std::int32_t>(0x80008000U))), by = int16x8_t(factors);
      return add(add(accumulator, vmullbq_int_s16(centred, by)), vmulltq_int_s16(centred, by));
    }

    // A mask is the signs of its lanes, whatever the other bits are: numbers below zero are one already, logic is one
    // instruction, and GCC 12 moves no predicate through a core register.
    [[nodiscard]] static Mask is_negative(Value value) noexcept { return value; }
    [[nodiscard]] static Mask less(Value a, Value b) noexcept { return vqsubq_s32(a, b); }
    [[nodiscard]] static Value select(Mask mask, Value when_true, Value when_false) noexcept {
      return mask < 0 ? when_true : when_false;
    }
    [[nodiscard]] static std::uint32_t bits(Mask mask) noexcept {
      const std::uint32_t each = vcmpltq_n_s32(mask, 0) & 0x1111U; // a predicate has four bits per lane
      if (each == 0) return 0;
      return each * 0x1248 >> 12 & 0xF; // bits 0, 4, 8, 12 side by side
    }
  };
};
static_assert(VectorBackend<Helium>);

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
