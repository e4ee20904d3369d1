// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: {:x} and {:0} are for numbers and pointers
// lines: 12
#include <neuromorph/firmware/print.hpp>

char memory[100];

int main() {
  neuromorph::firmware::TextBuffer buffer(memory);
#ifdef NEUROMORPH_KO
  neuromorph::firmware::print<"{:x}">(buffer, "text");
#else
  neuromorph::firmware::print<"{:5}">(buffer, "text");
#endif
}
