// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a description lacks 'using Offers', 'offer::List<>' or
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct Coin {
#ifdef NEUROMORPH_KO
  template <Error why>
  static consteval void refuses() {
    static_assert(why == Error::none, "this coin has no sides");
  }
#else
  using Offers = offer::List<>;
#endif
  static constexpr Result<Cumulative> cumulative() { return Poisson(1.6).cumulative(); }
};

int main() {
  Sfc32 source;
  return word_table<Coin{}>.draw(source) < 30 ? 0 : 1;
}
