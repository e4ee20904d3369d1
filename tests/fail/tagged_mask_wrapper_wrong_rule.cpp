// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Rule lacks 'void vector_rule(MaskVector const&, VectorAddress)'; see docs/rules.md
#include <neuromorph/kernels/plasticity/mask_wrapper.hpp>

using namespace neuromorph;

#ifdef NEUROMORPH_KO
struct Rule {
  static VectorAddress vectors() { return unbounded_vectors; }
};
#else
struct Rule {
  using Offers = offer::List<>;
  static VectorAddress vectors() { return unbounded_vectors; }
  void vector_rule(MaskVector, VectorAddress) {}
};
#endif

constexpr TaggedMask<1> tags;

int main() {
  TaggedMaskWrapper wrapper(tags, 0, Rule{});
  return wrapper.run().ok() ? 0 : 1;
}
