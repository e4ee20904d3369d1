// SPDX-License-Identifier: BSL-1.0
// A firmware that is nothing but a gdb stub: the entry of a fault, the stub with these options, its regions, a UART's two
// functions.
#ifndef TESTS_SIZE_GDB_HPP
#define TESTS_SIZE_GDB_HPP

#include <array>
#include <cstdint>

#include <neuromorph/firmware/gdb/stub.hpp>
#if defined(__thumb2__)
#include <neuromorph/firmware/gdb/cortex_m.hpp>
#else
#include <neuromorph/firmware/gdb/armv5te.hpp>
#endif

#include "fault.hpp"

namespace measured {

using namespace neuromorph;
using namespace neuromorph::firmware;

/// CMSDK's, say.
struct Uart {
  static volatile std::uint32_t& at(std::uintptr_t offset) {
    return *reinterpret_cast<volatile std::uint32_t*>(0x4000'5000 + offset);
  }
  static bool take(std::uint8_t& byte) {
    if ((at(4) & 2) == 0) return false;
    byte = static_cast<std::uint8_t>(at(0));
    return true;
  }
  static bool put(std::uint8_t byte) {
    if ((at(4) & 1) != 0) return false;
    at(0) = byte;
    return true;
  }
};
constexpr std::array<gdb::Region, 2> regions = {{{0, 64 << 10}, {0x2000'0000, 64 << 10}}};
constexpr gdb::StubOptions least{.single_registers = false, .binary_writes = false};

#if defined(__thumb2__)
using Machine = gdb::CortexM<>;
#else
using Machine = gdb::Armv5te<>;
#endif
constinit Machine machine;
constinit Uart uart;

template <gdb::StubOptions options>
constinit gdb::Stub<Machine, Uart, options> stub{machine, uart, regions};
template <gdb::StubOptions options>
void on_fault(target::ArmRegisters& registers) noexcept {
  stub<options>.stopped(registers, gdb::Signal::trap);
}

} // namespace measured

#endif
