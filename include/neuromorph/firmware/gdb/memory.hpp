// SPDX-License-Identifier: BSL-1.0
/// \file
/// The memory of the machine that the stub runs on, and what to do where code was written.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_FIRMWARE_GDB_MEMORY_HPP
#define NEUROMORPH_FIRMWARE_GDB_MEMORY_HPP

#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {
namespace gdb {

/// Of cores without caches, and of those whose caches see what is written.
struct NoCache {
  static void flush(std::uint32_t, std::uint32_t) noexcept {}
};

/// \tparam Cache  `flush(address, bytes)`: what was written there is code. Called for each breakpoint and each step, where it
///                is set and where it is taken away, and for what the debugger writes
template <class Cache = NoCache>
struct OwnMemory : Cache {
  /// Devices see one access of this width.
  [[nodiscard]] static std::uint32_t load(std::uint32_t address, unsigned bytes) noexcept {
    if (bytes == 4) return at<std::uint32_t>(address);
    return bytes == 2 ? at<std::uint16_t>(address) : at<std::uint8_t>(address);
  }
  static void store(std::uint32_t address, unsigned bytes, std::uint32_t value) noexcept {
    if (bytes == 4)
      at<std::uint32_t>(address) = value;
    else if (bytes == 2)
      at<std::uint16_t>(address) = static_cast<std::uint16_t>(value);
    else
      at<std::uint8_t>(address) = static_cast<std::uint8_t>(value);
  }

private:
  template <class Word>
  [[nodiscard]] static volatile Word& at(std::uint32_t address) noexcept {
    return *reinterpret_cast<volatile Word*>(static_cast<std::uintptr_t>(address));
  }
};

} // namespace gdb
} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
