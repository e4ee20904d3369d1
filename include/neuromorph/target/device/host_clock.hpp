// SPDX-License-Identifier: BSL-1.0
/// \file
/// Host only: nanoseconds of the operating system's steady clock.
// host-only
#ifndef NEUROMORPH_TARGET_DEVICE_HOST_CLOCK_HPP
#define NEUROMORPH_TARGET_DEVICE_HOST_CLOCK_HPP

#include <cstdint>
#include <ctime>

#include <neuromorph/config.hpp>
#include <neuromorph/tick.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// A clock for a scheduler, too.
struct HostClock {
  using Tick = std::uint64_t;
  static constexpr AlarmKind alarm_kind = AlarmKind::sleeps;
  static constexpr std::uint64_t ticks_per_second = 1'000'000'000;

  /// Never goes back; the start is arbitrary.
  [[nodiscard]] static std::uint64_t now() noexcept {
    struct timespec time {};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * ticks_per_second + static_cast<std::uint64_t>(time.tv_nsec);
  }
  /// Sleeps until then, or until a signal.
  static void alarm(Tick at) noexcept {
    struct timespec time {};
    time.tv_sec = static_cast<std::time_t>(at / ticks_per_second);
    time.tv_nsec = static_cast<long>(at % ticks_per_second);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
