// SPDX-License-Identifier: BSL-1.0
// Prints the tables of docs/sources.md on memory and random bits.
#include <cstdio>

#include <neuromorph/kernels/random/alias_table.hpp>
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

namespace {

template <auto description>
void of_rate(const char* rate) {
  constexpr Cumulative distribution = description.cumulative().value();
  const auto shape = PairShape::of(distribution);
  std::printf("| %s | %u | %u | %u | %u |\n", rate, unsigned(distribution.outcomes),
              unsigned(byte_table<description>.escape_cells()), unsigned(pair_table<description>.escape_cells()),
              unsigned(shape.listed));
}

} // namespace

int main() {
  const auto& words = word_table<Poisson(1.6)>;
  const auto& bytes = byte_table<Poisson(1.6)>;
  const auto& pairs = pair_table<Poisson(1.6)>;
  const unsigned of_256 = bytes.escape_cells(), of_1024 = pairs.escape_cells();
  std::printf(
      "| | values per word | random bits per value | memory | at rate 1.6 | for |\n|---|---|---|---|---|---|\n"
      "| `word_table` | 1 | 32 | 8 bytes per outcome; from 33 outcomes on 256 more | %zu bytes | any distribution, "
      "single draws |\n",
      sizeof words);
  std::printf(
      "| `byte_table` | 4 | 8 + 32 e / 256 | 264 bytes, and 9 per outcome | %zu bytes; e = %u: %.1f bits | blocks: "
      "the usual choice |\n",
      sizeof bytes, of_256, 8 + 32.0 * of_256 / 256);
  std::printf(
      "| `pair_table` | 6 | 16/3 + 16 e / 1024 | 2 KB, 8 per outcome, 12 per listed pair | %zu bytes; e = %u: %.1f "
      "bits | many values of low rates |\n",
      sizeof pairs, of_1024, 16 / 3.0 + 16.0 * of_1024 / 1024);
  std::printf("| `alias_table` | 2 | 16 + 64 c / 65536 | 14 bytes for each of c cells: 32, 64 or 128 | %zu bytes; c = "
              "32: %.2f bits "
              "| up to 128 outcomes in vectors, from `Sfc32x16` |\n\n",
              sizeof alias_table<Poisson(1.6)>, 16 + 64 * 32.0 / 65536);

  std::printf("| Poisson rate | outcomes | escapes of 256 | escapes of 1024 pairs | pairs listed behind them |\n"
              "|---|---|---|---|---|\n");
  of_rate<Poisson(0.1)>("0.1");
  of_rate<Poisson(1.2)>("1.2");
  of_rate<Poisson(1.6)>("1.6");
  of_rate<Poisson(5)>("5");
  of_rate<Poisson(20)>("20");
  // A pair table of this rate is refused, by a static_assert.
  const auto distribution = Poisson(64).cumulative().value();
  const auto shape = PairShape::of(distribution);
  if (PairTable<1, 1, 1>::suits(shape)) return 1;
  std::printf("| 64 | %u | %u | %u: refused | |\n", unsigned(distribution.outcomes),
              unsigned(byte_table<Poisson(64)>.escape_cells()), unsigned(1024 - shape.whole_cells));
  return 0;
}
