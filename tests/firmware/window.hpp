// SPDX-License-Identifier: BSL-1.0
// Where the mailboxes of the tests lie: on a board in memory that its emulator has as a file, on the host in that file.
#ifndef TESTS_FIRMWARE_WINDOW_HPP
#define TESTS_FIRMWARE_WINDOW_HPP

#include <cstdint>

#if defined(__arm__)
#include <neuromorph/target/device/cmsdk_uart.hpp>
#include <neuromorph/target/device/pl011.hpp>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace window {

inline constexpr std::uint32_t bytes = 1 << 16;

#if defined(__arm__)
// checks/mailbox.py has the same places, as offsets in the file.
#if defined(__ARM_FEATURE_MVE)
inline constexpr std::uintptr_t base = 0x6080'0000, uart_base = 0x4930'3000;
using Uart = neuromorph::target::CmsdkUart;
#elif defined(__thumb__)
inline constexpr std::uintptr_t base = 0x2180'0000, uart_base = 0x4000'4000;
using Uart = neuromorph::target::CmsdkUart;
#else
inline constexpr std::uintptr_t base = 0x0600'0000, uart_base = 0x101F'1000;
using Uart = neuromorph::target::Pl011;
#endif
/// The words of a mailbox; the window has room for several.
inline std::uint32_t* words(const char*, std::uint32_t number) {
  return reinterpret_cast<std::uint32_t*>(base + number * bytes);
}
inline Uart uart() { return Uart(reinterpret_cast<volatile std::uint32_t*>(uart_base)); }
#else
/// nullptr: the file cannot be mapped.
inline std::uint32_t* words(const char* path, std::uint32_t number) {
  const int file = open(path, O_RDWR);
  if (file < 0) return nullptr;
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(number * bytes));
  close(file);
  return mapped == MAP_FAILED ? nullptr : static_cast<std::uint32_t*>(mapped);
}
#endif

} // namespace window

#endif
