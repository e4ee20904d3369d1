// SPDX-License-Identifier: BSL-1.0
// Plastic rows, in cycles per plastic synapse, fetch not counted: a spike of a row of 100 brings it up to date, and its
// weights are added to the ring. 255 neurons, rows and neurons at 10 Hz in ticks of 1 ms; the history is that of gc/fifo
// (gc.hpp).
//
// stdp/<rule>/rows_of_100: all fire regularly, each at a phase of its own, so that each synapse has one post-synaptic event
// in each window; one dendritic delay for all. .../update: without the ring. .../eight_delays: in the order of delays.
// stdp/<rule>/poisson/rows_of_100: all fire at random, so that a synapse has one event in the mean. .../worst: the longest row.
#ifndef BENCHMARKS_CYCLES_KERNELS_STDP_HPP
#define BENCHMARKS_CYCLES_KERNELS_STDP_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include <neuromorph/neuromorph.hpp>

#include "measure.hpp"

using namespace neuromorph;

namespace {

using Word = SynapticWord<8, 1, 3>;
constexpr std::uint32_t neurons = 255, synapses = 100, rows = 10, interval = 100, start = 0U - 1000U, warm_up = 600;

RingBuffer<Word> ring;

template <class Update>
struct Core {
  using Trace = typename Update::NeuronTrace;
  using Row = typename Update::Row;
  TraceStore<Trace, neurons, gc::Fifo<1450>, gc::AgeWindow<500>> history{start};
  Update update;
  std::array<std::array<std::uint32_t, Row::words(synapses, 0)>, rows> row{};

  [[gnu::noinline]] static void spike(Core& core, std::uint32_t number, std::uint32_t now) {
    core.update.pre_spike(core.row[number], now, core.history);
    add_row(ring, Row(core.row[number]).plastic(), now);
  }
  [[gnu::noinline]] static void bring_up(Core& core, std::uint32_t number, std::uint32_t now) {
    core.update.pre_spike(core.row[number], now, core.history);
  }
  [[gnu::noinline]] static void post(Core& core, std::uint32_t neuron, std::uint32_t now) {
    core.update.post_spike(core.history, neuron, now);
  }
};
alignas(8) std::array<unsigned char, 40000> memory;

template <class Update>
Core<Update>& made(const Update& update, std::uint32_t delays) {
  using Row = typename Update::Row;
  static_assert(sizeof(Core<Update>) <= sizeof(memory));
  auto& core = *new (memory.data()) Core<Update>{.update = update};
  Sfc32 random;
  for (auto& words : core.row) {
    auto row = Row::make(words, synapses, start).value();
    for (std::uint32_t at = 0; at < synapses; ++at) {
      const std::uint32_t index = random.next() % neurons;
      const std::int32_t weight = 1000 + static_cast<std::int32_t>(random.next() % 8000);
      const std::uint32_t delay = 1 + at * delays / synapses;
      row.append(Word::encode({.weight = weight, .delay = delay, .type = 0, .index = index}).value(),
                 core.update.state_of(weight).value());
    }
  }
  return core;
}

/// Ticks in which neurons and rows fire; `each(row, now)` for the spikes of rows after the warm-up.
template <bool is_random, class Update, class Each>
bool simulate(Core<Update>& core, Each each) {
  Sfc32 random;
  std::array<std::uint32_t, neurons + rows> phase{};
  for (auto& one : phase) one = random.next() % interval;
  const auto fires = [&](std::uint32_t one, std::uint32_t tick) {
    return is_random ? random.next() < 0xFFFFFFFFU / interval : tick % interval == phase[one];
  };
  std::uint32_t spikes = 0;
  for (std::uint32_t tick = 1; tick < warm_up + 1000; ++tick) {
    const std::uint32_t now = start + tick;
    core.history.advance_to(now);
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
      if (fires(neuron, tick)) Core<Update>::post(core, neuron, now);
    for (std::uint32_t row = 0; row < rows; ++row)
      if (fires(neurons + row, tick)) {
        if (tick < warm_up)
          Core<Update>::bring_up(core, row, now);
        else
          each(row, now), ++spikes;
      }
  }
  const PlasticityCounts counts = core.update.counts();
  return spikes > 50 && counts.truncated == 0 && counts.wrong_rows == 0;
}

} // namespace

#define MEASURE_ROWS(key, delays, is_random, ...)                                                                      \
  {                                                                                                                    \
    Made& core = made(update, delays);                                                                                 \
    right &= simulate<is_random>(                                                                                      \
        core, [&](std::uint32_t row, std::uint32_t now) { MEASURE(key, 100, __VA_ARGS__(*fresh(&core), row, now)); }); \
  }
#define MEASURE_RULE(key, ...)                                                                                         \
  {                                                                                                                    \
    const auto update = __VA_ARGS__;                                                                                   \
    using Made = Core<std::remove_const_t<decltype(update)>>;                                                          \
    MEASURE_ROWS(key ".rows_of_100", 1, false, Made::spike)                                                            \
    MEASURE_ROWS(key ".rows_of_100.worst", 1, false, Made::spike)                                                      \
    MEASURE_ROWS(key ".update", 1, false, Made::bring_up)                                                              \
    MEASURE_ROWS(key ".eight_delays", 8, false, Made::spike)                                                           \
    MEASURE_ROWS(key ".poisson.rows_of_100", 1, true, Made::spike)                                                     \
    MEASURE_ROWS(key ".poisson.rows_of_100.worst", 1, true, Made::spike)                                               \
    MEASURE_ROWS(key ".poisson.eight_delays", 8, true, Made::spike)                                                    \
  }

#endif
