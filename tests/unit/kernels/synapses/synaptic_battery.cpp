// SPDX-License-Identifier: BSL-1.0
// Random rows, spikes and steps from the whole range of each format, beside a list of what is on its way: no modulus,
// no packed words, sums of 64 bits.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <type_traits>
#include <vector>

#include <neuromorph/kernels/synapses/ring_buffer.hpp>
#include <neuromorph/kernels/synapses/rowlet.hpp>
#include <neuromorph/kernels/synapses/synaptic_row.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

class Draw {
public:
  explicit Draw(std::uint32_t seed) : random_(seed) {}
  std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }
  std::uint32_t below(std::uint32_t bound) { return word() % bound; }
  bool one_in(std::uint32_t times) { return below(times) == 0; }
  /// The ends as often as all between.
  std::int64_t within(std::int64_t low, std::int64_t high) {
    if (one_in(4)) return low;
    if (one_in(3)) return high;
    return low + static_cast<std::int64_t>((std::uint64_t{word()} << 16 ^ word()) %
                                           static_cast<std::uint64_t>(high - low + 1));
  }

private:
  std::mt19937 random_;
};

template <class Format>
std::int32_t lowest_weight() {
  if constexpr (Format::weight_coding == WeightCoding::complement)
    return 0;
  else
    return Format::lowest_weight;
}

template <class Format>
Synapse draw_synapse(Draw& draw, std::uint32_t neurons) {
  return {static_cast<std::int32_t>(draw.within(lowest_weight<Format>(), Format::highest_weight)),
          static_cast<std::uint32_t>(draw.within(1, 1 << Format::delay_bits)),
          static_cast<std::uint32_t>(draw.within(0, (1 << Format::type_bits) - 1)),
          static_cast<std::uint32_t>(draw.within(0, neurons - 1))};
}

/// Sums by the step at which they arrive, and how many events stopped at the end of an element.
template <class Format, class Element>
struct Model {
  std::map<std::uint32_t, std::vector<std::int64_t>> arriving;
  std::uint32_t saturations = 0;
  std::vector<std::int64_t>& at(std::uint32_t step_number) {
    auto& sums = arriving[step_number];
    sums.resize(std::size_t{1} << (Format::index_bits + Format::type_bits));
    return sums;
  }
  void add(const Synapse& synapse, std::uint32_t step_number) {
    std::int64_t& sum = at(step_number + synapse.delay)[(synapse.type << Format::index_bits) + synapse.index];
    sum += synapse.weight;
    if (sizeof(Element) == 4) return; // modulo 2^32
    const std::int64_t held =
        std::clamp<std::int64_t>(sum, std::numeric_limits<Element>::lowest(), (std::numeric_limits<Element>::max)());
    saturations += held != sum ? 1U : 0U;
    sum = held;
  }
};

template <class Format, class Element>
void run(std::uint32_t seed) {
  Draw draw(seed);
  using Ring = RingBuffer<Format, Element>;
  const auto neurons = static_cast<std::uint32_t>(draw.within(1, 1 << Format::index_bits));
  const std::uint32_t pre = 1 + draw.below(70); // rows are taken 64 at a time
  std::vector<std::vector<Synapse>> synapses(pre);
  std::size_t count = 0;
  for (auto& row : synapses) {
    row.resize(draw.one_in(5) ? 0 : draw.below(60));
    for (auto& one : row) one = draw_synapse<Format>(draw, neurons);
    const auto slot = [](const Synapse& one) {
      return (one.delay & ((1U << Format::delay_bits) - 1)) << Format::type_bits | one.type;
    };
    if (sizeof(Element) == 2 || draw.one_in(2))
      std::stable_sort(row.begin(), row.end(), [&](const auto& a, const auto& b) { return slot(a) < slot(b); });
    count += row.size();
  }
  std::vector<std::uint32_t> words(count), first(pre + 1), filled(pre), sums(std::size_t{neurons} << Format::type_bits);
  auto builder = RowBuilder<Format>::from(first, filled, neurons).value();
  for (std::uint32_t row = 0; row < pre; ++row)
    for (std::size_t one = 0; one < synapses[row].size(); ++one) REQUIRE(builder.count(row).ok());
  REQUIRE(builder.place(words).ok());
  for (std::uint32_t row = 0; row < pre; ++row)
    for (const Synapse& one : synapses[row]) REQUIRE(builder.add(row, one).ok());
  const auto rows = builder.finish();
  REQUIRE(rows.ok());

  // the proof of the fan-in, beside plain sums
  std::map<std::uint32_t, std::int64_t> totals;
  std::int64_t largest = 0;
  for (const auto& row : synapses)
    for (const Synapse& one : row)
      largest =
          std::max(largest, totals[one.type << Format::index_bits | one.index] += std::abs(std::int64_t{one.weight}));
  if (largest > 0 && largest <= std::int64_t{1} << 30) {
    CHECK(check_fan_in<Format>(rows.value(), neurons, sums, static_cast<std::uint32_t>(largest)).ok());
    const auto refused = check_fan_in<Format>(rows.value(), neurons, sums, static_cast<std::uint32_t>(largest - 1));
    CHECK(refused.error == Error::fan_in_too_large);
  }

  static Ring native, generic;
  native = {}, generic = {};
  Model<Format, Element> model;
  static constexpr std::uint32_t starts[] = {0, 0x7FFFFFF0U, 0xFFFFFFE8U};
  std::uint32_t step_number = draw.one_in(4) ? draw.word() : starts[draw.below(3)];
  for (std::uint32_t step = 0; step < 60; ++step, ++step_number) {
    INFO("seed " << seed << ", step " << step << ", number " << step_number);
    auto& expected = model.at(step_number);
    for (std::size_t type = 0; type < Ring::types; ++type)
      for (Ring* ring : {&native, &generic}) {
        const auto slot = ring->slot(step_number, type);
        std::size_t wrong = 0;
        for (std::size_t neuron = 0; neuron < Ring::neurons; ++neuron)
          wrong += slot[neuron] == static_cast<Element>(expected[(type << Format::index_bits) + neuron]) ? 0U : 1U;
        REQUIRE(wrong == 0);
        std::fill(slot.begin(), slot.end(), Element{0});
      }
    model.arriving.erase(step_number);
    std::vector<std::uint32_t> fired;
    const std::uint32_t rare = 1 + draw.below(20);
    for (std::uint32_t row = 0; row < pre; ++row)
      if (draw.one_in(rare)) fired.push_back(row);
    std::size_t events = 0;
    for (const std::uint32_t row : fired) events += synapses[row].size();
    if (draw.one_in(2) && sizeof(Element) == 4) {
      REQUIRE(add_rows(native, rows.value(), fired, step_number) == events);
      REQUIRE(add_rows<target::Generic>(generic, rows.value(), fired, step_number) == events);
    } else {
      for (const std::uint32_t row : fired) {
        add_row(native, rows.value().row(row), step_number);
        add_row<target::Generic>(generic, rows.value().row(row), step_number);
      }
    }
    for (const std::uint32_t row : fired)
      for (const Synapse& one : synapses[row]) model.add(one, step_number);
    REQUIRE(native.saturations() == model.saturations);
    REQUIRE(generic.saturations() == model.saturations);
  }
}

/// A word for every synapse that the format can hold, and no word for what it cannot.
template <class Format>
void check_words(std::uint32_t seed) {
  Draw draw(seed);
  for (int turn = 0; turn < 2000; ++turn) {
    const Synapse one = draw_synapse<Format>(draw, 1U << Format::index_bits);
    INFO("seed " << seed << ", weight " << one.weight << ", delay " << one.delay << ", type " << one.type << ", index "
                 << one.index);
    const auto word = Format::encode(one);
    REQUIRE(word.ok());
    REQUIRE(Format::decode(word.value()) == one);
    const std::uint32_t step_number = draw.word();
    const std::uint32_t slot = (step_number + one.delay) % (1U << Format::delay_bits);
    REQUIRE(Format::address(word.value(), Format::offset(step_number)) ==
            ((slot << Format::type_bits | one.type) << Format::index_bits | one.index));
    const auto refused = [&](Synapse other, Error error, std::int64_t value) {
      const char* const name = error == Error::index_out_of_range   ? "index"
                               : error == Error::type_out_of_range  ? "type"
                               : error == Error::delay_out_of_range ? "delay"
                                                                    : "weight";
      return Format::encode(other).status() == Status{error, 0, value, name};
    };
    Synapse other = one;
    other.index = static_cast<std::uint32_t>(draw.within(1LL << Format::index_bits, UINT32_MAX));
    REQUIRE(refused(other, Error::index_out_of_range, other.index));
    other = one, other.type = static_cast<std::uint32_t>(draw.within(1LL << Format::type_bits, UINT32_MAX));
    REQUIRE(refused(other, Error::type_out_of_range, other.type));
    other = one, other.delay = static_cast<std::uint32_t>(draw.within((1LL << Format::delay_bits) + 1, UINT32_MAX));
    REQUIRE(refused(other, Error::delay_out_of_range, other.delay));
    other.delay = 0;
    REQUIRE(refused(other, Error::delay_out_of_range, 0));
    other = one,
    other.weight = static_cast<std::int32_t>(draw.within(std::int64_t{Format::highest_weight} + 1, INT32_MAX));
    REQUIRE(refused(other, Error::weight_out_of_range, other.weight));
    other.weight = static_cast<std::int32_t>(draw.within(INT32_MIN, std::int64_t{lowest_weight<Format>()} - 1));
    REQUIRE(refused(other, Error::weight_out_of_range, other.weight));
  }
}

/// Rowlets of random synapses, written, read, refused and added.
template <class Layout, class Format>
void run_rowlets(std::uint32_t seed) {
  Draw draw(seed);
  using Element = typename Layout::Element;
  static RingBuffer<Format, Element> native, generic;
  native = {}, generic = {};
  Model<Format, Element> model;
  std::uint32_t step_number = draw.one_in(2) ? draw.word() : 0xFFFFFFF0U;
  constexpr std::uint32_t elements = 1U << (Format::index_bits + Format::type_bits);
  for (std::uint32_t step = 0; step < 20; ++step, ++step_number) {
    INFO("seed " << seed << ", step " << step << ", number " << step_number);
    for (std::size_t type = 0; type < RingBuffer<Format, Element>::types; ++type)
      for (auto* ring : {&native, &generic}) {
        const auto slot = ring->slot(step_number, type);
        for (std::size_t neuron = 0; neuron < slot.size(); ++neuron)
          if (slot[neuron] != static_cast<Element>(model.at(step_number)[(type << Format::index_bits) + neuron]))
            FAIL("a sum differs");
        std::fill(slot.begin(), slot.end(), Element{0});
      }
    model.arriving.erase(step_number);
    std::vector<std::uint32_t> row;
    std::vector<Synapse> all;
    for (std::uint32_t rowlets = draw.below(4); rowlets != 0; --rowlets) {
      std::vector<Synapse> one(1 + draw.below(draw.one_in(2) ? 40 : 4));
      const auto delay = static_cast<std::uint32_t>(draw.within(1, 1 << Format::delay_bits));
      constexpr bool dense = std::is_same_v<Layout, layout::Dense>, uniform = std::is_same_v<Layout, layout::Uniform>,
                     magnitude = std::is_same_v<Layout, layout::Saturating>;
      const auto begin = static_cast<std::uint32_t>(draw.within(0, elements - static_cast<std::uint32_t>(one.size())));
      const auto draw_weight = [&] {
        return static_cast<std::int32_t>(uniform     ? draw.within(INT32_MIN, INT32_MAX)
                                         : magnitude ? draw.within(0, 65535)
                                                     : draw.within(-32768, 32767));
      };
      const std::int32_t weight = draw_weight();
      for (std::size_t at = 0; at < one.size(); ++at) {
        const std::uint32_t element =
            dense ? begin + static_cast<std::uint32_t>(at) : static_cast<std::uint32_t>(draw.within(0, elements - 1));
        one[at] = {uniform ? weight : draw_weight(), delay, element >> Format::index_bits,
                   element & ((1U << Format::index_bits) - 1)};
      }
      std::vector<std::uint32_t> words(1 + Layout::words(one.size()) + 2, 0xA5A5A5A5U);
      const auto too_short = std::span{words}.first(words.size() - 3);
      REQUIRE(write_rowlet<Layout, Format>(too_short, one).status().error == Error::buffer_full);
      const auto used = write_rowlet<Layout, Format>(words, one);
      REQUIRE(used.ok());
      REQUIRE(used.value() == words.size() - 2);
      REQUIRE((words[words.size() - 1] == 0xA5A5A5A5U && words[words.size() - 2] == 0xA5A5A5A5U));
      words.resize(used.value());
      row.insert(row.end(), words.begin(), words.end());
      all.insert(all.end(), one.begin(), one.end());
    }
    REQUIRE(check_rowlets<Layout, Format>(row, std::size_t{1} << Format::index_bits).ok());
    if (!row.empty())
      REQUIRE(check_rowlets<Layout, Format>(std::span{row}.first(row.size() - 1), std::size_t{1} << Format::index_bits)
                  .error == Error::rows_incomplete);
    std::uint32_t highest = 0;
    for (const Synapse& one : all) highest = std::max(highest, one.index);
    if (highest != 0) {
      REQUIRE(check_rowlets<Layout, Format>(row, highest + 1).ok());
      REQUIRE(check_rowlets<Layout, Format>(row, highest).error == Error::index_out_of_range);
    }
    add_rowlets<Layout>(native, row, step_number);
    add_rowlets<Layout, target::Generic>(generic, row, step_number);
    for (const Synapse& one : all) model.add(one, step_number);
    REQUIRE(native.saturations() == model.saturations);
    REQUIRE(generic.saturations() == model.saturations);
  }
}

constexpr std::uint32_t seeds = sanitized ? 10 : 60;

} // namespace

TEST_CASE("synaptic_battery: rows deliver what a list of spikes under way does",
          "[kernels][synaptic_row][ring_buffer]") {
  for (const std::uint32_t seed : Seeds(seeds)) {
    run<SynapticWord<8, 1, 4>, std::int32_t>(seed);
    run<SynapticWord<5, 0, 3>, std::int32_t>(seed);
    run<SynapticWord<5, 0, 3, WeightSign::signed_value>, std::int32_t>(seed);
    run<SynapticWord<4, 2, 2, WeightSign::signed_value>, std::int16_t>(seed);
    run<SynapticWord<4, 2, 2>, std::uint16_t>(seed);
    run<SynapticWord<6, 1, 8>, std::uint16_t>(seed);
    run<SaturatingWord<4, 1, 3>, std::uint16_t>(seed);
    run<SaturatingWord<8, 2, 6>, std::uint16_t>(seed);
  }
}

TEST_CASE("synaptic_battery: a word holds each synapse of its format and refuses all others",
          "[kernels][synaptic_word]") {
  for (const std::uint32_t seed : Seeds(3)) {
    check_words<SynapticWord<8, 0, 0>>(seed);
    check_words<SynapticWord<0, 0, 8, WeightSign::signed_value>>(seed);
    check_words<SynapticWord<8, 1, 4>>(seed);
    check_words<SynapticWord<12, 4, 8>>(seed);
    check_words<SynapticWord<12, 4, 8, WeightSign::signed_value>>(seed);
    check_words<SaturatingWord<4, 1, 3>>(seed);
    check_words<SaturatingWord<11, 1, 4>>(seed);
  }
}

TEST_CASE("synaptic_battery: rowlets deliver the same", "[kernels][rowlet]") {
  for (const std::uint32_t seed : Seeds(seeds)) {
    run_rowlets<layout::Single, SynapticWord<6, 1, 3>>(seed);
    run_rowlets<layout::Saturating, SynapticWord<6, 1, 3>>(seed);
    run_rowlets<layout::Pairs, SynapticWord<6, 1, 3>>(seed);
    run_rowlets<layout::Uniform, SynapticWord<6, 1, 3>>(seed);
    run_rowlets<layout::Dense, SynapticWord<6, 1, 3>>(seed);
    run_rowlets<layout::Single, SynapticWord<10, 4, 4>>(seed); // all of the 16384 elements
    run_rowlets<layout::Saturating, SynapticWord<10, 4, 4>>(seed);
    run_rowlets<layout::Pairs, SynapticWord<10, 4, 4>>(seed);
    run_rowlets<layout::Uniform, SynapticWord<10, 4, 4>>(seed);
  }
}
