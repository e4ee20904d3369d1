// SPDX-License-Identifier: BSL-1.0
// expect: an_s2pp_kernel_needs_more_than_32_registers_at_once
// lines: 30
// The unit has 32 registers, and no place for a value that finds none.
#include <cstdint>

#include <neuromorph/target/power/s2pp_kernel.hpp>

using namespace neuromorph::target;

struct Sum {
  static constexpr void describe(auto& unit) { unit.store(0, unit.memory(0) + unit.number(0)); }
};
constexpr auto fits = s2pp_program<Sum>();

#ifdef NEUROMORPH_KO
struct Wide {
  static constexpr void describe(auto& unit) {
    S2ppValue<std::int8_t> all[33] = {};
    for (auto& one : all) one = unit.memory(0);
    for (auto& one : all) unit.store(1, one);
  }
};
constexpr auto wide = s2pp_program<Wide>();
#endif

int main() { return fits.size == 4 ? 0 : 1; }
