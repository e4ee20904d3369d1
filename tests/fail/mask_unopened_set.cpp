// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the set is a Result that nobody looked at: ask ok(), then pass value(); see docs/errors.md
// whole: 15
#include <array>

#include <neuromorph/kernels/plasticity/mask.hpp>

using namespace neuromorph;

int main() {
  constexpr std::array<SynapsePlace, 2> places{{{0, 3}, {1, 1}}};
  const auto set = SynapseSet<4, 20>::from_list(places);
#ifdef NEUROMORPH_KO
  const auto mask = Mask<1, 4>::from(set);
#else
  const auto mask = Mask<1, 4>::from(set.value());
#endif
  return mask.ok() ? 0 : 1;
}
