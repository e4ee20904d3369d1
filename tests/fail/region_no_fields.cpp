// SPDX-License-Identifier: BSL-1.0
// expect: the head of a region is a struct with 'Fields'
#include <neuromorph/runtime/region.hpp>

struct Right {
  std::uint32_t first;
  using Fields = neuromorph::runtime::Fields<&Right::first>;
};
std::size_t right = neuromorph::runtime::Region<Right>::bytes();

#ifdef NEUROMORPH_KO
struct Wrong {
  std::uint32_t first;
};
std::size_t wrong = neuromorph::runtime::Region<Wrong>::bytes();
#endif

int main() { return 0; }
