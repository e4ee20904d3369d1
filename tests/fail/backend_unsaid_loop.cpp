// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a backend has a loop that its 'Offers' lacks; the second argument of has_loop names it
// expect: offer::FillSfc32
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct Mine : target::Generic {
#ifdef NEUROMORPH_KO
  // the list of Generic speaks for Generic
  template <class State>
  static void fill_sfc32(State& state, std::uint32_t* to, std::size_t count) {
    for (; count != 0; --count) *to++ = state.a + state.b + state.counter;
  }
#else
  using Offers = offer::List<Generic::Offers, offer::FillSfc32>;
  template <class State>
  static void fill_sfc32(State& state, std::uint32_t* to, std::size_t count) {
    for (; count != 0; --count) *to++ = state.a + state.b + state.counter;
  }
#endif
};

int main() {
  Sfc32 source;
  std::array<std::uint32_t, 4> words{};
  source.fill<Mine>(words);
  return words[0] == Sfc32().next() ? 0 : 1;
}
