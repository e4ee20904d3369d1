// SPDX-License-Identifier: BSL-1.0
// Lif with one time constant of synapses (population.hpp).
#include "population.hpp"
#include "tests/support/lif_cells.hpp"

using namespace neuromorph;

template <>
struct population::Kind<Lif<1>> {
  static constexpr std::int32_t membrane = -1, psp = 1 << 29;
  struct Full {
    std::array<std::int32_t, 1> psp;
    std::array<std::int32_t, 2> input;
  };
  static constexpr Full full(bool fire) {
    constexpr std::int32_t most = (1 << 30) - 1;
    return fire ? Full{{INT32_MAX}, {most, 0}} : Full{{INT32_MIN}, {0, most}};
  }
};

bool run() {
  static constinit auto made = made_of<Lif<1>>(one_tau_cell, 0.1, {0.5, 0.5, 16}).value();
  bool right = true;
  MEASURE_SIZES("population.lif1", Lif<1>, std::int32_t, *fresh(&made));
  return right;
}
