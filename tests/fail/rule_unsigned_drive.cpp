// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the drive of a rule is std::int8_t lanes; see docs/rules.md
// whole: 15
#include <cstdint>

#include <neuromorph/kernels/plasticity/mask_wrapper.hpp>
#include <neuromorph/kernels/plasticity/rules/multiplicative.hpp>

using namespace neuromorph;

int main() {
  VectorArray<1> bytes;
#ifdef NEUROMORPH_KO
  using Drive = SameVectors<std::uint8_t>;
#else
  using Drive = SameVectors<std::int8_t>;
#endif
  MultiplicativeRule rule{PlainVectors(bytes), Drive(1)};
  const Mask<1, 1> mask;
  MaskWrapper wrapper(mask, rule);
  return wrapper.run().ok() ? 0 : 1;
}
