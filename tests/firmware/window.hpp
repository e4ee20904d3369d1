// SPDX-License-Identifier: BSL-1.0
// Where the mailboxes of the tests lie: on a board in memory that its emulator has as a file, on the host in that file.
#ifndef TESTS_FIRMWARE_WINDOW_HPP
#define TESTS_FIRMWARE_WINDOW_HPP

#include <cstdint>

#if defined(__arm__)
#include <neuromorph/target/device/cmsdk_uart.hpp>
#include <neuromorph/target/device/pl011.hpp>
#else
#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
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
inline Uart uart(const char*) { return Uart(reinterpret_cast<volatile std::uint32_t*>(uart_base)); }
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
/// Bytes over a socket.
class Uart {
public:
  explicit Uart(int connected) : connected_(connected) {}
  void start() const {}
  bool take(std::uint8_t& byte) const { return recv(connected_, &byte, 1, MSG_DONTWAIT) == 1; }
  bool put(std::uint8_t byte) const { return send(connected_, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1; }

private:
  int connected_;
};
/// Who connects to a socket of this path is at the other end.
inline Uart uart(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || listen(listening, 1) != 0)
    return Uart(-1);
  return Uart(accept(listening, nullptr, nullptr));
}
#endif

} // namespace window

#endif
