// SPDX-License-Identifier: BSL-1.0
// Plastic synapses, in updates a second: a spike of their row comes, what their neurons did since its last one is replayed,
// and the spike is applied. Rows and neurons fire at 10 Hz in ticks of 1 ms: neurons at random, or with "/regular" at phases
// of their own, so that each synapse has one event in each window.
//
// stdp/<rule>/native: 100 rows of 100 synapses, 255 neurons, all in the caches. .../double: the same deferred algorithm in
// double precision, with exp(). .../network: 10 000 rows of 1000 synapses, 80 MB, added to the ring, too: to compare with
// synapse/ring32.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <neuromorph/neuromorph.hpp>

#include "support.hpp"

namespace bench {
namespace {

namespace nm = neuromorph;
namespace gc = neuromorph::gc;

constexpr std::uint32_t interval = 100; // ticks from spike to spike
constexpr double tau = 20, a_plus = 0.01, a_minus = 0.012;
constexpr auto pair =
    nm::timing::Pair<>::from({.tau_plus_ms = tau, .tau_minus_ms = tau, .a_plus = a_plus, .a_minus = a_minus}, 1.0)
        .value();
constexpr double whole = 4294967296.0;

/// The neurons that fire in each of 1000 ticks, which repeat.
template <std::uint32_t neurons>
const std::vector<std::vector<std::uint32_t>>& stream(bool is_regular) {
  static const auto made = [](bool regular) {
    std::vector<std::vector<std::uint32_t>> fired(1000);
    std::mt19937 source(1);
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
      const auto phase = static_cast<std::uint32_t>(source() % interval);
      for (std::uint32_t tick = 0; tick < fired.size(); ++tick)
        if (regular ? tick % interval == phase : source() % interval == 0) fired[tick].push_back(neuron);
    }
    return fired;
  };
  static const auto at_random = made(false), regular = made(true);
  return is_regular ? regular : at_random;
}

/// Rows that go to neurons at random, with weights at random, and one delay.
template <class Word, std::uint32_t neurons, std::uint32_t rows, std::uint32_t synapses, std::uint32_t events>
struct Fixed {
  using Update = nm::DeferredUpdate<Word, nm::timing::Pair<>, nm::weight::Additive>;
  using Row = typename Update::Row;
  using Format = Word;
  static constexpr std::size_t words = Row::words(synapses, 0);

  Fixed() : all(rows * words) {
    std::mt19937 source(2);
    for (std::uint32_t number = 0; number < rows; ++number) {
      auto row = Row::make(of(number), synapses, 0).value();
      for (std::uint32_t at = 0; at < synapses; ++at) {
        const auto index = static_cast<std::uint32_t>(source() % neurons);
        const auto weight = static_cast<std::int32_t>(source() % 10'001);
        row.append(Word::encode({.weight = weight, .delay = 1, .type = 0, .index = index}).value(),
                   update.state_of(weight).value());
      }
    }
  }
  std::span<std::uint32_t> of(std::uint32_t row) { return std::span{all}.subspan(row * words, words); }
  void advance_to(std::uint32_t now) { history->advance_to(now); }
  void post(std::uint32_t neuron, std::uint32_t now) { update.post_spike(*history, neuron, now); }
  void pre(std::uint32_t row, std::uint32_t now) { update.pre_spike(of(row), now, *history); }
  double share(std::uint32_t row, std::uint32_t at) { return Row(of(row)).states()[at] / whole; }

  Update update = Update::from({0, 10'000}, pair).value();
  using History = nm::TraceStore<nm::Share, neurons, gc::Fifo<events>, gc::AgeWindow<500>>;
  std::unique_ptr<History> history = std::make_unique<History>();
  std::vector<std::uint32_t> all;
};

/// The same as one writes it in double.
template <class Like, std::uint32_t neurons, std::uint32_t rows, std::uint32_t synapses>
struct Double {
  struct Event {
    std::uint32_t time;
    double trace;
  };
  struct Neuron {
    std::array<Event, 64> events{};
    std::uint32_t count = 0;
  };
  struct Row {
    std::uint32_t time = 0;
    double trace = 0;
    std::array<std::uint32_t, synapses> index;
    std::array<double, synapses> weight;
  };
  Double() : row(rows) {
    Like like;
    for (std::uint32_t number = 0; number < rows; ++number)
      for (std::uint32_t at = 0; at < synapses; ++at) {
        row[number].index[at] = Like::Format::decode(typename Like::Row(like.of(number)).plastic()[at]).index;
        row[number].weight[at] = like.share(number, at);
      }
  }
  void advance_to(std::uint32_t) {}
  void post(std::uint32_t which, std::uint32_t now) {
    Neuron& one = neuron[which];
    const Event last = one.count == 0 ? Event{now, 0} : one.events[(one.count - 1) % 64];
    one.events[one.count++ % 64] = {now, last.trace * std::exp(-(now - last.time) / tau) + a_minus};
  }
  void pre(std::uint32_t number, std::uint32_t now) {
    Row& mine = row[number];
    const std::uint32_t after = mine.time - 1, until = now - 1; // the way back through the dendrite
    for (std::uint32_t at = 0; at < synapses; ++at) {
      const Neuron& one = neuron[mine.index[at]];
      double weight = mine.weight[at];
      std::uint32_t end = one.count;
      while (end != 0 && static_cast<std::int32_t>(one.events[(end - 1) % 64].time - until) > 0) --end;
      std::uint32_t begin = end;
      while (begin != 0 && static_cast<std::int32_t>(one.events[(begin - 1) % 64].time - after) > 0) --begin;
      for (; begin != end; ++begin) {
        weight += mine.trace * std::exp(-(one.events[begin % 64].time - after) / tau);
        weight = weight > 1 ? 1 : weight;
      }
      if (end != 0) {
        const Event& last = one.events[(end - 1) % 64];
        weight -= last.trace * std::exp(-(until - last.time) / tau);
        weight = weight < 0 ? 0 : weight;
      }
      mine.weight[at] = weight;
    }
    mine.trace = mine.trace * std::exp(-(now - mine.time) / tau) + a_plus;
    mine.time = now;
  }
  double share(std::uint32_t number, std::uint32_t at) { return row[number].weight[at]; }

  std::array<Neuron, neurons> neuron{};
  std::vector<Row> row;
};

constexpr std::uint32_t few_neurons = 255, few_rows = 100, few_synapses = 100;
using Cached = Fixed<nm::SynapticWord<8, 1, 3>, few_neurons, few_rows, few_synapses, 1450>;
using Reference = Double<Cached, few_neurons, few_rows, few_synapses>;

/// What neurons do in the ticks of a window.
template <std::uint32_t neurons, class Core>
void go_on(Core& core, std::uint32_t& now, std::uint32_t ticks, bool is_regular) {
  const auto& fired = stream<neurons>(is_regular);
  for (; ticks != 0; --ticks) {
    core.advance_to(++now);
    for (const std::uint32_t neuron : fired[now % fired.size()]) core.post(neuron, now);
  }
}

template <class Core>
void time_updates(const std::string& name, bool is_regular) {
  benchmark::RegisterBenchmark(name.c_str(), [is_regular](benchmark::State& state) {
    const auto core = std::make_unique<Core>();
    std::uint32_t now = 0;
    for (auto _ : state) {
      go_on<few_neurons>(*core, now, interval, is_regular);
      const double start = thread_seconds();
      for (std::uint32_t row = 0; row < few_rows; ++row) core->pre(row, now);
      benchmark::ClobberMemory();
      state.SetIterationTime(thread_seconds() - start);
    }
    state.SetItemsProcessed(state.iterations() * few_rows * few_synapses);
  })->UseManualTime();
}

void compare(bool is_regular) {
  Cached fixed;
  Reference reference;
  double most = 0;
  std::uint32_t now = 0, same = 0;
  for (std::uint32_t windows = 0; windows < 50; ++windows) {
    go_on<few_neurons>(fixed, now, interval, is_regular);
    go_on<few_neurons>(reference, same, interval, is_regular);
    for (std::uint32_t row = 0; row < few_rows; ++row) fixed.pre(row, now), reference.pre(row, now);
  }
  for (std::uint32_t row = 0; row < few_rows; ++row)
    for (std::uint32_t at = 0; at < few_synapses; ++at)
      most = std::fmax(most, std::fabs(fixed.share(row, at) - reference.share(row, at)));
  expect(most < 1e-6, "plastic synapses have other weights than in double precision");
  expect(fixed.update.counts().truncated == 0, "plastic synapses miss events of the benchmark");
}

constexpr std::uint32_t many = 10'000, fan_out = 1000, spikes_per_step = many / interval;
using Wide = nm::SynapticWord<14, 1, 1>;
using Network = Fixed<Wide, many, many, fan_out, 65'534>;

void time_network(const std::string& name, bool is_regular) {
  benchmark::RegisterBenchmark(name.c_str(), [is_regular](benchmark::State& state) {
    static const auto order = [] {
      std::vector<std::uint32_t> all(many);
      std::iota(all.begin(), all.end(), 0U);
      std::shuffle(all.begin(), all.end(), std::mt19937(3));
      return all;
    }();
    static Network network;
    static nm::RingBuffer<Wide> ring;
    static std::uint32_t now = 0;
    const auto step = [&] {
      go_on<many>(network, now, 1, is_regular);
      const double start = thread_seconds();
      const auto fired = std::span{order}.subspan(now % interval * spikes_per_step, spikes_per_step);
      for (std::size_t at = 0; at < fired.size(); ++at) {
        const std::uint32_t row = fired[at];
        if (at + 1 != fired.size()) network.update.prefetch(network.of(fired[at + 1]));
        network.pre(row, now);
        nm::add_row(ring, Network::Row(network.of(row)).plastic(), now);
      }
      benchmark::ClobberMemory();
      const double seconds = thread_seconds() - start;
      for (std::size_t type = 0; type < ring.types; ++type)
        for (auto& element : ring.slot(now + 1, type)) element = 0;
      return seconds;
    };
    for (std::uint32_t warm = 0; warm < interval; ++warm) step();
    for (auto _ : state) state.SetIterationTime(step());
    expect(network.update.counts().truncated == 0, "plastic synapses miss events of the network");
    state.SetItemsProcessed(state.iterations() * spikes_per_step * fan_out);
  })->UseManualTime();
}

} // namespace

void register_stdp() {
  for (const bool is_regular : {false, true}) {
    compare(is_regular);
    const std::string how = is_regular ? "/regular" : "";
    time_updates<Cached>("stdp/pair/native" + how, is_regular);
    time_updates<Reference>("stdp/pair/double" + how, is_regular);
    time_network("stdp/pair/network/native" + how + "/10000x1000", is_regular);
  }
}

} // namespace bench
