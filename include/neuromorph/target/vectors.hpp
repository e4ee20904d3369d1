// SPDX-License-Identifier: BSL-1.0
/// \file
/// The definition of correct for vectors of bytes and halfwords: one or more vectors of 128 bits, lane by lane in plain
/// C++, `constexpr`. docs/vectors.md has each operation in one table.
#ifndef NEUROMORPH_TARGET_VECTORS_HPP
#define NEUROMORPH_TARGET_VECTORS_HPP

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What a lane of a vector holds.
template <class Element>
concept VectorElement = std::same_as<Element, std::uint8_t> || std::same_as<Element, std::int8_t> ||
    std::same_as<Element, std::uint16_t> || std::same_as<Element, std::int16_t>;

namespace target {

/// The integer with the width of `Element` and twice that, and unsigned.
template <class Element>
using UnsignedLane = std::make_unsigned_t<Element>;
template <class Element>
using DoubleLane = std::conditional_t<std::is_signed_v<Element>, std::int16_t, std::uint16_t>;

/// \tparam Count  vectors of 128 bits that are worked on at once
///
/// A backend offers a struct with the same members, in which `Register` and `Flags` are what its machine has. All
/// functions take the element type as first template argument, because a machine's register seldom knows it.
template <std::size_t Count>
struct GenericVectors {
  static constexpr std::size_t bytes = 16 * Count;
  template <class Element>
  static constexpr std::size_t lanes = bytes / sizeof(Element);

  template <class Element>
  struct alignas(16) Register {
    std::array<Element, lanes<Element>> lane;
  };
  /// One truth value per lane of one or of two bytes (`Width` is std::uint8_t or std::uint16_t); here all bits of a
  /// lane, or none.
  template <class Width>
  struct alignas(16) Flags {
    std::array<Width, bytes / sizeof(Width)> lane;
  };
  template <class Element>
  using FlagsOf = Flags<UnsignedLane<Element>>;

  // --- memory: lane 0 at the lowest address; aligned to 16 bytes
  // ------------------------------------------------------

  template <class Element>
  [[nodiscard]] static constexpr Register<Element> load(const Element* from) noexcept {
    return each<Element>([&](std::size_t i) { return from[i]; });
  }
  template <class Element>
  static constexpr void store(Element* to, const Register<Element>& a) noexcept {
    for (std::size_t i = 0; i < lanes<Element>; ++i) to[i] = a.lane[i];
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> splat(Element value) noexcept {
    return each<Element>([&](std::size_t) { return value; });
  }
  /// The same bits as lanes of another type; a halfword is its two bytes, the lower half first.
  template <class To, class From>
  [[nodiscard]] static constexpr Register<To> cast(const Register<From>& a) noexcept {
    return each<To>([&](std::size_t i) {
      if constexpr (sizeof(To) == sizeof(From)) {
        return a.lane[i];
      } else if constexpr (sizeof(To) < sizeof(From)) {
        return static_cast<std::uint16_t>(a.lane[i / 2]) >> (i % 2 * 8);
      } else {
        return static_cast<std::uint8_t>(a.lane[2 * i]) | static_cast<std::uint8_t>(a.lane[2 * i + 1]) << 8;
      }
    });
  }

  // --- arithmetic
  // -----------------------------------------------------------------------------------------------------

  template <class Element>
  [[nodiscard]] static constexpr Register<Element> add(const Register<Element>& a,
                                                       const Register<Element>& b) noexcept {
    return each<Element>([&](std::size_t i) { return a.lane[i] + b.lane[i]; });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> subtract(const Register<Element>& a,
                                                            const Register<Element>& b) noexcept {
    return each<Element>([&](std::size_t i) { return a.lane[i] - b.lane[i]; });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> add_saturating(const Register<Element>& a,
                                                                  const Register<Element>& b) noexcept {
    return each<Element>([&](std::size_t i) { return held<Element>(a.lane[i] + b.lane[i]); });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> subtract_saturating(const Register<Element>& a,
                                                                       const Register<Element>& b) noexcept {
    return each<Element>([&](std::size_t i) { return held<Element>(a.lane[i] - b.lane[i]); });
  }
  /// The lower half of the product.
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> multiply(const Register<Element>& a,
                                                            const Register<Element>& b) noexcept {
    return each<Element>(
        [&](std::size_t i) { return static_cast<std::uint32_t>(a.lane[i]) * static_cast<std::uint32_t>(b.lane[i]); });
  }
  /// The upper half of the product.
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> multiply_high(const Register<Element>& a,
                                                                 const Register<Element>& b) noexcept {
    return each<Element>([&](std::size_t i) {
      auto both = product(a.lane[i], b.lane[i]);
      if constexpr (std::endian::native == std::endian::big) {
        // GCC 12 gives other bits where it makes vectors of this shift without having vector registers.
        if (!std::is_constant_evaluated()) asm("" : "+r"(both));
      }
      return both >> (8 * sizeof(Element));
    });
  }
  /// Of fractions from -1 to 1: floor(a b / 2^(bits - 1)); only -1 times -1 is held.
  template <class Element>
  [[nodiscard]] static constexpr Register<Element>
  multiply_fractional(const Register<Element>& a,
                      const Register<Element>& b) noexcept requires std::is_signed_v<Element> {
    return each<Element>(
        [&](std::size_t i) { return held<Element>(product(a.lane[i], b.lane[i]) >> (8 * sizeof(Element) - 1)); });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element>(min)(const Register<Element>& a,
                                                        const Register<Element>& b) noexcept {
    return each<Element>([&](std::size_t i) { return a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]; });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element>(max)(const Register<Element>& a,
                                                        const Register<Element>& b) noexcept {
    return each<Element>([&](std::size_t i) { return a.lane[i] < b.lane[i] ? b.lane[i] : a.lane[i]; });
  }
  /// By 0 to bits - 1. To the right: arithmetic for signed elements, logical for unsigned ones.
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> shift_left(const Register<Element>& a, unsigned amount) noexcept {
    return each<Element>([&](std::size_t i) { return static_cast<std::uint32_t>(a.lane[i]) << amount; });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> shift_right(const Register<Element>& a, unsigned amount) noexcept {
    return each<Element>([&](std::size_t i) { return a.lane[i] >> amount; });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> bit_and(const Register<Element>& a,
                                                           const Register<Element>& b) noexcept {
    return each<Element>([&](std::size_t i) { return a.lane[i] & b.lane[i]; });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> bit_or(const Register<Element>& a,
                                                          const Register<Element>& b) noexcept {
    return each<Element>([&](std::size_t i) { return a.lane[i] | b.lane[i]; });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> bit_xor(const Register<Element>& a,
                                                           const Register<Element>& b) noexcept {
    return each<Element>([&](std::size_t i) { return a.lane[i] ^ b.lane[i]; });
  }

  // --- widths
  // --------------------------------------------------------------------------------------------------------- Of each
  // vector of 128 bits by itself: with two vectors, the low halves of both.

  /// Bytes 0 to 7, and 8 to 15, as halfwords of the same value.
  template <class Element>
  [[nodiscard]] static constexpr Register<DoubleLane<Element>> unpack_low(const Register<Element>& a) noexcept
      requires(sizeof(Element) == 1) {
    return each<DoubleLane<Element>>([&](std::size_t i) { return a.lane[i / 8 * 16 + i % 8]; });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<DoubleLane<Element>> unpack_high(const Register<Element>& a) noexcept
      requires(sizeof(Element) == 1) {
    return each<DoubleLane<Element>>([&](std::size_t i) { return a.lane[i / 8 * 16 + 8 + i % 8]; });
  }
  /// Halfwords as bytes, those of `low` first: modulo 2^8, or signed ones held at the ends of the byte's range.
  template <class Element, class From>
  [[nodiscard]] static constexpr Register<Element> pack(const Register<From>& low, const Register<From>& high) noexcept
      requires(sizeof(Element) == 1 && sizeof(From) == 2) {
    return each<Element>([&](std::size_t i) { return half_of(low, high, i); });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> pack_saturating(const Register<std::int16_t>& low,
                                                                   const Register<std::int16_t>& high) noexcept
      requires(sizeof(Element) == 1) {
    return each<Element>([&](std::size_t i) { return held<Element>(half_of(low, high, i)); });
  }

  // --- truth values
  // ---------------------------------------------------------------------------------------------------

  template <class Element>
  [[nodiscard]] static constexpr FlagsOf<Element> equal(const Register<Element>& a,
                                                        const Register<Element>& b) noexcept {
    return flags<UnsignedLane<Element>>([&](std::size_t i) { return a.lane[i] == b.lane[i]; });
  }
  template <class Element>
  [[nodiscard]] static constexpr FlagsOf<Element> less(const Register<Element>& a,
                                                       const Register<Element>& b) noexcept {
    return flags<UnsignedLane<Element>>([&](std::size_t i) { return a.lane[i] < b.lane[i]; });
  }
  /// Lanes of `when_true` where the flag is set, of `when_false` elsewhere.
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> select(const FlagsOf<Element>& flag,
                                                          const Register<Element>& when_true,
                                                          const Register<Element>& when_false) noexcept {
    return each<Element>(
        [&](std::size_t i) { return (when_true.lane[i] & flag.lane[i]) | (when_false.lane[i] & ~flag.lane[i]); });
  }
  // All bits or none: no comparison, which GCC 12 in Helium's instructions fails to compile in some combinations.
  template <class Width>
  [[nodiscard]] static constexpr Flags<Width> both(const Flags<Width>& a, const Flags<Width>& b) noexcept {
    return {each<Width>([&](std::size_t i) { return a.lane[i] & b.lane[i]; }).lane};
  }
  template <class Width>
  [[nodiscard]] static constexpr Flags<Width> either(const Flags<Width>& a, const Flags<Width>& b) noexcept {
    return {each<Width>([&](std::size_t i) { return a.lane[i] | b.lane[i]; }).lane};
  }
  template <class Width>
  [[nodiscard]] static constexpr Flags<Width> negate(const Flags<Width>& a) noexcept {
    return {each<Width>([&](std::size_t i) { return ~a.lane[i]; }).lane};
  }
  /// Flags of bytes as those of the halfwords that `unpack_low` and `unpack_high` make.
  [[nodiscard]] static constexpr Flags<std::uint16_t> unpack_low(const Flags<std::uint8_t>& a) noexcept {
    return flags<std::uint16_t>([&](std::size_t i) { return a.lane[i / 8 * 16 + i % 8] != 0; });
  }
  [[nodiscard]] static constexpr Flags<std::uint16_t> unpack_high(const Flags<std::uint8_t>& a) noexcept {
    return flags<std::uint16_t>([&](std::size_t i) { return a.lane[i / 8 * 16 + 8 + i % 8] != 0; });
  }
  /// Bit i is flag i.
  template <class Width>
  [[nodiscard]] static constexpr std::uint64_t bits(const Flags<Width>& a) noexcept {
    static_assert(bytes <= 64);
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < a.lane.size(); ++i) word |= std::uint64_t{a.lane[i] != 0} << i;
    return word;
  }
  template <class Width>
  [[nodiscard]] static constexpr bool any(const Flags<Width>& a) noexcept {
    Width seen = 0;
    for (const Width lane : a.lane) seen = static_cast<Width>(seen | lane);
    return seen != 0;
  }
  /// Flags as a vector in which a lane has all bits or none, and back from such a vector, no other.
  template <class Width>
  [[nodiscard]] static constexpr Register<Width> to_lanes(const Flags<Width>& a) noexcept {
    return {a.lane};
  }
  template <class Width>
  [[nodiscard]] static constexpr Flags<Width> from_lanes(const Register<Width>& a) noexcept {
    return {a.lane};
  }

private:
  template <class Element, class Lane>
  [[gnu::always_inline]] static constexpr Register<Element> each(Lane lane) noexcept {
    Register<Element> result{};
    for (std::size_t i = 0; i < lanes<Element>; ++i) result.lane[i] = static_cast<Element>(lane(i));
    return result;
  }
  template <class Width, class Lane>
  [[gnu::always_inline]] static constexpr Flags<Width> flags(Lane lane) noexcept {
    Flags<Width> result{};
    for (std::size_t i = 0; i < result.lane.size(); ++i) result.lane[i] = static_cast<Width>(lane(i) ? -1 : 0);
    return result;
  }
  [[nodiscard]] static constexpr auto product(auto a, auto b) noexcept {
    using Wide = std::conditional_t<std::is_signed_v<decltype(a)>, std::int32_t, std::uint32_t>;
    return Wide{a} * Wide{b};
  }
  /// At the ends of the element's range.
  template <class Element>
  [[nodiscard]] static constexpr std::int32_t held(std::int32_t value) noexcept {
    constexpr std::int32_t least = std::numeric_limits<Element>::lowest(), most = (std::numeric_limits<Element>::max)();
    return value < least ? least : value > most ? most : value;
  }
  template <class Halves>
  [[nodiscard]] static constexpr auto half_of(const Halves& low, const Halves& high, std::size_t i) noexcept {
    const std::size_t place = i / 16 * 8 + i % 8;
    return i % 16 < 8 ? low.lane[place] : high.lane[place];
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
