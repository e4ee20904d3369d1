// SPDX-License-Identifier: BSL-1.0
// Fixed against exact rational arithmetic: each result is the exact sum, product or value as a fraction over
// a power of two, rounded by division with remainder and brought into range by comparison or by modulus.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

#include <neuromorph/fixed.hpp>

#include "tests/support/catch.hpp"

namespace {

using namespace neuromorph;
__extension__ typedef __int128 Wide;

constexpr std::uint64_t seed = 20240613;

struct Xorshift {
  std::uint64_t state = seed;
  std::uint32_t last = 0;
  std::uint64_t drawn = 0;

  constexpr std::uint32_t next() {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    ++drawn;
    return last = static_cast<std::uint32_t>((state * 0x2545F4914F6CDD1D) >> 32);
  }
};

// The exact reference

template <class Integer>
Integer floor_divide(Integer numerator, Integer denominator) {
  const Integer quotient = numerator / denominator;
  return quotient * denominator > numerator ? quotient - 1 : quotient;
}
template <class Integer>
[[gnu::noinline]] Integer power_of_two(int exponent) {
  Integer power = 1;
  for (int step = 0; step < exponent; ++step) power *= 2;
  return power;
}

enum class Round { down, nearest, offset };
enum class Hold { wrap, saturate };

template <class Rounding>
constexpr Round round_of = std::is_same_v<Rounding, rounding::Down>      ? Round::down
                           : std::is_same_v<Rounding, rounding::Nearest> ? Round::nearest
                                                                         : Round::offset;

/// numerator / denominator, rounded by the definition of each policy; `offset` is the number the source gave.
template <class Integer>
Integer exact_rounding(Round round, Integer numerator, Integer denominator, std::uint32_t offset) {
  if (round == Round::down) return floor_divide(numerator, denominator);
  if (round == Round::nearest) return floor_divide<Integer>(2 * numerator + denominator, 2 * denominator);
  const Integer one = power_of_two<Integer>(32);
  return floor_divide<Integer>(floor_divide<Integer>(numerator * one, denominator) + offset, one);
}

/// An operation in words: its name and its operands.
struct Call {
  const char* name;
  int operands = 0;
  std::int64_t raw[3] = {};
  int fraction_bits[3] = {};
};
template <class... Formats>
Call call(const char* name, Formats... operands) {
  return {name, sizeof...(operands), {static_cast<std::int64_t>(operands.raw())...}, {Formats::fraction_bits...}};
}

/// A result, and what decides whether it is right.
struct Outcome {
  Round round;
  Hold hold;
  bool counts;
  bool is_signed;
  int width;
  int fraction_bits;
  Wide raw;
  std::uint32_t counted;
  std::uint32_t offset;
};

/// The exact result is numerator / 2^fraction_bits. Not a template of formats and policies: compiled once.
template <class Integer>
[[gnu::noinline]] void judge(Integer numerator, int fraction_bits, const Outcome& outcome, const Call& call) {
  const int dropped = fraction_bits - outcome.fraction_bits;
  const Integer rounded = dropped > 0
                              ? exact_rounding(outcome.round, numerator, power_of_two<Integer>(dropped), outcome.offset)
                              : static_cast<Integer>(numerator * power_of_two<Integer>(-dropped));
  const Integer lowest = outcome.is_signed ? -power_of_two<Integer>(outcome.width - 1) : 0;
  const Integer highest = lowest + power_of_two<Integer>(outcome.width) - 1;
  Integer held = rounded;
  const bool outside = rounded < lowest || rounded > highest;
  if (outside && outcome.hold == Hold::saturate) held = rounded < lowest ? lowest : highest;
  if (outside && outcome.hold == Hold::wrap) {
    const Integer period = power_of_two<Integer>(outcome.width);
    held = rounded - period * floor_divide<Integer>(rounded - lowest, period);
  }
  const std::uint32_t counted = outside && outcome.counts ? 1 : 0;
  if (outcome.raw == static_cast<Wide>(held) && outcome.counted == counted) return;

  std::ostringstream text;
  text << call.name;
  for (int operand = 0; operand < call.operands; ++operand)
    text << ' ' << call.raw[operand] << " * 2^-" << call.fraction_bits[operand];
  FAIL(text.str() << " = " << static_cast<std::int64_t>(outcome.raw) << " instead of "
                  << static_cast<std::int64_t>(held) << "; " << outcome.counted << " saturations counted instead of "
                  << counted << "; result of " << outcome.width << " bits, " << outcome.fraction_bits
                  << " of them fraction; rounding " << static_cast<int>(outcome.round) << ", overflow "
                  << static_cast<int>(outcome.hold) << ", offset " << outcome.offset << ", seed " << seed);
}

/// Calls operations with a source and a counter, and compares with the reference.
template <class Result, class Integer = Wide>
struct Checker {
  using Rep = typename Result::Representation;
  using Rounding = typename Result::RoundingPolicy;
  using Overflow = typename Result::OverflowPolicy;

  template <class Operation>
  void operator()(Integer numerator, int fraction_bits, Operation operation, const Call& call) {
    overflow::Counter counter;
    Result result;
    std::uint32_t offset = 0;
    if constexpr (std::is_same_v<Rounding, rounding::Dithered>) {
      ++tick;
      rounding::Dither dither{tick};
      result = operation(dither, counter);
      offset = static_cast<std::uint32_t>(tick * std::uint64_t{0x9E3779B9} % (std::uint64_t{1} << 32));
    } else {
      result = operation(source, counter);
      offset = source.last;
    }
    judge(numerator, fraction_bits,
          Outcome{round_of<Rounding>, std::is_same_v<Overflow, overflow::Wrap> ? Hold::wrap : Hold::saturate,
                  std::is_same_v<Overflow, overflow::SaturateAndCount>, std::is_signed_v<Rep>, 8 * sizeof(Rep),
                  Result::fraction_bits, static_cast<Wide>(result.raw()), counter.count, offset},
          call);
  }

  Xorshift source{};
  std::uint32_t tick = 0;
};

// Lists of formats and policies

template <class... Types>
struct List {};
template <class... Types, class Body>
void for_each(List<Types...>, Body body) {
  (body(std::type_identity<Types>{}), ...);
}
template <class Tag>
using In = typename Tag::type;

using Roundings = List<rounding::Down, rounding::Nearest, rounding::Stochastic, rounding::Dithered>;
using Overflows = List<overflow::Wrap, overflow::Saturate, overflow::SaturateAndCount>;

/// `body` with the format in every rounding and overflow mode.
template <class Format, class Body>
void in_every_mode(Body body) {
  for_each(Roundings{}, [&](auto rounding) {
    for_each(Overflows{}, [&](auto overflow) {
      using Rounded = typename Format::template WithRounding<In<decltype(rounding)>>;
      body(std::type_identity<typename Rounded::template WithOverflow<In<decltype(overflow)>>>{});
    });
  });
}

using Signed7 = Fixed<std::int8_t, 7>;
using Signed4 = Fixed<std::int8_t, 4>;
using Unsigned8 = Fixed<std::uint8_t, 8>;
using Unsigned3 = Fixed<std::uint8_t, 3>;
using SignedBeyond = Fixed<std::int8_t, 10>; // finer than its width
using Formats8 = List<Signed7, Signed4, Unsigned8, Unsigned3>;

template <class Format, class Body>
void every_value(Body body) {
  using Limits = std::numeric_limits<typename Format::Representation>;
  for (int raw = Limits::lowest(); raw <= Limits::max(); ++raw)
    body(Format::from_raw(static_cast<typename Format::Representation>(raw)));
}

template <class Rep>
std::vector<Rep> edges() {
  using Limits = std::numeric_limits<Rep>;
  std::vector<Rep> values;
  for (int near = 0; near < 3; ++near) {
    values.push_back(static_cast<Rep>(near));
    values.push_back(static_cast<Rep>(-near));
    values.push_back(static_cast<Rep>(Limits::max() - static_cast<Rep>(near)));
    values.push_back(static_cast<Rep>(Limits::lowest() + static_cast<Rep>(near)));
  }
  for (unsigned bit = 3; bit < 8 * sizeof(Rep); bit += 4) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    values.push_back(static_cast<Rep>(power));
    values.push_back(static_cast<Rep>(power - 1));
    values.push_back(static_cast<Rep>(0 - power));
  }
  return values;
}

/// All magnitudes equally likely, so that small numbers meet large ones.
template <class Rep>
Rep random_value(std::mt19937_64& random) {
  const auto bits = static_cast<Rep>(random());
  const auto shift = static_cast<unsigned>(random() % (8 * sizeof(Rep)));
  return static_cast<Rep>(bits >> shift);
}

/// Edges against edges, then random pairs; made once for each pair of types.
template <class LeftRep, class RightRep>
const std::vector<std::pair<LeftRep, RightRep>>& operands() {
  static const auto pairs = [] {
    std::vector<std::pair<LeftRep, RightRep>> made;
    for (const LeftRep left : edges<LeftRep>())
      for (const RightRep right : edges<RightRep>()) made.emplace_back(left, right);
    std::mt19937_64 random{seed};
    for (int count = 0; count < 4000; ++count)
      made.emplace_back(random_value<LeftRep>(random), random_value<RightRep>(random));
    return made;
  }();
  return pairs;
}
template <class Left, class Right, class Body>
void edges_and_random(Body body) {
  for (const auto& [left, right] : operands<typename Left::Representation, typename Right::Representation>())
    body(Left::from_raw(left), Right::from_raw(right));
}

// The operations

template <class Integer, class Format>
void check_sums(Checker<Format, Integer>& check, Format left, Format right) {
  const auto a = static_cast<Integer>(left.raw());
  const auto b = static_cast<Integer>(right.raw());
  constexpr int bits = Format::fraction_bits;
  check(
      a + b, bits, [&](auto&... extras) { return add(left, right, extras...); }, call("add", left, right));
  check(
      a - b, bits, [&](auto&... extras) { return subtract(left, right, extras...); }, call("subtract", left, right));
}

template <class Integer, class Format>
void check_single(Checker<Format, Integer>& check, Format value, unsigned shift) {
  const auto a = static_cast<Integer>(value.raw());
  constexpr int bits = Format::fraction_bits;
  check(
      -a, bits, [&](auto&... extras) { return negate(value, extras...); }, call("negate", value));
  check(
      a * power_of_two<Integer>(static_cast<int>(shift)), bits,
      [&](auto&... extras) { return shift_left(value, shift, extras...); }, call("shift_left", value));
  check(
      a, bits + static_cast<int>(shift), [&](auto&... extras) { return shift_right(value, shift, extras...); },
      call("shift_right", value));
}

template <class Integer, class Result, class Left, class Right>
void check_product(Checker<Result, Integer>& check, Left left, Right right) {
  check(
      static_cast<Integer>(left.raw()) * static_cast<Integer>(right.raw()), Left::fraction_bits + Right::fraction_bits,
      [&](auto&... extras) { return multiply<Result>(left, right, extras...); }, call("multiply", left, right));
}

template <class Integer, class Result, class Left, class Right>
void check_product_sum(Checker<Result, Integer>& check, Left left, Right right, Result addend) {
  constexpr int finer = Left::fraction_bits + Right::fraction_bits - Result::fraction_bits;
  check(
      static_cast<Integer>(left.raw()) * static_cast<Integer>(right.raw()) +
          static_cast<Integer>(addend.raw()) * power_of_two<Integer>(finer),
      Left::fraction_bits + Right::fraction_bits,
      [&](auto&... extras) { return multiply_add(left, right, addend, extras...); },
      call("multiply_add", left, right, addend));
}

template <class Integer, class Result, class From>
void check_conversion(Checker<Result, Integer>& check, From value) {
  check(
      static_cast<Integer>(value.raw()), From::fraction_bits,
      [&](auto&... extras) { return convert<Result>(value, extras...); }, call("convert", value));
}

template <class LeftFormat, class RightFormat, class ResultFormat>
struct Product {
  using Left = LeftFormat;
  using Right = RightFormat;
  using Result = ResultFormat;
};
template <class FromFormat, class ToFormat>
struct Conversion {
  using From = FromFormat;
  using To = ToFormat;
};

} // namespace

// Eight bits: everything

TEST_CASE("fixed: all 8-bit sums, differences, negations and shifts are exact in every mode", "[vocabulary][fixed]") {
  for_each(Formats8{}, [](auto format) {
    in_every_mode<In<decltype(format)>>([](auto mode) {
      using Format = In<decltype(mode)>;
      Checker<Format, std::int64_t> check;
      every_value<Format>([&](Format left) {
        every_value<Format>([&](Format right) { check_sums<std::int64_t>(check, left, right); });
        for (const unsigned shift : {0U, 1U, 2U, 3U, 5U, 7U, 8U, 9U, 20U})
          check_single<std::int64_t>(check, left, shift);
      });
    });
  });
}

TEST_CASE("fixed: all 8-bit products of mixed formats are exact in every mode", "[vocabulary][fixed]") {
  using Products =
      List<Product<Signed7, Signed7, Signed7>, Product<Signed4, Unsigned8, Signed4>,
           Product<Unsigned8, Signed4, Unsigned3>, Product<Unsigned8, Unsigned8, Unsigned8>,
           Product<Unsigned3, Unsigned3, Unsigned8>, Product<Signed4, Signed4, SignedBeyond>,
           Product<Signed4, Unsigned3, Fixed<std::int16_t, 7>>, Product<Signed7, Signed7, Fixed<std::uint8_t, 0>>,
           Product<Signed7, Unsigned8, Fixed<std::int32_t, 20>>>;
  for_each(Products{}, [](auto product) {
    using Formats = In<decltype(product)>;
    in_every_mode<typename Formats::Result>([](auto mode) {
      Checker<In<decltype(mode)>, std::int64_t> check;
      every_value<typename Formats::Left>([&](auto left) {
        every_value<typename Formats::Right>([&](auto right) { check_product<std::int64_t>(check, left, right); });
      });
    });
  });
}

TEST_CASE("fixed: 8-bit products with an addend round and overflow once, in every mode", "[vocabulary][fixed]") {
  using Products = List<Product<Signed7, Signed7, Signed7>, Product<Signed4, Unsigned8, Signed4>,
                        Product<Unsigned8, Unsigned8, Unsigned8>, Product<Unsigned3, Signed4, Unsigned3>,
                        Product<Signed7, Signed7, Fixed<std::int16_t, 14>>>;
  for_each(Products{}, [](auto product) {
    using Formats = In<decltype(product)>;
    in_every_mode<typename Formats::Result>([](auto mode) {
      using Format = In<decltype(mode)>;
      Checker<Format, std::int64_t> check;
      const Format addends[] = {Format::lowest(), Format::highest(), Format{}, Format::from_raw(37)};
      every_value<typename Formats::Left>([&](auto left) {
        every_value<typename Formats::Right>([&](auto right) {
          for (const Format addend : addends) check_product_sum<std::int64_t>(check, left, right, addend);
        });
      });
    });
  });
}

TEST_CASE("fixed: all conversions from 8 and 16 bits to 8 bits are exact in every mode", "[vocabulary][fixed]") {
  using Froms = List<Signed4, Unsigned8, SignedBeyond, Fixed<std::int16_t, 15>, Fixed<std::uint16_t, 3>>;
  using Tos = List<Signed7, Signed4, Unsigned3, Fixed<std::int8_t, 0>, Fixed<std::uint8_t, 20>>;
  for_each(Froms{}, [](auto from) {
    for_each(Tos{}, [](auto to) {
      in_every_mode<In<decltype(to)>>([](auto mode) {
        Checker<In<decltype(mode)>, std::int64_t> check;
        every_value<In<decltype(from)>>([&](auto value) { check_conversion<std::int64_t>(check, value); });
      });
    });
  });
}

// 16, 32 and 64 bits: edges and random

TEST_CASE("fixed: sums, differences, negations and shifts of wider formats are exact in every mode",
          "[vocabulary][fixed]") {
  using Formats = List<Fract, UnsignedFract, Accum, UnsignedLongFract, LongAccum, UnsignedLongAccum>;
  for_each(Formats{}, [](auto format) {
    in_every_mode<In<decltype(format)>>([](auto mode) {
      using Format = In<decltype(mode)>;
      Checker<Format> check;
      edges_and_random<Format, Format>([&](Format left, Format right) {
        check_sums<Wide>(check, left, right);
        check_single<Wide>(check, left, static_cast<unsigned>(right.raw()) % 61);
      });
    });
  });
}

TEST_CASE("fixed: products of wider mixed formats are exact in every mode", "[vocabulary][fixed]") {
  using Products =
      List<Product<Fract, Fract, Fract>, Product<Fract, Fract, LongFract>, Product<Fract, Accum, Fract>,
           Product<UnsignedFract, ShortFract, UnsignedShortFract>, Product<Accum, UnsignedLongFract, Accum>,
           Product<UnsignedLongFract, Accum, UnsignedLongFract>, Product<Accum, Accum, Accum>,
           Product<LongFract, LongFract, LongFract>, Product<UnsignedLongFract, UnsignedLongFract, UnsignedLongFract>,
           Product<Accum, UnsignedLongFract, LongAccum>, Product<Accum, UnsignedLongFract, ShortFract>,
           Product<UnsignedAccum, UnsignedAccum, UnsignedLongAccum>, Product<Accum, Accum, Fixed<std::int32_t, 40>>>;
  for_each(Products{}, [](auto product) {
    using Formats = In<decltype(product)>;
    in_every_mode<typename Formats::Result>([](auto mode) {
      Checker<In<decltype(mode)>> check;
      edges_and_random<typename Formats::Left, typename Formats::Right>(
          [&](auto left, auto right) { check_product<Wide>(check, left, right); });
    });
  });
}

TEST_CASE("fixed: products of wider formats with an addend round and overflow once, in every mode",
          "[vocabulary][fixed]") {
  using Products =
      List<Product<Fract, Fract, Fract>, Product<Fract, Fract, Accum>, Product<Accum, UnsignedLongFract, Accum>,
           Product<LongFract, LongFract, LongFract>, Product<UnsignedLongFract, UnsignedLongFract, UnsignedLongFract>,
           Product<Accum, Accum, UnsignedAccum>, Product<Accum, UnsignedLongFract, LongAccum>,
           Product<Fract, Fract, Fixed<std::int32_t, 30>>>;
  for_each(Products{}, [](auto product) {
    using Formats = In<decltype(product)>;
    in_every_mode<typename Formats::Result>([](auto mode) {
      using Format = In<decltype(mode)>;
      Checker<Format> check;
      Xorshift random;
      edges_and_random<typename Formats::Left, typename Formats::Right>([&](auto left, auto right) {
        check_product_sum<Wide>(check, left, right, Format::lowest());
        check_product_sum<Wide>(check, left, right, Format::highest());
        check_product_sum<Wide>(check, left, right,
                                Format::from_raw(static_cast<typename Format::Representation>(random.next())));
      });
    });
  });
}

TEST_CASE("fixed: conversions between wider formats are exact in every mode", "[vocabulary][fixed]") {
  using Conversions =
      List<Conversion<Accum, Fract>, Conversion<Accum, UnsignedLongFract>, Conversion<UnsignedLongFract, Accum>,
           Conversion<LongFract, Fract>, Conversion<Fract, LongFract>, Conversion<LongAccum, Accum>,
           Conversion<LongAccum, ShortFract>, Conversion<UnsignedLongAccum, Accum>, Conversion<Accum, LongAccum>,
           Conversion<Accum, UnsignedLongAccum>, Conversion<UnsignedLongAccum, LongAccum>,
           Conversion<LongAccum, UnsignedLongAccum>, Conversion<UnsignedLongFract, Fixed<std::uint32_t, 64>>,
           Conversion<Fixed<std::int32_t, 60>, Accum>, Conversion<Accum, Fixed<std::int32_t, -10>>,
           Conversion<Fixed<std::int16_t, -20>, LongAccum>>;
  for_each(Conversions{}, [](auto conversion) {
    using Formats = In<decltype(conversion)>;
    using From = typename Formats::From;
    in_every_mode<typename Formats::To>([](auto mode) {
      Checker<In<decltype(mode)>> check;
      edges_and_random<From, Signed7>([&](From value, Signed7) { check_conversion<Wide>(check, value); });
    });
  });
}

TEST_CASE("fixed: whole numbers convert exactly or overflow by policy, in every mode", "[vocabulary][fixed]") {
  for_each(List<Accum, Fract, UnsignedLongFract, LongAccum, Signed4, Fixed<std::int16_t, -3>>{}, [](auto format) {
    in_every_mode<In<decltype(format)>>([](auto mode) {
      using Format = In<decltype(mode)>;
      Checker<Format> check;
      for (const auto& [number, bits] : operands<std::int32_t, std::uint64_t>()) {
        check(
            number, 0, [&](auto&... extras) { return Format::from_integer(number, extras...); },
            Call{"from_integer", 1, {number}, {0}});
        check(
            static_cast<Wide>(bits), 0, [&](auto&... extras) { return Format::from_integer(bits, extras...); },
            Call{"from_integer", 1, {static_cast<std::int64_t>(bits)}, {0}});
      }
    });
  });
}

// Operators and comparison

TEMPLATE_TEST_CASE("fixed: operators are the named functions, comparison is that of the numbers", "[vocabulary][fixed]",
                   Fract, UnsignedFract, Accum, UnsignedLongFract) {
  edges_and_random<TestType, TestType>([](TestType left, TestType right) {
    const auto shift = static_cast<unsigned>(right.raw()) % 40;
    TestType sum = left, difference = left, product = left, shifted_left = left, shifted_right = left;
    sum += right;
    difference -= right;
    product *= right;
    shifted_left <<= shift;
    shifted_right >>= shift;
    const double a = left.to_double(), b = right.to_double();
    const bool same = left + right == add(left, right) && sum == add(left, right) &&
                      left - right == subtract(left, right) && difference == subtract(left, right) &&
                      -left == negate(left) && left * right == multiply(left, right) &&
                      product == multiply(left, right) && left << shift == shift_left(left, shift) &&
                      shifted_left == shift_left(left, shift) && left >> shift == shift_right(left, shift) &&
                      shifted_right == shift_right(left, shift);
    const bool ordered = (left == right) == (a == b) && (left != right) == (a != b) && (left < right) == (a < b) &&
                         (left > right) == (a > b) && (left <= right) == (a <= b) && (left >= right) == (a >= b);
    if (!same || !ordered) FAIL("raw " << left.raw() << " and " << right.raw() << ", seed " << seed);
  });
}

TEST_CASE("fixed: a product of mixed formats has the format of its left operand", "[vocabulary][fixed]") {
  STATIC_REQUIRE(std::is_same_v<decltype(Accum{} * UnsignedLongFract{}), Accum>);
  STATIC_REQUIRE(std::is_same_v<decltype(UnsignedLongFract{} * Accum{}), UnsignedLongFract>);
  STATIC_REQUIRE(std::is_same_v<decltype(multiply<Fract>(Accum{}, Accum{})), Fract>);
}

// Sources and counters

TEST_CASE("fixed: a source is asked once where the formats drop bits, and not elsewhere", "[vocabulary][fixed]") {
  using Rounded = Accum::WithRounding<rounding::Stochastic>;
  Xorshift source;
  const auto asked = [&](auto&& operation) {
    const auto before = source.drawn;
    static_cast<void>(operation());
    return source.drawn - before;
  };
  for (const std::int32_t raw : {0, 1, -32768, std::numeric_limits<std::int32_t>::max()}) {
    const auto value = Rounded::from_raw(raw);
    CAPTURE(raw);
    CHECK(asked([&] { return multiply(value, value, source); }) == 1);
    CHECK(asked([&] { return multiply_add(value, UnsignedLongFract::from_raw(1U << 31), value, source); }) == 1);
    CHECK(asked([&] { return convert<Rounded>(LongAccum::from_raw(raw), source); }) == 1);
    CHECK(asked([&] { return shift_right(value, 3, source); }) == 1);
    CHECK(asked([&] { return add(value, value, source); }) == 0);
    CHECK(asked([&] { return shift_left(value, 3, source); }) == 0);
    CHECK(asked([&] { return convert<LongAccum::WithRounding<rounding::Stochastic>>(value, source); }) == 0);
    CHECK(asked([&] { return multiply<Accum>(value, value, source); }) == 0); // to nearest
  }
}

TEST_CASE("fixed: source and counter come in any order, and are ignored where not needed", "[vocabulary][fixed]") {
  using Both = Accum::WithRounding<rounding::Stochastic>::WithOverflow<overflow::SaturateAndCount>;
  const auto a = Both::constant(300.0), b = Both::constant(-299.99);
  Xorshift first, second;
  overflow::Counter counter;
  CHECK(multiply(a, b, first, counter) == multiply(a, b, counter, second));
  CHECK(counter.count == 2);
  CHECK(first.drawn == 1);
  CHECK(add(a, a, counter) == add(a, a, first, counter));
  CHECK(multiply<Accum>(a, b, first, counter) == Accum::lowest());
  CHECK(counter.count == 2);
  CHECK(first.drawn == 1);
}

TEST_CASE("fixed: the mean of stochastic products is within 4 sigma of exact", "[vocabulary][fixed]") {
  using Rounded = Accum::WithRounding<rounding::Stochastic>;
  constexpr int samples = 1 << 16;
  std::mt19937_64 random{seed};
  Xorshift source;
  for (int count = 0; count < 40; ++count) {
    const auto value = Rounded::from_raw(static_cast<std::int32_t>(random()));
    const auto factor = UnsignedLongFract::from_raw(static_cast<std::uint32_t>(random()));
    const auto addend = Rounded::from_raw(static_cast<std::int32_t>(random()) / 2);
    const Wide product = static_cast<Wide>(value.raw()) * static_cast<Wide>(factor.raw());
    const Wide one = power_of_two<Wide>(32);
    const auto whole = static_cast<std::int64_t>(floor_divide(product, one));
    const auto fraction = static_cast<double>(product - static_cast<Wide>(whole) * one) / 4294967296.0;
    const double sigma = std::sqrt(fraction * (1 - fraction) / samples);
    std::int64_t alone = 0, added = 0;
    for (int sample = 0; sample < samples; ++sample) {
      alone += multiply(value, factor, source).raw() - whole;
      added += multiply_add(value, factor, addend, source).raw() - addend.raw() - whole;
    }
    if (whole + addend.raw() < -2147483648LL || whole + addend.raw() >= 2147483647LL) continue; // saturates
    CAPTURE(value.raw(), factor.raw(), addend.raw(), fraction, sigma, seed);
    CHECK(std::abs(static_cast<double>(alone) / samples - fraction) <= 4 * sigma);
    CHECK(std::abs(static_cast<double>(added) / samples - fraction) <= 4 * sigma);
  }
}

// Constants

TEST_CASE("fixed: constants are the nearest numbers", "[vocabulary][fixed]") {
  // Right-hand sides: floor(x * 2^f + 1/2) in exact rational arithmetic, computed apart from this project.
  STATIC_REQUIRE(UnsignedLongFract::constant(0.99501247919268232).raw() == 4273546057);
  STATIC_REQUIRE(LongFract::constant(0.99501247919268232).raw() == 2136773029);
  STATIC_REQUIRE(Accum::constant(-49.0).raw() == -1605632);
  STATIC_REQUIRE(Accum::constant(4.775).raw() == 156467);
  STATIC_REQUIRE(Accum::constant(3.14159265358979323846).raw() == 102944);
  STATIC_REQUIRE(Accum::constant(-3.14159265358979323846).raw() == -102944);
  STATIC_REQUIRE(UnsignedAccum::constant(0.1).raw() == 6554);
  STATIC_REQUIRE(UnsignedLongFract::constant(1e-9).raw() == 4);
  STATIC_REQUIRE(Fixed<std::uint32_t, 40>::constant(1e-9).raw() == 1100);
  STATIC_REQUIRE(Accum::constant(0.0) == Accum{});
  STATIC_REQUIRE(Accum::constant(-0.0) == Accum{});
  STATIC_REQUIRE(Accum::constant(65535.9999).raw() == 2147483645);
  STATIC_REQUIRE(Accum::constant(-65536) == Accum::lowest());
  STATIC_REQUIRE(Fract::constant(-1) == Fract::lowest());
  // Ties go up.
  STATIC_REQUIRE(Accum::constant(0.5 / 32768) == Accum::from_raw(1));
  STATIC_REQUIRE(Accum::constant(1.5 / 32768) == Accum::from_raw(2));
  STATIC_REQUIRE(Accum::constant(-1.5 / 32768) == Accum::from_raw(-1));
}

namespace {

template <class Format>
void check_from_double(double value) {
  using Rep = typename Format::Representation;
  using Limits = std::numeric_limits<Rep>;
  int exponent = 0;
  const auto significand = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  exponent += Format::fraction_bits - 53; // in units of the format: significand * 2^exponent
  Wide nearest = 0;
  if (significand == 0) {
    nearest = 0;
  } else if (exponent > 64) {
    nearest = significand < 0 ? -power_of_two<Wide>(100) : power_of_two<Wide>(100);
  } else if (exponent >= 0) {
    nearest = significand * power_of_two<Wide>(exponent);
  } else if (exponent >= -120) {
    nearest = floor_divide<Wide>(2 * static_cast<Wide>(significand) + power_of_two<Wide>(-exponent),
                                 2 * power_of_two<Wide>(-exponent));
  }
  Error expected = Error::none;
  if (nearest == 0 && significand != 0) expected = Error::weight_vanishes;
  if (nearest < static_cast<Wide>(Limits::lowest()) || nearest > static_cast<Wide>(Limits::max()))
    expected = Error::weight_out_of_range;
  const auto result = Format::from_double(value, 17);
  const bool right = expected == Error::none
                         ? result.ok() && result.status == Status{} && result.value.raw() == static_cast<Rep>(nearest)
                         : result.status.error == expected && result.status.where == 17 && result.value == Format{};
  std::int64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  if (!right || (!result.ok() && result.status.value != bits))
    FAIL("from_double " << value << " into " << Format::fraction_bits << " fraction bits and " << sizeof(Rep)
                        << " bytes, seed " << seed);
}

} // namespace

TEMPLATE_TEST_CASE("fixed: doubles become the nearest number, or a status if that is zero or out of range",
                   "[vocabulary][fixed]", ShortFract, UnsignedShortFract, Fract, UnsignedFract, Accum, UnsignedAccum,
                   LongFract, UnsignedLongFract, LongAccum, UnsignedLongAccum, (Fixed<std::int16_t, 40>),
                   (Fixed<std::int32_t, -12>), (Fixed<std::uint64_t, 128>), (Fixed<std::int64_t, -64>)) {
  std::mt19937_64 random{seed};
  for (int count = 0; count < 200000; ++count) {
    // Uniform bits around the format's range: exponents from half a unit of the last place to beyond its
    // highest.
    const double significand = static_cast<double>(random() >> 11) / 4503599627370496.0 - 1;
    const int exponent = static_cast<int>(random() % (8 * sizeof(TestType) + 6)) - 4 - TestType::fraction_bits;
    check_from_double<TestType>(std::ldexp(significand, exponent));
  }
  for (int halves = -600; halves <= 600; ++halves) { // ties
    const double value = std::ldexp(halves, -TestType::fraction_bits - 1);
    check_from_double<TestType>(value);
    check_from_double<TestType>(std::nextafter(value, 1e300));
    check_from_double<TestType>(std::nextafter(value, -1e300));
  }
  for (const double edge : {TestType::lowest().to_double(), TestType::highest().to_double()}) {
    for (int halves = -4; halves <= 4; ++halves) {
      const double value = edge + std::ldexp(halves, -TestType::fraction_bits - 1);
      check_from_double<TestType>(value);
      check_from_double<TestType>(std::nextafter(value, 1e300));
      check_from_double<TestType>(std::nextafter(value, -1e300));
    }
  }
  using Doubles = std::numeric_limits<double>;
  for (const double value : {Doubles::min(), Doubles::denorm_min(), Doubles::max()}) {
    check_from_double<TestType>(value);
    check_from_double<TestType>(-value);
  }
  for (const double value : {Doubles::infinity(), -Doubles::infinity(), Doubles::quiet_NaN()})
    CHECK(TestType::from_double(value).status.error == Error::weight_out_of_range);
}

TEMPLATE_TEST_CASE("fixed: numbers of up to 53 bits survive the way to double and back", "[vocabulary][fixed]",
                   ShortFract, UnsignedFract, Accum, UnsignedLongFract, (Fixed<std::int16_t, 128>),
                   (Fixed<std::int32_t, -64>)) {
  edges_and_random<TestType, Signed7>([](TestType value, Signed7) {
    if (value.to_double() != std::ldexp(static_cast<double>(value.raw()), -TestType::fraction_bits) ||
        TestType::from_double(value.to_double()).value != value)
      FAIL("raw " << +value.raw() << ", seed " << seed);
  });
}

// What a user may rely on at compile time

TEST_CASE("fixed: the names of TR 18037 have its formats", "[vocabulary][fixed]") {
  STATIC_REQUIRE(Accum::highest().to_double() == 65536 - 1.0 / 32768);
  STATIC_REQUIRE(ShortAccum::lowest().to_double() == -256);
  STATIC_REQUIRE(UnsignedShortAccum::highest().to_double() == 256 - 1.0 / 256);
  STATIC_REQUIRE(UnsignedAccum::highest().to_double() == 65536 - 1.0 / 65536);
  STATIC_REQUIRE(LongAccum::lowest().to_double() == -4294967296.0);
  STATIC_REQUIRE(UnsignedLongAccum::resolution().to_double() == 1 / 4294967296.0);
  STATIC_REQUIRE(ShortFract::highest().to_double() == 1 - 1.0 / 128);
  STATIC_REQUIRE(Fract::lowest().to_double() == -1);
  STATIC_REQUIRE(LongFract::resolution().to_double() == 1 / 2147483648.0);
  STATIC_REQUIRE(UnsignedShortFract::highest().to_double() == 1 - 1.0 / 256);
  STATIC_REQUIRE(UnsignedFract::highest().to_double() == 1 - 1.0 / 65536);
  STATIC_REQUIRE(UnsignedLongFract::highest().to_double() == 1 - 1 / 4294967296.0);
}

namespace {

template <class Format>
constexpr bool plain = std::is_trivially_copyable_v<Format>&& std::is_standard_layout_v<Format> &&
                       sizeof(Format) == sizeof(typename Format::Representation) &&
                       alignof(Format) == alignof(typename Format::Representation);
static_assert(plain<Accum> && plain<ShortFract> && plain<UnsignedLongAccum>);
static_assert(plain<Fract::WithRounding<rounding::Stochastic>::WithOverflow<overflow::SaturateAndCount>>);
static_assert(FixedPoint<Accum> && FixedPoint<const Fract> && !FixedPoint<int> && !FixedPoint<Accum&>);
static_assert(Accum{}.raw() == 0);

// Everything works in constant expressions, sources and counters too.
constexpr bool at_compile_time() {
  using Both = Accum::WithRounding<rounding::Stochastic>::WithOverflow<overflow::SaturateAndCount>;
  Xorshift source;
  overflow::Counter counter;
  auto value = Both::constant(60000.0);
  value = multiply_add(value, UnsignedLongFract::constant(0.5), value, source, counter);
  value = shift_right(value, 2, source, counter);
  value = negate(value, counter);
  const auto narrow = convert<Fract>(value);
  return counter.count == 1 && source.drawn == 2 && narrow == Fract::lowest() && Accum::from_double(0.25).ok() &&
         Accum::constant(1.5) * Accum::constant(2) + Accum::from_integer(1) == Accum::constant(4);
}
static_assert(at_compile_time());

// The least that the policy concepts ask for is enough for Fixed.
struct MinimalRounding {
  template <class Value>
  static constexpr Value shift_right(Value value, unsigned shift) {
    return rounding::floor_shift(value, shift);
  }
};
struct MinimalOverflow {
  template <class Rep>
  static constexpr Rep resolve(Rep wrapped, overflow::Range) {
    return wrapped;
  }
};
using Minimal = Fixed<std::int32_t, 15, MinimalRounding, MinimalOverflow>;
static_assert((Minimal::constant(-1.5) * Minimal::constant(0.25) - Minimal::from_integer(2) >> 1).raw() == -38912);

} // namespace
