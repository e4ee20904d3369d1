// SPDX-License-Identifier: BSL-1.0
/// \file
/// Overflow policies: what becomes of a result that its format cannot hold.
///
/// An operation tells the policy the low bits of the exact result and on which side of the format's range the
/// result lies. The policy answers with the value to store: the low bits (`Wrap`), the bound (`Saturate`), or
/// the bound, told to a counter that the caller passes (`SaturateAndCount`). Nothing else has state.
#ifndef NEUROMORPH_OVERFLOW_HPP
#define NEUROMORPH_OVERFLOW_HPP

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace overflow {

/// The ends of an integer type's range, without naming what vendor headers define as macros.
template <std::integral Rep>
inline constexpr Rep lowest = std::is_signed_v<Rep> ? static_cast<Rep>(Rep{1} << (8 * sizeof(Rep) - 1)) : Rep{0};
template <std::integral Rep>
inline constexpr Rep highest = static_cast<Rep>(~lowest<Rep>);

/// Where an exact result lies, seen from the range of the format that is to hold it.
enum class Range : std::uint8_t { inside, below, above };

/// Is told of each saturation.
template <class Counter>
concept SaturationCounter = requires(Counter& counter) {
  counter.count_saturation();
};

/// The usual counter: a number that stays at its highest value when it gets there. One per core, or per
/// population; it belongs to whoever passes it, so that two cores or threads never share one by accident.
struct Counter {
  std::uint32_t count = 0;

  constexpr void count_saturation() noexcept {
    if (count != highest<std::uint32_t>) ++count;
  }
  friend constexpr bool operator==(const Counter&, const Counter&) noexcept = default;
};

/// Modulo 2^width. For values known to fit, and for phases.
/// \cost none: what finds the range is dropped by the compiler
struct Wrap {
  template <std::integral Rep>
  [[nodiscard]] static constexpr Rep resolve(Rep wrapped, Range) noexcept {
    return wrapped;
  }
};

/// The nearest value of the format.
struct Saturate {
  template <std::integral Rep>
  [[nodiscard]] static constexpr Rep resolve(Rep wrapped, Range range) noexcept {
    return range == Range::above ? highest<Rep> : range == Range::below ? lowest<Rep> : wrapped;
  }
};

/// The nearest value of the format; each time that is not the exact one, calls `counter.count_saturation()`.
struct SaturateAndCount {
  template <std::integral Rep, SaturationCounter Counter>
  [[nodiscard]] static constexpr Rep resolve(Rep wrapped, Range range, Counter& counter) noexcept {
    if (range != Range::inside) counter.count_saturation();
    return Saturate::resolve(wrapped, range);
  }
};

/// Has `Rep resolve(Rep wrapped, Range range)` for signed and unsigned values.
template <class Policy>
concept ResolvesAlone = requires(std::int32_t value, std::uint8_t byte, Range range) {
  { Policy::resolve(value, range) } -> std::same_as<std::int32_t>;
  { Policy::resolve(byte, range) } -> std::same_as<std::uint8_t>;
};

/// Has `Rep resolve(Rep wrapped, Range range, Counter& counter)`.
template <class Policy>
concept ResolvesWithCounter = requires(std::int32_t value, std::uint8_t byte, Range range, Counter& counter) {
  { Policy::resolve(value, range, counter) } -> std::same_as<std::int32_t>;
  { Policy::resolve(byte, range, counter) } -> std::same_as<std::uint8_t>;
};

/// What `Fixed` asks of its fourth argument.
template <class Policy>
concept OverflowPolicy = ResolvesAlone<Policy> || ResolvesWithCounter<Policy>;

/// Where `value` lies, seen from the range of `Rep`.
template <std::integral Rep, std::integral Wide>
[[nodiscard]] constexpr Range range_of(Wide value) noexcept {
  if (std::cmp_less(value, lowest<Rep>)) return Range::below;
  if (std::cmp_greater(value, highest<Rep>)) return Range::above;
  return Range::inside;
}

/// Where value * 2^shift lies, seen from the range of `Rep`, for any shift, without forming it.
template <std::integral Rep, std::integral Wide>
[[nodiscard]] constexpr Range range_after_left_shift(Wide value, unsigned shift) noexcept {
  if (value == 0) return Range::inside;
  const Range outside = value < 0 ? Range::below : Range::above;
  if (shift >= 8 * sizeof(Rep)) return outside;
  const bool fits = !std::cmp_less(value, lowest<Rep> >> shift) && !std::cmp_greater(value, highest<Rep> >> shift);
  return fits ? Range::inside : outside;
}

} // namespace overflow
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
