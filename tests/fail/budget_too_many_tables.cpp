// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the tables of a network have more bytes than the chip has flash
#include <neuromorph/budget.hpp>

struct Network {
  static constexpr std::size_t table_bytes = 1000 << 10;
  unsigned char state[1 << 10];
};
static_assert(neuromorph::fits<neuromorph::chip::nrf52840, Network, 0, 24 << 10>);

#ifdef NEUROMORPH_KO
static_assert(neuromorph::fits<neuromorph::chip::nrf52840, Network, 0, 25 << 10>);
#endif

int main() { return 0; }
