// SPDX-License-Identifier: BSL-1.0
// Rules of a user's own that ask for all that a rule is offered, alone and together. Beside them, a model goes through the same
// synapses tick by tick and defers nothing. The rule takes apart all that it is told: each argument of each call changes bits of
// weight, own bits or own word, so that one that is wrong, or one call too many, shows. All of it is exact.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <neuromorph/gc/pool.hpp>
#include <neuromorph/gc/sliding.hpp>
#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/kernels/plasticity/deferred_update.hpp>
#include <neuromorph/kernels/plasticity/timing_rule.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/uniform.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>
#include <neuromorph/offer.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

// After so many ticks nothing is left of a spike, and of an event.
constexpr std::uint32_t row_life = 60, neuron_life = 90, window = 200;
constexpr std::uint32_t most_neurons = 16;

/// A number of what was told, never 0.
constexpr std::uint32_t mixed(std::uint32_t a, std::uint32_t b) {
  std::uint32_t hash = (a ^ 0x9E37'79B9) * 0x85EB'CA6B + b;
  hash ^= hash >> 15;
  return hash | 1;
}
constexpr std::uint32_t held_at(std::uint32_t ticks, std::uint32_t most) { return ticks < most ? ticks : most; }
/// Of a weight, by sixteenths of the range to a 2^16th of it: whole units of a state whatever bits are the rule's own.
constexpr Share change_of(std::uint32_t hash) { return (hash >> 4 & 7) == 0 ? hash & 0xF000'0000 : hash & 0x03FF'0000; }

// What events, spikes and ticks do to all that a synapse has; the same for the rule and for the model.
struct Effect {
  bool is_up = false;
  Share change = 0;
  std::uint32_t bits = 0;
};
constexpr Effect of_event(std::uint32_t row, std::uint32_t row_age, std::uint32_t neuron, bool must_have_spiked) {
  if (must_have_spiked && (row == 0 || row_age >= row_life)) return {};
  const std::uint32_t hash = mixed(row == 0 ? 0 : row + held_at(row_age, row_life), neuron);
  return {(hash & 2) != 0, change_of(hash), hash};
}
constexpr Effect of_spike(std::uint32_t row, std::uint32_t row_age, std::uint32_t neuron, std::uint32_t since) {
  if (since >= neuron_life) neuron = since = 0;
  const std::uint32_t hash = mixed(row == 0 ? 5 : row + held_at(row_age, row_life), neuron == 0 ? 7 : neuron + since);
  return {(hash & 2) != 0, change_of(hash), hash};
}
constexpr std::uint32_t of_tick(std::uint32_t neuron, std::uint32_t since) {
  return neuron == 0 || since >= neuron_life ? 11 : neuron + since;
}

/// Three bytes of a neuron, or more than most rules need.
struct ThreeBytes {
  std::uint8_t bytes[3]{};
  constexpr ThreeBytes() = default;
  explicit constexpr ThreeBytes(std::uint32_t hash)
      : bytes{static_cast<std::uint8_t>(hash), static_cast<std::uint8_t>(hash >> 8),
              static_cast<std::uint8_t>(hash >> 16)} {}
  constexpr std::uint32_t hash() const { return bytes[0] + bytes[1] * 0x100U + bytes[2] * 0x10000U; }
};
struct OneWord {
  std::uint32_t word = 0;
  constexpr OneWord() = default;
  explicit constexpr OneWord(std::uint32_t hash) : word(hash) {}
  constexpr std::uint32_t hash() const { return word; }
};
struct SixteenBytes {
  std::uint64_t hashes[2]{};
  constexpr SixteenBytes() = default;
  explicit constexpr SixteenBytes(std::uint32_t hash) : hashes{hash, ~std::uint64_t{hash}} {}
  constexpr std::uint32_t hash() const {
    return static_cast<std::uint32_t>(hashes[0]) +
           (hashes[1] != 0 ? static_cast<std::uint32_t>(~hashes[1] - hashes[0]) : 0);
  }
};
template <class NeuronTrace>
constexpr std::uint32_t kept(std::uint32_t hash) {
  return NeuronTrace(hash).hash();
}

enum : unsigned { own_bits_too = 1, own_word_too = 2, elapses_too = 4, is_spent_too = 8 };

template <unsigned Bits>
struct WithOwnBits {
  static constexpr unsigned own_bits = Bits;
};
struct WithOwnWord {
  static constexpr bool own_word = true;
};
struct WithoutDelay {
  static constexpr bool no_delay = true;
};
template <int>
struct Without {};

struct SpikesOfRow {
  std::uint32_t hash = 0, age = 0; ///< of all spikes, and since the last one
};

template <unsigned what, unsigned bits, bool has_no_delay, class Trace>
struct Base : std::conditional_t<(what & own_bits_too) != 0, WithOwnBits<bits>, Without<0>>,
              std::conditional_t<(what & own_word_too) != 0, WithOwnWord, Without<1>>,
              std::conditional_t<has_no_delay, WithoutDelay, Without<2>> {
  using RowTrace = SpikesOfRow;
  using NeuronTrace = Trace;
  static constexpr bool has_bits = (what & own_bits_too) != 0, has_word = (what & own_word_too) != 0;

  static constexpr SpikesOfRow aged(auto&, SpikesOfRow row, std::uint32_t ticks) {
    if (row.hash == 0) return {};
    return {row.hash, held_at(row.age + held_at(ticks, row_life), row_life)};
  }
  static constexpr SpikesOfRow pre_spiked(auto& m, SpikesOfRow row, std::uint32_t ticks) {
    const SpikesOfRow found = aged(m, row, ticks);
    return {mixed(found.hash, found.age), 0};
  }
  static constexpr Trace post_spiked(auto&, Trace neuron, std::uint32_t ticks) {
    return Trace(mixed(neuron.hash(), neuron.hash() == 0 ? 0 : held_at(ticks, 1000)));
  }
  static constexpr void act(auto& synapse, const Effect& effect) {
    if (effect.is_up)
      synapse.up(effect.change);
    else if (effect.change != 0)
      synapse.down(effect.change);
    if (effect.bits == 0) return;
    if constexpr (has_bits) synapse.set_own(synapse.own() / 3 + effect.bits);
    if constexpr (has_word) synapse.set_own_word(synapse.own_word() * 69069 + effect.bits);
  }
  static constexpr void at_post(auto& synapse, SpikesOfRow row, std::uint32_t ticks, Trace neuron) {
    act(synapse, of_event(row.hash, row.hash == 0 ? 0 : row.age + held_at(ticks, row_life), neuron.hash(),
                          (what & is_spent_too) != 0));
  }
  static constexpr void at_pre(auto& synapse, SpikesOfRow row, std::uint32_t ticks, Trace neuron, std::uint32_t since) {
    act(synapse, of_spike(row.hash, row.age + ticks, neuron.hash(), since));
  }
};
template <unsigned what, unsigned bits, bool has_no_delay, class Trace>
struct WithIsSpent : Base<what, bits, has_no_delay, Trace> {
  static constexpr bool is_spent(SpikesOfRow row) { return row.hash == 0 || row.age >= row_life; }
};
template <class Parent>
struct WithElapse : Parent {
  static constexpr void elapse(auto& synapse, std::uint32_t ticks, typename Parent::NeuronTrace neuron,
                               std::uint32_t since) {
    for (std::uint32_t tick = 0; tick < ticks; ++tick) {
      const std::uint32_t by = of_tick(neuron.hash(), since + tick);
      if constexpr (Parent::has_bits) synapse.set_own(synapse.own() * 3 + by);
      if constexpr (Parent::has_word) synapse.set_own_word(synapse.own_word() * 1664525 + by);
    }
  }
};
template <unsigned what, class Rule, class WithSpent>
using Chosen = std::conditional_t<(what & elapses_too) != 0, WithElapse<Rule>,
                                  std::conditional_t<(what & is_spent_too) != 0, WithSpent, Rule>>;
template <unsigned what, unsigned bits, bool has_no_delay, class Trace>
struct Taking : Chosen<what, Base<what, bits, has_no_delay, Trace>, WithIsSpent<what, bits, has_no_delay, Trace>> {
  using Offers =
      offer::List<offer::When<(what & own_bits_too) != 0, offer::OwnBits>,
                  offer::When<(what & own_word_too) != 0, offer::OwnWord>,
                  offer::When<(what & elapses_too) != 0, offer::Elapse>,
                  offer::When<(what & is_spent_too) != 0, offer::IsSpent>, offer::When<has_no_delay, offer::NoDelay>>;
};

/// A synapse, brought forward tick by tick.
struct Forward {
  std::uint32_t neuron = 0, delay = 0;
  std::uint64_t share = 0; ///< of 2^32
  std::uint32_t own = 0, own_word = 0, held_at_highest = 0, held_at_lowest = 0;
  std::uint32_t trace = 0, since = 0;                            ///< of its neuron, as it is seen here
  std::deque<std::pair<std::uint32_t, std::uint32_t>> under_way; ///< when, and what trace

  void act(const Effect& effect, std::uint32_t own_mask) {
    constexpr std::uint64_t highest = 0xFFFF'FFFF;
    if (effect.is_up) {
      if (effect.change > highest - share)
        share = highest, ++held_at_highest;
      else
        share += effect.change;
    } else {
      if (effect.change > share)
        share = 0, ++held_at_lowest;
      else
        share -= effect.change;
    }
    if (effect.bits == 0) return;
    own = (own / 3 + effect.bits) & own_mask;
    own_word = own_word * 69069 + effect.bits;
  }
};

struct Covered {
  std::uint64_t spikes = 0, events = 0, flushes = 0, held = 0;
};

template <unsigned what, unsigned bits, class Word, PostSynapticDelay Delay, class Trace,
          class Collector = gc::Fifo<most_neurons*(window + 40) * 2>>
void compared(std::uint32_t seed, std::uint32_t start, Covered& covered) {
  using Rule = Taking<what, bits, Delay == PostSynapticDelay::none && bits % 2 == 0, Trace>;
  using Update = DeferredUpdate<Word, Rule, weight::Additive, Delay>;
  using Row = typename Update::Row;
  constexpr bool is_dendritic = Delay == PostSynapticDelay::dendritic;
  constexpr std::uint32_t own_mask = (what & own_bits_too) != 0 ? (1U << bits) - 1 : 0;
  constexpr std::int32_t lowest = Word::lowest_weight, highest = Word::highest_weight;
  constexpr std::uint32_t delays = 1U << Word::delay_bits;
  // Who is told what a neuron did before the window is asked again before that is dead.
  constexpr std::uint32_t silent_for = window - delays - ((what & elapses_too) != 0 ? neuron_life : 0) - 1;
  Sfc32 random(StreamId{.seed = seed, .core = what, .population = bits});
  const auto below = [&](std::uint32_t limit) { return uniform_below(random, limit); };

  auto update = Update::from({lowest, highest}, Rule{}).value();
  const auto store = std::make_unique<TraceStore<Trace, most_neurons, Collector, gc::AgeWindow<window>>>(start);
  constexpr std::uint32_t rows = 3, ticks = sanitized ? 600 : 1500; // the clock wraps after 512
  std::array<std::vector<std::uint32_t>, rows> words;
  std::array<std::vector<Forward>, rows> synapses;
  std::array<std::uint32_t, rows> room{}, spikes{}, age{}, flushed{}, activity{};
  constexpr std::uint32_t untouched = 0xA5A5'0000;
  for (std::uint32_t of = 0; of < rows; ++of) {
    room[of] = below(4) == 0 ? below(40) : below(8);
    const std::uint32_t size = room[of] == 0 ? 0 : below(3) == 0 ? room[of] : below(room[of] + 1), fixed = below(4);
    words[of].resize(Row::words(room[of], fixed));
    Row row = Row::make(words[of], room[of], start).value();
    for (std::size_t at = Row::words(0, 0); at < words[of].size(); ++at)
      words[of][at] = untouched + static_cast<std::uint32_t>(at);
    const std::uint32_t same_delay = below(3) == 0 ? 1 + below(delays) : 0;
    for (std::uint32_t at = 0; at < size; ++at) {
      Forward synapse;
      synapse.neuron = below(most_neurons);
      synapse.delay = same_delay != 0 ? same_delay : 1 + below(delays);
      const std::uint32_t kind = below(6);
      std::uint32_t state = kind == 0 ? 0 : kind == 1 ? ~own_mask : random.next() & 0xFFFF'0000;
      synapse.share = state == ~own_mask ? 0xFFFF'FFFF : state;
      synapse.own = random.next() & own_mask;
      state |= synapse.own;
      const auto word = Word::encode({.weight = update.weight_of(state),
                                      .delay = synapse.delay,
                                      .type = below(1U << Word::type_bits),
                                      .index = synapse.neuron});
      REQUIRE(row.append(word.value(), state));
      synapses[of].push_back(synapse);
    }
    activity[of] = below(3) == 0 ? 200 : 1 + below(30);
  }
  std::array<std::uint32_t, most_neurons> traces{}, last{}, quiet{};
  for (auto& of : quiet) of = below(4) == 0 ? 400 : 1 + below(25);

  const auto check = [&](std::uint32_t of, std::uint32_t now) {
    const Row row(words[of]);
    REQUIRE(row.time() == now);
    for (std::uint32_t at = 0; at < row.size(); ++at) {
      Forward& synapse = synapses[of][at];
      if constexpr (own_mask != 0) { // to nearest; the highest is a state of its own
        const std::uint64_t to_nearest = (synapse.share + own_mask / 2 + 1) & ~std::uint64_t{own_mask};
        synapse.share = to_nearest >= (~own_mask & 0xFFFF'FFFF) ? 0xFFFF'FFFF : to_nearest;
      }
      const std::uint32_t state = row.states()[at];
      const Synapse decoded = Word::decode(row.plastic()[at]);
      const double exact = lowest + static_cast<double>(synapse.share) * (double{highest} - lowest) / 4294967296.0;
      bool is_right = (state & ~own_mask) == (static_cast<std::uint32_t>(synapse.share) & ~own_mask) &&
                      (state & own_mask) == synapse.own && decoded.index == synapse.neuron &&
                      decoded.delay == synapse.delay && std::fabs(decoded.weight - exact) <= 0.5001;
      if constexpr ((what & own_word_too) != 0) is_right = is_right && row.own_words()[at] == synapse.own_word;
      if (is_right) continue;
      INFO("synapse " << at << " of row " << of << " at " << now - start << ": state " << state << " for share "
                      << synapse.share << " with own bits " << synapse.own);
      REQUIRE(is_right);
    }
    // Free places and fixed synapses.
    bool is_untouched = true;
    for (std::uint32_t at = row.size(); at < room[of]; ++at)
      for (std::uint32_t part = 0; part < ((what & own_word_too) != 0 ? 3 : 2); ++part) {
        const std::size_t place = Row::words(0, 0) + at + part * room[of];
        is_untouched = is_untouched && words[of][place] == untouched + place;
      }
    for (std::size_t at = Row::words(room[of], 0); at < words[of].size(); ++at)
      is_untouched = is_untouched && words[of][at] == untouched + at;
    REQUIRE(is_untouched);
  };

  for (std::uint32_t tick = 1; tick <= ticks; ++tick) {
    const std::uint32_t now = start + tick;
    store->advance_to(now);
    // A tick goes by at each synapse, with what it knew of its neuron.
    for (std::uint32_t of = 0; of < rows; ++of) {
      age[of] = held_at(age[of] + 1, row_life);
      for (Forward& synapse : synapses[of]) {
        if constexpr ((what & elapses_too) != 0) {
          const std::uint32_t by = of_tick(synapse.trace, synapse.since);
          synapse.own = (synapse.own * 3 + by) & own_mask;
          synapse.own_word = synapse.own_word * 1664525 + by;
        }
        ++synapse.since;
      }
    }
    for (std::uint32_t neuron = 0; neuron < most_neurons; ++neuron)
      for (std::uint32_t burst = below(quiet[neuron]) != 0 ? 0 : below(8) == 0 ? 3 : 1; burst != 0; --burst) {
        const std::uint32_t before = traces[neuron];
        traces[neuron] = kept<Trace>(mixed(before, before == 0 ? 0 : held_at(tick - last[neuron], 1000)));
        last[neuron] = tick;
        if (update.post_spike(*store, neuron, now) != gc::Recorded::stored) FAIL("an event is refused");
        if (store->newest(neuron).trace.hash() != traces[neuron]) FAIL("a trace does not follow");
        for (auto& of : synapses)
          for (Forward& synapse : of)
            if (synapse.neuron == neuron)
              synapse.under_way.push_back({tick + (is_dendritic ? synapse.delay : 0), traces[neuron]});
        ++covered.events;
      }
    for (std::uint32_t of = 0; of < rows; ++of)
      for (Forward& synapse : synapses[of])
        for (; !synapse.under_way.empty() && synapse.under_way.front().first == tick; synapse.under_way.pop_front()) {
          synapse.trace = synapse.under_way.front().second;
          synapse.since = 0;
          synapse.act(of_event(spikes[of], spikes[of] == 0 ? 0 : age[of], synapse.trace, (what & is_spent_too) != 0),
                      own_mask);
        }
    for (std::uint32_t of = 0; of < rows; ++of) {
      const bool is_spike = below(activity[of]) == 0;
      for (std::uint32_t times = !is_spike ? 0 : below(6) == 0 ? 3 : 1; times != 0; --times) {
        for (Forward& synapse : synapses[of])
          synapse.act(of_spike(spikes[of], spikes[of] == 0 ? 0 : age[of], synapse.trace, synapse.since), own_mask);
        const std::uint32_t before = spikes[of];
        spikes[of] = mixed(before, before == 0 ? 0 : age[of]);
        age[of] = 0;
        REQUIRE(update.pre_spike(words[of], now, *store) ==
                (room[of] == 0 ? RowUpdate::unchanged : RowUpdate::changed));
        if (room[of] != 0) check(of, now);
        flushed[of] = tick;
        ++covered.spikes;
      }
      // Whoever is silent is flushed, by chance or because it has to be.
      if (room[of] != 0 && (below(50) == 0 || tick - flushed[of] > silent_for || tick == ticks)) {
        REQUIRE(update.flush(words[of], now, *store) == RowUpdate::changed);
        check(of, now);
        flushed[of] = tick;
        ++covered.flushes;
      }
    }
  }
  const PlasticityCounts counts = update.counts();
  CHECK(counts.truncated == 0);
  CHECK(counts.wrong_rows == 0);
  CHECK(store->counts().refused_full == 0);
  std::uint32_t low = 0, high = 0;
  for (const auto& of : synapses)
    for (const Forward& synapse : of) low += synapse.held_at_lowest, high += synapse.held_at_highest;
  if (own_mask == 0) {
    CHECK(counts.held_at_lowest == low);
    CHECK(counts.held_at_highest == high);
  }
  covered.held += low + high;
}

template <unsigned what, unsigned bits, class Word, PostSynapticDelay Delay, class Trace,
          class Collector = gc::Fifo<most_neurons*(window + 40) * 2>>
void all_starts(Covered& covered) {
  for (const std::uint32_t seed : Seeds(sanitized ? 1 : 2))
    for (const std::uint32_t start : {0U, 0xFFFF'FE00U, 0x7FFF'FE00U}) {
      INFO("what " << what << ", own bits " << bits << ", seed " << seed << ", start " << start);
      compared<what, bits, Word, Delay, Trace, Collector>(seed, start, covered);
    }
}
template <unsigned what>
void all_forms(Covered& covered) {
  using enum PostSynapticDelay;
  using One = SynapticWord<6, 2, 0>;
  using Eight = SynapticWord<8, 0, 3, WeightSign::signed_value>;
  using Sixteen = SynapticWord<8, 1, 4>;
  all_starts<what, 1, Sixteen, dendritic, OneWord>(covered);
  all_starts<what, 12, Eight, dendritic, ThreeBytes>(covered);
  all_starts<what, 4, One, dendritic, SixteenBytes>(covered);
  all_starts<what, 7, Sixteen, none, ThreeBytes>(covered);
  all_starts<what, 2, Eight, none, OneWord>(covered);
  if constexpr (what % 3 == 0) all_starts<what, 5, Sixteen, dendritic, OneWord, gc::Sliding<7000>>(covered);
  if constexpr (what % 3 == 1) all_starts<what, 3, Eight, dendritic, ThreeBytes, gc::Pool<7000>>(covered);
  if constexpr (what % 3 == 2) all_starts<what, 9, One, dendritic, SixteenBytes, gc::Sliding<7000>>(covered);
}

} // namespace

TEST_CASE("timing_rule: each of what a rule may have, alone and together") {
  Covered covered;
  [&]<std::size_t... what>(std::index_sequence<what...>) { (all_forms<static_cast<unsigned>(what)>(covered), ...); }
  (std::make_index_sequence<12>{}); // who asks for all events calls no row spent
  CHECK(covered.spikes > (sanitized ? 2000 : 10'000));
  CHECK(covered.events > (sanitized ? 20'000 : 100'000));
  CHECK(covered.flushes > (sanitized ? 500 : 1000));
  CHECK(covered.held > 100);
}
