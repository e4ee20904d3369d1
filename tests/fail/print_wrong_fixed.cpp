// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: print writes a Fixed with 0 to 64 fraction bits
// lines: 14
#include <neuromorph/firmware/print.hpp>

char memory[100];

int main() {
  neuromorph::firmware::TextBuffer buffer(memory);
#ifdef NEUROMORPH_KO
  neuromorph::firmware::print<"{}">(buffer, neuromorph::Fixed<int, 65>{});
#else
  neuromorph::firmware::print<"{}">(buffer, neuromorph::Fixed<int, 31>{});
#endif
}
