// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a place of the format is not {} or {:[0][width][.digits][x]}
// lines: 12
#include <neuromorph/firmware/print.hpp>

char memory[100];

int main() {
  neuromorph::firmware::TextBuffer buffer(memory);
#ifdef NEUROMORPH_KO
  neuromorph::firmware::print<"{:d}">(buffer, 1);
#else
  neuromorph::firmware::print<"{:x}">(buffer, 1);
#endif
}
