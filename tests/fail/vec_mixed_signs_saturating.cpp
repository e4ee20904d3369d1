// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: both vectors of an operation have the same Element: say a.as<Element>() of one, as the bits are the same; see docs/vectors.md
// whole: 15
#include <cstdint>

#include <neuromorph/vec.hpp>

using namespace neuromorph;

int main() {
  const Vec<std::uint8_t> weights(1);
  const Vec<std::int8_t> changes(1);
#ifdef NEUROMORPH_KO
  const auto sum = add_saturating(weights, changes);
#else
  const auto sum = add_saturating(weights, changes.as<std::uint8_t>());
#endif
  return static_cast<int>(sum.sum());
}
