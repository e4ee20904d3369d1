// SPDX-License-Identifier: BSL-1.0
/// \file
/// Lane operations that compilers' vector types express; a vector backend adds decays, faster products, and masks.
#ifndef NEUROMORPH_TARGET_COMPILER_LANES_HPP
#define NEUROMORPH_TARGET_COMPILER_LANES_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/generic.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Semantics as target::Generic::Lanes, lane by lane.
///
/// \tparam Words          a compiler vector of int32_t (GCC 12 loses a vector_size that depends on a parameter)
/// \tparam UnsignedWords  the same of uint32_t
template <class Words, class UnsignedWords>
struct CompilerLanes {
  using Value = Words;
  using Unsigned = UnsignedWords;
  using Mask = Value; // all bits of a lane, or none
  using Shift = Value;
  static constexpr std::size_t count = sizeof(Words) / 4;

  [[nodiscard]] static Value load(const std::int32_t* from) noexcept {
    Value words;
    __builtin_memcpy(&words, from, sizeof words);
    return words;
  }
  [[nodiscard]] static Value load(const std::int16_t* from) noexcept { return widen(from); }
  [[nodiscard]] static Value load(const std::uint16_t* from) noexcept { return widen(from); }
  static void store(std::int32_t* to, Value value) noexcept { __builtin_memcpy(to, &value, sizeof value); }
  static void store(std::int16_t* to, Value value) noexcept { narrow(to, value); }
  static void store(std::uint16_t* to, Value value) noexcept { narrow(to, value); }
  template <class Element>
  static void store_zero(Element* to) noexcept {
    __builtin_memset(to, 0, sizeof(Element) * count);
  }
  [[nodiscard]] static Value splat(std::int32_t value) noexcept { return value - Value{}; }
  [[nodiscard]] static Value index() noexcept {
    Value numbers{};
    for (std::size_t lane = 0; lane < count; ++lane) numbers[lane] = static_cast<std::int32_t>(lane);
    return numbers;
  }

  [[nodiscard]] static Value add(Value a, Value b) noexcept { return Value(Unsigned(a) + Unsigned(b)); }
  [[nodiscard]] static Value subtract(Value a, Value b) noexcept { return Value(Unsigned(a) - Unsigned(b)); }
  [[nodiscard]] static Value add_saturating(Value a, Value b) noexcept {
    const Value sum = add(a, b);
    return ((a ^ sum) & (b ^ sum)) < 0 ? end_beside(a) : sum;
  }
  [[nodiscard]] static Value subtract_saturating(Value a, Value b) noexcept {
    const Value difference = subtract(a, b);
    return ((a ^ b) & (a ^ difference)) < 0 ? end_beside(a) : difference;
  }
  [[nodiscard]] static Value(min)(Value a, Value b) noexcept { return a < b ? a : b; }
  [[nodiscard]] static Value(max)(Value a, Value b) noexcept { return a < b ? b : a; }
  [[nodiscard]] static Value multiply(Value a, Value b) noexcept { return Value(Unsigned(a) * Unsigned(b)); }

  // Upper halves of products, one lane after the other; a machine with products of 64 bits hides these.
  [[nodiscard]] static Value multiply_high(Value a, Value b) noexcept { return multiply_high_offset(a, b, Value{}); }
  [[nodiscard]] static Value multiply_high_nearest(Value a, Value b) noexcept {
    return multiply_high_offset(a, b, splat(INT32_MIN));
  }
  [[nodiscard]] static Value multiply_high_offset(Value a, Value b, Value offset) noexcept {
    for (std::size_t lane = 0; lane < count; ++lane)
      a[lane] = Generic::Lanes::multiply_high_offset(a[lane], b[lane], offset[lane]);
    return a;
  }

  [[nodiscard]] static Value bit_and(Value a, Value b) noexcept { return a & b; }
  [[nodiscard]] static Value bit_xor(Value a, Value b) noexcept { return a ^ b; }
  [[nodiscard]] static Shift shift(unsigned amount) noexcept { return splat(static_cast<std::int32_t>(amount)); }
  [[nodiscard]] static Value shift_right(Value value, Shift amount) noexcept { return value >> amount; }
  [[nodiscard]] static Value shift_right_nearest(Value value, Shift amount) noexcept {
    // half of it, rounded up
    const Value twice = value >> (amount - 1);
    return twice - (twice >> 1);
  }
  [[nodiscard]] static Value shift_right_unsigned(Value value, Shift amount) noexcept {
    return Value(Unsigned(value) >> Unsigned(amount));
  }
  [[nodiscard]] static Value shift_left(Value value, Shift amount) noexcept {
    return Value(Unsigned(value) << Unsigned(amount));
  }
  [[nodiscard]] static Value shift_right_each(Value value, Value amounts) noexcept { return value >> amounts; }

  struct Overflow {
    Value wrapped{}; // sign bit: a sum left the range
    Value lost{};    // not zero: a shift lost bits
  };
  struct Scale {
    Value amount;
    Value lost_bits; // bits that the shift moves into the sign and beyond
  };
  [[nodiscard]] static Scale scale(unsigned amount) noexcept {
    return {shift(amount), Value(~(~Unsigned{} >> (amount + 1)))};
  }
  [[nodiscard]] static Value add_scaled(Value value, Value input, Scale scale, Overflow& overflow) noexcept {
    const Value scaled = Value(Unsigned(input) << Unsigned(scale.amount));
    const Value sum = add(value, scaled);
    overflow.wrapped |= (value ^ sum) & (scaled ^ sum);
    overflow.lost |= (scaled >> scale.amount) ^ input;
    return sum;
  }
  [[nodiscard]] static Value add_scaled_magnitudes(Value value, Value input, Scale scale, Overflow& overflow) noexcept {
    const Value sum = add(value, Value(Unsigned(input) << Unsigned(scale.amount)));
    overflow.wrapped |= sum;
    overflow.lost |= input & scale.lost_bits;
    return sum;
  }

  // Pairs of unsigned 16-bit numbers, in 32-bit operations; a machine with 16-bit lanes hides these.
  [[nodiscard]] static Value load_pairs(const std::uint16_t* low, const std::uint16_t* high) noexcept {
    return load(low) | Value(Unsigned(load(high)) << 16);
  }
  [[nodiscard]] static Value multiply_high_pairs(Value pairs, Value factors, Value dithers) noexcept {
    const Unsigned a = Unsigned(pairs), factor = Unsigned(factors), dither = Unsigned(dithers);
    const Unsigned high = (a >> 16) * (factor >> 16) + (dither >> 16);
    const Unsigned low = (a & 0xFFFF) * (factor & 0xFFFF) + (dither & 0xFFFF);
    return Value((high & 0xFFFF0000U) | (low >> 16));
  }
  [[nodiscard]] static Value add_saturating_pairs(Value a, Value b) noexcept {
    const Value low = (a & 0xFFFF) + (b & 0xFFFF);
    const Value high = Value(Unsigned(a) >> 16) + Value(Unsigned(b) >> 16);
    const Value most = splat(0xFFFF);
    return Value(Unsigned(high > most ? most : high) << 16) | (low > most ? most : low);
  }
  [[nodiscard]] static bool any_full_pair(Value pairs) noexcept {
    const Value full = ((pairs & 0xFFFF) == 0xFFFF) | (Value(Unsigned(pairs) >> 16) == 0xFFFF);
    std::int32_t any = 0;
    for (std::size_t lane = 0; lane < count; ++lane) any |= full[lane];
    return any != 0;
  }
  [[nodiscard]] static Value multiply_add_pairs(Value accumulator, Value pairs, Value factors) noexcept {
    const auto low = [](Value words) { return Value(Unsigned(words) << 16) >> 16; };
    const Value centred = pairs ^ splat(static_cast<std::int32_t>(0x80008000U));
    return add(add(accumulator, low(centred) * low(factors)), (centred >> 16) * (factors >> 16));
  }

  [[nodiscard]] static Mask is_negative(Value value) noexcept { return value < 0; }
  [[nodiscard]] static Mask less(Value a, Value b) noexcept { return a < b; }
  [[nodiscard]] static Mask both(Mask a, Mask b) noexcept { return a & b; }
  [[nodiscard]] static Mask either(Mask a, Mask b) noexcept { return a | b; }
  [[nodiscard]] static Mask and_not(Mask keep, Mask drop) noexcept { return keep & ~drop; }
  [[nodiscard]] static Value select(Mask mask, Value when_true, Value when_false) noexcept {
    return mask ? when_true : when_false;
  }

private:
  /// The end of the range on the side of each lane.
  [[nodiscard]] static Value end_beside(Value value) noexcept { return (value >> 31) ^ INT32_MAX; }
  template <class Element>
  static void narrow(Element* to, Value value) noexcept {
    for (std::size_t lane = 0; lane < count; ++lane) to[lane] = static_cast<Element>(value[lane]);
  }
  template <class Element>
  [[nodiscard]] static Value widen(const Element* from) noexcept {
    Value words{};
    for (std::size_t lane = 0; lane < count; ++lane) words[lane] = from[lane];
    return words;
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
