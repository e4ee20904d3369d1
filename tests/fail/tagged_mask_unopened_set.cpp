// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the set is a Result that nobody looked at: ask ok(), then pass value(); see docs/errors.md
// whole: 15
#include <array>

#include <neuromorph/kernels/plasticity/tagged_mask.hpp>

using namespace neuromorph;

int main() {
  constexpr std::array<SynapsePlace, 2> places{{{0, 3}, {1, 1}}};
  const auto set = SynapseSet<4, 20>::from_list(places);
  TaggedMask<8> tags;
#ifdef NEUROMORPH_KO
  return tags.set(set, 3).ok() ? 0 : 1;
#else
  return tags.set(set.value(), 3).ok() ? 0 : 1;
#endif
}
