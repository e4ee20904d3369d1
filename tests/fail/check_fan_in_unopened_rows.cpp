// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a Result is given where its value is asked for: ask ok(), then pass value(); see docs/errors.md
// whole: 15
#include <array>
#include <cstdint>

#include <neuromorph/kernels/synapses/synaptic_row.hpp>

using namespace neuromorph;
using Word = SynapticWord<8, 1, 4>;

int main() {
  std::array<std::uint32_t, 3> first{};
  std::array<std::uint32_t, 2> filled{};
  std::array<std::uint32_t, 8> sums{};
  auto builder = RowBuilder<Word>::from(first, filled, 4).value();
  if (!builder.place({})) return 1;
  const auto rows = builder.finish();
#ifdef NEUROMORPH_KO
  return check_fan_in<Word>(rows, 4, sums).ok() ? 0 : 1;
#else
  return check_fan_in<Word>(rows.value(), 4, sums).ok() ? 0 : 1;
#endif
}
