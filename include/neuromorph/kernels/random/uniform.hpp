// SPDX-License-Identifier: BSL-1.0
/// \file
/// Exact integers and events from random words: below a bound, between two values, with a probability.
#ifndef NEUROMORPH_KERNELS_RANDOM_UNIFORM_HPP
#define NEUROMORPH_KERNELS_RANDOM_UNIFORM_HPP

#include <bit>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/random/random_source.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Called when a range is empty: not constexpr, so that this is an error at compile time.
inline void uniform_range_is_empty() noexcept {
  if constexpr (NEUROMORPH_CHECKS > 0) { __builtin_trap(); }
}

/// A whole number from 0 to bound - 1, each with exactly the same chance.
///
/// \errors bound 0: no such number exists. Compile time: not a constant expression. Run time: returns 0 and
///         draws nothing; traps with NEUROMORPH_CHECKS=1
/// \cost   one word and one multiply 32x32 to 64 bits; with chance below bound / 2^32 also a 32-bit remainder
///         and perhaps further words. More than 1 + k words are drawn with chance below 2^-k.
/// \source D. Lemire, Fast random integer generation in an interval, ACM TOMACS 29(1), 2019
template <class Source>
[[nodiscard]] constexpr std::uint32_t uniform_below(Source& source, std::uint32_t bound) noexcept {
  static_assert(detail::is_random_source<Source>());
  if (bound == 0) {
    uniform_range_is_empty();
    return 0;
  }
  std::uint64_t product = std::uint64_t{source.next()} * bound;
  if (static_cast<std::uint32_t>(product) < bound) {
    const std::uint32_t surplus = (0U - bound) % bound; // 2^32 mod bound
    while (static_cast<std::uint32_t>(product) < surplus) { product = std::uint64_t{source.next()} * bound; }
  }
  return static_cast<std::uint32_t>(product >> 32);
}

/// A whole number from low to high, both included, each with exactly the same chance.
///
/// \errors low > high: compile time: not a constant expression. Run time: returns low and draws nothing;
/// traps
///         with NEUROMORPH_CHECKS=1
/// \cost   as uniform_below; one word and no multiply for the whole range of the type
template <class Source>
[[nodiscard]] constexpr std::int32_t uniform_between(Source& source, std::int32_t low, std::int32_t high) noexcept {
  static_assert(detail::is_random_source<Source>());
  if (low > high) {
    uniform_range_is_empty();
    return low;
  }
  const std::uint32_t steps = static_cast<std::uint32_t>(high) - static_cast<std::uint32_t>(low);
  const std::uint32_t offset = steps == 0xFFFF'FFFFU ? source.next() : uniform_below(source, steps + 1);
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(low) + offset);
}

/// A probability as the number of 32-bit words, 0 to 2^32, that mean yes: within 2^-33 of what was asked for.
class Probability {
public:
  /// Never.
  constexpr Probability() noexcept = default;

  /// threshold / 2^32.
  [[nodiscard]] static constexpr Probability from_threshold(std::uint32_t threshold) noexcept {
    return Probability(threshold);
  }

  /// round(value * 2^32), halves upwards, from the bits of the double: no floating-point operation, so that
  /// every compiler and every target gets the same.
  ///
  /// \errors not in 0..1, not a number, or not zero but too small to be told from it (below 2^-33):
  ///         parameter_out_of_range
  [[nodiscard]] static constexpr Result<Probability> from(double value) noexcept {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
    if ((bits << 1) == 0) { return Probability(); } // zero of either sign
    constexpr std::uint64_t one = 0x3FF0'0000'0000'0000U;
    constexpr std::uint64_t smallest = 0x3DE0'0000'0000'0000U; // 2^-33
    // The bits of doubles that are not negative are ordered as their values; a set sign bit is above them
    // all.
    if (bits < smallest || bits > one) {
      return Status{Error::parameter_out_of_range, 0, std::bit_cast<double>(bits), "probability"};
    }
    const std::uint64_t significand = (bits & 0xF'FFFF'FFFF'FFFFU) | 0x10'0000'0000'0000U;
    const auto shift = static_cast<unsigned>(1043 - (bits >> 52)); // 20..53
    return Probability((significand + (std::uint64_t{1} << (shift - 1))) >> shift);
  }

  [[nodiscard]] constexpr std::uint64_t threshold() const noexcept { return threshold_; }
  friend constexpr bool operator==(const Probability&, const Probability&) noexcept = default;

private:
  explicit constexpr Probability(std::uint64_t threshold) noexcept : threshold_{threshold} {}

  std::uint64_t threshold_ = 0;
};

/// Called for a constant outside 0..1, or not zero but below 2^-33: not constexpr, so that this is an error.
inline void probability_is_out_of_range() noexcept {}

/// A probability that is known at compile time; what Probability::from refuses does not compile.
[[nodiscard]] consteval Probability probability(double value) noexcept {
  const Result<Probability> result = Probability::from(value);
  if (!result.ok()) { probability_is_out_of_range(); }
  return result.value();
}

/// True with exactly the chance that the probability holds. Always draws one word, also for 0 and 1, so that
/// later draws do not depend on the parameter.
template <class Source>
[[nodiscard]] constexpr bool bernoulli(Source& source, Probability chance) noexcept {
  static_assert(detail::is_random_source<Source>());
  return source.next() < chance.threshold();
}

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
