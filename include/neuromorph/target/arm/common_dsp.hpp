// SPDX-License-Identifier: BSL-1.0
/// \file
/// What ARMv5TE in ARM state and ARMv7E-M have in common: the DSP multiplies, and random numbers in blocks.
// requires: -marm -mcpu=arm968e-s (arm)
// requires: -mthumb -mcpu=cortex-m4 (arm)
#ifndef NEUROMORPH_TARGET_ARM_COMMON_DSP_HPP
#define NEUROMORPH_TARGET_ARM_COMMON_DSP_HPP

#if !defined(__ARM_FEATURE_DSP) || !__ARM_FEATURE_DSP || defined(__ARM_BIG_ENDIAN)
#error "neuromorph/target/arm/common_dsp.hpp needs little-endian ARM with DSP: -marm -mcpu=arm968e-s or cortex-m4"
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/target/generic.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// How many bytes of a loop of `Unrolled` steps of `Bytes` each its first pass jumps over.
template <unsigned Bytes, unsigned Unrolled>
[[nodiscard]] constexpr std::uint32_t skipped(std::size_t steps) noexcept {
  return Bytes * (Unrolled - steps % Unrolled);
}

/// Base of Armv5te and CortexM4; the assembly is the same in both instruction sets.
struct ArmDsp : Generic {
  using Offers = offer::List<offer::FillJkiss64, offer::FillSfc32>;
  static constexpr bool has_cache = false;

  using Generic::multiply_add_high;

  /// One SMLAWB. The compiler's builtin: it knows when the result is there, and schedules for it.
  [[nodiscard]] static constexpr std::int32_t multiply_add_high(std::int32_t accumulator, std::int32_t value,
                                                                std::int16_t factor) noexcept {
    if (std::is_constant_evaluated()) return Generic::multiply_add_high(accumulator, value, factor);
    return __builtin_arm_smlawb(value, factor, accumulator);
  }

  /// One QADD.
  [[nodiscard]] static constexpr std::int32_t add_saturating(std::int32_t a, std::int32_t b) noexcept {
    if (std::is_constant_evaluated()) return Generic::add_saturating(a, b);
    std::int32_t result;
    asm("qadd %0, %1, %2" : "=r"(result) : "r"(a), "r"(b));
    return result;
  }

  /// The compiler's UMULL, which it schedules. It must not see that the operands come from words of 32 bits elsewhere: it
  /// makes words of 64 bits of them there, and a product of such here.
  template <unsigned Shift>
  [[nodiscard, gnu::always_inline]] static constexpr std::uint32_t multiply_nearest(std::uint32_t a,
                                                                                    std::uint32_t b) noexcept {
    static_assert(Shift == 31 || Shift == 32, "neuromorph: Shift is 31 or 32; see docs/target.md");
    if (std::is_constant_evaluated()) return Generic::multiply_nearest<Shift>(a, b);
    asm("" : "+r"(a), "+r"(b));
    const std::uint64_t product = std::uint64_t{a} * b;
    const auto low = static_cast<std::uint32_t>(product);
    auto high = static_cast<std::uint32_t>(product >> 32);
    if constexpr (Shift == 32) {
      return high + (low >> 31);
    } else { // bit 30 of the lower half comes into the carry
      asm("tst %1, %1, lsl #2\n\t"
          "adc %0, %0, %0"
          : "+r"(high)
          : "r"(low)
          : "cc");
      return high + (low >> 31);
    }
  }

  struct Lanes : Generic::Lanes {
    [[nodiscard]] static constexpr Value add_saturating(Value a, Value b) noexcept {
      return ArmDsp::add_saturating(a, b);
    }
    /// One QSUB.
    [[nodiscard]] static constexpr Value subtract_saturating(Value a, Value b) noexcept {
      if (std::is_constant_evaluated()) return Generic::Lanes::subtract_saturating(a, b);
      Value result;
      asm("qsub %0, %1, %2" : "=r"(result) : "r"(a), "r"(b));
      return result;
    }
    /// The upper half, and one more where the highest bit of the lower half is set: an addition shifts it.
    [[nodiscard]] static constexpr Value multiply_high_nearest(Value a, Value b) noexcept {
      const std::int64_t product = std::int64_t{a} * b;
      return static_cast<Value>((product >> 32) + (static_cast<std::uint32_t>(product) >> 31));
    }
    /// The bit that is shifted out last is the carry.
    [[nodiscard]] static constexpr Value shift_right_nearest(Value value, Shift amount) noexcept {
      if (std::is_constant_evaluated()) return Generic::Lanes::shift_right_nearest(value, amount);
      Value result;
      asm("movs %0, %1, asr %2\n\t"
          "adc %0, %0, #0"
          : "=r"(result)
          : "r"(value), "rM"(amount)
          : "cc");
      return result;
    }

    /// A factor in the upper half, where SMLAWT and the products of 64 bits take it.
    [[nodiscard]] static constexpr Factor factor(Value decay) noexcept {
      return static_cast<Factor>(static_cast<std::uint32_t>(decay) << 16);
    }
    [[nodiscard]] static constexpr Value decay(Value value, Factor factor) noexcept {
      if (std::is_constant_evaluated()) return Generic::Lanes::decay(value, factor >> 16);
      return __builtin_arm_smlawt(value, factor, value);
    }
    [[nodiscard]] static constexpr Value decay_nearest(Value value, Factor factor) noexcept {
      return add(value, multiply_high_nearest(value, factor));
    }
    /// In 32 bits.
    [[nodiscard]] static constexpr Value add_scaled(Value value, Value input, Scale scale,
                                                    Overflow& overflow) noexcept {
      const auto product = static_cast<Value>(static_cast<std::uint32_t>(input) << scale);
      Value sum = 0;
      overflow.happened |= __builtin_add_overflow(value, product, &sum) || product >> scale != input;
      return sum;
    }
    [[nodiscard]] static constexpr Value add_scaled_magnitudes(Value value, Value input, Scale scale,
                                                               Overflow& overflow) noexcept {
      return add_scaled(value, input, scale, overflow);
    }
  };

  /// JKISS64 from a state with the members x, y, z, c, as Jkiss64 has it. ARM968E-S: 12 cycles a value with its store,
  /// 4 more per 48; the call about 80 (benchmark random/jkiss64).
  ///
  ///     mov h, #0
  ///     eor y, y, y, lsl #5
  ///     umlal c, h, m, z        3: c becomes z, h becomes c, z is free: back in place after three values
  ///     eor y, y, y, lsr #7
  ///     mla x, a, x, b          2
  ///     eor y, y, y, lsl #22
  ///     add word, x, y
  ///     add z, word, c          not in place: as long in Thumb as the others, for the jump
  ///     str z, [to], #4
  ///
  /// Bound, by instructions: 3 + 2 for the products, 3 for the xorshift, 2 for the sum, the store, and a zero as upper
  /// half of the accumulator: 12. Counted: UMULL and an addition with carry (13); the constant of x moved into the sum
  /// (as many instructions, since x is needed without y and z).
  template <class State>
  [[gnu::noinline]] static void fill_jkiss64(State& state, std::uint32_t* to, std::size_t count) noexcept {
    constexpr std::uint32_t factor = 314'527'869, addend = 1'234'567, multiplier = 4'294'584'393;
    std::uint32_t x = state.x, y = state.y, z = state.z, c = state.c;
    const std::size_t groups = count / 3;
    std::size_t passes = groups / 16;
    std::uint32_t word = skipped<108, 16>(groups);
    std::uint32_t upper;
    // Named, because GCC 12 at -O0 finds no registers for so many operands on a core with floating point.
    register std::uint32_t a asm("r8") = factor, b asm("r9") = addend, m asm("r10") = multiplier;
    asm volatile(".syntax unified\n\t"
                 ".macro neuromorph_value z, c, h\n\t"
                 "mov \\h, #0\n\t"
                 "eor %[y], %[y], %[y], lsl #5\n\t"
                 "umlal \\c, \\h, %[m], \\z\n\t"
                 "eor %[y], %[y], %[y], lsr #7\n\t"
                 "mla %[x], %[a], %[x], %[b]\n\t"
                 "eor %[y], %[y], %[y], lsl #22\n\t"
                 "add %[word], %[x], %[y]\n\t"
                 "add \\z, %[word], \\c\n\t"
                 "str \\z, [%[to]], #4\n\t"
                 ".endm\n\t"
                 "add pc, pc, %[word]\n\t"
                 "nop\n"
                 "1:\n\t"
                 ".rept 16\n\t"
                 "neuromorph_value %[z], %[c], %[h]\n\t"
                 "neuromorph_value %[c], %[h], %[z]\n\t"
                 "neuromorph_value %[h], %[z], %[c]\n\t"
                 ".endr\n\t"
                 "subs %[passes], %[passes], #1\n\t"
                 "bpl 1b\n\t"
                 ".purgem neuromorph_value"
                 : [to] "+r"(to), [passes] "+r"(passes), [x] "+r"(x), [y] "+r"(y), [z] "+r"(z), [c] "+r"(c),
                   [h] "=&r"(upper), [word] "+r"(word)
                 : [a] "r"(a), [b] "r"(b), [m] "r"(m)
                 : "cc", "memory");
    for (count -= 3 * groups; count != 0; --count) {
      x = factor * x + addend;
      y ^= y << 5;
      y ^= y >> 7;
      y ^= y << 22;
      const std::uint64_t product = std::uint64_t{multiplier} * z + c;
      z = static_cast<std::uint32_t>(product);
      c = static_cast<std::uint32_t>(product >> 32);
      *to++ = x + y + z;
    }
    state = {x, y, z, c};
  }

  /// Sfc32 from a state with the members a, b, c, counter, as Sfc32 has it. 6 1/3 cycles a value with its store, 4 more
  /// per 48; the call about 50 (benchmark random/small).
  ///
  ///     add word, a, b          first value of three; second and third: adc
  ///     add word, word, n       first and second; third: adc
  ///     eor a, b, b, lsr #9
  ///     add b, c, c, lsl #3
  ///     add c, word, c, ror #11
  ///     str word, [to], #4
  ///     add n, n, #3            once for three
  ///
  /// The carry, set by the count and left alone inside, gives the counter's steps: sums of three numbers take up to two
  /// carries. Bound: two sums, three words of state, the store: 6, and what is left of the counter. Counted: a step of
  /// the counter for each value (7).
  template <class State>
  [[gnu::noinline]] static void fill_sfc32(State& state, std::uint32_t* to, std::size_t count) noexcept {
    std::uint32_t a = state.a, b = state.b, c = state.c, counter = state.counter;
    std::uint32_t word;
    asm volatile(".macro neuromorph_value first, second\n\t"
                 "\\first %[word], %[a], %[b]\n\t"
                 "\\second %[word], %[word], %[n]\n\t"
                 "eor %[a], %[b], %[b], lsr #9\n\t"
                 "add %[b], %[c], %[c], lsl #3\n\t"
                 "add %[c], %[word], %[c], ror #11\n\t"
                 "str %[word], [%[to]], #4\n\t"
                 ".endm\n\t"
                 ".macro neuromorph_three\n\t"
                 "neuromorph_value add, add\n\t"
                 "neuromorph_value adc, add\n\t"
                 "neuromorph_value adc, adc\n\t"
                 "add %[n], %[n], #3\n\t"
                 ".endm\n\t"
                 "subs %[count], %[count], #48\n\t"
                 "bmi 2f\n"
                 "1:\n\t"
                 ".rept 16\n\t"
                 "neuromorph_three\n\t"
                 ".endr\n\t"
                 "subs %[count], %[count], #48\n\t"
                 "bpl 1b\n"
                 "2:\n\t"
                 "adds %[count], %[count], #45\n\t"
                 "bmi 4f\n"
                 "3:\n\t"
                 "neuromorph_three\n\t"
                 "subs %[count], %[count], #3\n\t"
                 "bpl 3b\n"
                 "4:\n\t"
                 "add %[count], %[count], #3\n\t"
                 ".purgem neuromorph_three\n\t"
                 ".purgem neuromorph_value"
                 : [to] "+r"(to), [count] "+r"(count), [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [n] "+r"(counter),
                   [word] "=&r"(word)
                 :
                 : "cc", "memory");
    for (; count != 0; --count) {
      word = a + b + counter++;
      a = b ^ b >> 9;
      b = c + (c << 3);
      c = (c << 21 | c >> 11) + word;
      *to++ = word;
    }
    state = {a, b, c, counter};
  }
};
static_assert(Backend<ArmDsp>);

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
