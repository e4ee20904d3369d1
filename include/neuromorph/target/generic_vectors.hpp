// SPDX-License-Identifier: BSL-1.0
/// \file
/// The definition of correct for vectors of bytes and halfwords: one or more vectors of 128 bits, lane by lane in plain
/// C++, `constexpr`. docs/vectors.md has each operation in one table.
//
// Each function has two forms: the definition, lane by lane, and one on the compiler's own vectors, for machines that
// have some, at run time, because compilers make much less of the loops. Clang 14 unrolls them before it looks for
// vectors; GCC 12 goes through memory where lanes become wider or narrower. tests/target/vectors.cpp demands the same
// bits of both: its digest is computed by the one on small cores, by the other on a host.
#ifndef NEUROMORPH_TARGET_GENERIC_VECTORS_HPP
#define NEUROMORPH_TARGET_GENERIC_VECTORS_HPP

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/overflow.hpp>
#include <neuromorph/target/generic.hpp>
#include <neuromorph/target/loops.hpp>
#include <neuromorph/target/whole_product.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace target {

/// The widest vectors that the compiler turns into a machine's own; 0 where there are none.
#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512VNNI__)
inline constexpr std::size_t compiler_vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr std::size_t compiler_vector_bytes = 32;
#elif defined(__SSE2__) || defined(__ARM_NEON) || defined(__ALTIVEC__)
inline constexpr std::size_t compiler_vector_bytes = 16;
#else
inline constexpr std::size_t compiler_vector_bytes = 0;
#endif

template <class Element, std::size_t Bytes>
struct CompilerVector {
  typedef Element Type __attribute__((vector_size(Bytes)));
  typedef Element Seen __attribute__((vector_size(Bytes), aligned(16), may_alias));
};
// All of it is inlined: how functions pass vectors does not matter, also where there are none and nothing is called.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

// Lanes as a vector of the compiler, and back. Through a pointer, because GCC 12 lets a std::bit_cast go through
// memory.
template <class Element, std::size_t Bytes, class Lanes>
[[gnu::always_inline]] inline typename CompilerVector<Element, Bytes>::Type seen_as(const Lanes& a) noexcept {
  return *reinterpret_cast<const typename CompilerVector<Element, Bytes>::Seen*>(&a);
}
template <class Lanes, class Vector>
[[gnu::always_inline]] inline Lanes as_lanes(Vector a) noexcept {
  using Bytes = CompilerVector<std::uint8_t, sizeof(Vector)>;
  Lanes result;
  *reinterpret_cast<typename Bytes::Seen*>(&result) = (typename Bytes::Type)a;
  return result;
}

/// \tparam Count  vectors of 128 bits that are worked on at once
///
/// A backend offers a struct with the same members, in which `Register` and `Flags` are what its machine has. All
/// functions take the element type as first template argument, because a machine's register seldom knows it.
template <std::size_t Count>
struct GenericVectors {
  using Offers = offer::List<>;
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

  // --- memory: lane 0 at the lowest address; aligned to 16 bytes ---

  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element> load(const Element* from) noexcept {
    if (std::is_constant_evaluated()) return each<Element>([&](std::size_t i) { return from[i]; });
    if constexpr (parts == 1) return as_lanes<Register<Element>>(seen_as<std::uint8_t, bytes>(*from));
    Register<Element> result;
    __builtin_memcpy(&result, __builtin_assume_aligned(from, 16), bytes);
    return result;
  }
  template <class Element>
  [[gnu::always_inline]] static constexpr void store(Element* to, const Register<Element>& a) noexcept {
    if (std::is_constant_evaluated()) {
      for (std::size_t i = 0; i < lanes<Element>; ++i) to[i] = a.lane[i];
    } else {
      if constexpr (parts == 1) {
        *reinterpret_cast<typename CompilerVector<std::uint8_t, bytes>::Seen*>(to) = seen_as<std::uint8_t, bytes>(a);
      } else {
        __builtin_memcpy(__builtin_assume_aligned(to, 16), &a, bytes);
      }
    }
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element> splat(Element value) noexcept {
    if (in_lanes()) return each<Element>([&](std::size_t) { return value; });
    using Lane = UnsignedLane<Element>;
    return in_parts<Register<Element>, Lane>([&] { return Part<Lane>{} + static_cast<Lane>(value); });
  }
  /// The same bits as lanes of another type; a halfword is its two bytes, the lower half first.
  template <class To, class From>
  [[nodiscard, gnu::always_inline]] static constexpr Register<To> cast(const Register<From>& a) noexcept {
    constexpr bool same_order = sizeof(To) == sizeof(From) || std::endian::native == std::endian::little;
    if (same_order && !std::is_constant_evaluated()) {
      if constexpr (parts == 1) return as_lanes<Register<To>>(seen_as<std::uint8_t, bytes>(a));
      return std::bit_cast<Register<To>>(a);
    }
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

  // --- arithmetic ---

  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element> add(const Register<Element>& a,
                                                                           const Register<Element>& b) noexcept {
    if (in_lanes()) return each<Element>([&](std::size_t i) { return a.lane[i] + b.lane[i]; });
    return in_parts<Register<Element>, UnsignedLane<Element>>([](auto x, auto y) { return x + y; }, a, b);
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element> subtract(const Register<Element>& a,
                                                                                const Register<Element>& b) noexcept {
    if (in_lanes()) return each<Element>([&](std::size_t i) { return a.lane[i] - b.lane[i]; });
    return in_parts<Register<Element>, UnsignedLane<Element>>([](auto x, auto y) { return x - y; }, a, b);
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element>
  add_saturating(const Register<Element>& a, const Register<Element>& b) noexcept {
    if (in_lanes()) return each<Element>([&](std::size_t i) { return held<Element>(a.lane[i] + b.lane[i]); });
    return in_parts<Register<Element>, Element>(
        [](auto x, auto y) {
          if constexpr (std::is_signed_v<Element>) {
            return saturate_signed<Element>(x, (Part<UnsignedLane<Element>>)x + (Part<UnsignedLane<Element>>)y, y, 0);
          } else {
            return (x < ~y ? x : ~y) + y;
          }
        },
        a, b);
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element>
  subtract_saturating(const Register<Element>& a, const Register<Element>& b) noexcept {
    if (in_lanes()) return each<Element>([&](std::size_t i) { return held<Element>(a.lane[i] - b.lane[i]); });
    return in_parts<Register<Element>, Element>(
        [](auto x, auto y) {
          if constexpr (std::is_signed_v<Element>) {
            return saturate_signed<Element>(x, (Part<UnsignedLane<Element>>)x - (Part<UnsignedLane<Element>>)y, y, -1);
          } else {
            return (x < y ? y : x) - y;
          }
        },
        a, b);
  }
  /// The lower half of the product.
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element> multiply(const Register<Element>& a,
                                                                                const Register<Element>& b) noexcept {
    if (in_lanes())
      return each<Element>(
          [&](std::size_t i) { return static_cast<std::uint32_t>(a.lane[i]) * static_cast<std::uint32_t>(b.lane[i]); });
    return in_parts<Register<Element>, std::uint16_t>(
        [](auto x, auto y) {
          if constexpr (sizeof(Element) == 2) {
            return x * y;
          } else { // two bytes in one halfword
            return ((x * y) & 0xFF) | ((x >> 8) * (y & 0xFF00));
          }
        },
        a, b);
  }
  /// The upper half of the product.
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element>
  multiply_high(const Register<Element>& a, const Register<Element>& b) noexcept {
    if constexpr (sizeof(Element) == 1) {
      if (!in_lanes())
        return in_parts<Register<Element>, Double<Element>>(
            [](auto x, auto y) {
              return ((lower(x) * lower(y)) >> 8 & 0xFF) |
                     (((x >> 8) * (y >> 8)) & static_cast<Double<Element>>(0xFF00));
            },
            a, b);
    } else if constexpr (compiler_widens) {
      if (!in_lanes())
        return in_parts<Register<Element>, Element>(
            [](auto x, auto y) {
              using Wide = typename CompilerVector<Product<Element>, 32 * together>::Type;
              return __builtin_convertvector(__builtin_convertvector(x, Wide) * __builtin_convertvector(y, Wide) >> 16,
                                             Part<Element>);
            },
            a, b);
    }
    Register<Element> result{};
#pragma GCC unroll 1 // or GCC 12 may unroll the loop before it looks for vectors
    for (std::size_t i = 0; i < lanes<Element>; ++i) {
      auto both = product(a.lane[i], b.lane[i]);
      if constexpr (std::endian::native == std::endian::big && compiler_vector_bytes == 0) {
        // GCC 12 gives other bits where it makes vectors of this shift without having vector registers.
        if (!std::is_constant_evaluated()) asm("" : "+r"(both));
      }
      result.lane[i] = static_cast<Element>(both >> (8 * sizeof(Element)));
    }
    return result;
  }
  /// Of fractions from -1 to 1: floor(a b / 2^(bits - 1)); only -1 times -1 is held.
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element>
  multiply_fractional(const Register<Element>& a,
                      const Register<Element>& b) noexcept requires std::is_signed_v<Element> {
    if (in_lanes())
      return each<Element>(
          [&](std::size_t i) { return held<Element>(product(a.lane[i], b.lane[i]) >> (8 * sizeof(Element) - 1)); });
    // Without being held, -1 times -1 gives -1, and nothing else does.
    if constexpr (sizeof(Element) == 1) {
      return in_parts<Register<Element>, std::int16_t>(
          [](auto x, auto y) {
            const auto both =
                (Part<Element>)(((lower(x) * lower(y)) >> 7 & 0xFF) | (((x >> 8) * (y >> 8)) << 1 & -256));
            return both ^ (both == -128);
          },
          a, b);
    } else {
      return in_parts<Register<Element>, std::uint16_t>(
          [](auto x, auto y, auto high) {
            const auto both = (Part<Element>)(high << 1 | (x * y) >> 15);
            return both ^ (both == -32768);
          },
          a, b, multiply_high<Element>(a, b));
    }
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element>(min)(const Register<Element>& a,
                                                                            const Register<Element>& b) noexcept {
    if (in_lanes()) return each<Element>([&](std::size_t i) { return a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]; });
    return in_parts<Register<Element>, Element>([](auto x, auto y) { return x < y ? x : y; }, a, b);
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element>(max)(const Register<Element>& a,
                                                                            const Register<Element>& b) noexcept {
    if (in_lanes()) return each<Element>([&](std::size_t i) { return a.lane[i] < b.lane[i] ? b.lane[i] : a.lane[i]; });
    return in_parts<Register<Element>, Element>([](auto x, auto y) { return x < y ? y : x; }, a, b);
  }
  /// By 0 to bits - 1. To the right: arithmetic for signed elements, logical for unsigned ones.
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element> shift_left(const Register<Element>& a,
                                                                                  unsigned amount) noexcept {
    if (in_lanes())
      return each<Element>([&](std::size_t i) { return static_cast<std::uint32_t>(a.lane[i]) << amount; });
    return in_parts<Register<Element>, std::uint16_t>(
        [&](auto x) {
          if constexpr (sizeof(Element) == 2) {
            return x << amount;
          } else {
            const auto kept = static_cast<std::uint16_t>((0xFFU << amount & 0xFF) * 0x0101);
            return (x << amount) & kept;
          }
        },
        a);
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element> shift_right(const Register<Element>& a,
                                                                                   unsigned amount) noexcept {
    if (in_lanes()) return each<Element>([&](std::size_t i) { return a.lane[i] >> amount; });
    return in_parts<Register<Element>, Double<Element>>(
        [&](auto x) {
          if constexpr (sizeof(Element) == 2) {
            return x >> amount;
          } else {
            const auto kept = static_cast<std::uint8_t>(0xFFU >> amount);
            const auto logical = (Part<std::uint8_t>)((Part<std::uint16_t>)x >> amount) & kept;
            if constexpr (std::is_unsigned_v<Element>) {
              return logical;
            } else {
              const auto sign = static_cast<std::uint8_t>(0x80U >> amount);
              return (logical ^ sign) - sign;
            }
          }
        },
        a);
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element> bit_and(const Register<Element>& a,
                                                                               const Register<Element>& b) noexcept {
    if (in_lanes()) return each<Element>([&](std::size_t i) { return a.lane[i] & b.lane[i]; });
    return in_parts<Register<Element>, UnsignedLane<Element>>([](auto x, auto y) { return x & y; }, a, b);
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element> bit_or(const Register<Element>& a,
                                                                              const Register<Element>& b) noexcept {
    if (in_lanes()) return each<Element>([&](std::size_t i) { return a.lane[i] | b.lane[i]; });
    return in_parts<Register<Element>, UnsignedLane<Element>>([](auto x, auto y) { return x | y; }, a, b);
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element> bit_xor(const Register<Element>& a,
                                                                               const Register<Element>& b) noexcept {
    if (in_lanes()) return each<Element>([&](std::size_t i) { return a.lane[i] ^ b.lane[i]; });
    return in_parts<Register<Element>, UnsignedLane<Element>>([](auto x, auto y) { return x ^ y; }, a, b);
  }

  // --- widths ---
  // Of each vector of 128 bits by itself: with two vectors, the low halves of both.

  /// Bytes 0 to 7, and 8 to 15, as halfwords of the same value.
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<DoubleLane<Element>>
  unpack_low(const Register<Element>& a) noexcept requires(sizeof(Element) == 1) {
    if (in_lanes()) return each<DoubleLane<Element>>([&](std::size_t i) { return a.lane[i / 8 * 16 + i % 8]; });
    return in_parts<Register<DoubleLane<Element>>, Element>([](auto x) { return interleave<0>(x, above(x)); }, a);
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<DoubleLane<Element>>
  unpack_high(const Register<Element>& a) noexcept requires(sizeof(Element) == 1) {
    if (in_lanes()) return each<DoubleLane<Element>>([&](std::size_t i) { return a.lane[i / 8 * 16 + 8 + i % 8]; });
    return in_parts<Register<DoubleLane<Element>>, Element>([](auto x) { return interleave<8>(x, above(x)); }, a);
  }
  /// Halfwords as bytes, those of `low` first: modulo 2^8, or signed ones held at the ends of the byte's range.
  template <class Element, class From>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element> pack(const Register<From>& low,
                                                                            const Register<From>& high) noexcept
      requires(sizeof(Element) == 1 && sizeof(From) == 2) {
    if (in_lanes()) return each<Element>([&](std::size_t i) { return half_of(low, high, i); });
    return in_parts<Register<Element>, std::uint8_t>([](auto x, auto y) { return lower_halves(x, y); }, low, high);
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element>
  pack_saturating(const Register<std::int16_t>& low, const Register<std::int16_t>& high) noexcept
      requires(sizeof(Element) == 1) {
    if (in_lanes()) return each<Element>([&](std::size_t i) { return held<Element>(half_of(low, high, i)); });
    return in_parts<Register<Element>, std::int16_t>(
        [](auto x, auto y) {
          const auto least = Part<std::int16_t>{} + std::int16_t{overflow::lowest<Element>};
          const auto most = Part<std::int16_t>{} + std::int16_t{overflow::highest<Element>};
          const auto clamped = [&](auto z) {
            z = z < least ? least : z;
            return (Part<std::uint8_t>)(z < most ? z : most);
          };
          return lower_halves(clamped(x), clamped(y));
        },
        low, high);
  }

  // --- truth values ---

  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr FlagsOf<Element> equal(const Register<Element>& a,
                                                                            const Register<Element>& b) noexcept {
    if (in_lanes()) return flags<UnsignedLane<Element>>([&](std::size_t i) { return a.lane[i] == b.lane[i]; });
    return in_parts<FlagsOf<Element>, Element>([](auto x, auto y) { return x == y; }, a, b);
  }
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr FlagsOf<Element> less(const Register<Element>& a,
                                                                           const Register<Element>& b) noexcept {
    if (in_lanes()) return flags<UnsignedLane<Element>>([&](std::size_t i) { return a.lane[i] < b.lane[i]; });
    return in_parts<FlagsOf<Element>, Element>([](auto x, auto y) { return x < y; }, a, b);
  }
  /// Lanes of `when_true` where the flag is set, of `when_false` elsewhere.
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element>
  select(const FlagsOf<Element>& flag, const Register<Element>& when_true,
         const Register<Element>& when_false) noexcept {
    if (in_lanes())
      return each<Element>(
          [&](std::size_t i) { return (when_true.lane[i] & flag.lane[i]) | (when_false.lane[i] & ~flag.lane[i]); });
    return in_parts<Register<Element>, UnsignedLane<Element>>(
        [](auto chosen, auto x, auto y) { return (x & chosen) | (y & ~chosen); }, flag, when_true, when_false);
  }
  // All bits or none: no comparison, which GCC 12 in Helium's instructions fails to compile in some combinations.
  template <class Width>
  [[nodiscard, gnu::always_inline]] static constexpr Flags<Width> both(const Flags<Width>& a,
                                                                       const Flags<Width>& b) noexcept {
    if (in_lanes()) return {each<Width>([&](std::size_t i) { return a.lane[i] & b.lane[i]; }).lane};
    return in_parts<Flags<Width>, Width>([](auto x, auto y) { return x & y; }, a, b);
  }
  template <class Width>
  [[nodiscard, gnu::always_inline]] static constexpr Flags<Width> either(const Flags<Width>& a,
                                                                         const Flags<Width>& b) noexcept {
    if (in_lanes()) return {each<Width>([&](std::size_t i) { return a.lane[i] | b.lane[i]; }).lane};
    return in_parts<Flags<Width>, Width>([](auto x, auto y) { return x | y; }, a, b);
  }
  template <class Width>
  [[nodiscard, gnu::always_inline]] static constexpr Flags<Width> negate(const Flags<Width>& a) noexcept {
    if (in_lanes()) return {each<Width>([&](std::size_t i) { return ~a.lane[i]; }).lane};
    return in_parts<Flags<Width>, Width>([](auto x) { return ~x; }, a);
  }
  /// Flags of bytes as those of the halfwords that `unpack_low` and `unpack_high` make.
  [[nodiscard, gnu::always_inline]] static constexpr Flags<std::uint16_t>
  unpack_low(const Flags<std::uint8_t>& a) noexcept {
    if (in_lanes()) return flags<std::uint16_t>([&](std::size_t i) { return a.lane[i / 8 * 16 + i % 8] != 0; });
    return in_parts<Flags<std::uint16_t>, std::uint8_t>([](auto x) { return interleave<0>(x, x); }, a);
  }
  [[nodiscard, gnu::always_inline]] static constexpr Flags<std::uint16_t>
  unpack_high(const Flags<std::uint8_t>& a) noexcept {
    if (in_lanes()) return flags<std::uint16_t>([&](std::size_t i) { return a.lane[i / 8 * 16 + 8 + i % 8] != 0; });
    return in_parts<Flags<std::uint16_t>, std::uint8_t>([](auto x) { return interleave<8>(x, x); }, a);
  }
  /// Bit i is flag i.
  template <class Width>
  [[nodiscard, gnu::always_inline]] static constexpr std::uint64_t bits(const Flags<Width>& a) noexcept {
    static_assert(bytes <= 64);
    std::uint64_t word = 0;
    if (in_lanes()) {
      for (std::size_t i = 0; i < a.lane.size(); ++i) word |= std::uint64_t{a.lane[i] != 0} << i;
      return word;
    }
    // The product has the lowest bit of each lane side by side at its upper end.
    constexpr bool is_little = std::endian::native == std::endian::little;
    constexpr bool is_byte = sizeof(Width) == 1;
    constexpr std::uint64_t lowest = is_byte ? 0x0101010101010101 : 0x0001000100010001;
    constexpr std::uint64_t gather = is_byte     ? is_little ? 0x0102040810204080 : 0x8040201008040201
                                     : is_little ? 0x1000200040008000
                                                 : 0x8000400020001000;
    constexpr unsigned in_word = 8 / sizeof(Width);
    const auto words = std::bit_cast<Words>(a);
    for (unsigned i = 0; i < words.size(); ++i)
      word |= ((words[i] & lowest) * gather >> (64 - in_word)) << (i * in_word);
    return word;
  }
  template <class Width>
  [[nodiscard, gnu::always_inline]] static constexpr bool any(const Flags<Width>& a) noexcept {
    if (in_lanes()) {
      Width seen = 0;
      for (const Width lane : a.lane) seen = static_cast<Width>(seen | lane);
      return seen != 0;
    }
    if constexpr (parts == 1) return any_bit(seen_as<std::uint64_t, bytes>(a));
    std::uint64_t seen = 0;
    for (const std::uint64_t word : std::bit_cast<Words>(a)) seen |= word;
    return seen != 0;
  }
  /// Flags as a vector in which a lane has all bits or none, and back from such a vector, no other.
  template <class Width>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Width> to_lanes(const Flags<Width>& a) noexcept {
    if (in_lanes()) return {a.lane};
    return in_parts<Register<Width>, Width>(
        [](auto x) {
#if defined(__x86_64__) && !defined(__clang__)
          asm volatile(
              ""
              : "+x"(x)); // else GCC shares one negation among several and-nots, each of which is one instruction
#endif
          return x;
        },
        a);
  }
  template <class Width>
  [[nodiscard, gnu::always_inline]] static constexpr Flags<Width> from_lanes(const Register<Width>& a) noexcept {
    if (in_lanes()) return {a.lane};
    return in_parts<Flags<Width>, Width>([](auto x) { return x; }, a);
  }

private:
  // --- lane by lane ---

  [[gnu::always_inline]] static constexpr bool in_lanes() noexcept {
    return compiler_vector_bytes == 0 || std::is_constant_evaluated();
  }
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
  template <class Element>
  using Product = std::conditional_t<std::is_signed_v<Element>, std::int32_t, std::uint32_t>;
  template <class Element>
  [[nodiscard]] static constexpr auto product(Element a, Element b) noexcept {
    return whole_product(Product<Element>{a} * Product<Element>{b});
  }
  /// At the ends of the element's range.
  template <class Element>
  [[nodiscard]] static constexpr std::int32_t held(std::int32_t value) noexcept {
    constexpr std::int32_t least = overflow::lowest<Element>, most = overflow::highest<Element>;
    return value < least ? least : value > most ? most : value;
  }
  template <class Halves>
  [[nodiscard]] static constexpr auto half_of(const Halves& low, const Halves& high, std::size_t i) noexcept {
    const std::size_t place = i / 16 * 8 + i % 8;
    return i % 16 < 8 ? low.lane[place] : high.lane[place];
  }

  // --- on the compiler's vectors ---

  /// How many of the vectors the compiler sees as one, and how many of those there are.
  static constexpr std::size_t together = Count % 4 == 0 && compiler_vector_bytes >= 64   ? 4
                                          : Count % 2 == 0 && compiler_vector_bytes >= 32 ? 2
                                                                                          : 1;
  static constexpr std::size_t parts = Count / together;
  template <class Element>
  using Part = typename CompilerVector<Element, 16 * together>::Type;
  template <class Element>
  using Double = std::conditional_t<sizeof(Element) == 1, DoubleLane<Element>, Element>;
  using Words = std::array<std::uint64_t, 2 * Count>;
  /// Clang makes the machine's product of halves from what is widened and narrowed again, GCC from the loop.
#if defined(__clang__)
  static constexpr bool compiler_widens = true;
#else
  static constexpr bool compiler_widens = false;
#endif

  /// `work` on the operands as vectors of `View`.
  template <class Result, class View, class Work, class... Operands>
  [[gnu::always_inline]] static Result in_parts(Work work, const Operands&... operands) noexcept {
    if constexpr (parts == 1) {
      return as_lanes<Result>(work(seen_as<View, bytes>(operands)...));
    } else {
      std::array<Part<std::uint8_t>, parts> result;
      for (std::size_t i = 0; i < parts; ++i)
        result[i] = (Part<std::uint8_t>)work(std::bit_cast<std::array<Part<View>, parts>>(operands)[i]...);
      return std::bit_cast<Result>(result);
    }
  }
  /// Half by half, since a loop over its words would go through memory.
  template <class Vector>
  [[gnu::always_inline]] static bool any_bit(Vector a) noexcept {
    if constexpr (sizeof(Vector) == 16) {
      return (a[0] | a[1]) != 0;
    } else {
#if defined(__clang__) || __GNUC__ >= 12
      if constexpr (sizeof(Vector) == 32)
        return any_bit(__builtin_shufflevector(a, a, 0, 1) | __builtin_shufflevector(a, a, 2, 3));
      else
        return any_bit(__builtin_shufflevector(a, a, 0, 1, 2, 3) | __builtin_shufflevector(a, a, 4, 5, 6, 7));
#else
      std::uint64_t seen = 0;
      for (std::size_t at = 0; at < sizeof(Vector) / 8; ++at) seen |= a[at];
      return seen != 0;
#endif
    }
  }
  /// The lower of the two bytes in each halfword.
  template <class Halves>
  [[gnu::always_inline]] static Halves lower(Halves x) noexcept {
    if constexpr (std::is_same_v<Halves, Part<std::int16_t>>) {
      return (x << 8) >> 8;
    } else {
      return x & 0xFF;
    }
  }
  /// What is above each byte in a halfword of the same value.
  template <class Bytes>
  [[gnu::always_inline]] static Part<std::uint8_t> above(Bytes x) noexcept {
    if constexpr (std::is_same_v<Bytes, Part<std::int8_t>>) {
      return (Part<std::uint8_t>)(x < 0);
    } else {
      return Bytes{};
    }
  }

  /// `sum` is x + y or x - y; held where the sign of x says that it cannot be. `flip` is -1 for a difference.
  template <class Element, class Lanes, class Sum>
  [[gnu::always_inline]] static Lanes saturate_signed(Lanes x, Sum unsigned_sum, Lanes y, Element flip) noexcept {
    const auto sum = (Lanes)unsigned_sum;
    const Lanes end = (x < 0) ^ overflow::highest<Element>;
    const auto lost = ((sum ^ x) & (sum ^ y ^ flip)) < 0;
    return lost ? end : sum;
  }
  /// Bytes of two vectors by their place in both.
  template <std::size_t... Places>
  [[gnu::always_inline]] static Part<std::uint8_t> shuffled(Part<std::uint8_t> x, Part<std::uint8_t> y) noexcept {
#if defined(__clang__) || __GNUC__ >= 12
    return __builtin_shufflevector(x, y, Places...);
#else
    return __builtin_shuffle(x, y, Part<std::uint8_t>{Places...});
#endif
  }
  /// Bytes `From` to `From` + 7 of each 16, each with its `upper` one, as halfwords.
  template <std::size_t From, class Bytes>
  [[gnu::always_inline]] static Part<std::uint8_t> interleave(Bytes x, Part<std::uint8_t> upper) noexcept {
    constexpr std::size_t which = std::endian::native == std::endian::little ? 0 : 1;
    return [&]<std::size_t... Places>(std::index_sequence<Places...>) {
      return shuffled<(Places / 16 * 16 + From + Places % 16 / 2 + (Places % 2 == which ? 0 : 16 * together))...>(
          (Part<std::uint8_t>)x, upper);
    }
    (std::make_index_sequence<16 * together>{});
  }
  /// Of halfwords given as bytes: modulo 2^8, of each 16 bytes of x, then of y.
  [[gnu::always_inline]] static Part<std::uint8_t> lower_halves(Part<std::uint8_t> x, Part<std::uint8_t> y) noexcept {
    constexpr std::size_t which = std::endian::native == std::endian::little ? 0 : 1;
    return [&]<std::size_t... Places>(std::index_sequence<Places...>) {
      return shuffled<(Places / 16 * 16 + Places % 8 * 2 + which + (Places % 16 < 8 ? 0 : 16 * together))...>(x, y);
    }
    (std::make_index_sequence<16 * together>{});
  }
};

#pragma GCC diagnostic pop

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
