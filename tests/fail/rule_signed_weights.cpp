// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a rule's weights, and what it measures, are std::uint8_t lanes; see docs/rules.md
// whole: 15
#include <cstdint>

#include <neuromorph/kernels/plasticity/mask_wrapper.hpp>
#include <neuromorph/kernels/plasticity/rules/additive.hpp>

using namespace neuromorph;

int main() {
#ifdef NEUROMORPH_KO
  VectorArray<1, std::int8_t> bytes;
#else
  VectorArray<1> bytes;
#endif
  AdditiveRule rule{PlainVectors(bytes), SameVectors<std::int8_t>(1)};
  const Mask<1, 1> mask;
  MaskWrapper wrapper(mask, rule);
  return wrapper.run().ok() ? 0 : 1;
}
