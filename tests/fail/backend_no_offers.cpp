// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a backend, or its Vectors, lacks 'using Offers', an offer::List of the loops that it has
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct Mine : target::Generic {
#ifdef NEUROMORPH_KO
  using Offers = void;
#else
  using Offers = offer::List<>;
#endif
};

int main() {
  Sfc32 source;
  std::array<std::uint32_t, 4> words{};
  source.fill<Mine>(words);
  return words[0] == Sfc32().next() ? 0 : 1;
}
