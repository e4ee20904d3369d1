// SPDX-License-Identifier: BSL-1.0
// Samplers: their implied probabilities to the last bit, the order in which they take words, and their draws.
#include <neuromorph/kernels/discrete_table.hpp>

#include <neuromorph/kernels/byte_table.hpp>
#include <neuromorph/kernels/jkiss64.hpp>
#include <neuromorph/kernels/pair_table.hpp>
#include <neuromorph/kernels/philox.hpp>
#include <neuromorph/kernels/sfc32.hpp>
#include <neuromorph/kernels/word_table.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <type_traits>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/randomness.hpp"

using namespace neuromorph;

namespace {

__extension__ using Wide = unsigned __int128;

using randomness::Counting;
using Scripted = randomness::Scripted<>;

constexpr std::uint32_t upper(std::uint64_t number) { return static_cast<std::uint32_t>(number >> 32); }
constexpr std::uint32_t lower(std::uint64_t number) { return static_cast<std::uint32_t>(number); }

std::vector<std::uint64_t> bounds_of(const auto& bounds) {
  std::vector<std::uint64_t> list;
  for (std::uint32_t k = 0; k < bounds.last; ++k) list.push_back(std::uint64_t{bounds.high[k]} << 32 | bounds.low[k]);
  return list;
}

// The definition: how many bounds are at most the number, and whether its lower half is looked at.
std::uint32_t outcome_of(const std::vector<std::uint64_t>& bounds, std::uint64_t number) {
  std::uint32_t outcome = 0;
  while (outcome < bounds.size() && bounds[outcome] <= number) ++outcome;
  return outcome;
}
bool is_open(const std::vector<std::uint64_t>& bounds, std::uint32_t key) {
  for (const std::uint64_t bound : bounds)
    if (upper(bound) == key) return true;
  return false;
}

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

// The order of consumption as the header describes it, written without regard to speed.
template <class Source>
struct Reference {
  Source& source;

  std::uint32_t resolve(const std::vector<std::uint64_t>& bounds, std::uint32_t key) {
    // Where the lower half does not matter any will do.
    return outcome_of(bounds, std::uint64_t{key} << 32 | (is_open(bounds, key) ? source.next() : 0));
  }

  std::vector<std::uint32_t> main_words(std::size_t count) {
    std::vector<std::uint32_t> words(count);
    for (auto& word : words) word = source.next();
    return words;
  }

  template <std::size_t Capacity, bool Guided>
  void fill(const WordTable<Capacity, Guided>& table, std::vector<std::uint32_t>& values) {
    const auto bounds = bounds_of(table.bounds());
    for (std::size_t begin = 0; begin < values.size(); begin += 48) {
      const std::size_t count = std::min<std::size_t>(48, values.size() - begin);
      const auto words = main_words(count);
      for (std::size_t i = 0; i < count; ++i) values[begin + i] = resolve(bounds, words[i]);
    }
  }
  template <std::size_t Capacity>
  void fill(const ByteTable<Capacity>& table, std::vector<std::uint32_t>& values) {
    const auto bounds = bounds_of(table.bounds());
    for (std::size_t begin = 0; begin < values.size(); begin += 192) {
      const std::size_t count = std::min<std::size_t>(192, values.size() - begin);
      const auto words = main_words((count + 3) / 4);
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t cell = words[i / 4] >> 8 * (i % 4) & 255;
        const bool escapes = cell < table.escape_cells();
        values[begin + i] = escapes ? resolve(bounds, cell << 24 | source.next() >> 8) : table.cells()[cell];
      }
    }
  }
  template <std::size_t Outcomes, std::size_t Listed, std::size_t Escapes>
  void fill(const PairTable<Outcomes, Listed, Escapes>& table, std::vector<std::uint32_t>& values) {
    const auto bounds = bounds_of(table.bounds());
    const auto words_bounds = bounds_of(table.words().bounds());
    for (std::size_t begin = 0; begin < values.size(); begin += 288) {
      const std::size_t count = std::min<std::size_t>(288, values.size() - begin);
      const auto words = main_words((count + 5) / 6);
      for (std::size_t i = 0; i < count; i += 2) {
        const std::uint32_t cell = words[i / 6] >> 10 * (i % 6 / 2) & 1023;
        std::uint32_t pair = table.cells()[cell];
        if (cell < table.escape_cells()) {
          pair = table.listed()[resolve(bounds, cell << 22 | source.next() >> 10)];
          if (pair >= pair_first_alone) pair = resolve(words_bounds, source.next()) << 8 | (pair & 255);
        }
        values[begin + i] = pair & 255;
        if (i + 1 < count) values[begin + i + 1] = pair >> 8;
      }
    }
  }
};

template <class Source, class Table>
void check_order(const Table& table) {
  for (const std::size_t count :
       {0U, 1U, 2U, 3U, 5U, 7U, 47U, 48U, 49U, 191U, 192U, 193U, 250U, 287U, 288U, 289U, 1001U}) {
    INFO(count << " values");
    const Source start(StreamId{count, 2, 3});
    Counting<Source> reference_source{start}, plain_source{start};
    std::vector<std::uint32_t> expected(count);
    Reference<Counting<Source>>{reference_source}.fill(table, expected);

    Source source = start;
    std::vector<std::uint32_t> values(count, 77);
    table.fill(source, std::span(values));
    CHECK(values == expected);
    std::vector<std::uint8_t> bytes(count, 77);
    table.fill(plain_source, std::span(bytes)); // a source that has only `next`
    CHECK(std::vector<std::uint32_t>(bytes.begin(), bytes.end()) == expected);
    std::vector<std::uint8_t> generic(count + 1, 77);
    Source generic_source = start;
    table.template fill<target::Generic>(generic_source, std::span(generic).first(count));
    CHECK(std::equal(bytes.begin(), bytes.end(), generic.begin()));
    CHECK(generic.back() == 77);

    CHECK(plain_source.drawn == reference_source.drawn);
    CHECK(source == reference_source.source);
    CHECK(generic_source == reference_source.source);
  }
}

// Two calls are one where the first ends with a block.
template <class Table>
void check_split(const Table& table) {
  Sfc32 one, two;
  std::vector<std::uint8_t> whole(5 * Table::block_values + 11), parts(whole.size());
  table.fill(one, std::span(whole));
  table.fill(two, std::span(parts).first(2 * Table::block_values));
  table.fill(two, std::span(parts).subspan(2 * Table::block_values));
  CHECK(whole == parts);
  CHECK(one == two);
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

// Tables made while loading, as most here are: those made while compiling take seconds each.
template <auto description>
const WordTable<256>& loaded_words() {
  static const WordTable<256> table(description.cumulative().value());
  return table;
}
template <auto description>
const ByteTable<256>& loaded_bytes() {
  static const ByteTable<256> table(description.cumulative().value());
  return table;
}
template <auto description>
const PairTable<256, 2600>& loaded_pairs() {
  static const PairTable<256, 2600> table(description.cumulative().value());
  return table;
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

// Does the first part of each block itself, as a backend in assembly would.
struct Assembly : target::Generic {
  static std::size_t byte_cells(const std::uint32_t* words, std::size_t count, const std::uint8_t* cells,
                                std::uint8_t* to, std::uint8_t* marked) {
    std::size_t marks = 0;
    for (std::size_t at = 0; at < 4 * count; at += 4) {
      std::uint32_t word = *words++;
      for (std::size_t i = at; i < at + 4; ++i, word >>= 8) {
        to[i] = cells[word & 255];
        if (to[i] >= 128) marked[marks++] = static_cast<std::uint8_t>(i);
      }
    }
    calls += count;
    return marks;
  }
  static std::size_t pair_cells(const std::uint32_t* words, std::size_t count, const std::uint16_t* cells,
                                std::uint8_t* to, std::uint8_t* marked) {
    std::size_t marks = 0;
    for (std::size_t at = 0; at < 3 * count; at += 3) {
      std::uint32_t word = *words++;
      for (std::size_t i = at; i < at + 3; ++i, word >>= 10) {
        const std::uint16_t cell = cells[word & 1023];
        to[2 * i] = static_cast<std::uint8_t>(cell);
        to[2 * i + 1] = static_cast<std::uint8_t>(cell >> 8);
        if (cell >= 0x8000) marked[marks++] = static_cast<std::uint8_t>(i);
      }
    }
    calls += count;
    return marks;
  }
  static std::size_t word_positions(const std::uint32_t* words, std::size_t count, const std::uint32_t* high,
                                    std::uint8_t* to, OpenValue* open) {
    std::size_t opened = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t key = words[i];
      to[i] = 0;
      while (high[to[i]] < key) ++to[i];
      if (high[to[i]] == key) open[opened++] = {static_cast<std::uint32_t>(i), key};
    }
    calls += count;
    return opened;
  }
  static inline std::size_t calls = 0;
};

// Does whole blocks, by what a backend is told of a table.
struct WholeBlocks : target::Generic {
  template <class Source>
  static std::size_t resolve(Source& source, const std::uint32_t* high, const std::uint32_t* low, std::size_t at,
                             std::uint32_t key) {
    while (high[at] < key) ++at;
    if (high[at] != key) return at;
    const std::uint32_t number_low = source.next();
    while (high[at] == key && low[at] <= number_low) ++at;
    return at;
  }
  template <class Source>
  static void byte_blocks(Source& source, const target::ByteLookup& table, std::size_t blocks, std::uint8_t* to) {
    for (calls += blocks; blocks != 0; --blocks, to += 192) {
      std::array<std::uint8_t, 192> marked;
      std::array<std::uint32_t, 49> words;
      for (std::size_t i = 0; i < 48; ++i) words[i] = source.next();
      const std::size_t marks = Assembly::byte_cells(words.data(), 48, table.cells, to, marked.data());
      for (std::size_t i = 0; i < marks; ++i) {
        std::uint8_t& value = to[marked[i]];
        const std::uint32_t escape = value & 127U, key = escape << 24 | source.next() >> 8;
        value = static_cast<std::uint8_t>(resolve(source, table.high, table.low, table.starts[escape], key));
      }
    }
  }
  template <class Source>
  static void pair_blocks(Source& source, const target::PairLookup& table, std::size_t blocks, std::uint8_t* to) {
    for (calls += blocks; blocks != 0; --blocks, to += 288) {
      std::array<std::uint8_t, 145> marked;
      std::array<std::uint32_t, 49> words;
      for (std::size_t i = 0; i < 48; ++i) words[i] = source.next();
      const std::size_t marks = Assembly::pair_cells(words.data(), 48, table.cells, to, marked.data());
      for (std::size_t i = 0; i < marks; ++i) {
        std::uint8_t* const at = to + 2 * marked[i];
        const std::uint32_t escape = (at[1] & 1U) << 8 | at[0], key = escape << 22 | source.next() >> 10;
        const std::uint32_t pair = table.listed[resolve(source, table.high, table.low, table.starts[escape], key)];
        at[0] = static_cast<std::uint8_t>(pair);
        at[1] = static_cast<std::uint8_t>(pair >> 8);
        if (pair < pair_first_alone) continue;
        at[1] = static_cast<std::uint8_t>(resolve(source, table.word_high, table.word_low, 0, source.next()));
      }
    }
  }
  // As many blocks as it likes, and not after one with open values.
  template <class Source>
  static target::WordBlocks word_blocks(Source& source, const std::uint32_t* high, std::size_t blocks, std::uint8_t* to,
                                        OpenValue* open) {
    target::WordBlocks done{0, 0};
    while (done.blocks != blocks && done.blocks != 5 && done.opened == 0) {
      std::array<std::uint32_t, 49> words;
      for (std::size_t i = 0; i < 48; ++i) words[i] = source.next();
      done.opened = Assembly::word_positions(words.data(), 48, high, to + 48 * done.blocks, open);
      ++done.blocks;
    }
    calls += done.blocks;
    return done;
  }
  static inline std::size_t calls = 0;
};

// Bounds of a word table come often.
struct BoundsSource {
  Sfc32 source;
  std::uint32_t next() {
    const auto& bounds = word_table<Poisson(1.6)>.bounds();
    const std::uint32_t word = source.next();
    return word % 64 == 0 ? bounds.high[(word >> 8) % 25] : word;
  }
  friend bool operator==(const BoundsSource&, const BoundsSource&) = default;
};

// Searches without the starts that a table keeps, as where a register holds several numbers.
struct ManyLanes : target::Generic {
  struct Lanes : target::Generic::Lanes {
    static constexpr std::size_t count = 4;
  };
};

template <class Target, class Source = Sfc32, class Table>
void check_assembly(const Table& table) {
  for (const std::size_t count : {0U, 1U, 3U, 4U, 6U, 100U, 1001U}) {
    Source one{}, two{};
    std::vector<std::uint8_t> values(count), expected(count);
    table.template fill<Target>(one, std::span(values));
    table.template fill<target::Generic>(two, std::span(expected));
    CHECK(values == expected);
    CHECK(one == two);
  }
}

// Lengths about each end of a block; nothing is written behind the last value.
template <class Target, class Table>
void check_lengths(const Table& table) {
  for (const std::size_t count : {1U, 2U, 5U, 7U, 47U, 48U, 49U, 95U, 97U, 191U, 192U, 193U, 287U, 289U}) {
    Sfc32 one, two;
    std::vector<std::uint8_t> values(count + 300, 99), expected(count + 300, 99);
    table.template fill<Target>(one, std::span(values).first(count));
    table.template fill<target::Generic>(two, std::span(expected).first(count));
    INFO(count << " values");
    CHECK(values == expected);
    CHECK(one == two);
  }
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

TEST_CASE("discrete_table: a target with many lanes takes the same values", "[kernels][discrete_table]") {
  for (const double rate : {0.01, 1.6, 20.0, 64.0}) {
    INFO("rate " << rate);
    const Cumulative distribution = Poisson(rate).cumulative().value();
    check_lengths<ManyLanes>(WordTable<256, false>(distribution));
    check_lengths<ManyLanes>(WordTable<256, true>(distribution));
    check_lengths<ManyLanes>(ByteTable<256>(distribution));
  }
  check_lengths<ManyLanes>(WordTable<3>());
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

TEST_CASE("discrete_table: blocks take words in the stated order", "[kernels][discrete_table]") {
  check_order<Sfc32>(word_table<Poisson(1.6)>);
  check_order<Jkiss64>(loaded_words<Poisson(20)>());
  check_order<Sfc32>(byte_table<Poisson(1.6)>);
  check_order<Jkiss64>(loaded_bytes<Poisson(40)>());
  check_order<Philox>(loaded_bytes<Poisson(0.1)>());
  check_order<Sfc32>(pair_table<Poisson(1.6)>);
  check_order<Jkiss64>(loaded_pairs<Poisson(20)>());
  check_order<Philox>(loaded_pairs<Poisson(0.1)>());
  // Ties are frequent where bounds have many zeros.
  check_order<Sfc32>(loaded_words<Weights({1.0, 1.0})>());
}

TEST_CASE("discrete_table: open words of a block are resolved after it, in order", "[kernels][discrete_table]") {
  const auto& table = loaded_words<Weights({1.0, 1.0, 1.0})>(); // bounds at 0x55555555'55555555 and 0xAAAAAAAA'AAAAAAAB
  Scripted source{{0x5555'5555U, 1, 0xAAAA'AAAAU, 0xFFFF'FFFFU, 0x5555'5555U, 0xAAAA'AAAAU, 0x5555'5555U}};
  std::array<std::uint8_t, 4> values{};
  table.fill(source, values);
  CHECK(values == std::array<std::uint8_t, 4>{1, 0, 1, 2});
  CHECK(source.drawn == 6);
}

TEST_CASE("discrete_table: calls for whole blocks can be joined", "[kernels][discrete_table]") {
  check_split(word_table<Poisson(1.6)>);
  check_split(byte_table<Poisson(1.6)>);
  check_split(pair_table<Poisson(1.6)>);
}

TEST_CASE("discrete_table: a backend can look up the main words", "[kernels][discrete_table]") {
  Assembly::calls = 0;
  check_assembly<Assembly>(byte_table<Poisson(1.6)>);
  CHECK(Assembly::calls == 1 + 1 + 25 + 250);
  check_assembly<Assembly>(loaded_bytes<Poisson(40)>());
  Assembly::calls = 0;
  check_assembly<Assembly>(pair_table<Poisson(1.6)>);
  CHECK(Assembly::calls == 1 + 16 + 166);
  check_assembly<Assembly>(loaded_pairs<Poisson(20)>());
  Assembly::calls = 0;
  check_assembly<Assembly>(word_table<Poisson(1.6)>);
  CHECK(Assembly::calls == 1 + 3 + 4 + 6 + 100 + 1001);
}

TEST_CASE("discrete_table: a target may do whole blocks", "[kernels][discrete_table]") {
  WholeBlocks::calls = 0;
  check_assembly<WholeBlocks>(byte_table<Poisson(1.6)>);
  check_assembly<WholeBlocks>(loaded_bytes<Poisson(40)>());
  CHECK(WholeBlocks::calls == 2 * 5);
  WholeBlocks::calls = 0;
  check_assembly<WholeBlocks>(pair_table<Poisson(1.6)>);
  check_assembly<WholeBlocks>(loaded_pairs<Poisson(20)>());
  CHECK(WholeBlocks::calls == 2 * 3);
  WholeBlocks::calls = 0;
  check_assembly<WholeBlocks>(word_table<Poisson(1.6)>);
  check_assembly<WholeBlocks, BoundsSource>(word_table<Poisson(1.6)>);
  CHECK(WholeBlocks::calls == 2 * (2 + 20));
  check_lengths<WholeBlocks>(byte_table<Poisson(1.6)>);
  check_lengths<WholeBlocks>(pair_table<Poisson(1.6)>);
  check_lengths<WholeBlocks>(word_table<Poisson(1.6)>);
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
  CHECK(same(WordTable<30>::from(Poisson(1.6)).value(), word_table<Poisson(1.6)>));
  const auto bytes = ByteTable<30>::from(Poisson(1.6)).value();
  CHECK(same(bytes, byte_table<Poisson(1.6)>));
  CHECK(bytes.cells() == byte_table<Poisson(1.6)>.cells());
  const auto pairs = PairTable<25, 184, 29>::from(Poisson(1.6)).value();
  CHECK(pairs == pair_table<Poisson(1.6)>);
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
