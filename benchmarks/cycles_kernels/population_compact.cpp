// SPDX-License-Identifier: BSL-1.0
// CompactLif with 32-bit words (population.hpp).
#include "population.hpp"
#include "tests/support/lif_cells.hpp"

using namespace neuromorph;

template <>
struct population::Kind<CompactLif<>> {
  static constexpr bool is_bounded = false; // its words have room for what its parameters allow
  static constexpr std::int32_t membrane = -1000, psp = 1 << 26;
};

bool run() {
  const auto made = CompactLif<>::parameters(one_tau_cell, fresh(0.1), {0.05, 0.05, 15}, {0.2, 20});
  bool right = made.ok();
  MEASURE_SIZES("population.compact", CompactLif<>, std::int32_t, made.value());
  return right;
}
