// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Source has 'fill', and its 'Offers' lacks 'offer::Fill'; see docs/random.md
// expect: neuromorph: Source has 'draw_inside', and its 'Offers' lacks 'offer::DrawInside'; see docs/random.md
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct Source {
#ifdef NEUROMORPH_KO
  using Offers = offer::List<>;
  void fill(std::span<std::uint32_t> words) {
    for (std::uint32_t& word : words) word = next();
  }
  template <class Loop>
  void draw_inside(Loop) {}
#else
  using Offers = offer::List<offer::Fill>;
  void fill(std::span<std::uint32_t> words) {
    for (std::uint32_t& word : words) word = next();
  }
#endif
  std::uint32_t state = 0;
  std::uint32_t next() { return state += 0x9E37'79B9U; }
};

int main() {
  Source source;
  std::array<std::uint8_t, 4> counts{};
  byte_table<Poisson(1.6)>.fill(source, std::span(counts));
  return counts[0] < 30 ? 0 : 1;
}
