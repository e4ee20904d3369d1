// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the wrapper would refer to a mask that is gone: name the mask; see docs/rules.md
// whole: 15
#include <neuromorph/kernels/plasticity/mask_wrapper.hpp>

using namespace neuromorph;

struct Rule {
  using Offers = offer::List<>;
  static VectorAddress vectors() { return unbounded_vectors; }
  void vector_rule(const MaskVector&, VectorAddress) {}
};

int main() {
  const TaggedMask<1> tags;
  TaggedMaskWrapper right(tags, 1, Rule{});
#ifdef NEUROMORPH_KO
  TaggedMaskWrapper wrong(TaggedMask<1>{}, 1, Rule{});
#endif
  return right.run().ok() ? 0 : 1;
}
