// SPDX-License-Identifier: BSL-1.0
// Synapses several at a time, in lanes of plain C++, beside the same one after the other. tests/target/plastic_lanes.cpp has the
// lanes of machines.
#include <cstdint>

#include <neuromorph/gc/fifo.hpp>
#include <neuromorph/gc/pool.hpp>
#include <neuromorph/gc/ring.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/vogels.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/multiplicative.hpp>
#include <neuromorph/target/generic.hpp>
#include <neuromorph/target/unsigned_lanes.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/plastic_lanes.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

/// Counts how often neurons are looked at together.
template <std::size_t Count>
struct Wide : target::Generic {
  struct UnsignedLanes : target::GenericUnsignedLanes<Count> {
    using Base = target::GenericUnsignedLanes<Count>;
    static inline std::uint32_t looks = 0;
    static constexpr void gather_records(const std::uint32_t* from, typename Base::Value index,
                                         typename Base::Value (&to)[8]) noexcept {
      ++looks;
      Base::gather_records(from, index, to);
    }
  };
};
static_assert(target::SaysItsLoops<Wide<4>>);

constexpr PostSynapticDelay dendritic = PostSynapticDelay::dendritic, none = PostSynapticDelay::none;
using Table = DecayTable<110>;
using Full = gc::Fifo<2000>;
using Short = gc::Fifo<100, gc::WhenFull::oldest_gives_way>;

template <class Timing, class Weight, PostSynapticDelay Delay, class Collector, std::size_t Count = 8,
          class Word = SynapticWord<6, 1, 3>>
void compare(const Timing& timing, std::uint32_t ticks = 2000) {
  auto& looks = Wide<Count>::UnsignedLanes::looks;
  for (const std::uint32_t seed : Seeds(12)) {
    INFO("seed " << seed);
    looks = 0;
    const auto outcome = plastic_lanes::compared<Wide<Count>, target::Generic, Timing, Weight, Delay, Collector, Word>(
        timing, seed, ticks);
    REQUIRE(outcome.differences == 0);
    REQUIRE((outcome.rows_compared > 100 && looks > outcome.rows_compared));
  }
}

constexpr auto pair =
    timing::Pair<Table>::from({.tau_plus_ms = 7, .tau_minus_ms = 6, .a_plus = 0.1, .a_minus = 0.11}, 1.0);
constexpr auto vogels = timing::Vogels<Table>::from({.tau_ms = 7, .eta = 0.05, .alpha = 0.2}, 1.0);

} // namespace

TEST_CASE("several_at_once: rows are as one synapse after the other, whatever the history", "[several_at_once]") {
  using Pair = timing::Pair<Table>;
  compare<Pair, weight::Additive, dendritic, Full>(pair.value());
  compare<Pair, weight::Additive, none, Full, 16>(pair.value());
  compare<Pair, weight::Additive, dendritic, Short>(pair.value());
  compare<Pair, weight::Additive, dendritic, gc::Pool<500>>(pair.value());
  compare<Pair, weight::Additive, dendritic, gc::Ring<4, gc::WhenFull::oldest_gives_way>>(pair.value());
  compare<Pair, weight::Additive, none, gc::Ring<4>>(pair.value());
}
TEST_CASE("several_at_once: rows are as one synapse after the other, whatever the rule", "[several_at_once]") {
  compare<timing::Pair<Table>, weight::Multiplicative, dendritic, Full, 4>(pair.value());
  compare<timing::Vogels<Table>, weight::Additive, dendritic, Full, 1>(vogels.value());
  compare<timing::Vogels<Table>, weight::Multiplicative, none, Full, 32>(vogels.value());
  compare<timing::Pair<Table>, weight::Additive, dendritic, Full, 8, SynapticWord<6, 1, 3, WeightSign::signed_value>>(
      pair.value());
  constexpr auto slow = timing::Pair<LongDecayTable<1000>>::from(
      {.tau_plus_ms = 70, .tau_minus_ms = 60, .a_plus = 0.01, .a_minus = 0.011}, 1.0);
  compare<timing::Pair<LongDecayTable<1000>>, weight::Additive, dendritic, Full>(slow.value());
}
// After 2^32 ticks less a few its neurons' last events would stand in the window, if nobody had looked at them meanwhile.
TEST_CASE("several_at_once: events that are as old as the clock's range are in no window", "[several_at_once]") {
  using Pair = timing::Pair<Table>;
  using Word = SynapticWord<6, 1, 3>;
  using Update = DeferredUpdate<Word, Pair, weight::Additive, dendritic, rounding::Nearest, Wide<8>>;
  static TraceStore<Share, 60, gc::Pool<500>, gc::AgeWindow<120>, Wide<8>> store;
  auto update = Update::from({0, 60000}, pair.value()).value();
  std::array<std::uint32_t, Update::Row::words(8, 0)> words{};
  auto row = Update::Row::make(words, 8, 0).value();
  const auto state = update.state_of(30000).value();
  for (std::uint32_t neuron = 0; neuron < 8; ++neuron)
    REQUIRE(row.append(Word::encode({.weight = 30000, .delay = 1, .type = 0, .index = neuron}).value(), state));
  std::uint32_t now = 100;
  for (; now < 106; ++now) {
    store.advance_to(now);
    for (std::uint32_t neuron = 0; neuron < 8; ++neuron) update.post_spike(store, neuron, now);
  }
  for (std::uint32_t steps = 0; steps < 63; ++steps) {
    store.advance_to(now += 1U << 26);
    REQUIRE(update.flush(words, now, store) == RowUpdate::changed);
  }
  for (const std::uint32_t last : {90U, 110U}) { // a window from 90 to 110
    store.advance_to(now = last);
    REQUIRE(update.pre_spike(words, now, store) == RowUpdate::changed);
    for (const std::uint32_t weight : row.states()) REQUIRE(weight == state);
  }
}
