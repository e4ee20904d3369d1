// SPDX-License-Identifier: BSL-1.0
// Trace stores: neurons at 10 Hz, 4-byte traces, a window of 500 ticks; each iteration is 1000 ticks with their
// records. Items are events, recorded and reclaimed; with "/query", windows of a neuron looked through instead. The
// baseline has a std::deque for each neuron, from whose front records drop what is too old.
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/generational.hpp>
#include <neuromorph/neuromorph.hpp>

#include "support.hpp"

namespace bench {
namespace {

namespace nm = neuromorph;
namespace gc = neuromorph::gc;

constexpr std::uint32_t neurons = 255, window = 500, turn = 1000;
constexpr std::size_t room = 1600;
using Trace = std::int32_t;

/// The neurons that fire in each tick of a turn.
const std::vector<std::vector<std::uint32_t>>& stream() {
  static const auto made = [] {
    std::vector<std::vector<std::uint32_t>> fired(turn);
    nm::Sfc32 random;
    for (auto& tick : fired)
      for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
        if (random.next() < 0xFFFFFFFFU / 100) tick.push_back(neuron);
    return fired;
  }();
  return made;
}

struct Deques {
  struct Event {
    std::uint32_t time;
    Trace trace;
  };
  bool advance_to(std::uint32_t time) {
    now = time;
    return false;
  }
  void record(std::uint32_t neuron, std::uint32_t time, Trace trace) {
    auto& events = of[neuron];
    while (!events.empty() && now - events.front().time > window) events.pop_front();
    events.push_back({time, trace});
  }
  Trace query(std::uint32_t neuron) const {
    Trace sum = 0;
    for (const Event& event : of[neuron])
      if (now - event.time <= window) sum += event.trace;
    return sum;
  }
  std::array<std::deque<Event>, neurons> of;
  std::uint32_t now = 0;
};

template <class Collector, class Target>
struct Store : nm::TraceStore<Trace, neurons, Collector, gc::AgeWindow<window>, Target> {
  Trace query(std::uint32_t neuron) {
    Trace sum = 0;
    for (const auto& [time, trace] : this->window(neuron, this->now() - bench::window - 1, this->now())) sum += trace;
    return sum;
  }
};

template <class Histories>
void run_turn(Histories& histories, std::uint32_t& now) {
  for (const auto& fired : stream()) {
    histories.advance_to(++now);
    for (const std::uint32_t neuron : fired) histories.record(neuron, now, static_cast<Trace>(now));
  }
}

template <class Histories>
void time_histories(const std::string& name) {
  const auto warm = [] {
    auto made = std::make_pair(std::make_unique<Histories>(), std::uint32_t{0});
    run_turn(*made.first, made.second);
    return made;
  };
  auto tried = warm();
  Deques wanted;
  std::uint32_t now = 0;
  run_turn(wanted, now);
  for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
    expect(tried.first->query(neuron) == wanted.query(neuron), "a trace store shows another history than the baseline");

  std::int64_t events = 0;
  for (const auto& fired : stream()) events += static_cast<std::int64_t>(fired.size());
  benchmark::RegisterBenchmark(name.c_str(), [warm, events](benchmark::State& state) {
    auto [histories, time] = warm();
    for (auto _ : state) run_turn(*histories, time);
    state.SetItemsProcessed(state.iterations() * events);
  });
  benchmark::RegisterBenchmark((name + "/query").c_str(), [warm](benchmark::State& state) {
    auto [histories, time] = warm();
    for (auto _ : state)
      for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) benchmark::DoNotOptimize(histories->query(neuron));
    state.SetItemsProcessed(state.iterations() * neurons);
  });
}

template <class Collector>
void time_collector(const std::string& name) {
  time_histories<Store<Collector, nm::target::Native>>("traces/" + name + "/native/255");
  time_histories<Store<Collector, nm::target::Generic>>("traces/" + name + "/generic/255");
}

} // namespace

void register_traces() {
  time_histories<Deques>("traces/deque/plain/255");
  time_collector<gc::Fifo<room>>("fifo");
  time_collector<gc::Pool<room>>("pool");
  time_collector<gc::Ring<24>>("ring");
  time_collector<gc::Sliding<room>>("sliding");
  time_collector<gc::Baker<gc::BakerOptions{.events = room, .heap_bytes = 16 * room}>>("baker");
  time_collector<gc::Generational<gc::GenerationalOptions{.events = room, .heap_bytes = 16 * room}>>("generational");
}

} // namespace bench
