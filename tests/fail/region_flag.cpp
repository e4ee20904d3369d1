// SPDX-License-Identifier: BSL-1.0
// expect: a member of a region is a number of at most 32 bits
#include <neuromorph/runtime/region.hpp>

struct Right {
  std::uint8_t is_on;
  using Fields = neuromorph::runtime::Fields<&Right::is_on>;
};
std::size_t right = neuromorph::runtime::Region<Right>::bytes();

#ifdef NEUROMORPH_KO
struct Wrong {
  bool is_on;
  using Fields = neuromorph::runtime::Fields<&Wrong::is_on>;
};
std::size_t wrong = neuromorph::runtime::Region<Wrong>::bytes();
#endif

int main() { return 0; }
