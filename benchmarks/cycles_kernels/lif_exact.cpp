// SPDX-License-Identifier: BSL-1.0
// PackedLif, and Lif with shared constants (lif_exact.hpp).
#include "lif_exact.hpp"

using namespace lif_exact;

bool run() {
  bool right = MEASURE_FORM("lif.packed", 250, Native, PackedLif, 250, std::uint16_t);
  right = MEASURE_FORM("lif.packed.generic", 250, Generic, PackedLif, 250, std::uint16_t) && right;
  MEASURE_LIF("lif.two.shared", Lif<2>);
  MEASURE_LIF("lif.one.shared", Lif<1>);
  return right;
}
