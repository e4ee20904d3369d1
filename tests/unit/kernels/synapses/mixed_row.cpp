// SPDX-License-Identifier: BSL-1.0
// Mixed rows beside rows of words: the same sums, whatever the costs chose; and never dearer than what they could choose.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include <neuromorph/kernels/synapses/mixed_row.hpp>
#include <neuromorph/kernels/synapses/ring_buffer.hpp>
#include <neuromorph/kernels/synapses/synaptic_row.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

using Word = SynapticWord<8, 1, 3>;
using Signed = SynapticWord<7, 1, 3, WeightSign::signed_value>;
using Complement = SaturatingWord<8, 1, 3>;

class Draw {
public:
  explicit Draw(std::uint32_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  LoopCost cost() {
    const std::uint32_t call = below(3) == 0 ? 0 : below(20000);
    return {call, below(1000)};
  }

private:
  std::mt19937 random_;
};

/// Some delays with few synapses and some with many; of any targets, ascending ones or all in turn; any weights or one.
template <class Format>
std::vector<Synapse> drawn_row(Draw& draw) {
  std::vector<Synapse> row;
  constexpr std::uint32_t elements = 1U << (Format::index_bits + Format::type_bits);
  for (std::uint32_t delay = 1; delay <= 1U << Format::delay_bits; ++delay) {
    if (draw.below(3) == 0) continue;
    const std::uint32_t count = 1 + draw.below(draw.below(2) == 0 ? 8 : 150), kind = draw.below(4);
    const std::uint32_t first = draw.below(elements - 150), shift = draw.below(14);
    const bool is_even = draw.below(2) == 0, is_signed = Format::weight_coding == WeightCoding::signed_value;
    std::uint32_t element = first;
    for (std::uint32_t at = 0; at < count; ++at) {
      if (kind == 0)
        element = draw.below(elements);
      else if (at != 0)
        element += kind == 1 ? 1 : 1 + draw.below(2) * draw.below(3);
      if (element >= elements) break;
      Synapse one;
      one.weight = is_even ? 5 : static_cast<std::int32_t>(draw.below(1U << shift));
      if (is_signed && draw.below(2) == 0) one.weight = -one.weight;
      one.delay = delay, one.type = element >> Format::index_bits, one.index = element % (1U << Format::index_bits);
      row.push_back(one);
    }
  }
  return row;
}

template <class Format, class Element>
std::vector<std::uint32_t> words_of(const std::vector<Synapse>& row) {
  std::vector<std::uint32_t> words;
  for (const Synapse& one : row) words.push_back(Format::encode(one).value());
  return words;
}

template <class Format, class Element>
void run_drawn(std::uint32_t seed) {
  INFO("seed " << seed);
  Draw draw(seed);
  for (unsigned turn = 0; turn < (sanitized ? 5U : 20U); ++turn) {
    RowCosts costs = draw.below(2) == 0 ? row_costs_arm968 : row_costs_cortex_m4;
    if (draw.below(2) == 0)
      for (LoopCost* cost :
           {&costs.words, &costs.single, &costs.pairs, &costs.uniform, &costs.dense, &costs.words16, &costs.saturating})
        *cost = draw.cost();
    const auto synapses = drawn_row<Format>(draw);
    std::vector<std::uint32_t> row(2 * synapses.size() + 1000, 0xABCDEF01);
    const MixedRow made = write_mixed_row<Format, Element>(row, synapses, costs).value();
    REQUIRE(made.words < row.size());
    REQUIRE(std::all_of(row.begin() + static_cast<std::ptrdiff_t>(made.words), row.end(),
                        [](std::uint32_t word) { return word == 0xABCDEF01; }));
    row.resize(made.words);
    REQUIRE(check_mixed_row<Format, Element>(row, 1U << Format::index_bits).ok());
    REQUIRE(row[0] == made.plain);
    if (made.rowlets == 0) REQUIRE((made.plain == synapses.size() && made.words == 1 + synapses.size()));

    static RingBuffer<Format, Element> ring, native, expected;
    const bool is_full = sizeof(Element) == 2 && draw.below(4) == 0;
    const auto filled = static_cast<Element>(is_full ? overflow::highest<Element> : draw.below(2) * draw.below(30000));
    ring = {}, expected = {};
    for (auto& element : ring.elements()) element = filled;
    native = expected = ring;
    const std::uint32_t step = draw.below(2) == 0 ? draw.below(100) : 0xFFFFFFF0U + draw.below(30);
    add_row<target::Generic>(expected, words_of<Format, Element>(synapses), step);
    add_mixed_row<target::Generic>(ring, row, step);
    add_mixed_row(native, row, step);
    REQUIRE(std::equal(ring.elements().begin(), ring.elements().end(), expected.elements().begin()));
    REQUIRE(std::equal(native.elements().begin(), native.elements().end(), expected.elements().begin()));
    REQUIRE(ring.saturations() == native.saturations());
    REQUIRE((ring.saturations() == 0) == (expected.saturations() == 0));
    // Each weight above 0 is held then, in whatever order.
    if (is_full && std::is_same_v<Element, std::uint16_t>) REQUIRE(ring.saturations() == expected.saturations());

    // All as words, and one delay after the other as what it may be.
    const LoopCost words = sizeof(Element) == 4 ? costs.words : costs.words16;
    REQUIRE(made.cycles <= (words.call + std::uint64_t{words.event} * synapses.size()) / 100);
    std::uint64_t with_words = words.call, rowlets = 0, by_single = 0;
    const LoopCost one = sizeof(Element) == 4 ? costs.single : costs.saturating;
    for (std::uint32_t delay = 1; delay <= 8; ++delay) {
      const auto count = static_cast<std::uint64_t>(
          std::count_if(synapses.begin(), synapses.end(), [&](const Synapse& each) { return each.delay == delay; }));
      if (count == 0) continue;
      by_single = one.call + one.event * count;
      with_words += std::min(by_single, words.event * count);
      rowlets += by_single;
    }
    if (!std::is_same_v<Element, std::int16_t>) REQUIRE(made.cycles <= std::min(with_words, rowlets) / 100);
  }
}

std::vector<Synapse> of_delays(std::initializer_list<std::pair<std::uint32_t, std::uint32_t>> delays, bool is_uniform,
                               std::uint32_t distance) {
  std::vector<Synapse> row;
  for (const auto& [delay, count] : delays)
    for (std::uint32_t at = 0; at < count; ++at)
      row.push_back({.weight = is_uniform ? 9 : 1 + static_cast<std::int32_t>(at),
                     .delay = delay,
                     .type = 0,
                     .index = at * distance % 256});
  return row;
}

MixedRow made_of(const std::vector<Synapse>& synapses, const RowCosts& costs, std::vector<std::uint32_t>& row) {
  row.resize(synapses.size() + 20);
  const MixedRow made = write_mixed_row<Word>(row, synapses, costs).value();
  row.resize(made.words);
  return made;
}

} // namespace

TEST_CASE("mixed rows: the same sums as words, whatever the costs", "[mixed_row]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 8 : 40)) {
    run_drawn<Word, std::int32_t>(seed);
    run_drawn<Signed, std::int32_t>(seed);
    run_drawn<Complement, std::uint16_t>(seed);
    run_drawn<Word, std::uint16_t>(seed);
    run_drawn<Signed, std::int16_t>(seed);
  }
}

TEST_CASE("mixed rows: few synapses of a delay are words, many a rowlet, equal and consecutive ones without",
          "[mixed_row]") {
  std::vector<std::uint32_t> row;
  // 77 and 256 are coprime: any order of targets.
  MixedRow made = made_of(of_delays({{1, 20}, {2, 20}}, false, 77), row_costs_arm968, row);
  CHECK((made.plain == 40 && made.rowlets == 0 && made.words == 41));
  CHECK(made.cycles == 32 + 40 * 606 / 100);
  made = made_of(of_delays({{1, 3}, {2, 200}}, false, 77), row_costs_arm968, row);
  CHECK((made.plain == 3 && made.rowlets == 1 && made.words == 1 + 3 + 1 + 200));
  CHECK(row[4] == (1U << 30 | 2U << 16 | 200));
  CHECK(made.cycles == (3200 + 3 * 606 + 6600 + 200 * 456) / 100);
  made = made_of(of_delays({{1, 100}, {2, 200}}, false, 77), row_costs_arm968, row);
  CHECK((made.plain == 0 && made.rowlets == 2));
  made = made_of(of_delays({{2, 200}}, false, 77), row_costs_cortex_m4, row);
  CHECK((row[0] == 0 && row[1] == (2U << 16 | 200))); // Single
  made = made_of(of_delays({{8, 200}}, true, 77), row_costs_arm968, row);
  CHECK((row[1] == (2U << 30 | 8U << 16 | 200) && made.words == 1 + 1 + 1 + 100));
  made = made_of(of_delays({{8, 200}}, false, 1), row_costs_arm968, row);
  CHECK((row[1] == (3U << 30 | 8U << 16 | 200) && made.words == 1 + 1 + 1 + 100));
  // Every second neuron: half of what a dense one has would be gaps.
  made = made_of(of_delays({{8, 120}}, false, 2), row_costs_arm968, row);
  CHECK(row[1] == (1U << 30 | 8U << 16 | 120));
  // Neighbours from anywhere on, with gaps.
  auto gaps = of_delays({{8, 120}}, false, 1);
  for (std::size_t at = 0; at < 120; ++at) gaps[at].index += static_cast<std::uint32_t>(5 + at / 10);
  made = made_of(gaps, row_costs_arm968, row);
  CHECK((row[1] == (3U << 30 | 8U << 16 | 131) && row[2] == 5 && made.words == 1 + 1 + 1 + 66));
  // Not enough of any delay, but words would be for these few alone.
  RowCosts costs = row_costs_arm968;
  costs.words.call = 100'000;
  made = made_of(of_delays({{1, 10}, {2, 200}}, false, 77), costs, row);
  CHECK((made.plain == 0 && made.rowlets == 2));
  // Twice the same neuron is not dense.
  auto twice = of_delays({{8, 200}}, false, 1);
  twice[100].index = 99;
  made = made_of(twice, row_costs_arm968, row);
  CHECK(row[1] == (1U << 30 | 8U << 16 | 200));
  // A weight beyond 16 bits with its sign is for words, or alone for all.
  auto wide = of_delays({{8, 200}}, false, 77);
  wide[7].weight = 40000;
  made = made_of(wide, row_costs_arm968, row);
  CHECK((made.plain == 200 && made.rowlets == 0));
  for (auto& one : wide) one.weight = 40000;
  made = made_of(wide, row_costs_arm968, row);
  CHECK((made.plain == 0 && made.words == 1 + 1 + 1 + 100));
}

TEST_CASE("mixed rows: delays and lengths that no header has are words", "[mixed_row]") {
  using Far = SynapticWord<2, 0, 14>;
  std::vector<Synapse> synapses(100);
  std::vector<std::uint32_t> row(70'000);
  for (const std::uint32_t delay : {0x3FFFU, 0x4000U}) {
    for (std::uint32_t at = 0; at < 100; ++at) synapses[at] = {static_cast<std::int32_t>(at), delay, 0, at * 3 % 4};
    const MixedRow made = write_mixed_row<Far>(row, synapses, row_costs_arm968).value();
    CHECK(made.plain == (delay == 0x3FFF ? 0 : 100));
  }
  for (const std::uint32_t count : {65535U, 65536U}) {
    synapses.assign(count, {.weight = 3, .delay = 2, .type = 0, .index = 1});
    const MixedRow made = write_mixed_row<Word>(row, synapses, row_costs_arm968).value();
    CHECK(made.plain == (count == 65535 ? 0 : count));
  }
}

TEST_CASE("mixed rows: what is not said is 0", "[mixed_row]") {
  const MixedRow row;
  CHECK((row.words == 0 && row.plain == 0 && row.rowlets == 0 && row.cycles == 0));
  const RowCosts costs;
  CHECK((costs.words.call == 0 && costs.dense.event == 0));
}

TEST_CASE("mixed rows: an empty one is a word, and adds nothing", "[mixed_row]") {
  std::array<std::uint32_t, 1> row{7};
  const MixedRow made = write_mixed_row<Word>(row, {}, row_costs_arm968).value();
  CHECK((made.words == 1 && made.plain == 0 && made.rowlets == 0 && made.cycles == 0 && row[0] == 0));
  static RingBuffer<Word> ring;
  add_mixed_row(ring, row, 3);
  add_mixed_row(ring, {}, 3);
  CHECK(std::all_of(ring.elements().begin(), ring.elements().end(), [](std::int32_t sum) { return sum == 0; }));
  CHECK(check_mixed_row<Word>(row, 256).ok());
  CHECK(check_mixed_row<Word>({}, 256).ok());
}

TEST_CASE("mixed rows: wrong synapses and too little room are refused, and nothing is written", "[mixed_row]") {
  auto synapses = of_delays({{1, 5}, {2, 100}}, false, 77);
  std::vector<std::uint32_t> row(107, 3);
  const auto status = [&](std::size_t room) {
    return write_mixed_row<Word>(std::span{row}.first(room), synapses, row_costs_arm968).status();
  };
  CHECK(status(106) == Status{Error::buffer_full, 0, 107U, "to"});
  synapses[50].delay = 9;
  CHECK(status(107) == Status{Error::delay_out_of_range, 50, 9, "delay"});
  synapses[50].delay = 0;
  CHECK(status(107) == Status{Error::delay_out_of_range, 50, 0, "delay"});
  synapses[4].index = 256;
  CHECK(status(107) == Status{Error::index_out_of_range, 4, 256, "index"});
  synapses[0].type = 2;
  CHECK(status(107) == Status{Error::type_out_of_range, 0, 2, "type"});
  synapses[0].type = 0;
  CHECK(status(107) == Status{Error::index_out_of_range, 4, 256, "index"});
  CHECK(std::all_of(row.begin(), row.end(), [](std::uint32_t word) { return word == 3; }));
}

TEST_CASE("mixed rows: what is wrong in one from outside is said with its word", "[mixed_row]") {
  std::vector<std::uint32_t> row;
  made_of(of_delays({{1, 3}, {2, 101}}, false, 77), row_costs_arm968, row);
  REQUIRE(row.size() == 1 + 3 + 1 + 102);
  const auto status = [&](std::size_t at, std::uint32_t word, std::uint32_t neurons = 256) {
    auto changed = row;
    changed[at] = word;
    return check_mixed_row<Word>(changed, neurons);
  };
  CHECK(status(0, 3).ok());
  CHECK(status(0, 107) == Status{Error::rows_incomplete, 0, 107});
  CHECK(status(0, 0xFFFFFFFF) == Status{Error::rows_incomplete, 0, 0xFFFFFFFFU});
  CHECK(status(2, 200, 200) == Status{Error::index_out_of_range, 2, 200, "index"});
  CHECK(status(4, 1U << 30 | 9U << 16 | 101) == Status{Error::delay_out_of_range, 4, 9, "delay"});
  CHECK(status(4, 1U << 30 | 101) == Status{Error::delay_out_of_range, 4, 0, "delay"});
  CHECK(status(4, 1U << 30 | 1U << 16 | 103) == Status{Error::rows_incomplete, 4, 104});
  CHECK(status(4, 1U << 30 | 1U << 16 | 100) ==
        Status{Error::delay_out_of_range, 105, row[105] >> 16 & 0x3FFF, "delay"});
  CHECK(status(4, 1U << 30 | 1U << 16 | 99).error == Error::weight_out_of_range);
  CHECK(status(5 + 1, 200U << 18, 200) == Status{Error::index_out_of_range, 4, 200, "index"});
  CHECK(status(5 + 1, 512U << 18) == Status{Error::type_out_of_range, 4, 2, "type"});
  CHECK(check_mixed_row<Word, std::int16_t>(row, 256) == Status{Error::rows_incomplete, 4, row[4]});
}

TEST_CASE("mixed rows: what passes the check stays inside the ring", "[mixed_row]") {
  static RingBuffer<Word> ring;
  static RingBuffer<Complement, std::uint16_t> ring16;
  unsigned passed = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 300 : 2000)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::vector<std::uint32_t> row(random() % 12);
    for (auto& word : row) word = static_cast<std::uint32_t>(random()) & (random() % 2 == 0 ? 0xFFFFFFFF : 0xC0070003);
    if (!row.empty()) row[0] %= 4;
    if (check_mixed_row<Word>(row, 256).ok()) add_mixed_row(ring, row, 5), ++passed;
    if (check_mixed_row<Complement, std::uint16_t>(row, 256).ok()) add_mixed_row(ring16, row, 5), ++passed;
  }
  CHECK(passed > (sanitized ? 30 : 100));
}
