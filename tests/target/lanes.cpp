// SPDX-License-Identifier: BSL-1.0
// Every operation of the native backend, of the backends below it, and of what all vector backends have from the compiler
// against target::Generic: at the edges of the operands and at random.
#include <array>
#include <cstdint>
#include <cstdio>
#include <type_traits>

#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/target/native.hpp>
#include <tests/support/compilers_own.hpp>
#include <tests/support/seeds.hpp>

namespace {

using neuromorph::target::Generic;
using neuromorph::target::Native;
using Narrow = Generic::Lanes;

// The loops and operations that a backend does not list are not used.
static_assert(neuromorph::target::SaysItsLoops<Native> && neuromorph::target::SaysItsOperations<Native>);
static_assert(neuromorph::target::SaysItsLoops<Generic> && neuromorph::target::SaysItsOperations<Generic>);

// The definition of what has a sentence of 64 bits.
static_assert(Native::multiply_nearest<31>(1U << 31, 5) == 5 && Native::multiply_nearest<31>(1U << 30, 3) == 2);
static_assert(Native::multiply_nearest<32>(1U << 31, 5) == 3 && Native::multiply_nearest<32>(~0U, ~0U) == ~1U);
static_assert(Narrow::multiply_high(INT32_MIN, INT32_MIN) == 0x40000000 && Narrow::multiply_high(-1, 1) == -1);
static_assert(Narrow::multiply_high_nearest(INT32_MIN, 1) == 0 && Narrow::multiply_high_nearest(INT32_MIN, 3) == -1);
static_assert(Narrow::multiply_high_nearest(0x7FFFFFFF, 1) == 0 && Narrow::multiply_high_nearest(0x40000000, 2) == 1);
static_assert(Narrow::multiply_high_offset(-1, 1, 0) == -1 && Narrow::multiply_high_offset(-1, 1, 1) == 0);
static_assert(Narrow::multiply_high_offset(1, 1, -2) == 0 && Narrow::multiply_high_offset(1, 1, -1) == 1);
static_assert(Narrow::multiply_high_offset(INT32_MIN, INT32_MIN, -1) == 0x40000000);
static_assert(Narrow::multiply(0x10001, 0x10001) == 0x20001 && Narrow::multiply(INT32_MIN, -1) == INT32_MIN);
static_assert(Narrow::add_saturating(INT32_MAX, 1) == INT32_MAX && Narrow::add_saturating(INT32_MIN, -1) == INT32_MIN);
static_assert(Narrow::subtract_saturating(INT32_MAX, -1) == INT32_MAX && Narrow::subtract_saturating(0, -5) == 5);
static_assert(Narrow::subtract_saturating(INT32_MIN, 1) == INT32_MIN &&
              Narrow::subtract_saturating(0, INT32_MIN) == INT32_MAX);
static_assert((Narrow::min)(-1, 0) == -1 && (Narrow::max)(-1, 0) == 0 && Narrow::index() == 0);
static_assert(Narrow::shift_left(-3, 31) == INT32_MIN && Narrow::shift_left(5, 0) == 5);
static_assert(Narrow::shift_right_unsigned(-1, 31) == 1 && Narrow::shift_right_each(-5, 1) == -3);
static_assert(Narrow::bit_xor(12, 10) == 6 && Narrow::bit_and(12, 10) == 8);
static_assert(Narrow::less(-1, 0) && !Narrow::less(0, 0) && !Narrow::less(0, -1));
static_assert(Narrow::both(true, true) && !Narrow::both(true, false) && !Narrow::both(false, true) &&
              Narrow::either(true, false) && Narrow::either(false, true) && !Narrow::either(false, false));

static_assert(neuromorph::target::LaneGroup<CompilersOwn::Lanes>);

constexpr std::array<std::int32_t, 18> edges{INT32_MIN, INT32_MIN + 1, -0x40000000, -65537, -65536,     -65535,
                                             -32769,    -32768,        -1,          0,      1,          32767,
                                             32768,     65535,         65536,       65537,  0x40000000, INT32_MAX};
using Word = std::int32_t;
int failures = 0;
const char* lanes = ""; // which are compared
std::uint32_t seed = 0; // of the operands; 0: edges

void expect(const char* operation, std::int32_t found, std::int32_t expected, std::int32_t a, std::int32_t b,
            unsigned amount) {
  if (found == expected) return;
  if (++failures <= 20)
    std::printf("%s: %s(%ld, %ld, %u), seed %lu: %ld instead of %ld\n", lanes, operation, static_cast<long>(a),
                static_cast<long>(b), amount, static_cast<unsigned long>(seed), static_cast<long>(found),
                static_cast<long>(expected));
}

/// One vector of operands through all operations; lane k of the results against the generic operation on lane k.
template <class Wide>
void compare(const std::array<std::int32_t, Wide::count>& a, const std::array<std::int32_t, Wide::count>& b,
             const std::array<std::int32_t, Wide::count>& c, unsigned amount) {
  constexpr std::size_t count = Wide::count;
  std::array<std::int32_t, count> found{};
  const auto wide_a = Wide::load(a.data()), wide_b = Wide::load(b.data()), wide_c = Wide::load(c.data());
  const auto check = [&](const char* operation, typename Wide::Value value, auto expected) {
    Wide::store(found.data(), value);
    for (std::size_t lane = 0; lane < count; ++lane)
      expect(operation, found[lane], expected(a[lane], b[lane]), a[lane], b[lane], amount);
  };
  check("add", Wide::add(wide_a, wide_b), [](Word x, Word y) { return Narrow::add(x, y); });
  check("subtract", Wide::subtract(wide_a, wide_b), [](Word x, Word y) { return Narrow::subtract(x, y); });
  const auto check_binary = [&](const char* operation, auto wide_operation, auto operation_of_one) {
    check(operation, wide_operation(wide_a, wide_b), operation_of_one);
  };
#define CHECK_BINARY(operation)                                                                                        \
  check_binary(                                                                                                        \
      #operation, [](auto x, auto y) { return (Wide::operation)(x, y); },                                              \
      [](Word x, Word y) { return (Narrow::operation)(x, y); })
  CHECK_BINARY(add_saturating);
  CHECK_BINARY(subtract_saturating);
  CHECK_BINARY(min);
  CHECK_BINARY(max);
  CHECK_BINARY(multiply);
  CHECK_BINARY(multiply_high);
  CHECK_BINARY(multiply_high_nearest);
  CHECK_BINARY(bit_and);
  CHECK_BINARY(bit_xor);
#undef CHECK_BINARY
  std::array<std::int32_t, count> amounts{}, lane_numbers{};
  for (std::size_t lane = 0; lane < count; ++lane) {
    amounts[lane] = c[lane] & 31;
    lane_numbers[lane] = static_cast<std::int32_t>(lane);
  }
  std::size_t at = 0; // the lane of the operation that has a third operand
  check("multiply_high_offset", Wide::multiply_high_offset(wide_a, wide_b, wide_c),
        [&](Word x, Word y) { return Narrow::multiply_high_offset(x, y, c[at++]); });
  at = 0;
  check("shift_right_each", Wide::shift_right_each(wide_a, Wide::load(amounts.data())),
        [&](Word x, Word) { return Narrow::shift_right_each(x, amounts[at++]); });
  at = 0;
  check("index", Wide::index(), [&](Word, Word) { return lane_numbers[at++]; });
  check("shift_left", Wide::shift_left(wide_a, Wide::shift(amount)),
        [&](Word x, Word) { return Narrow::shift_left(x, amount); });
  check("shift_right_unsigned", Wide::shift_right_unsigned(wide_a, Wide::shift(amount)),
        [&](Word x, Word) { return Narrow::shift_right_unsigned(x, amount); });
  // amounts that the compiler knows, which some machines have in an instruction
  const auto check_known = [&](auto known) {
    constexpr unsigned by = decltype(known)::value;
    check("shift_right, known", Wide::shift_right(wide_a, Wide::shift(by)),
          [&](Word x, Word) { return Narrow::shift_right(x, by); });
    check("shift_left, known", Wide::shift_left(wide_a, Wide::shift(by)),
          [&](Word x, Word) { return Narrow::shift_left(x, by); });
    check("shift_right_unsigned, known", Wide::shift_right_unsigned(wide_a, Wide::shift(by)),
          [&](Word x, Word) { return Narrow::shift_right_unsigned(x, by); });
    if constexpr (by > 0)
      check("shift_right_nearest, known", Wide::shift_right_nearest(wide_a, Wide::shift(by)),
            [&](Word x, Word) { return Narrow::shift_right_nearest(x, by); });
  };
  check_known(std::integral_constant<unsigned, 0>{});
  check_known(std::integral_constant<unsigned, 1>{});
  check_known(std::integral_constant<unsigned, 16>{});
  check_known(std::integral_constant<unsigned, 31>{});
  check("splat", Wide::splat(b[0]), [&](Word, Word) { return b[0]; });
  check("shift_right", Wide::shift_right(wide_a, Wide::shift(amount)),
        [&](Word x, Word) { return Narrow::shift_right(x, amount); });
  if (amount > 0)
    check("shift_right_nearest", Wide::shift_right_nearest(wide_a, Wide::shift(amount)),
          [&](Word x, Word) { return Narrow::shift_right_nearest(x, amount); });
  std::array<std::int32_t, count> factors{};
  for (std::size_t lane = 0; lane < count; ++lane) factors[lane] = -(b[lane] & 0x7FFF) - ((b[lane] >> 16) & 1);
  const auto factor = Wide::factor(Wide::load(factors.data()));
  const auto negative = [](Word y) { return -(y & 0x7FFF) - ((y >> 16) & 1); };
  check("decay", Wide::decay(wide_a, factor), [&](Word x, Word y) { return Narrow::decay(x, negative(y)); });
  check("decay_nearest", Wide::decay_nearest(wide_a, factor),
        [&](Word x, Word y) { return Narrow::decay_nearest(x, negative(y)); });
  check("select", Wide::select(Wide::is_negative(wide_a), wide_a, wide_b),
        [](Word x, Word y) { return Narrow::select(Narrow::is_negative(x), x, y); });

  check("select by less", Wide::select(Wide::less(wide_a, wide_b), wide_b, wide_c),
        [&, lane = std::size_t{0}](Word x, Word y) mutable {
          const Word otherwise = c[lane++];
          return x < y ? y : otherwise;
        });

  if constexpr (requires { Wide::count_down(wide_a, wide_b, wide_c); }) {
    at = 0;
    const auto left = Wide::shift_right(wide_a, Wide::shift(amount)); // often 0, and beside it
    std::array<Word, count> resets{};
    for (std::size_t lane = 0; lane < count; ++lane) resets[lane] = c[lane] | INT32_MIN;
    const auto below = Wide::load(resets.data());
    check("count_down", Wide::count_down(left, wide_b, below), [&](Word x, Word y) {
      const Word reset = c[at++] | INT32_MIN, steps = x >> amount;
      return steps < 0 ? y : steps == 0 ? reset : steps - 1;
    });
  }

  const auto check_mask = [&](const char* operation, typename Wide::Mask mask, auto expected) {
    const std::uint32_t bits = Wide::bits(mask);
    for (std::size_t lane = 0; lane < count; ++lane)
      expect(operation, (bits >> lane) & 1, expected(a[lane], b[lane]), a[lane], b[lane], amount);
    expect("bits beyond the lanes", static_cast<std::int32_t>(std::uint64_t{bits} >> count), 0, a[0], b[0], amount);
  };
  const auto negative_a = Wide::is_negative(wide_a), negative_b = Wide::is_negative(wide_b);
  check_mask("is_negative", negative_a, [](Word x, Word) { return x < 0; });
  check_mask("less", Wide::less(wide_a, wide_b), [](Word x, Word y) { return x < y; });
  check_mask("and_not", Wide::and_not(negative_a, negative_b), [](Word x, Word y) { return x < 0 && y >= 0; });
  check_mask("both", Wide::both(negative_a, negative_b), [](Word x, Word y) { return x < 0 && y < 0; });
  check_mask("either", Wide::either(negative_a, negative_b), [](Word x, Word y) { return x < 0 || y < 0; });
  check_mask("both of comparisons", Wide::both(Wide::less(wide_a, wide_b), negative_b),
             [](Word x, Word y) { return x < y && y < 0; });

  // Sums that overflow may be anything, but must be reported; others must be right.
  const auto scaled = [&](const char* operation, auto wide_operation, bool may_report_negative) {
    if (amount == 31) return;
    bool any = false, negative_operand = false;
    for (std::size_t lane = 0; lane < count; ++lane) {
      Narrow::Overflow one{};
      (void)Narrow::add_scaled(a[lane], b[lane], amount, one);
      any |= Narrow::any_overflow(one);
      negative_operand |= a[lane] < 0 || b[lane] < 0;
    }
    typename Wide::Overflow overflow{};
    const auto sums = wide_operation(wide_a, wide_b, Wide::scale(amount), overflow);
    const bool reported = Wide::any_overflow(overflow);
    if (!(may_report_negative && negative_operand))
      expect("overflow report", reported, any, a[0], b[0], amount);
    else
      expect("overflow report", reported || !any, 1, a[0], b[0], amount);
    if (!reported)
      check(operation, sums, [&](Word x, Word y) { return static_cast<Word>(x + (std::int64_t{y} << amount)); });
  };
  scaled(
      "add_scaled", [](const auto& x, const auto& y, const auto& s, auto& o) { return Wide::add_scaled(x, y, s, o); },
      false);
  scaled(
      "add_scaled_magnitudes",
      [](const auto& x, const auto& y, const auto& s, auto& o) { return Wide::add_scaled_magnitudes(x, y, s, o); },
      true);

  for (const Word dither : {Word{0}, Word{-1}, Word{0x12348765}, b[0]})
    check("multiply_high_pairs", Wide::multiply_high_pairs(wide_a, wide_b, Wide::splat(dither)),
          [&](Word x, Word y) { return Narrow::multiply_high_pairs(x, y, dither); });
  check("add_saturating_pairs", Wide::add_saturating_pairs(wide_a, wide_b),
        [](Word x, Word y) { return Narrow::add_saturating_pairs(x, y); });
  check("multiply_add_pairs", Wide::multiply_add_pairs(Wide::splat(b[0]), wide_a, wide_b),
        [&](Word x, Word y) { return Narrow::multiply_add_pairs(b[0], x, y); });
  bool any_full = false;
  for (const Word x : a) any_full |= Narrow::any_full_pair(x);
  expect("any_full_pair", Wide::any_full_pair(wide_a), any_full, a[0], 0, 0);
  std::array<std::uint16_t, count> lows{}, highs{};
  for (std::size_t lane = 0; lane < count; ++lane) {
    lows[lane] = static_cast<std::uint16_t>(a[lane]);
    highs[lane] = static_cast<std::uint16_t>(b[lane]);
  }
  check("load_pairs", Wide::load_pairs(lows.data(), highs.data()), [](Word x, Word y) {
    return static_cast<Word>(static_cast<std::uint32_t>(y) << 16 | (static_cast<std::uint32_t>(x) & 0xFFFF));
  });

  std::array<std::int16_t, count> halves{};
  std::array<std::uint16_t, count> unsigned_halves{};
  for (std::size_t lane = 0; lane < count; ++lane) {
    halves[lane] = static_cast<std::int16_t>(a[lane]);
    unsigned_halves[lane] = static_cast<std::uint16_t>(a[lane]);
  }
  check("load int16", Wide::load(halves.data()), [](Word x, Word) { return static_cast<std::int16_t>(x); });
  check("load uint16", Wide::load(unsigned_halves.data()), [](Word x, Word) { return static_cast<std::uint16_t>(x); });
  std::array<std::int16_t, count + 1> stored{};
  std::array<std::uint16_t, count + 1> stored_unsigned{};
  stored[count] = 77, stored_unsigned[count] = 77;
  Wide::store(stored.data(), wide_a);
  Wide::store(stored_unsigned.data(), wide_b);
  for (std::size_t lane = 0; lane < count; ++lane) {
    expect("store int16", stored[lane], static_cast<std::int16_t>(a[lane]), a[lane], 0, 0);
    expect("store uint16", stored_unsigned[lane], static_cast<std::uint16_t>(b[lane]), b[lane], 0, 0);
  }
  expect("stored beyond the lanes", stored[count] + stored_unsigned[count], 154, 0, 0, 0);
  Wide::store_zero(halves.data());
  Wide::store_zero(found.data());
  for (std::size_t lane = 0; lane < count; ++lane) expect("store_zero", found[lane] | halves[lane], 0, 0, 0, 0);
}

void compare_scalars(std::int32_t a, std::int32_t b) {
  // against the definition in 64 bits
  const auto wrapped = [](std::int64_t value) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(value)); };
  const auto half = static_cast<std::int16_t>(b);
  expect("multiply_add_high 16", Native::multiply_add_high(b, a, half), wrapped(b + ((std::int64_t{a} * half) >> 16)),
         a, b, 0);
  expect("multiply_add_high 32", Native::multiply_add_high(b, a, b), wrapped(b + ((std::int64_t{a} * b) >> 32)), a, b,
         0);
  const auto one = static_cast<std::uint32_t>(a), other = static_cast<std::uint32_t>(b);
  const std::uint64_t product = std::uint64_t{one} * other;
  expect("multiply_nearest 31", static_cast<std::int32_t>(Native::multiply_nearest<31>(one, other)),
         wrapped(static_cast<std::int64_t>((product >> 31) + ((product >> 30) & 1))), a, b, 0);
  expect("multiply_nearest 32", static_cast<std::int32_t>(Native::multiply_nearest<32>(one, other)),
         wrapped(static_cast<std::int64_t>((product >> 32) + ((product >> 31) & 1))), a, b, 0);
  struct alignas(8) Both {
    std::int32_t first, second;
  };
  const std::array<Both, 2> stored{Both{b, b}, Both{a, b}};
  const Both loaded = Native::load_at_once(stored[1]);
  expect("load_at_once", loaded.first, a, a, b, 0);
  expect("load_at_once", loaded.second, b, a, b, 1);
  const std::int64_t sum = std::int64_t{a} + b;
  expect("add_saturating", Native::add_saturating(a, b),
         static_cast<std::int32_t>(sum > INT32_MAX   ? INT32_MAX
                                   : sum < INT32_MIN ? INT32_MIN
                                                     : sum),
         a, b, 0);
}

/// All operands through the lanes of a backend.
template <class Wide>
void compare_lanes(const char* name) {
  constexpr std::size_t count = Wide::count;
  lanes = name;
  seed = 0;
  std::array<std::int32_t, count> a{}, b{}, c{};
  for (const std::int32_t x : edges)
    for (std::size_t first = 0; first < edges.size(); ++first)
      for (unsigned amount = 0; amount < 32; ++amount) {
        for (std::size_t lane = 0; lane < count; ++lane) {
          a[lane] = x;
          b[lane] = edges[(first + lane) % edges.size()];
          c[lane] = Narrow::add(edges[(first + amount + 7 * lane) % edges.size()], static_cast<Word>(lane));
        }
        compare<Wide>(a, b, c, amount);
      }
  for (const std::uint32_t of_turns : Seeds(40)) {
    seed = of_turns;
    neuromorph::Sfc32 random(neuromorph::StreamId{.seed = seed});
    for (int turn = 0; turn < 500; ++turn) {
      const unsigned narrow = random.next() % 31;
      for (std::size_t lane = 0; lane < count; ++lane) {
        a[lane] = static_cast<std::int32_t>(random.next()) >> (random.next() % 31);
        b[lane] = static_cast<std::int32_t>(random.next()) >> narrow;
        c[lane] = static_cast<std::int32_t>(random.next());
        if (turn % 2 == 0) a[lane] &= INT32_MAX, b[lane] &= INT32_MAX;
        if (turn % 8 == 1) b[lane] = a[lane];
      }
      compare<Wide>(a, b, c, random.next() % 32);
    }
  }
  std::printf("%s: %u lanes, %d failures\n", name, static_cast<unsigned>(count), failures);
}

} // namespace

int main() {
  for (const std::int32_t x : edges)
    for (const std::int32_t y : edges) compare_scalars(x, y);
  for (const std::uint32_t of_turns : Seeds(40)) {
    seed = of_turns;
    neuromorph::Sfc32 random(neuromorph::StreamId{.seed = seed});
    for (int turn = 0; turn < 500; ++turn) {
      const auto x = static_cast<std::int32_t>(random.next()) >> (random.next() % 31);
      compare_scalars(x, static_cast<std::int32_t>(random.next()) >> (random.next() % 31));
    }
  }
  compare_lanes<Native::Lanes>("native");
  compare_lanes<CompilersOwn::Lanes>("of the compiler");
#if defined(__AVX512BW__) && defined(__AVX512VNNI__)
  compare_lanes<neuromorph::target::Avx2::Lanes>("AVX2 with AVX-512");
#endif
#if defined(__AVX2__)
  compare_lanes<neuromorph::target::Sse41::Lanes>("SSE4.1 with AVX2");
#endif
  return failures == 0 ? 0 : 1;
}
