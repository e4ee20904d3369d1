// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a place of the format is wider than 99, or has more than 64 digits
// lines: 12
#include <neuromorph/firmware/print.hpp>

char memory[100];

int main() {
  neuromorph::firmware::TextBuffer buffer(memory);
#ifdef NEUROMORPH_KO
  neuromorph::firmware::print<"{:100}">(buffer, 1);
#else
  neuromorph::firmware::print<"{:99}">(buffer, 1);
#endif
}
