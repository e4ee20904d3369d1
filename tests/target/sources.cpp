// SPDX-License-Identifier: BSL-1.0
// Sources of spikes: Poisson at rates that change, by a function, and from a list; into neurons. One digest of it all, the same on
// every machine.
#include <array>
#include <cstdint>

#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/random/poisson_sources.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/spike_list.hpp>

#include "tests/support/expected_digest.hpp"

using namespace neuromorph;

namespace {

using Model = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::InMembrane>;
using Ladder = PoissonLadder<-4, 4>;
constexpr std::size_t count = 50;

constexpr auto made =
    Model::make({.membrane = {.c_nf = 0.25}, .synapses = {{5.0, 10.0}, {{{.largest = 0.1}, {.largest = 0.1}}}}}, 0.1)
        .value();
constinit Population<Model, count> population(made);
constinit RingBuffer<SynapticWord<6, 1, 4>, std::int16_t> ring;
constinit PoissonSources<count, 60, Ladder> sources;
constinit SpikeList<3> list;

constexpr std::array<std::uint32_t, 9> steps{5, 6, 900, 0, 5, 70, 71, 1500, 4000000000};
constexpr std::array<std::uint32_t, 4> first{0, 3, 4, 9};

} // namespace

int main() {
  Digest digest;
  Sfc32 random(StreamId{4, 3, 2}), rates_of(StreamId{4, 3, 3});
  std::array<std::uint32_t, count> rates{};
  std::array<std::uint8_t, count> counts{};
  if (!list.play({steps, first})) return 1;
  const auto weight = static_cast<std::int32_t>(Model::weight(made, 0, 0.02).value());
  for (std::uint32_t step = 0; step < 2000; ++step) {
    if (step % 50 == 0)
      for (std::size_t neuron = 0; neuron < count; ++neuron) {
        rates[neuron] = (rates_of.next() >> (rates_of.next() % 20)) & (Ladder::highest_rate - 1);
        if (!sources.set(neuron, static_cast<double>(neuron) * 0.01)) return 1;
      }
    Ladder::fill(random, rates, counts);
    population.add_events(ring, step, 0, counts, weight);
    digest.add(std::span<const std::uint8_t>{counts});
    digest.add(sources.step(random));
    digest.add(sources.step(random, [step](std::uint32_t source) { return (step << 17) * (source % 8); }));
    digest.add(list.step(step));
    digest.add(population.step(ring, step));
  }
  for (std::size_t word = 0; word < Model::word_count; ++word)
    digest.add(std::span<const std::int32_t>{population.words(word)});
  digest.add(sources.lost());
  digest.add(sources.held());
  digest.add(population.input_saturations());
  digest.add(population.saturations());
  const bool has_run = sources.lost() != 0 && sources.held() != 0 && list.late() == 0 && !list.is_over();
  return is_expected(digest, 0x962bac5bc6f99155) && has_run ? 0 : 1;
}
