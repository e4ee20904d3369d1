// SPDX-License-Identifier: BSL-1.0
// Bytes that synapses and their neurons' history take, with all that they have: bytes/<what>. The same on every machine whose
// pointers they do not hold.
#include <cstddef>
#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>

#include <neuromorph/neuromorph.hpp>

namespace {

namespace nm = neuromorph;
using Word = nm::SynapticWord<8, 1, 4>;
using Pair = nm::DeferredUpdate<Word, nm::timing::Pair<>, nm::weight::Additive>;
constexpr std::size_t synapses = 100, neurons = 255, events = 1450;
using Collector = nm::gc::Fifo<events>;
using History = nm::TraceStore<nm::Share, neurons, Collector>;

/// A row of 100 less one of none: header and free places apart.
constexpr double plastic =
    double(sizeof(std::uint32_t) * (Pair::Row::words(synapses, 0) - Pair::Row::words(0, 0))) / synapses;
constexpr double fixed =
    double(sizeof(std::uint32_t) * (Pair::Row::words(0, synapses) - Pair::Row::words(0, 0))) / synapses;
constexpr double header = double(sizeof(std::uint32_t) * Pair::Row::words(0, 0));
/// Above the events' own times and traces, and above what the collector takes beside the newest events.
constexpr double newest = double(nm::gc::bytes_of_newest(neurons, sizeof(nm::Share))) / neurons;
constexpr double history = double(History::bytes - events * (4 + sizeof(nm::Share))) / neurons;

const bool are_registered = [] {
  const auto add = [](const char* key, double bytes) {
    benchmark::RegisterBenchmark(("bytes/" + std::string(key)).c_str(),
                                 [=](benchmark::State& state) {
                                   for (auto _ : state) state.counters["value"] = bytes;
                                 })
        ->Iterations(1)
        ->Repetitions(1);
  };
  add("static_synapse", fixed);
  add("plastic_synapse/pair", plastic);
  add("plastic_row/pair/header", header);
  add("history/neuron/newest", newest);
  add("history/neuron", history);
  return true;
}();

} // namespace
