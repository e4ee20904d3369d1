// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the source is a Result that nobody looked at: ask ok(), then pass value(); see docs/errors.md
// whole: 15
#include <neuromorph/kernels/plasticity/rules/random_walk.hpp>
#include <neuromorph/kernels/random/kiss32.hpp>

using namespace neuromorph;

int main() {
  VectorArray<1> weights;
  const auto source = Kiss32::with_state({});
#ifdef NEUROMORPH_KO
  const RandomWalkRule rule{PlainVectors(weights), source};
#else
  const RandomWalkRule rule{PlainVectors(weights), source.value()};
#endif
  return rule.check().ok() ? 0 : 1;
}
