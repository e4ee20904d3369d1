// SPDX-License-Identifier: BSL-1.0
// expect: an_s2pp_shift_is_by_0_to_15_bits
// lines: 30
// The field of a shift has five bits, with a sign.
#include <cstdint>

#include <neuromorph/target/power/s2pp_kernel.hpp>

using namespace neuromorph::target;

struct Sum {
  static constexpr void describe(auto& unit) { unit.store(0, unit.memory(0) + unit.number(0)); }
};
constexpr auto fits = s2pp_program<Sum>();

#ifdef NEUROMORPH_KO
struct Shift {
  static constexpr void describe(auto& unit) { unit.store(0, unit.memory(0) << 16); }
};
constexpr auto shift = s2pp_program<Shift>();
#endif

int main() { return fits.size == 4 ? 0 : 1; }
