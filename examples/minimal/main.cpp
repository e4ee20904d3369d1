// SPDX-License-Identifier: BSL-1.0
// A pulse runs round a ring of 100 LIF neurons: each one excites the next and inhibits itself.
#include <array>
#include <cstdio>

#include <neuromorph/neuromorph.hpp>

namespace nm = neuromorph;
using Model = nm::Lif<2>;               // one time constant for excitation, one for inhibition
using Word = nm::SynapticWord<8, 1, 4>; // up to 256 neurons, 2 receptors, delays of 1 to 16 steps

constexpr auto made =
    Model::make({.membrane = {.tau_ms = 20.0, .c_nf = 0.25},
                 .synapses = {.tau_ms = {5.0, 10.0}, .weights = {{{.largest = 1.5}, {.largest = 1.5}}}}},
                1.0);
static_assert(made.ok()); // the compiler has computed the constants for a step of 1 ms
constexpr auto excitation = Model::weight(made.value(), /* receptor */ 0, 1.5);
constexpr auto inhibition = Model::weight(made.value(), /* receptor */ 1, 1.5);

constinit nm::RingBuffer<Word> ring;
constinit nm::Population<Model, 100> neurons(made.value());

int main() {
  std::array<std::array<std::uint32_t, 2>, 100> rows{}; // the synapses of each neuron
  for (std::uint32_t pre = 0; pre < rows.size(); ++pre) {
    const auto next = Word::encode({int(excitation.value()), /* delay */ 3, /* type */ 0, (pre + 1) % 100});
    const auto self = Word::encode({int(inhibition.value()), /* delay */ 1, /* type */ 1, pre});
    if (!next || !self) return 1; // next.status() says what is wrong
    rows[pre] = {next.value(), self.value()};
  }
  std::uint32_t spikes = 0;
  nm::add_row(ring, rows[99], 0); // a spike of neuron 99 at step 0 starts the pulse
  for (std::uint32_t step = 1; step <= 1000; ++step)
    for (const auto neuron : neurons.step(ring, step)) {
      nm::add_row(ring, rows[neuron], step);
      if (neuron != spikes++ % 100) return 1; // out of turn
    }
  std::printf("%u spikes in 1 s, %u saturations\n", unsigned(spikes), unsigned(neurons.saturations()));
  return spikes == 125 && std::fflush(stdout) == 0 ? 0 : 1; // a full disk, too, is a failure
}
