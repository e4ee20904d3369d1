// SPDX-License-Identifier: BSL-1.0
// Trace stores with 4-byte traces and a window of 500 ticks, in cycles: a record and an advance as functions, a query
// of a whole window, and the worst pause: all memory has been filled at once, and dies at once. Two loads:
//
// - gc/<collector>/...: 255 neurons at 10 Hz, and all of 2000 ticks per recorded event, `record_reclaim`: loop, ticks,
//   records and with them all reclamation. The loop by itself is gc/none. How its calls differ: gc/<collector>/pauses.
//   The worst pause with ticks so far apart: gc/<collector>/apart<ticks>/worst. `lookup`: what rows of 100 synapses that
//   fire at 10 Hz ask of the past of their neurons, per synapse; the loop by itself, and what is done with an event before
//   the window and one in it, is gc/none. `lookup_if_none`: the same without the event before windows that have one.
// - gc/<collector>/<neurons>x<events>/...: 40 or 255 neurons at 2.5 Hz, as in the papers; as many events for each
//   neuron, of 8 bytes: 2 are the papers' buffers of 16 bytes, 4 those of 32. A collector whose events share memory has
//   the sum.
#ifndef BENCHMARKS_CYCLES_KERNELS_GC_HPP
#define BENCHMARKS_CYCLES_KERNELS_GC_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/kernels/plasticity/history.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "measure.hpp"

namespace trace_cycles {

using namespace neuromorph;
using Trace = std::int32_t;
constexpr std::uint32_t window = 500;
constexpr std::uint32_t start = 0U - 1000U; // the clock wraps in the middle
constexpr std::size_t synapses = 100;

/// \tparam Interval  mean, between a neuron's events, in ticks
/// \tparam Room      events of all neurons that a collector is made for
template <std::uint32_t Neurons, std::uint32_t Interval, std::size_t Room, std::uint32_t WarmUp, std::uint32_t Measured>
struct Load {
  static constexpr std::uint32_t neurons = Neurons, interval = Interval, warm_up = WarmUp, measured = Measured;
  static constexpr std::uint32_t ticks = warm_up + measured;
  static constexpr std::size_t room = Room;
};
/// Mean 1275 alive, standard deviation 36.
using Goal = Load<255, 100, 1450, 1500, 2000>;
template <std::uint32_t Neurons, std::uint32_t Events>
using Papers = Load<Neurons, 400, std::size_t{Neurons} * Events, 700, 1000>;

/// The neurons that fire, tick after tick, and where each tick's end.
inline std::array<std::uint8_t, 9400> fired;
inline std::array<std::uint16_t, Goal::ticks> ends;
inline std::uint32_t first_measured;
inline std::uint32_t stream_of; // neurons and interval of the stream that is there

/// \return how many events are measured
template <class Of>
std::uint32_t make_stream() {
  // Loads with as many neurons differ in nothing else that counts here: made anew it would be the same.
  constexpr std::uint32_t key = Of::neurons << 16U | Of::interval;
  if (stream_of != key) {
    stream_of = key;
    Sfc32 random;
    std::uint32_t at = 0;
    for (std::uint32_t tick = 0; tick < Of::ticks; ++tick) {
      if (tick == Of::warm_up) first_measured = at;
      for (std::uint32_t neuron = 0; neuron < Of::neurons; ++neuron)
        if (random.next() < 0xFFFFFFFFU / Of::interval) fired[at++] = static_cast<std::uint8_t>(neuron);
      ends[tick] = static_cast<std::uint16_t>(at);
    }
  }
  return ends[Of::ticks - 1] - first_measured;
}

#if defined(__thumb__)
constexpr std::size_t memory_bytes = 80000; // what is in SDRAM on the other core is in here
#else
constexpr std::size_t memory_bytes = 44500;
#endif
alignas(8) inline std::array<unsigned char, memory_bytes> memory;

template <class Of, class Store>
struct Functions {
  static_assert(sizeof(Store) <= sizeof(memory));
  static Store& made() { return *new (memory.data()) Store(start); }

  [[gnu::noinline]] static bool record(Store& store, std::uint32_t neuron, std::uint32_t time, Trace trace) {
    return gc::is_stored(store.record(neuron, time, trace));
  }
  [[gnu::noinline]] static bool advance_to(Store& store, std::uint32_t now) { return store.advance_to(now); }
  [[gnu::noinline]] static Trace query(Store& store, std::uint32_t neuron, std::uint32_t after, std::uint32_t until) {
    Trace sum = 0;
    for (const auto& [time, trace] : store.window(neuron, after, until)) sum += trace;
    return sum;
  }
  [[gnu::noinline]] static void stream(Store& store, std::uint32_t now, const std::uint8_t* at,
                                       const std::uint16_t* end, std::uint32_t count) {
    for (; count != 0; --count, ++now) {
      store.advance_to(now);
      for (const std::uint8_t* const last = fired.data() + *end++; at != last; ++at)
        store.record(*at, now, static_cast<Trace>(now));
    }
  }
  [[gnu::noinline]] static void call(Store& store, bool is_advance, std::uint32_t neuron, std::uint32_t now) {
    if (is_advance)
      store.advance_to(now);
    else
      store.record(neuron, now, 1);
  }
  /// What a row asks, of which the event before, all of the window and their order count.
  [[gnu::noinline]] static std::uint32_t look_up(Store& store, const std::uint8_t* row, std::uint32_t after,
                                                 std::uint32_t until) {
    std::uint32_t sum = 0;
    const auto past = store.past(after, until);
    for (const std::uint8_t* const end = row + synapses; row != end; ++row)
      past.of(
          *row, [&](std::uint32_t time, Trace trace) { sum += time ^ static_cast<std::uint32_t>(trace); },
          [&](std::uint32_t time, Trace trace) { sum += (time - after) ^ static_cast<std::uint32_t>(trace); });
    return sum;
  }
  /// The same for a rule that needs the event before in an empty window only.
  [[gnu::noinline]] static std::uint32_t look_up_if_none(Store& store, const std::uint8_t* row, std::uint32_t after,
                                                         std::uint32_t until) {
    std::uint32_t sum = 0;
    const auto past = store.past(after, until);
    const auto before = [&](std::uint32_t time, Trace trace) { sum += time ^ static_cast<std::uint32_t>(trace); };
    for (const std::uint8_t* const end = row + synapses; row != end; ++row)
      past.of(*row, IfNone{before},
              [&](std::uint32_t time, Trace trace) { sum += (time - after) ^ static_cast<std::uint32_t>(trace); });
    return sum;
  }
  static void warmed(Store& store) { stream(store, start, fired.data(), ends.data(), Of::warm_up); }
};

template <class Of, class Collector>
using Store = TraceStore<Trace, Of::neurons, Collector, gc::AgeWindow<window>>;

/// Calls `each(is_advance, neuron, now)` for what is to be hard: heaps that fill and die at once.
///
/// \param apart  ticks between two ticks of the store
template <class Of, class Function>
void adversarial(std::uint32_t apart, Function each) {
  std::uint32_t now = start;
  for (unsigned round = 0; round < 3; ++round) {
    for (std::size_t event = 0; event < 2 * Of::room; ++event) // some are refused
      each(false, round == 1 ? 7U : static_cast<std::uint32_t>(event % Of::neurons), now);
    for (unsigned silent = 0; silent < window + 150; ++silent) each(true, 0, now += apart);
    for (std::uint32_t neuron = 0; neuron < Of::neurons; ++neuron) each(false, neuron, now);
    each(true, 0, now += round == 1 ? 100000 : apart);
  }
}
/// Events that found no room, or for which others gave way.
template <class Store>
std::uint32_t lost(const Store& store) {
  const gc::Counts counted = store.counts();
  return counted.refused_full + counted.gave_way;
}

/// Asks rows of synapses, each of which fires at 10 Hz.
template <class Of, class Function>
void rows_look_up(Function each) {
  Sfc32 random;
  std::array<std::array<std::uint8_t, synapses>, 10> rows;
  std::array<std::uint32_t, 10> last;
  for (std::array<std::uint8_t, synapses>& row : rows)
    for (std::uint8_t& neuron : row) neuron = static_cast<std::uint8_t>(random.next() % Of::neurons);
  for (std::uint32_t& time : last) time = start + Of::warm_up - random.next() % Of::interval;
  for (std::uint32_t tick = Of::warm_up; tick < Of::warm_up + 1000; ++tick)
    for (std::size_t row = 0; row < rows.size(); ++row)
      if (random.next() < 0xFFFFFFFFU / Of::interval) {
        each(tick, rows[row].data(), last[row]);
        last[row] = start + tick;
      }
}

} // namespace trace_cycles

/// The keys of single calls, for the variable `right` of a program.
#define MEASURE_CALLS(key, Of, ...)                                                                                    \
  {                                                                                                                    \
    using Store = trace_cycles::Store<Of, __VA_ARGS__>;                                                                \
    using Functions = trace_cycles::Functions<Of, Store>;                                                              \
    trace_cycles::make_stream<Of>();                                                                                   \
    {                                                                                                                  \
      Store& store = Functions::made();                                                                                \
      Functions::warmed(store);                                                                                        \
      std::uint32_t at = trace_cycles::first_measured;                                                                 \
      for (std::uint32_t tick = Of::warm_up; tick < Of::ticks; ++tick) {                                               \
        const std::uint32_t now = trace_cycles::start + tick;                                                          \
        MEASURE(key ".advance", 1, Functions::advance_to(*fresh(&store), fresh(now)));                                 \
        for (; at != trace_cycles::ends[tick]; ++at)                                                                   \
          MEASURE(key ".record", 1, Functions::record(*fresh(&store), trace_cycles::fired[at], fresh(now), 1));        \
      }                                                                                                                \
      trace_cycles::Trace sum = 0;                                                                                     \
      const std::uint32_t now = trace_cycles::start + Of::ticks - 1;                                                   \
      for (std::uint32_t neuron = 0; neuron < Of::neurons; ++neuron)                                                   \
        MEASURE(key ".query", 1,                                                                                       \
                sum += Functions::query(*fresh(&store), neuron, now - trace_cycles::window - 1, now));                 \
      right &= sum > static_cast<trace_cycles::Trace>(Of::neurons) / 2 &&                                              \
               sum <= static_cast<trace_cycles::Trace>(store.events());                                                \
    }                                                                                                                  \
    Store& store = Functions::made();                                                                                  \
    trace_cycles::adversarial<Of>(                                                                                     \
        1, [&](bool is_advance, std::uint32_t neuron, std::uint32_t now) __attribute__((noinline)) {                   \
          MEASURE(key ".worst", 1, Functions::call(*fresh(&store), is_advance, neuron, now));                          \
        });                                                                                                            \
  }

/// The key of the worst call with ticks so far apart.
#define MEASURE_APART(key, ticks, ...)                                                                                 \
  {                                                                                                                    \
    using trace_cycles::Goal;                                                                                          \
    using Functions = trace_cycles::Functions<Goal, trace_cycles::Store<Goal, __VA_ARGS__>>;                           \
    auto& store = Functions::made();                                                                                   \
    trace_cycles::adversarial<Goal>(                                                                                   \
        ticks, [&](bool is_advance, std::uint32_t neuron, std::uint32_t now) __attribute__((noinline)) {               \
          MEASURE(key ".apart" #ticks ".worst", 1, Functions::call(*fresh(&store), is_advance, neuron, now));          \
        });                                                                                                            \
  }

/// The key of the whole stream, `5156` events, of which `losses` may be refused or given up.
#define MEASURE_RECLAIM(key, losses, Made)                                                                             \
  {                                                                                                                    \
    using trace_cycles::Goal;                                                                                          \
    using Functions = trace_cycles::Functions<Goal, Made>;                                                             \
    right &= trace_cycles::make_stream<Goal>() == 5156;                                                                \
    Made& store = Functions::made();                                                                                   \
    Functions::warmed(store);                                                                                          \
    MEASURE(key ".record_reclaim", 5156,                                                                               \
            Functions::stream(*fresh(&store), trace_cycles::start + Goal::warm_up,                                     \
                              trace_cycles::fired.data() + trace_cycles::first_measured,                               \
                              trace_cycles::ends.data() + Goal::warm_up, Goal::measured));                             \
    right &= trace_cycles::lost(store) <= losses;                                                                      \
  }

/// The key of what rows of synapses ask.
#define MEASURE_LOOKUP(key, Made)                                                                                      \
  {                                                                                                                    \
    using trace_cycles::Goal;                                                                                          \
    using Functions = trace_cycles::Functions<Goal, Made>;                                                             \
    trace_cycles::make_stream<Goal>();                                                                                 \
    Made& store = Functions::made();                                                                                   \
    Functions::warmed(store);                                                                                          \
    std::uint32_t at = trace_cycles::first_measured, tick = Goal::warm_up, sum = 0;                                    \
    trace_cycles::rows_look_up<Goal>([&](std::uint32_t now, const std::uint8_t* row, std::uint32_t after) {            \
      for (; tick <= now; ++tick) {                                                                                    \
        store.advance_to(trace_cycles::start + tick);                                                                  \
        for (; at != trace_cycles::ends[tick]; ++at)                                                                   \
          store.record(trace_cycles::fired[at], trace_cycles::start + tick, static_cast<trace_cycles::Trace>(tick));   \
      }                                                                                                                \
      MEASURE(key ".lookup", 100, sum += Functions::look_up(*fresh(&store), row, after, trace_cycles::start + now));   \
      MEASURE(key ".lookup_if_none", 100,                                                                              \
              sum += Functions::look_up_if_none(*fresh(&store), row, after, trace_cycles::start + now));               \
    });                                                                                                                \
    right &= sum != 0;                                                                                                 \
  }

/// The key of how single calls differ, ticks and records of the stream alike.
#define MEASURE_PAUSES(key, Made)                                                                                      \
  {                                                                                                                    \
    using trace_cycles::Goal;                                                                                          \
    using Functions = trace_cycles::Functions<Goal, Made>;                                                             \
    trace_cycles::make_stream<Goal>();                                                                                 \
    Made& store = Functions::made();                                                                                   \
    Functions::warmed(store);                                                                                          \
    std::uint32_t at = trace_cycles::first_measured;                                                                   \
    for (std::uint32_t tick = Goal::warm_up; tick < Goal::ticks; ++tick) {                                             \
      for (bool is_advance = true; is_advance || at != trace_cycles::ends[tick]; is_advance = false) {                 \
        const std::uint32_t neuron = is_advance ? 0 : trace_cycles::fired[at++];                                       \
        MEASURE(key ".pauses", 1,                                                                                      \
                Functions::call(*fresh(&store), is_advance, neuron, fresh(trace_cycles::start + tick)));               \
      }                                                                                                                \
    }                                                                                                                  \
  }

/// All keys with 255 neurons at 10 Hz.
#define MEASURE_GOAL(key, losses, ...)                                                                                 \
  MEASURE_CALLS(key, trace_cycles::Goal, __VA_ARGS__) {                                                                \
    using Made = trace_cycles::Store<trace_cycles::Goal, __VA_ARGS__>;                                                 \
    MEASURE_RECLAIM(key, losses, Made)                                                                                 \
    MEASURE_LOOKUP(key, Made)                                                                                          \
    MEASURE_PAUSES(key, Made)                                                                                          \
  }

#define MEASURE_PAPERS(key, neurons, events, ...)                                                                      \
  {                                                                                                                    \
    using Of = trace_cycles::Papers<neurons, events>;                                                                  \
    MEASURE_CALLS(key "." #neurons "x" #events, Of, __VA_ARGS__)                                                       \
  }

/// All keys of a collector whose neurons share room for a number of events.
#define MEASURE_HEAP(key, Collector)                                                                                   \
  MEASURE_GOAL(key, 0, Collector<trace_cycles::Goal::room>)                                                            \
  MEASURE_PAPERS(key, 40, 4, Collector<40 * 4>)                                                                        \
  MEASURE_PAPERS(key, 40, 16, Collector<40 * 16>)                                                                      \
  MEASURE_PAPERS(key, 255, 4, Collector<255 * 4>)                                                                      \
  MEASURE_PAPERS(key, 255, 16, Collector<255 * 16>)

#endif
