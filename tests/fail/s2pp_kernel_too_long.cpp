// SPDX-License-Identifier: BSL-1.0
// expect: an_s2pp_kernel_has_more_than_96_steps
// lines: 30
// A kernel is unrolled into as many statements as it has steps.
#include <cstdint>

#include <neuromorph/target/power/s2pp_kernel.hpp>

using namespace neuromorph::target;

struct Sum {
  static constexpr void describe(auto& unit) { unit.store(0, unit.memory(0) + unit.number(0)); }
};
constexpr auto fits = s2pp_program<Sum>();

#ifdef NEUROMORPH_KO
struct Long {
  static constexpr void describe(auto& unit) {
    auto sum = unit.memory(0);
    for (int at = 0; at < 100; ++at) sum = sum + sum;
    unit.store(1, sum);
  }
};
constexpr auto too_long = s2pp_program<Long>();
#endif

int main() { return fits.size == 4 ? 0 : 1; }
