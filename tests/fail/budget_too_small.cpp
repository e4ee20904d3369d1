// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the state of a network has more bytes than the chip has memory
#include <neuromorph/budget.hpp>

struct Network {
  static constexpr std::size_t table_bytes = 1 << 20;
  unsigned char state[200 << 10];
};
static_assert(neuromorph::fits<neuromorph::chip::rp2040, Network, 64 << 10>);
static_assert(neuromorph::budget<Network>.state == 200 << 10 && neuromorph::budget<Network>.tables == 1 << 20);

#ifdef NEUROMORPH_KO
static_assert(neuromorph::fits<neuromorph::chip::rp2040, Network, 65 << 10>);
#endif

int main() { return 0; }
