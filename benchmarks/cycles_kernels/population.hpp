// SPDX-License-Identifier: BSL-1.0
// Population::step as a user calls it, for populations of several sizes: made made at run time, a ring buffer
// that is read and cleared, the checks, the constants of the step, the list of spikes. Per neuron.
//
// <key>.<size>: mean of steps of 0.1 ms in which neurons fire at 10 Hz, evenly spread, and some of them have input.
// <key>.<size>.all_fire: one step in which all neurons fire.
// <key>.<size>.worst: the longest of steps in which neurons fire, end their refractory periods, or have synaptic states
// held at the end of their range, or several of these. Held are those of all neurons, or of the second of each pair.
#ifndef BENCHMARKS_CYCLES_KERNELS_POPULATION_HPP
#define BENCHMARKS_CYCLES_KERNELS_POPULATION_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include <neuromorph/neuromorph.hpp>

#include "measure.hpp"

namespace population {

using namespace neuromorph;

constexpr std::uint32_t steps = 200; // 20 ms: one neuron in five fires
constexpr std::uint32_t most_refractory_steps = 60;
constexpr std::size_t most_neurons = 1000;

/// What a program says of its model: words that make a neuron fire in its next step, and psps and input that end
/// beyond the range of a psp. The latter are for a neuron that fires and for one that does not.
template <class Model>
struct Kind;

/// One population after the other, in the same memory: data memory has room for one of 1000 neurons and its ring.
template <class Model, class Element>
struct Memory {
  static constinit inline RingBuffer<SynapticWord<10, 1, 2>, Element> ring;
  alignas(64) static constinit inline std::array<std::byte, sizeof(Population<Model, most_neurons>)> place{};
};

template <class Model, class Element, std::size_t neurons>
struct Size {
  using Neurons = Population<Model, neurons>;
  using Made = typename Model::Made;
  using Ring = decltype(Memory<Model, Element>::ring);
  using Step = std::span<const std::uint32_t> (*)(Neurons& population, Ring& ring, std::uint32_t step_number);

  static constexpr std::size_t psps = Model::word_count - 1; // after the membrane

  static Neurons& populated(const Made& made) {
    for (Element& element : Memory<Model, Element>::ring.elements()) element = 0;
    Neurons& population = *new (Memory<Model, Element>::place.data()) Neurons(made);
    for (std::int32_t& membrane : population.words(0)) membrane = -(1 << 25);
    return population;
  }
  static void make_fire(Neurons& population, std::size_t neuron) {
    population.words(0)[neuron] = Kind<Model>::membrane;
    population.words(1)[neuron] = Kind<Model>::psp;
  }
  static void calm(Neurons& population, const Made& made, std::size_t neuron) {
    std::array<std::int32_t, Model::word_count> initial{};
    Model::words_of(made.initial, initial);
    for (std::size_t place = 1; place < Model::word_count; ++place) population.words(place)[neuron] = initial[place];
  }

  /// Whether each neuron that was made to fire did, and no other.
  [[gnu::noinline]] static bool mean(const Made& made, Step step) {
    Neurons& population = populated(made);
    auto& ring = Memory<Model, Element>::ring;
    std::uint32_t turn = 0, fired = 0;
    for (std::uint32_t step_number = 0; step_number < steps; ++step_number) {
      const std::uint32_t from = turn;
      for (; turn * 5 * steps < step_number * neurons; ++turn) make_fire(population, turn * 5);
      ring.slot(step_number, 0)[step_number % neurons] = 1; // too weak to matter
      for (const std::uint32_t neuron : step(population, ring, step_number))
        fired += neuron % 5 == 0 && neuron / 5 >= from && neuron / 5 < turn ? 1U : neurons + 1;
      for (std::uint32_t at = from; at < turn; ++at) calm(population, made, at * 5);
    }
    return fired == turn && turn != 0;
  }

  /// Whether all fired.
  [[gnu::noinline]] static bool all_fire(const Made& made, Step step) {
    Neurons& population = populated(made);
    for (std::size_t neuron = 0; neuron < neurons; ++neuron) make_fire(population, neuron);
    return step(population, Memory<Model, Element>::ring, 1).size() == neurons && population.saturations() == 0;
  }

  /// Whether all fired where they should, and what is to be held was counted.
  [[gnu::noinline]] static bool worst(const Made& made, Step step) {
    auto& ring = Memory<Model, Element>::ring;
    bool right = true;
    for (std::uint32_t scene = 1; scene < 18; ++scene) {
      const bool fire = scene % 2 != 0;
      const std::size_t waiting_halves = scene / 2 % 3, full_of_two = scene / 6; // both of a pair, or the second
      Neurons& population = populated(made);
      const std::size_t firing = neurons / 2 * (2 - waiting_halves);
      for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
        if (fire && neuron < firing) make_fire(population, neuron);
        if constexpr (!Model::Refractory::has_queue)
          if (neuron >= firing) population.words(0)[neuron] = 0; // the last step of its refractory period
        if (neuron % 2 + full_of_two < 2) continue;
        const auto [psp, input] = Kind<Model>::full(fire);
        for (std::size_t which = 0; which < psps; ++which) population.words(1 + which)[neuron] = psp[which];
        for (std::size_t type = 0; type < Model::receptors; ++type)
          ring.slot(1, type)[neuron] = static_cast<Element>(input[type]);
      }
      right = right && step(population, ring, 1).size() == (fire ? firing : 0);
      right = right && population.saturations() >= neurons / 2 * full_of_two &&
              (population.saturations() != 0) == (full_of_two != 0);
      if (scene != 1) continue;
      for (std::size_t neuron = 0; neuron < neurons; ++neuron) calm(population, made, neuron);
      for (std::uint32_t step_number = 2; step_number < most_refractory_steps;
           ++step_number) // until all wait no longer
        right = right && step(population, ring, step_number).empty();
    }
    return right;
  }
};

#define POPULATION_STEP(key, items, ...)                                                                               \
  [](auto& neurons, auto& ring, std::uint32_t step_number) {                                                           \
    std::span<const std::uint32_t> fired;                                                                              \
    MEASURE(key, items, fired = fresh(&neurons)->step(*fresh(&ring), fresh(step_number)));                             \
    return fired;                                                                                                      \
  }

/// One size of a model, for the variable `right` of a program.
#define MEASURE_SIZE(key, size, Model, Element, made)                                                                  \
  right = population::Size<Model, Element, size>::mean(made, POPULATION_STEP(key "." #size, size)) && right;           \
  right = population::Size<Model, Element, size>::all_fire(made, POPULATION_STEP(key "." #size ".all_fire", size)) &&  \
          right;                                                                                                       \
  right = population::Size<Model, Element, size>::worst(made, POPULATION_STEP(key "." #size ".worst", size)) && right

#define MEASURE_SIZES(key, Model, Element, made)                                                                       \
  MEASURE_SIZE(key, 10, Model, Element, made);                                                                         \
  MEASURE_SIZE(key, 32, Model, Element, made);                                                                         \
  MEASURE_SIZE(key, 100, Model, Element, made);                                                                        \
  MEASURE_SIZE(key, 256, Model, Element, made);                                                                        \
  MEASURE_SIZE(key, 1000, Model, Element, made)

} // namespace population

#endif
