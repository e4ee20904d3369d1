// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a brace of the format has no partner
// lines: 12
#include <neuromorph/firmware/print.hpp>

char memory[100];

int main() {
  neuromorph::firmware::TextBuffer buffer(memory);
#ifdef NEUROMORPH_KO
  neuromorph::firmware::print<"{} and {">(buffer, 1);
#else
  neuromorph::firmware::print<"{} and {{">(buffer, 1);
#endif
}
