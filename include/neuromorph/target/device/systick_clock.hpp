// SPDX-License-Identifier: BSL-1.0
/// \file
/// Time in processor cycles from a Cortex-M's SysTick: what fits its 24 bits, and its interrupts, which are counted.
// not in the umbrella: a device that not every machine has
#ifndef NEUROMORPH_TARGET_DEVICE_SYSTICK_CLOCK_HPP
#define NEUROMORPH_TARGET_DEVICE_SYSTICK_CLOCK_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/tick.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// The registers of SysTick. Yours, for a simulation, has the same functions.
struct Systick {
  static void start(std::uint32_t period) noexcept {
    reg(0xE000'E014) = period - 1;
    reg(0xE000'E018) = 0;
    reg(0xE000'E010) = 7; // processor clock, interrupt, on
  }
  static void stop() noexcept { reg(0xE000'E010) = 0; }
  /// Cycles until the end of the period; 0: a period has just begun.
  [[nodiscard]] static std::uint32_t left() noexcept { return reg(0xE000'E018); }
  /// Whether an interrupt waits for being let in.
  [[nodiscard]] static bool is_pending() noexcept { return (reg(0xE000'ED04) >> 26 & 1) != 0; }

private:
  static volatile std::uint32_t& reg(std::uintptr_t address) noexcept {
    return *reinterpret_cast<volatile std::uint32_t*>(address); // fixed by the architecture
  }
};

/// A clock, for interrupts and for code that they interrupt, with interrupts on or off, if not off for a period.
///
///     extern "C" void systick_handler() { time.on_interrupt(); }
template <TickCount TickType = std::uint32_t, class Device = Systick>
class SystickClock {
public:
  using Tick = TickType;
  static constexpr AlarmKind alarm_kind = AlarmKind::wakes_core;
  constexpr explicit SystickClock(Device device = {}) noexcept : device_(device) {}

  /// \param period  cycles from interrupt to interrupt, 2 to 2^24. A sleep ends with the period it is in.
  void start(std::uint32_t period) noexcept {
    period_ = period;
    device_.start(period);
  }
  void stop() noexcept { device_.stop(); }
  void on_interrupt() noexcept { begun_ = begun_ + period_; }

  /// \cost 3 reads of the device and 2 of memory; again if an interrupt falls between
  [[nodiscard]] Tick now() noexcept {
    for (;;) {
      const Tick begun = begun_;
      std::uint32_t left = device_.left();
      Tick more = 0;
      if (device_.is_pending()) { // the period is over, though `left` may be older
        left = device_.left();
        more = period_;
      }
      if (begun == begun_) return begun + more + (left == 0 ? 0 : period_ - left);
    }
  }
  /// An interrupt comes at the end of the period, whatever `at` is.
  constexpr void alarm(Tick) noexcept {}

private:
  [[no_unique_address]] Device device_;
  volatile Tick begun_ = 0; // cycles until the period in which we are
  std::uint32_t period_ = 0;
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
