// SPDX-License-Identifier: BSL-1.0
// A mailbox with three lines of a log, with no, one and two values.
#include "log.hpp"

int main() {
  measured::write_lines<neuromorph::firmware::LogLevel::info>();
  return 0;
}
