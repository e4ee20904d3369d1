// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: {:.digits} is for a Fixed
// lines: 12
#include <neuromorph/firmware/print.hpp>

char memory[100];

int main() {
  neuromorph::firmware::TextBuffer buffer(memory);
#ifdef NEUROMORPH_KO
  neuromorph::firmware::print<"{:.3}">(buffer, 1);
#else
  neuromorph::firmware::print<"{:3}">(buffer, 1);
#endif
}
