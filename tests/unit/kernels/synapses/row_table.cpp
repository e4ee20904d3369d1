// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <neuromorph/kernels/synapses/row_table.hpp>
#include <neuromorph/kernels/synapses/synaptic_row.hpp>
#include <neuromorph/sched/row_pipeline.hpp>
#include <neuromorph/target/device/simulated_dma.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

TEST_CASE("PopulationRows: rows of one length are one behind the other", "[row_table]") {
  std::array<std::uint32_t, 12> words{};
  const auto rows = PopulationRows::of_length(words, 4).value();
  CHECK(rows.rows() == 3);
  std::span<std::uint32_t> row;
  for (std::uint32_t number = 0; number < 3; ++number) {
    REQUIRE(rows.find(number, row));
    CHECK(row.data() == words.data() + std::size_t{4} * number);
    CHECK(row.size() == 4);
  }
  CHECK_FALSE(rows.find(3, row));
  CHECK_FALSE(rows.find(0xFFFFFFFF, row));
  CHECK(PopulationRows::of_length(words, 5).status() == Status{Error::lengths_differ, 0, 12U, "words"});
  CHECK(PopulationRows::of_length(words, 0).status() == Status{Error::lengths_differ, 0, 12U, "words"});
  CHECK_FALSE(PopulationRows{}.find(0, row));
  CHECK(PopulationRows::of_length({}, 4).value().rows() == 0);
}

TEST_CASE("PopulationRows: an index has rows of any length, and one beyond the words is none", "[row_table]") {
  std::array<std::uint32_t, 10> words{};
  std::array<std::uint32_t, 5> first{0, 3, 3, 9, 10};
  const auto rows = PopulationRows::indexed(words, first).value();
  REQUIRE(rows.rows() == 4);
  std::span<std::uint32_t> row;
  for (std::uint32_t number = 0; number < 4; ++number) {
    REQUIRE(rows.find(number, row));
    CHECK(row.data() == words.data() + first[number]);
    CHECK(row.size() == first[number + 1] - first[number]);
  }
  CHECK_FALSE(rows.find(4, row));
  first[4] = 11; // what was loaded ends before
  CHECK_FALSE(rows.find(3, row));
  CHECK(rows.find(2, row));
  first[2] = 10; // ends before it begins
  CHECK_FALSE(rows.find(2, row));
  first[2] = first[3] = 0xFFFFFFFF;
  CHECK_FALSE(rows.find(2, row));
  CHECK(PopulationRows::indexed(words, {}).status() == Status{Error::lengths_differ, 0, 0, "first"});
  CHECK(PopulationRows::indexed(words, std::span{first}.first(1)).value().rows() == 0);
}

TEST_CASE("RowTable: each key has the row of its neuron, and what has none is counted", "[row_table]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 5 : 50)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    struct Population {
      std::uint32_t key = 0, mask = 0;
      std::vector<std::uint32_t> words, first;
    };
    std::vector<Population> populations(random() % 20);
    std::vector<KeyEntry<PopulationRows>> entries;
    std::uint32_t key = 0x40000000;
    for (auto& population : populations) {
      const auto bits = static_cast<unsigned>(random() % 7);
      key = ((key >> bits) + 1 + static_cast<std::uint32_t>(random() % 2)) << bits;
      population.key = key, population.mask = ~((1U << bits) - 1);
      key |= ~population.mask;
      const auto rows = random() % ((1U << bits) + 1);
      const bool has_index = random() % 2 == 0;
      const auto length = static_cast<std::uint32_t>(1 + random() % 5);
      population.first.push_back(0);
      for (std::uint32_t row = 0; row < rows; ++row)
        population.first.push_back(population.first.back() +
                                   (has_index ? static_cast<std::uint32_t>(random() % 5) : length));
      population.words.resize(population.first.back());
      entries.push_back({population.key, population.mask,
                         has_index ? PopulationRows::indexed(population.words, population.first).value()
                                   : PopulationRows::of_length(population.words, length).value()});
    }
    std::shuffle(entries.begin(), entries.end(), random);
    auto table = RowTable<20>::from(entries).value();
    REQUIRE(table.entries().size() == entries.size());
    LostKeys unknown, without;
    for (std::uint32_t at = 0x40000000; at < key + 70; ++at) {
      const Population* of = nullptr;
      for (const auto& population : populations)
        if ((at & population.mask) == population.key) of = &population;
      const auto row = table.row_of(at);
      if (of == nullptr) {
        ++unknown.count, unknown.last = at;
        REQUIRE(row.empty());
      } else if (const std::uint32_t number = at - of->key; number + 1 >= of->first.size()) {
        ++without.count, without.last = at;
        REQUIRE(row.empty());
      } else {
        REQUIRE(row.data() == of->words.data() + of->first[number]);
        REQUIRE(row.size() == of->first[number + 1] - of->first[number]);
      }
      REQUIRE((table.unknown().count == unknown.count && table.unknown().last == unknown.last));
      REQUIRE((table.without_row().count == without.count && table.without_row().last == without.last));
    }
  }
}

TEST_CASE("RowTable: refuses what a table of keys refuses", "[row_table]") {
  const std::array twice{KeyEntry<PopulationRows>{16, 0xFFFFFFF0, {}}, KeyEntry<PopulationRows>{16, 0xFFFFFFFF, {}}};
  CHECK(RowTable<2>::from(twice).status() == Status{Error::keys_overlap, 1, 16, "key"});
  CHECK(RowTable<1>::from(twice).status() == Status{Error::buffer_full, 0, 2U, "entries"});
  RowTable<2> none;
  CHECK(none.row_of(3).empty());
  CHECK(none.unknown().count == 1);
}

TEST_CASE("RowTable: a RowPipeline fetches the rows that it finds", "[row_table]") {
  std::array<std::uint32_t, 8> words{1, 2, 3, 4, 5, 6, 7, 8};
  const std::array entries{KeyEntry<PopulationRows>{0x100, 0xFFFFFF00, PopulationRows::of_length(words, 2).value()}};
  auto table = RowTable<4>::from(entries).value();
  target::SimulatedDma<> dma;
  RowPipeline<target::SimulatedDma<>, 8, 2, 4> pipeline(dma);
  for (const std::uint32_t key : {0x103U, 0x104U, 0x999U, 0x100U}) pipeline.spikes.put(key);
  std::vector<std::uint32_t> seen;
  while (!pipeline.is_idle()) {
    pipeline.feed([&](std::uint32_t key) { return table.row_of(key); });
    pipeline.process([&](std::uint32_t, std::span<std::uint32_t> row) {
      seen.insert(seen.end(), row.begin(), row.end());
      return false;
    });
  }
  CHECK(seen == std::vector<std::uint32_t>{7, 8, 1, 2});
  CHECK(pipeline.counts().without_row == 2);
  CHECK((table.unknown().count == 1 && table.unknown().last == 0x999));
  CHECK((table.without_row().count == 1 && table.without_row().last == 0x104));
}
