// SPDX-License-Identifier: BSL-1.0
/// \file
/// What compilers' vector types express of one vector of 128 bits; a backend adds what only its intrinsics do.
// not in the umbrella: a base for backends, which include it
#ifndef NEUROMORPH_TARGET_COMPILER_REGISTERS_HPP
#define NEUROMORPH_TARGET_COMPILER_REGISTERS_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/target/generic_vectors.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// One by one, because GCC 12 loses a vector_size that depends on a parameter.
template <class Element>
struct RegisterOf;
template <>
struct RegisterOf<std::uint8_t> {
  typedef std::uint8_t Type __attribute__((vector_size(16)));
};
template <>
struct RegisterOf<std::int8_t> {
  typedef std::int8_t Type __attribute__((vector_size(16)));
};
template <>
struct RegisterOf<std::uint16_t> {
  typedef std::uint16_t Type __attribute__((vector_size(16)));
};
template <>
struct RegisterOf<std::int16_t> {
  typedef std::int16_t Type __attribute__((vector_size(16)));
};

/// Semantics as GenericVectors<1>, lane by lane. Flags are a vector: all bits of a lane, or none. On a little-endian
/// machine: a big-endian one hides `cast`.
struct CompilerRegisters {
  using Offers = offer::List<offer::NonzeroLanes>;
  static constexpr std::size_t bytes = 16;
  template <class Element>
  static constexpr std::size_t lanes = bytes / sizeof(Element);

  template <class Element>
  using Register = typename RegisterOf<Element>::Type;
  template <class Width>
  using Flags = Register<Width>;
  template <class Element>
  using FlagsOf = Flags<UnsignedLane<Element>>;

  template <class Element>
  [[nodiscard]] static Register<Element> load(const Element* from) noexcept {
    Register<Element> read;
    __builtin_memcpy(&read, __builtin_assume_aligned(from, 16), 16);
    return read;
  }
  template <class Element>
  static void store(Element* to, const Register<Element>& a) noexcept {
    __builtin_memcpy(__builtin_assume_aligned(to, 16), &a, 16);
  }
  template <class Element>
  [[nodiscard]] static Register<Element> splat(Element value) noexcept {
    return value - Register<Element>{};
  }
  template <class To, class From>
  [[nodiscard]] static Register<To> cast(const Register<From>& a) noexcept {
    return (Register<To>)a;
  }

  // --- arithmetic: on unsigned lanes, which wrap -------------------------------------------------------------------

  template <class Element>
  [[nodiscard]] static Register<Element> add(const Register<Element>& a, const Register<Element>& b) noexcept {
    return (Register<Element>)((FlagsOf<Element>)a + (FlagsOf<Element>)b);
  }
  template <class Element>
  [[nodiscard]] static Register<Element> subtract(const Register<Element>& a, const Register<Element>& b) noexcept {
    return (Register<Element>)((FlagsOf<Element>)a - (FlagsOf<Element>)b);
  }
  template <class Element>
  [[nodiscard]] static Register<Element> multiply(const Register<Element>& a, const Register<Element>& b) noexcept {
    return (Register<Element>)((FlagsOf<Element>)a * (FlagsOf<Element>)b);
  }
  template <class Element>
  [[nodiscard]] static Register<Element>(min)(const Register<Element>& a, const Register<Element>& b) noexcept {
    return a < b ? a : b;
  }
  template <class Element>
  [[nodiscard]] static Register<Element>(max)(const Register<Element>& a, const Register<Element>& b) noexcept {
    return a < b ? b : a;
  }
  template <class Element>
  [[nodiscard]] static Register<Element> shift_left(const Register<Element>& a, unsigned amount) noexcept {
    return (Register<Element>)((FlagsOf<Element>)a << splat(static_cast<UnsignedLane<Element>>(amount)));
  }
  template <class Element>
  [[nodiscard]] static Register<Element> shift_right(const Register<Element>& a, unsigned amount) noexcept {
    return a >> splat(static_cast<Element>(amount));
  }
  template <class Element>
  [[nodiscard]] static Register<Element> bit_and(const Register<Element>& a, const Register<Element>& b) noexcept {
    return a & b;
  }
  template <class Element>
  [[nodiscard]] static Register<Element> bit_or(const Register<Element>& a, const Register<Element>& b) noexcept {
    return a | b;
  }
  template <class Element>
  [[nodiscard]] static Register<Element> bit_xor(const Register<Element>& a, const Register<Element>& b) noexcept {
    return a ^ b;
  }

  // --- truth values ------------------------------------------------------------------------------------------------

  template <class Element>
  [[nodiscard]] static FlagsOf<Element> equal(const Register<Element>& a, const Register<Element>& b) noexcept {
    return (FlagsOf<Element>)(a == b);
  }
  template <class Element>
  [[nodiscard]] static FlagsOf<Element> less(const Register<Element>& a, const Register<Element>& b) noexcept {
    return (FlagsOf<Element>)(a < b);
  }
  template <class Width>
  [[nodiscard]] static Flags<Width> nonzero(const Register<Width>& a) noexcept {
    return (Flags<Width>)(a != Register<Width>{});
  }
  template <class Element>
  [[nodiscard]] static Register<Element> select(const FlagsOf<Element>& flag, const Register<Element>& when_true,
                                                const Register<Element>& when_false) noexcept {
    const auto bits = (Register<Element>)flag;
    return (when_true & bits) | (when_false & ~bits);
  }
  template <class Width>
  [[nodiscard]] static Flags<Width> both(const Flags<Width>& a, const Flags<Width>& b) noexcept {
    return a & b;
  }
  template <class Width>
  [[nodiscard]] static Flags<Width> either(const Flags<Width>& a, const Flags<Width>& b) noexcept {
    return a | b;
  }
  template <class Width>
  [[nodiscard]] static Flags<Width> negate(const Flags<Width>& a) noexcept {
    return ~a;
  }
  template <class Width>
  [[nodiscard]] static Register<Width> to_lanes(const Flags<Width>& a) noexcept {
    return a;
  }
  template <class Width>
  [[nodiscard]] static Flags<Width> from_lanes(const Register<Width>& a) noexcept {
    return a;
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
