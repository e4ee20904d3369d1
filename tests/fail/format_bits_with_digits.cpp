// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: {:x} shows the bits of a value
// lines: 12
#include <neuromorph/firmware/print.hpp>

char memory[100];

int main() {
  neuromorph::firmware::TextBuffer buffer(memory);
#ifdef NEUROMORPH_KO
  neuromorph::firmware::print<"{:.3x}">(buffer, neuromorph::Fixed<int, 15>{});
#else
  neuromorph::firmware::print<"{:x}">(buffer, neuromorph::Fixed<int, 15>{});
#endif
}
