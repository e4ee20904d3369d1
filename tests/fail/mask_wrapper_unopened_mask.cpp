// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the mask is a Result that nobody looked at: ask ok(), then pass value(); see docs/errors.md
// whole: 15
#include <neuromorph/kernels/plasticity/mask_wrapper.hpp>

using namespace neuromorph;

struct Rule {
  using Offers = offer::List<>;
  static VectorAddress vectors() { return unbounded_vectors; }
  void vector_rule(const MaskVector&, VectorAddress) {}
};

int main() {
  const auto mask = Mask<1, 1>::from(SynapseSet<1, 16>::all());
#ifdef NEUROMORPH_KO
  MaskWrapper wrapper(mask, Rule{});
#else
  MaskWrapper wrapper(mask.value(), Rule{});
#endif
  return wrapper.run().ok() ? 0 : 1;
}
