// SPDX-License-Identifier: BSL-1.0
// expect: a lane of S2PP is an std::int8_t or an std::int16_t
// lines: 30
// The unit has lanes of bytes and halfwords, with signs.
#include <cstdint>

#include <neuromorph/target/power/s2pp_kernel.hpp>

using namespace neuromorph::target;

struct Sum {
  static constexpr void describe(auto& unit) { unit.store(0, unit.memory(0) + unit.number(0)); }
};
constexpr auto fits = s2pp_program<Sum>();

#ifdef NEUROMORPH_KO
struct Wrong {
  static constexpr void describe(auto& unit) {
    unit.store(0, unit.template memory<std::int32_t>(0) + unit.template number<std::int32_t>(0));
  }
};
constexpr auto wrong = s2pp_program<Wrong>();
#endif

int main() { return fits.size == 4 ? 0 : 1; }
