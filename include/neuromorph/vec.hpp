// SPDX-License-Identifier: BSL-1.0
/// \file
/// Vectors of bytes and halfwords, 128 bits each: the registers of a plasticity processor, with the same bits
/// everywhere.
///
/// `Vec<std::uint8_t>` has 16 lanes, `Vec<std::int16_t>` 8. Lane i is element i in memory, on big-endian machines, too.
/// Operators act lane by lane, modulo 2^bits like the machine's; comparisons give `LaneFlags`, one truth value per
/// lane, for `select`. docs/vectors.md has every operation in one table.
#ifndef NEUROMORPH_VEC_HPP
#define NEUROMORPH_VEC_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/rounding.hpp>
#include <neuromorph/target/generic_vectors.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

template <class Element, class Target = target::Native, std::size_t Count = 1>
class Vec;

/// One truth value per lane.
///
/// \tparam Width   std::uint8_t for lanes of one byte, std::uint16_t for lanes of two
/// \tparam Target  backend; only target::Generic is `constexpr`
/// \tparam Count   vectors of 128 bits that are worked on at once; the backend must have such registers
template <class Width, class Target = target::Native, std::size_t Count = 1>
class LaneFlags {
  static_assert(std::is_same_v<Width, std::uint8_t> || std::is_same_v<Width, std::uint16_t>,
                "neuromorph: LaneFlags' Width is std::uint8_t or std::uint16_t; see docs/vectors.md");
  using Machine = typename Target::template Vectors<Count>;

public:
  using Register = typename Machine::template Flags<Width>;
  static constexpr std::size_t lanes = Machine::bytes / sizeof(Width);

  /// None set.
  constexpr LaneFlags() noexcept : LaneFlags(false) {}
  /// All set, or none.
  explicit constexpr LaneFlags(bool value) noexcept
      : register_(Machine::template from_lanes<Width>(
            Machine::template splat<Width>(value ? static_cast<Width>(-1) : Width{0}))) {}
  explicit constexpr LaneFlags(const Register& machine) noexcept : register_(machine) {}

  /// Set where the lane of a vector is not zero.
  [[nodiscard, gnu::always_inline]] static constexpr LaneFlags nonzero(const Vec<Width, Target, Count>& a) noexcept {
    constexpr bool is_callable = requires { Machine::template nonzero<Width>(a.machine()); };
    if constexpr (detail::has_loop<Machine, offer::NonzeroLanes, is_callable>()) {
      return LaneFlags(Machine::template nonzero<Width>(a.machine()));
    } else {
      return !(a == Vec<Width, Target, Count>(0));
    }
  }
  /// From lanes with all bits or none: faster than `nonzero` where that is known.
  [[nodiscard, gnu::always_inline]] static constexpr LaneFlags from_lanes(const Vec<Width, Target, Count>& a) noexcept {
    return LaneFlags(Machine::template from_lanes<Width>(a.machine()));
  }
  /// Both take unsigned lanes of the flags' width; others are refused in words.
  template <class Element>
  static constexpr LaneFlags nonzero(const Vec<Element, Target, Count>&) noexcept {
    return from_other_lanes<Element>();
  }
  template <class Element>
  static constexpr LaneFlags from_lanes(const Vec<Element, Target, Count>&) noexcept {
    return from_other_lanes<Element>();
  }
  /// Flag i from bit i, the inverse of `bits`; of bytes.
  [[nodiscard, gnu::always_inline]] static constexpr LaneFlags
  from_bits(std::uint64_t bits) noexcept requires std::is_same_v<Width, std::uint8_t> {
    constexpr bool is_callable = requires { Machine::from_bits(bits); };
    if constexpr (detail::has_loop<Machine, offer::FlagsFromBits, is_callable>()) {
      return LaneFlags(Machine::from_bits(bits));
    } else {
      // each eight lanes look for their bit in a byte of their own
      using Bytes = Vec<std::uint8_t, Target, Count>;
      Bytes found;
      for (std::size_t part = 0; part < 2 * Count; ++part) {
        typename Bytes::Array of_lane{};
        for (std::size_t bit = 0; bit < 8; ++bit) of_lane[8 * part + bit] = static_cast<std::uint8_t>(1U << bit);
        found = found | (Bytes(static_cast<std::uint8_t>(bits >> 8 * part)) & Bytes(of_lane));
      }
      return nonzero(found);
    }
  }
  /// All bits of a lane, or none.
  [[nodiscard, gnu::always_inline]] constexpr Vec<Width, Target, Count> to_lanes() const noexcept {
    return Vec<Width, Target, Count>(Machine::template to_lanes<Width>(register_));
  }

  [[nodiscard, gnu::always_inline]] friend constexpr LaneFlags operator&(const LaneFlags& a,
                                                                         const LaneFlags& b) noexcept {
    return LaneFlags(Machine::template both<Width>(a.register_, b.register_));
  }
  [[nodiscard, gnu::always_inline]] friend constexpr LaneFlags operator|(const LaneFlags& a,
                                                                         const LaneFlags& b) noexcept {
    return LaneFlags(Machine::template either<Width>(a.register_, b.register_));
  }
  [[nodiscard, gnu::always_inline]] friend constexpr LaneFlags operator!(const LaneFlags& a) noexcept {
    return LaneFlags(Machine::template negate<Width>(a.register_));
  }

  /// Bit i is lane i.
  [[nodiscard, gnu::always_inline]] constexpr std::uint64_t bits() const noexcept {
    return Machine::template bits<Width>(register_);
  }
  [[nodiscard, gnu::always_inline]] constexpr bool any() const noexcept {
    return Machine::template any<Width>(register_);
  }
  [[nodiscard, gnu::always_inline]] constexpr bool all() const noexcept { return !(!*this).any(); }
  [[nodiscard, gnu::always_inline]] constexpr bool none() const noexcept { return !any(); }
  /// How many are set.
  [[nodiscard, gnu::always_inline]] constexpr unsigned count() const noexcept {
    return static_cast<unsigned>(std::popcount(bits()));
  }
  [[nodiscard, gnu::always_inline]] constexpr bool operator[](std::size_t lane) const noexcept {
    return (bits() >> lane & 1) != 0;
  }
  [[nodiscard, gnu::always_inline]] friend constexpr bool operator==(const LaneFlags& a, const LaneFlags& b) noexcept {
    return a.bits() == b.bits();
  }

  [[nodiscard, gnu::always_inline]] constexpr const Register& machine() const noexcept { return register_; }

private:
  template <class Element>
  static constexpr LaneFlags from_other_lanes() noexcept {
    static_assert(
        std::is_same_v<Element, Width>,
        "neuromorph: LaneFlags are made from unsigned lanes of their width, as from a.as<std::uint8_t>(); see "
        "docs/vectors.md");
    return LaneFlags();
  }

  Register register_;
};

/// \tparam Element  std::uint8_t, int8_t, uint16_t or int16_t
/// \tparam Target   backend; only target::Generic is `constexpr`
/// \tparam Count    vectors of 128 bits that are worked on at once; the backend must have such registers
/// \exact  bit-exact with target::Generic on every backend
template <class Element, class Target, std::size_t Count>
class Vec {
  static_assert(VectorElement<Element>,
                "neuromorph: Vec's Element is std::uint8_t, int8_t, uint16_t or int16_t; see docs/vectors.md");
  static_assert(Count >= 1 && Count <= 4,
                "neuromorph: Vec's Count is 1 to 4, as flags of more lanes fit no word; see docs/vectors.md");
  using Machine = typename Target::template Vectors<Count>;

public:
  using value_type = Element;
  using Flags = LaneFlags<target::UnsignedLane<Element>, Target, Count>;
  using Register = typename Machine::template Register<Element>;
  static constexpr std::size_t lanes = Machine::template lanes<Element>;
  static constexpr unsigned bits = 8 * sizeof(Element);
  using Array = std::array<Element, lanes>;

  /// Zeros.
  constexpr Vec() noexcept : Vec(Element{0}) {}
  /// The same in every lane.
  explicit constexpr Vec(Element value) noexcept : register_(Machine::template splat<Element>(value)) {}
  explicit constexpr Vec(const Array& values) noexcept : register_(from_array(values)) {}
  explicit constexpr Vec(const Register& machine) noexcept requires(!std::is_same_v<Register, Array>)
      : register_(machine) {}

  /// [lanes] elements, aligned to 16 bytes.
  [[nodiscard, gnu::always_inline]] static constexpr Vec load(const Element* from) noexcept {
    return Vec(Machine::template load<Element>(from));
  }
  constexpr void store(Element* to) const noexcept { Machine::template store<Element>(to, register_); }
  [[nodiscard, gnu::always_inline]] constexpr Array array() const noexcept {
    alignas(16) Array values{};
    store(values.data());
    return values;
  }
  /// One lane; goes through memory on most machines.
  [[nodiscard, gnu::always_inline]] constexpr Element operator[](std::size_t lane) const noexcept {
    return array()[lane];
  }

  /// Independent uniform bits: 4 * Count words of `source`, the lowest bits of a word in the lowest of its lanes.
  template <rounding::BitSource Source>
  [[nodiscard, gnu::always_inline]] static constexpr Vec random(Source& source) noexcept {
    alignas(16) Array values{};
    constexpr std::size_t in_word = 4 / sizeof(Element);
    for (std::size_t word = 0; word < 4 * Count; ++word) {
      const std::uint32_t drawn = source.next();
      for (std::size_t part = 0; part < in_word; ++part)
        values[word * in_word + part] = static_cast<Element>(drawn >> (part * bits));
    }
    return load(values.data());
  }

  // --- modulo 2^bits
  // ---------------------------------------------------------------------------------------------------

  [[nodiscard, gnu::always_inline]] friend constexpr Vec operator+(const Vec& a, const Vec& b) noexcept {
    return Vec(Machine::template add<Element>(a.register_, b.register_));
  }
  [[nodiscard, gnu::always_inline]] friend constexpr Vec operator-(const Vec& a, const Vec& b) noexcept {
    return Vec(Machine::template subtract<Element>(a.register_, b.register_));
  }
  [[nodiscard, gnu::always_inline]] constexpr Vec operator-() const noexcept { return Vec() - *this; }
  [[nodiscard, gnu::always_inline]] friend constexpr Vec operator*(const Vec& a, const Vec& b) noexcept {
    return Vec(Machine::template multiply<Element>(a.register_, b.register_));
  }
  /// By 0 to bits - 1; to the right arithmetic for signed elements, logical for unsigned ones (see `as`).
  [[nodiscard, gnu::always_inline]] friend constexpr Vec operator<<(const Vec& a, unsigned amount) noexcept {
    return Vec(Machine::template shift_left<Element>(a.register_, amount));
  }
  [[nodiscard, gnu::always_inline]] friend constexpr Vec operator>>(const Vec& a, unsigned amount) noexcept {
    return Vec(Machine::template shift_right<Element>(a.register_, amount));
  }
  [[nodiscard, gnu::always_inline]] friend constexpr Vec operator&(const Vec& a, const Vec& b) noexcept {
    return Vec(Machine::template bit_and<Element>(a.register_, b.register_));
  }
  [[nodiscard, gnu::always_inline]] friend constexpr Vec operator|(const Vec& a, const Vec& b) noexcept {
    return Vec(Machine::template bit_or<Element>(a.register_, b.register_));
  }
  [[nodiscard, gnu::always_inline]] friend constexpr Vec operator^(const Vec& a, const Vec& b) noexcept {
    return Vec(Machine::template bit_xor<Element>(a.register_, b.register_));
  }
  [[nodiscard, gnu::always_inline]] constexpr Vec operator~() const noexcept {
    return *this ^ Vec(static_cast<Element>(-1));
  }

  // --- held at the ends of the range
  // -------------------------------------------------------------------------------------

  [[nodiscard, gnu::always_inline]] friend constexpr Vec add_saturating(const Vec& a, const Vec& b) noexcept {
    return Vec(Machine::template add_saturating<Element>(a.register_, b.register_));
  }
  [[nodiscard, gnu::always_inline]] friend constexpr Vec subtract_saturating(const Vec& a, const Vec& b) noexcept {
    return Vec(Machine::template subtract_saturating<Element>(a.register_, b.register_));
  }
  /// floor(a b / 2^bits)
  [[nodiscard, gnu::always_inline]] friend constexpr Vec multiply_high(const Vec& a, const Vec& b) noexcept {
    return Vec(Machine::template multiply_high<Element>(a.register_, b.register_));
  }
  /// Product of fractions from -1 to 1: floor(a b / 2^(bits - 1)), held only for -1 times -1. S2PP's `mul.fs`.
  [[nodiscard, gnu::always_inline]] friend constexpr Vec
  multiply_fractional(const Vec& a, const Vec& b) noexcept requires std::is_signed_v<Element> {
    return Vec(Machine::template multiply_fractional<Element>(a.register_, b.register_));
  }
  /// a + b c modulo 2^bits.
  [[nodiscard, gnu::always_inline]] friend constexpr Vec multiply_add(const Vec& a, const Vec& b,
                                                                      const Vec& c) noexcept {
    constexpr bool is_callable = requires {
      Machine::template multiply_add<Element>(a.register_, b.register_, c.register_);
    };
    if constexpr (detail::has_loop<Machine, offer::MultiplyAdd, is_callable>()) {
      return Vec(Machine::template multiply_add<Element>(a.register_, b.register_, c.register_));
    } else {
      return a + b * c;
    }
  }
  /// add_saturating(a, multiply_fractional(b, c))
  [[nodiscard, gnu::always_inline]] friend constexpr Vec
  multiply_add_fractional(const Vec& a, const Vec& b, const Vec& c) noexcept requires std::is_signed_v<Element> {
    constexpr bool is_callable = requires {
      Machine::template multiply_add_fractional<Element>(a.register_, b.register_, c.register_);
    };
    if constexpr (detail::has_loop<Machine, offer::MultiplyAddFractional, is_callable>()) {
      return Vec(Machine::template multiply_add_fractional<Element>(a.register_, b.register_, c.register_));
    } else {
      return add_saturating(a, multiply_fractional(b, c));
    }
  }
  /// floor((a + r) / 2^amount), r being the lowest `amount` bits of `random`: up with a chance equal to the dropped
  /// fraction. Never overflows. By 0 to bits - 1.
  [[nodiscard, gnu::always_inline]] friend constexpr Vec shift_right_stochastic(const Vec& a, unsigned amount,
                                                                                const Vec& random) noexcept {
    const Vec dropped(static_cast<Element>((1U << amount) - 1U));
    const auto sum = ((a & dropped) + (random & dropped)).template as<target::UnsignedLane<Element>>();
    return (a >> amount) + (sum >> amount).template as<Element>();
  }

  // --- truth values
  // ----------------------------------------------------------------------------------------------------

  [[nodiscard, gnu::always_inline]] friend constexpr Flags operator==(const Vec& a, const Vec& b) noexcept {
    return Flags(Machine::template equal<Element>(a.register_, b.register_));
  }
  [[nodiscard, gnu::always_inline]] friend constexpr Flags operator!=(const Vec& a, const Vec& b) noexcept {
    return !(a == b);
  }
  [[nodiscard, gnu::always_inline]] friend constexpr Flags operator<(const Vec& a, const Vec& b) noexcept {
    return Flags(Machine::template less<Element>(a.register_, b.register_));
  }
  [[nodiscard, gnu::always_inline]] friend constexpr Flags operator>(const Vec& a, const Vec& b) noexcept {
    return b < a;
  }
  [[nodiscard, gnu::always_inline]] friend constexpr Flags operator<=(const Vec& a, const Vec& b) noexcept {
    return !(b < a);
  }
  [[nodiscard, gnu::always_inline]] friend constexpr Flags operator>=(const Vec& a, const Vec& b) noexcept {
    return !(a < b);
  }
  /// `when_true` where the flag is set, `when_false` elsewhere.
  [[nodiscard, gnu::always_inline]] friend constexpr Vec select(const Flags& flags, const Vec& when_true,
                                                                const Vec& when_false) noexcept {
    return Vec(Machine::template select<Element>(flags.machine(), when_true.register_, when_false.register_));
  }

  // --- other lanes
  // -------------------------------------------------------------------------------------------------------

  /// The same bits; a halfword is its two bytes, the lower half first.
  template <VectorElement To>
  [[nodiscard, gnu::always_inline]] constexpr Vec<To, Target, Count> as() const noexcept {
    return Vec<To, Target, Count>(Machine::template cast<To, Element>(register_));
  }
  /// Sum of all lanes.
  [[nodiscard, gnu::always_inline]] constexpr std::int32_t sum() const noexcept {
    std::int32_t total = 0;
    for (const Element value : array()) total += value;
    return total;
  }
  [[nodiscard, gnu::always_inline]] constexpr const Register& machine() const noexcept { return register_; }

private:
  [[nodiscard, gnu::always_inline]] static constexpr Register from_array(const Array& values) noexcept {
    alignas(16) const Array aligned = values;
    return Machine::template load<Element>(aligned.data());
  }

  Register register_;
};

// In brackets because vendor headers define macros of these names.
template <VectorElement Element, class Target, std::size_t Count>
[[nodiscard,
  gnu::always_inline]] constexpr Vec<Element, Target, Count>(min)(const Vec<Element, Target, Count>& a,
                                                                  const Vec<Element, Target, Count>& b) noexcept {
  return Vec<Element, Target, Count>(
      (Target::template Vectors<Count>::template min<Element>)(a.machine(), b.machine()));
}
template <VectorElement Element, class Target, std::size_t Count>
[[nodiscard,
  gnu::always_inline]] constexpr Vec<Element, Target, Count>(max)(const Vec<Element, Target, Count>& a,
                                                                  const Vec<Element, Target, Count>& b) noexcept {
  return Vec<Element, Target, Count>(
      (Target::template Vectors<Count>::template max<Element>)(a.machine(), b.machine()));
}
/// At least `least`, then at most `most`.
template <VectorElement Element, class Target, std::size_t Count>
[[nodiscard, gnu::always_inline]] constexpr Vec<Element, Target, Count>
clamp(const Vec<Element, Target, Count>& a, const Vec<Element, Target, Count>& least,
      const Vec<Element, Target, Count>& most) noexcept {
  using Machine = typename Target::template Vectors<Count>;
  constexpr bool is_callable = requires {
    Machine::template clamp<Element>(a.machine(), least.machine(), most.machine());
  };
  if constexpr (detail::has_loop<Machine, offer::Clamp, is_callable>()) {
    return Vec<Element, Target, Count>(Machine::template clamp<Element>(a.machine(), least.machine(), most.machine()));
  } else {
    return (min)((max)(a, least), most);
  }
}

/// Bytes 0 to 7 (low) and 8 to 15 (high) of each 128 bits as halfwords of the same value.
template <VectorElement Element, class Target, std::size_t Count>
requires(sizeof(Element) == 1)
    [[nodiscard, gnu::always_inline]] constexpr auto unpack_low(const Vec<Element, Target, Count>& a) noexcept {
  return Vec<target::DoubleLane<Element>, Target, Count>(
      Target::template Vectors<Count>::template unpack_low<Element>(a.machine()));
}
template <VectorElement Element, class Target, std::size_t Count>
requires(sizeof(Element) == 1)
    [[nodiscard, gnu::always_inline]] constexpr auto unpack_high(const Vec<Element, Target, Count>& a) noexcept {
  return Vec<target::DoubleLane<Element>, Target, Count>(
      Target::template Vectors<Count>::template unpack_high<Element>(a.machine()));
}
/// The flags of these halfwords.
template <class Target, std::size_t Count>
[[nodiscard, gnu::always_inline]] constexpr auto unpack_low(const LaneFlags<std::uint8_t, Target, Count>& a) noexcept {
  return LaneFlags<std::uint16_t, Target, Count>(Target::template Vectors<Count>::unpack_low(a.machine()));
}
template <class Target, std::size_t Count>
[[nodiscard, gnu::always_inline]] constexpr auto unpack_high(const LaneFlags<std::uint8_t, Target, Count>& a) noexcept {
  return LaneFlags<std::uint16_t, Target, Count>(Target::template Vectors<Count>::unpack_high(a.machine()));
}
/// Halfwords as bytes, those of `low` first, modulo 2^8.
template <VectorElement Element, VectorElement From, class Target, std::size_t Count>
requires(sizeof(Element) == 1 && sizeof(From) == 2)
    [[nodiscard, gnu::always_inline]] constexpr auto pack(const Vec<From, Target, Count>& low,
                                                          const Vec<From, Target, Count>& high) noexcept {
  return Vec<Element, Target, Count>(
      Target::template Vectors<Count>::template pack<Element, From>(low.machine(), high.machine()));
}
/// The same, held at the ends of the byte's range.
template <VectorElement Element, class Target, std::size_t Count>
requires(sizeof(Element) == 1) [[nodiscard, gnu::always_inline]] constexpr auto pack_saturating(
    const Vec<std::int16_t, Target, Count>& low, const Vec<std::int16_t, Target, Count>& high) noexcept {
  return Vec<Element, Target, Count>(
      Target::template Vectors<Count>::template pack_saturating<Element>(low.machine(), high.machine()));
}

// Refused in words: two vectors of different elements.

namespace detail {
template <class Element, class Other, class Target, std::size_t Count>
constexpr Vec<Element, Target, Count> of_other_elements(const Vec<Element, Target, Count>& a,
                                                        const Vec<Other, Target, Count>&) noexcept {
  static_assert(std::is_same_v<Element, Other>,
                "neuromorph: both vectors of an operation have the same Element: say a.as<Element>() of one, as the "
                "bits are the same; see docs/vectors.md");
  return a;
}
} // namespace detail

template <class Element, class Other, class Target, std::size_t Count>
requires(!std::is_same_v<Element, Other>) constexpr auto operator+(const Vec<Element, Target, Count>& a,
                                                                   const Vec<Other, Target, Count>& b) noexcept {
  return detail::of_other_elements(a, b);
}
template <class Element, class Other, class Target, std::size_t Count>
requires(!std::is_same_v<Element, Other>) constexpr auto operator-(const Vec<Element, Target, Count>& a,
                                                                   const Vec<Other, Target, Count>& b) noexcept {
  return detail::of_other_elements(a, b);
}
template <class Element, class Other, class Target, std::size_t Count>
requires(!std::is_same_v<Element, Other>) constexpr auto operator*(const Vec<Element, Target, Count>& a,
                                                                   const Vec<Other, Target, Count>& b) noexcept {
  return detail::of_other_elements(a, b);
}
template <class Element, class Other, class Target, std::size_t Count>
requires(!std::is_same_v<Element, Other>) constexpr auto operator&(const Vec<Element, Target, Count>& a,
                                                                   const Vec<Other, Target, Count>& b) noexcept {
  return detail::of_other_elements(a, b);
}
template <class Element, class Other, class Target, std::size_t Count>
requires(!std::is_same_v<Element, Other>) constexpr auto operator|(const Vec<Element, Target, Count>& a,
                                                                   const Vec<Other, Target, Count>& b) noexcept {
  return detail::of_other_elements(a, b);
}
template <class Element, class Other, class Target, std::size_t Count>
requires(!std::is_same_v<Element, Other>) constexpr auto operator^(const Vec<Element, Target, Count>& a,
                                                                   const Vec<Other, Target, Count>& b) noexcept {
  return detail::of_other_elements(a, b);
}
template <class Element, class Other, class Target, std::size_t Count>
requires(!std::is_same_v<Element, Other>) constexpr auto add_saturating(const Vec<Element, Target, Count>& a,
                                                                        const Vec<Other, Target, Count>& b) noexcept {
  return detail::of_other_elements(a, b);
}
template <class Element, class Other, class Target, std::size_t Count>
requires(!std::is_same_v<Element, Other>) constexpr auto subtract_saturating(
    const Vec<Element, Target, Count>& a, const Vec<Other, Target, Count>& b) noexcept {
  return detail::of_other_elements(a, b);
}
template <class Element, class Other, class Target, std::size_t Count>
requires(!std::is_same_v<Element, Other>) constexpr auto multiply_high(const Vec<Element, Target, Count>& a,
                                                                       const Vec<Other, Target, Count>& b) noexcept {
  return detail::of_other_elements(a, b);
}
template <class Element, class Other, class Target, std::size_t Count>
requires(!std::is_same_v<Element, Other>) constexpr auto multiply_fractional(
    const Vec<Element, Target, Count>& a, const Vec<Other, Target, Count>& b) noexcept {
  return detail::of_other_elements(a, b);
}
template <class Element, class Other, class Target, std::size_t Count>
requires(!std::is_same_v<Element, Other>) constexpr auto(min)(const Vec<Element, Target, Count>& a,
                                                              const Vec<Other, Target, Count>& b) noexcept {
  return detail::of_other_elements(a, b);
}
template <class Element, class Other, class Target, std::size_t Count>
requires(!std::is_same_v<Element, Other>) constexpr auto(max)(const Vec<Element, Target, Count>& a,
                                                              const Vec<Other, Target, Count>& b) noexcept {
  return detail::of_other_elements(a, b);
}
template <class Element, class Other, class Target, std::size_t Count>
requires(!std::is_same_v<Element, Other>) constexpr auto operator==(const Vec<Element, Target, Count>& a,
                                                                    const Vec<Other, Target, Count>& b) noexcept {
  return detail::of_other_elements(a, b) == a;
}
template <class Element, class Other, class Target, std::size_t Count>
requires(!std::is_same_v<Element, Other>) constexpr auto operator!=(const Vec<Element, Target, Count>& a,
                                                                    const Vec<Other, Target, Count>& b) noexcept {
  return detail::of_other_elements(a, b) == a;
}
template <class Element, class Other, class Target, std::size_t Count>
requires(!std::is_same_v<Element, Other>) constexpr auto operator<(const Vec<Element, Target, Count>& a,
                                                                   const Vec<Other, Target, Count>& b) noexcept {
  return detail::of_other_elements(a, b) == a;
}
template <class Element, class Other, class Target, std::size_t Count>
requires(!std::is_same_v<Element, Other>) constexpr auto operator>(const Vec<Element, Target, Count>& a,
                                                                   const Vec<Other, Target, Count>& b) noexcept {
  return detail::of_other_elements(a, b) == a;
}
template <class Element, class Other, class Target, std::size_t Count>
requires(!std::is_same_v<Element, Other>) constexpr auto operator<=(const Vec<Element, Target, Count>& a,
                                                                    const Vec<Other, Target, Count>& b) noexcept {
  return detail::of_other_elements(a, b) == a;
}
template <class Element, class Other, class Target, std::size_t Count>
requires(!std::is_same_v<Element, Other>) constexpr auto operator>=(const Vec<Element, Target, Count>& a,
                                                                    const Vec<Other, Target, Count>& b) noexcept {
  return detail::of_other_elements(a, b) == a;
}
template <class Width, class Element, class Other, class Target, std::size_t Count>
requires(!std::is_same_v<Element, Other>) constexpr auto select(const LaneFlags<Width, Target, Count>&,
                                                                const Vec<Element, Target, Count>& a,
                                                                const Vec<Other, Target, Count>& b) noexcept {
  return detail::of_other_elements(a, b);
}

/// What masks a vector of 16 bytes.
using MaskVector = LaneFlags<std::uint8_t>;

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
