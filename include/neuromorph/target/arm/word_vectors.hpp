// SPDX-License-Identifier: BSL-1.0
/// \file
/// Vectors of bytes and halfwords in four 32-bit words, for a core without vector registers.
// not in the umbrella: a base for backends, which include it
//
// Lanes that share a word are kept apart by arithmetic. What would carry from one into the next is left out of a sum
// and put back without a carry. A truth value in the top bit of a lane becomes all of its bits by a multiplication
// with 2^bits - 1.
#ifndef NEUROMORPH_TARGET_ARM_WORD_VECTORS_HPP
#define NEUROMORPH_TARGET_ARM_WORD_VECTORS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/target/generic_vectors.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Operations on the lanes of one word, in plain C++; semantics as GenericVectors, lane by lane. A core with better
/// instructions inherits from it and hides these.
struct WordLanes {
  using Word = std::uint32_t;

  /// The same number in each lane.
  template <class Element>
  [[nodiscard]] static constexpr Word in_each(Word number) noexcept {
    return number * (sizeof(Element) == 1 ? 0x01010101U : 0x00010001U);
  }
  /// The top bit of each lane.
  template <class Element>
  static constexpr Word tops = sizeof(Element) == 1 ? 0x80808080U : 0x80008000U;
  static constexpr Word even_bytes = 0x00FF00FFU;

  template <class Element>
  [[nodiscard]] static constexpr Word add(Word a, Word b) noexcept {
    if constexpr (sizeof(Element) == 1) return ((a & ~tops<Element>)+(b & ~tops<Element>)) ^ ((a ^ b) & tops<Element>);
    const Word sum = a + b; // one carry only, and it shows in bit 16
    return sum - ((sum ^ a ^ b) & 0x10000);
  }
  template <class Element>
  [[nodiscard]] static constexpr Word subtract(Word a, Word b) noexcept {
    if constexpr (sizeof(Element) == 1) return ((a | tops<Element>)-(b & ~tops<Element>)) ^ (tops<Element> & ~(a ^ b));
    const Word difference = a - b;
    return difference + ((difference ^ a ^ b) & 0x10000);
  }
  // a + b is twice a & b and once a ^ b, so the mean is a & b and half of a ^ b; its top bit is the carry. a - b is a ^
  // b less twice b & ~a.
  template <class Element>
  [[nodiscard]] static constexpr Word add_saturating(Word a, Word b) noexcept {
    constexpr Word one = in_each<Element>(1), top = tops<Element>;
    const Word differ = a ^ b;
    if constexpr (std::is_unsigned_v<Element>) {
      const Word mean = (a & b) + ((differ & ~one) >> 1), sum = (mean & ~top) << 1 | (differ & one);
      return sum | whole<Element>(mean & top);
    }
    const Word sum = ((a & ~top) + (b & ~top)) ^ (differ & top);
    return held<Element>(sum, (a ^ sum) & ~differ);
  }
  template <class Element>
  [[nodiscard]] static constexpr Word subtract_saturating(Word a, Word b) noexcept {
    constexpr Word one = in_each<Element>(1), top = tops<Element>;
    const Word differ = a ^ b;
    if constexpr (std::is_unsigned_v<Element>) {
      const Word half = half_difference<Element>(a, b), difference = (half & ~top) << 1 | (differ & one);
      return difference & ~whole<Element>(~half & top);
    }
    const Word difference = ((a | top) - (b & ~top)) ^ (top & ~differ);
    return held<Element>(difference, (a ^ difference) & differ);
  }

  /// Halves times halves: the core multiplies 16 by 16 bits in one cycle.
  template <class Element>
  [[nodiscard]] static constexpr Word multiply(Word a, Word b) noexcept {
    if constexpr (sizeof(Element) == 2) return halves(low_product(a, b), high_product(a, b));
    const Word c = a >> 8, d = b >> 8; // the lowest byte of a product needs the lowest bytes alone
    return (low_product(a, b) & 0xFF) | (low_product(c, d) & 0xFF) << 8 | (high_product(a, b) & 0xFF) << 16 |
           high_product(c, d) << 24;
  }
  template <class Element>
  [[nodiscard]] static constexpr Word multiply_high(Word a, Word b) noexcept {
    if constexpr (std::is_same_v<Element, std::uint16_t>)
      return upper_halves((a & 0xFFFF) * (b & 0xFFFF), (a >> 16) * (b >> 16));
    if constexpr (std::is_same_v<Element, std::int16_t>) return upper_halves(low_product(a, b), high_product(a, b));
    if constexpr (std::is_same_v<Element, std::uint8_t>) {
      const Word even = even_products(a & even_bytes, b & even_bytes),
                 odd = even_products((a >> 8) & even_bytes, (b >> 8) & even_bytes);
      return (even & ~even_bytes) >> 8 | (odd & ~even_bytes);
    }
    if constexpr (std::is_same_v<Element, std::int8_t>) {
      const Word even = shifted_products(a << 8, b << 8), odd = shifted_products(a, b);
      return (even & ~even_bytes) >> 8 | (odd & ~even_bytes);
    }
  }
  template <class Element>
  [[nodiscard]] static constexpr Word multiply_fractional(Word a, Word b) noexcept {
    if constexpr (sizeof(Element) == 2) {
      const Word product = upper_halves(low_product(a, b) << 1, high_product(a, b) << 1);
      return product - (tops<Element> & only_tops<Element>(product)) / 0x8000;
    } else {
      // a doubled product takes the top of the one below it into its lowest bit, which is dropped
      const Word even = shifted_products(a << 8, b << 8), odd = shifted_products(a, b);
      const Word product = ((even << 1) & ~even_bytes) >> 8 | ((odd << 1) & ~even_bytes);
      return product - (tops<Element> & only_tops<Element>(product)) / 0x80;
    }
  }
  template <class Element>
  [[nodiscard]] static constexpr Word(min)(Word a, Word b) noexcept {
    return b ^ ((a ^ b) & less<Element>(a, b));
  }
  template <class Element>
  [[nodiscard]] static constexpr Word(max)(Word a, Word b) noexcept {
    return a ^ ((a ^ b) & less<Element>(a, b));
  }

  /// Bytes (factor (a - b) + offset) >> Shift, the product one less where it is below zero if `Away`; all fit.
  /// \param factor, minus  in both halves
  template <unsigned Shift, bool Away>
  [[nodiscard]] static constexpr Word scaled_difference(Word a, Word b, Word factor, Word minus, Word offset) noexcept {
    const Word c = a >> 8 & even_bytes, d = b >> 8 & even_bytes, e = offset >> 8 & even_bytes;
    a &= even_bytes, b &= even_bytes, offset &= even_bytes;
    const auto rounded = [](Word product, Word by) {
      const auto exact = static_cast<std::int32_t>(product);
      return static_cast<Word>((Away ? exact + (exact >> 31) : exact) + static_cast<std::int32_t>(by)) << (8 - Shift);
    };
    const Word first = rounded(low_product(a, factor) + low_product(b, minus), offset & 0xFFFF),
               second = rounded(low_product(c, factor) + low_product(d, minus), e & 0xFFFF),
               third = rounded(high_product(a, factor) + high_product(b, minus), offset >> 16),
               fourth = rounded(high_product(c, factor) + high_product(d, minus), e >> 16);
    return (first >> 8 & 0xFF) | (second & 0xFF00) | (third & 0xFF00) << 8 | fourth >> 8 << 24;
  }

  /// All bits of a lane, or none.
  template <class Element>
  [[nodiscard]] static constexpr Word equal(Word a, Word b) noexcept {
    const Word differ = a ^ b;
    return whole<Element>((tops<Element> - (differ & ~tops<Element>)) & ~differ & tops<Element>);
  }
  template <class Element>
  [[nodiscard]] static constexpr Word nonzero(Word a) noexcept {
    constexpr Word below = ~tops<Element>; // a lower part that is not zero carries into the top
    return whole<Element>((((a & below) + below) | a) & tops<Element>);
  }
  template <class Element>
  [[nodiscard]] static constexpr Word less(Word a, Word b) noexcept {
    // at least as great: the top bit of the half difference, or the other where signs differ
    const Word half = half_difference<Element>(a, b);
    return whole<Element>(~(std::is_signed_v<Element> ? half ^ a ^ b : half) & tops<Element>);
  }
  [[nodiscard]] static constexpr Word select(Word flag, Word when_true, Word when_false) noexcept {
    return ((when_true ^ when_false) & flag) ^ when_false;
  }

  // --- widths: two words from one, and one from two ----------------------------------------------------------------

  struct Pair {
    Word low, high;
  };
  template <class Element>
  [[nodiscard]] static constexpr Pair unpack(Word a) noexcept {
    const Pair pair{(a & 0xFF) | (a & 0xFF00) << 8, (a >> 16 & 0xFF) | a >> 24 << 16};
    if constexpr (std::is_unsigned_v<Element>) return pair;
    return {signed_bytes(pair.low), signed_bytes(pair.high)};
  }
  /// All bits of a byte or none, as halfwords.
  [[nodiscard]] static constexpr Pair unpack_flags(Word a) noexcept {
    const Pair pair = unpack<std::uint8_t>(a);
    return {pair.low | pair.low << 8, pair.high | pair.high << 8};
  }
  /// The lower bytes of halfwords.
  [[nodiscard]] static constexpr Word pack(Word low, Word high) noexcept {
    const Word from_low = low & even_bytes, from_high = high & even_bytes;
    return halves(from_low | from_low >> 8, from_high | from_high >> 8);
  }
  template <class Element>
  [[nodiscard]] static constexpr Word pack_saturating(Word low, Word high) noexcept {
    return pack(held_bytes<Element>(low), held_bytes<Element>(high));
  }

protected:
  [[nodiscard]] static constexpr Word low_product(Word a, Word b) noexcept {
    return static_cast<Word>(std::int32_t{static_cast<std::int16_t>(a)} * static_cast<std::int16_t>(b));
  }
  [[nodiscard]] static constexpr Word high_product(Word a, Word b) noexcept {
    return static_cast<Word>((static_cast<std::int32_t>(a) >> 16) * (static_cast<std::int32_t>(b) >> 16));
  }
  /// The lower, and the upper, halves of two words as one.
  [[nodiscard]] static constexpr Word halves(Word low, Word high) noexcept { return (low & 0xFFFF) | high << 16; }
  [[nodiscard]] static constexpr Word upper_halves(Word low, Word high) noexcept {
    return low >> 16 | high >> 16 << 16;
  }
  /// Products of two halves that fit in 16 bits.
  [[nodiscard]] static constexpr Word even_products(Word a, Word b) noexcept {
    return low_product(a, b) | high_product(a, b) << 16;
  }
  /// Products of the signed upper bytes of halves.
  [[nodiscard]] static constexpr Word shifted_products(Word a, Word b) noexcept {
    const Word c = a & ~even_bytes, d = b & ~even_bytes; // products times 2^16
    return low_product(c, d) >> 16 | high_product(c, d);
  }
  /// floor((a - b) / 2) + 2^(bits - 1), of unsigned lanes.
  template <class Element>
  [[nodiscard]] static constexpr Word half_difference(Word a, Word b) noexcept {
    return ((a ^ b) >> 1 | tops<Element>)-(b & ~a);
  }
  /// Top bits as whole lanes.
  template <class Element>
  [[nodiscard]] static constexpr Word whole(Word top) noexcept {
    const Word one = top >> (8 * sizeof(Element) - 1);
    return (one << 8 * sizeof(Element)) - one;
  }
  /// The top bit is set where the lower bits of a lane are zero and the top is set.
  template <class Element>
  [[nodiscard]] static constexpr Word only_tops(Word a) noexcept {
    return (tops<Element> - (a & ~tops<Element>)) & a;
  }
  /// `result` where the top bit of `overflow` is clear, else the end of the range that is not on its side.
  template <class Element>
  [[nodiscard]] static constexpr Word held(Word result, Word overflow) noexcept {
    const Word end = tops<Element> - (result >> (8 * sizeof(Element) - 1) & in_each<Element>(1));
    return select(whole<Element>(overflow & tops<Element>), end, result);
  }
  [[nodiscard]] static constexpr Word signed_bytes(Word a) noexcept {
    const Word sign = a & 0x00800080;
    return a | ((sign << 8) - sign) << 1;
  }
  /// Signed halfwords at the ends of the byte's range; only the lower bytes count.
  template <class Element>
  [[nodiscard]] static constexpr Word held_bytes(Word a) noexcept {
    using Halfword = std::uint16_t;
    const Word sign = whole<Halfword>(a & tops<Halfword>);
    if constexpr (std::is_unsigned_v<Element>) {
      const Word above = (a & 0x7F007F00) + 0x7F007F00; // the top bit where anything is above the byte
      return (a | whole<Halfword>(above & tops<Halfword>)) & ~sign;
    }
    const Word magnitude = a ^ sign, above = (magnitude & 0x7F807F80) + 0x7F807F80;
    return ((magnitude | whole<Halfword>(above & tops<Halfword>)) & 0x007F007F) ^ sign;
  }
};

/// \tparam Lanes  WordLanes, or a struct with the same functions
///
/// Semantics as GenericVectors<1>. Flags are words like registers: all bits of a lane, or none.
template <class Lanes>
struct WordVectors {
  using Offers = offer::List<offer::NonzeroLanes, offer::FlagsFromBits, offer::ScaledDifference>;
  static_assert(std::endian::native == std::endian::little, "neuromorph: the first lane is the lowest of a word");
  using Word = std::uint32_t;
  static constexpr std::size_t bytes = 16;
  template <class Element>
  static constexpr std::size_t lanes = bytes / sizeof(Element);

  template <class Element>
  struct Register {
    Word word[4];
  };
  template <class Width>
  struct Flags {
    Word word[4];
  };
  template <class Element>
  using FlagsOf = Flags<UnsignedLane<Element>>;

  template <class Element>
  [[nodiscard]] static Register<Element> load(const Element* from) noexcept {
    Register<Element> a;
    const auto* const aligned = static_cast<const Element*>(__builtin_assume_aligned(from, 16));
    __builtin_memcpy(&a.word[0], aligned, 4);
    __builtin_memcpy(&a.word[1], aligned + 4 / sizeof(Element), 4);
    __builtin_memcpy(&a.word[2], aligned + 8 / sizeof(Element), 4);
    __builtin_memcpy(&a.word[3], aligned + 12 / sizeof(Element), 4);
    return a;
  }
  template <class Element>
  static void store(Element* to, const Register<Element>& a) noexcept {
    auto* const aligned = static_cast<Element*>(__builtin_assume_aligned(to, 16));
    __builtin_memcpy(aligned, &a.word[0], 4);
    __builtin_memcpy(aligned + 4 / sizeof(Element), &a.word[1], 4);
    __builtin_memcpy(aligned + 8 / sizeof(Element), &a.word[2], 4);
    __builtin_memcpy(aligned + 12 / sizeof(Element), &a.word[3], 4);
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> splat(Element value) noexcept {
    const Word word = WordLanes::in_each<Element>(static_cast<UnsignedLane<Element>>(value));
    return {{word, word, word, word}};
  }
  template <class To, class From>
  [[nodiscard]] static constexpr Register<To> cast(const Register<From>& a) noexcept {
    return {{a.word[0], a.word[1], a.word[2], a.word[3]}};
  }

  // --- lane by lane ------------------------------------------------------------------------------------------------

  template <class Element>
  [[nodiscard]] static constexpr Register<Element> add(const Register<Element>& a,
                                                       const Register<Element>& b) noexcept {
    return each<Register<Element>>(a, b, [](Word x, Word y) { return Lanes::template add<Element>(x, y); });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> subtract(const Register<Element>& a,
                                                            const Register<Element>& b) noexcept {
    return each<Register<Element>>(a, b, [](Word x, Word y) { return Lanes::template subtract<Element>(x, y); });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> add_saturating(const Register<Element>& a,
                                                                  const Register<Element>& b) noexcept {
    return each<Register<Element>>(a, b, [](Word x, Word y) { return Lanes::template add_saturating<Element>(x, y); });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> subtract_saturating(const Register<Element>& a,
                                                                       const Register<Element>& b) noexcept {
    return each<Register<Element>>(a, b,
                                   [](Word x, Word y) { return Lanes::template subtract_saturating<Element>(x, y); });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> multiply(const Register<Element>& a,
                                                            const Register<Element>& b) noexcept {
    return each<Register<Element>>(a, b, [](Word x, Word y) { return Lanes::template multiply<Element>(x, y); });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> multiply_high(const Register<Element>& a,
                                                                 const Register<Element>& b) noexcept {
    return each<Register<Element>>(a, b, [](Word x, Word y) { return Lanes::template multiply_high<Element>(x, y); });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element>
  multiply_fractional(const Register<Element>& a,
                      const Register<Element>& b) noexcept requires std::is_signed_v<Element> {
    return each<Register<Element>>(a, b,
                                   [](Word x, Word y) { return Lanes::template multiply_fractional<Element>(x, y); });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element>(min)(const Register<Element>& a,
                                                        const Register<Element>& b) noexcept {
    return each<Register<Element>>(a, b, [](Word x, Word y) { return (Lanes::template min<Element>)(x, y); });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element>(max)(const Register<Element>& a,
                                                        const Register<Element>& b) noexcept {
    return each<Register<Element>>(a, b, [](Word x, Word y) { return (Lanes::template max<Element>)(x, y); });
  }
  /// round(factor (a - b) / 2^Shift) for kernels/plasticity/rules/scaled_difference.hpp, which also says what fits.
  template <unsigned Shift, bool Away>
  [[nodiscard]] static constexpr Register<std::int8_t>
  scaled_difference(const Register<std::uint8_t>& a, const Register<std::uint8_t>& b, std::int16_t factor,
                    const Register<std::uint8_t>& offset) noexcept {
    const auto halves = [](int number) { return WordLanes::in_each<std::int16_t>(static_cast<std::uint16_t>(number)); };
    const Word by = halves(factor), minus = halves(-factor);
    const auto word = [&](std::size_t i) {
      return Lanes::template scaled_difference<Shift, Away>(a.word[i], b.word[i], by, minus, offset.word[i]);
    };
    return {{word(0), word(1), word(2), word(3)}};
  }
  /// Words are shifted, and what came from another lane is masked; a sign is put in as a number of its own.
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> shift_left(const Register<Element>& a, unsigned amount) noexcept {
    const Word kept = WordLanes::in_each<Element>(static_cast<UnsignedLane<Element>>(all_bits<Element> << amount));
    return each<Register<Element>>(a, a, [&](Word x, Word) { return x << amount & kept; });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> shift_right(const Register<Element>& a, unsigned amount) noexcept {
    const Word kept = WordLanes::in_each<Element>(all_bits<Element> >> amount);
    return each<Register<Element>>(a, a, [&](Word x, Word) {
      const Word shifted = x >> amount & kept;
      if constexpr (std::is_unsigned_v<Element>) return shifted;
      const Word sign = x & WordLanes::tops<Element>;
      return shifted | (sign - (sign >> amount)) << 1;
    });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> bit_and(const Register<Element>& a,
                                                           const Register<Element>& b) noexcept {
    return each<Register<Element>>(a, b, [](Word x, Word y) { return x & y; });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> bit_or(const Register<Element>& a,
                                                          const Register<Element>& b) noexcept {
    return each<Register<Element>>(a, b, [](Word x, Word y) { return x | y; });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> bit_xor(const Register<Element>& a,
                                                           const Register<Element>& b) noexcept {
    return each<Register<Element>>(a, b, [](Word x, Word y) { return x ^ y; });
  }

  // --- widths ------------------------------------------------------------------------------------------------------

  template <class Element>
  [[nodiscard]] static constexpr Register<DoubleLane<Element>> unpack_low(const Register<Element>& a) noexcept {
    return joined<Register<DoubleLane<Element>>>(Lanes::template unpack<Element>(a.word[0]),
                                                 Lanes::template unpack<Element>(a.word[1]));
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<DoubleLane<Element>> unpack_high(const Register<Element>& a) noexcept {
    return joined<Register<DoubleLane<Element>>>(Lanes::template unpack<Element>(a.word[2]),
                                                 Lanes::template unpack<Element>(a.word[3]));
  }
  template <class Element, class From>
  [[nodiscard]] static constexpr Register<Element> pack(const Register<From>& low,
                                                        const Register<From>& high) noexcept {
    return {{Lanes::pack(low.word[0], low.word[1]), Lanes::pack(low.word[2], low.word[3]),
             Lanes::pack(high.word[0], high.word[1]), Lanes::pack(high.word[2], high.word[3])}};
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> pack_saturating(const Register<std::int16_t>& low,
                                                                   const Register<std::int16_t>& high) noexcept {
    return {{Lanes::template pack_saturating<Element>(low.word[0], low.word[1]),
             Lanes::template pack_saturating<Element>(low.word[2], low.word[3]),
             Lanes::template pack_saturating<Element>(high.word[0], high.word[1]),
             Lanes::template pack_saturating<Element>(high.word[2], high.word[3])}};
  }

  // --- truth values ------------------------------------------------------------------------------------------------

  template <class Element>
  [[nodiscard]] static constexpr FlagsOf<Element> equal(const Register<Element>& a,
                                                        const Register<Element>& b) noexcept {
    return each<FlagsOf<Element>>(a, b, [](Word x, Word y) { return Lanes::template equal<Element>(x, y); });
  }
  template <class Element>
  [[nodiscard]] static constexpr FlagsOf<Element> less(const Register<Element>& a,
                                                       const Register<Element>& b) noexcept {
    return each<FlagsOf<Element>>(a, b, [](Word x, Word y) { return Lanes::template less<Element>(x, y); });
  }
  template <class Width>
  [[nodiscard]] static constexpr Flags<Width> nonzero(const Register<Width>& a) noexcept {
    return each<Flags<Width>>(a, a, [](Word x, Word) { return Lanes::template nonzero<Width>(x); });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> select(const FlagsOf<Element>& flag,
                                                          const Register<Element>& when_true,
                                                          const Register<Element>& when_false) noexcept {
    return {{Lanes::select(flag.word[0], when_true.word[0], when_false.word[0]),
             Lanes::select(flag.word[1], when_true.word[1], when_false.word[1]),
             Lanes::select(flag.word[2], when_true.word[2], when_false.word[2]),
             Lanes::select(flag.word[3], when_true.word[3], when_false.word[3])}};
  }
  template <class Width>
  [[nodiscard]] static constexpr Flags<Width> both(const Flags<Width>& a, const Flags<Width>& b) noexcept {
    return each<Flags<Width>>(a, b, [](Word x, Word y) { return x & y; });
  }
  template <class Width>
  [[nodiscard]] static constexpr Flags<Width> either(const Flags<Width>& a, const Flags<Width>& b) noexcept {
    return each<Flags<Width>>(a, b, [](Word x, Word y) { return x | y; });
  }
  template <class Width>
  [[nodiscard]] static constexpr Flags<Width> negate(const Flags<Width>& a) noexcept {
    return each<Flags<Width>>(a, a, [](Word x, Word) { return ~x; });
  }
  [[nodiscard]] static constexpr Flags<std::uint16_t> unpack_low(const Flags<std::uint8_t>& a) noexcept {
    return joined<Flags<std::uint16_t>>(Lanes::unpack_flags(a.word[0]), Lanes::unpack_flags(a.word[1]));
  }
  [[nodiscard]] static constexpr Flags<std::uint16_t> unpack_high(const Flags<std::uint8_t>& a) noexcept {
    return joined<Flags<std::uint16_t>>(Lanes::unpack_flags(a.word[2]), Lanes::unpack_flags(a.word[3]));
  }
  /// Four bits as a word of four bytes, from a table: half of what a product and its mask cost on small cores.
  [[nodiscard]] static constexpr Flags<std::uint8_t> from_bits(std::uint64_t bits) noexcept {
    const auto low = static_cast<Word>(bits);
    return {{of_bits[low & 15], of_bits[low >> 4 & 15], of_bits[low >> 8 & 15], of_bits[low >> 12 & 15]}};
  }
  /// A bit of its own from each lane, and these moved together.
  template <class Width>
  [[nodiscard]] static constexpr std::uint64_t bits(const Flags<Width>& a) noexcept {
    if constexpr (sizeof(Width) == 1) {
      Word low = (a.word[0] & 0x08040201U) | (a.word[1] & 0x80402010U);
      Word high = (a.word[2] & 0x08040201U) | (a.word[3] & 0x80402010U);
      low |= low >> 16;
      high |= high >> 16;
      return ((low | low >> 8) & 0xFF) | ((high | high >> 8) & 0xFF) << 8;
    } else {
      const Word all =
          (a.word[0] & 0x00020001U) | (a.word[1] & 0x00080004U) | (a.word[2] & 0x00200010U) | (a.word[3] & 0x00800040U);
      return (all | all >> 16) & 0xFF;
    }
  }
  template <class Width>
  [[nodiscard]] static constexpr bool any(const Flags<Width>& a) noexcept {
    return (a.word[0] | a.word[1] | a.word[2] | a.word[3]) != 0;
  }
  template <class Width>
  [[nodiscard]] static constexpr Register<Width> to_lanes(const Flags<Width>& a) noexcept {
    return {{a.word[0], a.word[1], a.word[2], a.word[3]}};
  }
  template <class Width>
  [[nodiscard]] static constexpr Flags<Width> from_lanes(const Register<Width>& a) noexcept {
    return {{a.word[0], a.word[1], a.word[2], a.word[3]}};
  }

private:
  static constexpr Word of_bits[16] = {0x00000000, 0x000000FF, 0x0000FF00, 0x0000FFFF, 0x00FF0000, 0x00FF00FF,
                                       0x00FFFF00, 0x00FFFFFF, 0xFF000000, 0xFF0000FF, 0xFF00FF00, 0xFF00FFFF,
                                       0xFFFF0000, 0xFFFF00FF, 0xFFFFFF00, 0xFFFFFFFF};
  template <class Element>
  static constexpr Word all_bits = static_cast<UnsignedLane<Element>>(-1);

  // Written out: the compiler keeps four variables in registers, but not always an array that a loop runs over.
  template <class Result, class Operand, class Operation>
  [[gnu::always_inline]] static constexpr Result each(const Operand& a, const Operand& b,
                                                      Operation operation) noexcept {
    return {{operation(a.word[0], b.word[0]), operation(a.word[1], b.word[1]), operation(a.word[2], b.word[2]),
             operation(a.word[3], b.word[3])}};
  }
  template <class Result>
  [[nodiscard]] static constexpr Result joined(WordLanes::Pair low, WordLanes::Pair high) noexcept {
    return {{low.low, low.high, high.low, high.high}};
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
