// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include <neuromorph/kernels/synapses/rowlet.hpp>
#include <neuromorph/kernels/synapses/synaptic_row.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

using Word = SynapticWord<6, 1, 3, WeightSign::signed_value>;
using Complement = SaturatingWord<6, 1, 3>;

/// A row of rowlets for random synapses that the layout can hold, and the synapses.
template <class Layout>
struct Case {
  std::vector<std::uint32_t> row;
  std::vector<Synapse> synapses;

  explicit Case(unsigned seed) {
    std::mt19937 random(seed);
    for (std::uint32_t delay = 1; delay <= 8; ++delay) {
      std::vector<Synapse> rowlet(1 + random() % 30);
      const auto weight = static_cast<std::int32_t>(random() % 1000);
      const auto first = static_cast<std::uint32_t>(random() % 90);
      for (std::size_t at = 0; at < rowlet.size(); ++at) {
        std::uint32_t element = random() % 128;
        std::int32_t own = static_cast<std::int32_t>(random() % 65536) - 32768;
        if constexpr (std::same_as<Layout, layout::Uniform>) own = weight;
        if constexpr (std::same_as<Layout, layout::Saturating>) own = static_cast<std::int32_t>(random() % 65536);
        if constexpr (std::same_as<Layout, layout::Dense>) element = first + static_cast<std::uint32_t>(at);
        rowlet[at] = {own, delay, element / 64, element % 64};
      }
      std::vector<std::uint32_t> words(1 + Layout::words(rowlet.size()), 0xFFFFFFFF);
      const auto used = write_rowlet<Layout, Word>(words, rowlet);
      REQUIRE(used.ok());
      REQUIRE(used.value() == words.size());
      for (std::size_t at = 0; at < rowlet.size(); ++at) {
        REQUIRE(Layout::element(words.data() + 1, rowlet.size(), at) == (rowlet[at].type << 6 | rowlet[at].index));
        REQUIRE(Layout::weight(words.data() + 1, rowlet.size(), at) == rowlet[at].weight);
      }
      row.insert(row.end(), words.begin(), words.end());
      synapses.insert(synapses.end(), rowlet.begin(), rowlet.end());
    }
  }
};

} // namespace

TEMPLATE_TEST_CASE("rowlet: a row adds what its synapses add one by one", "[kernels][rowlet]", layout::Single,
                   layout::Pairs, layout::Uniform, layout::Dense) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Case<TestType> one(seed);
    RingBuffer<Word> ring, expected;
    const std::uint32_t step_number = 0xFFFFFFF0U + seed;
    add_rowlets<TestType>(ring, one.row, step_number);
    for (const Synapse& synapse : one.synapses)
      expected.slot(step_number + synapse.delay, synapse.type)[synapse.index] += synapse.weight;
    CAPTURE(seed);
    REQUIRE(std::ranges::equal(ring.elements(), expected.elements()));
    CHECK(check_rowlets<TestType, Word>(one.row, 64).ok());
  }
}

TEST_CASE("rowlet: 16-bit elements hold at 65535 and count", "[kernels][rowlet]") {
  const Case<layout::Saturating> one(1);
  RingBuffer<Word, std::uint16_t> ring, expected;
  for (int turn = 0; turn < 4; ++turn) {
    add_rowlets<layout::Saturating>(ring, one.row, 5);
    for (const Synapse& synapse : one.synapses)
      expected.add(((5 + synapse.delay) % 8) << 7 | synapse.type << 6 | synapse.index, synapse.weight);
    REQUIRE(std::ranges::equal(ring.elements(), expected.elements()));
    REQUIRE(ring.saturations() == expected.saturations());
  }
  CHECK(ring.saturations() > 0);
}

TEST_CASE("rowlet: what does not fit is refused and named", "[kernels][rowlet]") {
  std::array<std::uint32_t, 4> words{};
  const auto refused = [&]<class Layout>(Layout, std::vector<Synapse> synapses) {
    words = {1, 2, 3, 4};
    const Status status = write_rowlet<Layout, Word>(words, synapses).status();
    CHECK((words == std::array<std::uint32_t, 4>{1, 2, 3, 4}));
    return status;
  };
  CHECK(refused(layout::Dense{}, std::vector<Synapse>(65536, {1, 1, 0, 0})) ==
        Status{Error::parameter_out_of_range, 0, 65536, "synapses"});
  CHECK(refused(layout::Single{}, {{1, 1, 0, 0}, {1, 1, 0, 64}}) == Status{Error::index_out_of_range, 1, 64, "index"});
  CHECK(refused(layout::Single{}, {{1, 1, 2, 0}}) == Status{Error::type_out_of_range, 0, 2, "type"});
  CHECK(refused(layout::Single{}, {{1, 9, 0, 0}}) == Status{Error::delay_out_of_range, 0, 9, "delay"});
  CHECK(refused(layout::Single{}, {{1, 1, 0, 0}, {1, 2, 0, 0}}) == Status{Error::delay_out_of_range, 1, 2, "delay"});
  CHECK(refused(layout::Single{}, {{32768, 1, 0, 0}}) == Status{Error::weight_out_of_range, 0, 32768, "weight"});
  CHECK(refused(layout::Single{}, {4, {1, 1, 0, 0}}) == Status{Error::buffer_full, 0, 5, "to"});
  CHECK(refused(layout::Single{}, {}) == Status{Error::parameter_out_of_range, 0, 0, "synapses"});
  CHECK(refused(layout::Saturating{}, {{-1, 1, 0, 0}}) == Status{Error::weight_out_of_range, 0, -1, "weight"});
  CHECK(refused(layout::Saturating{}, {{65535, 1, 0, 0}, {65536, 1, 0, 0}}) ==
        Status{Error::weight_out_of_range, 1, 65536, "weight"});
  CHECK(refused(layout::Pairs{}, {{-32769, 1, 0, 0}}) == Status{Error::weight_out_of_range, 0, -32769, "weight"});
  CHECK(refused(layout::Uniform{}, {{1, 1, 0, 0}, {2, 1, 0, 1}}) == Status{Error::weight_out_of_range, 1, 2, "weight"});
  CHECK(refused(layout::Dense{}, {{1, 1, 0, 3}, {2, 1, 0, 5}}) == Status{Error::index_out_of_range, 1, 5, "index"});
}

TEMPLATE_TEST_CASE("rowlet: one synapse that does not fit, anywhere, and nothing is written", "[kernels][rowlet]",
                   layout::Single, layout::Saturating, layout::Pairs, layout::Uniform, layout::Dense) {
  using Format = SynapticWord<13, 2, 4>; // elements of 15 bits, one more than most layouts have
  constexpr bool dense = std::same_as<TestType, layout::Dense>, uniform = std::same_as<TestType, layout::Uniform>,
                 magnitude = std::same_as<TestType, layout::Saturating>;
  for (const std::uint32_t seed : Seeds(2000)) {
    std::mt19937 random(seed);
    std::vector<Synapse> synapses(1 + random() % 40);
    const auto delay = static_cast<std::uint32_t>(1 + random() % 16);
    const auto begin = static_cast<std::uint32_t>(random() % 16000);
    const std::int32_t weight = static_cast<std::int32_t>(random() % (uniform ? 0xFFFFFFFFU : 32768U));
    for (std::size_t at = 0; at < synapses.size(); ++at) {
      const std::uint32_t element = dense ? begin + static_cast<std::uint32_t>(at) : random() % 0x4000;
      synapses[at] = {uniform ? weight : static_cast<std::int32_t>(random() % 32768), delay, element >> 13,
                      element & 0x1FFF};
    }
    std::vector<std::uint32_t> words(1 + TestType::words(synapses.size()) + 1, 0xA5A5A5A5U);
    const auto before = words;
    INFO("seed " << seed);
    REQUIRE(write_rowlet<TestType, Format>(words, synapses).ok());
    words = before;
    const std::size_t at = random() % synapses.size();
    Synapse& wrong = synapses[at];
    auto error = Error::index_out_of_range;
    switch (random() % 5) {
    case 0: wrong.index = 0x2000U << random() % 18; break;
    case 1: wrong.type = 4U << random() % 29, error = Error::type_out_of_range; break;
    case 2:
      wrong.delay = random() % 2 == 0 ? 0 : 17 + static_cast<std::uint32_t>(random() % 1000);
      error = Error::delay_out_of_range;
      break;
    case 3:
      if (synapses.size() == 1 && uniform) continue;
      wrong.weight = magnitude ? -1 - static_cast<std::int32_t>(random() % 1000)
                     : uniform ? weight ^ 1 << random() % 31
                               : 32768 + static_cast<std::int32_t>(random() % 1000);
      error = Error::weight_out_of_range;
      break;
    default:
      if (synapses.size() == 1 && dense) continue;
      wrong.type = 3; // an element of 15 bits, and not the next one
    }
    // the first one says what the others must be
    const bool others = at == 0 && synapses.size() > 1 &&
                        ((uniform && error == Error::weight_out_of_range) ||
                         (dense && wrong.type == 3 && error == Error::index_out_of_range));
    const Status status = write_rowlet<TestType, Format>(words, synapses).status();
    REQUIRE(status.error == error);
    REQUIRE(status.where == (others ? 1 : at));
    REQUIRE(words == before);
  }
}

TEST_CASE("rowlet: check_rowlets finds lengths, delays and targets outside", "[kernels][rowlet]") {
  const auto header = [](std::uint32_t delay, std::uint32_t events) { return RowletHeader{delay, events}.word(); };
  const auto check = [](std::vector<std::uint32_t> row) { return check_rowlets<layout::Single, Word>(row, 40); };
  CHECK(check({header(1, 1), 39U << 18, header(8, 0)}).ok());
  CHECK(check({header(1, 1), 40U << 18}) == Status{Error::index_out_of_range, 0, 40, "index"});
  CHECK(check({header(1, 1), 128U << 18}) == Status{Error::type_out_of_range, 0, 2, "type"});
  CHECK(check({header(1, 0), header(9, 1), 0}) == Status{Error::delay_out_of_range, 1, 9, "delay"});
  CHECK(check({header(0, 1), 0}) == Status{Error::delay_out_of_range, 0, 0, "delay"});
  CHECK(check({header(1, 2), 0}) == Status{Error::rows_incomplete, 0, 2});
  // A distance between two elements is no element.
  CHECK_FALSE(check({header(1, 1), 1U << 16}).ok());
  CHECK_FALSE((check_rowlets<layout::Saturating, Word>(std::vector<std::uint32_t>{header(1, 1), 1}, 40).ok()));
  CHECK_FALSE((check_rowlets<layout::Saturating, Word>(std::vector<std::uint32_t>{header(1, 1), 0x8000}, 40).ok()));
}

TEST_CASE("rowlet: SaturatingWord rows add what SynapticWord rows add", "[kernels][synaptic_row]") {
  std::mt19937 random(3);
  RingBuffer<Complement, std::uint16_t> ring;
  RingBuffer<SynapticWord<6, 1, 3>, std::uint16_t> expected;
  std::vector<std::uint32_t> row, plain;
  for (int event = 0; event < 3000; ++event) {
    const Synapse synapse{static_cast<std::int32_t>(random() % 65536 >> random() % 16),
                          1 + static_cast<std::uint32_t>(random() % 8), static_cast<std::uint32_t>(random() % 2),
                          static_cast<std::uint32_t>(random() % 64)};
    const auto word = Complement::encode(synapse);
    REQUIRE(word.ok());
    REQUIRE(Complement::decode(word.value()) == synapse);
    row.push_back(word.value());
    plain.push_back(SynapticWord<6, 1, 3>::encode(synapse).value());
  }
  add_row(ring, row, 77);
  add_row(expected, plain, 77);
  CHECK(std::ranges::equal(ring.elements(), expected.elements()));
  CHECK(ring.saturations() == expected.saturations());
  CHECK(ring.saturations() > 0);
  CHECK(Complement::encode({65536, 1, 0, 0}).status() == Status{Error::weight_out_of_range, 0, 65536, "weight"});
  CHECK(Complement::encode({-1, 1, 0, 0}).status() == Status{Error::weight_out_of_range, 0, -1, "weight"});
}

static_assert([] {
  RingBuffer<Word> ring;
  const std::array<std::uint32_t, 2> row{RowletHeader{2, 1}.word(), 5U << 18 | 7};
  add_rowlets<layout::Single>(ring, row, 1);
  return ring.slot(3, 0)[5] == 7;
}());

TEST_CASE("rowlet: an event that fills a word up is checked like the others", "[kernels][rowlet]") {
  using Format = SynapticWord<8, 1, 4>;
  const auto check = [](std::uint32_t weights, std::uint32_t targets, std::uint32_t events = 1) {
    const std::array<std::uint32_t, 3> row{RowletHeader{1, events}.word(), weights, targets};
    return check_rowlets<layout::Pairs, Format>(row, 100);
  };
  CHECK(check(100U << 16, 3U << 18).ok());
  CHECK(check(100U << 16 | 77, 3U << 18) == Status{Error::weight_out_of_range, 0, 77, "weight"});
  CHECK(check(100U << 16, 3U << 18 | 512U << 2) == Status{Error::type_out_of_range, 0, 2, "type"});
  CHECK(check(100U << 16, 3U << 18 | 100U << 2) == Status{Error::index_out_of_range, 0, 100, "index"});
  CHECK(check(100U << 16 | 77, 3U << 18 | 99U << 2, 2).ok());
}
