// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <neuromorph/kernels/synapses/synaptic_row.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;

namespace {
using Word = SynapticWord<6, 1, 3>;
} // namespace

TEST_CASE("synaptic_row: rows of any length equal one synapse after the other", "[kernels][synaptic_row]") {
  std::mt19937 random(2);
  for (std::size_t length = 0; length < 70; ++length) {
    std::vector<std::uint32_t> row(length);
    for (auto& word : row) word = static_cast<std::uint32_t>(random());
    RingBuffer<Word> at_once;
    RingBuffer<Word> one_by_one;
    const auto step_number = static_cast<std::uint32_t>(random());
    add_row(at_once, row, step_number);
    for (const std::uint32_t word : row) {
      const Synapse synapse = Word::decode(word);
      one_by_one.slot(step_number + synapse.delay, synapse.type)[synapse.index] += synapse.weight;
    }
    REQUIRE(std::ranges::equal(at_once.elements(), one_by_one.elements()));
  }
}

TEST_CASE("synaptic_row: check_row names the first word that points outside", "[kernels][synaptic_row]") {
  const std::array<std::uint32_t, 3> row{Word::encode({1, 1, 0, 9}).value(), Word::encode({1, 2, 1, 10}).value(),
                                         Word::encode({1, 8, 0, 3}).value()};
  CHECK(check_row<Word>(row, 11).ok());
  CHECK(check_row<Word>(row, 10) == Status{Error::index_out_of_range, 1, 10, "index"});
  CHECK(check_row<Word>(row, 11, 1) == Status{Error::type_out_of_range, 1, 1, "type"});
  CHECK(check_row<Word>(row, 11, 2, 7) == Status{Error::delay_out_of_range, 2, 8, "delay"});
}

TEST_CASE("synaptic_row: built rows hold every synapse once, in the order of adding", "[kernels][synaptic_row]") {
  struct Edge {
    std::uint32_t pre;
    Synapse synapse;
  };
  std::mt19937 random(4);
  std::vector<Edge> edges(500);
  for (auto& edge : edges)
    edge = {static_cast<std::uint32_t>(random() % 20),
            {static_cast<std::int32_t>(random() % 1000), 1 + static_cast<std::uint32_t>(random() % 8),
             static_cast<std::uint32_t>(random() % 2), static_cast<std::uint32_t>(random() % 50)}};
  std::vector<std::uint32_t> words(500), first(21), filled(20);
  auto builder = RowBuilder<Word>::from(first, filled, 50).value();
  for (const auto& edge : edges) REQUIRE(builder.count(edge.pre).ok());
  REQUIRE(builder.counted() == 500);
  REQUIRE(builder.place(words).ok());
  for (const auto& edge : edges) REQUIRE(builder.add(edge.pre, edge.synapse).ok());
  const auto rows = builder.finish();
  REQUIRE(rows.ok());
  REQUIRE(rows.value().rows() == 20);
  for (std::uint32_t pre = 0; pre < 20; ++pre) {
    std::vector<Synapse> expected, found;
    for (const auto& edge : edges)
      if (edge.pre == pre) expected.push_back(edge.synapse);
    for (const std::uint32_t word : rows.value().row(pre)) found.push_back(Word::decode(word));
    REQUIRE(found == expected);
  }
}

TEST_CASE("synaptic_row: what cannot be built is refused and leaves everything as it was", "[kernels][synaptic_row]") {
  std::array<std::uint32_t, 2> words{};
  std::array<std::uint32_t, 3> first{};
  std::array<std::uint32_t, 2> filled{};
  auto builder = RowBuilder<Word>::from(first, filled, 10).value();
  const Synapse good{1, 1, 0, 0};
  CHECK(builder.count(2) == Status{Error::row_out_of_range, 0, 2, "pre"});
  CHECK(builder.add(0, good) == Status{Error::rows_not_placed, 0, 0, "pre"});
  REQUIRE(builder.count(0).ok());
  REQUIRE(builder.count(1).ok());
  CHECK(builder.place(std::span<std::uint32_t>{words}.first(1)) == Status{Error::buffer_full, 0, 2, "words"});
  REQUIRE(builder.place(words).ok());
  CHECK(builder.count(0) == Status{Error::rows_not_placed, 0, 0, "pre"});
  CHECK(builder.place(words) == Status{Error::rows_not_placed, 0, 2, "words"});
  CHECK(builder.add(2, good) == Status{Error::row_out_of_range, 0, 2, "pre"});
  CHECK(builder.add(0, {1, 1, 0, 10}) == Status{Error::index_out_of_range, 0, 10, "index"});
  CHECK(builder.add(0, {1, 9, 0, 0}).error == Error::delay_out_of_range);
  CHECK(builder.add(0, {-1, 1, 0, 0}).error == Error::weight_out_of_range);
  CHECK(builder.finish().status() == Status{Error::rows_incomplete, 0, 2});
  REQUIRE(builder.add(0, good).ok());
  CHECK(builder.add(0, good) == Status{Error::buffer_full, 0, 0});
  REQUIRE(builder.add(1, good).ok());
  const auto rows = builder.finish();
  REQUIRE(rows.ok());
  CHECK(rows.value().row(0).size() == 1);
  CHECK(rows.value().row(1).size() == 1);
}

TEMPLATE_TEST_CASE("synaptic_row: many rows at once equal one after the other", "[kernels][synaptic_row]",
                   (std::pair<Word, std::int32_t>), (std::pair<Word, std::uint16_t>),
                   (std::pair<SynapticWord<9, 0, 2>, std::int32_t>),
                   (std::pair<SynapticWord<4, 2, 4>, std::uint16_t>)) {
  using Format = typename TestType::first_type;
  using Element = typename TestType::second_type;
  std::mt19937 random(6);
  for (int turn = 0; turn < 300; ++turn) {
    // Rows in the order of slots; 32-bit elements take any order. Weights are large, so that 16-bit elements saturate.
    const bool sorted = turn % 3 != 0 || sizeof(Element) == 2;
    const std::size_t rows = 1 + random() % 150;
    std::vector<std::uint32_t> words, first{0};
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t begin = words.size();
      for (std::size_t length = random() % 100; length > 0; --length)
        words.push_back(static_cast<std::uint32_t>(random()));
      const auto by_slot = [](std::uint32_t a, std::uint32_t b) {
        return (a & Format::address_mask) >> Format::index_bits < (b & Format::address_mask) >> Format::index_bits;
      };
      if (sorted) std::stable_sort(words.begin() + static_cast<std::ptrdiff_t>(begin), words.end(), by_slot);
      first.push_back(static_cast<std::uint32_t>(words.size()));
    }
    std::vector<std::uint32_t> fired(random() % 200);
    std::size_t events = 0;
    for (auto& pre : fired) {
      pre = static_cast<std::uint32_t>(random() % rows);
      events += first[pre + 1] - first[pre];
    }
    const auto step_number = static_cast<std::uint32_t>(random());
    RingBuffer<Format, Element> together, one_by_one;
    const SynapticRows all{words, first};
    REQUIRE(add_rows(together, all, fired, step_number) == events);
    for (const auto pre : fired) add_row(one_by_one, all.row(pre), step_number);
    INFO("turn " << turn << ", " << rows << " rows, " << fired.size() << " spikes");
    REQUIRE(std::ranges::equal(together.elements(), one_by_one.elements()));
    REQUIRE(together.saturations() == one_by_one.saturations());
  }
}

TEST_CASE("synaptic_row: the fan-in check finds the neuron whose element could overflow", "[kernels][synaptic_row]") {
  // five rows with a synapse of weight 1000 on neuron 3 each, and one of 1 on neuron 4
  const std::uint32_t heavy = Word::encode({1000, 1, 0, 3}).value(), light = Word::encode({1, 5, 1, 4}).value();
  const std::array<std::uint32_t, 6> words{heavy, heavy, light, heavy, heavy, heavy};
  const std::array<std::uint32_t, 6> first{0, 1, 2, 4, 5, 6};
  const SynapticRows rows{words, first};
  std::array<std::uint32_t, 10> sums{};
  CHECK(check_fan_in<Word>(rows, 5, sums, 5000).ok());
  CHECK(check_fan_in<Word>(rows, 5, sums, 4999) == Status{Error::fan_in_too_large, 3, 5000});
  CHECK(check_fan_in<Word>(rows, 4, sums, 5000).error == Error::index_out_of_range);
  const auto each = fan_in_of<Word>(rows, 5, sums).value();
  CHECK((each[0].largest == 1000 && each[0].sum == 5000 && each[0].equivalent() == 5.0));
  CHECK((each[1].largest == 1 && each[1].sum == 1));
  CHECK(fan_in_of<Word>(rows, 4, sums).status().error == Error::index_out_of_range);
  // 2^30 is one too many where no limit is given
  using Wide = SynapticWord<3, 0, 5>;
  std::vector<std::uint32_t> row(64, Wide::encode({(1 << 24) - 1, 1, 0, 3}).value());
  row.push_back(Wide::encode({63, 1, 0, 3}).value());
  const std::array<std::uint32_t, 2> one{0, 65};
  CHECK(check_fan_in<Wide>({row, one}, 5, sums).ok());
  row.back() = Wide::encode({64, 1, 0, 3}).value();
  CHECK(check_fan_in<Wide>({row, one}, 5, sums) == Status{Error::fan_in_too_large, 3, 1 << 30});
  CHECK(check_fan_in<Word>(rows, 6, sums) == Status{Error::lengths_differ, 0, 10, "sums"});
}

TEST_CASE("synaptic_row: no rows at all is a network, too", "[kernels][synaptic_row]") {
  std::array<std::uint32_t, 1> first{};
  auto builder = RowBuilder<Word>::from(first, {}, 10).value();
  REQUIRE(builder.place({}).ok());
  CHECK(builder.finish().value().rows() == 0);
}

TEST_CASE("synaptic_row: arrays that do not fit each other are refused where they are given",
          "[kernels][synaptic_row]") {
  using Small = SynapticWord<4, 1, 3>;
  for (std::size_t rows_and_one = 0; rows_and_one < 6; ++rows_and_one)
    for (std::size_t rows = 0; rows < 6; ++rows)
      for (std::size_t neurons = 0; neurons < 20; ++neurons) {
        std::vector<std::uint32_t> first(rows_and_one, 7), filled(rows, 7);
        const auto builder = RowBuilder<Small>::from(first, filled, neurons);
        const Status expected = rows_and_one != rows + 1 ? Status{Error::lengths_differ, 0, rows_and_one, "first"}
                                : neurons > 16           ? Status{Error::parameter_out_of_range, 0, neurons, "neurons"}
                                                         : Status{};
        INFO(rows_and_one << " starts, " << rows << " rows, " << neurons << " neurons");
        REQUIRE(builder.status() == expected);
        REQUIRE(first == std::vector<std::uint32_t>(rows_and_one, 7));
        REQUIRE(filled == std::vector<std::uint32_t>(rows, expected ? 0 : 7));
      }
}

TEST_CASE("synaptic_row: a builder without memory refuses all", "[kernels][synaptic_row]") {
  RowBuilder<Word> builder;
  CHECK(builder.count(0) == Status{Error::row_out_of_range, 0, 0, "pre"});
  CHECK(builder.place({}) == Status{Error::rows_not_placed, 0, 0, "words"});
  CHECK(builder.add(0, {1, 1, 0, 0}) == Status{Error::rows_not_placed, 0, 0, "pre"});
  CHECK(builder.finish().status() == Status{Error::rows_incomplete, 0, 0});
  CHECK(SynapticRows{}.rows() == 0);
}

TEST_CASE("synaptic_row: rows that were not placed are not finished", "[kernels][synaptic_row]") {
  std::array<std::uint32_t, 3> first{};
  std::array<std::uint32_t, 2> filled{};
  auto builder = RowBuilder<Word>::from(first, filled, 10).value();
  CHECK(builder.finish().status() == Status{Error::rows_incomplete, 0, 0});
  REQUIRE(builder.place({}).ok());
  CHECK(builder.finish().value().row(1).empty());
}
