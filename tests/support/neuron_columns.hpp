// SPDX-License-Identifier: BSL-1.0
// Neurons of a model with memory of their own: what a test steps that looks at words, backends and parts of populations.
#ifndef TESTS_SUPPORT_NEURON_COLUMNS_HPP
#define TESTS_SUPPORT_NEURON_COLUMNS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/refractory_queue.hpp>

template <class Model, class Element = std::int32_t>
struct NeuronColumns {
  /// All words are 0.
  NeuronColumns(std::size_t neurons, const typename Model::Constants& constants)
      : count(neurons), shared(constants), spikes(neurons), entries(neurons) {
    for (auto& column : words) column.resize(neurons);
    for (auto& column : input) column.resize(neurons);
    for (auto& column : own) column.resize(neurons);
    for (std::size_t neuron = 0; neuron < neurons; ++neuron) set_own(neuron, constants);
  }
  /// Words are those that neurons begin with.
  NeuronColumns(std::size_t neurons, const typename Model::Made& made) : NeuronColumns(neurons, made.constants) {
    std::array<std::int32_t, Model::word_count + 1> initial{};
    Model::words_of(made.initial, initial);
    for (std::size_t word = 0; word < Model::word_count; ++word) words[word].assign(neurons, initial[word]);
  }
  std::vector<std::int32_t>& membrane() { return words[0]; }
  std::vector<std::int32_t>& psp(std::size_t which) { return words[1 + which]; }
  /// Constants of a neuron's own, of parts that are PerNeuron.
  void set_own(std::size_t neuron, typename Model::Constants constants) {
    Model::each_column(constants, [&](std::int32_t& value, std::size_t column) { own[column][neuron] = value; });
  }
  /// \param first  number of the first neuron
  template <class Target = neuromorph::target::Native>
  neuromorph::StepCounts step(std::uint32_t step_number, std::uint32_t first = 0) {
    typename Model::Columns columns{};
    for (std::size_t word = 0; word < Model::word_count; ++word) columns.words[word] = words[word].data();
    for (std::size_t column = 0; column < Model::constant_count; ++column)
      columns.constants[column] = own[column].data();
    queue.entries = entries;
    columns.queue = &queue;
    std::array<Element*, Model::receptors> sums{};
    for (std::size_t receptor = 0; receptor < Model::receptors; ++receptor) sums[receptor] = input[receptor].data();
    const auto counts = Model::template step<Target>(columns, count, shared, sums, step_number, spikes.data(), first);
    saturations += counts.saturations;
    return counts;
  }

  std::size_t count;
  typename Model::Constants shared;
  std::array<std::vector<std::int32_t>, Model::word_count> words;
  std::array<std::vector<Element>, Model::receptors> input; ///< of the next step; each step leaves zeros
  std::array<std::vector<std::int32_t>, Model::constant_count> own;
  std::vector<std::uint32_t> spikes; ///< the first StepCounts::spikes
  std::vector<neuromorph::RefractoryQueue::Entry> entries;
  neuromorph::RefractoryQueue queue;
  std::uint32_t saturations = 0; ///< since the start
};

#endif
