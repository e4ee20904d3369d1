// SPDX-License-Identifier: BSL-1.0
/// \file
/// Fixed-point numbers: an integer whose type says where the binary point is, how to round, how to overflow.
///
/// Every operation computes the exact result in a wider integer, then rounds it once and stores it once, by
/// the policies of the result's format. The operands of a product may have different formats: give constants
/// a format that uses all bits (u0.32 for a decay factor), since they decide the accuracy. See docs/fixed.md.
#ifndef NEUROMORPH_FIXED_HPP
#define NEUROMORPH_FIXED_HPP

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/overflow.hpp>
#include <neuromorph/rounding.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

template <class Rep, int FractionBits, class Rounding = rounding::Nearest, class Overflow = overflow::Saturate>
class Fixed;

namespace detail {

template <class Type>
struct IsFixed : std::false_type {};
template <class Rep, int FractionBits, class Rounding, class Overflow>
struct IsFixed<Fixed<Rep, FractionBits, Rounding, Overflow>> : std::true_type {};

template <class Rep>
concept FixedRep = rounding::Shiftable<Rep> &&
    (sizeof(Rep) == 1 || sizeof(Rep) == 2 || sizeof(Rep) == 4 || sizeof(Rep) == 8);

/// The narrowest integer that holds every product of a `Left` and a `Right`.
template <class Left, class Right>
struct ProductOf {
  static constexpr unsigned size = sizeof(Left) + sizeof(Right);
  using Signed = std::conditional_t<size <= 2, std::int16_t, std::conditional_t<size <= 4, std::int32_t, std::int64_t>>;
  using Type =
      std::conditional_t<std::is_signed_v<Left> || std::is_signed_v<Right>, Signed, std::make_unsigned_t<Signed>>;
};

enum class Fit : std::uint8_t { fits, vanishes, overflows };

template <class Rep>
struct NearestRep {
  Rep rep;
  Fit fit;
};

/// value * 2^fraction_bits to nearest, ties towards plus infinity, from the bits of the double: no compiler
/// flag and no floating-point mode changes it.
template <class Rep>
[[nodiscard]] constexpr NearestRep<Rep> nearest_rep(double value, int fraction_bits) noexcept {
  static_assert(sizeof(double) == 8 && __DBL_MANT_DIG__ == 53 && __DBL_MAX_EXP__ == 1024);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool negative = (bits >> 63) != 0;
  const int exponent = static_cast<int>((bits >> 52) & 0x7FF);
  std::uint64_t magnitude = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent == 0x7FF) return {Rep{0}, Fit::overflows};
  if (exponent == 0 && magnitude == 0) return {Rep{0}, Fit::fits};
  if (exponent != 0) magnitude |= std::uint64_t{1} << 52;

  const int shift = (exponent == 0 ? 1 : exponent) - 1075 + fraction_bits;
  if (shift > 11) return {Rep{0}, Fit::overflows};
  if (shift >= 0) {
    magnitude <<= shift;
  } else if (shift < -54) {
    magnitude = 0; // below a quarter of a unit
  } else {
    const std::uint64_t half = std::uint64_t{1} << (-shift - 1);
    const std::uint64_t dropped = magnitude & (2 * half - 1);
    magnitude >>= -shift;
    if (negative ? dropped > half : dropped >= half) ++magnitude;
  }
  if (magnitude == 0) return {Rep{0}, Fit::vanishes};
  const auto highest = static_cast<std::uint64_t>(overflow::highest<Rep>);
  const std::uint64_t limit = !negative ? highest : std::is_signed_v<Rep> ? highest + 1 : 0;
  if (magnitude > limit) return {Rep{0}, Fit::overflows};
  return {static_cast<Rep>(negative ? 0 - magnitude : magnitude), Fit::fits};
}

// Not constexpr, so that a constant expression stops at the call and the compiler names the function.
void a_non_zero_constant_becomes_zero_in_this_format();
void a_constant_does_not_fit_this_format();

template <class Type>
concept FixedExtra = rounding::BitSource<Type> || overflow::SaturationCounter<Type>;

template <class... Extras>
inline constexpr bool has_source = (false || ... || rounding::BitSource<Extras>);
template <class... Extras>
inline constexpr bool has_counter = (false || ... || overflow::SaturationCounter<Extras>);

template <class First, class... Rest>
[[nodiscard]] constexpr auto& source_of(First& first, Rest&... rest) noexcept {
  if constexpr (rounding::BitSource<First>) {
    return first;
  } else {
    return source_of(rest...);
  }
}
template <class First, class... Rest>
[[nodiscard]] constexpr auto& counter_of(First& first, Rest&... rest) noexcept {
  if constexpr (overflow::SaturationCounter<First>) {
    return first;
  } else {
    return counter_of(rest...);
  }
}

/// Calls the rounding policy, with the source among `extras` if it needs one.
template <class Rounding, class Value, class... Extras>
[[nodiscard]] constexpr Value rounded(Value value, unsigned shift, Extras&... extras) noexcept {
  static_assert((FixedExtra<Extras> && ...),
                "neuromorph: an argument after the operands is neither a source (std::uint32_t next()) nor a "
                "counter (void count_saturation()) that can be changed; see docs/fixed.md");
  if constexpr (rounding::RoundsAlone<Rounding>) {
    return Rounding::shift_right(value, shift);
  } else if constexpr (has_source<Extras...>) {
    return Rounding::shift_right(value, shift, source_of(extras...));
  } else {
    static_assert(has_source<Extras...>,
                  "neuromorph: this format's rounding needs a source: name the operation and pass "
                  "it, as in multiply(a, b, source); see docs/fixed.md");
    return value;
  }
}

/// Calls the overflow policy, with the counter among `extras` if it needs one.
template <class Overflow, class Rep, class... Extras>
[[nodiscard]] constexpr Rep resolve(Rep wrapped, overflow::Range range, Extras&... extras) noexcept {
  static_assert((FixedExtra<Extras> && ...),
                "neuromorph: an argument after the operands is neither a source (std::uint32_t next()) nor a "
                "counter (void count_saturation()) that can be changed; see docs/fixed.md");
  if constexpr (overflow::ResolvesAlone<Overflow>) {
    return Overflow::resolve(wrapped, range);
  } else if constexpr (has_counter<Extras...>) {
    return Overflow::resolve(wrapped, range, counter_of(extras...));
  } else {
    static_assert(has_counter<Extras...>, "neuromorph: this format's overflow needs a counter: name the operation and "
                                          "pass it, as in add(a, b, counter); see docs/fixed.md");
    return wrapped;
  }
}

/// value / 2^shift rounded down, or up where bits are dropped: the ends of a range after any rounding.
template <class Wide>
[[nodiscard]] consteval Wide rounded_low(Wide lowest, unsigned shift) noexcept {
  return rounding::floor_shift(lowest, shift);
}
template <class Wide>
[[nodiscard]] consteval Wide rounded_high(Wide highest, unsigned shift) noexcept {
  return static_cast<Wide>(rounding::floor_shift(highest, shift) + (shift == 0 ? 0 : 1));
}
template <class Rep, class Wide>
[[nodiscard]] consteval bool all_inside(Wide low, Wide high) noexcept {
  return overflow::range_of<Rep>(low) == overflow::Range::inside &&
         overflow::range_of<Rep>(high) == overflow::Range::inside;
}

/// value * 2^Shift in `Result`. The value is in Lowest..Highest, which spares the check where all these fit.
template <class Result, auto Lowest, auto Highest, int Shift, class Wide, class... Extras>
[[nodiscard]] constexpr Result scale(Wide value, Extras&... extras) noexcept {
  using Rep = typename Result::Representation;
  using Overflow = typename Result::OverflowPolicy;
  if constexpr (Shift > 0) {
    using Bits = std::common_type_t<std::make_unsigned_t<Rep>, unsigned>;
    constexpr bool none_left = Shift >= static_cast<int>(8 * sizeof(Rep));
    const auto wrapped = none_left ? Rep{0} : static_cast<Rep>(static_cast<Bits>(value) << (none_left ? 0 : Shift));
    return Result::from_raw(resolve<Overflow>(wrapped, overflow::range_after_left_shift<Rep>(value, Shift), extras...));
  } else {
    constexpr auto shift = static_cast<unsigned>(-Shift);
    if constexpr (shift != 0) value = rounded<typename Result::RoundingPolicy>(value, shift, extras...);
    const auto wrapped = static_cast<Rep>(value);
    if constexpr (all_inside<Rep>(rounded_low(Lowest, shift), rounded_high(Highest, shift))) {
      return Result::from_raw(wrapped);
    } else {
      return Result::from_raw(resolve<Overflow>(wrapped, overflow::range_of<Rep>(value), extras...));
    }
  }
}

/// left + right in `Result`, whose unit both have; right is in Low..High.
template <class Result, auto Low, auto High, class Rep, class Wide, class... Extras>
[[nodiscard]] constexpr Result sum(Rep left, Wide right, Extras&... extras) noexcept {
  using Overflow = typename Result::OverflowPolicy;
  using overflow::Range;
  if constexpr (sizeof(Rep) < 4 && all_inside<std::int16_t>(Low / 2, High / 2)) {
    // Unlike the builtin, compilers vectorise this.
    const std::int32_t exact = std::int32_t{left} + static_cast<std::int32_t>(right);
    return Result::from_raw(resolve<Overflow>(static_cast<Rep>(exact), overflow::range_of<Rep>(exact), extras...));
  } else {
    using Narrowest = std::conditional_t<all_inside<Rep>(Low, High), Rep, Wide>;
    const auto term = static_cast<Narrowest>(right);
    Rep wrapped{};
    const bool outside = __builtin_add_overflow(left, term, &wrapped);
    const Range range = !outside ? Range::inside : term < 0 ? Range::below : Range::above;
    return Result::from_raw(resolve<Overflow>(wrapped, range, extras...));
  }
}

/// left - right in `Result`.
template <class Result, class Rep, class... Extras>
[[nodiscard]] constexpr Result difference(Rep left, Rep right, Extras&... extras) noexcept {
  using Overflow = typename Result::OverflowPolicy;
  using overflow::Range;
  if constexpr (sizeof(Rep) < 4) {
    const std::int32_t exact = std::int32_t{left} - std::int32_t{right};
    return Result::from_raw(resolve<Overflow>(static_cast<Rep>(exact), overflow::range_of<Rep>(exact), extras...));
  } else {
    Rep wrapped{};
    const bool outside = __builtin_sub_overflow(left, right, &wrapped);
    const Range range = !outside ? Range::inside : right > 0 ? Range::below : Range::above;
    return Result::from_raw(resolve<Overflow>(wrapped, range, extras...));
  }
}

/// The ends of the range of all products of a `Left` and a `Right`.
template <class Left, class Right>
struct ProductRange {
  using Wide = typename ProductOf<Left, Right>::Type;
  [[nodiscard]] static constexpr Wide of(Left left, Right right) noexcept {
    return static_cast<Wide>(Wide{left} * Wide{right});
  }
  [[nodiscard]] static consteval Wide end(bool highest) noexcept {
    constexpr Wide corners[] = {
        of(overflow::lowest<Left>, overflow::lowest<Right>), of(overflow::lowest<Left>, overflow::highest<Right>),
        of(overflow::highest<Left>, overflow::lowest<Right>), of(overflow::highest<Left>, overflow::highest<Right>)};
    Wide end = corners[0];
    for (const Wide candidate : corners) {
      if (highest ? candidate > end : candidate < end) end = candidate;
    }
    return end;
  }
};

} // namespace detail

/// Any `Fixed`.
template <class Type>
concept FixedPoint = detail::IsFixed<std::remove_cv_t<Type>>::value;

// Below. Declared here, so that a user's variable of such a name does not hide them from the operators.
template <FixedPoint Format, class... Extras>
[[nodiscard]] constexpr Format add(Format left, std::type_identity_t<Format> right, Extras&&... extras) noexcept;
template <FixedPoint Format, class... Extras>
[[nodiscard]] constexpr Format subtract(Format left, std::type_identity_t<Format> right, Extras&&... extras) noexcept;
template <FixedPoint Format, class... Extras>
[[nodiscard]] constexpr Format negate(Format value, Extras&&... extras) noexcept;
template <FixedPoint Format, class... Extras>
[[nodiscard]] constexpr Format shift_left(Format value, unsigned shift, Extras&&... extras) noexcept;
template <FixedPoint Format, class... Extras>
[[nodiscard]] constexpr Format shift_right(Format value, unsigned shift, Extras&&... extras) noexcept;
template <FixedPoint To, FixedPoint From, class... Extras>
[[nodiscard]] constexpr To convert(From value, Extras&&... extras) noexcept;
template <class To = void, FixedPoint Left, FixedPoint Right, class... Extras>
[[nodiscard]] constexpr auto multiply(Left left, Right right, Extras&&... extras) noexcept;

/// A number of `Rep` units of 2^-FractionBits.
///
/// \tparam Rep           signed or unsigned integer of 8, 16, 32 or 64 bits
/// \tparam FractionBits  -64..128; more than the width of `Rep` for numbers far below one
/// \tparam Rounding      rounding::RoundingPolicy; how a result of this format loses its surplus bits
/// \tparam Overflow      overflow::OverflowPolicy; what a result outside lowest()..highest() becomes
/// \errors compile time: one sentence for each wrong argument. Run time: by `Overflow`
/// \exact  the same bits on every machine, at compile time and at run time
/// \cost   the size of `Rep`; no division, no floating point outside `to_double`
/// \source names and formats of the aliases below: ISO/IEC TR 18037:2008; differences in docs/fixed.md
template <class Rep, int FractionBits, class Rounding, class Overflow>
class Fixed {
  static_assert(detail::FixedRep<Rep>,
                "neuromorph: Rep is not a signed or unsigned integer of 8, 16, 32 or 64 bits; see docs/fixed.md");
  static_assert(FractionBits >= -64 && FractionBits <= 128, "neuromorph: FractionBits is outside -64..128");
  static_assert(rounding::RoundingPolicy<Rounding>,
                "neuromorph: Rounding lacks 'static Value shift_right(Value value, unsigned shift)' (or the same with "
                "'Source& source' at the end) for every integer type Value; see docs/fixed.md");
  static_assert(overflow::OverflowPolicy<Overflow>,
                "neuromorph: Overflow lacks 'static Rep resolve(Rep wrapped, overflow::Range range)' (or the same with "
                "'Counter& counter' at the end) for every integer type Rep; see docs/fixed.md");

public:
  using Representation = Rep;
  using RoundingPolicy = Rounding;
  using OverflowPolicy = Overflow;
  static constexpr int fraction_bits = FractionBits;

  /// The same format with another policy.
  template <class Other>
  using WithRounding = Fixed<Rep, FractionBits, Other, Overflow>;
  template <class Other>
  using WithOverflow = Fixed<Rep, FractionBits, Rounding, Other>;

  /// Zero.
  constexpr Fixed() noexcept = default;

  /// raw * 2^-FractionBits
  [[nodiscard]] static constexpr Fixed from_raw(Rep raw) noexcept {
    Fixed result;
    result.raw_ = raw;
    return result;
  }
  [[nodiscard]] constexpr Rep raw() const noexcept { return raw_; }

  /// The number nearest to a constant, ties towards plus infinity, whatever `Rounding` and `Overflow` are.
  /// \errors compile time: a_non_zero_constant_becomes_zero_in_this_format;
  ///         a_constant_does_not_fit_this_format (also infinities and NaN)
  [[nodiscard]] static consteval Fixed constant(double value) {
    const auto nearest = detail::nearest_rep<Rep>(value, FractionBits);
    if (nearest.fit == detail::Fit::vanishes) detail::a_non_zero_constant_becomes_zero_in_this_format();
    if (nearest.fit == detail::Fit::overflows) detail::a_constant_does_not_fit_this_format();
    return from_raw(nearest.rep);
  }

  /// The same for numbers that are known at run time only, as in a loader.
  /// \param where  goes into the status: the position of the value in its file, or its number
  /// \errors weight_vanishes, weight_out_of_range (also infinities and NaN); `value`: as given
  /// \cost   64-bit integer shifts; no floating-point arithmetic. Not for use in a step
  [[nodiscard]] static constexpr Result<Fixed> from_double(double value, std::uint32_t where = 0) noexcept {
    const auto nearest = detail::nearest_rep<Rep>(value, FractionBits);
    if (nearest.fit == detail::Fit::fits) return from_raw(nearest.rep);
    const Error error = nearest.fit == detail::Fit::vanishes ? Error::weight_vanishes : Error::weight_out_of_range;
    return Status{error, where, value};
  }

  /// A whole number, rounded (if `FractionBits` is negative) and held by the policies of the format.
  /// \param extras  as for the functions below
  template <detail::FixedRep Integer, class... Extras>
  [[nodiscard]] static constexpr Fixed from_integer(Integer value, Extras&&... extras) noexcept {
    return convert<Fixed>(neuromorph::Fixed<Integer, 0>::from_raw(value), extras...);
  }

  /// For the host: printing, comparing. Exact up to 53 significant bits.
  [[nodiscard]] constexpr double to_double() const noexcept {
    constexpr auto unit = std::bit_cast<double>(static_cast<std::uint64_t>(1023 - FractionBits) << 52);
    return static_cast<double>(raw_) * unit;
  }

  /// The ends of the range, and the distance of neighbours.
  [[nodiscard]] static constexpr Fixed lowest() noexcept { return from_raw(overflow::lowest<Rep>); }
  [[nodiscard]] static constexpr Fixed highest() noexcept { return from_raw(overflow::highest<Rep>); }
  [[nodiscard]] static constexpr Fixed resolution() noexcept { return from_raw(1); }

  /// Numbers of one format compare as the numbers they are; convert first to compare across formats.
  friend constexpr bool operator==(Fixed, Fixed) noexcept = default;
  friend constexpr bool operator<(Fixed left, Fixed right) noexcept { return left.raw_ < right.raw_; }
  friend constexpr bool operator>(Fixed left, Fixed right) noexcept { return left.raw_ > right.raw_; }
  friend constexpr bool operator<=(Fixed left, Fixed right) noexcept { return left.raw_ <= right.raw_; }
  friend constexpr bool operator>=(Fixed left, Fixed right) noexcept { return left.raw_ >= right.raw_; }

  /// The operators are the functions below without extras, for policies that need none.
  friend constexpr Fixed operator+(Fixed left, Fixed right) noexcept { return add(left, right); }
  friend constexpr Fixed operator-(Fixed left, Fixed right) noexcept { return subtract(left, right); }
  friend constexpr Fixed operator-(Fixed value) noexcept { return negate(value); }
  friend constexpr Fixed operator<<(Fixed value, unsigned shift) noexcept { return shift_left(value, shift); }
  friend constexpr Fixed operator>>(Fixed value, unsigned shift) noexcept { return shift_right(value, shift); }
  constexpr Fixed& operator+=(Fixed other) noexcept { return *this = *this + other; }
  constexpr Fixed& operator-=(Fixed other) noexcept { return *this = *this - other; }
  constexpr Fixed& operator<<=(unsigned shift) noexcept { return *this = *this << shift; }
  constexpr Fixed& operator>>=(unsigned shift) noexcept { return *this = *this >> shift; }
  template <FixedPoint Factor>
  constexpr Fixed& operator*=(Factor factor) noexcept {
    return *this = multiply<Fixed>(*this, factor);
  }

private:
  Rep raw_{};
};

// All functions below: `extras` are a random source or Dither (anything with `std::uint32_t next()`) where
// the result's rounding needs one, and a counter where its overflow needs one, in any order. Those that are
// not needed are left alone and cost nothing, so that generic code can always pass both. A source is asked
// once by each operation whose formats drop bits, never by others: what is drawn does not depend on data.

/// left + right
template <FixedPoint Format, class... Extras>
[[nodiscard]] constexpr Format add(Format left, std::type_identity_t<Format> right, Extras&&... extras) noexcept {
  using Rep = typename Format::Representation;
  return detail::sum<Format, overflow::lowest<Rep>, overflow::highest<Rep>>(left.raw(), right.raw(), extras...);
}

/// left - right
template <FixedPoint Format, class... Extras>
[[nodiscard]] constexpr Format subtract(Format left, std::type_identity_t<Format> right, Extras&&... extras) noexcept {
  return detail::difference<Format>(left.raw(), right.raw(), extras...);
}

/// -value; of an unsigned number only zero has one.
template <FixedPoint Format, class... Extras>
[[nodiscard]] constexpr Format negate(Format value, Extras&&... extras) noexcept {
  return subtract(Format{}, value, extras...);
}

/// value * 2^shift, for any shift
template <FixedPoint Format, class... Extras>
[[nodiscard]] constexpr Format shift_left(Format value, unsigned shift, Extras&&... extras) noexcept {
  using Rep = typename Format::Representation;
  using Bits = std::common_type_t<std::make_unsigned_t<Rep>, unsigned>;
  const auto wrapped = shift >= 8 * sizeof(Rep) ? Rep{0} : static_cast<Rep>(static_cast<Bits>(value.raw()) << shift);
  return Format::from_raw(detail::resolve<typename Format::OverflowPolicy>(
      wrapped, overflow::range_after_left_shift<Rep>(value.raw(), shift), extras...));
}

/// value * 2^-shift, for any shift; asks a source at every shift, also at 0.
template <FixedPoint Format, class... Extras>
[[nodiscard]] constexpr Format shift_right(Format value, unsigned shift, Extras&&... extras) noexcept {
  return Format::from_raw(detail::rounded<typename Format::RoundingPolicy>(value.raw(), shift, extras...));
}

/// The same number in another format, rounded and held by the policies of the format `To`.
/// \cost nothing between formats that differ in policies only
template <FixedPoint To, FixedPoint From, class... Extras>
[[nodiscard]] constexpr To convert(From value, Extras&&... extras) noexcept {
  using Rep = typename From::Representation;
  return detail::scale<To, overflow::lowest<Rep>, overflow::highest<Rep>, To::fraction_bits - From::fraction_bits>(
      value.raw(), extras...);
}

/// left * right in the format `To` (that of `left` unless given): exact product, one rounding, one overflow.
/// \errors compile time: "a product needs more than 64 bits"
/// \cost   one widening multiply and the rounding; no overflow check where the formats exclude overflow
template <class To, FixedPoint Left, FixedPoint Right, class... Extras>
[[nodiscard]] constexpr auto multiply(Left left, Right right, Extras&&... extras) noexcept {
  using Result = std::conditional_t<std::is_void_v<To>, Left, To>;
  using LeftRep = typename Left::Representation;
  using RightRep = typename Right::Representation;
  static_assert(FixedPoint<Result>, "neuromorph: the result of multiply is not a Fixed");
  constexpr bool exact = sizeof(LeftRep) + sizeof(RightRep) <= 8;
  static_assert(exact, "neuromorph: a product needs more than 64 bits; convert an operand to a narrower format");
  if constexpr (exact) {
    using Range = detail::ProductRange<LeftRep, RightRep>;
    return detail::scale<Result, Range::end(false), Range::end(true),
                         Result::fraction_bits - Left::fraction_bits - Right::fraction_bits>(
        Range::of(left.raw(), right.raw()), extras...);
  } else {
    return Result{};
  }
}

/// left * right + addend in the format of `addend`: exact, one rounding, one overflow.
/// \errors compile time: "a product needs more than 64 bits";
///         "multiply_add needs a product with at least the fraction bits of the addend"
/// \cost   as `multiply` and `add`
template <FixedPoint Left, FixedPoint Right, FixedPoint Addend, class... Extras>
[[nodiscard]] constexpr Addend multiply_add(Left left, Right right, Addend addend, Extras&&... extras) noexcept {
  using LeftRep = typename Left::Representation;
  using RightRep = typename Right::Representation;
  constexpr bool exact = sizeof(LeftRep) + sizeof(RightRep) <= 8;
  static_assert(exact, "neuromorph: a product needs more than 64 bits; convert an operand to a narrower format");
  constexpr int shift = Left::fraction_bits + Right::fraction_bits - Addend::fraction_bits;
  static_assert(shift >= 0, "neuromorph: multiply_add needs a product with at least the fraction bits of the addend");
  if constexpr (exact && shift >= 0) {
    using Range = detail::ProductRange<LeftRep, RightRep>;
    constexpr auto dropped = static_cast<unsigned>(shift);
    constexpr auto low = detail::rounded_low(Range::end(false), dropped);
    constexpr auto high = detail::rounded_high(Range::end(true), dropped);
    // The addend is a whole number of units of the result: to round before adding it is to round the sum.
    auto product = Range::of(left.raw(), right.raw());
    if constexpr (shift > 0) product = detail::rounded<typename Addend::RoundingPolicy>(product, dropped, extras...);
    return detail::sum<Addend, low, high>(addend.raw(), product, extras...);
  } else {
    return addend;
  }
}

/// left * right in the format of `left`.
template <FixedPoint Left, FixedPoint Right>
[[nodiscard]] constexpr Left operator*(Left left, Right right) noexcept {
  return multiply<Left>(left, right);
}

// Names of TR 18037, formats as GCC has them on ARM; saturating, as with its `_Sat`, and rounded to nearest.
using ShortFract = Fixed<std::int8_t, 7>;           ///< short fract, s0.7
using Fract = Fixed<std::int16_t, 15>;              ///< fract, s0.15
using LongFract = Fixed<std::int32_t, 31>;          ///< long fract, s0.31
using UnsignedShortFract = Fixed<std::uint8_t, 8>;  ///< unsigned short fract, u0.8
using UnsignedFract = Fixed<std::uint16_t, 16>;     ///< unsigned fract, u0.16
using UnsignedLongFract = Fixed<std::uint32_t, 32>; ///< unsigned long fract, u0.32
using ShortAccum = Fixed<std::int16_t, 7>;          ///< short accum, s8.7
using Accum = Fixed<std::int32_t, 15>;              ///< accum, s16.15
using LongAccum = Fixed<std::int64_t, 31>;          ///< long accum, s32.31
using UnsignedShortAccum = Fixed<std::uint16_t, 8>; ///< unsigned short accum, u8.8
using UnsignedAccum = Fixed<std::uint32_t, 16>;     ///< unsigned accum, u16.16
using UnsignedLongAccum = Fixed<std::uint64_t, 32>; ///< unsigned long accum, u32.32

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
