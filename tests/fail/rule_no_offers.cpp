// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Rule lacks 'using Offers', an offer::List of what it has of 'RuleTarget', 'RuleCheck' and
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct Rule {
#ifdef NEUROMORPH_KO
  static Status checks() { return {}; }
#else
  using Offers = offer::List<>;
#endif
  static VectorAddress vectors() { return unbounded_vectors; }
  template <class Lanes>
  void vector_rule(const Lanes&, VectorAddress) {}
};

int main() {
  Rule rule;
  return apply_vector_rule(rule, 0, 1).ok() ? 0 : 1;
}
