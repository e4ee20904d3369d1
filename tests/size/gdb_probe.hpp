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
template <auto& line>
[[gnu::naked]] void probe_fault() {
#if defined(__thumb2__)
  target::cortex_m_exception<on_probe_fault<line>>();
#else
  target::armv5te_exception<on_probe_fault<line>, target::ArmVector::prefetch_abort>();
#endif
}

} // namespace measured

#endif
