// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a machine has 'hardware_stop', and its 'Offers' lacks 'offer::HardwareStop'
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
struct Machine : gdb::CortexM<> {
  bool hardware_stop(gdb::Stop kind, std::uint32_t address, std::uint32_t bytes, bool insert);
};
#else
using Machine = gdb::WithUnits<gdb::CortexM<>>;
#endif
constexpr gdb::StubOptions options{};

void on_fault(gdb::Stub<Machine, Line, options>& stub, target::ArmRegisters& registers) {
  stub.stopped(registers, gdb::Signal::trap);
}
