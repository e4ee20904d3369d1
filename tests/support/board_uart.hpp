// SPDX-License-Identifier: BSL-1.0
// The second UART of each emulated board as a channel of bytes, with its interrupt where the start-up code leads there.
#ifndef TESTS_SUPPORT_BOARD_UART_HPP
#define TESTS_SUPPORT_BOARD_UART_HPP

#include <cstdint>

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#include <neuromorph/target/device/cmsdk_uart.hpp>
#else
#include <neuromorph/target/device/pl011.hpp>
#endif

namespace board_uart {

inline volatile std::uint32_t& at(std::uintptr_t address) {
  return *reinterpret_cast<volatile std::uint32_t*>(address);
}

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'

inline constexpr std::uintptr_t base = __ARM_ARCH >= 8 ? 0x4930'4000 : 0x4000'5000; // mps3-an547, mps2-an386

struct Uart : neuromorph::target::CmsdkUart {
  Uart() : CmsdkUart(&at(base)) {}
  void start(bool by_interrupt) {
    CmsdkUart::start();
    if (!by_interrupt) return;
    at(base + 8) = at(base + 8) | 8U;
    at(0xE000'E100) = 1U << 2;
  }
  static void acknowledge() { at(base + 12) = 2; }
};

#else

inline constexpr std::uintptr_t base = 0x101F'2000; // versatilepb

struct Uart : neuromorph::target::Pl011 {
  Uart() : Pl011(&at(base)) {}
  void start(bool by_interrupt) {
    Pl011::start();
    at(base + 0x2C) = 0x60; // no queue, so that each byte is an interrupt
    if (!by_interrupt) return;
    at(base + 0x38) = 0x10;
    at(0x1014'0010) = 1U << 13;
    asm volatile("mrs r0, cpsr\n\tbic r0, r0, #0x80\n\tmsr cpsr_c, r0" : : : "r0", "memory");
  }
  static void acknowledge() { at(base + 0x44) = 0x10; }
};

#endif

} // namespace board_uart

#endif
