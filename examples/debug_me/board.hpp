// SPDX-License-Identifier: BSL-1.0
// What differs between the two emulated boards: where things are, the clock, the exceptions, the reset.
#ifndef EXAMPLES_DEBUG_ME_BOARD_HPP
#define EXAMPLES_DEBUG_ME_BOARD_HPP

#include <array>
#include <cstdint>

#include <neuromorph/firmware/crash.hpp>
#include <neuromorph/firmware/gdb/machine.hpp>

#if defined(__thumb__)
#include <neuromorph/firmware/gdb/cortex_m.hpp>
#include <neuromorph/target/arm/cortex_m_exception.hpp>
#include <neuromorph/target/device/cmsdk_uart.hpp>
#include <neuromorph/target/device/systick_clock.hpp>
#else
#include <neuromorph/firmware/gdb/armv5te.hpp>
#include <neuromorph/target/arm/armv5te_exception.hpp>
#include <neuromorph/target/device/pl011.hpp>
#include <neuromorph/target/device/sp804_clock.hpp>
#endif

namespace board {

namespace nm = neuromorph;
namespace firmware = nm::firmware;

/// A fault, or a break instruction; comes back if the program goes on. The firmware's.
void stopped(nm::target::ArmRegisters& registers, firmware::Cause cause);

inline volatile std::uint32_t& at(std::uintptr_t address) {
  return *reinterpret_cast<volatile std::uint32_t*>(address);
}

#if defined(__thumb__) // mps2-an386, a Cortex-M4

inline constexpr std::uintptr_t window = 0x2180'0000; // memory that a reset leaves alone, which the host has as a file
inline constexpr std::array<firmware::gdb::Region, 3> regions = {
    {{0, 4 << 20}, {0x2000'0000, 4 << 20}, {0x2100'0000, 16 << 20}}};
using Machine = firmware::gdb::CortexM<>;
using Uart = nm::target::CmsdkUart;
inline Uart uart(&at(0x4000'5000));
using Clock = nm::target::SystickClock<>;
inline Clock clock;
inline constexpr std::uint32_t ticks_per_ms = 25'000;
inline void start() {
  uart.start();
  clock.start(ticks_per_ms);
}
[[noreturn]] inline void reset() {
  at(0xE000'ED0C) = 0x05FA'0004; // SYSRESETREQ
  for (;;) {}
}
inline std::array<std::uint32_t, 4> faults() { return firmware::CortexMFaults::read(); }
inline firmware::gdb::Signal signal(firmware::Cause) { return Machine{}.signal(); }

#else // versatilepb, an ARM926

inline constexpr std::uintptr_t window = 0x0600'0000;
inline constexpr std::array<firmware::gdb::Region, 1> regions = {{{0, 128 << 20}}};
using Machine = firmware::gdb::Armv5te<>;
using Uart = nm::target::Pl011;
inline Uart uart(&at(0x101F'2000));
using Clock = nm::target::Sp804Clock;
inline Clock clock(&at(0x101E'2000));
inline constexpr std::uint32_t ticks_per_ms = 1000;
inline void start() {
  std::uint32_t control = 0; // what is not aligned is a fault, as the emulated board has memory everywhere
  asm volatile("mrc p15, 0, %0, c1, c0, 0\n\torr %0, %0, #2\n\tmcr p15, 0, %0, c1, c0, 0" : "=r"(control));
  uart.start();
  clock.start();
  at(0x1014'0010) = 0x10; // the interrupt controller: the timer's line
  asm volatile("mrs r0, cpsr\n\tbic r0, r0, #0x80\n\tmsr cpsr_c, r0" : : : "r0", "memory");
}
[[noreturn]] inline void reset() {
  at(0x1000'0020) = 0xA05F; // the board's system controller: unlock, reset
  at(0x1000'0040) = 0x0000'0105;
  for (;;) {}
}
inline std::array<std::uint32_t, 4> faults() { return {}; }
inline firmware::gdb::Signal signal(firmware::Cause cause) {
  using firmware::gdb::Signal;
  return cause == firmware::Cause::undefined ? Signal::illegal_instruction : Signal::bad_access;
}

#endif

} // namespace board

#endif
