// SPDX-License-Identifier: BSL-1.0
// Lif with two time constants of synapses (population.hpp).
#include "population.hpp"
#include "tests/support/lif_cells.hpp"

using namespace neuromorph;

template <>
struct population::Kind<Lif<2>> {
  static constexpr std::int32_t membrane = -1, psp = 1 << 29;
  struct Full {
    std::array<std::int32_t, 2> psp, input;
  };
  static constexpr Full full(bool fire) {
    constexpr std::int32_t most = (1 << 30) - 1;
    return {{fire ? INT32_MAX : 0, fire ? 0 : INT32_MAX}, {most, most}};
  }
};

bool run() {
  static constinit auto made = made_of<Lif<2>>(two_tau_cell, 0.1, {0.5, 0.5, 16}).value();
  bool right = true;
  MEASURE_SIZES("population.lif2", Lif<2>, std::int32_t, *fresh(&made));
  return right;
}
