// SPDX-License-Identifier: BSL-1.0
// CompactLif with one time constant (population.hpp).
#include "population.hpp"
#include "tests/support/lif_cells.hpp"

using namespace neuromorph;

template <>
struct population::Kind<CompactLif<>> {
  static constexpr std::int32_t membrane = -1, psp = 1 << 29;
  struct Full {
    std::array<std::int32_t, 1> psp;
    std::array<std::int32_t, 1> input;
  };
  static constexpr Full full(bool fire) {
    constexpr std::int32_t most = (1 << 30) - 1;
    return fire ? Full{{INT32_MAX}, {most}} : Full{{INT32_MIN}, {-most}};
  }
};

bool run() {
  static constinit auto made = made_of<CompactLif<>>(one_tau_cell, 0.1, {0.5, 0.5, 20}).value();
  bool right = true;
  MEASURE_SIZES("population.compact", CompactLif<>, std::int32_t, *fresh(&made));
  return right;
}
