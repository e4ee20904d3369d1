// SPDX-License-Identifier: BSL-1.0
// flags: -Os
// Without the decoder of instructions: a machine that cannot step.
#include "gdb.hpp"

namespace {

namespace gdb = neuromorph::firmware::gdb;
struct Stepless : measured::Machine {
  template <class Read>
  [[nodiscard]] static gdb::Place next(const Registers&, Read&&) {
    return {};
  }
};
constinit Stepless machine;
constinit gdb::Stub<Stepless, measured::Uart, measured::least> stub{machine, measured::uart, measured::regions};
void on_fault(neuromorph::target::ArmRegisters& registers) noexcept { stub.stopped(registers, gdb::Signal::trap); }

} // namespace

int main() {
  measured::vector = measured::fault<on_fault>;
  return 0;
}
