// SPDX-License-Identifier: BSL-1.0
// flags: -Os
// Without the description of registers, for a debugger that is told of them in another way.
#include "gdb.hpp"

int main() {
  constexpr neuromorph::firmware::gdb::StubOptions options{
      .description = false, .single_registers = false, .binary_writes = false};
  measured::vector = measured::fault<measured::on_fault<options>>;
  return 0;
}
