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
#include <neuromorph/offer.hpp>

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

TEST_CASE("deferred_update: a flush changes nothing but when work is done", "[deferred_update]") {
  for (const std::uint32_t seed : Seeds(20)) {
    INFO("seed " << seed);
    Sfc32 random(StreamId{seed});
    auto flushed = Update<>::from({0, 60000}, pair()).value(), plain = flushed;
    TraceStore<Share, 4, gc::Fifo<2000>, gc::AgeWindow<4000>> store;
    std::array<std::array<std::uint32_t, Update<>::Row::words(4, 0)>, 2> words{};
    for (auto& row_words : words) {
      auto row = Update<>::Row::make(row_words, 4, 0).value();
      for (std::uint32_t at = 0; at < 4; ++at) {
        const auto word = Word::encode({.weight = 30000, .delay = 1 + 5 * at, .type = 0, .index = at});
        REQUIRE(row.append(word.value(), plain.state_of(30000).value()));
      }
    }
    for (std::uint32_t now = 1; now < 3000; ++now) {
      store.advance_to(now);
      for (std::uint32_t neuron = 0; neuron < 4; ++neuron)
        if (uniform_below(random, 30) == 0) plain.post_spike(store, neuron, now);
      if (uniform_below(random, 40) == 0) REQUIRE(flushed.flush(words[0], now, store) == RowUpdate::changed);
      if (uniform_below(random, 100) == 0) {
        flushed.pre_spike(words[0], now, store);
        plain.pre_spike(words[1], now, store);
        const Update<>::Row one(words[0]), other(words[1]);
        for (std::uint32_t at = 0; at < 4; ++at) // traces are rounded once more at each flush
          REQUIRE(std::fabs(double(one.states()[at]) - double(other.states()[at])) < 1000);
        REQUIRE(one.time() == now);
      }
    }
    CHECK((flushed.counts().truncated == 0 && plain.counts().truncated == 0));
  }
}

TEST_CASE("deferred_update: what a silent row has missed is counted, and nothing else is", "[deferred_update]") {
  auto update = Update<>::from({0, 60000}, pair()).value();
  TraceStore<Share, 4, gc::Fifo<100>, gc::AgeWindow<500>> store;
  std::array<std::uint32_t, Update<>::Row::words(1, 0)> words{};
  auto row = Update<>::Row::make(words, 1, 0).value();
  REQUIRE(row.append(Word::encode({.weight = 30000, .delay = 1, .type = 0, .index = 2}).value(),
                     update.state_of(30000).value()));
  const auto spike = [&](std::uint32_t now) {
    store.advance_to(now);
    update.pre_spike(words, now, store);
  };
  spike(100);
  store.advance_to(110);
  update.post_spike(store, 2, 110);
  for (std::uint32_t now = 111; now < 2000; ++now) store.advance_to(now);
  update.post_spike(store, 2, 1999);
  spike(2000); // the event of 110 is gone
  CHECK(update.counts().truncated == 1);

  // Flushed in time, its trace is spent when the events are gone: nothing is missed however long it is silent.
  spike(2001);
  for (std::uint32_t now = 2002; now < 10000; ++now) {
    store.advance_to(now);
    if (now % 50 == 0) update.post_spike(store, 2, now);
    if (now == 2001 + 482) {
      update.flush(words, now, store);
      REQUIRE(Pair::is_spent(row.trace()));
    }
  }
  spike(10000);
  CHECK(update.counts().truncated == 1);
}

TEST_CASE("deferred_update: a row that is none is counted and left alone", "[deferred_update]") {
  auto update = Update<>::from({0, 60000}, pair()).value();
  TraceStore<Share, 4> store;
  std::array<std::uint32_t, 5> words{2U << 16 | 1, 7, 8, 9, 10}; // room for two, words for one
  const auto before = words;
  CHECK(update.pre_spike(words, 1, store) == RowUpdate::wrong);
  CHECK(update.flush(std::span<std::uint32_t>(words).first(2), 1, store) == RowUpdate::wrong);
  CHECK(words == before);
  CHECK(update.counts().wrong_rows == 2);
  std::array<std::uint32_t, 5> fixed{0, 7, 8, 9, 10}; // two fixed synapses, nothing plastic
  const auto same = fixed;
  CHECK(update.pre_spike(fixed, 1, store) == RowUpdate::unchanged);
  CHECK(fixed == same);
}

TEST_CASE("deferred_update: ranges and states", "[deferred_update]") {
  using Signed = DeferredUpdate<SynapticWord<8, 1, 4, WeightSign::signed_value>, Pair, weight::Additive>;
  CHECK(Update<>::from({0, 1 << 19}, pair()).status() == Status{Error::weight_out_of_range, 0, 1 << 19, "highest"});
  CHECK(Update<>::from({-1, 5}, pair()).status() == Status{Error::weight_out_of_range, 0, -1, "lowest"});
  CHECK(Update<>::from({5, 5}, pair()).status() == Status{Error::parameters_contradict, 0, 5, "lowest"});
  CHECK(Update<>::from({}, pair()).status() == Status{Error::parameters_contradict, 0, 0, "lowest"});
  const auto widest = Signed::from({-(1 << 18), (1 << 18) - 1}, pair()).value();
  const auto narrowest = Update<>::from({7, 8}, pair()).value();
  CHECK((narrowest.state_of(7).value() == 0 && narrowest.state_of(8).value() == 0xFFFF'FFFF));
  CHECK((narrowest.weight_of(0x7FFF'FFFF) == 7 && narrowest.weight_of(0x8000'0000) == 8));
  CHECK(narrowest.state_of(9).status() == Status{Error::weight_out_of_range, 0, 9, "weight"});
  CHECK(narrowest.state_of(6).status() == Status{Error::weight_out_of_range, 0, 6, "weight"});
  for (std::int32_t weight = -(1 << 18); weight < 1 << 18; weight += sanitized ? 997 : 97)
    REQUIRE(widest.weight_of(widest.state_of(weight).value()) == weight);
  CHECK(widest.weight_of(widest.state_of((1 << 18) - 1).value()) == (1 << 18) - 1);
}

TEST_CASE("deferred_update: of no range, weights are 0", "[deferred_update]") {
  Update<> none;
  TraceStore<Share, 4> store;
  std::array<std::uint32_t, Update<>::Row::words(2, 0)> words{};
  auto row = Update<>::Row::make(words, 2, 0).value();
  const auto word = Word::encode({.weight = 300, .delay = 2, .type = 1, .index = 3}).value();
  REQUIRE((row.append(word, 0x8000'0000) && row.append(word, 0xFFFF'FFFF)));
  CHECK(none.pre_spike(words, 7, store) == RowUpdate::changed);
  for (const std::uint32_t after : row.plastic()) {
    const Synapse synapse = Word::decode(after);
    CHECK((synapse.weight == 0 && synapse.delay == 2 && synapse.type == 1 && synapse.index == 3));
  }
  CHECK((none.weight_of(0) == 0 && none.weight_of(0xFFFF'FFFF) == 0));
  CHECK(none.counts() == PlasticityCounts{});
}

// Changes far below what is kept, 2^-32 of the range: to nearest they vanish, stochastic ones come through in the mean.
TEST_CASE("deferred_update: rounding of changes", "[deferred_update]") {
  using Stochastic = Update<weight::Additive, PostSynapticDelay::none, Sfc32>;
  for (const std::uint32_t seed : Seeds(5)) {
    INFO("seed " << seed);
    const auto rule = pair(0x1p-20, 0);
    auto update = Stochastic::from({0, 60000}, rule, {}, Sfc32(StreamId{seed})).value();
    auto nearest = Update<weight::Additive, PostSynapticDelay::none>::from({0, 60000}, rule).value();
    TraceStore<Share, 1> store;
    std::array<std::array<std::uint32_t, Stochastic::Row::words(1, 0)>, 2> words{};
    const auto word = Word::encode({.weight = 0, .delay = 1, .type = 0, .index = 0});
    for (auto& one : words) REQUIRE(Stochastic::Row::make(one, 1, 0).value().append(word.value(), 0));
    // 184 ticks after a spike 0.413 of a unit of the share is left.
    std::uint32_t now = 0;
    constexpr std::uint32_t pairs = 4000;
    for (std::uint32_t count = 0; count < pairs; ++count) {
      store.advance_to(now += 1000);
      update.pre_spike(words[0], now, store);
      nearest.pre_spike(words[1], now, store);
      store.advance_to(now += 184);
      update.post_spike(store, 0, now);
      store.advance_to(now += 300);
      update.flush(words[0], now, store);
      nearest.flush(words[1], now, store);
    }
    const double mean = 4096 * std::exp(-184 / 20.0) * pairs, deviation = std::sqrt(pairs * 0.25);
    CHECK(std::fabs(Stochastic::Row(words[0]).states()[0] - mean) < 5 * deviation);
    CHECK(Stochastic::Row(words[1]).states()[0] == 0);
  }
}

TEST_CASE("deferred_update: what the history has forgotten is counted", "[deferred_update]") {
  for (const bool has_fired : {false, true}) {
    auto update = Update<>::from({0, 1000}, pair()).value();
    TraceStore<Share, 8> store;
    std::array<std::uint32_t, 5> words{};
    auto row = decltype(update)::Row::make(words, 1, 0).value();
    const auto word = Word::encode({.weight = 500, .delay = 3, .type = 0, .index = 7});
    REQUIRE(row.append(word.value(), update.state_of(500).value()));
    store.advance_to(1000);
    CHECK(update.pre_spike(words, 1000, store) == RowUpdate::changed);
    if (has_fired) update.post_spike(store, 7, 1000);
    CHECK(update.counts().truncated == 0);
    store.advance_to(1000 + (1U << 30)); // a leap: nobody knows whether it has fired
    CHECK(update.pre_spike(words, 1000 + (1U << 30), store) == RowUpdate::changed);
    CHECK(update.counts().truncated == 1);
  }
}

namespace {

using SignedWord = SynapticWord<8, 1, 4, WeightSign::signed_value>;

/// Rows of many delays beside a row for each synapse. Of busy neurons one look does not tell all, of others it does.
template <class UpdateType>
void compare_with_single_rows(std::uint32_t seed) {
  Sfc32 random({.seed = seed});
  using Row = typename UpdateType::Row;
  using Format = typename UpdateType::Word;
  constexpr std::uint32_t neurons = 50;
  auto together = UpdateType::from({1000, 200'000}, pair(0.1, 0.12)).value(), apart = together;
  TraceStore<Share, neurons, gc::Fifo<12'000>, gc::AgeWindow<2000>> store;
  constexpr std::array<std::uint32_t, 6> sizes{1, 31, 32, 33, 65, 150};
  const std::uint32_t size = sizes[uniform_below(random, 6)], of_a_delay = 1 + uniform_below(random, 100);
  std::vector<std::uint32_t> words(Row::words(size, 1));
  std::vector<std::vector<std::uint32_t>> single(size, std::vector<std::uint32_t>(Row::words(1, 0)));
  auto row = Row::make(words, size, 0).value();
  row.fixed()[0] = 77;
  for (std::uint32_t at = 0; at < size; ++at) {
    const auto weight = static_cast<std::int32_t>(1000 + uniform_below(random, 199'001));
    const std::uint32_t index = uniform_below(random, neurons), type = uniform_below(random, 2);
    const auto word =
        Format::encode({.weight = weight, .delay = 1 + at / of_a_delay % 16, .type = type, .index = index});
    REQUIRE(row.append(word.value(), together.state_of(weight).value()));
    REQUIRE(Row::make(single[at], 1, 0).value().append(word.value(), together.state_of(weight).value()));
  }
  for (std::uint32_t now = 1; now < 1500; ++now) {
    store.advance_to(now);
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
      if (uniform_below(random, neuron % 2 == 0 ? 20 : 600) == 0) together.post_spike(store, neuron, now);
    const std::uint32_t what = uniform_below(random, 120);
    if (what > 1) continue;
    for (auto* of : {&words, static_cast<std::vector<std::uint32_t>*>(nullptr)})
      for (std::uint32_t at = 0; at < (of != nullptr ? 1 : size); ++at) {
        std::vector<std::uint32_t>& its = of != nullptr ? *of : single[at];
        UpdateType& update = of != nullptr ? together : apart;
        REQUIRE((what == 0 ? update.flush(its, now, store) : update.pre_spike(its, now, store)) == RowUpdate::changed);
      }
    for (std::uint32_t at = 0; at < size; ++at) {
      const Row alone(single[at]);
      REQUIRE((row.states()[at] == alone.states()[0] && row.plastic()[at] == alone.plastic()[0]));
      REQUIRE(Format::weight(row.plastic()[at]) == together.weight_of(row.states()[at]));
    }
    REQUIRE((row.time() == now && row.trace() == Row(single[0]).trace() && row.fixed()[0] == 77));
  }
  CHECK(together.counts().held_at_highest == apart.counts().held_at_highest);
  CHECK(together.counts().held_at_lowest == apart.counts().held_at_lowest);
  CHECK(together.counts().truncated == 0);
}

/// A rule that does what it is told at each spike, and counts them in `Bits` bits of its own, if it has any.
struct Order {
  bool is_up = false;
  Share change = 0, seen = 0;
  std::uint32_t own = 0;
};
struct ToldWithoutBits {
  using Offers = offer::List<>;
  using RowTrace = std::uint32_t;
  using NeuronTrace = std::uint32_t;
  Order* order = nullptr;
  static constexpr RowTrace aged(auto&, RowTrace row, std::uint32_t) { return row; }
  static constexpr RowTrace pre_spiked(auto&, RowTrace row, std::uint32_t) { return row; }
  static constexpr NeuronTrace post_spiked(auto&, NeuronTrace neuron, std::uint32_t) { return neuron; }
  static constexpr void at_post(auto&, RowTrace, std::uint32_t, NeuronTrace) {}
  constexpr void at_pre(auto& synapse, RowTrace, std::uint32_t, NeuronTrace, std::uint32_t) const {
    order->seen = synapse.share();
    order->own = synapse.own();
    synapse.set_own(synapse.own() + 1);
    if (order->is_up)
      synapse.up(order->change);
    else
      synapse.down(order->change);
  }
};
template <unsigned Bits>
struct Told : ToldWithoutBits {
  using Offers = offer::List<offer::OwnBits>;
  static constexpr unsigned own_bits = Bits;
};
template <>
struct Told<0> : ToldWithoutBits {};

} // namespace

TEMPLATE_TEST_CASE("deferred_update: a row of many synapses is as many rows of one", "[deferred_update]", Update<>,
                   (Update<weight::Multiplicative, PostSynapticDelay::none>),
                   (DeferredUpdate<SignedWord, Pair, weight::Additive>)) {
  for (const std::uint32_t seed : Seeds(sanitized ? 3 : 12)) {
    INFO("seed " << seed);
    compare_with_single_rows<TestType>(seed);
  }
}

// A weight has 32 bits less those, to nearest; but the highest is the whole range whatever bits are the rule's own.
TEMPLATE_TEST_CASE_SIG("deferred_update: a rule's own bits, and changes as they were told beside them",
                       "[deferred_update]", ((unsigned bits), bits), 0, 1, 4, 12) {
  using Rule = Told<bits>;
  using Updates = DeferredUpdate<SignedWord, Rule, weight::Additive>;
  Order order;
  Rule rule;
  rule.order = &order;
  constexpr std::int32_t lowest = -(1 << 18), highest = (1 << 18) - 1;
  constexpr std::uint64_t grain = std::uint64_t{1} << bits, top = 0xFFFF'FFFF;
  for (const std::uint32_t seed : Seeds(3)) {
    INFO("seed " << seed);
    Sfc32 random({.seed = seed});
    auto update = Updates::from({lowest, highest}, rule).value();
    TraceStore<std::uint32_t, 8> store;
    std::array<std::uint32_t, Updates::Row::words(1, 0)> words{};
    auto row = Updates::Row::make(words, 1, 0).value();
    const auto word = SignedWord::encode({.weight = 0, .delay = 3, .type = 1, .index = 7}).value();
    REQUIRE(row.append(word, update.state_of(0).value()));
    std::uint64_t share = update.state_of(0).value();
    std::uint32_t held_high = 0, held_low = 0, own = 0;
    for (std::uint32_t turn = 1; turn <= 4000; ++turn) {
      store.advance_to(turn);
      order.is_up = random.next() % 2 == 0;
      const auto to_end = static_cast<Share>(order.is_up ? top - share : share);
      const std::uint32_t kind = uniform_below(random, 12);
      // To the end, a unit less or more, within it, or any.
      order.change = kind < 2                             ? to_end
                     : kind == 2 && to_end != 0           ? to_end - 1
                     : kind == 3 && to_end != 0xFFFF'FFFF ? to_end + 1
                     : kind < 8                           ? to_end / 3
                     : kind == 8                          ? uniform_below(random, 3 * (1U << bits))
                                                          : random.next() >> uniform_below(random, 20);
      const std::uint64_t seen = share;
      if (order.is_up) {
        held_high += share + order.change > top ? 1U : 0U;
        share = share + order.change > top ? top : share + order.change;
      } else {
        held_low += order.change > share ? 1U : 0U;
        share = order.change > share ? 0 : share - order.change;
      }
      const std::uint64_t rounded = (share + grain / 2) / grain * grain;
      share = rounded >= top + 1 - grain ? top : rounded;
      REQUIRE(update.pre_spike(words, turn, store) == RowUpdate::changed);
      REQUIRE(order.seen == seen);
      REQUIRE(order.own == own);
      own = bits == 0 ? 0 : (own + 1) % static_cast<std::uint32_t>(grain);
      const std::uint32_t state = row.states()[0];
      REQUIRE(state % grain == (bits == 0 ? share % grain : own));
      REQUIRE(state / grain == share / grain);
      const Synapse synapse = SignedWord::decode(row.plastic()[0]);
      REQUIRE((synapse.delay == 3 && synapse.type == 1 && synapse.index == 7));
      REQUIRE(std::fabs(synapse.weight - (lowest + static_cast<double>(share) / whole * (highest - lowest))) <= 0.5);
      REQUIRE(update.counts().held_at_highest == held_high);
      REQUIRE(update.counts().held_at_lowest == held_low);
      if (kind == 11) { // another weight leaves the rule's bits
        const Share given = random.next();
        share = bits == 0 ? given : given / grain * grain;
        if (share >= top + 1 - grain) share = top;
        update.set_share(row.plastic()[0], row.states()[0], given);
        REQUIRE(row.states()[0] % grain == (bits == 0 ? given % grain : own));
      }
    }
    CHECK((held_high > 100 && held_low > 100));
  }
}
