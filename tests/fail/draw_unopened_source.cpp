// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the source is a Result that nobody looked at: ask ok(), then pass value(); see docs/errors.md
// whole: 15
#include <neuromorph/kernels/random/jkiss64.hpp>
#include <neuromorph/kernels/random/word_table.hpp>

using namespace neuromorph;

int main() {
  auto source = Jkiss64::with_state({});
#ifdef NEUROMORPH_KO
  return static_cast<int>(word_table<Poisson(1.6)>.draw(source));
#else
  return static_cast<int>(word_table<Poisson(1.6)>.draw(source.value()));
#endif
}
