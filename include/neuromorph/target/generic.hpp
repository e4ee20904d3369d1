// SPDX-License-Identifier: BSL-1.0
/// \file
/// The portable backend: complete, `constexpr`, and the definition of correct for every other backend.
#ifndef NEUROMORPH_TARGET_GENERIC_HPP
#define NEUROMORPH_TARGET_GENERIC_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/backend.hpp>
#include <neuromorph/target/loops.hpp>
#include <neuromorph/target/whole_product.hpp>
#include <neuromorph/target/word_loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

template <std::size_t Count>
struct GenericVectors;

/// What a machine can do, in plain C++. A backend inherits from it and hides what it does better.
struct Generic : WordLoops {
  /// No loop of which C++ stands in a kernel.
  using Offers = offer::List<>;

  /// accumulator + floor(value * factor / 2^16), modulo 2^32. ARMv5TE and later: one SMLAWx.
  [[nodiscard]] static constexpr std::int32_t multiply_add_high(std::int32_t accumulator, std::int32_t value,
                                                                std::int16_t factor) noexcept {
    const auto product = static_cast<std::int32_t>(whole_product(std::int64_t{value} * factor) >> 16);
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(accumulator) + static_cast<std::uint32_t>(product));
  }

  /// accumulator + floor(value * factor / 2^32), modulo 2^32. ARMv6 and later: one SMMLA.
  [[nodiscard]] static constexpr std::int32_t multiply_add_high(std::int32_t accumulator, std::int32_t value,
                                                                std::int32_t factor) noexcept {
    const auto product = static_cast<std::int32_t>(whole_product(std::int64_t{value} * factor) >> 32);
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(accumulator) + static_cast<std::uint32_t>(product));
  }

  /// a + b, held at the ends of the 32-bit range. ARMv5TE and later: one QADD.
  [[nodiscard]] static constexpr std::int32_t add_saturating(std::int32_t a, std::int32_t b) noexcept {
    std::int32_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return a < 0 ? INT32_MIN : INT32_MAX;
  }

  /// floor(a * b / 2^Shift + 1/2), modulo 2^32.
  /// \tparam Shift  31 or 32
  template <unsigned Shift>
  [[nodiscard]] static constexpr std::uint32_t multiply_nearest(std::uint32_t a, std::uint32_t b) noexcept {
    static_assert(Shift == 31 || Shift == 32, "neuromorph: Shift is 31 or 32; see docs/target.md");
    return static_cast<std::uint32_t>((whole_product(std::uint64_t{a} * b) + (std::uint64_t{1} << (Shift - 1))) >>
                                      Shift);
  }

  /// Two words of one moment: no interrupt comes between their loads.
  /// \tparam Words  trivially copyable, 8 bytes, aligned to 8
  template <class Words>
  [[nodiscard]] static constexpr Words load_at_once(const Words& from) noexcept {
    static_assert(sizeof(Words) == 8, "neuromorph: Words has 8 bytes, aligned to 8; see docs/target.md");
    static_assert(alignof(Words) == 8, "neuromorph: Words has 8 bytes, aligned to 8; see docs/target.md");
    return from;
  }

  /// Copies `count` words between buffers that do not overlap.
  static constexpr void copy_words(std::uint32_t* to, const std::uint32_t* from, std::size_t count) noexcept {
    for (std::size_t word = 0; word < count; ++word) to[word] = from[word];
  }

  /// Keeps interrupts out while it lives; nothing to do where there are none.
  struct InterruptLock {
    constexpr InterruptLock() noexcept {}
    constexpr ~InterruptLock() {}
    InterruptLock(const InterruptLock&) = delete;
    InterruptLock& operator=(const InterruptLock&) = delete;
  };

  /// Sleeps until the next interrupt; returns at once where there are none.
  static constexpr void wait_for_interrupt() noexcept {}

  /// Whether memory has a cache, for loops that can keep to a part of it.
  static constexpr bool has_cache = true;

  /// Vectors of bytes and halfwords, defined in target/generic_vectors.hpp; see vec.hpp. A backend has those for the `Count` of
  /// its registers.
  template <std::size_t Count>
  using Vectors = GenericVectors<Count>;

  /// Lanes of unsigned words with lookups: void, or a struct as target::GenericUnsignedLanes.
  using UnsignedLanes = void;

  /// A group of 32-bit integers that are worked on at once; here, one. See docs/target.md for each operation.
  struct Lanes {
    using Value = std::int32_t;
    using Mask = bool;
    using Factor = std::int32_t;
    using Shift = unsigned;
    static constexpr std::size_t count = 1;

    [[nodiscard]] static constexpr Value load(const std::int32_t* from) noexcept { return *from; }
    [[nodiscard]] static constexpr Value load(const std::int16_t* from) noexcept { return *from; }
    [[nodiscard]] static constexpr Value load(const std::uint16_t* from) noexcept { return *from; }
    static constexpr void store(std::int32_t* to, Value value) noexcept { *to = value; }
    /// The lower 16 bits.
    static constexpr void store(std::int16_t* to, Value value) noexcept { *to = static_cast<std::int16_t>(value); }
    static constexpr void store(std::uint16_t* to, Value value) noexcept { *to = static_cast<std::uint16_t>(value); }
    template <class Element>
    static constexpr void store_zero(Element* to) noexcept {
      *to = 0;
    }
    [[nodiscard]] static constexpr Value splat(std::int32_t value) noexcept { return value; }
    /// Lane k holds k.
    [[nodiscard]] static constexpr Value index() noexcept { return 0; }

    /// Sum and difference modulo 2^32.
    [[nodiscard]] static constexpr Value add(Value a, Value b) noexcept {
      return static_cast<Value>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
    }
    [[nodiscard]] static constexpr Value subtract(Value a, Value b) noexcept {
      return static_cast<Value>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
    }
    /// Sum and difference, held at the ends of the 32-bit range.
    [[nodiscard]] static constexpr Value add_saturating(Value a, Value b) noexcept {
      return Generic::add_saturating(a, b);
    }
    [[nodiscard]] static constexpr Value subtract_saturating(Value a, Value b) noexcept {
      Value difference = 0;
      if (!__builtin_sub_overflow(a, b, &difference)) return difference;
      return a < 0 ? INT32_MIN : INT32_MAX;
    }
    [[nodiscard]] static constexpr Value(min)(Value a, Value b) noexcept { return a < b ? a : b; }
    [[nodiscard]] static constexpr Value(max)(Value a, Value b) noexcept { return a < b ? b : a; }
    /// a * b modulo 2^32
    [[nodiscard]] static constexpr Value multiply(Value a, Value b) noexcept {
      return static_cast<Value>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
    }
    /// floor(a * b / 2^32)
    [[nodiscard]] static constexpr Value multiply_high(Value a, Value b) noexcept {
      return static_cast<Value>(whole_product(std::int64_t{a} * b) >> 32);
    }
    /// floor(a * b / 2^32 + 1/2)
    [[nodiscard]] static constexpr Value multiply_high_nearest(Value a, Value b) noexcept {
      return static_cast<Value>((whole_product(std::int64_t{a} * b) + 0x80000000) >> 32);
    }
    /// floor((a * b + offset) / 2^32), `offset` without a sign. With uniform bits: rounded up with a chance equal to the
    /// dropped fraction.
    [[nodiscard]] static constexpr Value multiply_high_offset(Value a, Value b, Value offset) noexcept {
      return static_cast<Value>((whole_product(std::int64_t{a} * b) + static_cast<std::uint32_t>(offset)) >> 32);
    }
    [[nodiscard]] static constexpr Value bit_and(Value a, Value b) noexcept { return a & b; }
    [[nodiscard]] static constexpr Value bit_xor(Value a, Value b) noexcept { return a ^ b; }
    /// A shift by 0..31 for the operations below.
    [[nodiscard]] static constexpr Shift shift(unsigned amount) noexcept { return amount; }
    /// floor(value / 2^amount)
    [[nodiscard]] static constexpr Value shift_right(Value value, Shift amount) noexcept { return value >> amount; }
    /// floor(value / 2^amount + 1/2), amount at least 1
    [[nodiscard]] static constexpr Value shift_right_nearest(Value value, Shift amount) noexcept {
      return static_cast<Value>(((std::int64_t{value} >> (amount - 1)) + 1) >> 1);
    }
    /// floor(value / 2^amount) of the bits as a number without a sign
    [[nodiscard]] static constexpr Value shift_right_unsigned(Value value, Shift amount) noexcept {
      return static_cast<Value>(static_cast<std::uint32_t>(value) >> amount);
    }
    /// value * 2^amount modulo 2^32
    [[nodiscard]] static constexpr Value shift_left(Value value, Shift amount) noexcept {
      return static_cast<Value>(static_cast<std::uint32_t>(value) << amount);
    }
    /// floor(value / 2^amount), each lane by an amount of its own, 0..31
    [[nodiscard]] static constexpr Value shift_right_each(Value value, Value amounts) noexcept {
      return value >> amounts;
    }

    /// A factor in -32768..0 for `decay`, prepared once and used often.
    [[nodiscard]] static constexpr Factor factor(Value decay) noexcept { return decay; }
    /// value + floor(value * factor / 2^16)
    [[nodiscard]] static constexpr Value decay(Value value, Factor factor) noexcept {
      return multiply_add_high(value, value, static_cast<std::int16_t>(factor));
    }
    /// value + floor(value * factor / 2^16 + 1/2)
    [[nodiscard]] static constexpr Value decay_nearest(Value value, Factor factor) noexcept {
      return static_cast<Value>(value + ((whole_product(std::int64_t{value} * factor) + 0x8000) >> 16));
    }

    /// Collects whether an operation since the last `any_overflow` left the 32-bit range.
    struct Overflow {
      bool happened = false;
    };
    /// A multiplication by 2^amount, amount 0..30, for the operations below.
    using Scale = unsigned;
    [[nodiscard]] static constexpr Scale scale(unsigned amount) noexcept { return amount; }
    /// value + input * scale; `overflow` is set if the product or the sum leaves the range, and the result is void.
    [[nodiscard]] static constexpr Value add_scaled(Value value, Value input, Scale scale,
                                                    Overflow& overflow) noexcept {
      const std::int64_t product = std::int64_t{input} << scale;
      const std::int64_t sum = value + product;
      overflow.happened |= product != static_cast<Value>(product) || sum != static_cast<Value>(sum);
      return static_cast<Value>(sum);
    }
    /// The same; on some backends faster, but there `overflow` is also set when an operand is negative.
    [[nodiscard]] static constexpr Value add_scaled_magnitudes(Value value, Value input, Scale scale,
                                                               Overflow& overflow) noexcept {
      return add_scaled(value, input, scale, overflow);
    }
    [[nodiscard]] static constexpr bool any_overflow(Overflow overflow) noexcept { return overflow.happened; }

    [[nodiscard]] static constexpr Mask is_negative(Value value) noexcept { return value < 0; }
    [[nodiscard]] static constexpr Mask less(Value a, Value b) noexcept { return a < b; }
    [[nodiscard]] static constexpr Mask both(Mask a, Mask b) noexcept { return a && b; }
    [[nodiscard]] static constexpr Mask either(Mask a, Mask b) noexcept { return a || b; }
    [[nodiscard]] static constexpr Mask and_not(Mask keep, Mask drop) noexcept { return keep && !drop; }
    /// Lanes of `when_true` where the mask is set, of `when_false` elsewhere.
    [[nodiscard]] static constexpr Value select(Mask mask, Value when_true, Value when_false) noexcept {
      return mask ? when_true : when_false;
    }
    /// A lane as two unsigned 16-bit numbers: `low` in the lower half, `high` in the upper one.
    [[nodiscard]] static constexpr Value load_pairs(const std::uint16_t* low, const std::uint16_t* high) noexcept {
      return static_cast<Value>(std::uint32_t{*high} << 16 | *low);
    }
    /// Each half: floor((a * factor + dither) / 2^16)
    [[nodiscard]] static constexpr Value multiply_high_pairs(Value pairs, Value factors, Value dithers) noexcept {
      const auto a = static_cast<std::uint32_t>(pairs), factor = static_cast<std::uint32_t>(factors),
                 dither = static_cast<std::uint32_t>(dithers);
      return static_cast<Value>((((a >> 16) * (factor >> 16) + (dither >> 16)) & 0xFFFF0000U) |
                                ((a & 0xFFFF) * (factor & 0xFFFF) + (dither & 0xFFFF)) >> 16);
    }
    /// Each half: a + b, at most 2^16 - 1
    [[nodiscard]] static constexpr Value add_saturating_pairs(Value a, Value b) noexcept {
      const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
      const std::uint32_t low = (x & 0xFFFF) + (y & 0xFFFF), high = (x >> 16) + (y >> 16);
      return static_cast<Value>((high > 0xFFFF ? 0xFFFFU : high) << 16 | (low > 0xFFFF ? 0xFFFFU : low));
    }
    /// Whether any half of any lane is 2^16 - 1, where a sum may have stopped.
    [[nodiscard]] static constexpr bool any_full_pair(Value pairs) noexcept {
      const auto a = static_cast<std::uint32_t>(pairs);
      return a >> 16 == 0xFFFF || (a & 0xFFFF) == 0xFFFF;
    }
    /// accumulator + (low - 2^15) * factor's low half + (high - 2^15) * factor's high half, modulo 2^32; the factors
    /// are signed
    [[nodiscard]] static constexpr Value multiply_add_pairs(Value accumulator, Value pairs, Value factors) noexcept {
      const auto a = static_cast<std::uint32_t>(pairs) ^ 0x80008000U, factor = static_cast<std::uint32_t>(factors);
      const auto half = [](std::uint32_t word) { return std::int32_t{static_cast<std::int16_t>(word)}; };
      return add(add(accumulator, half(a) * half(factor)), half(a >> 16) * half(factor >> 16));
    }
    /// Bit k is set where lane k of the mask is.
    [[nodiscard]] static constexpr std::uint32_t bits(Mask mask) noexcept { return mask ? 1U : 0U; }
  };
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
