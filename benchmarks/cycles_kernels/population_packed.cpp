// SPDX-License-Identifier: BSL-1.0
// PackedLif (population.hpp).
#include "cell.hpp"
#include "population.hpp"

using namespace neuromorph;

template <>
struct population::Kind<PackedLif> {
  static constexpr bool is_bounded = true;
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
  LifCell quiet = cuba::cell; // without the drive, by which it would fire more often
  quiet.v_rest_mv = quiet.v_reset_mv;
  const auto made = PackedLif::parameters(quiet, fresh(0.1), cuba::weight_range);
  bool right = made.ok();
  MEASURE_SIZES("population.packed", PackedLif, std::uint16_t, made.value());
  return right;
}
