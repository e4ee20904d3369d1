// SPDX-License-Identifier: BSL-1.0
// Populations of composed neurons as a user steps them: a ring buffer that is read and cleared, the constants of the
// step, the list of spikes. Per neuron, in the mean of 20 ms in which neurons fire at 10 Hz, evenly spread, and one of
// them has input in each step.
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/refractory/in_queue.hpp>
#include <neuromorph/kernels/neurons/synapse_types/driven.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential_pair.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>

#include "measure.hpp"

using namespace neuromorph;

namespace {

constexpr std::uint32_t steps = 200; // of 0.1 ms: one neuron in five fires

using Lif2 = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::InMembrane>;
using Lif1 = Neuron<membrane::Lif, synapse::Difference, refractory::InMembrane>;
using Driven1 = Neuron<membrane::Lif, synapse::Driven<1>, refractory::InQueue>;
using Driven2 = Neuron<membrane::Lif, synapse::Driven<2, 9>, refractory::InQueue>;
using Izhikevich = Neuron<membrane::Izhikevich, synapse::Exponential<2>, rounding::Nearest>;

constinit RingBuffer<SynapticWord<8, 1, 2>, std::int32_t> ring;
alignas(64) constinit std::array<std::byte, 12288> place{};

template <class Model, std::size_t neurons>
[[gnu::noinline]] bool mean(const typename Model::Made& made, auto step) {
  static_assert(sizeof(Population<Model, neurons>) <= sizeof place);
  auto& population = *new (place.data()) Population<Model, neurons>(made);
  constexpr std::size_t psp = detail::words_of<typename Model::Membrane>; // the first
  std::uint32_t turn = 0, fired = 0;
  for (std::uint32_t step_number = 0; step_number < steps; ++step_number) {
    const std::uint32_t from = turn;
    for (; turn * 5 * steps < step_number * neurons; ++turn) {
      population.words(place_of<Model>.membrane.v)[turn * 5] = -1;
      population.words(psp)[turn * 5] = 1 << 29;
    }
    ring.slot(step_number, 0)[step_number % neurons] = 1; // too weak to matter
    fired += static_cast<std::uint32_t>(step(population, ring, step_number).size());
    for (std::uint32_t at = from; at < turn; ++at) population.words(psp)[at * 5] = population.words(psp)[at * 5 + 1];
  }
  return fired == turn && turn != 0;
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

} // namespace

bool run() {
  static constexpr std::array<ReceptorWeights, 2> weights{ReceptorWeights{.largest = 0.5},
                                                          ReceptorWeights{.largest = 0.5}};
  static constinit auto two =
      Lif2::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.15}, .synapses = {{5.0, 10.0}, weights}}, 0.1).value();
  static constinit auto one =
      Lif1::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.15}, .synapses = {5.0, weights}}, 0.1).value();
  static constinit auto izhikevich =
      Izhikevich::make(
          {.membrane = {.i_offset = 0.0}, .synapses = {{5.0, 10.0}, weights}, .threshold = {30.0}, .reset = {-65.0}},
          0.1)
          .value();
  bool right = true;
  NEURON_SIZES("neuron.lif1", Lif1, *fresh(&one));
  NEURON_SIZES("neuron.lif2", Lif2, *fresh(&two));
  static constinit auto driven1 =
      Driven1::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.15},
                     .synapses = {.tau_ms = {5.0}, .weights = {{{.largest = 0.5, .bits = 20}}}}},
                    0.1)
          .value();
  static constinit auto driven2 =
      Driven2::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.15},
                     .synapses = {.tau_ms = {5.0, 10.0},
                                  .weights = {{{.largest = 0.5, .bits = 20}, {.largest = 0.5, .bits = 20}}}}},
                    0.1)
          .value();
  NEURON_SIZES("neuron.driven1", Driven1, *fresh(&driven1));
  NEURON_SIZES("neuron.driven2", Driven2, *fresh(&driven2));
  NEURON_SIZES("neuron.izhikevich", Izhikevich, *fresh(&izhikevich));
  return right;
}
