// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a machine offers 'HardwareStep' and lacks 'bool hardware_step(bool on)'
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
  using Offers = offer::List<offer::HardwareStep>;
  bool hardware_steps(bool on);
};
#else
using Machine = gdb::CortexM<>;
#endif
constexpr gdb::StubOptions options{};

void on_fault(gdb::Stub<Machine, Line, options>& stub, target::ArmRegisters& registers) {
  stub.stopped(registers, gdb::Signal::trap);
}
