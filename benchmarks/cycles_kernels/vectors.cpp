// SPDX-License-Identifier: BSL-1.0
// Vectors of bytes and halfwords: cycles per vector in a loop over arrays, with both loads, the store and the loop;
// `bit_and` shows what these take. `generic` is lane by lane, `words` what the compiler makes of word_vectors.hpp.
#include <array>
#include <cstdint>

#include <neuromorph/target/arm/word_vectors.hpp>
#include <neuromorph/target/generic_vectors.hpp>
#include <neuromorph/target/native.hpp>

#include "measure.hpp"

using neuromorph::target::Generic;
using neuromorph::target::Native;
using neuromorph::target::WordLanes;
using neuromorph::target::WordVectors;
using u8 = std::uint8_t;
using s8 = std::int8_t;
using u16 = std::uint16_t;
using s16 = std::int16_t;

namespace {

constexpr std::size_t count = 32; // vectors
alignas(16) std::array<std::uint32_t, 4 * count> first, second, result, expected;

template <class Element>
Element* as(std::array<std::uint32_t, 4 * count>& words) {
  return reinterpret_cast<Element*>(words.data());
}

template <class Machine, class Result, class Element, class Operation>
[[gnu::noinline]] void each(Result* to, const Element* a, const Element* b, Operation operation) {
  for (std::size_t vector = 0; vector < count; ++vector) {
    const auto made =
        operation.template operator()<Machine>(Machine::template load<Element>(a), Machine::template load<Element>(b));
    Machine::template store<Result>(to, made);
    a += Machine::template lanes<Element>;
    b += Machine::template lanes<Element>;
    to += Machine::template lanes<Result>;
  }
}

void prepare() {
  for (std::uint32_t at = 0; at < first.size(); ++at) {
    first[at] = at * 0x9E3779B9U + 0x7F80FF01U;
    second[at] = at % 5 == 0 ? first[at] ^ 0x00800001U : at * 0x85EBCA6BU + 0x80007FFFU;
  }
}

} // namespace

// The operation is an expression of a and b, vectors of `Element`, on `Machine`.
#define MEASURE_VECTOR(key, Element, Result, ...)                                                                      \
  do {                                                                                                                 \
    const auto operation = []<class Machine>(const auto& a, [[maybe_unused]] const auto& b) { return __VA_ARGS__; };   \
    MEASURE("vector." key ".generic", 32,                                                                              \
            each<Generic::Vectors<1>>(as<Result>(expected), as<Element>(first), as<Element>(second), operation));      \
    MEASURE("vector." key ".words", 32,                                                                                \
            each<WordVectors<WordLanes>>(as<Result>(result), as<Element>(first), as<Element>(second), operation));     \
    right = right && result == expected;                                                                               \
    result = {};                                                                                                       \
    MEASURE("vector." key, 32,                                                                                         \
            each<Native::Vectors<1>>(as<Result>(result), as<Element>(first), as<Element>(second), operation));         \
    right = right && result == expected;                                                                               \
  } while (false)

bool run() {
  prepare();
  bool right = true;
  MEASURE_VECTOR("bit_and.u8", u8, u8, Machine::template bit_and<u8>(a, b));
  MEASURE_VECTOR("add.u8", u8, u8, Machine::template add<u8>(a, b));
  MEASURE_VECTOR("add.s16", s16, s16, Machine::template add<s16>(a, b));
  MEASURE_VECTOR("add_saturating.u8", u8, u8, Machine::template add_saturating<u8>(a, b));
  MEASURE_VECTOR("add_saturating.s8", s8, s8, Machine::template add_saturating<s8>(a, b));
  MEASURE_VECTOR("add_saturating.s16", s16, s16, Machine::template add_saturating<s16>(a, b));
  MEASURE_VECTOR("subtract_saturating.u8", u8, u8, Machine::template subtract_saturating<u8>(a, b));
  MEASURE_VECTOR("multiply.u8", u8, u8, Machine::template multiply<u8>(a, b));
  MEASURE_VECTOR("multiply.s16", s16, s16, Machine::template multiply<s16>(a, b));
  MEASURE_VECTOR("multiply_high.u8", u8, u8, Machine::template multiply_high<u8>(a, b));
  MEASURE_VECTOR("multiply_fractional.s8", s8, s8, Machine::template multiply_fractional<s8>(a, b));
  MEASURE_VECTOR("multiply_fractional.s16", s16, s16, Machine::template multiply_fractional<s16>(a, b));
  MEASURE_VECTOR("min.u8", u8, u8, (Machine::template min<u8>)(a, b));
  MEASURE_VECTOR("max.s8", s8, s8, (Machine::template max<s8>)(a, b));
  MEASURE_VECTOR("shift_right.s8", s8, s8, Machine::template shift_right<s8>(a, 3));
  MEASURE_VECTOR("less.u8", u8, u8, Machine::template to_lanes<u8>(Machine::template less<u8>(a, b)));
  MEASURE_VECTOR("unpack_low.s8", s8, s16, Machine::template unpack_low<s8>(a));
  MEASURE_VECTOR("pack.s16", s16, s8, Machine::template pack<s8, s16>(a, b));
  MEASURE_VECTOR("pack_saturating.s8", s16, s8, Machine::template pack_saturating<s8>(a, b));
  MEASURE_VECTOR(
      "bits.u8", u8, u16,
      Machine::template splat<u16>(static_cast<u16>(Machine::template bits<u8>(Machine::template less<u8>(a, b)))));
  return right;
}
