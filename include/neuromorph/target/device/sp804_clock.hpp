// SPDX-License-Identifier: BSL-1.0
/// \file
/// Time from ARM's dual timer SP804, which SpiNNaker's cores and many boards have: one half tells it, the other is the
/// alarm.
// not in the umbrella: a device that not every machine has
#ifndef NEUROMORPH_TARGET_DEVICE_SP804_CLOCK_HPP
#define NEUROMORPH_TARGET_DEVICE_SP804_CLOCK_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/tick.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// 32 bits, of the timer's clock. The handler of its interrupt calls `acknowledge`.
class Sp804Clock {
public:
  using Tick = std::uint32_t;
  static constexpr AlarmKind alarm_kind = AlarmKind::wakes_core;
  /// \param registers  of the first half
  constexpr explicit Sp804Clock(volatile std::uint32_t* registers) noexcept : registers_(registers) {}

  void start() noexcept {
    registers_[alarm_half + control] = 0;
    registers_[control] = 0;
    registers_[load] = ~std::uint32_t{0};
    registers_[control] = enable | bits_32;
  }
  void stop() noexcept {
    registers_[alarm_half + control] = 0;
    registers_[control] = 0;
  }

  /// \cost one read
  [[nodiscard]] Tick now() noexcept { return ~registers_[value]; }
  /// An interrupt at `at`, or at once if that is past. The one before is forgotten.
  void alarm(Tick at) noexcept {
    const Tick time = now();
    registers_[alarm_half + control] = 0;
    registers_[alarm_half + load] = is_before(time, at) ? at - time : 1;
    registers_[alarm_half + control] = enable | raise | bits_32 | one_shot;
  }
  void acknowledge() noexcept { registers_[alarm_half + clear] = 0; }

private:
  static constexpr unsigned load = 0, value = 1, control = 2, clear = 3, alarm_half = 8;
  static constexpr std::uint32_t enable = 0x80, raise = 0x20, bits_32 = 0x02, one_shot = 0x01;
  volatile std::uint32_t* registers_;
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
