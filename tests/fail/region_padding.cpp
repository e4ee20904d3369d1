// SPDX-License-Identifier: BSL-1.0
// expect: a struct of a region has padding, or a member that its
#include <neuromorph/runtime/region.hpp>

struct Right {
  std::uint32_t word;
  std::uint16_t half, unused;
  using Fields = neuromorph::runtime::Fields<&Right::word, &Right::half, &Right::unused>;
};
std::size_t right = neuromorph::runtime::Region<Right>::bytes();

#ifdef NEUROMORPH_KO
struct Wrong {
  std::uint32_t word;
  std::uint16_t half;
  using Fields = neuromorph::runtime::Fields<&Wrong::word, &Wrong::half>;
};
std::size_t wrong = neuromorph::runtime::Region<Wrong>::bytes();
#endif

int main() { return 0; }
