// SPDX-License-Identifier: BSL-1.0
// A clock and a periodic interrupt on every machine: real ones on boards, SysTick's on a Cortex-M, those of two SP804
// on the ARM926; elsewhere the interrupt comes when the clock is read. For one file of a program.
#ifndef TESTS_SUPPORT_BOARD_TIMER_HPP
#define TESTS_SUPPORT_BOARD_TIMER_HPP

#include <cstdint>

#include <neuromorph/target/native.hpp>
#include <neuromorph/tick.hpp>
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#include <neuromorph/target/device/systick_clock.hpp>
#elif defined(__arm__)
#include <neuromorph/target/device/sp804_clock.hpp>
#endif

namespace board_timer {

/// The program's handler.
void on_interrupt();

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'

using Target = neuromorph::target::Native;
using Clock = neuromorph::target::SystickClock<>;
inline Clock time_source;
constexpr std::uint32_t unit = 25; // ticks that are about a microsecond
inline void start(std::uint32_t interval_us) { time_source.start(unit * interval_us); }
inline void stop() { time_source.stop(); }
extern "C" void systick_handler() {
  time_source.on_interrupt();
  on_interrupt();
}

#elif defined(__arm__)

using Target = neuromorph::target::Native;
using Clock = neuromorph::target::Sp804Clock;
inline volatile std::uint32_t* at(std::uintptr_t address) { return reinterpret_cast<volatile std::uint32_t*>(address); }
inline Clock time_source(at(0x101E2000));
constexpr std::uint32_t unit = 1;
inline void start(std::uint32_t interval_us) {
  time_source.start();
  *at(0x101E3000) = interval_us;
  *at(0x101E3008) = 0xE2; // on, periodic, interrupt, 32 bits
  *at(0x10140010) = 0x30; // both timers' lines of the interrupt controller
  asm volatile("mrs r0, cpsr\n\tbic r0, r0, #0x80\n\tmsr cpsr_c, r0" : : : "r0", "memory");
}
inline void stop() {
  *at(0x10140014) = 0x30;
  *at(0x101E3008) = 0;
}
extern "C" [[gnu::interrupt("IRQ")]] void irq_handler() {
  const std::uint32_t lines = *at(0x10140000);
  if ((lines & 0x10) != 0) time_source.acknowledge();
  if ((lines & 0x20) != 0) {
    *at(0x101E300C) = 0;
    on_interrupt();
  }
}

#else

inline std::uint32_t locks, readings, interval;
inline void tick() {
  if (interval == 0 || ++readings % interval != 0 || locks != 0) return;
  ++locks; // it is not interrupted itself, and may read the clock
  on_interrupt();
  --locks;
}
struct Target : neuromorph::target::Generic {
  struct InterruptLock {
    InterruptLock() noexcept { tick(), ++locks; }
    ~InterruptLock() { --locks, tick(); }
    InterruptLock(const InterruptLock&) = delete;
    InterruptLock& operator=(const InterruptLock&) = delete;
  };
};
struct Clock {
  using Tick = std::uint32_t;
  static constexpr neuromorph::AlarmKind alarm_kind = neuromorph::AlarmKind::sleeps;
  Tick passed = 0;
  Tick now() {
    tick();
    return passed += 3;
  }
  void alarm(Tick when) {
    if (neuromorph::is_before(passed, when)) passed += (when - passed) / 2; // an interrupt comes before it
  }
};
inline Clock time_source;
constexpr std::uint32_t unit = 1;
inline void start(std::uint32_t interval_us) { interval = interval_us / 3; }
inline void stop() { interval = 0; }

#endif

} // namespace board_timer

#endif
