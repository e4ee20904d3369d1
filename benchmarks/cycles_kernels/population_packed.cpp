// SPDX-License-Identifier: BSL-1.0
// PackedLif (population.hpp).
#include "cell.hpp"
#include "population.hpp"

using namespace neuromorph;

template <>
struct population::Kind<PackedLif> {
  static constexpr std::int32_t membrane = -1, psp = 30000;
  struct Full {
    std::array<std::int32_t, 1> psp;
    std::array<std::int32_t, 2> input;
  };
  /// Excitation in the lower half, inhibition in the upper.
  static constexpr Full full(bool fire) {
    return {{fire ? 0x0400'FFFF : static_cast<std::int32_t>(0xFFFF'0400)}, {65535, 65535}};
  }
};

bool run() {
  static constinit auto made = [] {
    PackedLif::Parameters quiet = cuba::cell; // without the drive, by which it would fire more often
    quiet.membrane.v_rest_mv = quiet.reset.v_mv;
    return PackedLif::make(quiet, 0.1).value();
  }();
  bool right = true;
  MEASURE_SIZES("population.packed", PackedLif, std::uint16_t, *fresh(&made));
  return right;
}
