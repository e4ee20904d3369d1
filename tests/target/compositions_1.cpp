// SPDX-License-Identifier: BSL-1.0
// Compositions of all parts, list 1: the same bits on all backends and machines, and the equations' membranes and spikes.
#include "tests/support/composition_runs.hpp"
#include "tests/support/compositions.hpp"

int main() {
  using namespace neuromorph;
  bool is_right = true;
#define RUN(number, ...) is_right = compositions::run<Neuron<__VA_ARGS__>>(number) && is_right;
  COMPOSITIONS_1(RUN)
#undef RUN
  return is_right ? 0 : 1;
}
