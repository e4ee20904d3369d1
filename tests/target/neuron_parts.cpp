// SPDX-License-Identifier: BSL-1.0
// Thresholds, resets, refractory periods, adaptation and currents: the native lanes give the bits of target::Generic, constants
// made at run time those that the compiler made, and all machines one digest.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <span>

#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/neurons/adaptation/calcium.hpp>
#include <neuromorph/kernels/neurons/adaptation/spike_triggered.hpp>
#include <neuromorph/kernels/neurons/currents/alternating.hpp>
#include <neuromorph/kernels/neurons/currents/direct.hpp>
#include <neuromorph/kernels/neurons/currents/noise.hpp>
#include <neuromorph/kernels/neurons/currents/steps.hpp>
#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/neurons/refractory/counted.hpp>
#include <neuromorph/kernels/neurons/resets/subtraction.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/neurons/thresholds/adaptive.hpp>
#include <neuromorph/kernels/neurons/thresholds/none.hpp>
#include <neuromorph/kernels/neurons/thresholds/stochastic.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/uniform.hpp>

#include "tests/support/expected_digest.hpp"

using namespace neuromorph;

namespace {

constexpr std::size_t neurons = 67; // no multiple of any vector's length
constexpr std::uint32_t first = 1000;

constexpr membrane::Lif::Parameters lif{.tau_ms = 20.0, .r_mohm = 40.0, .v_rest_mv = -60.0};
constexpr membrane::Izhikevich::Parameters izhikevich{.i_offset = 3.0};
constexpr std::array<ReceptorWeights, 2> weights{ReceptorWeights{.largest = 0.2}, ReceptorWeights{.largest = 0.2}};
constexpr current::Amplitude list[]{{3, 150}, {40, -100}, {60, 20}};

template <class Model>
struct Run {
  std::array<Population<Model, neurons>, 2> both; // native, generic
  std::array<std::array<std::array<std::int32_t, neurons>, 2>, 2> sums;

  static constexpr std::size_t native = 0, generic = 1;
  bool operator()(const char* name, Digest& digest) {
    Sfc32 random(StreamId{4, 5, 6});
    std::uint32_t spikes = 0;
    for (std::uint32_t step = 0xFFFFFFF0U; step != 80; ++step) {
      // Words of all sizes now and then, and what they are at the ends.
      for (std::uint32_t change = 0; change < 6; ++change) {
        const std::size_t word = uniform_below(random, Model::word_count), neuron = uniform_below(random, neurons);
        auto value = static_cast<std::int32_t>(random.next()) >> (random.next() % 32);
        if (random.next() % 4 == 0) value = random.next() % 2 == 0 ? INT32_MAX : INT32_MIN;
        for (auto& one : both) one.words(word)[neuron] = value;
      }
      for (std::size_t receptor = 0; receptor < 2; ++receptor)
        for (std::int32_t& sum : sums[native][receptor])
          sum = random.next() % 8 == 0 ? uniform_between(random, 0, 60000) : 0;
      sums[generic] = sums[native];
      const auto fired = both[native].step(std::array{sums[native][0].data(), sums[native][1].data()}, step);
      const auto expected = both[generic].template step<target::Generic>(
          std::array{sums[generic][0].data(), sums[generic][1].data()}, step);
      bool is_same = std::equal(fired.begin(), fired.end(), expected.begin(), expected.end()) &&
                     both[native].saturations() == both[generic].saturations();
      for (std::size_t word = 0; word < Model::word_count; ++word) {
        const auto words = both[native].words(word), others = both[generic].words(word);
        is_same = is_same && std::equal(words.begin(), words.end(), others.begin());
        digest.add(std::span<const std::int32_t>{others});
      }
      for (const std::uint32_t neuron : expected) digest.add(neuron);
      spikes += static_cast<std::uint32_t>(expected.size());
      if (!is_same) {
        std::printf("%s differs in step %lu\n", name, static_cast<unsigned long>(step));
        return false;
      }
    }
    std::printf("%s: %lu spikes, %lu sums held\n", name, static_cast<unsigned long>(spikes),
                static_cast<unsigned long>(both[generic].saturations()));
    digest.add(both[generic].saturations());
    return true;
  }
};

/// Constants of the native one are the compiler's.
template <class Model, auto give>
bool run(const char* name, Digest& digest) {
  constexpr auto made = Model::make(give(), 0.1).value();
  static_assert(made.making.dt_ms == 0.1);
  volatile double dt_ms = 0.1;
  static Run<Model> one{
      {Population<Model, neurons>(made, first), Population<Model, neurons>(Model::make(give(), dt_ms).value(), first)},
      {}};
  return one(name, digest);
}

template <class Model>
constexpr typename Model::Parameters with_lif() {
  typename Model::Parameters given;
  given.membrane = lif;
  given.synapses.weights = weights;
  return given;
}

using Calcium =
    Neuron<membrane::Lif, synapse::Difference, refractory::Counted, adaptation::Calcium, rounding::Stochastic>;
using Rising = Neuron<membrane::Lif, synapse::Difference, threshold::Adaptive, reset::Subtraction, refractory::Counted,
                      current::Direct, rounding::Nearest>;
using Chance = Neuron<membrane::Lif, synapse::Difference, threshold::Stochastic, reset::Subtraction, current::Steps>;
using Late = Neuron<membrane::Lif, synapse::Difference, reset::LateSubtraction, adaptation::SpikeTriggered,
                    current::Alternating, current::WhiteNoise<NoiseOf::population>>;
using Readout = Neuron<membrane::Lif, synapse::Difference, threshold::None, current::WhiteNoise<>, current::Direct,
                       current::OrnsteinUhlenbeck<>>;
using Spiking = Neuron<membrane::Izhikevich, synapse::Difference, reset::None, refractory::Counted,
                       adaptation::SpikeTriggered, current::OrnsteinUhlenbeck<NoiseOf::population>>;

} // namespace

int main() {
  Digest digest;
  bool is_same = run<Calcium, [] {
    auto given = with_lif<Calcium>();
    given.adaptation.rise = 0.2;
    return given;
  }>("calcium", digest);
  is_same &= run<Rising, [] {
    auto given = with_lif<Rising>();
    given.threshold = {.v_mv = -55.0, .tau_ms = 30.0, .step_mv = 4.0};
    given.current.i_na = 0.7;
    return given;
  }>("adaptive threshold", digest);
  is_same &= run<Chance, [] {
    auto given = with_lif<Chance>();
    given.threshold.width_mv = 3.0;
    given.current.list = list;
    return given;
  }>("stochastic threshold", digest);
  is_same &= run<Late, [] {
    auto given = with_lif<Late>();
    given.current = {{.amplitude_na = 0.3, .offset_na = 0.5, .frequency_hz = 80.0}, {.stdev_na = 0.2}};
    return given;
  }>("late subtraction", digest);
  is_same &= run<Readout, [] {
    auto given = with_lif<Readout>();
    given.current = {{.stdev_na = 0.3}, {.i_na = -0.2, .first_step = 10}, {.tau_ms = 2.0, .stdev_na = 0.2}};
    return given;
  }>("read-out", digest);
  is_same &= run<Spiking, [] {
    Spiking::Parameters given;
    given.membrane = izhikevich;
    given.threshold.v_mv = 30.0;
    given.synapses.weights = {ReceptorWeights{.largest = 20.0}, ReceptorWeights{.largest = 20.0}};
    given.adaptation = {.tau_ms = 50.0, .rise = 2.0};
    given.current.stdev_na = 4.0;
    return given;
  }>("izhikevich", digest);
  return is_expected(digest, 0xa551ce45e9bd75e4) && is_same ? 0 : 1;
}
