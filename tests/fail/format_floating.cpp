// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: firmware has no floating point: give a Fixed, which is written exactly
// lines: 14
#include <neuromorph/firmware/print.hpp>

char memory[100];

int main() {
  neuromorph::firmware::TextBuffer buffer(memory);
#ifdef NEUROMORPH_KO
  neuromorph::firmware::print<"{}">(buffer, 1.5);
#else
  neuromorph::firmware::print<"{}">(buffer, neuromorph::Fixed<int, 15>::constant(1.5));
#endif
}
