// SPDX-License-Identifier: BSL-1.0
// expect: of a struct of a region have another order than its members
#include <neuromorph/runtime/region.hpp>

struct Right {
  std::uint32_t first, second;
  using Fields = neuromorph::runtime::Fields<&Right::first, &Right::second>;
};
std::size_t right = neuromorph::runtime::Region<Right>::bytes();

#ifdef NEUROMORPH_KO
struct Wrong {
  std::uint32_t first, second;
  using Fields = neuromorph::runtime::Fields<&Wrong::second, &Wrong::first>;
};
std::size_t wrong = neuromorph::runtime::Region<Wrong>::bytes();
#endif

int main() { return 0; }
