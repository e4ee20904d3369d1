// SPDX-License-Identifier: BSL-1.0
// Populations of composed neurons as a user steps them: a ring buffer that is read and cleared, the constants of the
// step, the list of spikes. Per neuron, in the mean of 20 ms in which neurons fire at 10 Hz, evenly spread, and one of
// them has input in each step.
#ifndef BENCHMARKS_CYCLES_KERNELS_NEURON_HPP
#define BENCHMARKS_CYCLES_KERNELS_NEURON_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>

#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/neurons/thresholds/none.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>

#include "measure.hpp"

using namespace neuromorph;

inline constexpr std::uint32_t steps = 200; // of 0.1 ms: one neuron in five fires

template <class Element>
inline constinit RingBuffer<SynapticWord<8, 1, 2>, Element> neuron_ring;
alignas(64) inline constinit std::array<std::byte, 12288> neuron_place{};

template <class Model, std::size_t neurons, class Element = std::int32_t>
[[gnu::noinline]] bool mean(const typename Model::Made& made, auto step) {
  static_assert(sizeof(Population<Model, neurons>) <= sizeof neuron_place);
  auto& population = *new (neuron_place.data()) Population<Model, neurons>(made);
  constexpr std::size_t psp = detail::words_of<typename Model::Membrane>; // the first
  std::uint32_t turn = 0, fired = 0;
  for (std::uint32_t step_number = 0; step_number < steps; ++step_number) {
    const std::uint32_t from = turn;
    for (; turn * 5 * steps < step_number * neurons; ++turn) {
      population.words(place_of<Model>.membrane.v)[turn * 5] = -1;
      population.words(psp)[turn * 5] = 1 << 29;
    }
    neuron_ring<Element>.slot(step_number, 0)[step_number % neurons] = 1; // too weak to matter
    fired += static_cast<std::uint32_t>(step(population, neuron_ring<Element>, step_number).size());
    for (std::uint32_t at = from; at < turn; ++at) population.words(psp)[at * 5] = population.words(psp)[at * 5 + 1];
  }
  return fired == turn && turn != 0;
}

/// The same of any model, whose neurons are brought near the threshold and given an event: a while later about as many
/// fire, or none of one that never does.
template <class Model, std::size_t neurons>
[[gnu::noinline]] bool mean_by_events(const typename Model::Made& made, std::int32_t weight, auto step) {
  static_assert(sizeof(Population<Model, neurons>) <= sizeof neuron_place);
  auto& population = *new (neuron_place.data()) Population<Model, neurons>(made);
  std::uint32_t turn = 0, fired = 0;
  for (std::uint32_t step_number = 0; step_number < steps; ++step_number) {
    auto& ring = neuron_ring<std::int32_t>;
    ring.slot(step_number, 0)[step_number % neurons] = 1; // too weak to matter
    for (; turn * 5 * steps < step_number * neurons; ++turn) {
      population.words(place_of<Model>.membrane.v)[turn * 5] = -1000;
      ring.slot(step_number, 0)[turn * 5] = weight;
    }
    fired += static_cast<std::uint32_t>(step(population, ring, step_number).size());
  }
  constexpr bool fires = !std::is_same_v<typename Model::Threshold, threshold::None>;
  return fires ? fired * 4 >= turn * 3 && fired <= 2 * turn : fired == 0;
}

#define NEURON_STEP(key, items)                                                                                        \
  [](auto& population, auto& ring, std::uint32_t step_number) {                                                        \
    std::span<const std::uint32_t> fired;                                                                              \
    MEASURE(key, items, fired = fresh(&population)->step(*fresh(&ring), fresh(step_number)));                          \
    return fired;                                                                                                      \
  }
#define NEURON_SIZES(key, Model, made)                                                                                 \
  right = mean<Model, 32>(made, NEURON_STEP(key ".32", 32)) && right;                                                  \
  right = mean<Model, 100>(made, NEURON_STEP(key ".100", 100)) && right;                                               \
  right = mean<Model, 256>(made, NEURON_STEP(key ".256", 256)) && right

#define NEURON_SIZES_BY_EVENTS(key, Model, made, weight)                                                               \
  right = mean_by_events<Model, 32>(made, weight, NEURON_STEP(key ".32", 32)) && right;                                \
  right = mean_by_events<Model, 100>(made, weight, NEURON_STEP(key ".100", 100)) && right;                             \
  right = mean_by_events<Model, 256>(made, weight, NEURON_STEP(key ".256", 256)) && right

#endif
