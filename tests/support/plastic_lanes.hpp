// SPDX-License-Identifier: BSL-1.0
// Rows that are replayed several synapses at a time, beside the same rows one synapse after the other: all words, counts, and
// what the histories count, over random streams with whatever a history can meet.
#ifndef NEUROMORPH_TESTS_SUPPORT_PLASTIC_LANES_HPP
#define NEUROMORPH_TESTS_SUPPORT_PLASTIC_LANES_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/kernels/plasticity/deferred_update.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/uniform.hpp>
#include <neuromorph/kernels/synapses/plastic_row.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>

namespace plastic_lanes {

using neuromorph::PostSynapticDelay;

inline constexpr std::uint32_t neurons = 60, window = 120, rows = 12, most_synapses = 70;

/// What the streams are like, drawn anew from time to time.
struct Mood {
  std::uint32_t post_interval, pre_interval;
};

struct Outcome {
  std::uint32_t differences = 0, rows_compared = 0;
  neuromorph::PlasticityCounts counts{};
};

/// \tparam Wide, Plain  backends, of which the first has lanes
/// \param weight  0: at random in the range
template <class Wide, class Plain, class Timing, class Weight, PostSynapticDelay Delay, class Collector,
          class Word = neuromorph::SynapticWord<6, 1, 3>>
Outcome compared(const Timing& timing, std::uint32_t seed, std::uint32_t ticks) {
  using namespace neuromorph;
  using Trace = typename Timing::NeuronTrace;
  using History = gc::AgeWindow<window>;
  using WideUpdate = DeferredUpdate<Word, Timing, Weight, Delay, rounding::Nearest, Wide>;
  using PlainUpdate = DeferredUpdate<Word, Timing, Weight, Delay, rounding::Nearest, Plain>;
  using Row = typename PlainUpdate::Row;
  using Words = std::array<std::uint32_t, Row::words(most_synapses, 0)>;

  Sfc32 random({.seed = seed});
  const auto below = [&](std::uint32_t bound) { return uniform_below(random, bound); };
  // Close to where clocks wrap, mostly.
  const std::uint32_t start = below(4) == 0 ? random.next() : 0U - below(2 * ticks);
  static TraceStore<Trace, neurons, Collector, History, Wide> wide_history;
  static TraceStore<Trace, neurons, Collector, History, Plain> plain_history;
  wide_history = decltype(wide_history)(start);
  plain_history = decltype(plain_history)(start);
  const std::int32_t lowest = Word::lowest_weight / 2, highest = Word::highest_weight;
  auto wide = WideUpdate::from({lowest, highest}, timing).value();
  auto plain = PlainUpdate::from({lowest, highest}, timing).value();

  static std::array<Words, rows> words;
  const bool is_sorted = below(2) == 0;
  for (std::uint32_t number = 0; number < rows; ++number) {
    const std::uint32_t synapses = number == 0 ? 0 : 1 + below(most_synapses);
    words[number] = {};
    auto row = Row::make(words[number], most_synapses, start).value();
    for (std::uint32_t at = 0; at < synapses; ++at) {
      const std::uint32_t delay = is_sorted ? 1 + at * 8 / synapses : 1 + below(8), edge = below(6);
      const auto span = static_cast<std::uint32_t>(highest - lowest);
      const std::int32_t weight = edge == 0 ? lowest : edge == 1 ? highest : lowest + std::int32_t(below(span + 1));
      const auto word =
          Word::encode({.weight = weight, .delay = delay, .type = below(2), .index = below(neurons)}).value();
      row.append(word, plain.state_of(weight).value());
    }
  }
  static std::array<Words, rows> others;
  others = words;

  Outcome outcome;
  std::uint32_t now = start;
  Mood mood{.post_interval = 50, .pre_interval = 50};
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    if (below(100) == 0) {
      constexpr std::array<std::uint32_t, 7> intervals{1, 3, 10, 30, 100, 300, 1000};
      mood = {.post_interval = intervals[below(7)], .pre_interval = intervals[1 + below(5)]};
    }
    now += below(2000) == 0 ? below(3 * window) : below(20'000) == 0 ? 1U << (20 + below(10)) : 1;
    wide_history.advance_to(now);
    plain_history.advance_to(now);
    if (below(4000) == 0) {
      wide_history.clear();
      plain_history.clear();
    }
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
      if (below(mood.post_interval) != 0) continue;
      const std::uint32_t ahead = below(50) == 0 ? below(4) : 0, times = below(20) == 0 ? 2 : 1;
      for (std::uint32_t time = 0; time < times; ++time) {
        wide.post_spike(wide_history, neuron, now + ahead);
        plain.post_spike(plain_history, neuron, now + ahead);
      }
    }
    for (std::uint32_t number = 0; number < rows; ++number) {
      if (below(mood.pre_interval) != 0) continue;
      if (below(5) == 0) {
        wide.flush(words[number], now, wide_history);
        plain.flush(others[number], now, plain_history);
      } else {
        wide.pre_spike(words[number], now, wide_history);
        plain.pre_spike(others[number], now, plain_history);
      }
      ++outcome.rows_compared;
      if (words[number] != others[number]) {
        ++outcome.differences;
        words[number] = others[number];
      }
    }
  }
  if (wide.counts() != plain.counts()) ++outcome.differences;
  const auto a = wide_history.counts(), b = plain_history.counts();
  if (a.incomplete_windows != b.incomplete_windows || a.stored != b.stored) ++outcome.differences;
  outcome.counts = wide.counts();
  return outcome;
}

} // namespace plastic_lanes

#endif
