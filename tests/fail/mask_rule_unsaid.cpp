// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Rule has 'vectors_at_once', and its 'Offers' lacks 'offer::VectorsAtOnce'; see docs/rules.md
// whole: 15
#include <neuromorph/kernels/plasticity/mask.hpp>
#include <neuromorph/kernels/plasticity/tagged_mask.hpp>

using namespace neuromorph;

struct Rule {
  static constexpr std::size_t vectors_at_once = 2;
#ifdef NEUROMORPH_KO
  using Offers = offer::List<>;
#else
  using Offers = offer::List<offer::VectorsAtOnce>;
#endif
  template <class Lanes>
  void vector_rule(const Lanes&, VectorAddress) {}
};

int main() {
  constexpr Mask<1, 1> mask;
  constexpr TaggedMask<1> tags;
  Rule rule;
  mask.apply_vector_rule(rule);
  tags.apply_vector_rule(rule, 0);
}
