// SPDX-License-Identifier: BSL-1.0
/// \file
/// Lanes of unsigned words with lookups: what a backend that offers `UnsignedLanes` has, in plain C++.
// not in the umbrella: a definition to compare with
#ifndef NEUROMORPH_TARGET_UNSIGNED_LANES_HPP
#define NEUROMORPH_TARGET_UNSIGNED_LANES_HPP

#include <bit>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/lane_replay.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// The definition of correct for those of machines, whose Value is a register and whose Mask may be one of bits.
///
/// \tparam Count  lanes, 1 to 32
template <std::size_t Count>
struct GenericUnsignedLanes {
  static_assert(Count >= 1 && Count <= 32, "neuromorph: 1 to 32 lanes; see docs/target.md");
  static constexpr std::size_t count = Count;
  struct Value {
    std::uint32_t lane[Count];
  };
  struct Mask {
    std::uint32_t bits;
  };

  [[nodiscard]] static constexpr Value load(const std::uint32_t* from) noexcept {
    return each([&](std::size_t lane) { return from[lane]; });
  }
  static constexpr void store(std::uint32_t* to, Value value) noexcept {
    for (std::size_t lane = 0; lane < Count; ++lane) to[lane] = value.lane[lane];
  }
  [[nodiscard]] static constexpr Value splat(std::uint32_t value) noexcept {
    return each([&](std::size_t) { return value; });
  }
  /// from[index], lane by lane.
  [[nodiscard]] static constexpr Value gather(const std::uint32_t* from, Value index) noexcept {
    return each([&](std::size_t lane) { return from[index.lane[lane]]; });
  }
  /// Of records of eight words each, those that `index` says: to[k] has word k of each.
  /// \param from  aligned to 32 bytes
  static constexpr void gather_records(const std::uint32_t* from, Value index, Value (&to)[8]) noexcept {
    for (std::size_t word = 0; word < 8; ++word)
      to[word] = each([&](std::size_t lane) { return from[std::size_t{index.lane[lane]} * 8 + word]; });
  }

  /// Modulo 2^32.
  [[nodiscard]] static constexpr Value add(Value a, Value b) noexcept {
    return each([&](std::size_t lane) { return a.lane[lane] + b.lane[lane]; });
  }
  [[nodiscard]] static constexpr Value subtract(Value a, Value b) noexcept {
    return each([&](std::size_t lane) { return a.lane[lane] - b.lane[lane]; });
  }
  [[nodiscard]] static constexpr Value multiply(Value a, Value b) noexcept {
    return each([&](std::size_t lane) { return a.lane[lane] * b.lane[lane]; });
  }
  /// floor(a * b / 2^32)
  [[nodiscard]] static constexpr Value multiply_high(Value a, Value b) noexcept {
    return each([&](std::size_t lane) {
      return static_cast<std::uint32_t>((std::uint64_t{a.lane[lane]} * b.lane[lane]) >> 32);
    });
  }
  /// floor(a * b / 2^Shift + 1/2), modulo 2^32.
  /// \tparam Shift  24, 31 or 32
  template <unsigned Shift>
  [[nodiscard]] static constexpr Value multiply_nearest(Value a, Value b) noexcept {
    static_assert(Shift == 24 || Shift == 31 || Shift == 32, "neuromorph: Shift is 24, 31 or 32; see docs/target.md");
    return each([&](std::size_t lane) {
      return static_cast<std::uint32_t>(
          (std::uint64_t{a.lane[lane]} * b.lane[lane] + (std::uint64_t{1} << (Shift - 1))) >> Shift);
    });
  }
  [[nodiscard]] static constexpr Value(min)(Value a, Value b) noexcept {
    return each([&](std::size_t lane) { return a.lane[lane] < b.lane[lane] ? a.lane[lane] : b.lane[lane]; });
  }
  [[nodiscard]] static constexpr Value bit_and(Value a, Value b) noexcept {
    return each([&](std::size_t lane) { return a.lane[lane] & b.lane[lane]; });
  }
  [[nodiscard]] static constexpr Value bit_or(Value a, Value b) noexcept {
    return each([&](std::size_t lane) { return a.lane[lane] | b.lane[lane]; });
  }
  [[nodiscard]] static constexpr Value bit_xor(Value a, Value b) noexcept {
    return each([&](std::size_t lane) { return a.lane[lane] ^ b.lane[lane]; });
  }
  /// By 0 to 31.
  [[nodiscard]] static constexpr Value shift_left(Value value, unsigned amount) noexcept {
    return each([&](std::size_t lane) { return value.lane[lane] << amount; });
  }
  [[nodiscard]] static constexpr Value shift_right(Value value, unsigned amount) noexcept {
    return each([&](std::size_t lane) { return value.lane[lane] >> amount; });
  }

  [[nodiscard]] static constexpr Mask less(Value a, Value b) noexcept {
    std::uint32_t bits = 0;
    for (std::size_t lane = 0; lane < Count; ++lane) bits |= (a.lane[lane] < b.lane[lane] ? 1U : 0U) << lane;
    return {bits};
  }
  /// The first lanes, `lanes` of them; all if there are no more.
  [[nodiscard]] static constexpr Mask first(std::size_t lanes) noexcept {
    return {lanes >= Count ? ~std::uint32_t{0} >> (32 - Count) : (std::uint32_t{1} << lanes) - 1};
  }
  [[nodiscard]] static constexpr Mask both(Mask a, Mask b) noexcept { return {a.bits & b.bits}; }
  [[nodiscard]] static constexpr Mask either(Mask a, Mask b) noexcept { return {a.bits | b.bits}; }
  [[nodiscard]] static constexpr Mask and_not(Mask keep, Mask drop) noexcept { return {keep.bits & ~drop.bits}; }
  /// Bit k is set where lane k of the mask is.
  [[nodiscard]] static constexpr std::uint32_t bits(Mask mask) noexcept { return mask.bits; }
  /// Writes first + k for each lane k that is set, one after the other; answers how many. Words up to to[count - 1] may change.
  static constexpr std::size_t store_places(std::uint32_t* to, Mask mask, std::uint32_t first) noexcept {
    std::size_t places = 0;
    for (std::uint32_t left = bits(mask); left != 0; left &= left - 1)
      to[places++] = first + static_cast<std::uint32_t>(std::countr_zero(left));
    return places;
  }
  [[nodiscard]] static constexpr Value select(Mask mask, Value when_true, Value when_false) noexcept {
    return each(
        [&](std::size_t lane) { return (mask.bits >> lane & 1) != 0 ? when_true.lane[lane] : when_false.lane[lane]; });
  }

private:
  template <class Function>
  [[nodiscard]] static constexpr Value each(Function function) noexcept {
    Value made{};
    for (std::size_t lane = 0; lane < Count; ++lane) made.lane[lane] = function(lane);
    return made;
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
