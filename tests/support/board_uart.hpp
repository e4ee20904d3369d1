// SPDX-License-Identifier: BSL-1.0
// The second UART of each emulated board as a channel of bytes, with its interrupt where the start-up code leads there.
#ifndef TESTS_SUPPORT_BOARD_UART_HPP
#define TESTS_SUPPORT_BOARD_UART_HPP

#include <cstdint>

namespace board_uart {

inline volatile std::uint32_t& at(std::uintptr_t address) {
  return *reinterpret_cast<volatile std::uint32_t*>(address);
}

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'

#if __ARM_ARCH >= 8
inline constexpr std::uintptr_t base = 0x4930'4000; // mps3-an547
#else
inline constexpr std::uintptr_t base = 0x4000'5000; // mps2-an386
#endif

/// CMSDK's.
struct Uart {
  static void start(bool interrupts) {
    at(base + 16) = 16;
    at(base + 8) = 3U | (interrupts ? 8U : 0U);
    if (interrupts) at(0xE000'E100) = 1U << 2;
  }
  static void acknowledge() { at(base + 12) = 2; }
  static bool take(std::uint8_t& byte) {
    if ((at(base + 4) & 2) == 0) return false;
    byte = static_cast<std::uint8_t>(at(base));
    return true;
  }
  static bool put(std::uint8_t byte) {
    if ((at(base + 4) & 1) != 0) return false;
    at(base) = byte;
    return true;
  }
};

#else

/// PL011 of versatilepb.
inline constexpr std::uintptr_t base = 0x101F'2000;
struct Uart {
  static void start(bool interrupts) {
    at(base + 0x2C) = 0x60; // eight bits; no queue, so that each byte is an interrupt
    at(base + 0x30) = 0x301;
    if (!interrupts) return;
    at(base + 0x38) = 0x10;
    at(0x1014'0010) = 1U << 13;
    asm volatile("mrs r0, cpsr\n\tbic r0, r0, #0x80\n\tmsr cpsr_c, r0" : : : "r0", "memory");
  }
  static void acknowledge() { at(base + 0x44) = 0x10; }
  static bool take(std::uint8_t& byte) {
    if ((at(base + 0x18) & 0x10) != 0) return false;
    byte = static_cast<std::uint8_t>(at(base));
    return true;
  }
  static bool put(std::uint8_t byte) {
    if ((at(base + 0x18) & 0x20) != 0) return false;
    at(base) = byte;
    return true;
  }
};

#endif

} // namespace board_uart

#endif
