// SPDX-License-Identifier: BSL-1.0
// The whole CUBA network of examples/cuba from seed 1, after 500 ms of start-up: the example's own step, without what
// its digests and statistics take, against the double-precision reference of the tests with the same connections and
// initial state.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "cuba_double.hpp"
#include "network.hpp"
#include "simulation.hpp"
#include "support.hpp"

namespace bench {
namespace {

constexpr std::uint32_t neurons = 4000;
constexpr std::uint32_t start_up_steps = 5000;
constexpr std::uint32_t steps = 500; // per iteration

cuba::Network const& network() {
  static const auto one = [] {
    auto made = std::make_unique<cuba::Network>();
    made->neurons = neurons;
    expect(cuba::set_time_step(*made, 0.1).empty() && cuba::build_from_seed(*made, 1).empty(),
           "the CUBA network cannot be built");
    return made;
  }();
  return *one;
}

reference::Cuba make_reference() {
  const auto& fixed = network();
  std::vector<std::vector<reference::Cuba::Synapse>> synapses(neurons);
  for (std::uint32_t pre = 0; pre < neurons; ++pre)
    for (const std::uint32_t word : fixed.rows.row(pre)) {
      const auto synapse = cuba::Word::decode(word);
      synapses[pre].push_back({synapse.index, synapse.type == 0 ? cuba::excitatory_weight_na * 1000.0
                                                                : -cuba::inhibitory_weight_na * 1000.0});
    }
  std::vector<double> initial_mv(neurons);
  std::transform(fixed.initial.begin(), fixed.initial.end(), initial_mv.begin(),
                 [&](std::int32_t word) { return cuba::Model::value(fixed.made, 0, word); });
  return {reference::Cell{}, fixed.dt_ms, fixed.delay_steps, std::move(synapses), initial_mv};
}

template <class Simulation>
void time_network(benchmark::State& state, Simulation& simulation) {
  const std::uint64_t before = simulation.events();
  for (auto _ : state)
    for (std::uint32_t step = 0; step < steps; ++step) simulation.step();
  const auto events = static_cast<double>(simulation.events() - before);
  const auto updates = static_cast<double>(state.iterations()) * steps * neurons;
  state.SetItemsProcessed(static_cast<std::int64_t>(updates));
  const auto time_over = benchmark::Counter::kIsRate | benchmark::Counter::kInvert;
  state.counters["ns_per_event"] = benchmark::Counter(events * 1e-9, time_over);
  state.counters["ns_per_update"] = benchmark::Counter(updates * 1e-9, time_over);
  state.counters["events_per_update"] = events / updates;
}

} // namespace

void register_cuba() {
  static cuba::Ring ring;
  static cuba::Simulation fixed(network(), ring);
  static reference::Cuba reference = make_reference();
  for (std::uint32_t step = 0; step < start_up_steps; ++step) {
    fixed.step();
    reference.step();
  }
  const auto ratio = static_cast<double>(fixed.events()) / static_cast<double>(reference.events());
  expect(ratio > 0.95 && ratio < 1.05, "the CUBA network fires at another rate than its reference");
  benchmark::RegisterBenchmark("cuba/fixed/native/4000", [](benchmark::State& state) {
    time_network(state, fixed);
  })->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("cuba/double/reference/4000", [](benchmark::State& state) {
    time_network(state, reference);
  })->Unit(benchmark::kMillisecond);
}

} // namespace bench
