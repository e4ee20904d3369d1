// SPDX-License-Identifier: BSL-1.0
// Fixed against exact rational arithmetic. Each result is the exact sum, product or value as a fraction over
// a power of two. It is rounded by division with remainder, and brought into range by comparison or by
// modulus.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include <neuromorph/fixed.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/sanitized.hpp"

namespace {

using namespace neuromorph;
using exact::floor_divide;
using exact::power_of_two;
using exact::Wide;

constexpr std::uint64_t seed = 20240613;
using Xorshift = exact::Xorshift<seed>;

// The exact reference

enum class Round { down, nearest, offset };
enum class Hold { wrap, saturate };

/// A format and its policies as values, so that all that follows is compiled once and not once for each format.
struct Format {
  int width;
  bool is_signed;
  int fraction_bits;
  Round round;
  Hold hold;
  bool counts;
};
template <class Type>
constexpr Format format_of() {
  using Rounding = typename Type::RoundingPolicy;
  using Overflow = typename Type::OverflowPolicy;
  constexpr Round round = std::is_same_v<Rounding, rounding::Down>      ? Round::down
                          : std::is_same_v<Rounding, rounding::Nearest> ? Round::nearest
                                                                        : Round::offset;
  return {8 * sizeof(Type),
          std::is_signed_v<typename Type::Representation>,
          Type::fraction_bits,
          round,
          std::is_same_v<Overflow, overflow::Wrap> ? Hold::wrap : Hold::saturate,
          std::is_same_v<Overflow, overflow::SaturateAndCount>};
}

struct Extras {
  Xorshift source{};
  rounding::Dither dither{};
  overflow::Counter counter{};
  std::uint32_t step_number = 0;
  std::uint32_t offset = 0; ///< what the last operation was given to round with
};

/// The 64 low bits of a raw value, with its sign if it has one.
using Raw = std::int64_t;

enum class Kind { add, subtract, negate, shift_left, shift_right, multiply, multiply_add, convert, whole };
constexpr const char* names[] = {"add",      "subtract",     "negate",  "shift_left",  "shift_right",
                                 "multiply", "multiply_add", "convert", "from_integer"};

struct Operation {
  Kind kind;
  Format left;
  Format right;
  Format result;
  Raw (*run)(Raw left, Raw right, Raw addend, Extras& extras);
};

template <class Type>
Type at(Raw raw) {
  return Type::from_raw(static_cast<typename Type::Representation>(raw));
}

/// The operation on raw values, with a source or dither and a counter as extras.
template <Kind kind, class Result, class Left, class Right>
Raw run(Raw left, Raw right, Raw addend, Extras& extras) {
  const auto with = [&](auto& source) -> Result {
    auto& counter = extras.counter;
    if constexpr (kind == Kind::add) return add(at<Result>(left), at<Result>(right), source, counter);
    if constexpr (kind == Kind::subtract) return subtract(at<Result>(left), at<Result>(right), source, counter);
    if constexpr (kind == Kind::negate) return negate(at<Result>(left), source, counter);
    if constexpr (kind == Kind::shift_left)
      return shift_left(at<Result>(left), static_cast<unsigned>(right), source, counter);
    if constexpr (kind == Kind::shift_right)
      return shift_right(at<Result>(left), static_cast<unsigned>(right), source, counter);
    if constexpr (kind == Kind::multiply) return multiply<Result>(at<Left>(left), at<Right>(right), source, counter);
    if constexpr (kind == Kind::multiply_add)
      return multiply_add(at<Left>(left), at<Right>(right), at<Result>(addend), source, counter);
    if constexpr (kind == Kind::convert) return convert<Result>(at<Left>(left), source, counter);
    if constexpr (kind == Kind::whole) return Result::from_integer(at<Left>(left).raw(), source, counter);
  };
  extras.counter = {};
  if constexpr (std::is_same_v<typename Result::RoundingPolicy, rounding::Dithered>) {
    extras.dither = rounding::Dither{++extras.step_number};
    extras.offset =
        static_cast<std::uint32_t>(extras.step_number * std::uint64_t{0x9E3779B9} % (std::uint64_t{1} << 32));
    return static_cast<Raw>(with(extras.dither).raw());
  } else {
    const Raw raw = static_cast<Raw>(with(extras.source).raw());
    extras.offset = extras.source.last;
    return raw;
  }
}
template <Kind kind, class Result, class Left = Result, class Right = Left>
constexpr Operation operation() {
  return {kind, format_of<Left>(), format_of<Right>(), format_of<Result>(), run<kind, Result, Left, Right>};
}

template <class Integer>
Integer value_of(const Format& format, Raw raw) {
  return format.is_signed ? static_cast<Integer>(raw) : static_cast<Integer>(static_cast<std::uint64_t>(raw));
}

/// Runs the operation and compares with the exact result, rounded and brought into range by definition.
template <class Integer>
void check(const Operation& operation, Raw left, Raw right, Raw addend, Extras& extras) {
  const Format& result = operation.result;
  const auto a = value_of<Integer>(operation.left, left);
  const auto b = value_of<Integer>(operation.right, right);
  const int product_bits = operation.left.fraction_bits + operation.right.fraction_bits;

  Integer numerator = a; // of the exact result, over 2^fraction_bits
  int fraction_bits = operation.left.fraction_bits;
  switch (operation.kind) {
  case Kind::add: numerator = a + b; break;
  case Kind::subtract: numerator = a - b; break;
  case Kind::negate: numerator = -a; break;
  case Kind::shift_left: numerator = a * power_of_two<Integer>(static_cast<int>(right)); break;
  case Kind::shift_right: fraction_bits += static_cast<int>(right); break;
  case Kind::multiply:
    numerator = a * b;
    fraction_bits = product_bits;
    break;
  case Kind::multiply_add:
    numerator = a * b + value_of<Integer>(result, addend) * power_of_two<Integer>(product_bits - result.fraction_bits);
    fraction_bits = product_bits;
    break;
  case Kind::convert:
  case Kind::whole: break;
  }

  const Raw actual = operation.run(left, right, addend, extras);

  const int dropped = fraction_bits - result.fraction_bits;
  Integer rounded = 0;
  if (dropped <= 0) {
    rounded = numerator * power_of_two<Integer>(-dropped);
  } else {
    const auto denominator = power_of_two<Integer>(dropped);
    const auto one = power_of_two<Integer>(32);
    switch (result.round) {
    case Round::down: rounded = floor_divide(numerator, denominator); break;
    case Round::nearest: rounded = floor_divide<Integer>(2 * numerator + denominator, 2 * denominator); break;
    case Round::offset:
      rounded = floor_divide<Integer>(floor_divide<Integer>(numerator * one, denominator) + extras.offset, one);
      break;
    }
  }
  const auto period = power_of_two<Integer>(result.width);
  const Integer lowest = result.is_signed ? -period / 2 : 0;
  const Integer highest = lowest + period - 1;
  const bool outside = rounded < lowest || rounded > highest;
  Integer expected = rounded;
  if (outside && result.hold == Hold::saturate) expected = rounded < lowest ? lowest : highest;
  if (outside && result.hold == Hold::wrap)
    expected = rounded - period * floor_divide<Integer>(rounded - lowest, period);
  const std::uint32_t counted = outside && result.counts ? 1 : 0;

  if (value_of<Integer>(result, actual) == expected && extras.counter.count == counted) return;
  FAIL(names[static_cast<int>(operation.kind)]
       << " of raw " << left << " (" << operation.left.fraction_bits << " fraction bits), " << right << " ("
       << operation.right.fraction_bits << "), addend " << addend << ": raw " << actual << " instead of "
       << static_cast<Raw>(expected) << ", " << extras.counter.count << " saturations counted instead of " << counted
       << "; result of " << (result.is_signed ? "signed " : "unsigned ") << result.width << " bits, "
       << result.fraction_bits << " fraction bits, rounding " << static_cast<int>(result.round) << ", overflow "
       << static_cast<int>(result.hold) << ", offset " << extras.offset << ", seed " << seed);
}

// Operands

Raw lowest(const Format& format) {
  return format.is_signed ? std::numeric_limits<Raw>::lowest() >> (64 - format.width) : 0;
}
Raw highest(const Format& format) {
  return format.is_signed ? ~lowest(format) : static_cast<Raw>(~std::uint64_t{0} >> (64 - format.width));
}
/// Keeps the low bits that fit.
Raw held(const Format& format, std::uint64_t bits) {
  const auto unused = static_cast<unsigned>(64 - format.width);
  return format.is_signed ? static_cast<Raw>(bits << unused) >> unused : static_cast<Raw>(bits << unused >> unused);
}

std::vector<Raw> edges(const Format& format) {
  std::vector<Raw> values;
  for (std::uint64_t near = 0; near < 3; ++near) {
    values.push_back(held(format, near));
    values.push_back(held(format, 0 - near));
    values.push_back(held(format, static_cast<std::uint64_t>(highest(format)) - near));
    values.push_back(held(format, static_cast<std::uint64_t>(lowest(format)) + near));
  }
  for (int bit = 3; bit < format.width; bit += 4) {
    const auto power = std::uint64_t{1} << bit;
    for (const std::uint64_t bits : {power, power - 1, 0 - power}) values.push_back(held(format, bits));
  }
  return values;
}
/// All magnitudes equally likely, so that small numbers meet large ones.
Raw random_value(const Format& format, std::mt19937_64& random) {
  const auto shift = static_cast<unsigned>(random() % static_cast<unsigned>(format.width));
  const Raw raw = held(format, random());
  return format.is_signed ? raw >> shift : static_cast<Raw>(static_cast<std::uint64_t>(raw) >> shift);
}

bool is_shift(Kind kind) { return kind == Kind::shift_left || kind == Kind::shift_right; }
bool has_right(Kind kind) { return kind != Kind::negate && kind != Kind::convert && kind != Kind::whole; }

/// Every left operand, with sanitizers every third, with every right one; for shifts every amount up to 12 and one
/// beyond every width here.
void check_all_8_bits(const Operation& operation) {
  Extras extras;
  const Format& result = operation.result;
  std::vector<Raw> addends{0};
  if (operation.kind == Kind::multiply_add) addends = {lowest(result), highest(result), 0, 37};
  Raw first = lowest(operation.right), last = highest(operation.right);
  if (!has_right(operation.kind)) first = last = 0;
  if (is_shift(operation.kind)) first = 0, last = 12;
  for (Raw left = lowest(operation.left); left <= highest(operation.left); left += sanitized ? 3 : 1) {
    for (Raw right = first; right <= last; ++right)
      for (const Raw addend : addends) check<std::int64_t>(operation, left, right, addend, extras);
    if (is_shift(operation.kind)) check<std::int64_t>(operation, left, 20, 0, extras);
  }
}

void check_edges_and_random(const Operation& operation) {
  Extras extras;
  std::mt19937_64 random{seed};
  const auto with = [&](Raw left, Raw right) {
    if (is_shift(operation.kind)) right = static_cast<Raw>(static_cast<std::uint64_t>(right) % 61); // 128 bits hold it
    if (operation.kind != Kind::multiply_add) return check<Wide>(operation, left, right, 0, extras);
    check<Wide>(operation, left, right, lowest(operation.result), extras);
    check<Wide>(operation, left, right, highest(operation.result), extras);
    check<Wide>(operation, left, right, random_value(operation.result, random), extras);
  };
  for (const Raw left : edges(operation.left))
    for (const Raw right : edges(operation.right)) with(left, right);
  for (int count = 0; count < 4000; ++count) {
    const Raw left = random_value(operation.left, random);
    with(left, random_value(operation.right, random));
  }
}

// Every mode

template <class Result, class Left, class Right>
struct From {};

template <Kind kind, class Result, class Left, class Right, class Rounding>
constexpr std::array<Operation, 3> in_every_overflow_mode() {
  using Rounded = typename Result::template WithRounding<Rounding>;
  return {operation<kind, typename Rounded::template WithOverflow<overflow::Wrap>, Left, Right>(),
          operation<kind, typename Rounded::template WithOverflow<overflow::Saturate>, Left, Right>(),
          operation<kind, typename Rounded::template WithOverflow<overflow::SaturateAndCount>, Left, Right>()};
}
using InEveryMode = std::array<std::array<Operation, 3>, 4>;
template <Kind kind, class Result, class Left, class Right>
constexpr InEveryMode table = {in_every_overflow_mode<kind, Result, Left, Right, rounding::Down>(),
                               in_every_overflow_mode<kind, Result, Left, Right, rounding::Nearest>(),
                               in_every_overflow_mode<kind, Result, Left, Right, rounding::Stochastic>(),
                               in_every_overflow_mode<kind, Result, Left, Right, rounding::Dithered>()};

[[gnu::noinline]] void append(std::vector<Operation>& operations, const InEveryMode& modes) {
  for (const auto& mode : modes) operations.insert(operations.end(), mode.begin(), mode.end());
}
template <Kind kind, class Result, class Left, class Right>
void append(std::vector<Operation>& operations, From<Result, Left, Right>) {
  append(operations, table<kind, Result, Left, Right>);
}
/// The operation in every rounding and overflow mode of the result, for each From<Result, Left, Right>.
template <Kind kind, class... Formats>
std::vector<Operation> in_every_mode() {
  std::vector<Operation> operations;
  (append<kind>(operations, Formats{}), ...);
  return operations;
}
template <class... Formats>
std::vector<Operation> sums_and_shifts() {
  std::vector<Operation> operations;
  (append<Kind::add>(operations, From<Formats, Formats, Formats>{}), ...);
  (append<Kind::subtract>(operations, From<Formats, Formats, Formats>{}), ...);
  (append<Kind::negate>(operations, From<Formats, Formats, Formats>{}), ...);
  (append<Kind::shift_left>(operations, From<Formats, Formats, Formats>{}), ...);
  (append<Kind::shift_right>(operations, From<Formats, Formats, Formats>{}), ...);
  return operations;
}
template <Kind kind, class Result, class... Lefts>
std::vector<Operation> from_each() {
  return in_every_mode<kind, From<Result, Lefts, Lefts>...>();
}

using Signed7 = Fixed<std::int8_t, 7>;
using Signed4 = Fixed<std::int8_t, 4>;
using Unsigned8 = Fixed<std::uint8_t, 8>;
using Unsigned3 = Fixed<std::uint8_t, 3>;
using SignedBeyond = Fixed<std::int8_t, 10>; // finer than its width

} // namespace

// Eight bits: everything

TEST_CASE("fixed: all 8-bit sums, differences, negations and shifts are exact in every mode", "[vocabulary][fixed]") {
  for (const Operation& operation : sums_and_shifts<Signed7, Signed4, Unsigned8, Unsigned3>())
    check_all_8_bits(operation);
}

TEST_CASE("fixed: all 8-bit products of mixed formats are exact in every mode", "[vocabulary][fixed]") {
  const auto operations =
      in_every_mode<Kind::multiply, From<Signed7, Signed7, Signed7>, From<Signed4, Signed4, Unsigned8>,
                    From<Unsigned3, Unsigned8, Signed4>, From<Unsigned8, Unsigned8, Unsigned8>,
                    From<Unsigned8, Unsigned3, Unsigned3>, From<SignedBeyond, Signed4, Signed4>,
                    From<Fixed<std::int16_t, 7>, Signed4, Unsigned3>, From<Fixed<std::uint8_t, 0>, Signed7, Signed7>,
                    From<Fixed<std::int32_t, 20>, Signed7, Unsigned8>>();
  for (const Operation& operation : operations) check_all_8_bits(operation);
}

TEST_CASE("fixed: 8-bit products with an addend round and overflow once, in every mode", "[vocabulary][fixed]") {
  const auto operations =
      in_every_mode<Kind::multiply_add, From<Signed7, Signed7, Signed7>, From<Signed4, Signed4, Unsigned8>,
                    From<Unsigned8, Unsigned8, Unsigned8>, From<Unsigned3, Unsigned3, Signed4>,
                    From<Fixed<std::int16_t, 14>, Signed7, Signed7>>();
  for (const Operation& operation : operations) check_all_8_bits(operation);
}

TEMPLATE_TEST_CASE("fixed: all conversions from 8 and 16 bits to 8 bits are exact in every mode", "[vocabulary][fixed]",
                   Signed7, Signed4, Unsigned3, (Fixed<std::int8_t, 0>), (Fixed<std::uint8_t, 20>)) {
  const auto operations =
      from_each<Kind::convert, TestType, Signed4, Unsigned8, SignedBeyond, Fract, Fixed<std::uint16_t, 3>>();
  for (const Operation& operation : operations) check_all_8_bits(operation);
}

// 16, 32 and 64 bits: edges and random

TEST_CASE("fixed: sums, differences, negations and shifts of wider formats are exact in every mode",
          "[vocabulary][fixed]") {
  const auto operations =
      sums_and_shifts<Fract, UnsignedFract, Accum, UnsignedLongFract, LongAccum, UnsignedLongAccum>();
  for (const Operation& operation : operations) check_edges_and_random(operation);
}

TEST_CASE("fixed: products of wider mixed formats are exact in every mode", "[vocabulary][fixed]") {
  const auto operations = in_every_mode<
      Kind::multiply, From<Fract, Fract, Fract>, From<LongFract, Fract, Fract>, From<Fract, Fract, Accum>,
      From<UnsignedShortFract, UnsignedFract, ShortFract>, From<Accum, Accum, UnsignedLongFract>,
      From<UnsignedLongFract, UnsignedLongFract, Accum>, From<Accum, Accum, Accum>,
      From<LongFract, LongFract, LongFract>, From<UnsignedLongFract, UnsignedLongFract, UnsignedLongFract>,
      From<LongAccum, Accum, UnsignedLongFract>, From<ShortFract, Accum, UnsignedLongFract>,
      From<UnsignedLongAccum, UnsignedAccum, UnsignedAccum>, From<Fixed<std::int32_t, 40>, Accum, Accum>>();
  for (const Operation& operation : operations) check_edges_and_random(operation);
}

TEST_CASE("fixed: products of wider formats with an addend round and overflow once, in every mode",
          "[vocabulary][fixed]") {
  const auto operations =
      in_every_mode<Kind::multiply_add, From<Fract, Fract, Fract>, From<Fract, Accum, Accum>, From<Accum, Fract, Fract>,
                    From<Accum, Accum, UnsignedLongFract>, From<LongFract, LongFract, LongFract>,
                    From<UnsignedLongFract, UnsignedLongFract, UnsignedLongFract>, From<UnsignedAccum, Accum, Accum>,
                    From<LongAccum, Accum, UnsignedLongFract>, From<Fixed<std::int32_t, 30>, Fract, Fract>>();
  for (const Operation& operation : operations) check_edges_and_random(operation);
}

TEST_CASE("fixed: conversions between wider formats are exact in every mode", "[vocabulary][fixed]") {
  for (const auto& operations :
       {from_each<Kind::convert, Fract, Accum, LongFract>(), from_each<Kind::convert, UnsignedLongFract, Accum>(),
        from_each<Kind::convert, LongFract, Fract>(),
        from_each<Kind::convert, Accum, UnsignedLongFract, LongAccum, UnsignedLongAccum, Fixed<std::int32_t, 60>>(),
        from_each<Kind::convert, ShortFract, LongAccum>(),
        from_each<Kind::convert, LongAccum, Accum, UnsignedLongAccum, Fixed<std::int16_t, -20>>(),
        from_each<Kind::convert, UnsignedLongAccum, Accum, LongAccum>(),
        from_each<Kind::convert, Fixed<std::uint32_t, 64>, UnsignedLongFract>(),
        from_each<Kind::convert, Fixed<std::int32_t, -10>, Accum>()})
    for (const Operation& operation : operations) check_edges_and_random(operation);
}

TEMPLATE_TEST_CASE("fixed: whole numbers convert exactly or overflow by policy, in every mode", "[vocabulary][fixed]",
                   Accum, Fract, UnsignedLongFract, LongAccum, Signed4, (Fixed<std::int16_t, -3>)) {
  const auto operations =
      from_each<Kind::whole, TestType, Fixed<std::int32_t, 0>, Fixed<std::uint64_t, 0>, Fixed<std::int8_t, 0>>();
  for (const Operation& operation : operations) check_edges_and_random(operation);
}

// Operators and comparison

namespace {

/// Edges against edges, then random pairs.
template <class Type>
std::vector<std::pair<Type, Type>> pairs() {
  constexpr Format format = format_of<Type>();
  std::vector<std::pair<Type, Type>> made;
  for (const Raw left : edges(format))
    for (const Raw right : edges(format)) made.emplace_back(at<Type>(left), at<Type>(right));
  std::mt19937_64 random{seed};
  for (int count = 0; count < 4000; ++count) {
    const Type left = at<Type>(random_value(format, random));
    made.emplace_back(left, at<Type>(random_value(format, random)));
  }
  return made;
}

} // namespace

TEMPLATE_TEST_CASE("fixed: operators are the named functions, comparison is that of the numbers", "[vocabulary][fixed]",
                   Fract, UnsignedFract, Accum, UnsignedLongFract) {
  auto next = TestType::lowest();
  next += TestType::resolution();
  CHECK(next.raw() == TestType::lowest().raw() + 1);
  for (const auto& pair : pairs<TestType>()) {
    const TestType left = pair.first, right = pair.second;
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
  }
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
  const bool right = expected == Error::none ? result.ok() && result.status() == Status{} &&
                                                   result.value().raw() == static_cast<Rep>(nearest)
                                             : result.status().error == expected && result.status().where == 17;
  if (!right || (!result.ok() && result.status().value != GivenValue(value)))
    FAIL("from_double " << value << " into " << Format::fraction_bits << " fraction bits and " << sizeof(Rep)
                        << " bytes, seed " << seed);
}

} // namespace

TEMPLATE_TEST_CASE("fixed: doubles become the nearest number, or a status if that is zero or out of range",
                   "[vocabulary][fixed]", ShortFract, UnsignedShortFract, Fract, UnsignedFract, Accum, UnsignedAccum,
                   LongFract, UnsignedLongFract, LongAccum, UnsignedLongAccum, (Fixed<std::int16_t, 40>),
                   (Fixed<std::int32_t, -12>), (Fixed<std::uint64_t, 128>), (Fixed<std::int64_t, -64>)) {
  std::mt19937_64 random{seed};
  for (int count = 0; count < (sanitized ? 20000 : 200000); ++count) {
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
    CHECK(TestType::from_double(value).status().error == Error::weight_out_of_range);
}

TEMPLATE_TEST_CASE("fixed: numbers of up to 53 bits survive the way to double and back", "[vocabulary][fixed]",
                   ShortFract, UnsignedFract, Accum, UnsignedLongFract, (Fixed<std::int16_t, 128>),
                   (Fixed<std::int32_t, -64>)) {
  for (const auto& pair : pairs<TestType>()) {
    const TestType value = pair.first;
    if (value.to_double() != std::ldexp(static_cast<double>(value.raw()), -TestType::fraction_bits) ||
        TestType::from_double(value.to_double()).value() != value)
      FAIL("raw " << +value.raw() << ", seed " << seed);
  }
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
static_assert(((Minimal::constant(-1.5) * Minimal::constant(0.25) - Minimal::from_integer(2)) >> 1).raw() == -38912);

} // namespace
