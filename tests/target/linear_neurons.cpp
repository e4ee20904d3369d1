// SPDX-License-Identifier: BSL-1.0
// Linear membranes, integrators, and alpha, double exponential and delta synapses: on every machine the same bits as on the
// portable lanes, from rest to the ends of their words.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/neurons/membranes/integrator.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/membranes/linear.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/synapse_types/alpha.hpp>
#include <neuromorph/kernels/neurons/synapse_types/delta.hpp>
#include <neuromorph/kernels/neurons/synapse_types/double_exponential.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/neurons/thresholds/none.hpp>
#include <neuromorph/target/native.hpp>

using namespace neuromorph;

namespace {

constexpr std::size_t neurons = 53; // whole groups of any width, and some more
constexpr std::uint32_t steps = 60;

template <class Model>
struct Cells {
  std::array<std::array<std::int32_t, neurons>, Model::word_count> words{};
  std::array<std::array<std::int32_t, neurons>, Model::receptors> input{};
  std::array<std::uint32_t, neurons> spikes{};
  template <class Target>
  StepCounts step(const typename Model::Constants& constants, std::uint32_t number) {
    typename Model::Columns columns{};
    for (std::size_t word = 0; word < Model::word_count; ++word) columns.words[word] = words[word].data();
    std::array<std::int32_t*, Model::receptors> sums{};
    for (std::size_t receptor = 0; receptor < Model::receptors; ++receptor) sums[receptor] = input[receptor].data();
    return Model::template step<Target>(columns, neurons, constants, sums, number, spikes.data());
  }
};

std::uint32_t state = 1;
std::uint32_t draw() {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

/// Some rounds with each a new start: words of any kind in one of three, input that is often none and sometimes huge.
template <class Model>
bool is_same(const char* name, const Result<typename Model::Made>& made, std::uint64_t expected) {
  if (!made) {
    std::printf("%s: refused, %s\n", name, made.status().parameter);
    return false;
  }
  state = 2463534242U;
  Cells<Model> native, portable;
  std::array<std::int32_t, Model::word_count> initial{};
  Model::words_of(made.value().initial, initial);
  Digest digest;
  std::uint32_t spikes = 0, saturations = 0;
  for (std::uint32_t round = 0; round < 6; ++round) {
    for (std::size_t word = 0; word < Model::word_count; ++word)
      for (std::int32_t& element : native.words[word])
        element = round % 3 != 2 ? initial[word] : static_cast<std::int32_t>(draw()) / 64 * 63;
    portable.words = native.words;
    for (std::uint32_t step = 0; step < steps; ++step) {
      for (auto& column : native.input)
        for (std::int32_t& sum : column)
          if (const std::uint32_t kind = draw() % 16; kind < 4)
            sum = static_cast<std::int32_t>((draw() & 0x3FFFFFFFU) >> (kind == 0 && round % 3 != 0 ? draw() % 16 : 16));
      portable.input = native.input;
      const std::uint32_t number = round * 1000 + step;
      const StepCounts here = native.template step<target::Native>(made.value().constants, number);
      const StepCounts there = portable.template step<target::Generic>(made.value().constants, number);
      bool equal = here.spikes == there.spikes && here.saturations == there.saturations &&
                   native.words == portable.words && native.input == portable.input;
      for (std::uint32_t spike = 0; equal && spike < here.spikes; ++spike)
        equal = native.spikes[spike] == portable.spikes[spike];
      if (!equal) {
        std::printf("%s: round %u, step %u differs\n", name, static_cast<unsigned>(round), static_cast<unsigned>(step));
        return false;
      }
      spikes += here.spikes, saturations += here.saturations;
    }
    for (const auto& column : portable.words)
      for (const std::int32_t word : column) digest.add(static_cast<std::uint32_t>(word));
  }
  digest.add(spikes);
  digest.add(saturations);
  if (digest.value() != expected || saturations == 0) {
    std::printf("%s: digest 0x%08x%08x, %u spikes, %u held\n", name, static_cast<unsigned>(digest.value() >> 32),
                static_cast<unsigned>(digest.value()), static_cast<unsigned>(spikes),
                static_cast<unsigned>(saturations));
    return false;
  }
  return true;
}

} // namespace

int main() {
  using Alpha = Neuron<membrane::Lif, synapse::Alpha<2>>;
  using Nearest = Neuron<membrane::Lif, synapse::DoubleExponential<3>, rounding::Nearest>;
  using Stochastic = Neuron<membrane::Integrator, synapse::DoubleExponential<1>, rounding::Stochastic>;
  using Delta = Neuron<membrane::Lif, synapse::Delta<2>>;
  using Perfect = Neuron<membrane::Integrator, synapse::Delta<2>>;
  using Compartments = Neuron<membrane::Linear<2, 1>, synapse::Exponential<2>, rounding::Nearest>;
  using Slow = Neuron<membrane::Linear<4, 0, 2, 3>, synapse::Delta<2>>;
  using ReadOut = Neuron<membrane::Linear<3>, synapse::Alpha<2>, threshold::None, rounding::Stochastic>;

  bool ok = is_same<Alpha>("alpha", Alpha::make({.membrane{.c_nf = 0.25}, .synapses{.tau_ms{5, 20}}}, 0.1),
                           0x94d09f03bbf04f14);
  ok = is_same<Nearest>(
           "double exponential, to nearest",
           Nearest::make({.membrane{.c_nf = 0.25},
                          .synapses{.tau_rise_ms{1, 2, 20}, .tau_decay_ms{5, 10, 20}, .weights{{{0.1}, {0.1}, {0.1}}}}},
                         0.1),
           0x6a2773d45822d626) &&
       ok;
  ok = is_same<Stochastic>("double exponential, stochastic",
                           Stochastic::make({.membrane{}, .synapses{.tau_rise_ms{1}, .tau_decay_ms{50}}}, 0.1),
                           0x1420cf0614d740d7) &&
       ok;
  ok = is_same<Delta>("delta", Delta::make({.membrane{.c_nf = 0.25}, .synapses{}}, 0.1), 0x7c7d831fbf43ea15) && ok;
  ok = is_same<Perfect>("integrator", Perfect::make({.membrane{.i_offset_na = 0.1}, .synapses{}}, 0.1),
                        0x170506c9f2885005) &&
       ok;
  ok = is_same<Compartments>("two compartments",
                             Compartments::make({.membrane{.per_ms{{{-0.3, 0.25}, {0.5, -0.6}}},
                                                           .drift_per_ms{-3.25, -6.5},
                                                           .largest{0, 200},
                                                           .initial{-65, -65},
                                                           .per_na = 8},
                                                 .synapses{.tau_ms{5, 10}}},
                                                0.1),
                             0x95c3b154d31f0328) &&
       ok;
  ok = is_same<Slow>(
           "NMDA and GABA-B",
           Slow::make({.membrane{.per_ms{{{-0.06, 3, 0, 3}, {0, -0.01, 0.5, 0}, {0, 0, -0.5, 0}, {0, 0, 0, -0.006}}},
                                 .drift_per_ms{-4.2},
                                 .largest{0, 2, 2, 2},
                                 .initial{-70}},
                       .synapses{.weights{{{0.1}, {0.1}}}}},
                      1.0),
           0x0c21683125c7dba1) &&
       ok;
  ok = is_same<ReadOut>("read-out",
                        ReadOut::make({.membrane{.per_ms{{{-3, 20, 0}, {0, -0.2, 0.2}, {0.1, 0, -0.1}}},
                                                 .drift_per_ms{10, 0, 1},
                                                 .largest{0, 50, 90},
                                                 .initial{20, 1, -1}},
                                       .synapses{.tau_ms{5, 20}}},
                                      0.1),
                        0xf197c703b94bbd63) &&
       ok;
  return ok ? 0 : 1;
}
