// SPDX-License-Identifier: BSL-1.0
// Deferred updates beside the same rule applied at once, event by event in double precision. The rules by themselves, over
// longer trains, are in timing_rules/.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/kernels/plasticity/deferred_update.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/multiplicative.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/uniform.hpp>
#include <neuromorph/kernels/synapses/plastic_row.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

using Word = SynapticWord<8, 1, 4>;
using Pair = timing::Pair<>;
template <class Weight = weight::Additive, PostSynapticDelay Delay = PostSynapticDelay::dendritic,
          class Rounding = rounding::Nearest>
using Update = DeferredUpdate<Word, Pair, Weight, Delay, Rounding>;
constexpr double whole = 4294967296.0;
constexpr Pair pair(double a_plus = 0.01, double a_minus = 0.01) {
  return Pair::from({.tau_plus_ms = 20, .tau_minus_ms = 30, .a_plus = a_plus, .a_minus = a_minus}, 1.0).value();
}

/// All synapses of a row in double, at once: share of the range.
struct AtOnce {
  double share = 0.5, up = 0, down = 0; // traces of row and neuron
  double a_plus = 0.01, a_minus = 0.01;
  bool multiplicative = false;
  void tick() {
    up *= std::exp(-1.0 / 20);
    down *= std::exp(-1.0 / 30);
  }
  void post() {
    share += multiplicative ? (1 - share) * up : up;
    share = std::fmin(share, 1);
    down += a_minus;
  }
  void pre() {
    share -= multiplicative ? share * down : down;
    share = std::fmax(share, 0);
    up += a_plus;
  }
};

struct Load {
  std::uint32_t start, ticks, synapses, pre_interval, post_interval;
  double a_plus = 0.01, a_minus = 0.01;
};

/// \return the greatest difference of a share
template <class UpdateType, bool is_dendritic, bool multiplicative>
double compared(const Load& load, std::uint32_t seed) {
  Sfc32 random({.seed = seed});
  auto update = UpdateType::from({0, 300000}, pair(load.a_plus, load.a_minus)).value();
  const auto made = std::make_unique<TraceStore<Share, 255, gc::Fifo<12500>, gc::AgeWindow<4000>>>(load.start);
  auto& store = *made;
  std::vector<std::uint32_t> words(UpdateType::Row::words(load.synapses, 0));
  auto row = UpdateType::Row::make(words, load.synapses, load.start).value();
  std::vector<AtOnce> at_once(load.synapses);
  std::vector<std::vector<std::uint32_t>> arrivals(load.synapses);
  for (std::uint32_t at = 0; at < load.synapses; ++at) {
    const auto share = static_cast<std::int32_t>(uniform_below(random, 300001));
    const std::uint32_t delay = 1 + uniform_below(random, 16);
    const auto word = Word::encode({.weight = share, .delay = delay, .type = 0, .index = at * 7 % 255});
    REQUIRE(row.append(word.value(), update.state_of(share).value()));
    at_once[at] = {share / 300000.0, 0, 0, load.a_plus, load.a_minus, multiplicative};
  }
  double most = 0;
  for (std::uint32_t tick = 1; tick <= load.ticks; ++tick) {
    const std::uint32_t now = load.start + tick;
    store.advance_to(now);
    for (std::uint32_t at = 0; at < load.synapses; ++at)
      if (uniform_below(random, load.post_interval) == 0) {
        const Synapse synapse = Word::decode(row.plastic()[at]);
        update.post_spike(store, synapse.index, now);
        arrivals[at].push_back(now + (is_dendritic ? synapse.delay : 0));
      }
    const bool is_spike = uniform_below(random, load.pre_interval) == 0;
    for (std::uint32_t at = 0; at < load.synapses; ++at) {
      at_once[at].tick();
      auto& due = arrivals[at];
      for (; !due.empty() && due.front() == now; due.erase(due.begin())) at_once[at].post();
      if (is_spike) at_once[at].pre();
    }
    if (is_spike) {
      REQUIRE(update.pre_spike(words, now, store) == RowUpdate::changed);
      for (std::uint32_t at = 0; at < load.synapses; ++at) {
        const double share = row.states()[at] / whole;
        most = std::fmax(most, std::fabs(share - at_once[at].share));
        REQUIRE(Word::weight(row.plastic()[at]) == update.weight_of(row.states()[at]));
        REQUIRE(std::fabs(Word::weight(row.plastic()[at]) - share * 300000) <= 0.501);
      }
    }
  }
  CHECK((update.counts().truncated == 0 && store.counts().refused_full == 0));
  return most;
}

} // namespace

// Spikes at 1010 and 1050, events at 1014, 1032 and 1053, a delay of 3 ms: the last event is none of the row's yet.
TEMPLATE_TEST_CASE("deferred_update: an example by hand", "[deferred_update]", weight::Additive,
                   weight::Multiplicative) {
  constexpr auto rule = Pair::from({.tau_plus_ms = 20, .tau_minus_ms = 20, .a_plus = 0.01, .a_minus = 0.01}, 1.0);
  auto update = Update<TestType>::from({0, 50000}, rule.value()).value();
  TraceStore<Share, 8> store;
  std::array<std::uint32_t, 5> words{};
  auto row = decltype(update)::Row::make(words, 1, 0).value();
  const auto word = Word::encode({.weight = 25000, .delay = 3, .type = 0, .index = 7});
  REQUIRE(row.append(word.value(), update.state_of(25000).value()));
  for (const std::uint32_t event : {1010U, 1014U, 1032U, 1050U, 1053U}) {
    store.advance_to(event);
    if (event == 1010 || event == 1050)
      CHECK(update.pre_spike(words, event, store) == RowUpdate::changed);
    else
      update.post_spike(store, 7, event);
  }
  // The range is 5.
  const double up = 0.01 * std::exp(-7 / 20.0), later = 0.01 * std::exp(-25 / 20.0);
  const double down = 0.01 * (std::exp(-15 / 20.0) + std::exp(-33 / 20.0));
  const bool is_additive = std::is_same_v<TestType, weight::Additive>;
  double expected = 2.5;
  if (is_additive) {
    expected += 5 * (up + later - down);
  } else {
    expected += (5 - expected) * up;
    expected += (5 - expected) * later;
    expected -= expected * down;
  }
  CHECK(std::fabs(5 * (row.states()[0] / whole) - expected) < 1e-8);
  CHECK(row.time() == 1050);
  CHECK(update.counts() == PlasticityCounts{});
}

TEST_CASE("deferred_update: as if applied at once", "[deferred_update]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 4 : 12)) {
    INFO("seed " << seed);
    // Rare and frequent spikes and events, across the wrap of the clock.
    for (const std::uint32_t pre : {1U, 3U, 40U, 700U})
      for (const std::uint32_t post : {1U, 4U, 60U, 900U}) {
        const Load load{0U - 1500U, 4000, 3, pre, post, 0.01, 0.01};
        INFO("spikes every " << pre << ", events every " << post << " ticks");
        CHECK((compared<Update<>, true, false>(load, seed)) < 2e-5);
        CHECK((compared<Update<weight::Multiplicative>, true, true>(load, seed)) < 2e-5);
        CHECK((compared<Update<weight::Additive, PostSynapticDelay::none>, false, false>(load, seed)) < 2e-5);
      }
  }
}
