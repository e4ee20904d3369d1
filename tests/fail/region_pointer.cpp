// SPDX-License-Identifier: BSL-1.0
// expect: a member of a region is a number of at most 32 bits
#include <neuromorph/runtime/region.hpp>

struct Right {
  std::uint32_t at;
  using Fields = neuromorph::runtime::Fields<&Right::at>;
};
std::size_t right = neuromorph::runtime::Region<Right>::bytes();

#ifdef NEUROMORPH_KO
struct Wrong {
  const int* at;
  using Fields = neuromorph::runtime::Fields<&Wrong::at>;
};
std::size_t wrong = neuromorph::runtime::Region<Wrong>::bytes();
#endif

int main() { return 0; }
