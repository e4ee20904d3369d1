// SPDX-License-Identifier: BSL-1.0
// Values in blocks: the order in which `fill` takes words, for all lengths, and what a target does of a block itself.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/kernels/random/byte_table.hpp>
#include <neuromorph/kernels/random/discrete_table.hpp>
#include <neuromorph/kernels/random/jkiss64.hpp>
#include <neuromorph/kernels/random/pair_table.hpp>
#include <neuromorph/kernels/random/philox.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/word_table.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/discrete_tables.hpp"
#include "tests/support/randomness.hpp"

using namespace neuromorph;

namespace {

using discrete_tables::bounds_of, discrete_tables::is_open, discrete_tables::outcome_of;
using discrete_tables::loaded_bytes, discrete_tables::loaded_pairs, discrete_tables::loaded_words;
using randomness::Counting;
using Scripted = randomness::Scripted<>;

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

// Does the first part of each block itself, as a backend in assembly would.
struct Assembly : target::Generic {
  using Offers = offer::List<offer::ByteCells, offer::PairCells, offer::WordPositions>;
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
  using Offers = offer::List<offer::ByteBlocks, offer::PairBlocks, offer::WordBlocks>;
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
    CHECK(table.word_last == table.word_high + highest_outcome);
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
  static inline std::size_t highest_outcome = 0; // of a pair table
};

// Bounds of a word table come often.
struct BoundsSource {
  using Offers = offer::List<>;
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

} // namespace

TEST_CASE("discrete_table: a target with many lanes takes the same values", "[kernels][discrete_table]") {
  for (const double rate : {0.01, 1.6, 20.0, 64.0}) {
    INFO("rate " << rate);
    const Cumulative distribution = Poisson(rate).cumulative().value();
    check_lengths<ManyLanes>(WordTable<256, false>(distribution));
    check_lengths<ManyLanes>(WordTable<256, true>(distribution));
    check_lengths<ManyLanes>(ByteTable<256>(distribution));
  }
  check_lengths<ManyLanes>(WordTable<3>());
  check_assembly<ManyLanes, BoundsSource>(WordTable<25, false>(Poisson(1.6).cumulative().value()));
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
  // Every bit of a cell but the mark's.
  static constexpr auto highest = [] {
    std::array<double, 256> weights{};
    weights[127] = 3, weights[255] = 1;
    return weights;
  }();
  check_order<Sfc32>(loaded_pairs<Weights<256>(highest)>());
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
  WholeBlocks::highest_outcome = pair_table<Poisson(1.6)>.words().bounds().last;
  check_assembly<WholeBlocks>(pair_table<Poisson(1.6)>);
  WholeBlocks::highest_outcome = loaded_pairs<Poisson(20)>().words().bounds().last;
  check_assembly<WholeBlocks>(loaded_pairs<Poisson(20)>());
  CHECK(WholeBlocks::calls == 2 * 3);
  WholeBlocks::calls = 0;
  check_assembly<WholeBlocks>(word_table<Poisson(1.6)>);
  check_assembly<WholeBlocks, BoundsSource>(word_table<Poisson(1.6)>);
  CHECK(WholeBlocks::calls == 2 * (2 + 20));
  check_lengths<WholeBlocks>(byte_table<Poisson(1.6)>);
  WholeBlocks::highest_outcome = pair_table<Poisson(1.6)>.words().bounds().last;
  check_lengths<WholeBlocks>(pair_table<Poisson(1.6)>);
  check_lengths<WholeBlocks>(word_table<Poisson(1.6)>);
}
