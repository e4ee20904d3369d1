// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Rule lacks 'void vector_rule(MaskVector const&, VectorAddress)'; see docs/rules.md
// whole: 15
#include <neuromorph/kernels/plasticity/mask_wrapper.hpp>

using namespace neuromorph;

#ifdef NEUROMORPH_KO
struct Rule {
  using Offers = offer::List<>;
  static VectorAddress vectors() { return unbounded_vectors; }
  void vector_rule(VectorAddress) {}
};
#else
struct Rule {
  using Offers = offer::List<>;
  static VectorAddress vectors() { return unbounded_vectors; }
  void vector_rule(const MaskVector&, VectorAddress) {}
};
#endif

constexpr Mask<1, 1> mask;

int main() {
  MaskWrapper wrapper(mask, Rule{});
  return wrapper.run().ok() ? 0 : 1;
}
