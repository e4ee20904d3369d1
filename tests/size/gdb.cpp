// SPDX-License-Identifier: BSL-1.0
// flags: -Os
// A gdb stub: registers, memory, step, continue, breakpoints, the description of registers, no acknowledgements.
#include "gdb.hpp"

int main() {
  measured::vector = measured::fault<measured::on_fault<measured::least>>;
  return 0;
}
