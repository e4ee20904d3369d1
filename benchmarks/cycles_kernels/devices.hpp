// SPDX-License-Identifier: BSL-1.0
// Devices that take no time of their own, for programs that measure what a core does around them.
#ifndef BENCHMARKS_CYCLES_KERNELS_DEVICES_HPP
#define BENCHMARKS_CYCLES_KERNELS_DEVICES_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/tick.hpp>

/// A device that has copied before it is asked, which costs three stores and a load: what is in the buffers stays there.
struct InstantEngine {
  std::uint32_t volatile registers[4];
  std::uint32_t start(void* to, const void* from, std::size_t bytes) noexcept {
    registers[0] = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(to));
    registers[1] = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(from));
    registers[2] = static_cast<std::uint32_t>(bytes);
    return 1;
  }
  [[nodiscard]] bool is_complete(std::uint32_t) const noexcept { return registers[3] == 0; }
  static void poll() noexcept {}
};
/// Time that passes as it is read: by one tick, as a word in memory.
struct ReadCounter {
  using Tick = std::uint32_t;
  static constexpr neuromorph::AlarmKind alarm_kind = neuromorph::AlarmKind::none;
  Tick time = 0;
  [[nodiscard]] Tick now() noexcept { return ++time; }
};

#endif
