// SPDX-License-Identifier: BSL-1.0
// A firmware that is nothing but the target's part of a split debugger: the entry of a fault, the probe on this line.
#ifndef TESTS_SIZE_GDB_PROBE_HPP
#define TESTS_SIZE_GDB_PROBE_HPP

#include <neuromorph/firmware/gdb/probe.hpp>

#include "gdb.hpp"

namespace measured {

template <auto& line>
constinit gdb::Probe probe{machine, line, std::span<const gdb::Region>(regions)};
template <auto& line>
void on_probe_fault(target::ArmRegisters& registers) noexcept {
  probe<line>.stopped(registers, gdb::Signal::trap);
}

} // namespace measured

#endif
