// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: 'packet_bytes' of a gdb stub holds all registers in hexadecimal, and one more
#include <cstdint>

#include <neuromorph/firmware/gdb/armv5te.hpp>
#include <neuromorph/firmware/gdb/cortex_m.hpp>
#include <neuromorph/firmware/gdb/cortex_m_units.hpp>
#include <neuromorph/firmware/gdb/stub.hpp>

using namespace neuromorph;
using namespace neuromorph::firmware;

struct Line {
  bool take(std::uint8_t& byte);
  bool put(std::uint8_t byte);
};

#ifdef NEUROMORPH_KO
using Machine = gdb::CortexM<>;
constexpr gdb::StubOptions options{.packet_bytes = 136};
#else
using Machine = gdb::CortexM<>;
constexpr gdb::StubOptions options{.packet_bytes = 137};
#endif

void on_fault(gdb::Stub<Machine, Line, options>& stub, target::ArmRegisters& registers) {
  stub.stopped(registers, gdb::Signal::trap);
}
