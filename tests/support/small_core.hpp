// SPDX-License-Identifier: BSL-1.0
// What the tests of the composed core share: neurons, words, rows, a history that forgets nothing, and the parts called in order.
#ifndef TESTS_SUPPORT_SMALL_CORE_HPP
#define TESTS_SUPPORT_SMALL_CORE_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include <neuromorph/core/core.hpp>
#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/multiplicative.hpp>
#include <neuromorph/target/device/simulated_dma.hpp>

namespace small_core {

using namespace neuromorph;

inline constexpr std::size_t neurons = 20;
inline constexpr std::uint32_t window = 96;
using Word = SynapticWord<5, 1, 3>;
using Table = DecayTable<140>;
using Pairs = DeferredUpdate<Word, timing::Pair<Table>, weight::Additive>;
using OtherPairs = DeferredUpdate<Word, timing::Pair<Table>, weight::Multiplicative>;
using Ring = RingBuffer<Word>;
using Dma = target::SimulatedDma<3>;
inline constexpr auto cell =
    Lif<>::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.3}, .synapses = {{5.0, 5.0}}}, 1.0).value();
inline constexpr std::int32_t some_weight = 2000;

/// All events for ever.
template <class TraceType>
struct AllEvents {
  using Trace = TraceType;
  struct Event {
    std::uint32_t time;
    Trace trace;
  };
  std::array<std::vector<Event>, neurons> events;

  struct Past {
    const AllEvents* all;
    std::uint32_t after, until;
    template <class Before, class Each>
    bool of(std::uint32_t neuron, Before before, Each each) const {
      const auto& of = all->events[neuron];
      const Event* last = nullptr;
      for (const Event& event : of)
        if (static_cast<std::int32_t>(event.time - after) <= 0) last = &event;
      if (last != nullptr) before(last->time, last->trace);
      for (const Event& event : of)
        if (static_cast<std::int32_t>(event.time - after) > 0 && static_cast<std::int32_t>(event.time - until) <= 0)
          each(event.time, event.trace);
      return true;
    }
    static std::uint32_t complete_after() { return 0; }
  };
  Past past(std::uint32_t after, std::uint32_t until) const { return {this, after, until}; }
  template <class TraceOf>
  bool update(std::uint32_t neuron, std::uint32_t time, TraceOf trace_of) {
    struct Last {
      bool exists = false;
      std::uint32_t time = 0;
      Trace trace{};
    } last;
    if (!events[neuron].empty()) last = {true, events[neuron].back().time, events[neuron].back().trace};
    const Trace next = trace_of(last);
    events[neuron].push_back({time, next});
    return true;
  }
};

inline timing::Pair<Table> pair_rule(double a_plus, double a_minus) {
  return timing::Pair<Table>::from({.tau_plus_ms = 10.0, .tau_minus_ms = 8.0, .a_plus = a_plus, .a_minus = a_minus},
                                   1.0)
      .value();
}
inline const Pairs pairs = Pairs::from({.lowest = 0, .highest = 4000}, pair_rule(0.03, 0.02)).value();
inline const OtherPairs other_pairs = OtherPairs::from({.lowest = 100, .highest = 5000}, pair_rule(0.01, 0.04)).value();

/// Populations of static rows, of rows of the first rule and of rows of the second.
struct Network {
  static constexpr std::uint32_t sources = 12; // of each
  std::vector<std::uint32_t> fixed, first;     // static rows and where they begin
  std::vector<std::uint32_t> plastic, first_plastic, others, first_others;

  static constexpr std::uint32_t key_of(std::uint32_t population, std::uint32_t source) {
    return 0x1000 * (population + 1) + source;
  }

  explicit Network(std::mt19937& random) {
    const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
    const auto word = [&](std::int32_t weight) {
      Synapse synapse{weight, 0, 0, 0};
      synapse.delay = 1 + draw(8);
      synapse.type = draw(8) == 0 ? 1 : 0;
      synapse.index = draw(neurons);
      return Word::encode(synapse).value();
    };
    for (std::uint32_t source = 0; source < sources; ++source) {
      first.push_back(static_cast<std::uint32_t>(fixed.size()));
      for (std::uint32_t left = draw(12); left != 0; --left) fixed.push_back(word(some_weight));
    }
    first.push_back(static_cast<std::uint32_t>(fixed.size()));
    const auto fill = [&]<class Update>(const Update& update, std::vector<std::uint32_t>& to,
                                        std::vector<std::uint32_t>& starts) {
      for (std::uint32_t source = 0; source < sources; ++source) {
        starts.push_back(static_cast<std::uint32_t>(to.size()));
        const std::uint32_t room = draw(10), size = draw(room + 1), static_ones = draw(4);
        to.resize(to.size() + Update::Row::words(room, static_ones));
        auto row = Update::Row::make(std::span(to).subspan(starts.back()), room, 0).value();
        for (std::uint32_t at = 0; at < size; ++at) {
          const auto weight = static_cast<std::int32_t>(200 + draw(3000));
          row.append(word(weight), update.state_of(weight).value());
        }
        for (std::uint32_t& synapse : row.fixed()) synapse = word(some_weight);
      }
      starts.push_back(static_cast<std::uint32_t>(to.size()));
    };
    fill(pairs, plastic, first_plastic);
    fill(other_pairs, others, first_others);
  }
  template <class Entry>
  std::array<Entry, 3> entries() {
    const auto entry = [](std::uint32_t population, std::vector<std::uint32_t>& words,
                          const std::vector<std::uint32_t>& starts) {
      Entry made;
      made.key = key_of(population, 0);
      made.mask = 0xFFFFF000;
      made.payload.rows = PopulationRows::indexed(words, starts).value();
      made.payload.rule = population;
      return made;
    };
    return {entry(1, plastic, first_plastic), entry(0, fixed, first), entry(2, others, first_others)};
  }
};

struct Nowhere {
  void operator()(std::uint32_t) const noexcept {}
};
using Rules = PlasticRules<Pairs, OtherPairs>;
template <std::size_t Waiting = 64, std::size_t Buffers = 3>
using Learner =
    Core<CoreSizes{.neurons = neurons, .row_words = 40, .buffers = Buffers, .spikes = Waiting, .populations = 4}, Lif<>,
         Ring, Dma, Nowhere, Rules, CoreHistory<window>>;

/// The same, said plainly.
struct Plain {
  Network network;
  Population<Lif<>, neurons> population{cell};
  Ring ring{};
  Pairs first = pairs;
  OtherPairs second = other_pairs;
  AllEvents<Share> first_events{}, second_events{};
  std::uint32_t time = 0, looked_at = 0, flushes = 0, changes = 0;
  std::array<std::uint32_t, 2 * Network::sources> touched{}; // when each plastic row was; 0: it has no trace

  std::span<std::uint32_t> words_of(std::uint32_t population_number, std::uint32_t source) {
    auto& words = population_number == 0 ? network.fixed : population_number == 1 ? network.plastic : network.others;
    const auto& starts = population_number == 0   ? network.first
                         : population_number == 1 ? network.first_plastic
                                                  : network.first_others;
    return std::span(words).subspan(starts[source], starts[source + 1] - starts[source]);
  }
  void touch(std::uint32_t row) {
    const auto words = words_of(1 + row / Network::sources, row % Network::sources);
    touched[row] = PlasticRow<Share>(words).trace() != 0 ? time : 0;
  }
  /// One row a step, in the order of keys, if it would be too old when its turn comes again.
  void flush() {
    constexpr std::uint32_t rows = 2 * Network::sources;
    static_assert(rows == window / 4); // so that one more would be two a step
    const std::uint32_t row = looked_at++ % rows, source = row % Network::sources;
    if (touched[row] == 0 || time - touched[row] < window - window / 4 - 8 - 1) return;
    ++flushes;
    if (row < Network::sources)
      first.flush(words_of(1, source), time, first_events);
    else
      second.flush(words_of(2, source), time, second_events);
    touch(row);
  }
  std::vector<std::uint32_t> step() {
    flush();
    ++time;
    const auto fired = population.step(ring, time);
    for (const std::uint32_t neuron : fired) {
      first.post_spike(first_events, neuron, time);
      second.post_spike(second_events, neuron, time);
    }
    return {fired.begin(), fired.end()};
  }
  void spike(std::uint32_t population_number, std::uint32_t source) {
    const auto words = words_of(population_number, source);
    if (population_number == 0) {
      add_row(ring, std::span<const std::uint32_t>(words), time);
      return;
    }
    const RowUpdate outcome = population_number == 1 ? first.pre_spike(words, time, first_events)
                                                     : second.pre_spike(words, time, second_events);
    const PlasticRow<Share> row(words);
    add_row(ring, row.plastic(), time);
    add_row(ring, row.fixed(), time);
    changes += outcome == RowUpdate::changed ? 1U : 0U;
    if (outcome == RowUpdate::changed) touch((population_number - 1) * Network::sources + source);
  }
};

} // namespace small_core

#endif
