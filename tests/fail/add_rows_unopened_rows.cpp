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
  const std::array<std::uint32_t, 1> fired{0};
  auto builder = RowBuilder<Word>::from(first, filled, 4).value();
  if (!builder.place({})) return 1;
  const auto rows = builder.finish();
  RingBuffer<Word, std::int32_t> ring;
#ifdef NEUROMORPH_KO
  return static_cast<int>(add_rows(ring, rows, fired, 0));
#else
  return static_cast<int>(add_rows(ring, rows.value(), fired, 0));
#endif
}
