// SPDX-License-Identifier: BSL-1.0
// flags: -Os
// With the memory map.
#include "gdb.hpp"

int main() {
  constexpr neuromorph::firmware::gdb::StubOptions options{
      .single_registers = false, .binary_writes = false, .memory_map = true};
  measured::vector = measured::fault<measured::on_fault<options>>;
  return 0;
}
