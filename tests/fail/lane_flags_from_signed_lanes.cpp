// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: LaneFlags are made from unsigned lanes of their width, as from a.as<std::uint8_t>(); see
// docs/vectors.md lines: 12
#include <neuromorph/vec.hpp>

using Signed = neuromorph::Vec<std::int8_t>;

int main() {
  const Signed lanes(0);
#ifdef NEUROMORPH_KO
  const auto flags = Signed::Flags::nonzero(lanes);
#else
  const auto flags = Signed::Flags::nonzero(lanes.as<std::uint8_t>());
#endif
  return flags.any() ? 1 : 0;
}
