// SPDX-License-Identifier: BSL-1.0
/// \file
/// Semihosting: what a firmware may ask of a debugger or emulator (text out, command line, exit status).
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

private:
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
