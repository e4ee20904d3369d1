// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a KeyTable has room for 1 to 65536 entries; see docs/synapses.md
#include <neuromorph/kernels/synapses/key_table.hpp>

using namespace neuromorph;

#ifdef NEUROMORPH_KO
constexpr std::size_t capacity = 0;
#else
constexpr std::size_t capacity = 4;
#endif

int main() {
  static KeyTable<int, capacity> table;
  return table.entries().empty() ? 0 : 1;
}
