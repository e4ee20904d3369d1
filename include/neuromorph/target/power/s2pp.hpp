// SPDX-License-Identifier: BSL-1.0
/// \file
/// S2PP as DLSv2 has it, the prototype of BrainScaleS-2, through any assembler for PowerPC. HX, the chip in use, has vectors
/// of 128 bytes: target/power/s2pp_hx.hpp.
// requires: -D__S2PP__ (powerpc)
//
// Most instructions move data: a masked constant update takes 62 of them (docs/target.md), the paper's write 4.
//
// No current compiler knows the unit. So vectors live in memory, and an operation is one statement of assembly that
// loads its operands, works on them, stores the result and waits for the store. The words are computed by
// target/power/s2pp_instructions.hpp; only the general registers of addresses are filled in by the assembler. No
// statement relies on what another left in the unit. The compiler must not use the unit itself.
#ifndef NEUROMORPH_TARGET_POWER_S2PP_HPP
#define NEUROMORPH_TARGET_POWER_S2PP_HPP

#if !defined(__S2PP__) || !defined(__PPC__) || !defined(__BIG_ENDIAN__)
#error "neuromorph/target/power/s2pp.hpp needs a plasticity processor: -D__S2PP__ and big-endian PowerPC"
#endif

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/target/generic.hpp>
#include <neuromorph/target/generic_vectors.hpp>
#include <neuromorph/target/power/s2pp_instructions.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// One vector of 128 bits, that is a unit of one slice. docs/target.md lists what each operation is made of.
struct S2ppVectors : GenericVectors<1> {
  using Offers = offer::List<offer::NonzeroLanes, offer::MultiplyAdd, offer::MultiplyAddFractional, offer::Clamp>;
  // --- memory ------------------------------------------------------------------------------------------------------

  template <class Element>
  [[nodiscard]] static constexpr Register<Element> splat(Element value) noexcept {
    if (std::is_constant_evaluated()) return Lanes::splat(value);
    Register<Element> result;
    asm(".long %c[splat] | %[value] << 16\n\t"
        ".long %c[save] | %[to] << 11\n\t"
        "sync"
        : "=m"(result)
        : [splat] "n"(word<Element>(Operation::splath, Operation::splatb, result_, 0)), [save] "n"(save_word),
          [value] "r"(static_cast<std::uint32_t>(static_cast<UnsignedLane<Element>>(value))), [to] "r"(&result));
    return result;
  }
  /// The machine's halfword has its upper byte first.
  template <class To, class From>
  [[nodiscard]] static constexpr Register<To> cast(const Register<From>& a) noexcept {
    if (std::is_constant_evaluated() || sizeof(To) == sizeof(From)) return Lanes::template cast<To, From>(a);
    using Half = std::uint16_t;
    return run<Register<To>, Half, 0, shift_word<Half>(t_, a_, 8), shift_word<Half>(u_, a_, -8),
               add_word<Half>(result_, t_, u_)>(0, 0, a);
  }

  // --- arithmetic --------------------------------------------------------------------------------------------------

  template <class Element>
  [[nodiscard]] static constexpr Register<Element> add(const Register<Element>& a,
                                                       const Register<Element>& b) noexcept {
    if (std::is_constant_evaluated()) return Lanes::template add<Element>(a, b);
    return run<Register<Element>, Element, 0, add_word<Element>(result_, a_, b_)>(0, 0, a, b);
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> subtract(const Register<Element>& a,
                                                            const Register<Element>& b) noexcept {
    if (std::is_constant_evaluated()) return Lanes::template subtract<Element>(a, b);
    return run<Register<Element>, Element, 0, subtract_word<Element>(result_, a_, b_)>(0, 0, a, b);
  }
  /// Unsigned: with the order of signed lanes, b in three parts that are no negative numbers.
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> add_saturating(const Register<Element>& a,
                                                                  const Register<Element>& b) noexcept {
    if (std::is_constant_evaluated()) return Lanes::template add_saturating<Element>(a, b);
    if constexpr (std::is_signed_v<Element>) {
      return run<Register<Element>, Element, 0, add_held_word<Element>(result_, a_, b_)>(0, 0, a, b);
    } else {
      return run<Register<Element>, Element, 1, add_word<Element>(a_, a_, x_), shift_word<Element>(t_, b_, -1),
                 subtract_word<Element>(b_, b_, t_), subtract_word<Element>(b_, b_, t_),
                 add_held_word<Element>(a_, a_, t_), add_held_word<Element>(a_, a_, t_),
                 add_held_word<Element>(a_, a_, b_), add_word<Element>(result_, a_, x_)>(top<Element>, 0, a, b);
    }
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> subtract_saturating(const Register<Element>& a,
                                                                       const Register<Element>& b) noexcept {
    if (std::is_constant_evaluated()) return Lanes::template subtract_saturating<Element>(a, b);
    if constexpr (std::is_signed_v<Element>) {
      return run<Register<Element>, Element, 0, subtract_held_word<Element>(result_, a_, b_)>(0, 0, a, b);
    } else {
      return run<Register<Element>, Element, 1, add_word<Element>(a_, a_, x_), shift_word<Element>(t_, b_, -1),
                 subtract_word<Element>(b_, b_, t_), subtract_word<Element>(b_, b_, t_),
                 subtract_held_word<Element>(a_, a_, t_), subtract_held_word<Element>(a_, a_, t_),
                 subtract_held_word<Element>(a_, a_, b_), add_word<Element>(result_, a_, x_)>(top<Element>, 0, a, b);
    }
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> multiply(const Register<Element>& a,
                                                            const Register<Element>& b) noexcept {
    if (std::is_constant_evaluated()) return Lanes::template multiply<Element>(a, b);
    return run<Register<Element>, Element, 0, product_word<Element>(result_, a_, b_)>(0, 0, a, b);
  }
  /// The product in the accumulator, of which a fractional sum with 0 takes the upper half. Unsigned: b more where a is
  /// negative as a signed lane, a more where b is.
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> multiply_high(const Register<Element>& a,
                                                                 const Register<Element>& b) noexcept {
    if (std::is_constant_evaluated()) return Lanes::template multiply_high<Element>(a, b);
    constexpr std::uint32_t to_accumulator = word<Element>(Operation::multachm, Operation::multacbm, 0, a_, b_);
    constexpr std::uint32_t upper = word<Element>(Operation::addachfs, Operation::addacbfs, result_, t_);
    if constexpr (std::is_signed_v<Element>) {
      return run<Register<Element>, Element, 0, to_accumulator, zero_word(t_), upper>(0, 0, a, b);
    } else {
      return run<Register<Element>, Element, 0, to_accumulator, zero_word(t_), upper, compare_word<Element>(a_),
                 add_word<Element>(result_, result_, b_, Condition::less), compare_word<Element>(b_),
                 add_word<Element>(result_, result_, a_, Condition::less)>(0, 0, a, b);
    }
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element>
  multiply_fractional(const Register<Element>& a,
                      const Register<Element>& b) noexcept requires std::is_signed_v<Element> {
    if (std::is_constant_evaluated()) return Lanes::template multiply_fractional<Element>(a, b);
    return run<Register<Element>, Element, 0, fraction_word<Element>(result_, a_, b_)>(0, 0, a, b);
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element>(min)(const Register<Element>& a,
                                                        const Register<Element>& b) noexcept {
    if (std::is_constant_evaluated()) return (Lanes::template min<Element>)(a, b);
    return compared<Element, select_word(result_, Condition::less, a_, b_)>(a, b);
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element>(max)(const Register<Element>& a,
                                                        const Register<Element>& b) noexcept {
    if (std::is_constant_evaluated()) return (Lanes::template max<Element>)(a, b);
    return compared<Element, select_word(result_, Condition::less, b_, a_)>(a, b);
  }
  /// One SH where the compiler knows the amount, else a product.
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element> shift_left(const Register<Element>& a,
                                                                                  unsigned amount) noexcept {
    if (std::is_constant_evaluated()) return Lanes::template shift_left<Element>(a, amount);
    if (__builtin_constant_p(amount)) return shift_by<1, Element>(a, amount);
    return run<Register<Element>, Element, 1, product_word<Element>(result_, a_, x_)>(1U << amount, 0, a);
  }
  /// Signed: a fractional product. Unsigned: SH where the compiler knows the amount, else that product, and where a is
  /// negative as a signed lane what its sign left out.
  template <class Element>
  [[nodiscard, gnu::always_inline]] static constexpr Register<Element> shift_right(const Register<Element>& a,
                                                                                   unsigned amount) noexcept {
    if (std::is_constant_evaluated()) return Lanes::template shift_right<Element>(a, amount);
    if (amount == 0) return a;
    const std::uint32_t factor = top<Element> >> amount;
    if constexpr (std::is_signed_v<Element>) {
      return run<Register<Element>, Element, 1, fraction_word<Element>(result_, a_, x_)>(factor, 0, a);
    } else {
      if (__builtin_constant_p(amount)) return shift_by<-1, Element>(a, amount);
      return run<Register<Element>, Element, 2, fraction_word<Element>(result_, a_, x_), compare_word<Element>(a_),
                 add_word<Element>(result_, result_, y_, Condition::less)>(factor, 2 * factor, a);
    }
  }
  // The unit has no operations on bits: words in general registers.
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> bit_and(const Register<Element>& a,
                                                           const Register<Element>& b) noexcept {
    return by_words(a, b, [](std::uint32_t left, std::uint32_t right) { return left & right; });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> bit_or(const Register<Element>& a,
                                                          const Register<Element>& b) noexcept {
    return by_words(a, b, [](std::uint32_t left, std::uint32_t right) { return left | right; });
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> bit_xor(const Register<Element>& a,
                                                           const Register<Element>& b) noexcept {
    return by_words(a, b, [](std::uint32_t left, std::uint32_t right) { return left ^ right; });
  }

  // --- several at once ---------------------------------------------------------------------------------------------

  /// a + b c
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> multiply_add(const Register<Element>& a, const Register<Element>& b,
                                                                const Register<Element>& c) noexcept {
    if (std::is_constant_evaluated()) return Lanes::template add<Element>(a, Lanes::template multiply<Element>(b, c));
    return run<Register<Element>, Element, 0, word<Element>(Operation::mtach, Operation::mtacb, 0, a_),
               word<Element>(Operation::mahm, Operation::mabm, result_, b_, c_)>(0, 0, a, b, c);
  }
  /// a + b c of fractions, held. The accumulator holds a in its upper half, so that one rounding and one bound are
  /// left.
  template <class Element>
  [[nodiscard]] static constexpr Register<Element>
  multiply_add_fractional(const Register<Element>& a, const Register<Element>& b,
                          const Register<Element>& c) noexcept requires std::is_signed_v<Element> {
    if (std::is_constant_evaluated())
      return Lanes::template add_saturating<Element>(a, Lanes::template multiply_fractional<Element>(b, c));
    return run<Register<Element>, Element, 0, word<Element>(Operation::mtachf, Operation::mtacbf, 0, a_),
               word<Element>(Operation::mahfs, Operation::mabfs, result_, b_, c_)>(0, 0, a, b, c);
  }
  /// At least `least`, then at most `most`.
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> clamp(const Register<Element>& a, const Register<Element>& least,
                                                         const Register<Element>& most) noexcept {
    if (std::is_constant_evaluated())
      return (Lanes::template min<Element>)((Lanes::template max<Element>)(a, least), most);
    if constexpr (std::is_signed_v<Element>) {
      return run<Register<Element>, Element, 0, subtract_held_word<Element>(t_, a_, b_), compare_word<Element>(t_),
                 select_word(a_, Condition::less, b_, a_), subtract_held_word<Element>(t_, a_, c_),
                 compare_word<Element>(t_), select_word(result_, Condition::greater, c_, a_)>(0, 0, a, least, most);
    } else {
      return run<Register<Element>, Element, 1, add_word<Element>(a_, a_, x_), add_word<Element>(b_, b_, x_),
                 add_word<Element>(c_, c_, x_), subtract_held_word<Element>(t_, a_, b_), compare_word<Element>(t_),
                 select_word(a_, Condition::less, b_, a_), subtract_held_word<Element>(t_, a_, c_),
                 compare_word<Element>(t_), select_word(a_, Condition::greater, c_, a_),
                 add_word<Element>(result_, a_, x_)>(top<Element>, 0, a, least, most);
    }
  }

  // --- widths ------------------------------------------------------------------------------------------------------

  template <class Element>
  [[nodiscard]] static constexpr Register<DoubleLane<Element>> unpack_low(const Register<Element>& a) noexcept
      requires(sizeof(Element) == 1) {
    if (std::is_constant_evaluated()) return Lanes::template unpack_low<Element>(a);
    return unpacked<Element, Operation::upckbl>(a);
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<DoubleLane<Element>> unpack_high(const Register<Element>& a) noexcept
      requires(sizeof(Element) == 1) {
    if (std::is_constant_evaluated()) return Lanes::template unpack_high<Element>(a);
    return unpacked<Element, Operation::upckbr>(a);
  }
  template <class Element, class From>
  [[nodiscard]] static constexpr Register<Element> pack(const Register<From>& low, const Register<From>& high) noexcept
      requires(sizeof(Element) == 1 && sizeof(From) == 2) {
    if (std::is_constant_evaluated()) return Lanes::template pack<Element, From>(low, high);
    return run<Register<Element>, From, 0, s2pp_word(Operation::pckbl, result_, a_, b_)>(0, 0, low, high);
  }
  /// Held by sums that the ends of the halfword's range hold; unsigned, negative numbers become 0 before.
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> pack_saturating(const Register<std::int16_t>& low,
                                                                   const Register<std::int16_t>& high) noexcept
      requires(sizeof(Element) == 1) {
    if (std::is_constant_evaluated()) return Lanes::template pack_saturating<Element>(low, high);
    using Half = std::int16_t;
    constexpr std::uint32_t packed = s2pp_word(Operation::pckbl, result_, a_, b_);
    if constexpr (std::is_signed_v<Element>) {
      return run<Register<Element>, Half, 1, add_held_word<Half>(a_, a_, x_), subtract_held_word<Half>(a_, a_, x_),
                 subtract_held_word<Half>(a_, a_, x_), add_word<Half>(a_, a_, x_), add_held_word<Half>(b_, b_, x_),
                 subtract_held_word<Half>(b_, b_, x_), subtract_held_word<Half>(b_, b_, x_), add_word<Half>(b_, b_, x_),
                 packed>(32767 - 127, 0, low, high);
    } else {
      return run<Register<Element>, Half, 1, compare_word<Half>(a_), subtract_word<Half>(a_, a_, a_, Condition::less),
                 add_held_word<Half>(a_, a_, x_), subtract_word<Half>(a_, a_, x_), compare_word<Half>(b_),
                 subtract_word<Half>(b_, b_, b_, Condition::less), add_held_word<Half>(b_, b_, x_),
                 subtract_word<Half>(b_, b_, x_), packed>(32767 - 255, 0, low, high);
    }
  }

  // --- truth values: all bits of a lane, which is less than 0 as a signed one ----------------------------------------

  template <class Element>
  [[nodiscard]] static constexpr FlagsOf<Element> equal(const Register<Element>& a,
                                                        const Register<Element>& b) noexcept {
    if (std::is_constant_evaluated()) return Lanes::template equal<Element>(a, b);
    return run<FlagsOf<Element>, Element, 1, zero_word(u_), subtract_word<Element>(t_, a_, b_),
               compare_word<Element>(t_), select_word(result_, Condition::equal, x_, u_)>(ones, 0, a, b);
  }
  template <class Element>
  [[nodiscard]] static constexpr FlagsOf<Element> less(const Register<Element>& a,
                                                       const Register<Element>& b) noexcept {
    if (std::is_constant_evaluated()) return Lanes::template less<Element>(a, b);
    if constexpr (std::is_signed_v<Element>)
      return run<FlagsOf<Element>, Element, 1, zero_word(u_), subtract_held_word<Element>(t_, a_, b_),
                 compare_word<Element>(t_), select_word(result_, Condition::less, x_, u_)>(ones, 0, a, b);
    else
      return run<FlagsOf<Element>, Element, 2, add_word<Element>(t_, a_, x_), add_word<Element>(u_, b_, x_),
                 subtract_held_word<Element>(t_, t_, u_), compare_word<Element>(t_), zero_word(u_),
                 select_word(result_, Condition::less, y_, u_)>(top<Element>, ones, a, b);
  }
  /// Set where a lane is not 0, 0x80 to 0xFF included, which the unit's comparison takes for negative.
  template <class Element>
  [[nodiscard]] static constexpr FlagsOf<Element> nonzero(const Register<Element>& a) noexcept {
    if (std::is_constant_evaluated())
      return Lanes::template negate<UnsignedLane<Element>>(
          Lanes::template equal<Element>(a, Lanes::template splat<Element>(0)));
    return run<FlagsOf<Element>, Element, 1, zero_word(u_), compare_word<Element>(a_),
               select_word(result_, Condition::equal, u_, x_)>(ones, 0, a);
  }
  template <class Element>
  [[nodiscard]] static constexpr Register<Element> select(const FlagsOf<Element>& flag,
                                                          const Register<Element>& when_true,
                                                          const Register<Element>& when_false) noexcept {
    if (std::is_constant_evaluated()) return Lanes::template select<Element>(flag, when_true, when_false);
    return run<Register<Element>, Element, 0, compare_word<Element>(a_), select_word(result_, Condition::less, b_, c_)>(
        0, 0, flag, when_true, when_false);
  }
  template <class Width>
  [[nodiscard]] static constexpr Flags<Width> both(const Flags<Width>& a, const Flags<Width>& b) noexcept {
    if (std::is_constant_evaluated()) return Lanes::template both<Width>(a, b);
    return run<Flags<Width>, Width, 0, compare_word<Width>(a_), select_word(result_, Condition::less, b_, a_)>(0, 0, a,
                                                                                                               b);
  }
  template <class Width>
  [[nodiscard]] static constexpr Flags<Width> either(const Flags<Width>& a, const Flags<Width>& b) noexcept {
    if (std::is_constant_evaluated()) return Lanes::template either<Width>(a, b);
    return run<Flags<Width>, Width, 0, compare_word<Width>(a_), select_word(result_, Condition::less, a_, b_)>(0, 0, a,
                                                                                                               b);
  }
  template <class Width>
  [[nodiscard]] static constexpr Flags<Width> negate(const Flags<Width>& a) noexcept {
    if (std::is_constant_evaluated()) return Lanes::template negate<Width>(a);
    return run<Flags<Width>, Width, 1, subtract_word<Width>(result_, x_, a_)>(ones, 0, a);
  }
  [[nodiscard]] static constexpr Flags<std::uint16_t> unpack_low(const Flags<std::uint8_t>& a) noexcept {
    if (std::is_constant_evaluated()) return Lanes::unpack_low(a);
    return run<Flags<std::uint16_t>, std::uint8_t, 0, s2pp_word(Operation::upckbl, result_, a_, a_)>(0, 0, a);
  }
  [[nodiscard]] static constexpr Flags<std::uint16_t> unpack_high(const Flags<std::uint8_t>& a) noexcept {
    if (std::is_constant_evaluated()) return Lanes::unpack_high(a);
    return run<Flags<std::uint16_t>, std::uint8_t, 0, s2pp_word(Operation::upckbr, result_, a_, a_)>(0, 0, a);
  }
  // In general registers: no word of the unit moves anything there.
  template <class Width>
  [[nodiscard]] static constexpr std::uint64_t bits(const Flags<Width>& a) noexcept {
    const Words words = std::bit_cast<Words>(a);
    const auto four = [](std::uint32_t word) { return (word & 0x01020408) * 0x01010101 >> 24; };
    const auto two = [](std::uint32_t word) { return (word >> 16 & 1) | (word & 2); };
    if constexpr (sizeof(Width) == 1)
      return four(words[0]) | four(words[1]) << 4 | four(words[2]) << 8 | four(words[3]) << 12;
    else
      return two(words[0]) | two(words[1]) << 2 | two(words[2]) << 4 | two(words[3]) << 6;
  }
  template <class Width>
  [[nodiscard]] static constexpr bool any(const Flags<Width>& a) noexcept {
    const Words words = std::bit_cast<Words>(a);
    return (words[0] | words[1] | words[2] | words[3]) != 0;
  }

  // --- the synapse array: a space of vectors, apart from memory ------------------------------------------------------

  /// The vector at `base` + `index`.
  template <class Element>
  [[nodiscard]] static Register<Element> read_vector(std::uint32_t base, std::uint32_t index) noexcept {
    Register<Element> result;
    asm volatile(".long %c[in] | %[base] << 16 | %[index] << 11\n\t"
                 ".long %c[save] | %[to] << 11\n\t"
                 "sync"
                 : "=m"(result)
                 : [in] "n"(s2pp_word(Operation::inx, result_, 0, 0)), [save] "n"(save_word), [base] "b"(base),
                   [index] "r"(index), [to] "r"(&result));
    return result;
  }
  template <class Element>
  static void write_vector(std::uint32_t base, std::uint32_t index, const Register<Element>& a) noexcept {
    asm volatile(".long %c[load] | %[a] << 11\n\t"
                 ".long %c[out] | %[base] << 16 | %[index] << 11\n\t"
                 "sync"
                 :
                 : [load] "n"(load_word), [out] "n"(s2pp_word(Operation::outx, a_, 0, 0)), [base] "b"(base),
                   [index] "r"(index), [a] "r"(&a), "m"(a));
  }
  /// Only lanes whose flag is set; nothing is read.
  template <class Element>
  static void write_vector(std::uint32_t base, std::uint32_t index, const Register<Element>& a,
                           const FlagsOf<Element>& flags) noexcept {
    asm volatile(".long %c[load] | %[a] << 11\n\t"
                 ".long %c[load] | 1 << 21 | %[flags] << 11\n\t"
                 ".long %c[compare]\n\t"
                 ".long %c[out] | %[base] << 16 | %[index] << 11\n\t"
                 "sync"
                 :
                 : [load] "n"(load_word), [compare] "n"(compare_word<Element>(b_)),
                   [out] "n"(s2pp_word(Operation::outx, a_, 0, 0, Condition::less)), [base] "b"(base),
                   [index] "r"(index), [a] "r"(&a), [flags] "r"(&flags), "m"(a), "m"(flags));
  }

private:
  using Lanes = GenericVectors<1>;
  using Operation = S2ppOperation;
  using Condition = S2ppCondition;
  /// Vector registers: operands, splatted numbers, result, and two more.
  static constexpr int a_ = 0, b_ = 1, c_ = 2, x_ = 3, y_ = 4, result_ = 5, t_ = 6, u_ = 7;

  /// The operation for the width of an element.
  template <class Element>
  static constexpr std::uint32_t word(Operation of_halfwords, Operation of_bytes, int rt, int ra, int rb = 0,
                                      Condition condition = Condition::always) noexcept {
    return s2pp_word(sizeof(Element) == 2 ? of_halfwords : of_bytes, rt, ra, rb, condition);
  }
  template <class Element>
  static constexpr std::uint32_t add_word(int rt, int ra, int rb, Condition condition = Condition::always) noexcept {
    return word<Element>(Operation::addhm, Operation::addbm, rt, ra, rb, condition);
  }
  template <class Element>
  static constexpr std::uint32_t subtract_word(int rt, int ra, int rb,
                                               Condition condition = Condition::always) noexcept {
    return word<Element>(Operation::subhm, Operation::subbm, rt, ra, rb, condition);
  }
  template <class Element>
  static constexpr std::uint32_t add_held_word(int rt, int ra, int rb) noexcept {
    return word<Element>(Operation::addhfs, Operation::addbfs, rt, ra, rb);
  }
  template <class Element>
  static constexpr std::uint32_t subtract_held_word(int rt, int ra, int rb) noexcept {
    return word<Element>(Operation::subhfs, Operation::subbfs, rt, ra, rb);
  }
  template <class Element>
  static constexpr std::uint32_t fraction_word(int rt, int ra, int rb) noexcept {
    return word<Element>(Operation::mulhfs, Operation::mulbfs, rt, ra, rb);
  }
  template <class Element>
  static constexpr std::uint32_t compare_word(int ra) noexcept {
    return word<Element>(Operation::cmph, Operation::cmpb, 0, ra);
  }
  template <class Element>
  static constexpr std::uint32_t shift_word(int rt, int ra, int amount) noexcept {
    return word<Element>(Operation::shh, Operation::shb, rt, ra, amount);
  }
  /// `when_true` where the condition holds.
  static constexpr std::uint32_t select_word(int rt, Condition condition, int when_true, int when_false) noexcept {
    return s2pp_word(Operation::sel, rt, when_false, when_true, condition);
  }
  template <class Element>
  static constexpr std::uint32_t product_word(int rt, int ra, int rb) noexcept {
    return word<Element>(Operation::mulhm, Operation::mulbm, rt, ra, rb);
  }
  static constexpr std::uint32_t zero_word(int rt) noexcept { return s2pp_word(Operation::subhm, rt, rt, rt); }

  static constexpr std::uint32_t load_word = s2pp_word(Operation::lax, a_, 0);
  static constexpr std::uint32_t save_word = s2pp_word(Operation::stax, result_, 0);
  /// All bits of a lane.
  static constexpr std::uint32_t ones = 0xFFFFFFFF;
  /// The lowest number of a signed lane; added, it turns the order of unsigned lanes into that of signed ones.
  template <class Element>
  static constexpr std::uint32_t top = 1U << (8 * sizeof(Element) - 1);
  using Words = std::array<std::uint32_t, 4>;

  /// For an operand that is not used: something that is in a register already.
  static std::uint32_t in_register(const void* address) noexcept {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(address));
  }

  /// Splats `x` and `y`, loads a, b and c, executes the words that are not 0, stores the result.
  ///
  /// \tparam Element  width of the splats
  /// \tparam Inputs   how many of a, b, c; then `Splats` of x, y
  template <class Element, unsigned Inputs, unsigned Splats, std::uint32_t Word0, std::uint32_t Word1 = 0,
            std::uint32_t Word2 = 0, std::uint32_t Word3 = 0, std::uint32_t Word4 = 0, std::uint32_t Word5 = 0,
            std::uint32_t Word6 = 0, std::uint32_t Word7 = 0, std::uint32_t Word8 = 0, std::uint32_t Word9 = 0,
            std::uint32_t Word10 = 0, std::uint32_t Word11 = 0, class Result, class First, class Second, class Third>
  [[gnu::always_inline]] static void execute(Result& result, const First& a, const Second& b, const Third& c,
                                             std::uint32_t x, std::uint32_t y) noexcept {
    // The conditional lines leave one statement for all: the assembler's, not the preprocessor's.
    asm(".if %c[inputs] > 0\n\t"
        ".long %c[load] | %[a] << 11\n\t"
        ".endif\n\t"
        ".if %c[inputs] > 1\n\t"
        ".long %c[load] | 1 << 21 | %[b] << 11\n\t"
        ".endif\n\t"
        ".if %c[inputs] > 2\n\t"
        ".long %c[load] | 2 << 21 | %[c] << 11\n\t"
        ".endif\n\t"
        ".if %c[splats] > 0\n\t"
        ".long %c[splat] | 3 << 21 | %[x] << 16\n\t"
        ".endif\n\t"
        ".if %c[splats] > 1\n\t"
        ".long %c[splat] | 4 << 21 | %[y] << 16\n\t"
        ".endif\n\t"
        ".irp word, %c[w0], %c[w1], %c[w2], %c[w3], %c[w4], %c[w5], %c[w6], %c[w7], %c[w8], %c[w9], %c[w10], "
        "%c[w11]\n\t"
        ".if \\word\n\t"
        ".long \\word\n\t"
        ".endif\n\t"
        ".endr\n\t"
        ".long %c[save] | %[result] << 11\n\t"
        "sync"
        : "=m"(result)
        : [load] "n"(load_word), [save] "n"(save_word),
          [splat] "n"(word<Element>(Operation::splath, Operation::splatb, 0, 0)), [inputs] "n"(Inputs),
          [splats] "n"(Splats), [w0] "n"(Word0), [w1] "n"(Word1), [w2] "n"(Word2), [w3] "n"(Word3), [w4] "n"(Word4),
          [w5] "n"(Word5), [w6] "n"(Word6), [w7] "n"(Word7), [w8] "n"(Word8), [w9] "n"(Word9), [w10] "n"(Word10),
          [w11] "n"(Word11), [result] "r"(&result), [a] "r"(&a), [b] "r"(&b), [c] "r"(&c),
          [x] "r"(Splats > 0 ? x : in_register(&a)), [y] "r"(Splats > 1 ? y : in_register(&a)), "m"(a), "m"(b), "m"(c));
  }

  template <class Result, class Element, unsigned Splats, std::uint32_t... Program, class First>
  [[gnu::always_inline]] static Result run(std::uint32_t x, std::uint32_t y, const First& a) noexcept {
    Result result;
    execute<Element, 1, Splats, Program...>(result, a, a, a, x, y);
    return result;
  }
  template <class Result, class Element, unsigned Splats, std::uint32_t... Program, class First, class Second>
  [[gnu::always_inline]] static Result run(std::uint32_t x, std::uint32_t y, const First& a, const Second& b) noexcept {
    Result result;
    execute<Element, 2, Splats, Program...>(result, a, b, a, x, y);
    return result;
  }
  template <class Result, class Element, unsigned Splats, std::uint32_t... Program, class First, class Second,
            class Third>
  [[gnu::always_inline]] static Result run(std::uint32_t x, std::uint32_t y, const First& a, const Second& b,
                                           const Third& c) noexcept {
    Result result;
    execute<Element, 3, Splats, Program...>(result, a, b, c, x, y);
    return result;
  }

  /// The lanes of a or b that a selection takes after a comparison. A difference that is held has the right sign.
  template <class Element, std::uint32_t Selection>
  [[gnu::always_inline]] static Register<Element> compared(const Register<Element>& a,
                                                           const Register<Element>& b) noexcept {
    if constexpr (std::is_signed_v<Element>)
      return run<Register<Element>, Element, 0, subtract_held_word<Element>(t_, a_, b_), compare_word<Element>(t_),
                 Selection>(0, 0, a, b);
    else
      return run<Register<Element>, Element, 1, add_word<Element>(t_, a_, x_), add_word<Element>(u_, b_, x_),
                 subtract_held_word<Element>(t_, t_, u_), compare_word<Element>(t_), Selection>(top<Element>, 0, a, b);
  }

  /// Signed: with a below, that is 256 times too large, times 2^-8 as a fraction.
  template <class Element, S2ppOperation Unpack>
  [[gnu::always_inline]] static Register<DoubleLane<Element>> unpacked(const Register<Element>& a) noexcept {
    using Wide = DoubleLane<Element>;
    if constexpr (std::is_signed_v<Element>)
      return run<Register<Wide>, Wide, 1, s2pp_word(Unpack, t_, a_, a_), fraction_word<Wide>(result_, t_, x_)>(128, 0,
                                                                                                               a);
    else
      return run<Register<Wide>, Wide, 0, zero_word(t_), s2pp_word(Unpack, result_, t_, a_)>(0, 0, a);
  }

  /// Of an amount known to the compiler, which keeps one case.
  template <int Sign, class Element>
  [[gnu::always_inline]] static Register<Element> shift_by(const Register<Element>& a, unsigned amount) noexcept {
    switch (amount) {
    case 1: return shifted<Element, 1 * Sign>(a);
    case 2: return shifted<Element, 2 * Sign>(a);
    case 3: return shifted<Element, 3 * Sign>(a);
    case 4: return shifted<Element, 4 * Sign>(a);
    case 5: return shifted<Element, 5 * Sign>(a);
    case 6: return shifted<Element, 6 * Sign>(a);
    case 7: return shifted<Element, 7 * Sign>(a);
    case 8: return shifted<Element, 8 * Sign>(a);
    case 9: return shifted<Element, 9 * Sign>(a);
    case 10: return shifted<Element, 10 * Sign>(a);
    case 11: return shifted<Element, 11 * Sign>(a);
    case 12: return shifted<Element, 12 * Sign>(a);
    case 13: return shifted<Element, 13 * Sign>(a);
    case 14: return shifted<Element, 14 * Sign>(a);
    case 15: return shifted<Element, 15 * Sign>(a);
    default: return a;
    }
  }
  template <class Element, int Amount>
  [[gnu::always_inline]] static Register<Element> shifted(const Register<Element>& a) noexcept {
    return run<Register<Element>, Element, 0, shift_word<Element>(result_, a_, Amount)>(0, 0, a);
  }

  template <class Element, class Operator>
  static constexpr Register<Element> by_words(const Register<Element>& a, const Register<Element>& b,
                                              Operator apply) noexcept {
    const Words left = std::bit_cast<Words>(a), right = std::bit_cast<Words>(b);
    return std::bit_cast<Register<Element>>(
        Words{apply(left[0], right[0]), apply(left[1], right[1]), apply(left[2], right[2]), apply(left[3], right[3])});
  }
};

/// Its lanes are Generic's.
struct S2pp : Generic {
  template <std::size_t Count>
  using Vectors = std::conditional_t<Count == 1, S2ppVectors, GenericVectors<Count>>;
};
static_assert(VectorBackend<S2pp>);

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
