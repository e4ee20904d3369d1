// SPDX-License-Identifier: BSL-1.0
/// \file
/// Words of a memory that another processor or process reads and writes, too: a load, a store, and what orders them.
// not in the umbrella: a device that not every machine has
#ifndef NEUROMORPH_TARGET_DEVICE_SHARED_MEMORY_HPP
#define NEUROMORPH_TARGET_DEVICE_SHARED_MEMORY_HPP

#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Memory that is not cached, or whose caches agree. Each word has one writer: nothing here reads and writes in one.
/// Another memory, for a simulation, has the same functions.
struct SharedMemory {
  [[nodiscard]] static std::uint32_t load(const volatile std::uint32_t& word) noexcept { return word; }
  static void store(volatile std::uint32_t& word, std::uint32_t value) noexcept { word = value; }
  /// The other side sees what is above before what is below, but for a store above and a load below.
  /// \cost ARMv5TE: nothing, as the core does one access after the other; else one instruction
  static void order() noexcept {
#if defined(__arm__) && __ARM_ARCH < 6
    __atomic_signal_fence(__ATOMIC_SEQ_CST); // the compiler alone; it would call __sync_synchronize, which nobody has
#else
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
#endif
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
