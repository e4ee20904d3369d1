// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a memory of a rule is a Result that nobody looked at: ask ok(), then pass value(); see docs/errors.md
// whole: 15
#include <array>
#include <cstdint>

#include <neuromorph/kernels/plasticity/mask_wrapper.hpp>
#include <neuromorph/kernels/plasticity/rules/constant.hpp>

using namespace neuromorph;

int main() {
  alignas(16) std::array<std::uint8_t, 32> bytes{};
  const auto weights = PlainVectors<>::over(bytes);
#ifdef NEUROMORPH_KO
  ConstantRule rule{weights, 3};
#else
  ConstantRule rule{weights.value(), 3};
#endif
  const Mask<1, 1> mask;
  MaskWrapper wrapper(mask, rule);
  return wrapper.run().ok() ? 0 : 1;
}
