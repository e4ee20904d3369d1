// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a description offers 'Refuse' and lacks 'template <Error> static consteval void refuse()'
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct Coin {
#ifdef NEUROMORPH_KO
  using Offers = offer::List<offer::Refuse>;
  template <Error why>
  static consteval void refuses() {
    static_assert(why == Error::none, "this coin has no sides");
  }
#else
  using Offers = offer::List<offer::Refuse>;
  template <Error why>
  static consteval void refuse() {
    static_assert(why == Error::none, "this coin has no sides");
  }
#endif
  static constexpr Result<Cumulative> cumulative() { return Poisson(1.6).cumulative(); }
};

int main() {
  Sfc32 source;
  return word_table<Coin{}>.draw(source) < 30 ? 0 : 1;
}
