// SPDX-License-Identifier: BSL-1.0
/// \file
/// Semihosting: what a firmware may ask of a debugger or emulator (text out, files in, command line, exit status).
// arm-only
#ifndef NEUROMORPH_TARGET_DEVICE_SEMIHOSTING_HPP
#define NEUROMORPH_TARGET_DEVICE_SEMIHOSTING_HPP

#if !defined(__arm__)
#error "neuromorph/target/device/semihosting.hpp is for ARM: a host program has its operating system"
#endif

#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// \source ARM, Semihosting for AArch32 and AArch64, 2021. Costs thousands of cycles a call; not for use in a
/// step.
struct Semihosting {
  /// Writes text up to its terminating zero.
  static void write(const char* text) noexcept { (void)call(0x04, text); }

  /// Ends the program; the emulator's exit status is `status`.
  [[noreturn]] static void exit(int status) noexcept {
    const std::uintptr_t block[2] = {0x20026, static_cast<std::uintptr_t>(status)}; // application exit
    (void)call(0x20, block);
    for (;;) {}
  }

  /// The command line as one zero-terminated text; its length, or 0 if there is none or it does not fit.
  [[nodiscard]] static std::size_t command_line(std::span<char> buffer) noexcept {
    std::uintptr_t block[2] = {reinterpret_cast<std::uintptr_t>(buffer.data()), buffer.size()};
    return call(0x15, block) == 0 ? block[1] : 0;
  }

  /// Opens a file to be read, or to be written; ":tt" is the standard input or output. Its handle, negative if there is none.
  [[nodiscard]] static std::intptr_t open_to_read(const char* path) noexcept { return open(path, 1); }
  [[nodiscard]] static std::intptr_t open_to_write(const char* path) noexcept { return open(path, 5); }
  /// Whether all of it was written.
  static bool write(std::intptr_t file, std::span<const char> bytes) noexcept {
    const std::uintptr_t block[3] = {static_cast<std::uintptr_t>(file), reinterpret_cast<std::uintptr_t>(bytes.data()),
                                     bytes.size()};
    return call(0x05, block) == 0;
  }
  /// Reads what comes next of a file; how many bytes, less than asked for at its end.
  [[nodiscard]] static std::size_t read(std::intptr_t file, std::span<unsigned char> to) noexcept {
    const std::uintptr_t block[3] = {static_cast<std::uintptr_t>(file), reinterpret_cast<std::uintptr_t>(to.data()),
                                     to.size()};
    const std::intptr_t left = call(0x06, block);
    return left < 0 || static_cast<std::size_t>(left) > to.size() ? 0 : to.size() - static_cast<std::size_t>(left);
  }

private:
  static std::intptr_t open(const char* path, std::uintptr_t mode) noexcept {
    std::uintptr_t length = 0;
    while (path[length] != '\0') ++length;
    const std::uintptr_t block[3] = {reinterpret_cast<std::uintptr_t>(path), mode, length};
    return call(0x01, block);
  }
  static std::intptr_t call(int operation, const void* argument) noexcept {
    register std::intptr_t r0 asm("r0") = operation;
    register const void* r1 asm("r1") = argument;
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
    asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory", "cc");
#elif defined(__thumb__)
    asm volatile("svc 0xab" : "+r"(r0) : "r"(r1) : "memory", "cc", "lr");
#else
    asm volatile("svc 0x123456" : "+r"(r0) : "r"(r1) : "memory", "cc", "lr");
#endif
    return r0;
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
