// SPDX-License-Identifier: BSL-1.0
// Composed neurons with conductances, gated currents, Izhikevich's and AdEx's membranes: each backend's lanes beside
// target::Generic, with any words and input to the ends of its range; and one digest of it all.
#include <array>
#include <cstdint>
#include <cstdio>

#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/neurons/inputs/conductance.hpp>
#include <neuromorph/kernels/neurons/inputs/multiplicative.hpp>
#include <neuromorph/kernels/neurons/membranes/adex.hpp>
#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/membranes/lif_conductance.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/refractory/counted.hpp>
#include <neuromorph/kernels/neurons/synapse_types/alpha.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/expected_digest.hpp"

using namespace neuromorph;

namespace {

constexpr std::size_t neurons = 37;
int failures = 0;
Digest digest;
Sfc32 generator(StreamId{3, 11, 1});

template <class Model>
struct Cells {
  alignas(64) std::array<std::array<std::int32_t, neurons>, Model::word_count> words{};
  alignas(64) std::array<std::array<std::int32_t, neurons>, Model::receptors> input{};
  std::array<std::uint32_t, neurons> spikes{};

  template <class Target>
  StepCounts step(const typename Model::Constants& constants, std::uint32_t step_number) {
    typename Model::Columns columns{};
    for (std::size_t word = 0; word < Model::word_count; ++word) columns.words[word] = words[word].data();
    std::array<std::int32_t*, Model::receptors> sums{};
    for (std::size_t receptor = 0; receptor < Model::receptors; ++receptor) sums[receptor] = input[receptor].data();
    return Model::template step<Target>(columns, neurons, constants, sums, step_number, spikes.data(), 5);
  }
};

template <class Model>
void compare(const char* name, const Result<typename Model::Made>& result) {
  if (!result) {
    std::printf("%s: %s refused\n", name, result.status().parameter);
    ++failures;
    return;
  }
  const auto& constants = result.value().constants;
  std::array<std::int32_t, Model::word_count + 1> initial{};
  Model::words_of(result.value().initial, initial);
  Cells<Model> defined;
  for (std::uint32_t round = 0; round < 4; ++round) {
    for (std::size_t word = 0; word < Model::word_count; ++word)
      for (auto& one : defined.words[word])
        one = round == 0 ? initial[word]
                         : static_cast<std::int32_t>(generator.next()) >> (generator.next() % (round == 1 ? 1 : 20));
    for (auto& v : defined.words[0]) // a membrane is below its threshold
      if (v >= 0) v = -1 - v;
    for (std::uint32_t step = 0; step < 150; ++step) {
      for (auto& receptor : defined.input)
        for (auto& sum : receptor)
          sum = generator.next() % 8 != 0 ? 0
                                          : static_cast<std::int32_t>((generator.next() & 0x3FFFFFFFU) >>
                                                                      (round == 0 ? 14 : generator.next() % 30));
      Cells<Model> native = defined;
      const StepCounts one = defined.template step<target::Generic>(constants, round * 1000 + step),
                       other = native.template step<target::Native>(constants, round * 1000 + step);
      bool is_same = one.spikes == other.spikes && one.saturations == other.saturations &&
                     defined.words == native.words && defined.input == native.input;
      for (std::uint32_t spike = 0; is_same && spike < one.spikes; ++spike)
        is_same = defined.spikes[spike] == native.spikes[spike];
      if (!is_same) {
        std::printf("%s: round %u, step %u differs\n", name, static_cast<unsigned>(round), static_cast<unsigned>(step));
        ++failures;
        return;
      }
      digest.add(one.spikes);
      digest.add(one.saturations);
    }
    for (const auto& column : defined.words)
      for (const std::int32_t word : column) digest.add(static_cast<std::uint32_t>(word));
  }
}

template <class Rounding>
void all() {
  std::array<ReceptorWeights, 2> weights{};
  weights.fill({.largest = 0.02});
  using One = Neuron<membrane::LifConductance<>, synapse::Exponential<2>, input::Conductance<>, refractory::InMembrane,
                     Rounding>;
  compare<One>("conductances", One::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.1},
                                          .synapses = {{5.0, 10.0}, weights},
                                          .input = {{0.0, -80.0}}},
                                         0.1));
  using Long = Neuron<membrane::LifConductance<3>, synapse::Exponential<3>, input::Conductance<3>, refractory::Counted,
                      Rounding>;
  compare<Long>("three conductances, long steps",
                Long::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.1},
                            .synapses = {{5.0, 10.0, 50.0}, {weights[0], weights[0], weights[0]}},
                            .input = {{0.0, -80.0, -100.0}}},
                           1.0));
  using Alpha =
      Neuron<membrane::LifConductance<>, synapse::Alpha<2>, input::Conductance<>, refractory::Counted, Rounding>;
  compare<Alpha>("conductances that rise", Alpha::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.1},
                                                        .synapses = {{5.0, 10.0}, weights},
                                                        .input = {{0.0, -80.0}}},
                                                       0.1));
  using Gated =
      Neuron<membrane::Lif, synapse::Exponential<2>, input::Multiplicative<>, refractory::InMembrane, Rounding>;
  compare<Gated>("gated currents", Gated::make({.membrane = {.c_nf = 0.25}, .synapses = {{5.0, 10.0}, weights}}, 0.5));
  using AdEx = Neuron<membrane::AdEx, synapse::Exponential<2>, input::Conductance<>, refractory::Counted, Rounding>;
  compare<AdEx>("AdEx", AdEx::make({.membrane = {.i_offset_na = 0.8},
                                    .synapses = {{5.0, 10.0}, weights},
                                    .input = {{0.0, -80.0}},
                                    .threshold = {0.0},
                                    .reset = {-70.6}},
                                   0.1));
  using Izhikevich =
      Neuron<membrane::IzhikevichBy<method::RungeKutta4>, synapse::Exponential<2>, input::Conductance<>, Rounding>;
  compare<Izhikevich>("Izhikevich", Izhikevich::make({.membrane = {.i_offset = 6.0},
                                                      .synapses = {{5.0, 10.0}, weights},
                                                      .input = {{0.0, -80.0}},
                                                      .threshold = {30.0},
                                                      .reset = {-65.0}},
                                                     0.5));
}

} // namespace

int main() {
  all<rounding::Down>();
  all<rounding::Nearest>();
  all<rounding::Stochastic>();
  return is_expected(digest, 0x94894a0ea1e53fe0) && failures == 0 ? 0 : 1;
}
