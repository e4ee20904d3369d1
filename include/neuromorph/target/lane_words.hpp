// SPDX-License-Identifier: BSL-1.0
/// \file
/// Lanes of unsigned words as a number type, so that a formula's text says the same of one word and of many.
// not in the umbrella: backends with UnsignedLanes include it
#ifndef NEUROMORPH_TARGET_LANE_WORDS_HPP
#define NEUROMORPH_TARGET_LANE_WORDS_HPP

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Of each lane whether.
///
/// \tparam Group  UnsignedLanes of a backend
template <class Group>
struct LaneTruth {
  typename Group::Mask mask;

  /// The first `lanes` of them.
  [[nodiscard, gnu::always_inline]] static constexpr LaneTruth first(std::size_t lanes) noexcept {
    return {Group::first(lanes)};
  }
  /// Lane k in bit k.
  [[nodiscard, gnu::always_inline]] constexpr std::uint32_t bits() const noexcept { return Group::bits(mask); }
  /// Writes `first` and the number of each lane in which it is so, one after the other, and answers how many these are. There
  /// is room for all lanes: what follows on them may be written over, too.
  [[gnu::always_inline]] constexpr std::size_t store_places(std::uint32_t* to, std::uint32_t first) const noexcept {
    return Group::store_places(to, mask, first);
  }
  [[nodiscard, gnu::always_inline]] constexpr bool any() const noexcept { return bits() != 0; }
  [[nodiscard, gnu::always_inline]] constexpr std::uint32_t count() const noexcept {
    return static_cast<std::uint32_t>(std::popcount(bits()));
  }
  [[nodiscard, gnu::always_inline]] constexpr LaneTruth without(LaneTruth drop) const noexcept {
    return {Group::and_not(mask, drop.mask)};
  }
  [[nodiscard, gnu::always_inline]] friend constexpr LaneTruth operator&(LaneTruth a, LaneTruth b) noexcept {
    return {Group::both(a.mask, b.mask)};
  }
  [[nodiscard, gnu::always_inline]] friend constexpr LaneTruth operator|(LaneTruth a, LaneTruth b) noexcept {
    return {Group::either(a.mask, b.mask)};
  }
};

template <class Lanes, class Format, class Timing, class Weight, bool has_delays>
struct LaneReplay;

/// Nowhere: for a rule to be asked with.
struct AnyArithmetic;

/// A word of each lane, as std::uint32_t: a number is the same in all lanes.
///
/// \tparam Group  UnsignedLanes of a backend
template <class Group>
struct LaneWords {
  using Truth = LaneTruth<Group>;
  typename Group::Value value;
  /// target/lane_replay.hpp
  template <class Format, class Timing, class Weight, bool has_delays>
  using Replay = LaneReplay<Group, Format, Timing, Weight, has_delays>;
  /// Whether a weight rule takes them.
  template <class WeightRule>
  static constexpr bool can_be_moved_by = requires(const WeightRule& rule, AnyArithmetic& m, LaneWords words) {
    { rule.up(m, words, words) } -> std::same_as<LaneWords>;
    { rule.down(m, words, words) } -> std::same_as<LaneWords>;
  };

  constexpr LaneWords() noexcept : LaneWords(0U) {}
  [[gnu::always_inline]] constexpr LaneWords(std::uint32_t same) noexcept : value(Group::splat(same)) {} // NOLINT
  [[nodiscard, gnu::always_inline]] static constexpr LaneWords of(typename Group::Value value) noexcept {
    LaneWords words;
    words.value = value;
    return words;
  }
  [[nodiscard, gnu::always_inline]] static constexpr LaneWords load(const std::uint32_t* from) noexcept {
    return of(Group::load(from));
  }
  [[gnu::always_inline]] constexpr void store(std::uint32_t* to) const noexcept { Group::store(to, value); }
  /// from[index], lane by lane.
  [[nodiscard, gnu::always_inline]] static constexpr LaneWords gather(const std::uint32_t* from,
                                                                      LaneWords index) noexcept {
    return of(Group::gather(from, index.value));
  }

  /// As LongDecayTable::at: an entry of `low` by the lower part of the index times one of `high` by the rest.
  /// \param lows  entries of `low`, a power of two
  [[nodiscard, gnu::always_inline]] static constexpr LaneWords
  of_two_tables(const std::uint32_t* low, const std::uint32_t* high, std::size_t lows, LaneWords index) noexcept {
    const LaneWords a = gather(low, index & static_cast<std::uint32_t>(lows - 1));
    const LaneWords b = gather(high, index >> static_cast<unsigned>(std::countr_zero(lows)));
    const LaneWords first = a * b + a, second = first + b; // the product's low word, which carries twice at most
    const LaneWords left = multiply_high(a, b) + select(first < a, LaneWords(1), LaneWords(0)) +
                           select(second < b, LaneWords(1), LaneWords(0));
    return (left >> 1) + (left & 1U);
  }

  [[nodiscard, gnu::always_inline]] friend constexpr LaneWords operator+(LaneWords a, LaneWords b) noexcept {
    return of(Group::add(a.value, b.value));
  }
  [[nodiscard, gnu::always_inline]] friend constexpr LaneWords operator-(LaneWords a, LaneWords b) noexcept {
    return of(Group::subtract(a.value, b.value));
  }
  [[nodiscard, gnu::always_inline]] friend constexpr LaneWords operator*(LaneWords a, LaneWords b) noexcept {
    return of(Group::multiply(a.value, b.value));
  }
  [[nodiscard, gnu::always_inline]] friend constexpr LaneWords operator&(LaneWords a, LaneWords b) noexcept {
    return of(Group::bit_and(a.value, b.value));
  }
  [[nodiscard, gnu::always_inline]] friend constexpr LaneWords operator|(LaneWords a, LaneWords b) noexcept {
    return of(Group::bit_or(a.value, b.value));
  }
  [[nodiscard, gnu::always_inline]] constexpr LaneWords operator~() const noexcept {
    return of(Group::bit_xor(value, Group::splat(~std::uint32_t{0})));
  }
  [[nodiscard, gnu::always_inline]] constexpr LaneWords operator<<(unsigned amount) const noexcept {
    return of(Group::shift_left(value, amount));
  }
  [[nodiscard, gnu::always_inline]] constexpr LaneWords operator>>(unsigned amount) const noexcept {
    return of(Group::shift_right(value, amount));
  }
  [[nodiscard, gnu::always_inline]] friend constexpr Truth operator<(LaneWords a, LaneWords b) noexcept {
    return {Group::less(a.value, b.value)};
  }
  [[nodiscard, gnu::always_inline]] friend constexpr Truth operator>(LaneWords a, LaneWords b) noexcept {
    return b < a;
  }
  [[nodiscard, gnu::always_inline]] friend constexpr Truth operator>=(LaneWords a, LaneWords b) noexcept {
    return Truth::first(Group::count).without(a < b);
  }
  /// The lesser of both.
  [[nodiscard, gnu::always_inline]] constexpr LaneWords at_most(LaneWords most) const noexcept {
    return of((Group::min)(value, most.value));
  }
  /// floor(a * b / 2^32)
  [[nodiscard, gnu::always_inline]] friend constexpr LaneWords multiply_high(LaneWords a, LaneWords b) noexcept {
    return of(Group::multiply_high(a.value, b.value));
  }
  /// floor(a * b / 2^Shift + 1/2), modulo 2^32.
  template <unsigned Shift>
  [[nodiscard, gnu::always_inline]] static constexpr LaneWords multiply_nearest(LaneWords a, LaneWords b) noexcept {
    return of(Group::template multiply_nearest<Shift>(a.value, b.value));
  }
  [[nodiscard, gnu::always_inline]] friend constexpr LaneWords select(Truth truth, LaneWords when_true,
                                                                      LaneWords when_false) noexcept {
    return of(Group::select(truth.mask, when_true.value, when_false.value));
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
