// SPDX-License-Identifier: BSL-1.0
// The same with all lines left out.
#include "log.hpp"

int main() {
  measured::write_lines<neuromorph::firmware::LogLevel::error>();
  return 0;
}
