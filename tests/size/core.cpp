// SPDX-License-Identifier: BSL-1.0
// A core of LIF neurons without any input or output of a program: what the library itself takes.
#include <cstdint>
#include <span>

#include <neuromorph/neuromorph.hpp>

namespace {
using namespace neuromorph;
constexpr auto made = Lif<>::make({.membrane = {.c_nf = 0.25}, .synapses = {{5.0, 5.0}}}, 0.1).value();
RingBuffer<SynapticWord<8, 1, 4>, std::uint16_t> ring;
constinit Population<Lif<>, 250> neurons(made);
volatile std::uint32_t row_words[2], fired;
} // namespace

int main() {
  for (std::uint32_t step_number = 0; step_number < 100; ++step_number) {
    fired = static_cast<std::uint32_t>(neurons.step(ring, step_number).size());
    const std::uint32_t row[2] = {row_words[0], row_words[1]};
    add_row(ring, std::span<const std::uint32_t>{row}, step_number);
  }
  return 0;
}
