// SPDX-License-Identifier: BSL-1.0
// flags: -Os
// With p and P.
#include "gdb.hpp"

int main() {
  constexpr neuromorph::firmware::gdb::StubOptions options{.binary_writes = false};
  measured::vector = measured::fault<measured::on_fault<options>>;
  return 0;
}
