// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a machine has 'hardware_step', and its 'Offers' lacks 'offer::HardwareStep'
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
  bool hardware_step(bool on);
};
#else
struct Machine : gdb::CortexM<> {
  using Offers = offer::List<offer::HardwareStep>;
  bool hardware_step(bool on);
};
#endif
constexpr gdb::StubOptions options{};

void on_fault(gdb::Stub<Machine, Line, options>& stub, target::ArmRegisters& registers) {
  stub.stopped(registers, gdb::Signal::trap);
}
