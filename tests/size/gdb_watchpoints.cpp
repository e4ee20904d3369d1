// SPDX-License-Identifier: BSL-1.0
// flags: -Os
// With four watchpoints by stepping.
#include "gdb.hpp"

int main() {
  constexpr neuromorph::firmware::gdb::StubOptions options{
      .watchpoints = 4, .single_registers = false, .binary_writes = false};
  measured::vector = measured::fault<measured::on_fault<options>>;
  return 0;
}
