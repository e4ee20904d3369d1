// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Source lacks 'std::uint32_t next()'; see docs/random.md
// Values are drawn from a source of random words.
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/word_table.hpp>
int right(neuromorph::Sfc32& source) {
  return static_cast<int>(neuromorph::word_table<neuromorph::Poisson(2)>.draw(source));
}

#ifdef NEUROMORPH_KO
int wrong(int& source) { return static_cast<int>(neuromorph::word_table<neuromorph::Poisson(2)>.draw(source)); }
#endif

int main() { return 0; }
