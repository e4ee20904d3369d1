// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the source is a Result that nobody looked at: ask ok(), then pass value(); see docs/errors.md
// whole: 15
#include <array>
#include <cstdint>

#include <neuromorph/kernels/random/jkiss64.hpp>
#include <neuromorph/kernels/random/word_table.hpp>

using namespace neuromorph;

int main() {
  auto source = Jkiss64::with_state({});
  std::array<std::uint8_t, 48> values{};
#ifdef NEUROMORPH_KO
  word_table<Poisson(1.6)>.fill(source, values);
#else
  word_table<Poisson(1.6)>.fill(source.value(), values);
#endif
  return values[0];
}
