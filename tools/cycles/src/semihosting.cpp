// SPDX-License-Identifier: BSL-1.0
#include "semihosting.hpp"

namespace neuromorph::cycles {
namespace {

constexpr std::uint32_t refused = 0xffffffff;
constexpr std::uint32_t application_exit = 0x20026;
constexpr std::uint32_t console_in = 1;
constexpr std::uint32_t console_out = 2;
constexpr std::uint32_t longest_text = 1U << 20; // a runaway string must not hang the host

} // namespace

std::uint32_t Semihosting::call(std::uint32_t reason, std::uint32_t argument, std::uint64_t now,
                                HostAccess const& host) {
  auto const word = [&](std::uint32_t index) { return host.load_word(argument + 4 * index); };
  auto const end = [&](std::uint32_t why, std::uint32_t status) {
    ended_ = true;
    exit_status_ = why == application_exit ? status : (why == 0 ? 0 : 1);
    return 0U;
  };
  switch (reason) {
  case 0x01: { // SYS_OPEN: the console only
    std::string name;
    for (std::uint32_t i = 0; i < word(2) && i < 4096; ++i) { name += static_cast<char>(host.load_byte(word(0) + i)); }
    if (name != ":tt") { return refused; }
    return word(1) < 4 ? console_in : console_out;
  }
  case 0x02: // SYS_CLOSE
    return 0;
  case 0x03: { // SYS_WRITEC
    char const c = static_cast<char>(host.load_byte(argument));
    output({&c, 1});
    return 0;
  }
  case 0x04: { // SYS_WRITE0
    std::string text;
    for (std::uint32_t i = 0; i < longest_text; ++i) {
      char const c = static_cast<char>(host.load_byte(argument + i));
      if (c == 0) { break; }
      text += c;
    }
    output(text);
    return 0;
  }
  case 0x05: { // SYS_WRITE: the number of bytes not written
    if (word(0) != console_out) { return word(2); }
    std::string text;
    for (std::uint32_t i = 0; i < word(2) && i < longest_text; ++i) {
      text += static_cast<char>(host.load_byte(word(1) + i));
    }
    output(text);
    return 0;
  }
  case 0x06: // SYS_READ: the number of bytes not read; the console is at its end
    return word(2);
  case 0x07: // SYS_READC
    return refused;
  case 0x09: // SYS_ISTTY
    return 1;
  case 0x0c: // SYS_FLEN
    return 0;
  case 0x10: // SYS_CLOCK, centiseconds
    return static_cast<std::uint32_t>(now / (clock_hz / 100));
  case 0x11: // SYS_TIME: always the same, so that runs repeat
    return 0;
  case 0x13: // SYS_ERRNO
    return 0;
  case 0x15: { // SYS_GET_CMDLINE
    if (command_line.size() + 1 > word(1)) { return refused; }
    std::uint32_t const buffer = word(0);
    for (std::uint32_t i = 0; i <= command_line.size(); ++i) {
      host.store_byte(buffer + i, i < command_line.size() ? static_cast<std::uint8_t>(command_line[i]) : 0);
    }
    host.store_word(argument + 4, static_cast<std::uint32_t>(command_line.size()));
    return 0;
  }
  case 0x16: { // SYS_HEAPINFO
    std::uint32_t const block = host.load_word(argument);
    host.store_word(block, heap_base);
    host.store_word(block + 4, heap_limit);
    host.store_word(block + 8, stack_base);
    host.store_word(block + 12, stack_limit);
    return 0;
  }
  case 0x18: // SYS_EXIT: 32-bit callers pass the reason itself
    return end(argument, 0);
  case 0x20: // SYS_EXIT_EXTENDED
    return end(word(0), word(1));
  case 0x30: // SYS_ELAPSED: modelled cycles
    host.store_word(argument, static_cast<std::uint32_t>(now));
    host.store_word(argument + 4, static_cast<std::uint32_t>(now >> 32));
    return 0;
  case 0x31: // SYS_TICKFREQ
    return static_cast<std::uint32_t>(clock_hz);
  default: return refused;
  }
}

} // namespace neuromorph::cycles
