// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: an argument is no integer, bool, character, enumeration, Fixed, pointer or text
// lines: 14
#include <neuromorph/firmware/print.hpp>

char memory[100];

int main() {
  neuromorph::firmware::TextBuffer buffer(memory);
#ifdef NEUROMORPH_KO
  neuromorph::firmware::print<"{}">(buffer, std::array<int, 2>{});
#else
  neuromorph::firmware::print<"{}">(buffer, std::array<int, 2>{}[0]);
#endif
}
