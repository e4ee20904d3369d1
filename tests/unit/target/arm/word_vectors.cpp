// SPDX-License-Identifier: BSL-1.0
// Vectors in words against their definition. The ARM backends replace many of these operations, so that
// tests/target/vectors.cpp does not see them.
#include <neuromorph/target/arm/word_vectors.hpp>

#include <array>
#include <cstdint>
#include <type_traits>

#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;
using target::UnsignedLane;

namespace {

using Words = target::WordVectors<target::WordLanes>;
using Defined = target::GenericVectors<1>;

template <class Element>
using Array = std::array<Element, 16 / sizeof(Element)>;

int differing = 0;

/// What `operation` makes of two vectors.
template <class Machine, class Result, class Element, class Operation>
Array<Result> made(const Array<Element>& a, const Array<Element>& b, Operation operation) {
  alignas(16) Array<Element> x = a, y = b;
  alignas(16) Array<Result> result{};
  Machine::template store<Result>(result.data(),
                                  operation.template operator()<Machine>(Machine::template load<Element>(x.data()),
                                                                         Machine::template load<Element>(y.data())));
  return result;
}

template <class Result, class Element, class Operation>
void compare(const char* name, const Array<Element>& a, const Array<Element>& b, Operation operation) {
  const auto expected = made<Defined, Result>(a, b, operation), found = made<Words, Result>(a, b, operation);
  if (found == expected || ++differing > 20) return; // an assertion for each would take most of the time
  INFO(name << " of a " << +a[0] << ".. and b " << +b[0] << "..");
  CHECK(found == expected);
}

template <class Element>
void compare_all(const Array<Element>& a, const Array<Element>& b, unsigned amount) {
  using Unsigned = UnsignedLane<Element>;
#define COMPARE(operation)                                                                                             \
  compare<Element>(#operation, a, b, []<class Machine>(const auto& x, const auto& y) {                                 \
    return (Machine::template operation<Element>)(x, y);                                                               \
  })
  COMPARE(add);
  COMPARE(subtract);
  COMPARE(add_saturating);
  COMPARE(subtract_saturating);
  COMPARE(multiply);
  COMPARE(multiply_high);
  COMPARE(min);
  COMPARE(max);
  if constexpr (std::is_signed_v<Element>) COMPARE(multiply_fractional);
#undef COMPARE
  compare<Element>("shift_left", a, b, [&]<class Machine>(const auto& x, const auto&) {
    return Machine::template shift_left<Element>(x, amount);
  });
  compare<Element>("shift_right", a, b, [&]<class Machine>(const auto& x, const auto&) {
    return Machine::template shift_right<Element>(x, amount);
  });
  compare<Unsigned>("equal", a, b, []<class Machine>(const auto& x, const auto& y) {
    return Machine::template to_lanes<Unsigned>(Machine::template equal<Element>(x, y));
  });
  compare<Unsigned>("less", a, b, []<class Machine>(const auto& x, const auto& y) {
    return Machine::template to_lanes<Unsigned>(Machine::template less<Element>(x, y));
  });
  if constexpr (std::is_unsigned_v<Element>)
    compare<Element>("nonzero", a, b, []<class Machine>(const auto& x, const auto& y) {
      const auto common = Machine::template bit_and<Element>(x, y);
      if constexpr (requires { Machine::template nonzero<Element>(common); })
        return Machine::template to_lanes<Element>(Machine::template nonzero<Element>(common));
      else
        return Machine::template to_lanes<Element>(Machine::template negate<Element>(
            Machine::template equal<Element>(common, Machine::template splat<Element>(0))));
    });
  compare<Element>("select", a, b, []<class Machine>(const auto& x, const auto& y) {
    return Machine::template select<Element>(Machine::template less<Element>(y, x), x, y);
  });
  compare<std::uint16_t>("bits", a, b, []<class Machine>(const auto& x, const auto& y) {
    const auto flags = Machine::template less<Element>(x, y);
    return Machine::template splat<std::uint16_t>(static_cast<std::uint16_t>(
        Machine::template bits<Unsigned>(flags) ^ (Machine::template any<Unsigned>(flags) ? 0xFFFFU : 0U)));
  });
  if constexpr (sizeof(Element) == 1) {
    using Double = target::DoubleLane<Element>;
    compare<Double>("unpack_low", a, b,
                    []<class Machine>(const auto& x, const auto&) { return Machine::template unpack_low<Element>(x); });
    compare<Double>("unpack_high", a, b, []<class Machine>(const auto& x, const auto&) {
      return Machine::template unpack_high<Element>(x);
    });
    compare<std::uint16_t>("unpack of flags", a, b, []<class Machine>(const auto& x, const auto& y) {
      const auto flags = Machine::template less<Element>(x, y);
      return Machine::template to_lanes<std::uint16_t>(
          Machine::template either<std::uint16_t>(Machine::unpack_low(flags), Machine::unpack_high(flags)));
    });
  } else {
    compare<std::int8_t>("pack", a, b, []<class Machine>(const auto& x, const auto& y) {
      return Machine::template pack<std::int8_t, Element>(x, y);
    });
    if constexpr (std::is_signed_v<Element>) {
      compare<std::int8_t>("pack_saturating", a, b, []<class Machine>(const auto& x, const auto& y) {
        return Machine::template pack_saturating<std::int8_t>(x, y);
      });
      compare<std::uint8_t>("pack_saturating, unsigned", a, b, []<class Machine>(const auto& x, const auto& y) {
        return Machine::template pack_saturating<std::uint8_t>(x, y);
      });
    }
  }
}

} // namespace

TEMPLATE_TEST_CASE("word_vectors: all pairs of bytes", "[target][word_vectors]", std::uint8_t, std::int8_t) {
  Array<TestType> a{}, b{};
  for (std::uint32_t pair = 0; pair < 65536; pair += 16) {
    for (std::uint32_t lane = 0; lane < 16; ++lane) {
      // next to each lane another in which a sum carries, and one in which it does not
      a[lane] = static_cast<TestType>((pair + 13 * lane) % 65536 >> 8);
      b[lane] = static_cast<TestType>(pair + 13 * lane);
    }
    compare_all<TestType>(a, b, pair / 16 % 8);
  }
  CHECK(differing == 0);
}

TEMPLATE_TEST_CASE("word_vectors: edges and random pairs of halfwords", "[target][word_vectors]", std::uint16_t,
                   std::int16_t) {
  constexpr std::array<std::uint16_t, 20> edges{0,      1,      0x7F,   0x80,   0x81,   0xFF,   0x100,
                                                0x7F00, 0x7F7F, 0x7F80, 0x7FFE, 0x7FFF, 0x8000, 0x8001,
                                                0x80FF, 0xFF00, 0xFF7F, 0xFF80, 0xFFFE, 0xFFFF};
  Sfc32 random(StreamId{.seed = 1});
  Array<TestType> a{}, b{};
  for (std::uint32_t turn = 0; turn < 20000; ++turn) {
    for (std::uint32_t lane = 0; lane < 8; ++lane) {
      const std::uint32_t word = random.next(), pair = turn * 8 + lane;
      a[lane] = static_cast<TestType>(turn < 400 || word % 8 == 0 ? edges[pair % 20] : word);
      b[lane] = static_cast<TestType>(turn < 400 || word % 8 == 1 ? edges[pair / 20 % 20] : word >> 16);
    }
    compare_all<TestType>(a, b, turn % 16);
  }
  CHECK(differing == 0);
}
