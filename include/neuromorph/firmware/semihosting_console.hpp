// SPDX-License-Identifier: BSL-1.0
/// \file
/// The console of a debugger or emulator for the C library (newlib.hpp): no UART, no mailbox.
///
///     constinit const firmware::Newlib firmware::newlib{.write = firmware::SemihostingConsole::write,
///                                                       .read = firmware::SemihostingConsole::read,
///                                                       .exit = target::Semihosting::exit};
// arm-only
#ifndef NEUROMORPH_FIRMWARE_SEMIHOSTING_CONSOLE_HPP
#define NEUROMORPH_FIRMWARE_SEMIHOSTING_CONSOLE_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/target/device/semihosting.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {

/// For `Newlib::write` and `Newlib::read`. Each call stops the core until the host has answered; without a debugger or
/// emulator it ends in a fault.
struct SemihostingConsole {
  /// How many were written: all, or none.
  static std::size_t write(std::span<const char> text) noexcept {
    if (output_ == unopened) output_ = target::Semihosting::open_to_write(":tt");
    return output_ >= 0 && target::Semihosting::write(output_, text) ? text.size() : 0;
  }
  /// Waits for what is typed; how many have come, 0 at the end of the input.
  static std::size_t read(std::span<char> to) noexcept {
    if (input_ == unopened) input_ = target::Semihosting::open_to_read(":tt");
    return input_ < 0 ? 0 : target::Semihosting::read(input_, {reinterpret_cast<unsigned char*>(to.data()), to.size()});
  }

private:
  static constexpr std::intptr_t unopened = 0; // no handle of a host
  static inline constinit std::intptr_t output_ = unopened, input_ = unopened;
};

} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
