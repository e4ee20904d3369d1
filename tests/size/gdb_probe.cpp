// SPDX-License-Identifier: BSL-1.0
// flags: -Os
// at most: 1024 more than gdb_entry on cortex-m4
// The split form instead, for tools/gdb, in frames over the UART.
#include <neuromorph/firmware/gdb/framed_line.hpp>

#include "gdb_probe.hpp"

namespace {

constinit measured::Uart uart;
constinit neuromorph::firmware::gdb::FramedLine line(uart);

} // namespace

int main() {
  measured::vector = measured::fault<measured::on_probe_fault<line>>;
  return 0;
}
