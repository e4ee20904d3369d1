// SPDX-License-Identifier: BSL-1.0
// flags: -Os
// With X.
#include "gdb.hpp"

int main() {
  constexpr neuromorph::firmware::gdb::StubOptions options{.single_registers = false};
  measured::vector = measured::fault<measured::on_fault<options>>;
  return 0;
}
