// SPDX-License-Identifier: BSL-1.0
// How steps of neurons are timed: 4000 neurons, and in each step a weight for one in sixteen, four of five excitatory. The
// input is laid into a ring of sixteen slots, as rows would do, outside the measured time; then sixteen steps are timed,
// which read and clear it.
#ifndef BENCHMARKS_HOST_NEURONS_HPP
#define BENCHMARKS_HOST_NEURONS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <benchmark/benchmark.h>
#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/refractory_queue.hpp>

#include "support.hpp"

namespace bench {

namespace nm = neuromorph;

constexpr std::size_t neurons = 4000;
constexpr std::size_t ring_steps = 16;
constexpr std::size_t slot = 4096; // elements of a ring slot
constexpr double neuron_dt_ms = 0.1;

struct Arrival {
  std::uint32_t neuron;
  bool inhibitory;
};

/// Those of a step; they repeat after 32 rounds of the ring.
inline std::span<const Arrival> arrivals(std::uint32_t step_number) {
  constexpr std::size_t per_step = neurons / 16, rounds = 32;
  static const auto list = [] {
    std::mt19937 source(1);
    std::vector<Arrival> made(rounds * ring_steps * per_step);
    for (auto& one : made) one = {static_cast<std::uint32_t>(source() % neurons), source() % 5 == 0};
    return made;
  }();
  return std::span{list}.subspan(step_number % (rounds * ring_steps) * per_step, per_step);
}

/// Where a membrane begins, between reset (0) and threshold (1).
inline double initial_share(std::size_t neuron) { return static_cast<double>(neuron * 7919 % neurons) / neurons; }

/// Words and input of a population. Where two ways of stepping it are compared, both have the same: how quickly caches give
/// it depends on where it lies.
template <std::size_t Words, std::size_t Receptors, class Element = std::int32_t>
struct NeuronMemory {
  alignas(64) std::array<std::array<std::int32_t, neurons>, Words> words{};
  alignas(64) std::array<std::array<std::array<Element, slot>, Receptors>, ring_steps> input{};
  std::array<std::int64_t, 2> weights{}; ///< excitatory, inhibitory; of one receptor with their signs
  std::size_t count = neurons;
  std::uint32_t step_number = 0;
  std::vector<std::uint32_t> spikes = std::vector<std::uint32_t>(neurons);
  std::vector<nm::RefractoryQueue::Entry> entries = std::vector<nm::RefractoryQueue::Entry>(neurons);
  nm::RefractoryQueue queue;

  NeuronMemory() {
    benchmark::DoNotOptimize(count); // the compiler must not know it
    queue.entries = entries;
  }
  NeuronMemory(const NeuronMemory&) = delete;
  NeuronMemory& operator=(const NeuronMemory&) = delete;

  /// What arrives so many steps ahead.
  void fill(std::uint32_t ahead) {
    const std::uint32_t at = step_number + ahead;
    for (const auto& one : arrivals(at)) {
      Element& element = input[at % ring_steps][Receptors == 1 ? 0 : one.inhibitory][one.neuron];
      element = static_cast<Element>(element + weights[one.inhibitory]);
    }
  }
  /// From the beginning. Membranes are spread between reset and threshold, where there is a reset.
  void begin(const std::array<std::int32_t, Words>& initial, std::int32_t reset = 0) {
    for (std::size_t word = 0; word < Words; ++word) words[word].fill(initial[word]);
    for (std::size_t neuron = 0; reset != 0 && neuron < neurons; ++neuron)
      words[0][neuron] = static_cast<std::int32_t>(reset * (1.0 - initial_share(neuron))) - 1;
    input = {};
    step_number = 0;
    queue = {entries};
  }
  /// The input of the next step, whose number it takes.
  [[nodiscard]] std::array<Element*, Receptors> next() {
    std::array<Element*, Receptors> sums{};
    ++step_number;
    for (std::size_t receptor = 0; receptor < Receptors; ++receptor)
      sums[receptor] = input[step_number % ring_steps][receptor].data();
    return sums;
  }
  [[nodiscard]] std::uint64_t digest() const {
    nm::Digest digest;
    for (const auto& column : words) digest.add(std::span<const std::int32_t>{column});
    return digest.value();
  }
};

/// What one arrival brings, in the unit of the model's weights.
struct Weights {
  double excitatory, inhibitory;
};

template <class Model, class Element = std::int32_t>
using MemoryOf = NeuronMemory<Model::word_count, Model::receptors, Element>;

/// A composed neuron.
template <class Model, class Target, class Element = std::int32_t>
class Composed {
public:
  Composed(const typename Model::Made& made, MemoryOf<Model, Element>& memory) : made_(made), memory_(memory) {
    auto constants = made_.constants;
    Model::each_column(constants, [&](std::int32_t& constant, std::size_t column) {
      columns_[column] = std::vector<std::int32_t>(neurons, constant);
      views_.constants[column] = columns_[column].data();
    });
    for (std::size_t word = 0; word < Model::word_count; ++word) views_.words[word] = memory_.words[word].data();
    views_.queue = &memory_.queue;
  }
  void begin() {
    std::array<std::int32_t, Model::word_count> initial{};
    Model::words_of(made_.initial, initial);
    if constexpr (requires { made_.constants.reset.v; })
      memory_.begin(initial, made_.constants.reset.v);
    else
      memory_.begin(initial);
  }
  void fill(std::uint32_t ahead) { memory_.fill(ahead); }
  std::size_t step() {
    const auto input = memory_.next();
    const nm::StepCounts counts = Model::template step<Target>(views_, memory_.count, made_.constants, input,
                                                               memory_.step_number, memory_.spikes.data());
    saturations_ += counts.saturations;
    return counts.spikes;
  }
  [[nodiscard]] std::uint64_t digest() const { return memory_.digest(); }
  [[nodiscard]] std::uint32_t saturations() const { return saturations_; }

private:
  typename Model::Made made_;
  MemoryOf<Model, Element>& memory_;
  std::array<std::vector<std::int32_t>, Model::constant_count> columns_;
  typename Model::Columns views_{};
  std::uint32_t saturations_ = 0;
};

/// The weights of arrivals as a model's integers.
template <class Model>
std::array<std::int64_t, 2> weights_of(const typename Model::Made& made, const Weights& weights) {
  constexpr std::uint32_t last = Model::receptors - 1;
  const std::int64_t inhibitory = Model::weight(made, last, weights.inhibitory).value();
  return {Model::weight(made, 0, weights.excitatory).value(), last == 0 ? -inhibitory : inhibitory};
}

struct Course {
  std::size_t spikes = 0;
  std::vector<std::uint64_t> digests; // after each 500 steps
};
/// A population's first seconds.
template <class Population>
Course course_of(Population& population, double seconds) {
  Course result;
  population.begin();
  const auto steps = static_cast<std::uint32_t>(seconds * 1000.0 / neuron_dt_ms);
  for (std::uint32_t step = 1; step <= steps; ++step) {
    population.fill(1);
    result.spikes += population.step();
    if constexpr (requires { population.digest(); })
      if (step % 500 == 0) result.digests.push_back(population.digest());
  }
  return result;
}

/// Times a population that has begun.
template <class Population>
benchmark::internal::Benchmark* register_population(const std::string& name, Population& population) {
  const auto run = [&population](benchmark::State& state) {
    std::size_t spikes = 0;
    for (auto _ : state) {
      for (std::uint32_t ahead = 1; ahead <= ring_steps; ++ahead) population.fill(ahead);
      double const start = thread_seconds();
      for (std::size_t step = 0; step < ring_steps; ++step) spikes += population.step();
      benchmark::ClobberMemory();
      state.SetIterationTime(thread_seconds() - start);
    }
    const auto updates = static_cast<double>(state.iterations()) * ring_steps * neurons;
    state.SetItemsProcessed(static_cast<std::int64_t>(updates));
    state.counters["rate_hz"] = static_cast<double>(spikes) / updates * 1000.0 / neuron_dt_ms;
  };
  return benchmark::RegisterBenchmark((name + "/" + std::to_string(neurons)).c_str(), run)->UseManualTime();
}

} // namespace bench

#endif
