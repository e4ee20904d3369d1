// SPDX-License-Identifier: BSL-1.0
// Samplers: their implied probabilities to the last bit, and their draws; discrete_table_blocks.cpp has their blocks.
#include <neuromorph/kernels/random/discrete_table.hpp>

#include <neuromorph/kernels/random/byte_table.hpp>
#include <neuromorph/kernels/random/jkiss64.hpp>
#include <neuromorph/kernels/random/pair_table.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/word_table.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/discrete_tables.hpp"
#include "tests/support/randomness.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

__extension__ using Wide = unsigned __int128;

using discrete_tables::bounds_of, discrete_tables::is_open, discrete_tables::outcome_of;
using discrete_tables::loaded_bytes, discrete_tables::loaded_pairs, discrete_tables::loaded_words;
using discrete_tables::lower, discrete_tables::upper;
using randomness::Counting;
using Scripted = randomness::Scripted<>;

// Numbers around each bound below a limit, where an error of one would show.
std::vector<std::uint64_t> around(const std::vector<std::uint64_t>& bounds, std::uint64_t highest) {
  std::vector<std::uint64_t> numbers{
      0, 1, 0xFFFF'FFFFU, 0x1'0000'0000U, highest, highest - 1, highest & ~std::uint64_t{0xFFFF'FFFFU}};
  for (const std::uint64_t bound : bounds)
    for (const std::uint64_t number : {bound - 1, bound, bound + 1, bound & ~std::uint64_t{0xFFFF'FFFFU},
                                       bound | 0xFFFF'FFFFU, bound + 0x1'0000'0000U, bound - 0x1'0000'0000U})
      if (number <= highest) numbers.push_back(number);
  return numbers;
}

template <class Table>
void check_words(const Table& table, const Cumulative& distribution) {
  const auto bounds = bounds_of(table.bounds());
  REQUIRE(bounds.size() + 1 == distribution.outcomes);
  for (std::size_t k = 0; k < bounds.size(); ++k) CHECK(bounds[k] == distribution.bounds[k]);
  for (const std::uint64_t number : around(bounds, ~0ULL)) {
    Scripted source{{upper(number), lower(number)}};
    CHECK(table.draw(source) == outcome_of(bounds, number));
    CHECK(source.drawn == (is_open(bounds, upper(number)) ? 2 : 1));
  }
}

template <class Table>
void check_bytes(const Table& table, const Cumulative& distribution) {
  // Every cell and every escape: the probability is that of the distribution, without an error.
  std::array<Wide, 256> mass{};
  for (std::uint32_t cell = 0; cell < 256; ++cell) {
    if (cell < table.escape_cells()) {
      CHECK(table.cells()[cell] == (Table::mark | cell));
    } else {
      REQUIRE(table.cells()[cell] < Table::mark);
      mass[table.cells()[cell]] += Wide{1} << 56;
    }
  }
  const auto bounds = bounds_of(table.bounds());
  const Wide total = Wide{table.escape_cells()} << 56;
  Wide before = 0;
  for (std::size_t k = 0; k <= bounds.size(); ++k) {
    const Wide bound = k < bounds.size() ? Wide{bounds[k]} : total;
    REQUIRE(bound >= before);
    REQUIRE(bound <= total);
    mass[k] += bound - before;
    before = bound;
  }
  for (std::size_t k = 0; k < 256; ++k)
    CHECK(mass[k] == (distribution.is_sure(k) ? Wide{1} << 64 : Wide{distribution.mass(k)}));

  if (table.escape_cells() == 0) return;
  for (const std::uint64_t number : around(bounds, static_cast<std::uint64_t>(total - 1))) {
    const std::uint32_t key = upper(number);
    Scripted source{{0xABCDEF00U | key >> 24, key << 8 | 0x5AU, lower(number)}};
    CHECK(table.draw(source) == outcome_of(bounds, number));
    CHECK(source.drawn == (is_open(bounds, key) ? 3 : 2));
  }
}

template <class Table>
void check_pairs(const Table& table, const Cumulative& distribution) {
  check_words(table.words(), distribution);
  // In units of 2^-128.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Wide> mass;
  for (std::uint32_t cell = 0; cell < 1024; ++cell) {
    const std::uint32_t pair = table.cells()[cell];
    if (cell < table.escape_cells()) {
      CHECK(pair == (Table::mark | cell));
    } else {
      REQUIRE(pair < Table::mark);
      mass[{pair & 255U, pair >> 8}] += Wide{1} << 118;
    }
  }
  const auto bounds = bounds_of(table.bounds());
  const std::uint64_t total = std::uint64_t{table.escape_cells()} << 54;
  std::uint64_t before = 0;
  for (std::size_t at = 0; total != 0 && at <= bounds.size(); ++at) {
    const std::uint64_t bound = at < bounds.size() ? bounds[at] : total;
    REQUIRE(bound > before);
    REQUIRE(bound <= total);
    const std::uint32_t pair = table.listed()[at], first = pair & 255;
    if (pair < pair_first_alone) {
      mass[{first, pair >> 8}] += Wide{bound - before} << 64;
    } else {
      for (std::uint32_t second = 0; second < distribution.outcomes; ++second)
        mass[{first, second}] += Wide{bound - before} * distribution.mass(second);
    }
    before = bound;
  }
  for (std::uint32_t escape = 0; escape < table.escape_cells(); ++escape) {
    const std::uint32_t start = table.starts()[escape];
    CHECK((start == 0 || upper(bounds[start - 1]) < escape << 22));
    CHECK((start == bounds.size() || upper(bounds[start]) >= escape << 22));
  }
  for (std::uint32_t first = 0; first < distribution.outcomes; ++first)
    for (std::uint32_t second = 0; second < distribution.outcomes; ++second) {
      const Wide product = Wide{distribution.mass(first)} * distribution.mass(second);
      const Wide found = mass[{first, second}];
      if ((product > found ? product - found : found - product) > Wide{1} << 64) {
        INFO(first << ", " << second);
        CHECK(product == found);
      }
    }

  // Each number of the escapes leads to the pair within whose bounds it is.
  if (table.escape_cells() == 0) return;
  for (const std::uint64_t number : around(bounds, total - 1)) {
    const std::uint32_t key = upper(number);
    Scripted source{{key >> 22, key << 10 | 0x155U}};
    if (is_open(bounds, key)) source.words.push_back(lower(number));
    const std::size_t words = source.words.size();
    source.words.push_back(0xC000'0000U);
    std::array<std::uint8_t, 2> values{};
    table.fill(source, std::span(values));
    const std::uint32_t pair = table.listed()[outcome_of(bounds, number)];
    const bool alone = pair >= pair_first_alone;
    CHECK(values[0] == (pair & 255));
    CHECK(values[1] == (alone ? outcome_of(bounds_of(table.words().bounds()), 0xC000'0000'0000'0000U) : pair >> 8));
    CHECK(source.drawn == words + alone);
  }
}

// P-value of a million draws.
template <class Fill>
double chi_square_of(const Cumulative& distribution, Fill fill, std::size_t draws = 1'000'000) {
  std::vector<std::uint8_t> values(draws);
  fill(std::span(values));
  std::vector<std::uint64_t> found(256);
  for (const std::uint8_t value : values) ++found[value];
  randomness::Classes classes;
  for (std::size_t k = 0; k < 256; ++k)
    classes.add(found[k], static_cast<double>(distribution.mass(k)) * 0x1p-64 * static_cast<double>(draws));
  return classes.chi_square();
}

template <auto description>
randomness::PValues p_values_of_draws(std::uint64_t seed) {
  const Cumulative distribution = description.cumulative().value();
  randomness::PValues values;
  const auto draw = [&](const auto& table) {
    Sfc32 small_source(StreamId{seed, 0, 0});
    Jkiss64 kiss(StreamId{seed, 0, 1});
    values.push_back(chi_square_of(distribution, [&](auto to) { table.fill(small_source, to); }));
    values.push_back(chi_square_of(distribution, [&](auto to) { table.fill(kiss, to); }));
  };
  draw(loaded_words<description>());
  if (ByteTable<256>::suits(distribution)) draw(loaded_bytes<description>());
  if (PairTable<256, 1>::suits(PairShape::of(distribution))) draw(loaded_pairs<description>());
  return values;
}

// The published byte table for a rate of 1.6 (Streamlining SpiNNaker, section 1.5): cells as printed, and for the byte
// 0 a search of the published 32-bit table with the upper 24 bits of a word.
template <class Source>
std::uint8_t published_byte(Source& source, std::uint32_t byte) {
  constexpr std::array<std::uint32_t, 6> cells{204, 121, 55, 20, 6, 1};
  constexpr std::array<std::uint32_t, 15> table{3427828354U, 2040406047U, 930468201U, 338501350U, 101714610U,
                                                25942853U,   5737051U,    1118582U,   194888U,    30676U,
                                                4402U,       580U,        71U,        8U,         1U};
  std::uint8_t value = 0;
  if (byte != 0) {
    for (const std::uint32_t below : cells) value = static_cast<std::uint8_t>(value + (byte < below ? 1 : 0));
  } else {
    const std::uint32_t key = source.next() >> 8;
    while (value < table.size() && table[value] > key) ++value;
  }
  return value;
}

constexpr bool works_at_compile_time() {
  Sfc32 source;
  std::array<std::uint8_t, 20> values{};
  std::uint32_t sum = 0;
  byte_table<Poisson(1.6)>.fill(source, values);
  for (const std::uint8_t value : values) sum += value;
  pair_table<Poisson(1.6)>.fill(source, values);
  for (const std::uint8_t value : values) sum += value;
  word_table<Poisson(1.6)>.fill(source, values);
  for (const std::uint8_t value : values) sum += value;
  return sum > 50 && sum < 150;
}
static_assert(works_at_compile_time());
static_assert(std::is_trivially_copyable_v<ByteTable<20>>);

// What the ARM kernels rely on.
static_assert(sizeof(byte_table<Poisson(1.6)>) <= 512);
static_assert(sizeof(byte_table<Poisson(1.2)>) <= 512);
static_assert(sizeof(pair_table<Poisson(1.6)>.cells()) == 2048);

} // namespace

TEST_CASE("discrete_table: both searches of bounds count those below the key", "[kernels][discrete_table]") {
  Sfc32 source(StreamId{21, 0, 0});
  const Bounds<4> none;
  CHECK(none.high[0] == 0xFFFF'FFFFU);
  CHECK(none.low[0] == 0xFFFF'FFFFU);
  CHECK(none.position(0xFFFF'FFFFU) == 0);
  for (std::uint32_t size = 0; size < 70; ++size) {
    Bounds<70> bounds;
    std::vector<std::uint64_t> sorted(size);
    for (std::uint64_t& bound : sorted) // often equal upper halves
      bound = std::uint64_t{source.next() % (size % 3 == 0 ? 9 : 0xFFFF'FFFFU)} << 32U | source.next();
    std::sort(sorted.begin(), sorted.end());
    for (const std::uint64_t bound : sorted) bounds.append(bound);
    REQUIRE(bounds.last == size);
    REQUIRE(bounds.high[size] == 0xFFFF'FFFFU);
    REQUIRE(bounds.low[size] == 0xFFFF'FFFFU);
    std::vector<std::uint32_t> keys{0, 1, 8, 9, 0xFFFF'FFFEU, 0xFFFF'FFFFU, source.next()};
    for (const std::uint64_t bound : sorted)
      for (const std::uint32_t near : {0U, 1U, 2U}) keys.push_back(static_cast<std::uint32_t>(bound >> 32U) + near - 1);
    for (const std::uint32_t key : keys) {
      std::uint32_t below = 0;
      for (const std::uint64_t bound : sorted) below += (bound >> 32U) < key ? 1U : 0U;
      INFO("seed 21, " << size << " bounds, key " << key);
      REQUIRE(bounds.position(key) == below);
      for (const std::uint32_t begin : {0U, below / 2, below}) REQUIRE(bounds.position(key, begin) == below);
    }
  }
}

TEST_CASE("discrete_table: a byte table has whole cells for the outcomes 0 to 127, and needs half of them whole",
          "[kernels][discrete_table]") {
  // Outcome 0 has `whole` cells and a bit; the rest is spread over outcomes that have none.
  for (const std::uint32_t whole : {127U, 128U, 129U, 200U}) {
    Cumulative distribution;
    distribution.outcomes = 256;
    const std::uint64_t first = (std::uint64_t{whole} << 56U) + 7, step = (0 - first) / 255;
    for (std::uint64_t k = 0; k < 255; ++k) distribution.bounds[k] = first + k * step;
    INFO(whole << " whole cells");
    CHECK(ByteTable<256>::suits(distribution) == (whole >= 128));
  }
  using Pair = PairTable<4, 1>;
  for (const std::uint32_t cells : {0U, 511U, 512U, 513U, 1024U}) {
    PairShape shape;
    shape.whole_cells = cells;
    CHECK(Pair::suits(shape) == (cells >= 512));
  }
  // The outcome 127 is not taken for an escape.
  std::array<double, 128> weights{};
  weights.fill(1.0);
  const ByteTable<128> uniform(Weights<128>(weights).cumulative().value());
  CHECK(uniform.escape_cells() == 0);
  for (std::size_t count = 1; count < 9; ++count) {
    Sfc32 one(StreamId{count, 0, 0}), two = one;
    std::vector<std::uint8_t> values(count);
    for (int turn = 0; turn < 200; ++turn) {
      uniform.fill<target::Generic>(one, std::span(values));
      for (std::size_t at = 0; at < count; at += 4) {
        std::uint32_t word = two.next();
        for (std::size_t i = at; i < count && i < at + 4; ++i, word >>= 8U)
          REQUIRE(values[i] == 127 - (word & 255) / 2);
      }
      REQUIRE(one == two);
    }
  }
  CHECK(ByteTable<4>().escape_cells() == 0);
  CHECK(Pair().escape_cells() == 0);
}

TEST_CASE("discrete_table: word tables have the bounds of the distribution, exactly", "[kernels][discrete_table]") {
  for (double rate = 1e-6; rate <= 64; rate = rate * 1.5 + 0.01) {
    INFO("rate " << rate);
    const Cumulative distribution = Poisson(rate).cumulative().value();
    check_words(WordTable<256, false>(distribution), distribution);
    check_words(WordTable<256, true>(distribution), distribution);
  }
  check_words(loaded_words<Poisson(64)>(), Poisson(64).cumulative().value());
  check_words(loaded_words<Weights({0.0, 0.0, 4.0})>(), Weights({0.0, 0.0, 4.0}).cumulative().value());
}

TEST_CASE("discrete_table: byte tables imply the distribution to the last bit", "[kernels][discrete_table]") {
  for (double rate = 1e-6; rate <= 64; rate = rate * 1.03 + 0.01) {
    INFO("rate " << rate);
    const Cumulative distribution = Poisson(rate).cumulative().value();
    REQUIRE(ByteTable<256>::suits(distribution));
    check_bytes(ByteTable<256>(distribution), distribution);
  }
  check_bytes(byte_table<Poisson(1.6)>, Poisson(1.6).cumulative().value());
  check_bytes(loaded_bytes<Binomial(200, 0.25)>(), Binomial(200, 0.25).cumulative().value());
  check_bytes(loaded_bytes<Hypergeometric{60, 20, 15}>(), Hypergeometric{60, 20, 15}.cumulative().value());
  check_bytes(loaded_bytes<Weights({0.0, 1.0, 2.0, 3.0})>(), Weights({0.0, 1.0, 2.0, 3.0}).cumulative().value());
  check_bytes(loaded_bytes<Weights({0.0, 0.0, 4.0})>(), Weights({0.0, 0.0, 4.0}).cumulative().value());
  check_bytes(loaded_bytes<Poisson(1e-30)>(), Poisson(1e-30).cumulative().value());
  std::array<double, 256> even{};
  even.fill(1);
  const Cumulative uniform = Weights(even).cumulative().value();
  check_bytes(ByteTable<256>(uniform), uniform);
  even[255] = 3;
  CHECK_FALSE(ByteTable<256>::suits(Weights(even).cumulative().value()));
}

TEST_CASE("discrete_table: pair tables imply products of probabilities to 2^-64", "[kernels][discrete_table]") {
  for (double rate = 1e-6; rate <= 40; rate = rate * 1.4 + 0.01) {
    INFO("rate " << rate);
    const Cumulative distribution = Poisson(rate).cumulative().value();
    REQUIRE(PairTable<256, 1>::suits(PairShape::of(distribution)));
    static PairTable<256, 2600> table;
    table = PairTable<256, 2600>(distribution);
    check_pairs(table, distribution);
  }
  check_pairs(loaded_pairs<Poisson(1.2)>(), Poisson(1.2).cumulative().value());
  check_pairs(pair_table<Poisson(1.6)>, Poisson(1.6).cumulative().value());
  check_pairs(loaded_pairs<Binomial(8, 0.9)>(), Binomial(8, 0.9).cumulative().value());
}

namespace {

// A few outcomes with much of the mass, anywhere up to the highest; some with little; now and then whole eighths, so
// that nothing is left over, and one that is sure.
Cumulative some_distribution(Sfc32& random) {
  Cumulative distribution;
  distribution.outcomes = random.next() % 3 == 0 ? 256 : 120 + random.next() % 20;
  if (random.next() % 4 == 0) distribution.outcomes = 1 + random.next() % 256;
  const auto outcomes = distribution.outcomes;
  std::vector<std::uint32_t> weights(outcomes);
  const bool is_dyadic = random.next() % 4 == 0;
  const std::uint32_t heavy = is_dyadic ? 1U << random.next() % 4 : 1 + random.next() % 5;
  for (std::uint32_t k = 0; k < heavy; ++k) {
    const std::uint32_t at = random.next() % 2 == 0 ? 126 + random.next() % 4 : random.next();
    weights[at % outcomes] += is_dyadic ? 1 : 1 + random.next() % 0x800'0000U;
  }
  for (std::uint32_t k = random.next() % 4 * 10; k != 0 && !is_dyadic; --k)
    weights[random.next() % outcomes] += random.next() % 2 == 0 ? 1 : random.next() % 0x10'0000U;
  std::uint64_t whole = 0, sum = 0;
  for (const std::uint32_t weight : weights) whole += weight;
  for (std::uint32_t k = 0; k < outcomes; ++k) {
    sum += weights[k];
    distribution.outcomes = k + 1;
    if (sum == whole) break; // those above have no weight
    distribution.bounds[k] = static_cast<std::uint64_t>((Wide{sum} << 64) / whole);
  }
  return distribution;
}

struct Part {
  std::uint32_t pair;
  Wide mass; // in 2^-128
};

} // namespace

TEST_CASE("discrete_table: pairs have the whole cells of their products, and what is left is listed",
          "[kernels][discrete_table]") {
  unsigned beyond = 0, suited = 0;
  for (const std::uint32_t seed : Seeds(80)) {
    Sfc32 random(StreamId{seed, 7, 7});
    const Cumulative distribution = some_distribution(random);
    const std::uint32_t outcomes = distribution.outcomes;
    CAPTURE(seed, outcomes);
    std::map<std::uint32_t, std::uint32_t> cells;
    std::vector<Part> parts;
    for (std::uint32_t first = 0; first < outcomes; ++first) {
      if (distribution.is_sure(first)) {
        if (first < 128) cells[first << 8 | first] = 1024;
        continue;
      }
      std::vector<Part> of_first;
      bool is_alone = true;
      for (std::uint32_t second = 0; second < outcomes; ++second) {
        const Wide product = Wide{distribution.mass(first)} * distribution.mass(second);
        const auto whole = second < 128 ? static_cast<std::uint32_t>(product >> 118) : 0U;
        if (whole != 0) cells[second << 8 | first] = whole, is_alone = false;
        of_first.push_back({second << 8 | first, product - (Wide{whole} << 118)});
        beyond += second >= 128 && product >> 118 != 0 ? 1U : 0U;
      }
      if (is_alone) of_first = {{pair_first_alone | first, Wide{distribution.mass(first)} << 64}};
      parts.insert(parts.end(), of_first.begin(), of_first.end());
    }
    // More than 1/64 of a cell comes first.
    std::stable_partition(parts.begin(), parts.end(), [](const Part& part) { return part.mass >> 112 != 0; });
    std::vector<std::pair<std::uint32_t, std::uint64_t>> expected;
    Wide sum = 0;
    std::uint64_t end = 0;
    for (const Part& part : parts) {
      sum += part.mass;
      const auto rounded = static_cast<std::uint64_t>((sum + (Wide{1} << 63)) >> 64);
      if (rounded != end) expected.push_back({part.pair, end = rounded});
    }

    std::map<std::uint32_t, std::uint32_t> found_cells;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> found;
    detail::visit_pairs(
        distribution,
        [&](std::uint32_t pair, std::uint32_t count) {
          CHECK(count != 0);
          found_cells[pair] += count;
        },
        [&](std::uint32_t pair, std::uint64_t to) {
          found.push_back({pair, to});
        });
    REQUIRE(found_cells == cells);
    REQUIRE(found == expected);
    const PairShape shape = PairShape::of(distribution);
    std::uint32_t whole = 0;
    for (const auto& [pair, count] : cells) whole += count;
    REQUIRE(shape.whole_cells == whole);
    REQUIRE(shape.listed == expected.size());
    if (!PairTable<256, 1>::suits(shape) || shape.listed > 2600) continue;
    ++suited;
    static PairTable<256, 2600> table;
    table = PairTable<256, 2600>(distribution);
    check_pairs(table, distribution);
  }
  CHECK(beyond > 40);
  CHECK(suited > 10);
}

TEST_CASE("discrete_table: a sure outcome has all cells, unless it is too high for the mark",
          "[kernels][discrete_table]") {
  for (const std::uint32_t sure : {0U, 1U, 126U, 127U, 128U, 129U, 255U}) {
    std::array<double, 256> weights{};
    weights[sure] = 1;
    const PairShape shape = PairShape::of(Weights<256>(weights).cumulative().value());
    CHECK(shape.whole_cells == (sure < 128 ? 1024 : 0));
    CHECK(shape.listed == 0);
  }
}

TEST_CASE("discrete_table: sure outcomes take no further words", "[kernels][discrete_table]") {
  Counting<Sfc32> source{};
  std::array<std::uint32_t, 12> values{};
  loaded_pairs<Weights({0.0, 0.0, 4.0})>().fill(source, values);
  for (const std::uint32_t value : values) CHECK(value == 2);
  CHECK(source.drawn == 2);
  loaded_pairs<Poisson(1e-30)>().fill(source, values);
  for (const std::uint32_t value : values) CHECK(value == 0);
  CHECK(source.drawn == 4);
  CHECK(WordTable<4>().draw(source) == 0);
  CHECK(WordTable<64>().draw(source) == 0);
}

TEST_CASE("discrete_table: draw is a fill of one value", "[kernels][discrete_table]") {
  Sfc32 one, two;
  for (int i = 0; i < 10'000; ++i) {
    std::array<std::uint8_t, 1> value{};
    loaded_bytes<Poisson(3)>().fill(one, value);
    REQUIRE(loaded_bytes<Poisson(3)>().draw(two) == value[0]);
    loaded_words<Poisson(3)>().fill(one, value);
    REQUIRE(loaded_words<Poisson(3)>().draw(two) == value[0]);
    loaded_pairs<Poisson(3)>().fill(one, value);
    REQUIRE(loaded_pairs<Poisson(3)>().draw(two) == value[0]);
  }
  CHECK(one == two);
}

TEST_CASE("discrete_table: random bits per value are as stated", "[kernels][discrete_table]") {
  constexpr std::size_t count = 288'000; // whole blocks of each kind
  const auto bits_per_value = [](const auto& table) {
    Counting<Sfc32> source{};
    std::vector<std::uint8_t> values(count);
    table.fill(source, std::span(values));
    return 32.0 * static_cast<double>(source.drawn) / static_cast<double>(count);
  };
  CHECK(bits_per_value(word_table<Poisson(1.6)>) == 32.0);
  const auto& bytes = byte_table<Poisson(1.6)>;
  CHECK(bytes.escape_cells() == 3);
  CHECK(bits_per_value(bytes) == Approx(8 + 32 * 3.0 / 256).margin(0.05)); // 8.4
  const auto& pairs = pair_table<Poisson(1.6)>;
  CHECK(pairs.escape_cells() == 29);
  CHECK(bits_per_value(pairs) == Approx(16.0 / 3 + 16 * 29.0 / 1024).margin(0.05)); // 5.8
}

TEST_CASE("discrete_table: tables made while loading are those of compile time", "[kernels][discrete_table]") {
  const auto same = [](const auto& left, const auto& right) {
    return bounds_of(left.bounds()) == bounds_of(right.bounds());
  };
  const volatile double loaded = 1.6; // which the compiler does not know
  const double rate = loaded;
  CHECK(same(WordTable<30>::from(Poisson(rate)).value(), word_table<Poisson(1.6)>));
  const auto bytes = ByteTable<30>::from(Poisson(rate)).value();
  CHECK(same(bytes, byte_table<Poisson(1.6)>));
  CHECK(bytes.cells() == byte_table<Poisson(1.6)>.cells());
  const auto pairs = PairTable<25, 184, 29>::from(Poisson(rate)).value();
  CHECK(pairs == pair_table<Poisson(1.6)>);
  CHECK(PairTable<25, 184, 28>::from(Poisson(rate)).status() == Status{Error::buffer_full, 29, 29});
}

TEST_CASE("discrete_table: what a table cannot hold is refused", "[kernels][discrete_table]") {
  CHECK(WordTable<24>::from(Poisson(1.6)).status() == Status{Error::buffer_full, 25, 25});
  CHECK(ByteTable<24>::from(Poisson(1.6)).status() == Status{Error::buffer_full, 25, 25});
  CHECK(PairTable<24, 184>::from(Poisson(1.6)).status() == Status{Error::buffer_full, 25, 25});
  CHECK(PairTable<25, 183>::from(Poisson(1.6)).status() == Status{Error::buffer_full, 184, 184});
  CHECK(PairTable<25, 184, 28>::from(Poisson(1.6)).status() == Status{Error::buffer_full, 29, 29});
  CHECK(PairTable<151, 30>::from(Poisson(64)).status() == Status{Error::buffer_full, 0, 151});
  CHECK(WordTable<24>::from(Poisson(-1)).status().error == Error::parameter_out_of_range);
  CHECK(ByteTable<24>::from(Poisson(-1)).status().error == Error::parameter_out_of_range);
  CHECK(PairTable<24, 3>::from(Poisson(-1)).status().error == Error::parameter_out_of_range);
  CHECK(WordTable<151>::from(Poisson(64)).ok());
  // The bit of the mark: outcomes above 127 have no whole cells.
  CHECK(ByteTable<256>::from(Binomial(200, 1.0)).status() == Status{Error::buffer_full, 0, 201});
  CHECK(PairTable<256, 1>::from(Binomial(200, 1.0)).status() == Status{Error::buffer_full, 0, 201});
}

TEST_CASE("discrete_table: a million draws of each table fit the distribution", "[kernels][discrete_table]") {
  randomness::PValues values;
  const auto add = [&](const randomness::PValues& more) { values.insert(values.end(), more.begin(), more.end()); };
  add(p_values_of_draws<Poisson(0.01)>(1));
  add(p_values_of_draws<Poisson(1.2)>(2));
  add(p_values_of_draws<Poisson(1.6)>(3));
  add(p_values_of_draws<Poisson(8)>(4));
  add(p_values_of_draws<Poisson(64)>(5));
  add(p_values_of_draws<Binomial(40, 0.7)>(6));
  add(p_values_of_draws<Hypergeometric{60, 20, 15}>(7));
  add(p_values_of_draws<Weights({3.0, 0.1, 0.0, 5.0, 1.0, 1.0})>(8));
  CHECK(randomness::verdict(values) > 0.01);
}

TEST_CASE("discrete_table: values of a pair are independent", "[kernels][discrete_table]") {
  const Cumulative distribution = Poisson(1.6).cumulative().value();
  Sfc32 source(StreamId{9, 9, 9});
  std::vector<std::uint8_t> values(2'016'000);
  pair_table<Poisson(1.6)>.fill(source, std::span(values));
  // Within a pair and between neighbouring pairs.
  for (const std::size_t shift : {0U, 1U}) {
    std::vector<std::uint64_t> counts(64);
    std::vector<double> expected(64);
    for (std::size_t i = shift; i + 1 < values.size(); i += 2)
      ++counts[std::min<std::size_t>(values[i], 7) * 8 + std::min<std::size_t>(values[i + 1], 7)];
    const auto chance = [&](std::size_t k) {
      return (k == 7 ? static_cast<double>(0 - distribution.bounds[6]) : static_cast<double>(distribution.mass(k))) *
             0x1p-64;
    };
    const std::size_t pairs = (values.size() - shift) / 2;
    for (std::size_t i = 0; i < 64; ++i) expected[i] = static_cast<double>(pairs) * chance(i / 8) * chance(i % 8);
    const double p = randomness::chi_square(counts, expected);
    CHECK(p > 0.001);
    CHECK(p < 0.999);
  }
}

TEST_CASE("discrete_table: the published byte table is biased, and the test notices", "[kernels][discrete_table]") {
  const Cumulative distribution = Poisson(1.6).cumulative().value();
  Sfc32 source(StreamId{3, 1, 4});
  double sum = 0;
  const double p = chi_square_of(distribution, [&](std::span<std::uint8_t> values) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i % 4 == 0) word = source.next();
      values[i] = published_byte(source, word >> 8 * (i % 4) & 255);
      sum += values[i];
    }
  });
  CHECK(p < 1e-100);
  CHECK(sum / 1e6 == Approx(1.5915).margin(0.005));
}
