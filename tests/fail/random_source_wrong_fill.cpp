// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Source offers 'Fill' and lacks 'void fill(std::span<std::uint32_t>)'; see docs/random.md
// whole: 15
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct Source {
#ifdef NEUROMORPH_KO
  using Offers = offer::List<offer::Fill>;
  void fill(std::span<std::uint8_t> words) {
    for (std::uint8_t& word : words) word = static_cast<std::uint8_t>(next());
  }
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
