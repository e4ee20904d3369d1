// SPDX-License-Identifier: BSL-1.0
/// \file
/// Rounding policies: what becomes of the bits that a right shift drops.
///
/// All of them are one formula, floor(value / 2^shift + offset / 2^32), and differ in the offset. It is zero
/// (`Down`), one half (`Nearest`; a little less for negative values in `NearestAway`), from the caller's random source
/// (`Stochastic`), from the caller's `Dither` (`Dithered`). There is no state outside the objects that the caller
/// passes.
#ifndef NEUROMORPH_ROUNDING_HPP
#define NEUROMORPH_ROUNDING_HPP

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace rounding {

/// Signed or unsigned integer of 8, 16, 32 or 64 bits.
template <class Value>
concept Shiftable = std::integral<Value> && !std::same_as<Value, bool> && sizeof(Value) <= 8;

/// Gives 32 uniform bits per call of `next()`; every random source of the library does.
template <class Source>
concept BitSource = requires(Source& source) {
  { source.next() } -> std::same_as<std::uint32_t>;
};

/// floor(value / 2^shift), for any shift: from the width on, the answer is 0 or -1.
/// \cost one shift; a comparison more when `shift` is not a constant
template <Shiftable Value>
[[nodiscard]] constexpr Value floor_shift(Value value, unsigned shift) noexcept {
  constexpr unsigned width = 8 * sizeof(Value);
  if (shift >= width) return value < 0 ? static_cast<Value>(-1) : Value{0};
  return static_cast<Value>(value >> shift);
}

/// floor(value / 2^shift + offset / 2^32), the dropped part taken to 32 bits: what every policy computes.
/// Never overflows, for any shift. Exact up to a shift of 32; above, dropped bits below 2^-32 do not count.
/// \cost ARM, 32-bit value, constant shift: about four instructions
template <Shiftable Value>
[[nodiscard]] constexpr Value shift_right(Value value, unsigned shift, std::uint32_t offset) noexcept {
  if (shift == 0) return value;
  const std::uint32_t dropped = shift > 32 ? static_cast<std::uint32_t>(floor_shift(value, shift - 32))
                                           : static_cast<std::uint32_t>(value) << (32 - shift);
  const bool up = static_cast<std::uint32_t>(dropped + offset) < offset;
  return static_cast<Value>(floor_shift(value, shift) + static_cast<Value>(up));
}

/// Towards minus infinity: the arithmetic shift itself. Mean error: half a unit of the result, downwards.
struct Down {
  template <Shiftable Value>
  [[nodiscard]] static constexpr Value shift_right(Value value, unsigned shift) noexcept {
    return floor_shift(value, shift);
  }
};

/// To nearest; ties go towards plus infinity (add half, then floor), since that is what the hardware's
/// rounding instructions do (SMMULR, VQRDMULH, PMULHRSW). Not the ties-to-even of floating point.
struct Nearest {
  template <Shiftable Value>
  [[nodiscard]] static constexpr Value shift_right(Value value, unsigned shift) noexcept {
    if (shift == 0) return value;
    return static_cast<Value>(floor_shift(value, shift) + (floor_shift(value, shift - 1) & 1));
  }
};

/// To nearest; ties go away from zero, as `std::round` does. What is rounded turns its sign with the value, so that
/// values which are as often positive as negative have no mean error, ties included.
struct NearestAway {
  template <Shiftable Value>
  [[nodiscard]] static constexpr Value shift_right(Value value, unsigned shift) noexcept {
    if (shift == 0) return value;
    using Bits = std::make_unsigned_t<Value>;
    constexpr unsigned width = 8 * sizeof(Value);
    const auto half = shift > width ? Bits{0} : static_cast<Bits>(Bits{1} << (shift - 1));
    const auto below_half = static_cast<Bits>(half - Bits{1});
    const bool at_least_half = (floor_shift(value, shift - 1) & 1) != 0;
    const bool up = at_least_half && (value >= 0 || (static_cast<Bits>(value) & below_half) != 0);
    return static_cast<Value>(floor_shift(value, shift) + static_cast<Value>(up));
  }
};

/// Up with a probability equal to the dropped fraction, so that the mean error is zero.
/// Takes one number from `source` at each call, whatever the value and the shift.
/// \exact the probability is exact to 2^-32
/// \source M. Hopkins, M. Mikaitis, D. R. Lester, S. Furber, Stochastic rounding and reduced-precision
///         fixed-point arithmetic for solving neural ordinary differential equations, 2020
struct Stochastic {
  template <Shiftable Value, BitSource Source>
  [[nodiscard]] static constexpr Value shift_right(Value value, unsigned shift, Source&& source) noexcept {
    return rounding::shift_right(value, shift, source.next());
  }
};

/// The Weyl sequence of the golden ratio: for step n, n * 0x9E3779B9 modulo 2^32; `next()` steps on by one.
///
/// Keep one per rounded variable, or write `Dither{step_number}` in place. Variables that share steps have the same
/// errors: start each at another step if that matters. One object shared by k operations per step gives each
/// of them every k-th number only, and for some k (the Fibonacci numbers) these are close to a constant.
/// \source H. Niederreiter, Random Number Generation and Quasi-Monte Carlo Methods, 1992, section 3.1
class Dither {
public:
  constexpr explicit Dither(std::uint32_t step_number = 0) noexcept : offset_{step_number * step} {}

  [[nodiscard]] constexpr std::uint32_t next() noexcept {
    const std::uint32_t offset = offset_;
    offset_ += step;
    return offset;
  }

private:
  static constexpr std::uint32_t step = 0x9E3779B9; // 2^32 / golden ratio, to nearest odd
  std::uint32_t offset_;
};

/// Like `Stochastic`, with a `Dither` for the random source: repeatable, and the mean error over n steps
/// shrinks as log(n) / n instead of 1 / sqrt(n). For values that change slowly against the step.
struct Dithered {
  template <Shiftable Value, std::same_as<Dither> Source>
  [[nodiscard]] static constexpr Value shift_right(Value value, unsigned shift, Source& dither) noexcept {
    return rounding::shift_right(value, shift, dither.next());
  }
  template <Shiftable Value>
  [[nodiscard]] static constexpr Value shift_right(Value value, unsigned shift, Dither&& dither) noexcept {
    return rounding::shift_right(value, shift, dither.next());
  }
};

/// Has `Value shift_right(Value value, unsigned shift)` for signed and unsigned values. The answer is the
/// floor of value / 2^shift, or that plus one unless the shift is 0.
template <class Policy>
concept RoundsAlone = requires(std::int32_t narrow, std::int64_t wide, std::uint64_t counted, unsigned shift) {
  { Policy::shift_right(narrow, shift) } -> std::same_as<std::int32_t>;
  { Policy::shift_right(wide, shift) } -> std::same_as<std::int64_t>;
  { Policy::shift_right(counted, shift) } -> std::same_as<std::uint64_t>;
};

/// Has `Value shift_right(Value value, unsigned shift, Source& source)`, asked with a `Dither` as the source.
template <class Policy>
concept RoundsWithSource = requires(std::int32_t narrow, std::int64_t wide, std::uint64_t counted, unsigned shift,
                                    Dither& source) {
  { Policy::shift_right(narrow, shift, source) } -> std::same_as<std::int32_t>;
  { Policy::shift_right(wide, shift, source) } -> std::same_as<std::int64_t>;
  { Policy::shift_right(counted, shift, source) } -> std::same_as<std::uint64_t>;
};

/// What `Fixed` asks of its third argument.
template <class Policy>
concept RoundingPolicy = RoundsAlone<Policy> || RoundsWithSource<Policy>;

} // namespace rounding
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
