// SPDX-License-Identifier: BSL-1.0
// A core of LIF neurons without any input or output of a program: what the library itself takes.
#include <cstdint>
#include <span>

#include <neuromorph/neuromorph.hpp>

namespace {
using namespace neuromorph;
constexpr LifCell cell{.c_m_nf = 0.25};
constexpr auto parameters = Lif<>::parameters(cell, 0.1).value();
RingBuffer<SynapticWord<8, 1, 4>, std::uint16_t> ring;
Population<Lif<>, 250> neurons(parameters, parameters.constants.reset);
volatile std::uint32_t row_words[2], fired;
} // namespace

int main() {
  for (std::uint32_t tick = 0; tick < 100; ++tick) {
    fired = static_cast<std::uint32_t>(neurons.step(ring, tick).size());
    const std::uint32_t row[2] = {row_words[0], row_words[1]};
    add_row(ring, std::span<const std::uint32_t>{row}, tick);
  }
  return 0;
}
