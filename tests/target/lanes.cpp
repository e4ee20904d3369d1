// SPDX-License-Identifier: BSL-1.0
// Every operation of the native backend against target::Generic: at the edges of the operands and at random.
#include <array>
#include <cstdint>
#include <cstdio>

#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/target/native.hpp>

namespace {

using neuromorph::target::Generic;
using neuromorph::target::Native;
using Wide = Native::Lanes;
using Narrow = Generic::Lanes;

// The loops and operations that a backend does not list are not used.
static_assert(neuromorph::target::SaysItsLoops<Native> && neuromorph::target::SaysItsOperations<Native>);
static_assert(neuromorph::target::SaysItsLoops<Generic> && neuromorph::target::SaysItsOperations<Generic>);

constexpr std::size_t count = Wide::count;
constexpr std::array<std::int32_t, 18> edges{INT32_MIN, INT32_MIN + 1, -0x40000000, -65537, -65536,     -65535,
                                             -32769,    -32768,        -1,          0,      1,          32767,
                                             32768,     65535,         65536,       65537,  0x40000000, INT32_MAX};
int failures = 0;

void expect(const char* operation, std::int32_t found, std::int32_t expected, std::int32_t a, std::int32_t b,
            unsigned amount) {
  if (found == expected) return;
  if (++failures <= 20)
    std::printf("%s(%ld, %ld, %u): %ld instead of %ld\n", operation, static_cast<long>(a), static_cast<long>(b), amount,
                static_cast<long>(found), static_cast<long>(expected));
}

/// One vector of operands through all operations; lane k of the results against the generic operation on lane k.
void compare(const std::array<std::int32_t, count>& a, const std::array<std::int32_t, count>& b, unsigned amount) {
  std::array<std::int32_t, count> found{};
  const auto wide_a = Wide::load(a.data()), wide_b = Wide::load(b.data());
  const auto check = [&](const char* operation, Wide::Value value, auto expected) {
    Wide::store(found.data(), value);
    for (std::size_t lane = 0; lane < count; ++lane)
      expect(operation, found[lane], expected(a[lane], b[lane]), a[lane], b[lane], amount);
  };
  using Word = std::int32_t;
  check("add", Wide::add(wide_a, wide_b), [](Word x, Word y) { return Narrow::add(x, y); });
  check("subtract", Wide::subtract(wide_a, wide_b), [](Word x, Word y) { return Narrow::subtract(x, y); });
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

  const auto both = Wide::and_not(Wide::is_negative(wide_a), Wide::is_negative(wide_b));
  for (std::size_t lane = 0; lane < count; ++lane)
    expect("bits", (Wide::bits(both) >> lane) & 1, a[lane] < 0 && b[lane] >= 0, a[lane], b[lane], amount);

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
  const std::int64_t sum = std::int64_t{a} + b;
  expect("add_saturating", Native::add_saturating(a, b),
         static_cast<std::int32_t>(sum > INT32_MAX   ? INT32_MAX
                                   : sum < INT32_MIN ? INT32_MIN
                                                     : sum),
         a, b, 0);
}

} // namespace

int main() {
  std::array<std::int32_t, count> a{}, b{};
  for (const std::int32_t x : edges)
    for (std::size_t first = 0; first < edges.size(); ++first) {
      for (std::size_t lane = 0; lane < count; ++lane) {
        a[lane] = x;
        b[lane] = edges[(first + lane) % edges.size()];
      }
      for (unsigned amount = 0; amount < 32; ++amount) compare(a, b, amount);
      compare_scalars(x, b[0]);
    }
  neuromorph::Sfc32 random;
  for (int turn = 0; turn < 20000; ++turn) {
    const unsigned narrow = random.next() % 31;
    for (std::size_t lane = 0; lane < count; ++lane) {
      a[lane] = static_cast<std::int32_t>(random.next()) >> (random.next() % 31);
      b[lane] = static_cast<std::int32_t>(random.next()) >> narrow;
      if (turn % 2 == 0) a[lane] &= INT32_MAX, b[lane] &= INT32_MAX;
    }
    compare(a, b, random.next() % 32);
    compare_scalars(a[0], b[0]);
  }
  std::printf("%u lanes, %d failures\n", static_cast<unsigned>(count), failures);
  return failures == 0 ? 0 : 1;
}
