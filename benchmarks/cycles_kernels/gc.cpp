// SPDX-License-Identifier: BSL-1.0
// Trace stores with 255 neurons at 10 Hz, 4-byte traces and a window of 500 ticks, in cycles: a record and a tick as
// functions, a query of a whole window, and all of 2000 ticks per recorded event: loop, ticks, records and with them
// all reclamation. The loop by itself is gc/none. The worst pause: all memory has been filled at once, and dies at
// once.
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include <neuromorph/gc/fixed.hpp>
#include <neuromorph/gc/log.hpp>
#include <neuromorph/gc/pool.hpp>
#include <neuromorph/gc/ring.hpp>
#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/kernels/sfc32.hpp>

#include "measure.hpp"

using namespace neuromorph;

namespace {
constexpr std::uint32_t neurons = 255, window = 500, warm_up = 1500, measured = 2000;
constexpr std::uint32_t ticks = warm_up + measured;
constexpr std::uint32_t start = 0U - 1000U; // the clock wraps in the middle
constexpr std::size_t room = 1450;          // events: mean 1275, standard deviation 36
using Trace = std::int32_t;

/// The neurons that fire, tick after tick, and where each tick's end.
std::array<std::uint8_t, 10000> fired;
std::array<std::uint16_t, ticks> ends;
std::uint32_t first_measured;
std::uint32_t events;

void make_stream() {
  Sfc32 random;
  std::uint32_t at = 0;
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    if (tick == warm_up) first_measured = at;
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
      if (random.next() < 42949673U) fired[at++] = static_cast<std::uint8_t>(neuron); // 2^32 / 100
    ends[tick] = static_cast<std::uint16_t>(at);
  }
  events = at - first_measured;
}

/// A mutator with nothing to store.
struct NoStore {
  explicit NoStore(std::uint32_t) {}
  static bool tick(std::uint32_t now) {
    asm volatile("" : : "r"(now) : "memory");
    return false;
  }
  static gc::Recorded record(std::uint32_t neuron, std::uint32_t time, Trace trace) {
    asm volatile("" : : "r"(neuron), "r"(time), "r"(trace) : "memory");
    return gc::Recorded::stored;
  }
};

alignas(8) std::array<unsigned char, 34000> memory;

template <class Store>
struct Functions {
  static_assert(sizeof(Store) <= sizeof(memory));
  static Store& made() { return *new (memory.data()) Store(start); }

  [[gnu::noinline]] static bool record(Store& store, std::uint32_t neuron, std::uint32_t time, Trace trace) {
    return gc::is_stored(store.record(neuron, time, trace));
  }
  [[gnu::noinline]] static bool tick(Store& store, std::uint32_t now) { return store.tick(now); }
  [[gnu::noinline]] static Trace query(Store& store, std::uint32_t neuron, std::uint32_t after, std::uint32_t until) {
    Trace sum = 0;
    for (const auto& [time, trace] : store.window(neuron, after, until)) sum += trace;
    return sum;
  }
  [[gnu::noinline]] static void stream(Store& store, std::uint32_t now, const std::uint8_t* at,
                                       const std::uint16_t* end, std::uint32_t count) {
    for (; count != 0; --count, ++now) {
      store.tick(now);
      for (const std::uint8_t* const last = fired.data() + *end++; at != last; ++at)
        store.record(*at, now, static_cast<Trace>(now));
    }
  }
  [[gnu::noinline]] static void call(Store& store, bool is_tick, std::uint32_t neuron, std::uint32_t now) {
    if (is_tick)
      store.tick(now);
    else
      store.record(neuron, now, 1);
  }
  static void warmed(Store& store) { stream(store, start, fired.data(), ends.data(), warm_up); }
};

template <class Collector>
using Of = TraceStore<Trace, neurons, Collector, gc::AgeWindow<window>>;

/// Calls `each(is_tick, neuron, now)` for what is to be hard: heaps that fill and die at once.
template <class Function>
void adversarial(Function each) {
  std::uint32_t now = start;
  for (unsigned round = 0; round < 3; ++round) {
    for (std::size_t event = 0; event < 2 * room; ++event) // some are refused
      each(false, round == 1 ? 7U : static_cast<std::uint32_t>(event % neurons), now);
    for (unsigned silent = 0; silent < window + 150; ++silent) each(true, 0, ++now);
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) each(false, neuron, now);
    each(true, 0, now += round == 1 ? 100000 : 1);
  }
}
} // namespace

/// All keys of a collector; `losses` of the stream's events it may refuse or give up.
#define MEASURE_COLLECTOR(name, losses, ...)                                                                           \
  {                                                                                                                    \
    using Store = Of<__VA_ARGS__>;                                                                                     \
    using Functions = Functions<Store>;                                                                                \
    {                                                                                                                  \
      Store& store = Functions::made();                                                                                \
      Functions::warmed(store);                                                                                        \
      std::uint32_t at = first_measured;                                                                               \
      for (std::uint32_t tick = warm_up; tick < ticks; ++tick) {                                                       \
        MEASURE("gc." name ".tick", 1, Functions::tick(*fresh(&store), fresh(start + tick)));                          \
        for (; at != ends[tick]; ++at)                                                                                 \
          MEASURE("gc." name ".record", 1,                                                                             \
                  right &= Functions::record(*fresh(&store), fired[at], fresh(start + tick), 1));                      \
      }                                                                                                                \
      Trace sum = 0;                                                                                                   \
      const std::uint32_t now = start + ticks - 1;                                                                     \
      for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)                                                       \
        MEASURE("gc." name ".query", 1, sum += Functions::query(*fresh(&store), neuron, now - window - 1, now));       \
      right &= sum > 1000 && sum <= static_cast<Trace>(store.events());                                                \
    }                                                                                                                  \
    {                                                                                                                  \
      Store& store = Functions::made();                                                                                \
      adversarial([&](bool is_tick, std::uint32_t neuron, std::uint32_t now) __attribute__((noinline)) {               \
        MEASURE("gc." name ".worst", 1, Functions::call(*fresh(&store), is_tick, neuron, now));                        \
      });                                                                                                              \
    }                                                                                                                  \
    Store& store = Functions::made();                                                                                  \
    Functions::warmed(store);                                                                                          \
    MEASURE("gc." name ".record_reclaim", 5156,                                                                        \
            Functions::stream(*fresh(&store), start + warm_up, fired.data() + first_measured, ends.data() + warm_up,   \
                              measured));                                                                              \
    const gc::Statistics counted = store.statistics();                                                                 \
    right &= counted.refused_full + counted.gave_way <= losses;                                                        \
  }

bool run() {
  make_stream();
  bool right = events == 5156;
  {
    using Functions = Functions<NoStore>;
    NoStore& store = Functions::made();
    MEASURE("gc.none.record_reclaim", 5156,
            Functions::stream(*fresh(&store), start + warm_up, fired.data() + first_measured, ends.data() + warm_up,
                              measured));
  }
  MEASURE_COLLECTOR("log", 0, gc::Log<room>)
  MEASURE_COLLECTOR("fixed", 3, gc::Fixed<16>)
  MEASURE_COLLECTOR("ring", 1, gc::Ring<16>)
  MEASURE_COLLECTOR("pool", 0, gc::Pool<room>)
  return right;
}
