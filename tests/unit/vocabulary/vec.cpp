// SPDX-License-Identifier: BSL-1.0
// Each operation on vectors against integers wide enough to be exact, lane by lane: all pairs of bytes and edges and
// random pairs of halfwords. tests/target/vectors.cpp compares backends; this is about what Generic defines.
#include <array>
#include <cstdint>
#include <type_traits>

#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/vec.hpp>

#include "tests/support/catch.hpp"

namespace {

using neuromorph::LaneFlags;
using neuromorph::Sfc32;
using neuromorph::Vec;
using neuromorph::target::Generic;

template <class Element>
using Lanes = Vec<Element, Generic>;
template <class Element>
using Array = typename Lanes<Element>::Array;
using Wide = std::int64_t;

// --- the arithmetic that the operations promise, in integers that hold every result ----------------------------------

template <class Element>
constexpr Wide two_to_bits = Wide{1} << 8 * sizeof(Element);
template <class Element>
constexpr Wide least = std::is_signed_v<Element> ? -two_to_bits<Element> / 2 : 0;
template <class Element>
constexpr Wide most = least<Element> + two_to_bits<Element> - 1;

/// The one number of the element's range that differs from `value` by a multiple of 2^bits.
template <class Element>
constexpr Wide modulo(Wide value) {
  const Wide from_least = (value - least<Element>) % two_to_bits<Element>;
  return least<Element> + (from_least < 0 ? from_least + two_to_bits<Element> : from_least);
}
template <class Element>
constexpr Wide held(Wide value) {
  return value < least<Element> ? least<Element> : value > most<Element> ? most<Element> : value;
}
constexpr Wide floor_divided(Wide value, Wide by) { return value / by - (value % by < 0 ? 1 : 0); }
constexpr Wide power(unsigned amount) { return amount == 0 ? 1 : 2 * power(amount - 1); }

// --- all pairs ------------------------------------------------------------------------------------------------------

/// Calls `visit(a, b)` with lanes of operands: all pairs of bytes, or edges and random pairs of halfwords.
template <class Element, class Visit>
void for_pairs(Visit visit) {
  constexpr std::size_t lanes = Lanes<Element>::lanes;
  Array<Element> a{}, b{};
  std::size_t lane = 0;
  const auto pair = [&](Wide x, Wide y) {
    a[lane] = static_cast<Element>(x);
    b[lane] = static_cast<Element>(y);
    if (++lane < lanes) return;
    lane = 0;
    visit(a, b);
  };
  if constexpr (sizeof(Element) == 1) {
    for (Wide x = least<Element>; x <= most<Element>; ++x)
      for (Wide y = least<Element>; y <= most<Element>; ++y) pair(x, y);
  } else {
    std::array<Wide, 24> edges{};
    std::size_t count = 0;
    for (const Wide centre : {Wide{0}, least<Element>, most<Element>, Wide{128}, Wide{255}, Wide{0x5555}})
      for (Wide distance = -2; distance < 2; ++distance) edges[count++] = modulo<Element>(centre + distance);
    for (const Wide x : edges)
      for (const Wide y : edges) pair(x, y);
    Sfc32 source;
    for (int turn = 0; turn < 100'000; ++turn) {
      const std::uint32_t word = source.next();
      pair(modulo<Element>(word), modulo<Element>(word >> 16));
    }
  }
  REQUIRE(lane == 0);
}

/// Requires of every pair and lane: `operation(a, b)` is `expected(x, y)`. Says which pair failed first.
template <class Element, class Operation, class Expected>
void require(Operation operation, Expected expected) {
  for_pairs<Element>([&](const Array<Element>& a, const Array<Element>& b) {
    const auto found = operation(Lanes<Element>(a), Lanes<Element>(b)).array();
    for (std::size_t lane = 0; lane < a.size(); ++lane)
      if (const Wide wanted = expected(Wide{a[lane]}, Wide{b[lane]}); Wide{found[lane]} != wanted) {
        INFO("lane " << lane << ", a " << Wide{a[lane]} << ", b " << Wide{b[lane]});
        REQUIRE(Wide{found[lane]} == wanted);
      }
  });
}
/// The same for truth values.
template <class Element, class Operation, class Expected>
void require_flags(Operation operation, Expected expected) {
  for_pairs<Element>([&](const Array<Element>& a, const Array<Element>& b) {
    const auto found = operation(Lanes<Element>(a), Lanes<Element>(b));
    std::uint64_t bits = 0;
    for (std::size_t lane = 0; lane < a.size(); ++lane)
      bits |= std::uint64_t{expected(Wide{a[lane]}, Wide{b[lane]})} << lane;
    if (found.bits() != bits) {
      INFO("first a " << Wide{a[0]} << ", b " << Wide{b[0]});
      REQUIRE(found.bits() == bits);
    }
  });
}

TEMPLATE_TEST_CASE("vec: sums and products are those of integers, modulo 2^bits", "[vocabulary][vec]", std::uint8_t,
                   std::int8_t, std::uint16_t, std::int16_t) {
  using Element = TestType;
  require<Element>([](auto a, auto b) { return a + b; }, [](Wide x, Wide y) { return modulo<Element>(x + y); });
  require<Element>([](auto a, auto b) { return a - b; }, [](Wide x, Wide y) { return modulo<Element>(x - y); });
  require<Element>([](auto a, auto) { return -a; }, [](Wide x, Wide) { return modulo<Element>(-x); });
  require<Element>([](auto a, auto b) { return a * b; }, [](Wide x, Wide y) { return modulo<Element>(x * y); });
  require<Element>([](auto a, auto b) { return multiply_add(b, a, b); },
                   [](Wide x, Wide y) { return modulo<Element>(y + x * y); });
}

TEMPLATE_TEST_CASE("vec: saturating sums are held at the ends of the range", "[vocabulary][vec]", std::uint8_t,
                   std::int8_t, std::uint16_t, std::int16_t) {
  using Element = TestType;
  require<Element>([](auto a, auto b) { return add_saturating(a, b); },
                   [](Wide x, Wide y) { return held<Element>(x + y); });
  require<Element>([](auto a, auto b) { return subtract_saturating(a, b); },
                   [](Wide x, Wide y) { return held<Element>(x - y); });
}

TEMPLATE_TEST_CASE("vec: the upper half of a product is its floor", "[vocabulary][vec]", std::uint8_t, std::int8_t,
                   std::uint16_t, std::int16_t) {
  using Element = TestType;
  require<Element>([](auto a, auto b) { return multiply_high(a, b); },
                   [](Wide x, Wide y) { return floor_divided(x * y, two_to_bits<Element>); });
}

TEMPLATE_TEST_CASE("vec: products of fractions are floored, and only -1 times -1 is held", "[vocabulary][vec]",
                   std::int8_t, std::int16_t) {
  using Element = TestType;
  constexpr Wide one = two_to_bits<Element> / 2;
  const auto product = [](Wide x, Wide y) { return x == -one && y == -one ? one - 1 : floor_divided(x * y, one); };
  require<Element>([](auto a, auto b) { return multiply_fractional(a, b); }, product);
  require<Element>([](auto a, auto b) { return multiply_add_fractional(a, a, b); },
                   [&](Wide x, Wide y) { return held<Element>(x + product(x, y)); });
}

TEMPLATE_TEST_CASE("vec: order, extremes and choice go by value", "[vocabulary][vec]", std::uint8_t, std::int8_t,
                   std::uint16_t, std::int16_t) {
  using Element = TestType;
  require<Element>([](auto a, auto b) { return (neuromorph::min)(a, b); },
                   [](Wide x, Wide y) { return x < y ? x : y; });
  require<Element>([](auto a, auto b) { return (neuromorph::max)(a, b); },
                   [](Wide x, Wide y) { return x > y ? x : y; });
  require<Element>([](auto a, auto b) { return clamp(a, b, Lanes<Element>(100)); },
                   [](Wide x, Wide y) { return (x > y ? x : y) < 100 ? (x > y ? x : y) : 100; });
  require_flags<Element>([](auto a, auto b) { return a == b; }, [](Wide x, Wide y) { return x == y; });
  require_flags<Element>([](auto a, auto b) { return a != b; }, [](Wide x, Wide y) { return x != y; });
  require_flags<Element>([](auto a, auto b) { return a < b; }, [](Wide x, Wide y) { return x < y; });
  require_flags<Element>([](auto a, auto b) { return a > b; }, [](Wide x, Wide y) { return x > y; });
  require_flags<Element>([](auto a, auto b) { return a <= b; }, [](Wide x, Wide y) { return x <= y; });
  require_flags<Element>([](auto a, auto b) { return a >= b; }, [](Wide x, Wide y) { return x >= y; });
  require<Element>([](auto a, auto b) { return select(a < b, b, a - b); },
                   [](Wide x, Wide y) { return x < y ? y : modulo<Element>(x - y); });
}

TEMPLATE_TEST_CASE("vec: bits are combined one by one", "[vocabulary][vec]", std::uint8_t, std::int8_t, std::uint16_t,
                   std::int16_t) {
  using Element = TestType;
  // digit by digit of the residue modulo 2^bits
  const auto digits = [](auto rule) {
    return [rule](Wide x, Wide y) {
      Wide result = 0;
      for (Wide place = 1; place < two_to_bits<Element>; place *= 2) {
        const bool one = floor_divided(x, place) % 2 != 0, other = floor_divided(y, place) % 2 != 0;
        result += rule(one, other) ? place : 0;
      }
      return modulo<Element>(result);
    };
  };
  require<Element>([](auto a, auto b) { return a & b; }, digits([](bool x, bool y) { return x && y; }));
  require<Element>([](auto a, auto b) { return a | b; }, digits([](bool x, bool y) { return x || y; }));
  require<Element>([](auto a, auto b) { return a ^ b; }, digits([](bool x, bool y) { return x != y; }));
  require<Element>([](auto a, auto) { return ~a; }, [](Wide x, Wide) { return modulo<Element>(-1 - x); });
}

TEMPLATE_TEST_CASE("vec: shifts are products with and floors of powers of two", "[vocabulary][vec]", std::uint8_t,
                   std::int8_t, std::uint16_t, std::int16_t) {
  using Element = TestType;
  for (unsigned amount = 0; amount < Lanes<Element>::bits; ++amount) {
    require<Element>([&](auto a, auto) { return a << amount; },
                     [&](Wide x, Wide) { return modulo<Element>(x * power(amount)); });
    require<Element>([&](auto a, auto) { return a >> amount; },
                     [&](Wide x, Wide) { return floor_divided(x, power(amount)); });
  }
}

TEMPLATE_TEST_CASE("vec: widths change without loss, modulo 2^8, or held", "[vocabulary][vec]", std::uint8_t,
                   std::int8_t) {
  using Element = TestType;
  using Half = typename decltype(unpack_low(Lanes<Element>()))::value_type;
  STATIC_REQUIRE(std::is_signed_v<Half> == std::is_signed_v<Element>);
  for_pairs<Element>([](const Array<Element>& a, const Array<Element>&) {
    const auto low = unpack_low(Lanes<Element>(a)), high = unpack_high(Lanes<Element>(a));
    for (std::size_t lane = 0; lane < 8; ++lane) {
      if (Wide{low[lane]} != Wide{a[lane]}) REQUIRE(Wide{low[lane]} == Wide{a[lane]});
      if (Wide{high[lane]} != Wide{a[lane + 8]}) REQUIRE(Wide{high[lane]} == Wide{a[lane + 8]});
    }
  });
  for_pairs<std::int16_t>([](const Array<std::int16_t>& a, const Array<std::int16_t>& b) {
    const Lanes<std::int16_t> low(a), high(b);
    const auto packed = neuromorph::pack<Element>(low, high).array();
    const auto of_unsigned =
        neuromorph::pack<Element>(low.template as<std::uint16_t>(), high.template as<std::uint16_t>()).array();
    const auto saturated = neuromorph::pack_saturating<Element>(low, high).array();
    for (std::size_t lane = 0; lane < 16; ++lane) {
      const Wide value = lane < 8 ? a[lane] : b[lane - 8];
      if (Wide{packed[lane]} != modulo<Element>(value)) REQUIRE(Wide{packed[lane]} == modulo<Element>(value));
      if (of_unsigned[lane] != packed[lane]) REQUIRE(of_unsigned[lane] == packed[lane]);
      if (Wide{saturated[lane]} != held<Element>(value)) REQUIRE(Wide{saturated[lane]} == held<Element>(value));
    }
  });
}

TEST_CASE("vec: other lanes of the same bits have the lower byte first", "[vocabulary][vec]") {
  for_pairs<std::uint8_t>([](const Array<std::uint8_t>& a, const Array<std::uint8_t>&) {
    const Lanes<std::uint8_t> bytes(a);
    const auto halves = bytes.as<std::uint16_t>();
    const auto signed_halves = bytes.as<std::int16_t>();
    const auto back = signed_halves.as<std::uint8_t>();
    for (std::size_t lane = 0; lane < 8; ++lane) {
      const Wide value = Wide{a[2 * lane]} + 256 * Wide{a[2 * lane + 1]};
      if (Wide{halves[lane]} != value) REQUIRE(Wide{halves[lane]} == value);
      const Wide negative = modulo<std::int16_t>(value);
      if (Wide{signed_halves[lane]} != negative) REQUIRE(Wide{signed_halves[lane]} == negative);
    }
    if (back.array() != a) REQUIRE(back.array() == a);
    const auto other_sign = bytes.as<std::int8_t>();
    for (std::size_t lane = 0; lane < 16; ++lane)
      if (Wide{other_sign[lane]} != modulo<std::int8_t>(a[lane]))
        REQUIRE(Wide{other_sign[lane]} == modulo<std::int8_t>(a[lane]));
  });
}

TEMPLATE_TEST_CASE("vec: the sum of all lanes does not overflow", "[vocabulary][vec]", std::uint8_t, std::int8_t,
                   std::uint16_t, std::int16_t) {
  using Element = TestType;
  CHECK(Lanes<Element>(static_cast<Element>(most<Element>)).sum() == Wide{Lanes<Element>::lanes} * most<Element>);
  CHECK(Lanes<Element>(static_cast<Element>(least<Element>)).sum() == Wide{Lanes<Element>::lanes} * least<Element>);
  Array<Element> values{};
  Wide total = 0;
  for (std::size_t lane = 0; lane < values.size(); ++lane) {
    values[lane] = static_cast<Element>(37 * lane * lane);
    total += values[lane];
  }
  CHECK(Lanes<Element>(values).sum() == total);
  for (std::size_t lane = 0; lane < values.size(); ++lane) CHECK(Lanes<Element>(values)[lane] == values[lane]);
}

// --- truth values ---------------------------------------------------------------------------------------------------

TEMPLATE_TEST_CASE("vec: flags are combined and counted as bits of a word, for all patterns", "[vocabulary][vec]",
                   std::uint8_t, std::uint16_t) {
  using Width = TestType;
  using Flags = LaneFlags<Width, Generic>;
  constexpr std::uint64_t patterns = std::uint64_t{1} << Flags::lanes, everything = patterns - 1;
  const auto flags_of = [](std::uint64_t pattern) {
    Array<Width> values{};
    for (std::size_t lane = 0; lane < values.size(); ++lane)
      values[lane] = (pattern >> lane) % 2 != 0 ? static_cast<Width>(lane * 16 + 1) : Width{0}; // any but zero
    return Flags::nonzero(Lanes<Width>(values));
  };
  for (std::uint64_t pattern = 0; pattern < patterns; ++pattern) {
    const std::uint64_t other = pattern * 0x9E37 >> 3 & everything;
    const Flags a = flags_of(pattern), b = flags_of(other);
    unsigned set = 0;
    bool flags_good = true, lanes_good = true;
    const auto lanes = a.to_lanes().array();
    for (std::size_t lane = 0; lane < Flags::lanes; ++lane) {
      const bool is_set = (pattern >> lane) % 2 != 0;
      set += is_set ? 1 : 0;
      flags_good = flags_good && a[lane] == is_set;
    }
    // GCC 12 -O2 gets both of these wrong in one loop.
    for (std::size_t lane = 0; lane < Flags::lanes; ++lane)
      lanes_good = lanes_good && Wide{lanes[lane]} == ((pattern >> lane) % 2 != 0 ? most<Width> : 0);
    const bool good = flags_good && lanes_good && a.bits() == pattern && a.count() == set &&
                      a.any() == (pattern != 0) && a.none() == (pattern == 0) && a.all() == (pattern == everything) &&
                      (a & b).bits() == (pattern & other) && (a | b).bits() == (pattern | other) &&
                      (!a).bits() == everything - pattern && (a == b) == (pattern == other) &&
                      Flags::from_lanes(a.to_lanes()) == a;
    if (!good) {
      INFO("pattern " << pattern);
      REQUIRE(good);
    }
    if constexpr (sizeof(Width) == 1) {
      const bool halves_good = unpack_low(a).bits() == pattern % 256 && unpack_high(a).bits() == pattern / 256;
      if (!halves_good) {
        INFO("pattern " << pattern);
        REQUIRE(halves_good);
      }
    }
  }
  CHECK(Flags().none());
  CHECK(Flags(true).all());
}

TEST_CASE("vec: every byte but zero enables a lane", "[vocabulary][vec]") {
  for (unsigned value = 0; value < 256; ++value)
    CHECK(LaneFlags<std::uint8_t, Generic>::nonzero(Lanes<std::uint8_t>(static_cast<std::uint8_t>(value))).all() ==
          (value != 0));
}

// --- chance ---------------------------------------------------------------------------------------------------------

TEMPLATE_TEST_CASE("vec: stochastic rounding goes up with the exact probability of the dropped fraction",
                   "[vocabulary][vec]", std::uint8_t, std::int8_t) {
  // every value with every random byte: of 256, as many go up as the fraction says, and none goes elsewhere
  using Element = TestType;
  for (unsigned amount = 0; amount < 8; ++amount)
    for (Wide value = least<Element>; value <= most<Element>; ++value) {
      const Wide floor = floor_divided(value, power(amount)), dropped = value - floor * power(amount);
      Wide up = 0, elsewhere = 0;
      for (unsigned first = 0; first < 256; first += 16) {
        Array<Element> random{};
        for (unsigned lane = 0; lane < 16; ++lane) random[lane] = static_cast<Element>(first + lane);
        const auto rounded =
            shift_right_stochastic(Lanes<Element>(static_cast<Element>(value)), amount, Lanes<Element>(random)).array();
        for (const Element result : rounded) {
          up += Wide{result} == floor + 1 ? 1 : 0;
          elsewhere += Wide{result} != floor + 1 && Wide{result} != floor ? 1 : 0;
        }
      }
      if (up * power(amount) != 256 * dropped || elsewhere != 0) {
        INFO("value " << value << ", amount " << amount);
        REQUIRE(up * power(amount) == 256 * dropped);
        REQUIRE(elsewhere == 0);
      }
    }
}

TEMPLATE_TEST_CASE("vec: the same of halfwords, for edges and every random number", "[vocabulary][vec]", std::uint16_t,
                   std::int16_t) {
  using Element = TestType;
  for (const unsigned amount : {0U, 1U, 7U, 8U, 11U, 15U})
    for (const Wide value :
         {least<Element>, least<Element> + 1, Wide{0}, Wide{1}, Wide{0x1234}, most<Element> - 1, most<Element>}) {
      const Wide floor = floor_divided(value, power(amount)), dropped = value - floor * power(amount);
      Wide up = 0, elsewhere = 0;
      for (unsigned first = 0; first < 65536; first += 8) {
        Array<Element> random{};
        for (unsigned lane = 0; lane < 8; ++lane) random[lane] = static_cast<Element>(first + lane);
        const auto rounded =
            shift_right_stochastic(Lanes<Element>(static_cast<Element>(value)), amount, Lanes<Element>(random)).array();
        for (const Element result : rounded) {
          up += Wide{result} == floor + 1 ? 1 : 0;
          elsewhere += Wide{result} != floor + 1 && Wide{result} != floor ? 1 : 0;
        }
      }
      INFO("value " << value << ", amount " << amount);
      REQUIRE(up * power(amount) == 65536 * dropped);
      REQUIRE(elsewhere == 0);
    }
}

TEST_CASE("vec: with random bits the mean of stochastic rounding is the value", "[vocabulary][vec]") {
  Sfc32 source(neuromorph::StreamId{.seed = 5});
  constexpr int turns = 20'000;
  for (const int value : {-32768, -1001, -3, 5, 777, 32767}) {
    Wide total = 0;
    for (int turn = 0; turn < turns; ++turn)
      total += shift_right_stochastic(Lanes<std::int16_t>(static_cast<std::int16_t>(value)), 6,
                                      Lanes<std::int16_t>::random(source))
                   .sum();
    // each result has at most variance 1/4: five standard deviations of the mean of 160000
    const double mean = static_cast<double>(total) / (8.0 * turns);
    INFO("value " << value);
    CHECK(mean == Approx(value / 64.0).margin(5 * 0.5 / 400));
  }
}

TEST_CASE("vec: random bits fill the lanes from the lowest", "[vocabulary][vec]") {
  struct Counting {
    std::uint32_t state = 0;
    constexpr std::uint32_t next() { return state += 0x04030201; }
  };
  Counting source;
  const auto bytes = Lanes<std::uint8_t>::random(source).array();
  CHECK(bytes == Array<std::uint8_t>{1, 2, 3, 4, 2, 4, 6, 8, 3, 6, 9, 12, 4, 8, 12, 16});
  CHECK(source.state == 4 * 0x04030201U);
  const auto halves = Lanes<std::uint16_t>::random(source).array();
  CHECK(halves == Array<std::uint16_t>{0x0A05, 0x140F, 0x0C06, 0x1812, 0x0E07, 0x1C15, 0x1008, 0x2018});
  source = {};
  const auto two = Vec<std::uint8_t, Generic, 2>::random(source).array();
  CHECK(two[16] == 5);
  CHECK(two[31] == 32);
  source = {};
  const auto negative = Lanes<std::int8_t>::random(source);
  CHECK(negative.as<std::uint8_t>().array() == bytes);
}

// --- several vectors, and constants
// -----------------------------------------------------------------------------------

TEMPLATE_TEST_CASE("vec: several vectors at once are as many single ones", "[vocabulary][vec]", std::uint8_t,
                   std::int8_t) {
  using Element = TestType;
  using Half = neuromorph::target::DoubleLane<Element>;
  using One = Lanes<Element>;
  using Two = Vec<Element, Generic, 2>;
  alignas(16) std::array<Element, 32> a{}, b{};
  alignas(16) std::array<Half, 16> found_half{}, expected_half{};
  alignas(16) std::array<Element, 32> found{}, expected{};
  Sfc32 source;
  for (int turn = 0; turn < 1000; ++turn) {
    for (std::size_t lane = 0; lane < 32; ++lane) {
      a[lane] = static_cast<Element>(source.next());
      b[lane] = static_cast<Element>(source.next());
    }
    const auto both = [&](auto operation) {
      operation(Two::load(a.data()), Two::load(b.data())).store(found.data());
      for (std::size_t at = 0; at < 32; at += 16) operation(One::load(&a[at]), One::load(&b[at])).store(&expected[at]);
      REQUIRE(found == expected);
    };
    both([](auto x, auto y) { return multiply_high(x, y); });
    both([](auto x, auto y) { return add_saturating(x, y); });
    both([](auto x, auto y) { return select(x < y, x, y) >> 3; });
    both([](auto x, auto y) { return neuromorph::pack<Element>(unpack_low(x) * unpack_high(y), unpack_high(x)); });
    // the low halves of both vectors
    unpack_low(Two::load(a.data())).store(found_half.data());
    for (std::size_t at = 0; at < 2; ++at) unpack_low(One::load(&a[16 * at])).store(&expected_half[8 * at]);
    REQUIRE(found_half == expected_half);
    const auto flags = Two::load(a.data()) < Two::load(b.data());
    REQUIRE(flags.bits() ==
            ((One::load(&a[0]) < One::load(&b[0])).bits() | (One::load(&a[16]) < One::load(&b[16])).bits() << 16));
    REQUIRE(unpack_high(flags).bits() == ((flags.bits() >> 8 & 0xFF) | (flags.bits() >> 24 & 0xFF) << 8));
  }
}

// A rule's arithmetic as a constant.
constexpr bool constants_are_right() {
  using Bytes = Lanes<std::uint8_t>;
  using Halves = Lanes<std::int16_t>;
  alignas(16) std::array<std::uint8_t, 16> weights{};
  for (std::size_t lane = 0; lane < 16; ++lane) weights[lane] = static_cast<std::uint8_t>(4 * lane);
  const auto weight = Bytes::load(weights.data());
  const auto change = Halves(-20);
  const auto low = unpack_low(weight).as<std::int16_t>() + change,
             high = unpack_high(weight).as<std::int16_t>() + change;
  const auto clamped =
      neuromorph::pack_saturating<std::uint8_t>(clamp(low, Halves(0), Halves(30)), clamp(high, Halves(0), Halves(30)));
  const auto enabled = !(weight == Bytes(16));
  select(enabled, clamped, weight).store(weights.data());
  bool good = weights[0] == 0 && weights[4] == 16 && weights[5] == 0 && weights[6] == 4 && weights[15] == 30;
  good = good && enabled.count() == 15 && !enabled[4] && enabled.bits() == 0xFFEF;
  good = good && multiply_fractional(Halves(-32768), Halves(-32768))[0] == 32767;
  good = good && multiply_high(Halves(-1), Halves(1)).sum() == -8;
  good = good && (Lanes<std::int8_t>(-128) >> 7)[3] == -1 && (Bytes(0x81) << 1)[15] == 2;
  good = good && Bytes(7).as<std::uint16_t>()[2] == 0x0707 && shift_right_stochastic(Bytes(255), 1, Bytes(1))[9] == 128;
  return good && (Bytes(1) < Bytes(2)).all() && (Bytes(2) <= Bytes(1)).none() && (Bytes(5) ^ Bytes(3))[1] == 6;
}
static_assert(constants_are_right());
static_assert(neuromorph::target::VectorBackend<neuromorph::target::Native>);
static_assert(neuromorph::target::VectorBackend<Generic, 2> && neuromorph::target::VectorBackend<Generic, 4>);
static_assert(sizeof(Lanes<std::uint8_t>) == 16 && alignof(Lanes<std::uint8_t>) == 16);
static_assert(Lanes<std::int16_t>::lanes == 8 && Vec<std::uint8_t, Generic, 4>::lanes == 64);

} // namespace
