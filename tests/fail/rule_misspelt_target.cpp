// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Rule offers 'RuleTarget' and lacks 'using Target', a backend; see docs/rules.md
// whole: 15
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct Rule {
#ifdef NEUROMORPH_KO
  using Offers = offer::List<offer::RuleTarget, offer::RuleCheck, offer::VectorsAtOnce>;
  static Status check() { return {}; }
  static constexpr std::size_t vectors_at_once = 1;
  using Machine = target::Generic;
#else
  using Offers = offer::List<offer::RuleTarget, offer::RuleCheck, offer::VectorsAtOnce>;
  static Status check() { return {}; }
  static constexpr std::size_t vectors_at_once = 1;
  using Target = target::Generic;
#endif
  static VectorAddress vectors() { return unbounded_vectors; }
  template <class Lanes>
  void vector_rule(const Lanes&, VectorAddress) {}
};

int main() {
  Rule rule;
  return apply_vector_rule(rule, 0, 1).ok() ? 0 : 1;
}
