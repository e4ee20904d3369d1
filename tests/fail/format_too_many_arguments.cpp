// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: there are more arguments than the format has places
// lines: 12
#include <neuromorph/firmware/print.hpp>

char memory[100];

int main() {
  neuromorph::firmware::TextBuffer buffer(memory);
#ifdef NEUROMORPH_KO
  neuromorph::firmware::print<"none">(buffer, 1);
#else
  neuromorph::firmware::print<"{}">(buffer, 1);
#endif
}
