// SPDX-License-Identifier: BSL-1.0
// Alias tables: their implied probabilities to the last bit, each cell's tie, and their draws; tests/target/draws.cpp has the
// loops of backends.
#include <neuromorph/kernels/random/alias_table.hpp>

#include <neuromorph/kernels/random/jkiss64.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/sfc32x16.hpp>
#include <neuromorph/kernels/random/word_table.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/randomness.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

__extension__ using Wide = unsigned __int128;
using randomness::Counting;
using Scripted = randomness::Scripted<>;

constexpr std::uint64_t open_mask = (std::uint64_t{1} << 48) - 1;

/// Adds up all cells: the probability of each outcome is that of the distribution, without an error.
template <std::size_t Cells>
void check_masses(const AliasTable<Cells>& table, const Cumulative& distribution) {
  constexpr Wide cell_mass = (Wide{1} << 64) / Cells;
  std::array<Wide, 256> mass{};
  for (std::size_t cell = 0; cell < Cells; ++cell) {
    REQUIRE(table.threshold(cell) < cell_mass);
    REQUIRE(table.own(cell) < 256);
    REQUIRE(table.alias(cell) < 256);
    mass[table.own(cell)] += table.threshold(cell);
    mass[table.alias(cell)] += cell_mass - table.threshold(cell);
  }
  for (std::size_t k = 0; k < 256; ++k)
    if (mass[k] != (distribution.is_sure(k) ? Wide{1} << 64 : Wide{distribution.mass(k)})) FAIL("outcome " << k);
}

/// Numbers around each threshold, in words that are made for them: what comes out, and how many words it takes.
template <std::size_t Cells>
void check_draws(const AliasTable<Cells>& table) {
  for (std::size_t cell = 0; cell < Cells; ++cell) {
    const std::uint64_t threshold = table.threshold(cell);
    std::vector<std::uint64_t> numbers{0, (std::uint64_t{1} << (64 - AliasTable<Cells>::cell_bits)) - 1};
    for (const std::uint64_t step : {std::uint64_t{0}, std::uint64_t{1}, open_mask, open_mask + 1})
      for (const std::uint64_t number :
           {threshold - step, threshold + step, threshold & ~open_mask, threshold | open_mask})
        if (number <= numbers[1]) numbers.push_back(number);
    for (const std::uint64_t number : numbers) {
      const auto half = static_cast<std::uint32_t>(number >> 48 << AliasTable<Cells>::cell_bits | cell);
      const auto high = static_cast<std::uint32_t>(number >> 16),
                 low = static_cast<std::uint32_t>(number << 16 | 0xBEEF);
      const std::uint32_t expected = number < threshold ? table.own(cell) : table.alias(cell);
      const bool is_open = number >> 48 == threshold >> 48;
      for (const std::uint32_t other : {half, half ^ 0x8000U, ~half & 0xFFFFU}) {
        Scripted source{{other << 16 | half, high, low}};
        if (table.draw(source) != expected || source.drawn != (is_open ? 3 : 1))
          FAIL("cell " << cell << ", " << number);
        // The same in either half of a word of a block; the other value first where it is open, too.
        std::array<std::uint8_t, 2> values{};
        Scripted lower{{other << 16 | half, high, low}};
        table.fill(lower, std::span(values));
        if (values[0] != expected) FAIL("lower half, cell " << cell << ", " << number);
        const bool both = other == half && is_open;
        Scripted upper{{half << 16 | other, both ? 0 : high, both ? 0 : low, high, low}};
        if (!both && other != half && other >> AliasTable<Cells>::cell_bits == table.threshold(other % Cells) >> 48)
          continue; // an open one, of which this says nothing
        table.fill(upper, std::span(values));
        if (values[1] != expected) FAIL("upper half, cell " << cell << ", " << number);
      }
    }
  }
}

template <std::size_t Cells>
bool check_of(const Cumulative& distribution) {
  if (!AliasTable<Cells>::suits(distribution)) return false;
  const AliasTable<Cells> table(distribution);
  check_masses(table, distribution);
  check_draws(table);
  return true;
}

template <class Description>
unsigned check(const Description& description) {
  const Cumulative distribution = description.cumulative().value();
  return (check_of<32>(distribution) ? 1U : 0U) + (check_of<64>(distribution) ? 1U : 0U) +
         (check_of<128>(distribution) ? 1U : 0U);
}

/// Of as many draws, with a cell of what is expected less than ten times.
template <class Table, class Source>
double p_value(const Table& table, const Cumulative& distribution, Source source, std::size_t count) {
  std::vector<std::uint8_t> values(count);
  table.fill(source, std::span(values));
  std::vector<std::uint64_t> counts;
  std::vector<double> expected;
  std::array<std::uint64_t, 256> found{};
  for (const std::uint8_t value : values) ++found[value];
  std::uint64_t rest = 0;
  double expected_rest = 0;
  for (std::size_t k = 0; k < 256; ++k) {
    const double chance = distribution.is_sure(k) ? 1 : static_cast<double>(distribution.mass(k)) * 0x1p-64;
    if (chance * static_cast<double>(count) < 10) {
      rest += found[k], expected_rest += chance * static_cast<double>(count);
    } else {
      counts.push_back(found[k]), expected.push_back(chance * static_cast<double>(count));
    }
  }
  if (expected_rest > 1) counts.push_back(rest), expected.push_back(expected_rest);
  return randomness::chi_square(counts, expected);
}

} // namespace

TEST_CASE("alias_table: implies the distribution to the last bit", "[kernels][alias_table]") {
  unsigned made = 0;
  for (double rate = 0.001; rate <= 16; rate = rate * 1.1 + 0.001) {
    INFO("rate " << rate);
    const unsigned tables = check(Poisson(rate));
    CHECK(tables >= 1);
    made += tables;
  }
  CHECK(made > 200);
  CHECK(check(Poisson(1e-30)) == 3); // sure
  CHECK(check(Poisson(40)) == 1);
  CHECK(check(Poisson(64)) == 0);
  CHECK(check(PositivePoisson(2.5)) == 3);
  CHECK(check(Binomial(30, 0.7)) == 3);
  CHECK(check(Binomial(200, 1.0)) == 3);
  CHECK(check(Hypergeometric{60, 20, 15}) == 3);
  CHECK(check(Weights({3.0, 0.1, 0.0, 5.0, 1.0, 1.0})) == 3);
  CHECK(check(Weights({0.0, 4.0})) == 3);
  CHECK(check(Weights({1.0, 1.0, 1.0, 1.0})) == 3); // whole cells alone
  std::array<double, 256> weights{};
  for (std::size_t k = 1; k < 256; k += 2) weights[k] = 1; // 128 of them, up to the highest
  CHECK(check(Weights<256>(weights)) == 1);
  weights[254] = 1e-15;
  CHECK(check(Weights<256>(weights)) == 0);
}

TEST_CASE("alias_table: any weights", "[kernels][alias_table]") {
  for (const std::uint32_t seed : Seeds(60)) {
    CAPTURE(seed);
    Sfc32 random(StreamId{seed, 8, 8});
    std::array<double, 256> weights{};
    const std::uint32_t outcomes = 1 + random.next() % 128, shape = random.next() % 3;
    for (std::uint32_t i = 0; i < outcomes; ++i) {
      const double weight = shape == 0   ? 1
                            : shape == 1 ? random.next()
                                         : std::ldexp(1.0, -static_cast<int>(random.next() % 60));
      weights[random.next() % 256] = weight;
    }
    weights[random.next() % 256] = 1;
    const unsigned tables = check(Weights<256>(weights));
    const auto used =
        static_cast<std::size_t>(std::count_if(weights.begin(), weights.end(), [](double w) { return w != 0; }));
    CHECK(tables == (used <= 32 ? 3U : used <= 64 ? 2U : used <= 128 ? 1U : 0U));
  }
}

TEST_CASE("alias_table: outcomes that lack one of 2^64, or have one too many", "[kernels][alias_table]") {
  constexpr std::uint64_t whole = std::uint64_t{1} << 59; // a cell
  for (std::uint32_t lacks = 0; lacks < 32; ++lacks)
    for (const std::uint32_t has : {(lacks + 1) % 32, (lacks + 31) % 32, (lacks + 9) % 32}) {
      Cumulative distribution;
      distribution.outcomes = 32;
      std::uint64_t sum = 0;
      for (std::uint32_t k = 0; k < 31; ++k) {
        sum += whole - (k == lacks ? 1 : 0) + (k == has ? 1 : 0);
        distribution.bounds[k] = sum;
      }
      check_masses(AliasTable<32>(distribution), distribution);
      check_masses(AliasTable<64>(distribution), distribution);
    }
}

TEST_CASE("alias_table: tables made while loading are those of compile time", "[kernels][alias_table]") {
  const volatile double loaded = 1.2; // which the compiler does not know
  constexpr const auto& table = alias_table<Poisson(1.2)>;
  CHECK(AliasTable<32>::from(Poisson(loaded)).value() == table);
  CHECK(sizeof(table) == 32 * 14);
  CHECK(sizeof(alias_table<Poisson(5.0)>) == 64 * 14);
  CHECK(sizeof(alias_table<Poisson(20.0)>) == 128 * 14);
  constexpr std::array<std::uint8_t, 90> values = [] {
    std::array<std::uint8_t, 90> drawn{};
    Sfc32x16 source(StreamId{1, 2, 3});
    alias_table<Poisson(1.2)>.fill(source, std::span(drawn));
    return drawn;
  }();
  std::array<std::uint8_t, 90> drawn{};
  Sfc32x16 source(StreamId{1, 2, 3});
  table.fill(source, std::span(drawn));
  CHECK(drawn == values);
}

TEST_CASE("alias_table: as few cells as outcomes need", "[kernels][alias_table]") {
  const auto outcomes = [](double rate) { return AliasTable<32>::outcomes_of(Poisson(rate).cumulative().value()); };
  CHECK(outcomes(1.2) == 22);
  CHECK(outcomes(1.6) == 25);
  CHECK(outcomes(5) == 38);
  CHECK(outcomes(20) == 74);
  CHECK(outcomes(40) == 111);
  const auto cells = []<std::size_t Cells>(const AliasTable<Cells>&) { return Cells; };
  std::array<double, 256> even{};
  const auto needs = [&](std::size_t used) {
    even.fill(0);
    for (std::size_t k = 0; k < used; ++k) even[2 * k] = 1;
    const Cumulative distribution = Weights<256>(even).cumulative().value();
    return AliasTable<32>::suits(distribution) ? 32 : AliasTable<64>::suits(distribution) ? 64 : 128;
  };
  CHECK(needs(32) == 32);
  CHECK(needs(33) == 64);
  CHECK(needs(64) == 64);
  CHECK(needs(65) == 128);
  CHECK(cells(alias_table<Binomial(31, 0.5)>) == 32);
  CHECK(cells(alias_table<Binomial(32, 0.5)>) == 64);
  CHECK(cells(alias_table<Binomial(64, 0.5)>) == 128);
}

TEST_CASE("alias_table: what a table cannot hold is refused", "[kernels][alias_table]") {
  CHECK(AliasTable<32>::from(Poisson(5)).status() == Status{Error::buffer_full, 38, 38});
  CHECK(AliasTable<64>::from(Poisson(5)).ok());
  // Of the 151 outcomes at a rate of 64, the lowest have less than 2^-65 each, and so no chance.
  const Cumulative many = Poisson(64).cumulative().value();
  std::uint32_t used = 0;
  for (std::size_t k = 0; k < 151; ++k) used += many.mass(k) != 0 ? 1U : 0U;
  CHECK(used == 144);
  CHECK(AliasTable<128>::from(Poisson(64)).status() == Status{Error::buffer_full, used, used});
  CHECK(AliasTable<32>::from(Poisson(-1)).status().error == Error::parameter_out_of_range);
  CHECK(AliasTable<32>::from(Poisson(65)).status().error == Error::parameter_out_of_range);
  Sfc32 source;
  const AliasTable<64> none;
  std::array<std::uint8_t, 200> values{};
  values.fill(7);
  none.fill(source, std::span(values));
  CHECK(std::all_of(values.begin(), values.end(), [](std::uint8_t value) { return value == 0; }));
}

TEST_CASE("alias_table: draw is a fill of one value, and a split at whole blocks changes nothing",
          "[kernels][alias_table]") {
  static const AliasTable<32> table = AliasTable<32>::from(Poisson(3)).value();
  Jkiss64 one, two;
  for (int i = 0; i < 10'000; ++i) {
    std::array<std::uint8_t, 1> value{};
    table.fill(one, std::span(value));
    REQUIRE(table.draw(two) == value[0]);
  }
  CHECK(one == two);
  constexpr std::size_t block = AliasTable<32>::block_values;
  Sfc32x16 all, parts;
  std::vector<std::uint8_t> whole(5 * block + 77), split(whole.size());
  for (int turn = 0; turn < 50; ++turn) {
    table.fill(all, std::span(whole));
    table.fill(parts, std::span(split).first(2 * block));
    table.fill(parts, std::span(split).subspan(2 * block, block));
    table.fill(parts, std::span(split).subspan(3 * block));
    REQUIRE(whole == split);
    REQUIRE(all == parts);
  }
}

TEST_CASE("alias_table: random bits per value are as stated", "[kernels][alias_table]") {
  Counting<Sfc32> source{};
  std::vector<std::uint8_t> values(1'024'000);
  alias_table<Poisson(1.2)>.fill(source, std::span(values));
  const double bits = 32.0 * static_cast<double>(source.drawn) / static_cast<double>(values.size());
  CHECK(bits == Approx(16 + 64 / 2048.0).margin(0.01));
  source.drawn = 0;
  alias_table<Poisson(5.0)>.fill(source, std::span(values));
  CHECK(32.0 * static_cast<double>(source.drawn) / static_cast<double>(values.size()) ==
        Approx(16 + 64 / 1024.0).margin(0.01));
}

TEST_CASE("alias_table: a million draws fit the distribution", "[kernels][alias_table]") {
  randomness::PValues values;
  std::uint32_t number = 0;
  const auto add = [&](const Cumulative& distribution) {
    const AliasTable<128> table(distribution);
    values.push_back(p_value(table, distribution, Sfc32x16(StreamId{++number, 1, 0}), 1'000'000));
    if (!AliasTable<32>::suits(distribution)) return;
    const AliasTable<32> small(distribution);
    values.push_back(p_value(small, distribution, Sfc32x16(StreamId{++number, 2, 0}), 1'000'000));
    values.push_back(p_value(small, distribution, Jkiss64(StreamId{++number, 3, 0}), 1'000'000));
  };
  for (const double rate : {0.01, 0.1, 1.2, 1.6, 3.0, 8.0, 16.0}) add(Poisson(rate).cumulative().value());
  add(Binomial(40, 0.7).cumulative().value());
  add(Hypergeometric{60, 20, 15}.cumulative().value());
  add(Weights({3.0, 0.1, 0.0, 5.0, 1.0, 1.0}).cumulative().value());
  CHECK(randomness::verdict(values) > 0.01);
  // and notices what is not it
  const AliasTable<32> table(Poisson(1.2).cumulative().value());
  CHECK(p_value(table, Poisson(1.21).cumulative().value(), Sfc32x16(), 1'000'000) < 1e-6);
}

TEST_CASE("alias_table: values beside each other are independent", "[kernels][alias_table]") {
  const Cumulative distribution = Poisson(1.2).cumulative().value();
  const AliasTable<32> table(distribution);
  Sfc32x16 source(StreamId{9, 9, 9});
  std::vector<std::uint8_t> values(2'000'000);
  table.fill(source, std::span(values));
  // In a word, in neighbouring words, in the same lane of neighbouring rounds.
  for (const std::size_t distance : {1U, 2U, 32U}) {
    std::vector<std::uint64_t> counts(36);
    std::vector<double> expected(36);
    std::size_t pairs = 0;
    for (std::size_t i = 0; i + distance < values.size(); i += 2 * distance)
      for (std::size_t at = i; at < i + distance && at + distance < values.size(); ++at, ++pairs)
        ++counts[std::min<std::size_t>(values[at], 5) * 6 + std::min<std::size_t>(values[at + distance], 5)];
    const auto chance = [&](std::size_t k) {
      return static_cast<double>(k == 5 ? 0 - distribution.bounds[4] : distribution.mass(k)) * 0x1p-64;
    };
    for (std::size_t i = 0; i < 36; ++i) expected[i] = static_cast<double>(pairs) * chance(i / 6) * chance(i % 6);
    const double p = randomness::chi_square(counts, expected);
    CHECK(p > 0.001);
    CHECK(p < 0.999);
  }
}
