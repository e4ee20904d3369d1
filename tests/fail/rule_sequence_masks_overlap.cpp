// SPDX-License-Identifier: BSL-1.0
// expect: masks_of_one_sequence_share_a_synapse_say_later_wins_or_mend_them
// Lane 7 is in both masks.
#include <neuromorph/kernels/plasticity/rule_sequence.hpp>

using namespace neuromorph;

struct Rule {
  using Offers = offer::List<>;
  static VectorAddress vectors() { return unbounded_vectors; }
  void vector_rule(const MaskVector&, VectorAddress) {}
};

constexpr auto first = make_mask<SynapseSet<1, 16>::where([](auto, auto column) { return column < 8; })>();
constexpr auto last = make_mask<SynapseSet<1, 16>::where([](auto, auto column) { return column >= 7; })>();

#ifdef NEUROMORPH_KO
constinit RuleSequence rules(MaskWrapper(first, Rule{}), MaskWrapper(last, Rule{}));
#else
constinit RuleSequence rules(later_wins, MaskWrapper(first, Rule{}), MaskWrapper(last, Rule{}));
#endif

int main() { return rules.run().ok() ? 0 : 1; }
