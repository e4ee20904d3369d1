// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Rule lacks 'VectorAddress vectors() const', how far a mask may reach ('unbounded_vectors': anywhere); see docs/rules.md
// lines: 12
#include <neuromorph/kernels/plasticity/vector_rule.hpp>

using namespace neuromorph;

struct Rule {
  using Offers = offer::List<>;
#ifndef NEUROMORPH_KO
  static VectorAddress vectors() { return unbounded_vectors; }
#endif
  void vector_rule(const MaskVector&, VectorAddress) {}
};

int main() {
  Rule rule;
  return apply_vector_rule(rule, 0, 1).ok() ? 0 : 1;
}
