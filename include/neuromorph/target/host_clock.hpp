// SPDX-License-Identifier: BSL-1.0
/// \file
/// Host only: nanoseconds of the operating system's steady clock.
// host-only
#ifndef NEUROMORPH_TARGET_HOST_CLOCK_HPP
#define NEUROMORPH_TARGET_HOST_CLOCK_HPP

#include <cstdint>
#include <ctime>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

struct HostClock {
  static constexpr std::uint64_t ticks_per_second = 1'000'000'000;

  /// Never goes back; the start is arbitrary.
  [[nodiscard]] static std::uint64_t now() noexcept {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * ticks_per_second + static_cast<std::uint64_t>(time.tv_nsec);
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
