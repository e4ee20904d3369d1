// SPDX-License-Identifier: BSL-1.0
/// \file
/// ARM semihosting: console output, exit, command line, and a clock that counts modelled cycles.
#ifndef NEUROMORPH_CYCLES_SEMIHOSTING_HPP
#define NEUROMORPH_CYCLES_SEMIHOSTING_HPP

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace neuromorph::cycles {

/// What a call needs of the machine it comes from.
struct HostAccess {
  std::function<std::uint32_t(std::uint32_t address)> load_word;
  std::function<std::uint8_t(std::uint32_t address)> load_byte;
  std::function<void(std::uint32_t address, std::uint32_t value)> store_word;
  std::function<void(std::uint32_t address, std::uint8_t value)> store_byte;
};

class Semihosting {
public:
  std::function<void(std::string_view)> output = [](std::string_view) {};
  std::string command_line;
  std::uint32_t heap_base = 0, heap_limit = 0, stack_base = 0, stack_limit = 0;
  std::uint64_t clock_hz = 200'000'000;

  /// The value for r0. Reasons that are not served answer -1, as a host does that lacks them.
  std::uint32_t call(std::uint32_t reason, std::uint32_t argument, std::uint64_t now, HostAccess const& host);

  bool ended() const { return ended_; }
  std::uint32_t exit_status() const { return exit_status_; }

private:
  bool ended_ = false;
  std::uint32_t exit_status_ = 0;
};

} // namespace neuromorph::cycles

#endif
